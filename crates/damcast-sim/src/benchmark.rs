//! Benchmark of recognition: games, seeds, ways of playing and recorders, over all cores, as a table.
//!
//! The sums do not depend on the number of cores: equal arguments give equal tables.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use damcast_engine::session::{LineSettings, SettingError};
use draughts::Variant;
use hardware_sim::clock::TimeControl;
use hardware_sim::faults::Fault;
use hardware_sim::profile::NoiseProfile;

use super::baselines::BaselineRule;
use super::game_score::{Score, bounds, percent};
use super::games::SourceGame;
use super::hall;
use super::score::{self, Conditions, RecorderKind, over_all_cores};

/// Way of playing, with its equipment.
#[derive(Clone, Debug)]
pub struct PlayStyle {
    /// Name in the table.
    pub name: String,
    /// Faults of hands and wires.
    pub profile: NoiseProfile,
    /// Whether a clock is connected.
    pub clock: bool,
}

/// Suffix of a profile name if no clock is connected.
const WITHOUT_CLOCK: &str = "-without-clock";

/// Error for an unknown name of hands.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no hands are called `{0}`; there are ideal, calm, club and blitz, each also with {WITHOUT_CLOCK}, and all")]
pub struct UnknownStyle(String);

impl PlayStyle {
    /// Parses a list such as `calm,club-without-clock`; `all`: every row of the goals.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is unknown.
    pub fn list(text: &str) -> Result<Vec<PlayStyle>, UnknownStyle> {
        const ALL_HANDS: &str = "ideal,calm,club,blitz,calm-without-clock,club-without-clock";
        let names = if text == "all" { ALL_HANDS } else { text };
        let hands = |name: &str| {
            let (profile, clock) = name.strip_suffix(WITHOUT_CLOCK).map_or((name, true), |profile| (profile, false));
            let profile = profile.parse().map_err(|_| UnknownStyle(name.to_owned()))?;
            Ok(PlayStyle { name: name.to_owned(), profile, clock })
        };
        names.split(',').map(|name| hands(name.trim())).collect()
    }

    /// Returns ideal hands with a single fault.
    pub fn single_fault(fault: Fault, rate: f64) -> PlayStyle {
        PlayStyle { name: format!("{fault} {rate:.4}"), profile: NoiseProfile::only(fault, rate), clock: true }
    }
}

/// Games and conditions of a benchmark.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// Games of any variants.
    pub games: Vec<SourceGame>,
    /// Number of seeds per game.
    pub seeds: u64,
    /// First seed.
    pub first_seed: u64,
    /// Time control, for hands with a clock.
    pub control: Option<TimeControl>,
    /// Settings of the recorder that differ from the defaults.
    pub settings: Vec<(String, String)>,
    /// Number of boards that share one line; `None`: each board has its own.
    pub on_bus: Option<usize>,
}

/// Game to explain: `12`, `int-2bc8a49ae47b`, or either with a seed that the list of imperfect games shows: `12@4000012`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseSelector {
    game: String,
    /// Seed; `None`: the first.
    seed: Option<u64>,
}

impl FromStr for CaseSelector {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<CaseSelector, ParseIntError> {
        let Some((game, seed)) = text.rsplit_once('@') else {
            return Ok(CaseSelector { game: text.to_owned(), seed: None });
        };
        Ok(CaseSelector { game: game.to_owned(), seed: Some(seed.parse()?) })
    }
}

impl CaseSelector {
    fn is_number(&self, index: usize) -> bool {
        self.game.parse() == Ok(index + 1)
    }
}

/// Selected game with its batch.
#[derive(Clone, Debug)]
pub struct SelectedCase<'a> {
    /// Games that are played at once.
    pub batch: Vec<(&'a SourceGame, Conditions)>,
    /// Index of the selected game.
    pub index: usize,
}

