//! Board of a scenario: its properties, its players and its games.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use draughts::Variant;
use hardware_sim::board::{BoardOptions, Numbering};
use hardware_sim::clock::TimeControl;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::random::Span;
use hardware_sim::scanner::ScanMode;
use hardware_sim::script::{Game, InitialBoard};
use hardware_sim::seat::SeatConfig;
use serde::Deserialize;

use super::parse;
use crate::games::SourceGame;
use crate::{games, script};

/// Board and its games.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct BoardPlan {
    /// File with the games; the demonstration's if omitted.
    pub pdn: Option<PathBuf>,
    /// Numbers of the games, from 1 among the playable ones, in order of play; the board's own number if empty.
    pub games: Vec<usize>,
    /// Number from which games are dealt out if none are named.
    #[serde(skip)]
    pub deal: Option<usize>,
    /// Game type of a file without one.
    pub game_type: Option<String>,
    /// Maximum number of plies per game.
    pub plies: Option<usize>,
    /// Base time and increment in seconds; `none`: no clock.
    pub clock: String,
    /// Way of playing: ideal, calm, club or blitz.
    pub hands: String,
    /// Whether the connector is on White's right.
    pub turned: bool,
    /// Position before the game: ready, empty or half.
    pub before: String,
    /// Serial number, which is also the bus address; random if omitted.
    pub serial: Option<u32>,
    /// Scanned squares: all, dark or light. Default: dark for boards of more than 128 fields, else all.
    pub scan: Option<String>,
    /// Numbering of half-scanning boards: all-fields or scanned-fields.
    pub numbering: Option<String>,
    /// Time from a bus command to its answer, in milliseconds, while the board is not storing. Default: half a millisecond to three.
    pub answer_ms: Option<f64>,
    /// Events of earlier games in the memory; 4000 fill it.
    pub old_events: u32,
    /// Piece codes: draughts, draughts-old or chess.
    pub set: String,
    /// Codes of unknown commands, such as 0x42: the board does not answer them.
    pub ignores: Vec<u8>,
    /// Whether the board is missing until an incident `back`.
    pub absent: bool,
}

impl Default for BoardPlan {
    fn default() -> BoardPlan {
        BoardPlan {
            pdn: None,
            games: Vec::new(),
            deal: None,
            game_type: None,
            plies: None,
            clock: "4800+60".to_owned(),
            hands: "ideal".to_owned(),
            turned: false,
            before: "ready".to_owned(),
            serial: None,
            scan: None,
            numbering: None,
            answer_ms: None,
            old_events: 0,
            set: "draughts".to_owned(),
            ignores: Vec::new(),
            absent: false,
        }
    }
}

impl BoardPlan {
    pub(super) fn played(&self, index: usize, folder: &Path, library: &mut Library) -> Result<Vec<SourceGame>, String> {
        let pdn = self.pdn.as_ref().map(|pdn| folder.join(pdn));
        let all = library.games(pdn.as_deref(), self.game_type.as_deref())?;
        let wanted = if self.games.is_empty() {
            vec![self.deal.unwrap_or(index) % all.len().max(1) + 1]
        } else {
            self.games.clone()
        };
        let game = |number: usize| {
            let game = number.checked_sub(1).and_then(|index| all.get(index));
            let mut game =
                game.cloned().ok_or_else(|| format!("there is no game {number}; {} can be played", all.len()))?;
            game.moves.truncate(self.plies.unwrap_or(usize::MAX));
            Ok(game)
        };
        wanted.into_iter().map(game).collect()
    }

    pub(super) fn seat(
        &self,
        played: &[SourceGame],
        hands: NoiseProfile,
        serial: u32,
        seed: u64,
    ) -> Result<SeatConfig, String> {
        let control: Option<TimeControl> = match self.clock.as_str() {
            "none" => None,
            text => Some(parse(text)?),
        };
        let sizes = played.iter().map(|game| {
            let geometry = &game.start.variant().geometry;
            (geometry.height() as u8, geometry.width() as u8)
        });
        let (rows, cols) = sizes.clone().next().ok_or("it has no game")?;
        if sizes.clone().any(|size| size != (rows, cols)) {
            return Err("its games are played on boards of different sizes".to_owned());
        }
        let before = match self.before.as_str() {
            "ready" => InitialBoard::Ready,
            "empty" => InitialBoard::Empty,
            "half" => InitialBoard::HalfSetUp,
            other => return Err(format!("before = {other:?}: expected ready, empty or half")),
        };
        let scripts = played.iter().enumerate().map(|(index, game)| {
            let script = script::game(&game.start, &game.moves, control, &hands, seed.wrapping_add(index as u64));
            Game { initial_board: before.clone(), ..script.rotated(self.turned) }
        });
        let mut setting =
            SeatConfig { rows, cols, games: scripts.collect(), profile: hands, seed, board: None, outages: Vec::new() };
        let mut board =
            BoardOptions { serial: self.serial.unwrap_or(serial), old_events: self.old_events, ..setting.draw_board() };
        (board.set, board.ignored_commands) = (self.set.parse()?, self.ignores.clone());
        board.long_serial = 3_000_000_000 + u64::from(board.serial);
        if !(1..=99_999).contains(&board.serial) {
            return Err(format!("serial = {}: a serial number has five digits", board.serial));
        }
        if let Some(answer_ms) = self.answer_ms {
            if !(0.0..=1_000.0).contains(&answer_ms) {
                return Err(format!("answer-ms = {answer_ms}: expected 0 to 1000"));
            }
            board.answer_us = Span::just((answer_ms * 1000.0) as u32);
        }
        match self.scan.as_deref() {
            None => {}
            Some("all") => board.scan = ScanMode::All,
            Some("dark") => board.scan = ScanMode::Dark,
            Some("light") => board.scan = ScanMode::Light,
            Some(other) => return Err(format!("scan = {other:?}: expected all, dark or light")),
        }
        match self.numbering.as_deref() {
            None => {}
            Some("all-fields") => board.numbering = Numbering::AllFields,
            Some("scanned-fields") => board.numbering = Numbering::ScannedFields,
            Some(other) => return Err(format!("numbering = {other:?}: expected all-fields or scanned-fields")),
        }
        setting.board = Some(board);
        Ok(setting)
    }
}

/// Games of files, each file read once.
#[derive(Debug, Default)]
pub(super) struct Library {
    files: BTreeMap<(Option<PathBuf>, Option<String>), Vec<SourceGame>>,
}

impl Library {
    fn games(&mut self, pdn: Option<&Path>, game_type: Option<&str>) -> Result<&[SourceGame], String> {
        let key = (pdn.map(Path::to_owned), game_type.map(str::to_owned));
        if !self.files.contains_key(&key) {
            let known_variant = game_type.map(Variant::from_tag).transpose().map_err(|error| error.to_string())?;
            let (name, text) = match pdn {
                None => ("the demonstration".to_owned(), games::DEMONSTRATION.to_owned()),
                Some(path) => (path.display().to_string(), read(path)?),
            };
            let played = games::from_pdn(&name, &text, known_variant, None).map_err(|error| error.to_string())?;
            self.files.insert(key.clone(), played);
        }
        Ok(self.files.get(&key).map_or(&[], Vec::as_slice))
    }
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().iter().map(|&byte| byte as char).collect()))
}
