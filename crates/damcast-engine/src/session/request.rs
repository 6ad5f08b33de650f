//! Requests to a line from an operator or from the station itself.
//!
//! | text | [`OperatorCommand`] | effect |
//! |---|---|---|
//! | `result R` | `Result` | the game ends with this result, once the last plies are recognised |
//! | `resign white`, `resign black` | `Resign` | the game ends with the win of the other side |
//! | `start`, `start FEN` | `Start` | the running game is closed, and another begins |
//! | `start from-memory` | `StartFromMemory` | the unrecorded game in the board's memory is published |
//! | `setup FEN` | `Setup` | the position is set up, and play continues from there |
//! | `continue`, `continue anyway` | `Continue` | the last finished game continues in another file; `anyway`: whatever the board shows |
//! | `undo`, `undo N` | `Undo` | the last N entries are discarded by a setup of the position before them; published lines stay |
//! | `resync`, `resync white` | `Resync` | the board is right: it is read again, and set up if no legal move explains it; without a running game, one begins from it |
//! | `flip` | `Flip` | the board is turned round |
//! | `names WHITE / BLACK` | `Names` | the players have these names |
//! | `pairing ID {TAGS}` | `SetPairing` | the next games, or a running one without entries, belong to this pairing and keep its tags |
//! | `pairing ID {TAGS} once N` | `SetPairing` | one game belongs to it: the first that begins with the number N or a higher one |
//! | `pairing none` | `SetPairing` | the tags of the line apply again |
//! | `hold`, `release` | `HoldPublication`, `ReleasePublication` | publication pauses until `release`; recording continues |
//! | `enter GAME PLY MOVE`, then `w=TIME`, `b=TIME` | `Enter` | on a board without electronics: a ply, after which the clocks showed these times |
//! | `enter-undo GAME PLY` | `TakeBack` | the last entered ply is taken back |
//! | `add-moves GAME AFTER MOVES`, then `anyway` | `AddMoves` | missing moves after this many entries: in place of the setups there, or after the last entry; `none`: no move was made; `anyway`: whatever the board shows |
//! | `entry on`, `entry off` | `SwitchEntry` | people enter the moves of the running game in place of its board, until it ends; the board reports them again |
//! | `claim GAME RESULT` | `Claim` | the players claim this result; `result` confirms it |
//! | `rotate` | `Rotate` | new logs begin as soon as no part of a game can be lost |
//! | `remembered new`, `remembered known NAME` | `GameLookup` | station's answer to [`Effect::LookUpGame`](super::Effect::LookUpGame) |
//!
//! The core works with values. The text is parsed on entry (socket, command line, `!` record of a log) and written to the
//! log; both are here. On a bus the address of the board comes first: `1025 flip`. With `when-found` before the address,
//! the request waits until the board is found.

use std::fmt;
use std::str::FromStr;

use draughts::Color;
use draughts_pdn::clock::ClockTime;
use draughts_pdn::tag;
use thiserror::Error;

use super::BusAddress;

/// Maximum length in bytes of a pairing id and of the value of a tag.
const MAX_VALUE_LEN: usize = 500;
/// Maximum number of tags of a pairing.
const MAX_TAGS: usize = 64;
/// Tags that a pairing cannot set because each game has its own.
const RESERVED_TAGS: [&str; 4] = ["GameType", "Result", "FEN", "Date"];
/// Separator between the names of two players.
const NAME_SEPARATOR: &str = " / ";
/// Maximum length in bytes of an entered move: all squares of the longest capture.
const MAX_NOTATION_LEN: usize = 200;
/// Maximum number of a game or a ply.
const MAX_NUMBER: u32 = 1_000_000;
/// Words before the times of White and Black.
const CLOCK_PREFIXES: [&str; 2] = ["w=", "b="];
const KEYWORD_NO_PAIRING: &str = "none";
/// Keyword before the number from which on one game belongs to a pairing.
const KEYWORD_ONCE: &str = "once";
/// Keyword after `continue` that skips the check of the board.
const KEYWORD_ANYWAY: &str = "anyway";
/// Keyword before a request that waits for its board.
const KEYWORD_WHEN_FOUND: &str = "when-found";

