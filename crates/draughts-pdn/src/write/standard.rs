//! Converts any dialect to the standard: the same game, as PDN 3.0 writes it.
//!
//! | part | becomes |
//! |---|---|
//! | moves | the notation of the position: short, or the full path where that is ambiguous (restrictions 5 to 9) |
//! | moves that are not legal | the same squares in the standard's form; nothing is dropped, and each is reported |
//! | a capture written leg by leg | one move |
//! | unknown moves, text in place of moves, moves with several meanings | comments, and so are all later moves up to the next setup: read as moves they would be played from a wrong position |
//! | numbers | `12.` before the first player's move, `12...` where the line was interrupted |
//! | strengths | `!?` unchanged, `*` becomes the glyph `$7` |
//! | names of tags | the standard's, if another language's name is known |
//! | Result | the form of the game type, if known; a result as terminator moves into the tag |
//! | Date, times | the standard's form, or `OriginalDate` and so on besides "unknown" |
//! | FEN | canonical; squares named as in the game type; the turn of the side that moves first |
//! | `P1` and `P2` for the players | P1 is the side that begins: Black in games that Black begins, with the result reversed |
//! | GameType | added if missing |
//! | a GameType outside the standard | unchanged, as is everything that depends on the rules of the game |
//!
//! Reports every change of content, as opposed to form.
//!
//! Sources: PDN 3.0, chapters "PDN Tags", "PDN Grammars" (restrictions), "FEN tag", "GameType tag".

pub use super::resolved::AmbiguousCaptures;
use super::resolved::{Meaning, Resolved, entry_location};
use super::writer;
use crate::game::{Entry, Game, MoveEntry, MoveNumber, MoveText, Tag, Tags, Termination};
use crate::infer::{self, InferredVariant};
use crate::problem::{Location, Problem, quote};
use crate::reader::LocatedGame;
use crate::replay::{self, KnownBy};
use crate::strict;
use crate::syntax;
use crate::tag_values::{self, Date, Outcome, TagTime};
use crate::time_control::TimeControl;
use crate::{fen, notation};
use draughts::{Color, NotationKind, ResultFormat, Variant};

/// Returns the game in the standard's form, and the changes required. `known_variant`: the variant for a game without a tag.
///
/// # Examples
///
/// ```
/// use draughts_pdn::{Style, reader, standard, writer};
///
/// let (games, _) = reader::read_located("[GameType \"25\"] 1.c3d4 b6a5 2.d4c5 d6b4 3.a3c5 *");
/// let (game, _) = standard(&games[0], None);
/// assert!(writer::write(&[game], Style::Compact).ends_with("1. c3-d4 b6-a5 2. d4-c5 d6:b4 3. a3:c5 *\n"));
/// ```
pub fn standard(located: &LocatedGame, known_variant: Option<&'static Variant>) -> (Game, Vec<Problem>) {
    convert(located.clone(), known_variant, AmbiguousCaptures::Path)
}

/// [`standard()`] with a choice of notation for ambiguous captures. Changes the game in place.
pub fn convert(
    mut located: LocatedGame,
    known_variant: Option<&'static Variant>,
    ambiguous: AmbiguousCaptures,
) -> (Game, Vec<Problem>) {
    let InferredVariant { variant, known_by, mut problems } = infer::game_variant(&located, known_variant);
    let rules = if known_by == KnownBy::UnknownTag { Rules::Unknown } else { Rules::Known };
    let resolved = (rules == Rules::Known).then(|| Resolved::from_game(&located, variant, ambiguous));
    let old = std::mem::take(&mut located.game.entries);
    let mut conversion = Conversion { located: &located, variant, rules, problems: &mut problems };
    let (tags, entries) = match resolved {
        None => (conversion.tags(known_by, false, None), conversion.unresolved_entries(old)),
        Some(resolved) => {
            let has_board = located.game.tags.get("FEN").is_some()
                || old.iter().any(|entry| matches!(entry, Entry::Move(_) | Entry::Setup(_)));
            let tags = conversion.tags(known_by, has_board, Some(&resolved));
            let entries = conversion.entries(old, resolved.start_turn, resolved.meanings);
            problems.extend(resolved.illegal);
            (tags, entries)
        }
    };
    (Game { tags, entries, end: Termination::Star }, problems)
}

/// Whether the rules of the game are known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    Known,
    Unknown,
}

struct Conversion<'a> {
    located: &'a LocatedGame,
    /// A guess if the rules are unknown: then nothing may depend on it.
    variant: &'static Variant,
    rules: Rules,
    problems: &'a mut Vec<Problem>,
}