/// Row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Variant of the games.
    pub variant: &'static Variant,
    /// Name of the hands.
    pub hands: String,
    /// Whether a clock is connected.
    pub clock: bool,
    /// Recorder of the games.
    pub recorder: RecorderKind,
    /// Result of the games.
    pub score: Score,
}

impl Benchmark {
    /// Returns the settings of the recorder.
    ///
    /// # Errors
    ///
    /// Returns an error if a setting is unknown or its value is invalid.
    pub fn line_settings(&self, variant: &'static Variant) -> Result<LineSettings, SettingError> {
        let mut settings = LineSettings::new(variant);
        for (key, value) in &self.settings {
            settings.set(key, value)?;
        }
        Ok(settings)
    }

    /// Returns the variants of the games, in order of appearance.
    pub fn variants(&self) -> Vec<&'static Variant> {
        let mut variants: Vec<&'static Variant> = Vec::new();
        for game in &self.games {
            if !variants.contains(&game.start.variant()) {
                variants.push(game.start.variant());
            }
        }
        variants
    }

    /// Finds a game, with the other games of its bus. `None`: no such game.
    ///
    /// # Errors
    ///
    /// Returns an error if a setting is invalid.
    pub fn find(&self, wanted: &CaseSelector, hands: &PlayStyle) -> Result<Option<SelectedCase<'_>>, SettingError> {
        for variant in self.variants() {
            let cases = self.cases(variant, hands, &self.line_settings(variant)?);
            let number = |game: &SourceGame| self.games.iter().position(|other| std::ptr::eq(other, game));
            let is_it = |(game, conditions): &(&SourceGame, Conditions)| {
                let is_named = game.name == wanted.game || number(game).is_some_and(|index| wanted.is_number(index));
                is_named && wanted.seed.is_none_or(|seed| seed == conditions.seed)
            };
            if let Some(index) = cases.iter().position(is_it) {
                let size = self.on_bus.unwrap_or(1).max(1);
                let (bus, index) = (index / size, index % size);
                let cases = cases.chunks(size).nth(bus).unwrap_or_default().to_vec();
                return Ok(Some(SelectedCase { batch: cases, index }));
            }
        }
        Ok(None)
    }

    /// Returns every game of a variant with every seed.
    fn cases(
        &self,
        variant: &'static Variant,
        hands: &PlayStyle,
        settings: &LineSettings,
    ) -> Vec<(&SourceGame, Conditions)> {
        let games = self.games.iter().enumerate().filter(|(_, game)| game.start.variant() == variant);
        let seeds = self.first_seed..self.first_seed.saturating_add(self.seeds);
        let with_seeds =
            |(index, game)| seeds.clone().map(move |seed| (game, self.conditions(index, seed, hands, settings)));
        games.flat_map(with_seeds).collect()
    }

    fn conditions(&self, index: usize, seed: u64, hands: &PlayStyle, settings: &LineSettings) -> Conditions {
        Conditions {
            profile: hands.profile.clone(),
            control: self.control.filter(|_| hands.clock),
            seed: seed.wrapping_mul(1_000_003).wrapping_add(index as u64),
            settings: settings.clone(),
        }
    }

    /// Returns one row per variant.
    ///
    /// # Errors
    ///
    /// Returns an error if a setting is invalid.
    pub fn rows(&self, hands: &PlayStyle, recorder: RecorderKind) -> Result<Vec<Row>, SettingError> {
        self.rows_with(hands, recorder, |settings| settings)
    }

    /// Returns one row per variant, with settings changed by `change`, as a curve needs.
    ///
    /// # Errors
    ///
    /// Returns an error if a setting is invalid.
    pub fn rows_with(
        &self,
        hands: &PlayStyle,
        kind: RecorderKind,
        change: impl Fn(LineSettings) -> LineSettings,
    ) -> Result<Vec<Row>, SettingError> {
        let mut rows = Vec::new();
        for variant in self.variants() {
            let settings = change(self.line_settings(variant)?);
            let cases = self.cases(variant, hands, &settings);
            let scores = match self.on_bus {
                None => over_all_cores(&cases, |(game, conditions)| score::play(game, conditions, kind)),
                Some(boards) => {
                    let buses: Vec<_> = cases.chunks(boards.max(1)).collect();
                    over_all_cores(&buses, |cases| hall::play(cases))
                }
            };
            let mut score = Score::default();
            scores.into_iter().for_each(|one| score.add(one));
            rows.push(Row { variant, hands: hands.name.clone(), clock: hands.clock, recorder: kind, score });
        }
        Ok(rows)
    }

    /// Returns this program, and the baselines if requested.
    pub fn recorders(with_peers: bool) -> Vec<RecorderKind> {
        let peers = BaselineRule::ALL.iter().copied().filter(|_| with_peers).map(RecorderKind::Peer);
        [RecorderKind::Damcast].into_iter().chain(peers).collect()
    }
}

