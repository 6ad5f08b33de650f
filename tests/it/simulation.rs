//! Simulated hands on simulated boards: what was played is what is recorded.
//!
//! In virtual time, within this process and through the program `damcast line`; the tests of real ports are in
//! [`crate::daemon`] and [`crate::boards`].

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use damcast::pdn::notation;
use damcast::rules::{Color, Position};
use damcast::session::LineSettings;
use damcast::simulation::drive::bare_entry;
use damcast::simulation::score::{Conditions, Played, Score, play_all};
use damcast::simulation::script;
use hardware_sim::profile::Profile;
use hardware_sim::truth::PlyTimes;
use hardware_sim::world::{Setting, World};

use crate::games::playable;
use crate::program::damcast;

fn score(games: &[Played], hands: &str, clock: bool, seeds: std::ops::Range<u64>) -> Score {
    let profile: Profile = hands.parse().unwrap();
    let control = clock.then(|| "4800+60".parse().unwrap());
    let condition = |game: &Played, seed: u64| Conditions {
        profile: profile.clone(),
        control,
        seed,
        settings: LineSettings::new(game.start.variant()),
    };
    let cases: Vec<_> = seeds
        .flat_map(|seed| games.iter().enumerate().map(move |(index, game)| (game, 1_000 * seed + index as u64)))
        .map(|(game, seed)| (game.clone(), condition(game, seed)))
        .collect();
    let score = play_all(&cases);
    println!("{hands}, clock {clock}: {score}");
    score
}

#[test]
fn ideal_hands_are_recorded_move_for_move_in_every_variant() {
    let games = playable("");
    let types: std::collections::BTreeSet<u8> =
        games.iter().map(|game| game.start.variant().game_type.number).collect();
    assert_eq!(types.len(), 14);
    let score = score(&games, "ideal", true, 1..2);
    assert_eq!(score.perfect, score.games, "{:#?}", score.blemishes);
    assert!(score.delay(0.95) <= 800, "the last hand is off, or the press done, for {} ms", score.delay(0.95));
}

#[test]
fn without_a_clock_ideal_hands_are_recorded_too() {
    let score = score(&playable("international"), "ideal", false, 1..2);
    assert_eq!(score.perfect, score.games, "{:#?}", score.blemishes);
}

#[test]
fn calm_hands_are_recorded_without_a_false_ply() {
    let score = score(&playable("international"), "calm", true, 1..9);
    assert_eq!((score.false_plies, score.needless_setups), (0, 0), "{:#?}", score.blemishes);
    assert_eq!(score.recalled, score.plies, "{:#?}", score.blemishes);
}

#[test]
fn without_a_clock_analysis_is_told_from_play() {
    let score = score(&playable("international"), "calm", false, 1..5);
    assert_eq!((score.false_plies, score.needless_setups), (0, 0), "{:#?}", score.blemishes);
    assert!(score.after_end * 10 <= 3 * score.games, "{:#?}", score.blemishes);
}

#[test]
fn in_blitz_nothing_false_cascades() {
    let score = score(&playable("international"), "blitz", true, 1..5);
    assert!(score.recalled * 1000 >= score.plies * 985, "{score}");
    assert!(score.false_plies <= 2 && score.needless_setups * 500 <= score.plies, "{:#?}", score.blemishes);
}

/// The program `damcast line`, driven through its standard input and output as any simulator may do it.
struct LineProgram {
    child: std::process::Child,
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
    deadline: Option<u64>,
    /// The lines of the live file, with their times.
    lines: Vec<(u64, String)>,
}

impl LineProgram {
    fn start(game_type: &str) -> LineProgram {
        let mut child =
            damcast(&["line", "--game-type", game_type]).stdin(Stdio::piped()).spawn().expect("damcast starts");
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        LineProgram { child, input, output, deadline: None, lines: Vec::new() }
    }

    /// Sends a record and takes the answers; bytes for the board go to it.
    fn say(&mut self, record: &str, world: &mut World) {
        writeln!(self.input, "{record}").unwrap();
        let mut answer = String::new();
        loop {
            answer.clear();
            assert!(self.output.read_line(&mut answer).unwrap() > 0, "no answer to {record}");
            let mut parts = answer.trim_end_matches('\n').splitn(3, ' ');
            let at: u64 = parts.next().unwrap().parse().unwrap();
            let (kind, rest) = (parts.next().unwrap(), parts.next().unwrap_or(""));
            match kind {
                ">" => {
                    let byte = |index: usize| u8::from_str_radix(&rest[index..index + 2], 16).unwrap();
                    let bytes: Vec<u8> = (0..rest.len()).step_by(2).map(byte).collect();
                    world.host(at, &bytes);
                }
                "+" => self.lines.push((at, rest.to_owned())),
                "." => {
                    self.deadline = rest.parse().ok();
                    return;
                }
                "=" | "?" => {}
                other => panic!("`{other}` in {answer}"),
            }
        }
    }