impl Conversion<'_> {
    fn tags(&mut self, known_by: KnownBy, has_board: bool, resolved: Option<&Resolved>) -> Tags {
        let game = &self.located.game;
        let mut tags = Tags::default();
        for (index, old) in game.tags.iter().enumerate() {
            let place = self.located.locations.tags.get(index).copied().unwrap_or(Location::START);
            let name = self.name(old, place);
            let value = tag_values::clean_value(&old.value);
            if value != old.value {
                let message = format!("characters of the value of {name} that break readers are replaced");
                self.problems.push(Problem::warning(place, message));
            }
            if name != old.name && (game.tags.get(&name).is_some() || tags.get(&name).is_some()) {
                tags.set(spare(game, &tags, &format!("Original{name}")), value);
                continue;
            }
            self.value(&mut tags, name, value.into_owned(), place);
        }
        // If no board fits and no tag names one, the game has no type.
        let is_known = has_board || matches!(known_by, KnownBy::Tag | KnownBy::ForeignTag);
        self.result(&mut tags, is_known);
        if has_board {
            self.game_type(&mut tags, known_by);
        }
        if let Some(resolved) = resolved {
            self.start_fen_tag(&mut tags, resolved);
        }
        tags
    }

    /// Sets the FEN tag if it contradicts the game.
    fn start_fen_tag(&mut self, tags: &mut Tags, resolved: &Resolved) {
        if let Some((fen, place)) = &resolved.start_fen {
            tags.set("FEN", fen);
            let message = format!("{} begins, though it is not {0}'s turn", resolved.start_turn);
            self.problems.push(Problem::warning(*place, message).with_hint("the FEN tag says so now"));
        } else if tags.get("FEN").is_some_and(|fen| replay::null_move(fen).is_some()) {
            tags.set("FEN", fen::write(self.variant, &resolved.start.setup()));
        }
    }

    /// Returns the standard's name for a tag. Does not rename a tag if a tag with the standard's name exists, or if the value is invalid
    /// for that tag.
    fn name(&mut self, old: &Tag, place: Location) -> String {
        let fits = |name: &str| match name {
            "Date" => Date::liberal(&old.value).is_some(),
            "WhiteTime" | "BlackTime" => TagTime::parse(&old.value).is_some(),
            _ => true,
        };
        let clean = writer::tag_name(&old.name);
        let known = tag_values::standard_name(&old.name).or_else(|| tag_values::standard_name(&clean));
        let known = match known {
            Some(known) if old.name.starts_with(['P']) && self.second_player_is_white() => other_side(known),
            known => known,
        };
        let name = match known {
            Some(name) if self.located.game.tags.get(name).is_none() && fits(name) => name.to_owned(),
            // The reader ignored this name, so the tag must not gain its meaning.
            _ if clean != old.name && matches!(&*clean, "FEN" | "GameType" | "Result" | "ResultFormat") => {
                format!("Original{clean}")
            }
            _ => clean.into_owned(),
        };
        if name != old.name {
            self.problems.push(Problem::note(place, format!("the tag {} becomes {name}", quote(&old.name))));
        }
        name
    }

    /// Whether the players are named by order in a game that Black begins; results then list the first player first.
    fn second_player_is_white(&self) -> bool {
        let has = |name: &str| self.located.game.tags.get(name).is_some();
        let begins = self.rules == Rules::Known && self.variant.game_type.starter() == Color::Black;
        begins && (has("P1") || has("P2")) && !has("White") && !has("Black")
    }

    /// Sets one tag, with its value in the standard's form.
    fn value(&mut self, tags: &mut Tags, name: String, value: String, place: Location) {
        let trimmed = value.trim();
        let (written, is_clear) = match name.as_str() {
            "Date" | "EventDate" | "UTCDate" => match Date::liberal(trimmed) {
                _ if trimmed.is_empty() => (String::new(), true),
                Some(date) => (date.to_string(), true),
                None => (Date::default().to_string(), trimmed == "?"),
            },
            "WhiteTime" | "BlackTime" => match TagTime::parse(trimmed) {
                Some(time) => (time.to_string(), true),
                None => (unknown(trimmed), is_unknown(trimmed)),
            },
            "Time" | "UTCTime" => match TagTime::parse(trimmed) {
                _ if TagTime::is_time_of_day(trimmed) => (trimmed.to_owned(), true),
                Some(TagTime { hours, minutes, seconds }) if hours < 24 => {
                    (format!("{hours:02}:{minutes:02}:{:02}", seconds.unwrap_or(0)), true)
                }
                _ => (unknown(trimmed), is_unknown(trimmed)),
            },
            "TimeControl" | "TimeControlWhite" | "TimeControlBlack" => match trimmed.parse::<TimeControl>() {
                Ok(control) => (control.to_string(), true),
                Err(_) => (unknown(trimmed), is_unknown(trimmed)),
            },
            "WhiteType" | "BlackType" => match trimmed.to_ascii_lowercase() {
                kind if matches!(kind.as_str(), "" | "?" | "human" | "program") => (kind, true),
                _ => (unknown(trimmed), is_unknown(trimmed)),
            },
            "PlyCount" if !trimmed.bytes().all(|byte| byte.is_ascii_digit()) => ("?".to_owned(), is_unknown(trimmed)),
            "PlyCount" => (trimmed.to_owned(), true),
            "GameType" if self.rules == Rules::Unknown => (value.clone(), true),
            "GameType" => {
                // Blanks around commas are accepted, but not written.
                let plain = trimmed.split(',').map(str::trim).collect::<Vec<_>>().join(",");
                if !plain.is_empty() && !strict::is_game_type(&plain) {
                    self.store_original(tags, &name, value, place);
                    return;
                }
                (plain, true)
            }
            "FEN" if trimmed.is_empty() => return,
            "FEN" => match self.fen(trimmed) {
                Some(fen) => (fen, true),
                None => {
                    self.store_original(tags, &name, value, place);
                    return;
                }
            },
            _ => {
                tags.set(name, value);
                return;
            }
        };
        if !is_clear {
            self.store_original(tags, &name, value, place);
        }
        tags.set(name, written);
    }

    /// Returns a FEN in the standard's form; unchanged for a game with unknown rules.
    fn fen(&self, text: &str) -> Option<String> {
        match self.rules {
            Rules::Known => replay::canonical_fen(self.variant, text),
            Rules::Unknown => strict::is_fen(text).then(|| text.to_owned()),
        }
    }

    fn store_original(&mut self, tags: &mut Tags, name: &str, value: String, place: Location) {
        let spare = spare(&self.located.game, tags, &format!("Original{name}"));
        let message = format!("{} is no value of the tag {name}", quote(&value));
        self.problems.push(Problem::warning(place, message).with_hint(format!("kept in the tag {spare}")));
        tags.set(spare, value);
    }

    /// Sets the Result tag in the form of the game type. A terminator with more information replaces its value.
    fn result(&mut self, tags: &mut Tags, is_known: bool) {
        let game = &self.located.game;
        let place = self.located.locations.end.unwrap_or(Location::START);
        let tagged = tags.get("Result").map(|result| result.trim().to_owned());
        let ended = match &game.end {
            Termination::Result(result) => Some(result.as_str()),
            _ => None,
        };
        // For a tag named Result, the reader has reported this.
        if let (Some(tagged), Some(ended), None) = (tagged.as_deref(), ended, game.tags.get("Result"))
            && syntax::contradicts(tagged, ended)
        {
            let message = format!("the result {} of a tag, the end of the game says {}", quote(tagged), quote(ended));
            self.problems.push(Problem::warning(place, message).with_hint("the tag counts"));
        }
        let value = match (tagged.as_deref(), ended) {
            (Some(tagged), Some(ended)) if Outcome::parse(tagged) == Some(Outcome::Open) => Some(ended),
            (Some(tagged), _) => Some(tagged),
            (None, ended) => ended,
        };
        let Some(mut value) = value.map(str::to_owned) else { return };
        if self.second_player_is_white()
            && let Some(outcome @ (Outcome::WhiteWins | Outcome::BlackWins)) = Outcome::parse(&value)
        {
            let message = format!("the result {} counts the first player first, who is Black here", quote(&value));
            self.problems.push(Problem::warning(place, message).with_hint("White's points go first now"));
            let turned = if outcome == Outcome::WhiteWins { Outcome::BlackWins } else { Outcome::WhiteWins };
            value = turned.as_result(self.variant.result_format).to_owned();
        }
        let format = tags.get("ResultFormat").map(str::to_owned);
        if format.as_deref().is_some_and(|format| tag_values::fits_result_format(format, &value) != Some(false)) {
            tags.set("Result", value);
            return;
        }
        if !is_known && format.is_none() && tag_values::is_standard_result(&value) {
            tags.set("Result", value);
            return;
        }
        // All formats in the standard's table count wins and draws like International.
        let result_format = match (format.is_some(), self.rules) {
            (true, _) => ResultFormat::International,
            (false, Rules::Known) => self.variant.result_format,
            (false, Rules::Unknown) => ResultFormat::Default,
        };
        match Outcome::parse(&value) {
            Some(outcome) => {
                tags.set("Result", outcome.as_result(result_format));
            }
            None if is_points(&value) && format.is_none() => {
                tags.set("Result", &value);
                tags.set("ResultFormat", "Points");
                let message = format!("the result {} is of another system", quote(&value));
                self.problems.push(Problem::note(place, message).with_hint("the tag ResultFormat says so"));
            }
            None => {
                self.store_original(tags, "Result", value, place);
                tags.set("Result", ResultFormat::Default.values()[4]);
            }
        }
    }

    fn game_type(&mut self, tags: &mut Tags, known_by: KnownBy) {
        let value = self.variant.game_type.tag_value();
        match known_by {
            // A number of another table remains: it is more specific than ours.
            KnownBy::Tag | KnownBy::ForeignTag | KnownBy::UnknownTag => {}
            KnownBy::MovesAgainstTag | KnownBy::Caller | KnownBy::Moves => {
                let before = tags.set("GameType", &value);
                if let Some(before) = before.filter(|before| !before.trim().is_empty() && *before != value) {
                    let spare = spare(&self.located.game, tags, "OriginalGameType");
                    tags.set(spare, before);
                } else {
                    let message = format!("no GameType: added as {} ({value})", self.variant.name);
                    self.problems.push(Problem::note(self.located.locations.start(), message));
                }
            }
        }
    }

    /// Returns the entries of a game with unknown rules: entries in the standard's form are unchanged, others become comments.
    fn unresolved_entries(&self, old: Vec<Entry>) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::with_capacity(old.len());
        for entry in old {
            match entry {
                Entry::Move(mut ply) if notation::is_move(ply.text.as_bytes()) => {
                    let nag = take_nag(&mut ply);
                    entries.push(Entry::Move(MoveEntry { captured: None, ..ply }));
                    entries.extend(nag.map(Entry::Nag));
                }
                Entry::Move(ply) => entries.push(Entry::Comment(move_as_comment(&ply))),
                Entry::Setup(text) => entries.push(match self.fen(&text) {
                    Some(fen) => Entry::Setup(fen),
                    None => Entry::Comment(format!("/FEN \"{text}\"/")),
                }),
                // Drop an empty variation.
                Entry::Close if entries.last() == Some(&Entry::Open) => drop(entries.pop()),
                other => entries.push(other),
            }
        }
        entries
    }

    /// Returns the entries in the standard's form. Changes them in place: nearly every entry remains.
    fn entries(&mut self, mut entries: Vec<Entry>, start_turn: Color, mut meanings: Vec<Meaning>) -> Vec<Entry> {
        let mut lines = vec![MoveNumbering::new(start_turn)];
        let fen = self.located.game.tags.get("FEN").map(str::trim).filter(|fen| !fen.is_empty());
        lines[0].is_lost = fen.is_some_and(|fen| replay::canonical_fen(self.variant, fen).is_none());
        // Glyphs for strengths that the standard lacks, each with the index of its move.
        let mut nags: Vec<(usize, u32)> = Vec::new();
        // Whether the last entry contains unknown moves, so that the next may join them.
        let mut is_unknown = false;
        let mut count = 0;
        for (index, meaning) in meanings.iter_mut().enumerate() {
            let Some(line) = lines.last_mut() else { break };
            let was_unknown = std::mem::take(&mut is_unknown);
            if count != index {
                entries.swap(count, index);
            }
            let (before, entry) = entries.split_at_mut(count);
            let entry = &mut entry[0];
            match entry {
                Entry::Move(_) if matches!(meaning, Meaning::Leg) => continue,
                Entry::Move(ply) => {
                    if self.ply(ply, meaning, line) {
                        if let Some(nag) = take_nag(ply) {
                            nags.push((count, nag));
                        }
                    } else {
                        if !std::mem::replace(&mut line.is_told, true) {
                            let message = "the moves from here on become comments: the position is unknown";
                            let problem = Problem::warning(entry_location(self.located, index), message);
                            self.problems.push(problem.with_hint("up to the next setup"));
                        }
                        line.is_fresh = true;
                        line.is_lost = true;
                        is_unknown = true;
                        let text = move_as_comment(ply);
                        match before.last_mut() {
                            Some(Entry::Comment(before)) if was_unknown => {
                                before.push(' ');
                                before.push_str(&text);
                                continue;
                            }
                            _ => *entry = Entry::Comment(text),
                        }
                    }
                }
                Entry::Setup(text) => *entry = setup_entry(self.variant, text, std::mem::take(meaning), line),
                Entry::Comment(_) | Entry::Nag(_) => {}
                Entry::Open => {
                    let inner = line.variation();
                    lines.push(inner);
                }
                Entry::Close => {
                    if lines.len() > 1 {
                        lines.pop();
                    }
                    // An empty variation is dropped and does not interrupt the line.
                    if before.last() == Some(&Entry::Open) {
                        count -= 1;
                        continue;
                    }
                    if let Some(outer) = lines.last_mut() {
                        outer.is_fresh = true;
                    }
                }
            }
            count += 1;
        }
        entries.truncate(count);
        if nags.is_empty() { entries } else { with_nags(entries, nags) }
    }

    /// Writes a move in the standard's form, with its number. Returns `false` if the text names no move.
    fn ply(&self, ply: &mut MoveEntry, meaning: &mut Meaning, line: &mut MoveNumbering) -> bool {
        let turn = if let Meaning::Move { turn, .. } = meaning { Some(*turn) } else { None };
        let number = line.next(ply.number, turn, self.variant.game_type.starter());
        match meaning {
            Meaning::Ambiguous => return false,
            _ if line.is_lost => return false,
            Meaning::Move { rewritten, .. } => {
                if let Some(rewritten) = rewritten.take() {
                    (ply.text, ply.captured) = *rewritten;
                }
            }
            _ => match standard_text(self.variant, &ply.text) {
                Some(text) => (ply.text, ply.captured) = (text, None),
                None => return false,
            },
        }
        ply.number = number;
        true
    }
}