/// Request with its target and its command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Target board.
    pub target: Target,
    /// Command to execute.
    pub command: OperatorCommand,
}

/// Board of a line to which a request applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The single board of the line.
    OnlyBoard,
    /// This board of a bus.
    Board(BusAddress),
    /// This board of a bus, as soon as it is found.
    BoardOnceFound(BusAddress),
}

/// Command to a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OperatorCommand {
    /// End the game with this result; the variant defines the valid results.
    Result(String),
    /// End the game by resignation of this side.
    Resign(Color),
    /// Begin a game from the start position, or from this FEN by the rules of the board's variant.
    Start(Option<String>),
    /// Publish the game in the board's memory.
    StartFromMemory,
    /// Continue the last finished game; `true`: also if the board shows another position than its final one.
    Continue(bool),
    /// Set up this FEN, read by the rules of the board's variant.
    Setup(String),
    /// Discard this many entries; at least one.
    Undo(usize),
    /// Accept the contents of the board. Contains the side to move, needed if the clock does not show it.
    Resync(Option<Color>),
    /// Turn the board round.
    Flip,
    /// Set the names of the players.
    Names {
        /// White's name.
        white: String,
        /// Black's name.
        black: String,
    },
    /// Set the pairing of a tournament; `None` removes it.
    SetPairing(Option<BoardPairing>),
    /// Hold publication.
    HoldPublication,
    /// Release held publication.
    ReleasePublication,
    /// Enter a ply.
    Enter(EnteredPly),
    /// Take back the last entered ply.
    TakeBack {
        /// Number of the game.
        game: u32,
        /// Number of the ply in the game, from 1.
        ply: u32,
    },
    /// Add missing moves.
    AddMoves(AddedMoves),
    /// Whether people enter the moves of the running game in place of its board.
    SwitchEntry(bool),
    /// Claim a result.
    Claim {
        /// Number of the game.
        game: u32,
        /// Result; the variant defines the valid ones.
        result: String,
    },
    /// Begin new logs.
    Rotate,
    /// Answer of the station to the lookup of a game in a board's memory.
    GameLookup(GameLookup),
}

/// Ply that a person enters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnteredPly {
    /// Number of the game.
    pub game: u32,
    /// Number of the ply in the game, from 1.
    pub ply: u32,
    /// Move, as people write it: one word.
    pub notation: String,
    /// Times of White and Black after the ply, if they were entered.
    pub clocks: [Option<ClockTime>; 2],
}

/// Moves that a person adds to a running game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedMoves {
    /// Number of the game.
    pub game: u32,
    /// Number of entries before the moves.
    pub after: u32,
    /// Moves, as people write them; [`AddedMoves::NONE`] if no move was made.
    pub moves: String,
    /// Whether the moves count even if the board shows another position after them.
    pub anyway: bool,
}

impl AddedMoves {
    /// Word for no move: the setups there are wrong.
    pub const NONE: &str = "none";
}

/// Pairing of a tournament, as sent to a board.
///
/// Its games begin with these tags, which override those of the line, and keep them despite later changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardPairing {
    /// Identifier: printable ASCII without blanks, not `none`.
    pub id: String,
    /// Players, round and similar tags. Excludes the tags of each game itself: type, date, start and result.
    pub tags: Vec<(String, String)>,
    /// Lowest number of the only game of the pairing; `None` for a pairing that all later games belong to.
    pub only_from: Option<u32>,
}

/// Result of the lookup of a game with the same beginning as in the board's memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameLookup {
    /// No such game.
    NotFound,
    /// Name of the file with the game.
    Found(String),
}

/// Text that is no valid request, with the reason.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct RequestError(String);