/// Header of the table of [`Row`]s.
pub const TABLE_HEADER: &str = "variant          hands                recorder       games   plies  recall %  false/100k  needless/100k  \
                        illegal right  taken back right  after end  perfect %    p50    p95    p99 s";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { variant, hands, recorder: kind, score, .. } = self;
        let seconds = |share: f64| score.delay(share) as f64 / 1000.0;
        let of = |part: usize, whole: usize| format!("{part}/{whole}");
        let name: String = variant.name.chars().take(16).collect();
        write!(
            f,
            "{name:<16} {hands:<20} {kind:<13} {:>6} {:>7} {:>9.3} {:>11.1} {:>14.1} {:>14} {:>17} {:>10} {:>10.1} {:>6.2} {:>6.2} {:>6.2}",
            score.games,
            score.plies,
            score.recall(),
            score.per_100k(score.false_plies),
            score.per_100k(score.needless_setups),
            of(score.illegal_right, score.illegal),
            of(score.taken_back_right, score.taken_back),
            score.after_end,
            percent(score.perfect, score.games),
            seconds(0.50),
            seconds(0.95),
            seconds(0.99),
        )
    }
}

/// Formats how plies were announced before they were published, as one line. Negative delays: before the press.
pub fn provisional(score: &Score) -> String {
    format!(
        "provisional: {:.2} % of {} were published, delay p50 {:.2} p95 {:.2} s",
        percent(score.announced_published, score.announced_published + score.announced_withdrawn),
        score.announced_published + score.announced_withdrawn,
        score.provisional_delay(0.50) as f64 / 1000.0,
        score.provisional_delay(0.95) as f64 / 1000.0,
    )
}

/// Formats counts with their bounds at 95 % confidence, as one line.
pub fn counts_with_bounds(score: &Score) -> String {
    let missing = score.plies - score.recalled;
    let rate = |name: &str, count: usize| {
        let (low, high) = bounds(count, score.plies);
        format!("{name} {count} ({:.2} to {:.2} per 100k)", 1e5 * low, 1e5 * high)
    };
    let counts = [("missing", missing), ("false", score.false_plies), ("needless setups", score.needless_setups)];
    format!("95 % bounds: {}", counts.map(|(name, count)| rate(name, count)).join(", "))
}

/// Formats the faults that struck shortly before differences, most frequent first, as one line.
pub fn suspects(score: &Score) -> String {
    let mut suspects: Vec<_> = score.suspects.iter().collect();
    suspects.sort_by_key(|&(fault, count)| (std::cmp::Reverse(*count), *fault));
    suspects.iter().map(|(fault, count)| format!("{fault} {count}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_hands_by_name() {
        let hands = PlayStyle::list("calm, club-without-clock").unwrap();
        assert_eq!(hands.iter().map(|hands| hands.clock).collect::<Vec<_>>(), [true, false]);
        assert_eq!(PlayStyle::list("all").unwrap().len(), 6);
        assert!(PlayStyle::list("calm,bullet").is_err());
    }
}
