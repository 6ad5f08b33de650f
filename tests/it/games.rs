//! Whole games of every variant, ply by ply: each ply is legal and has its captures and path; every notation is read back; the game ends in
//! the right position.

use std::path::PathBuf;

use draughts::{Move, Position, Square, SquareSet, Variant};
use draughts_pdn::{fen, notation};

use crate::records::{Record, files, records};

/// A game as an independent program replayed it.
struct Game {
    id: String,
    start: Position,
    plies: Vec<Ply>,
    final_fen: String,
}

struct Ply {
    /// All squares of the path, by name.
    path: Vec<String>,
    captured: Vec<String>,
    promotes: bool,
    /// Whether another legal move with these ends captures other pieces.
    ambiguous: bool,
    /// Whether another route captures the same pieces; the path may then be that one.
    has_other_route: bool,
}

#[test]
fn local_games_replay() {
    let mut games = 0;
    for file in files("crates/draughts-pdn/tests/data/games") {
        for record in records(&std::fs::read_to_string(&file).unwrap()) {
            check(&Game::from_record(&record));
            games += 1;
        }
    }
    assert!(games > 60, "only {games} games");
}

/// Needs the folder of corpora in the environment variable `DAMCAST_CORPUS`; without it, prints that and passes.
#[test]
fn corpus_games_replay() {
    let Some(corpus) = std::env::var_os("DAMCAST_CORPUS") else {
        println!("DAMCAST_CORPUS is not set: the games of the corpus are NOT replayed");
        return;
    };
    let folder = PathBuf::from(corpus).join("games");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let (mut games, mut plies) = (0, 0);
    for file in files {
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            let game = Game::from_json(&serde_json::from_str(line).unwrap());
            check(&game);
            games += 1;
            plies += game.plies.len();
        }
    }
    assert!(games > 0, "no game in {}", folder.display());
    println!("{games} games, {plies} plies");
}

/// Returns the games in the repository whose file name starts with `variant`, to be played on boards.
pub fn playable(variant: &str) -> Vec<damcast::simulation::games::SourceGame> {
    let chosen = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(variant) && name.ends_with(".txt")
    };
    let texts = files("crates/draughts-pdn/tests/data/games")
        .into_iter()
        .filter(chosen)
        .map(|file| std::fs::read_to_string(file).unwrap());
    texts
        .flat_map(|text| records(&text).iter().map(|record| Game::from_record(record).played()).collect::<Vec<_>>())
        .collect()
}