    fn play(&mut self, world: &mut World) {
        self.say("0 = up", world);
        loop {
            let next = [world.next_time(), self.deadline].into_iter().flatten().min();
            let Some(next) = next.filter(|&next| next <= world.end_ms() + 20_000) else { return };
            for (at, bytes) in world.advance(next) {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                self.say(&format!("{at} < {hex}"), world);
            }
            if self.deadline.is_some_and(|deadline| deadline <= next) {
                self.say(&format!("{next} ."), world);
            }
        }
    }
}

/// Plays a game through the program; every move and the clock after it must be as they were played.
fn check_through_the_program(game: &Played, seed: u64) {
    let control = "4800+60".parse().ok();
    let mut profile = Profile::ideal();
    profile.set_rate(hardware_sim::faults::Fault::Reset, 1.0);
    let script = script::game(&game.start, &game.moves, control, &profile, seed).turned(seed % 2 == 1);
    let mut world = World::new(Setting::new(10, 10, script, profile, seed)).unwrap();
    let mut program = LineProgram::start("20");
    program.play(&mut world);
    drop(program.input);
    assert!(program.child.wait().unwrap().success());

    let movetext: Vec<&str> = program.lines.iter().map(|(_, line)| line.as_str()).collect();
    let movetext: Vec<&str> =
        movetext.into_iter().filter(|line| !line.is_empty() && !line.starts_with('[') && *line != "*").collect();
    let recorded: Vec<&str> = movetext.iter().map(|line| bare_entry(line)).collect();
    let mut position = game.start;
    let mut played = Vec::new();
    let mut movers = Vec::new();
    for ply in &game.moves {
        played.push(notation::write(position.variant(), ply, &position.legal_moves()));
        movers.push(position.turn());
        position = position.play(ply);
    }
    assert_eq!(recorded, played, "{} seed {seed}", game.name);
    let times = world.ply_times();
    for ((line, mover), times) in movetext.iter().zip(movers).zip(&times) {
        check_clock(line, mover, times, &game.name);
    }
}

/// The comment shows both times just after the press, the capital at the side whose clock runs.
fn check_clock(line: &str, mover: Color, times: &PlyTimes, name: &str) {
    let comment = line.split_once("{[%clock ").map(|(_, rest)| rest.trim_end_matches("]}"));
    let (white, black) =
        comment.and_then(|comment| comment.split_once(' ')).unwrap_or_else(|| panic!("{name}: {line}"));
    let (w, b) = if mover == Color::White { ('w', 'B') } else { ('W', 'b') };
    assert!(white.starts_with(w) && black.starts_with(b), "{name}: {line}");
    let Some(clocks) = times.clocks.filter(|_| times.lever_moved) else { return };
    let seconds = |text: &str| {
        let mut parts = text[1..].split(':').map(|part| part.parse::<i64>().unwrap());
        parts.next().unwrap() * 3600 + parts.next().unwrap() * 60 + parts.next().unwrap()
    };
    for (shown, true_ms) in [(white, clocks.white_ms), (black, clocks.black_ms)] {
        // The reading lags the lever by less than half a second with ideal hands, and clocks show whole seconds.
        let difference = seconds(shown) - (true_ms / 1000) as i64;
        assert!((-1..=1).contains(&difference), "{name}: {line}, but {true_ms} ms");
    }
}

#[test]
fn games_through_the_program_line_are_recorded_with_their_clocks() {
    for (index, game) in playable("international").iter().filter(|game| is_whole(game)).enumerate() {
        check_through_the_program(game, index as u64);
    }
}

/// Needs the folder of corpora in the environment variable `DAMCAST_CORPUS`; without it, says so and passes.
#[test]
fn sixty_real_games_through_the_program_line() {
    let Some(games) = crate::games::corpus("international", "real") else {
        println!("DAMCAST_CORPUS is not set: the real games are NOT played");
        return;
    };
    let games: Vec<Played> = games.into_iter().filter(is_whole).collect();
    let crowns = |game: &Played| game.moves.iter().any(|ply| ply.promotes());
    let strikes = |game: &Played| game.moves.iter().any(|ply| ply.captured().len() >= 4);
    let mut chosen: Vec<&Played> = games.iter().filter(|game| strikes(game)).take(12).collect();
    let rest = |chosen: &[&Played], game: &&Played| !chosen.iter().any(|known| known.name == game.name);
    let kings: Vec<&Played> = games.iter().filter(|game| crowns(game) && rest(&chosen, game)).take(34).collect();
    chosen.extend(kings);
    let others: Vec<&Played> =
        games.iter().filter(|game| rest(&chosen, game)).take(66 - chosen.len().min(66)).collect();
    chosen.extend(others);
    let (with_kings, with_strikes) =
        (chosen.iter().filter(|game| crowns(game)).count(), chosen.iter().filter(|game| strikes(game)).count());
    println!("{} games, {with_kings} with kings, {with_strikes} with captures of four or more", chosen.len());
    assert!(chosen.len() >= 60 && with_kings >= 30 && with_strikes >= 6);
    for (index, game) in chosen.into_iter().enumerate() {
        check_through_the_program(game, 100 + index as u64);
    }
}

/// A game from the start position.
fn is_whole(game: &Played) -> bool {
    game.start == Position::start(game.start.variant())
}