impl Target {
    /// Returns the target for a board of a bus, or for the single board of a line.
    pub fn from_address(board: Option<BusAddress>) -> Target {
        board.map_or(Target::OnlyBoard, Target::Board)
    }

    /// Returns the address of the board; `None` for a single board.
    pub fn address(self) -> Option<BusAddress> {
        match self {
            Target::OnlyBoard => None,
            Target::Board(address) | Target::BoardOnceFound(address) => Some(address),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.target {
            Target::OnlyBoard => {}
            Target::Board(address) => write!(f, "{address} ")?,
            Target::BoardOnceFound(address) => write!(f, "{KEYWORD_WHEN_FOUND} {address} ")?,
        }
        self.command.fmt(f)
    }
}

impl fmt::Display for OperatorCommand {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            OperatorCommand::Result(result) => write!(f, "result {result}"),
            OperatorCommand::Resign(side) => write!(f, "resign {}", side_str(*side)),
            OperatorCommand::Start(None) => f.write_str("start"),
            OperatorCommand::Start(Some(fen)) => write!(f, "start {fen}"),
            OperatorCommand::StartFromMemory => f.write_str("start from-memory"),
            OperatorCommand::Setup(fen) => write!(f, "setup {fen}"),
            OperatorCommand::Continue(false) => f.write_str("continue"),
            OperatorCommand::Continue(true) => write!(f, "continue {KEYWORD_ANYWAY}"),
            OperatorCommand::Undo(count) => write!(f, "undo {count}"),
            OperatorCommand::Resync(None) => f.write_str("resync"),
            OperatorCommand::Resync(Some(turn)) => write!(f, "resync {}", side_str(*turn)),
            OperatorCommand::Flip => f.write_str("flip"),
            OperatorCommand::Names { white, black } => write!(f, "names {white}{NAME_SEPARATOR}{black}"),
            OperatorCommand::SetPairing(None) => write!(f, "pairing {KEYWORD_NO_PAIRING}"),
            OperatorCommand::SetPairing(Some(pairing)) => write!(f, "pairing {pairing}"),
            OperatorCommand::HoldPublication => f.write_str("hold"),
            OperatorCommand::ReleasePublication => f.write_str("release"),
            OperatorCommand::Enter(entered) => write!(f, "enter {entered}"),
            OperatorCommand::TakeBack { game, ply } => write!(f, "enter-undo {game} {ply}"),
            OperatorCommand::SwitchEntry(true) => f.write_str("entry on"),
            OperatorCommand::SwitchEntry(false) => f.write_str("entry off"),
            OperatorCommand::AddMoves(added) => write!(f, "add-moves {added}"),
            OperatorCommand::Claim { game, result } => write!(f, "claim {game} {result}"),
            OperatorCommand::Rotate => f.write_str("rotate"),
            OperatorCommand::GameLookup(GameLookup::NotFound) => f.write_str("remembered new"),
            OperatorCommand::GameLookup(GameLookup::Found(name)) => write!(f, "remembered known {name}"),
        }
    }
}

impl FromStr for Request {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Request, RequestError> {
        let text = text.trim();
        let waits = text.strip_prefix(KEYWORD_WHEN_FOUND).filter(|rest| rest.starts_with(' '));
        let (first, rest) = split(waits.unwrap_or(text));
        let address = first.parse().ok().and_then(BusAddress::new);
        let (to, wish) = match (address, waits) {
            (Some(address), None) => (Target::Board(address), rest),
            (Some(address), Some(_)) => (Target::BoardOnceFound(address), rest),
            (None, _) => (Target::OnlyBoard, text),
        };
        Ok(Request { target: to, command: wish.parse()? })
    }
}