/// Adds glyphs, each behind the entry with its index.
fn with_nags(entries: Vec<Entry>, nags: Vec<(usize, u32)>) -> Vec<Entry> {
    let mut nags = nags.into_iter().peekable();
    let with_nag = |(index, entry)| [Some(entry), nags.next_if(|(of, _)| *of == index).map(|(_, nag)| Entry::Nag(nag))];
    entries.into_iter().enumerate().flat_map(with_nag).flatten().collect()
}

/// Move number to come in a line of play.
#[derive(Clone, Copy)]
struct MoveNumbering {
    number: u32,
    turn: Color,
    /// Whether the next move must have a number, whichever side makes it.
    is_fresh: bool,
    /// Number and turn before the last move.
    previous: Option<(u32, Color)>,
    /// Whether a move was left out, so that the position is unknown until the next setup.
    is_lost: bool,
    /// Whether the loss was reported.
    is_told: bool,
}

impl MoveNumbering {
    fn new(turn: Color) -> MoveNumbering {
        MoveNumbering { number: 1, turn, is_fresh: true, previous: None, is_lost: false, is_told: false }
    }

    fn set_up(&mut self, turn: Color, starter: Color) {
        // A setup after the first player's move, with that player to move: the second player's move is missing.
        let has_passed = self.previous.is_some() && self.turn != starter && turn == starter;
        let number = self.number.saturating_add(u32::from(has_passed));
        *self = MoveNumbering { number, turn, is_fresh: true, previous: None, is_lost: false, is_told: false };
    }