/// Returns the corpus games of a variant and a kind; `None` if `DAMCAST_CORPUS` is not set.
pub fn corpus(variant: &str, kind: &str) -> Option<Vec<damcast::simulation::games::SourceGame>> {
    let file = PathBuf::from(std::env::var_os("DAMCAST_CORPUS")?).join(format!("games/{variant}.jsonl"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let games = text.lines().map(|line| serde_json::from_str(line).unwrap());
    Some(
        games
            .filter(|game: &serde_json::Value| game["kind"] == kind)
            .map(|game| Game::from_json(&game).played())
            .collect(),
    )
}

fn check(game: &Game) {
    let mut position = game.start;
    for (number, ply) in game.plies.iter().enumerate() {
        let at = format!("{} ply {number}, {}", game.id, ply.path.join(" "));
        let played = check_ply(&position, ply, &at);
        position = position.play(&played);
    }
    let variant = position.variant();
    let written = fen::write(variant, &position.setup());
    assert_eq!(fen::read(variant, &game.final_fen).as_ref(), Ok(&position.setup()), "{}: {written}", game.id);
    assert_eq!(fen::read(variant, &written), Ok(position.setup()), "{}: {written}", game.id);
}

/// Finds the ply among the legal moves, and reads it back from every notation.
fn check_ply(position: &Position, ply: &Ply, at: &str) -> Move {
    let variant = position.variant();
    let square = |name: &String| variant.geometry.square(name).unwrap_or_else(|| panic!("{at}: square {name}"));
    let captured: SquareSet = ply.captured.iter().map(square).collect();
    let (from, to) = (square(&ply.path[0]), square(&ply.path[ply.path.len() - 1]));
    let legal = position.legal_moves();
    let fits = |legal: &&Move| legal.from() == from && legal.to() == to && legal.captured() == captured;
    let fitting: Vec<&Move> = legal.iter().filter(fits).collect();
    let [played] = fitting[..] else { panic!("{at}: {} of the legal moves fit", fitting.len()) };
    assert_eq!(played.promotes(), ply.promotes, "{at}");
    assert_eq!(notation::is_ambiguous(played, &legal), ply.ambiguous, "{at}");

    let reads_as_played = |text: &str| {
        assert_eq!(notation::read_among(position, &legal, text).as_ref(), Ok(played), "{at}: {text}");
    };
    reads_as_played(&ply.path.join("x"));
    reads_as_played(&ply.path.join(" - "));
    reads_as_played(&notation::write(variant, played, &legal));
    reads_as_played(&notation::write_long(variant, played));
    reads_as_played(&notation::write_with_captured(variant, played, &legal));
    if played.is_capture() {
        // On a straight line a king's path may name any square behind the piece, not only the one of PDN.
        let overs: Vec<Square> = ply.captured.iter().map(square).collect();
        let takes = |route: &Move| route.jumps().iter().map(|jump| jump.over).eq(overs.iter().copied());
        assert!(position.capture_routes().iter().any(|route| route == played && takes(route)), "{at}: no such route");
        assert!(ply.has_other_route || takes(played), "{at}: not {played:?}");
        for (leg, &over) in ply.path.windows(2).zip(&overs) {
            let way = variant.geometry.direction(square(&leg[0]), over);
            assert!(way.is_some() && way == variant.geometry.direction(over, square(&leg[1])), "{at}: {leg:?}");
        }
    }
    if ply.ambiguous && ply.path.len() > 2 {
        let short = notation::write_short(variant, played);
        let means_another = |other: Move| other.jumps().len() == 1 && other != *played;
        match notation::read_among(position, &legal, &short) {
            Err(notation::MoveError::Ambiguous { .. }) => {}
            // The whole path of a single jump.
            Ok(other) => assert!(means_another(other), "{at}: {short}"),
            Err(other) => panic!("{at}: {other}"),
        }
    }
    played.clone()
}

impl Game {
    fn played(&self) -> damcast::simulation::games::SourceGame {
        let mut position = self.start;
        let mut moves = Vec::new();
        for ply in &self.plies {
            let played = check_ply(&position, ply, &self.id);
            position = position.play(&played);
            moves.push(played);
        }
        damcast::simulation::games::SourceGame { name: self.id.clone(), start: self.start, moves }
    }

    fn from_record(record: &Record) -> Game {
        Game {
            id: record.require("game").to_owned(),
            start: record.position(),
            plies: record.words("moves").map(Ply::parse).collect(),
            final_fen: record.require("final").to_owned(),
        }
    }

    fn from_json(game: &serde_json::Value) -> Game {
        let variant = Variant::from_tag(&game["gametype"].to_string()).unwrap();
        let start = match game["fen"].as_str() {
            None => Position::start(variant),
            Some(text) => Position::new(variant, fen::read(variant, text).unwrap()).unwrap(),
        };
        let names = |squares: &serde_json::Value| -> Vec<String> {
            squares.as_array().unwrap().iter().map(|name| name.to_string().replace('"', "")).collect()
        };
        let listed = |key: &str, ply: usize| game[key].as_array().unwrap().iter().any(|index| *index == ply);
        let paths = game["moves"].as_array().unwrap().iter().zip(game["captures"].as_array().unwrap());
        let plies = paths.enumerate().map(|(index, (path, captured))| Ply {
            path: names(path),
            captured: names(captured),
            promotes: listed("promotions", index),
            ambiguous: listed("ambiguous", index),
            has_other_route: listed("altpath", index),
        });
        Game {
            id: game["id"].as_str().unwrap().to_owned(),
            start,
            plies: plies.collect(),
            final_fen: game["final_fen"].as_str().unwrap().to_owned(),
        }
    }
}

impl Ply {
    /// Parses `41x32x23<37,28>K!~`, see `crates/draughts-pdn/tests/data/games/README.md`.
    fn parse(word: &str) -> Ply {
        let marks = word.trim_end_matches(['K', '!', '~']);
        let (path, captured) = marks.split_once('<').unwrap_or((marks, ""));
        let names = |text: &str, separators: &[char]| -> Vec<String> {
            text.split(separators).filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        let is_marked = |mark: char| word[marks.len()..].contains(mark);
        Ply {
            path: names(path, &['-', 'x']),
            captured: names(captured, &[',', '>']),
            promotes: is_marked('K'),
            ambiguous: is_marked('!'),
            has_other_route: is_marked('~'),
        }
    }
}