impl FromStr for OperatorCommand {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<OperatorCommand, RequestError> {
        let (verb, rest) = split(text);
        let wish = match verb {
            "result" => OperatorCommand::Result(rest.to_owned()),
            "resign" => OperatorCommand::Resign(
                parse_side(rest)
                    .ok_or_else(|| RequestError("`resign` needs the side that gives up, white or black".to_owned()))?,
            ),
            "start" if rest.is_empty() => OperatorCommand::Start(None),
            "start" if rest == "from-memory" => OperatorCommand::StartFromMemory,
            "start" => OperatorCommand::Start(Some(rest.to_owned())),
            "continue" if rest.is_empty() => OperatorCommand::Continue(false),
            "continue" if rest == KEYWORD_ANYWAY => OperatorCommand::Continue(true),
            "setup" => OperatorCommand::Setup(rest.to_owned()),
            "undo" => OperatorCommand::Undo(parse_plies(rest)?),
            "resync" if rest.is_empty() => OperatorCommand::Resync(None),
            "resync" => OperatorCommand::Resync(Some(parse_side(rest).ok_or_else(|| {
                RequestError(format!("`resync {rest}`: expected nothing, or the side that is to move, white or black"))
            })?)),
            "names" => names(rest)?,
            "pairing" if rest == KEYWORD_NO_PAIRING => OperatorCommand::SetPairing(None),
            "pairing" => OperatorCommand::SetPairing(Some(rest.parse()?)),
            "flip" => OperatorCommand::Flip,
            "hold" if rest.is_empty() => OperatorCommand::HoldPublication,
            "release" if rest.is_empty() => OperatorCommand::ReleasePublication,
            "enter" => OperatorCommand::Enter(rest.parse()?),
            "enter-undo" => {
                let (game, ply) = place(rest)
                    .filter(|(_, _, after)| after.is_empty())
                    .map(|(game, ply, _)| (game, ply))
                    .ok_or_else(|| {
                        RequestError(format!(
                            "`enter-undo {rest}`: expected the numbers of game and ply, as in `enter-undo 3 12`"
                        ))
                    })?;
                OperatorCommand::TakeBack { game, ply }
            }
            "entry" => OperatorCommand::SwitchEntry(parse_switch(rest)?),
            "add-moves" => OperatorCommand::AddMoves(rest.parse()?),
            "claim" => {
                let (game, result) = split(rest);
                let game = number(game).filter(|_| !result.is_empty()).ok_or_else(|| {
                    RequestError(format!(
                        "`claim {rest}`: expected the number of the game and its result, as in `claim 3 2-0`"
                    ))
                })?;
                OperatorCommand::Claim { game, result: result.to_owned() }
            }
            "rotate" if rest.is_empty() => OperatorCommand::Rotate,
            "remembered" if rest == "new" => OperatorCommand::GameLookup(GameLookup::NotFound),
            "remembered" => match rest.strip_prefix("known ") {
                Some(name) => OperatorCommand::GameLookup(GameLookup::Found(name.trim().to_owned())),
                None => return Err(unknown(text)),
            },
            _ => return Err(unknown(text)),
        };
        Ok(wish)
    }
}

fn unknown(text: &str) -> RequestError {
    RequestError(format!(
        "request `{}` is not known; known are result, resign, start, continue, setup, undo, resync, flip, names, pairing, hold, release, \
         enter, enter-undo, add-moves, claim and rotate",
        text.trim()
    ))
}

impl fmt::Display for EnteredPly {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let EnteredPly { game, ply, notation, clocks } = self;
        write!(f, "{game} {ply} {notation}")?;
        for (side, time) in CLOCK_PREFIXES.iter().zip(clocks) {
            time.map_or(Ok(()), |time| write!(f, " {side}{time}"))?;
        }
        Ok(())
    }
}

