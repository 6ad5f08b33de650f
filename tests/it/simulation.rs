//! Simulated hands on simulated boards: the recorded moves equal the played ones.
//!
//! In virtual time, within this process and through the program `damcast line`; the tests of real ports are in [`crate::daemon`] and
//! [`crate::boards`].

use damcast::engine::session::LineSettings;
use damcast::simulation::game_score::Score;
use damcast::simulation::games::SourceGame;
use damcast::simulation::score::{Conditions, play_all};
use damcast::simulation::script;
use draughts::{Color, Position, Variant};
use draughts_pdn::notation;
use hardware_sim::faults::Fault;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::truth::PlyTimes;
use hardware_sim::world::{SeatConfig, World};

use crate::boards::bare_entry;
use crate::games::playable;
use crate::line_program::LineProgram;

fn score(games: &[SourceGame], hands: &str, clock: bool, seeds: std::ops::Range<u64>) -> Score {
    score_case(games, &hands.parse().unwrap(), clock, seeds)
}

fn score_case(games: &[SourceGame], profile: &NoiseProfile, clock: bool, seeds: std::ops::Range<u64>) -> Score {
    let control = clock.then(|| "4800+60".parse().unwrap());
    let condition = |game: &SourceGame, seed: u64| Conditions {
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
    println!("{}, clock {clock}: {score}", profile.name);
    score
}

#[test]
fn ideal_hands_are_exact_in_every_variant() {
    let games = playable("");
    let types: std::collections::BTreeSet<u8> =
        games.iter().map(|game| game.start.variant().game_type.number()).collect();
    assert_eq!(types.len(), 14);
    let score = score(&games, "ideal", true, 1..2);
    assert_eq!(score.perfect, score.games, "{:#?}", score.imperfect_games);
    assert!(score.delay(0.95) <= 800, "the last hand is off, or the press done, for {} ms", score.delay(0.95));
}

#[test]
fn ideal_hands_without_clock_are_exact() {
    let score = score(&playable("international"), "ideal", false, 1..2);
    assert_eq!(score.perfect, score.games, "{:#?}", score.imperfect_games);
}

#[test]
fn calm_hands_are_recorded_without_false_ply() {
    let score = score(&playable("international"), "calm", true, 1..9);
    assert_eq!((score.false_plies, score.needless_setups), (0, 0), "{:#?}", score.imperfect_games);
    assert_eq!(score.recalled, score.plies, "{:#?}", score.imperfect_games);
}

#[test]
fn without_clock_analysis_differs_from_play() {
    let score = score(&playable("international"), "calm", false, 1..5);
    assert_eq!((score.false_plies, score.needless_setups), (0, 0), "{:#?}", score.imperfect_games);
    assert!(score.after_end * 10 <= 3 * score.games, "{:#?}", score.imperfect_games);
}

#[test]
fn wrongly_replaced_pieces_are_no_moves() {
    for (hands, clock) in [("calm", true), ("calm", false), ("club", true), ("club", false)] {
        let mut profile: NoiseProfile = hands.parse().unwrap();
        profile.set_rate(Fault::Knocked, 0.02);
        let score = score_case(&playable("international"), &profile, clock, 1..25);
        let after_a_knock = |blemish: &&String| blemish.contains("false ply") && blemish.contains("knocked-wrongly");
        let blemishes: Vec<&String> = score.imperfect_games.iter().filter(after_a_knock).collect();
        assert!(blemishes.is_empty(), "{hands}, clock {clock}: {blemishes:#?}");
    }
}

#[test]
fn swapped_seats_are_learned_in_each_game() {
    let mut profile: NoiseProfile = "club".parse().unwrap();
    profile.set_rate(Fault::SeatsSwapped, 1.0);
    let score = score_case(&playable("international"), &profile, true, 1..7);
    assert_eq!((score.false_plies, score.needless_setups), (0, 0), "{:#?}", score.imperfect_games);
    assert_eq!(score.recalled, score.plies, "{:#?}", score.imperfect_games);
}

#[test]
fn blitz_errors_do_not_cascade() {
    let score = score(&playable("international"), "blitz", true, 1..5);
    assert!(score.recalled * 1000 >= score.plies * 985, "{score}");
    assert!(score.false_plies <= 2 && score.needless_setups * 500 <= score.plies, "{:#?}", score.imperfect_games);
}

/// Plays a game through the program; every move and the clock after it must equal the game played.
fn check_via_program(game: &SourceGame, seed: u64) {
    check_with_codes(game, seed, "draughts", |code| code);
}

/// Plays a game on a board with other codes than 1, 4, 7 and 10: `recode` maps them, and `setting` configures the program.
fn check_with_codes(game: &SourceGame, seed: u64, setting: &str, recode: fn(u8) -> u8) {
    let control = "4800+60".parse().ok();
    let mut profile = NoiseProfile::ideal();
    profile.set_rate(hardware_sim::faults::Fault::Reset, 1.0);
    let mut script = script::game(&game.start, &game.moves, control, &profile, seed).rotated(seed % 2 == 1);
    script.start.iter_mut().chain(script.plies.iter_mut().filter_map(|ply| ply.crown.as_mut())).for_each(|code| {
        *code = if *code == 0 { 0 } else { recode(*code) };
    });
    let variant = game.start.variant();
    let (rows, columns) = (variant.geometry.height() as u8, variant.geometry.width() as u8);
    let mut world = World::new(SeatConfig::new(rows, columns, script, profile, seed)).unwrap();
    let (game_type, codes) = (variant.game_type.to_string(), format!("codes={setting}"));
    let mut program = LineProgram::start(&["--game-type", &game_type, "--set", &codes]);
    program.play(&mut world);
    let movetext = program.movetext();
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
    program.end();
}

/// Asserts that the comment shows both times just after the press, with a capital for the side whose clock runs.
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
fn games_through_program_line_have_clocks() {
    for (index, game) in playable("international").iter().filter(|game| is_whole(game)).enumerate() {
        check_via_program(game, index as u64);
    }
}

/// Returns one game from the start position of every type, with kings if possible.
fn one_of_each_type() -> Vec<SourceGame> {
    let games: Vec<SourceGame> = playable("").into_iter().filter(is_whole).collect();
    let crowned = |game: &&SourceGame| game.moves.iter().filter(|ply| ply.promotes()).count();
    let chosen: Vec<SourceGame> = Variant::all()
        .filter_map(|variant| games.iter().filter(|game| game.start.variant() == variant).max_by_key(crowned).cloned())
        .collect();
    assert_eq!(chosen.len(), 14);
    chosen
}

#[test]
fn game_of_every_type_through_program_line() {
    for (index, game) in one_of_each_type().iter().enumerate() {
        check_via_program(game, index as u64);
    }
}

/// Men and kings of other sets: pawns and queens, older firmware, and individual codes.
#[test]
fn games_with_other_sets_through_program_line() {
    let games = one_of_each_type();
    let game = |number: u8| games.iter().find(|game| game.start.variant().game_type.number() == number).unwrap();
    let chess = |code| if code == 4 { 7 } else { [0, 1, 0, 0, 0, 0, 0, 6, 0, 0, 12][usize::from(code)] };
    let older = |code| [0, 1, 0, 0, 7, 0, 0, 4, 0, 0, 10][usize::from(code)];
    let swapped = |code| [0, 4, 0, 0, 1, 0, 0, 12, 0, 0, 2][usize::from(code)];
    check_with_codes(game(25), 1, "chess", chess);
    check_with_codes(game(30), 2, "chess", chess);
    check_with_codes(game(20), 3, "draughts-old", older);
    check_with_codes(game(31), 4, "4=w 1=b 12=W 2=B", swapped);
}

/// Needs the folder of corpora in the environment variable `DAMCAST_CORPUS`; without it, prints that and passes.
#[test]
fn sixty_real_games_through_program_line() {
    let Some(games) = crate::games::corpus("international", "real") else {
        println!("DAMCAST_CORPUS is not set: the real games are NOT played");
        return;
    };
    let games: Vec<SourceGame> = games.into_iter().filter(is_whole).collect();
    let crowns = |game: &SourceGame| game.moves.iter().any(|ply| ply.promotes());
    let strikes = |game: &SourceGame| game.moves.iter().any(|ply| ply.captured().len() >= 4);
    let mut chosen: Vec<&SourceGame> = games.iter().filter(|game| strikes(game)).take(12).collect();
    let rest = |chosen: &[&SourceGame], game: &&SourceGame| !chosen.iter().any(|known| known.name == game.name);
    let kings: Vec<&SourceGame> = games.iter().filter(|game| crowns(game) && rest(&chosen, game)).take(34).collect();
    chosen.extend(kings);
    let others: Vec<&SourceGame> =
        games.iter().filter(|game| rest(&chosen, game)).take(66 - chosen.len().min(66)).collect();
    chosen.extend(others);
    let (with_kings, with_strikes) =
        (chosen.iter().filter(|game| crowns(game)).count(), chosen.iter().filter(|game| strikes(game)).count());
    println!("{} games, {with_kings} with kings, {with_strikes} with captures of four or more", chosen.len());
    assert!(chosen.len() >= 60 && with_kings >= 30 && with_strikes >= 6);
    for (index, game) in chosen.into_iter().enumerate() {
        check_via_program(game, 100 + index as u64);
    }
}

/// Whether a game begins at the start position.
fn is_whole(game: &SourceGame) -> bool {
    game.start == Position::start(game.start.variant())
}