    fn variation(&self) -> MoveNumbering {
        let (number, turn) = self.previous.unwrap_or((self.number, self.turn));
        MoveNumbering { number, turn, is_fresh: true, previous: None, ..*self }
    }

    /// Returns the number to write before the next move. `written_number` is the file's number, used where counting cannot decide.
    fn next(&mut self, written_number: Option<MoveNumber>, turn: Option<Color>, starter: Color) -> Option<MoveNumber> {
        self.turn = turn.unwrap_or(self.turn);
        if let Some(written_number) = written_number.filter(|written_number| self.is_fresh && written_number.value > 0)
        {
            self.number = written_number.value;
        }
        let is_first = self.turn == starter;
        let written = (is_first || self.is_fresh).then_some(MoveNumber { value: self.number, ellipsis: !is_first });
        self.previous = Some((self.number, self.turn));
        if !is_first {
            self.number = self.number.saturating_add(1);
        }
        self.turn = !self.turn;
        self.is_fresh = false;
        written
    }
}

/// Returns a setup in the standard's form; a comment if its position cannot be read. The line goes on from it.
fn setup_entry(variant: &Variant, text: &str, meaning: Meaning, line: &mut MoveNumbering) -> Entry {
    let starter = variant.game_type.starter();
    let as_comment = || Entry::Comment(format!("/FEN \"{text}\"/"));
    match (meaning, replay::null_move(text)) {
        (_, Some(_)) if line.is_lost => as_comment(),
        (Meaning::Setup(fen, turn), null_move) => {
            line.set_up(turn, starter);
            Entry::Setup(null_move.map_or(fen, |_| format!("{}::", turn.letter())))
        }
        _ => {
            let fen = replay::canonical_fen(variant, text);
            // A position that no game can reach still names the side to move.
            let is_black = fen.as_ref().is_some_and(|fen| fen.starts_with('B'));
            line.set_up(if is_black { Color::Black } else { Color::White }, starter);
            line.is_lost = fen.is_none();
            fen.map_or_else(as_comment, Entry::Setup)
        }
    }
}