impl FromStr for EnteredPly {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<EnteredPly, RequestError> {
        let wrong = || {
            RequestError(format!(
                "`enter {text}`: expected game, ply, move and perhaps the times on the clocks, as in enter 3 12 32-28 w=1:20:11 b=1:18:02"
            ))
        };
        let (game, ply, rest) = place(text).ok_or_else(wrong)?;
        let (notation, rest) = split(rest);
        if notation.is_empty() || notation.len() > MAX_NOTATION_LEN {
            return Err(wrong());
        }
        let mut clocks = [None; 2];
        for word in rest.split_whitespace() {
            let side = CLOCK_PREFIXES.iter().position(|prefix| word.starts_with(prefix)).ok_or_else(wrong)?;
            clocks[side] = Some(ClockTime::parse(&word[CLOCK_PREFIXES[side].len()..]).ok_or_else(wrong)?);
        }
        Ok(EnteredPly { game, ply, notation: notation.to_owned(), clocks })
    }
}

impl fmt::Display for AddedMoves {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let AddedMoves { game, after, moves, anyway } = self;
        write!(f, "{game} {after} {moves}")?;
        if *anyway { write!(f, " {KEYWORD_ANYWAY}") } else { Ok(()) }
    }
}

impl FromStr for AddedMoves {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<AddedMoves, RequestError> {
        let (game, rest) = split(text);
        let (after, rest) = split(rest);
        let stripped = rest.strip_suffix(KEYWORD_ANYWAY).filter(|moves| moves.ends_with(' '));
        let moves = stripped.unwrap_or(rest).trim();
        let after = after.parse().ok().filter(|after| *after <= MAX_NUMBER);
        match (number(game), after) {
            (Some(game), Some(after)) if !moves.is_empty() => {
                Ok(AddedMoves { game, after, moves: moves.to_owned(), anyway: stripped.is_some() })
            }
            _ => Err(RequestError(format!(
                "`add-moves {text}`: expected the number of the game, the number of entries before the moves, and the moves, as in \
                 add-moves 3 12 19-23 28x19"
            ))),
        }
    }
}

/// Returns the numbers of a game and a ply, both from 1, and the rest.
fn place(text: &str) -> Option<(u32, u32, &str)> {
    let (game, rest) = split(text);
    let (ply, rest) = split(rest);
    Some((number(game)?, number(ply)?, rest))
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&number| (1..=MAX_NUMBER).contains(&number))
}

impl fmt::Display for BoardPairing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let tags = self.tags.iter().map(|(name, value)| tag::write(name, value)).collect::<String>();
        write!(f, "{} {{{tags}}}", self.id)?;
        self.only_from.map_or(Ok(()), |number| write!(f, " {KEYWORD_ONCE} {number}"))
    }
}

impl FromStr for BoardPairing {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<BoardPairing, RequestError> {
        let (id, rest) = split(text);
        let is_id =
            id.len() <= MAX_VALUE_LEN && id != KEYWORD_NO_PAIRING && id.bytes().all(|byte| byte.is_ascii_graphic());
        if id.is_empty() || id.starts_with(['{', '[']) || !is_id {
            return Err(RequestError(format!(
                "`pairing {text}`: expected an id without blanks and tags, as in pairing 3.2 {{[White \"Sijbrands, T.\"]}}, or \
                 `pairing {KEYWORD_NO_PAIRING}`"
            )));
        }
        let (rest, only_from) = split_once_number(rest);
        let inner = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let mut rest = inner.ok_or_else(|| check_tags(id, "its tags stand between { and }"))?.trim();
        let mut tags: Vec<(String, String)> = Vec::new();
        while !rest.is_empty() {
            let end = tag_end(rest).ok_or_else(|| check_tags(id, "a tag has no end"))?;
            let (text, after) = rest.split_at(end);
            rest = after.trim_start();
            let parts = tag::parts(text);
            let name = &parts.name;
            if !parts.flaws.is_empty() || parts.value.contains(char::is_control) || parts.value.len() > MAX_VALUE_LEN {
                return Err(check_tags(id, &format!("{text} is no tag")));
            }
            if RESERVED_TAGS.contains(&name.as_str()) {
                return Err(check_tags(id, &format!("{name} is said by the game itself")));
            }
            if tags.len() == MAX_TAGS || tags.iter().any(|(known, _)| known == name) {
                return Err(check_tags(id, &format!("{name} stands twice, or there are more than {MAX_TAGS} tags")));
            }
            tags.push((parts.name, parts.value));
        }
        Ok(BoardPairing { id: id.to_owned(), tags, only_from })
    }
}

/// Splits the number of the only game from the end of a pairing.
fn split_once_number(text: &str) -> (&str, Option<u32>) {
    let parse = || {
        let (rest, number) = text.rsplit_once(' ')?;
        Some((rest.strip_suffix(KEYWORD_ONCE)?.trim_end(), number.parse().ok()?))
    };
    parse().map_or((text, None), |(rest, number)| (rest, Some(number)))
}

fn check_tags(id: &str, reason: &str) -> RequestError {
    RequestError(format!("`pairing {id}`: {reason}; it is written like pairing {id} {{[White \"Sijbrands, T.\"]}}"))
}

/// Returns the end of the first tag: after the bracket that follows its closing quote. Skips quotes after a backslash.
fn tag_end(text: &str) -> Option<usize> {
    let (mut is_quoted, mut before) = (false, b' ');
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !(is_quoted && before == b'\\') => is_quoted = !is_quoted,
            b']' if !is_quoted => return Some(at + 1),
            _ => {}
        }
        before = byte;
    }
    None
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once(' ').map_or((text, ""), |(first, rest)| (first, rest.trim()))
}

fn parse_plies(text: &str) -> Result<usize, RequestError> {
    let count = if text.is_empty() { Some(1) } else { text.parse().ok().filter(|&count| count > 0) };
    count.ok_or_else(|| RequestError(format!("`undo {text}`: expected how many plies to take back, as in `undo 2`")))
}

impl OperatorCommand {
    /// Whether the command names its place in the game, or the state that it leads to: its answer says that it is durable, and a repetition leaves no record.
    pub fn is_entry(&self) -> bool {
        matches!(
            self,
            OperatorCommand::Enter(_)
                | OperatorCommand::TakeBack { .. }
                | OperatorCommand::Claim { .. }
                | OperatorCommand::AddMoves(_)
                | OperatorCommand::SwitchEntry(_)
        )
    }

    /// Creates the command for the names of the players.
    ///
    /// # Errors
    ///
    /// Returns an error if a name contains the separator, because the log could not tell the names apart. Names read from a log
    /// stay unchanged.
    pub fn names(white: &str, black: &str) -> Result<OperatorCommand, RequestError> {
        match [white, black].into_iter().find(|name| format!(" {name} ").contains(NAME_SEPARATOR)) {
            Some(name) => Err(RequestError(format!(
                "`{name}` has ` / ` in it, which stands between two names: write it without the blanks, as in Jansen/De Vries"
            ))),
            None => Ok(OperatorCommand::Names { white: white.to_owned(), black: black.to_owned() }),
        }
    }
}

fn names(text: &str) -> Result<OperatorCommand, RequestError> {
    let is_name = |name: &&str| !name.is_empty() && !name.contains(char::is_control);
    let (white, black) = text.split_once(NAME_SEPARATOR).unwrap_or_default();
    let [white, black] = [white.trim(), black.trim()];
    if ![white, black].iter().all(is_name) {
        return Err(RequestError("`names` needs both names, as in names Sijbrands, T. / Wiersma, H.".to_owned()));
    }
    Ok(OperatorCommand::Names { white: white.to_owned(), black: black.to_owned() })
}

fn parse_switch(text: &str) -> Result<bool, RequestError> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(RequestError(format!("`{}`: expected on or off, as in `entry on`", format!("entry {text}").trim()))),
    }
}

fn parse_side(text: &str) -> Option<Color> {
    match text.to_ascii_lowercase().as_str() {
        "white" | "w" => Some(Color::White),
        "black" | "b" => Some(Color::Black),
        _ => None,
    }
}

fn side_str(side: Color) -> &'static str {
    match side {
        Color::White => "white",
        Color::Black => "black",
    }
}

#[cfg(test)]
mod tests;