/// Returns an unknown move, or a text in place of a move, as a comment.
fn move_as_comment(ply: &MoveEntry) -> String {
    let number = ply.number.map_or(String::new(), |number| format!("{number} "));
    format!("{number}{}{}", ply.text, ply.strength.as_deref().unwrap_or(""))
}

/// Leaves a strength in the standard's form. Returns a glyph for the part that the standard lacks.
fn take_nag(ply: &mut MoveEntry) -> Option<u32> {
    let strength = ply.strength.take()?;
    let plain: String = strength.chars().filter(|c| *c != '*').collect();
    let is_empty = plain.trim_matches(['(', ')']).is_empty();
    ply.strength = (!is_empty).then(|| plain.into());
    strength.contains('*').then_some(7)
}

/// Returns an unresolved move in the standard's form, as far as its text allows.
fn standard_text(variant: &Variant, text: &str) -> Option<MoveText> {
    let lower = text.to_ascii_lowercase();
    let is_step = !lower.contains(['x', ':', '×']);
    let separator = if is_step { '-' } else { variant.capture_separator };
    let parts: Vec<String> = lower
        .split(['-', 'x', ':', '×', '–', '−'])
        .flat_map(|part| match part.bytes().all(|byte| byte.is_ascii_digit()) {
            true if part.len() > 2 => vec![part[..part.len() / 2].to_owned(), part[part.len() / 2..].to_owned()],
            true => vec![part.to_owned()],
            false => replay::split_at_letters(part).into_iter().map(str::to_owned).collect(),
        })
        .map(|name| name.trim_start_matches('0').to_owned())
        .collect();
    // Letters on a board with numbers, or numbers on a board with letters, are no moves of this game (restriction 6).
    let is_algebraic = variant.game_type.notation().kind == NotationKind::Algebraic;
    if parts.iter().any(|name| name.starts_with(|c: char| c.is_ascii_lowercase()) != is_algebraic) {
        return None;
    }
    let text = parts.join(&separator.to_string());
    // Only a capture has more than two squares.
    (notation::is_move(text.as_bytes())
        && (parts.len() == 2 || !is_step || separator == '-' && variant.capture_separator == '-'))
        .then(|| text.into())
}

/// Returns the tag of the other player.
fn other_side(name: &'static str) -> Option<&'static str> {
    Some(match name {
        "White" => "Black",
        "Black" => "White",
        "WhiteRating" => "BlackRating",
        "BlackRating" => "WhiteRating",
        "WhiteTitle" => "BlackTitle",
        "BlackTitle" => "WhiteTitle",
        name => name,
    })
}

/// Whether the text is points that are no result of the standard's tables, such as `4-6`.
fn is_points(text: &str) -> bool {
    let is_number = |part: &str| {
        let part = part.trim();
        !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '/' | '½' | ' ' | '+'))
    };
    text.split_once('-').is_some_and(|(white, black)| is_number(white) && is_number(black))
}

fn is_unknown(text: &str) -> bool {
    matches!(text, "" | "?" | "-" | "*")
}

fn unknown(text: &str) -> String {
    if text.is_empty() { String::new() } else { "?".to_owned() }
}

/// Returns a name that no tag of the game has.
fn spare(game: &Game, tags: &Tags, name: &str) -> String {
    let is_free = |name: &str| game.tags.get(name).is_none() && tags.get(name).is_none();
    let name = writer::tag_name(name).into_owned();
    let mut candidates = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}{number}")));
    candidates.find(|name| is_free(name)).unwrap_or(name)
}
