//! Points of results, and tie-breaks between players with equal points.

use std::fmt;
use std::str::FromStr;

use draughts_pdn::tag_values::Outcome;

use crate::{OfficialResult, Points, ResultReason};

/// Points of results. The default is `2-1-0`.
///
/// # Examples
///
/// ```
/// use draughts_tournament::{Points, Scoring};
/// let scoring = Scoring::parse("12-5-0").unwrap();
/// assert_eq!((scoring.win, scoring.draw), (Points::whole(12), Points::whole(5)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scoring {
    /// Points of a win; in a micro-match, of a win in its first game.
    pub win: Points,
    /// Points of a draw.
    pub draw: Points,
    /// Points of a loss.
    pub loss: Points,
    /// Points of a bye for which no opponent was left.
    pub bye: Points,
    /// Points of a round in which the player is absent.
    pub absence: Points,
    /// Match points of a team for a won match.
    pub match_win: Points,
    /// Match points of a team for a drawn match.
    pub match_draw: Points,
    /// Match points of a team for a lost match.
    pub match_loss: Points,
    /// Whether games of different pace are played until one of them decides: 12-0, 8-4, 7-5, or 6-6.
    pub is_micro_match: bool,
    /// Whether a game may have other points, such as 1½-½ for an advantage, although the scoring is a standard one.
    pub allows_plus_draws: bool,
}

impl Scoring {
    /// Scoring of draughts, 2-1-0, also for matches.
    pub const DRAUGHTS: Scoring = Scoring::win_draw(Points::whole(2), Points::whole(1));
    /// Scoring of chess, 1-½-0.
    pub const CHESS: Scoring = Scoring::win_draw(Points::whole(1), Points::hundredths(50));
    /// Scoring with three points for a win.
    pub const FOOTBALL: Scoring = Scoring::win_draw(Points::whole(3), Points::whole(1));
    /// Scoring of a micro-match, 12-0, 8-4, 7-5, 6-6.
    pub const MICRO_MATCH: Scoring =
        Scoring { is_micro_match: true, ..Scoring::win_draw(Points::whole(12), Points::whole(6)) };

    /// Creates a scoring with these points for a win and a draw, and none for a loss. A bye counts as a win.
    pub const fn win_draw(win: Points, draw: Points) -> Scoring {
        Scoring {
            win,
            draw,
            loss: Points::ZERO,
            bye: win,
            absence: Points::ZERO,
            match_win: Points::whole(2),
            match_draw: Points::whole(1),
            match_loss: Points::ZERO,
            is_micro_match: false,
            allows_plus_draws: false,
        }
    }

    /// Parses the input of an arbiter: `12-5-0` for a win, a draw and a loss, `delfts` or `micro-match`.
    ///
    /// # Errors
    ///
    /// Returns a message with the valid forms.
    pub fn parse(text: &str) -> Result<Scoring, String> {
        match text {
            "delfts" => return Ok(Scoring { allows_plus_draws: true, ..Scoring::DRAUGHTS }),
            "micro-match" => return Ok(Scoring::MICRO_MATCH),
            _ => {}
        }
        let points: Option<Vec<Points>> = text.split('-').map(Points::parse).collect();
        match points.as_deref() {
            Some(&[win, draw, loss]) if win > draw && draw >= loss => {
                Ok(Scoring { loss, ..Scoring::win_draw(win, draw) })
            }
            _ => Err(format!("`{text}` is no scoring: win-draw-loss such as 12-5-0, delfts, or micro-match")),
        }
    }

    /// Whether the points of games are equal in both.
    pub fn same_game_points(&self, other: &Scoring) -> bool {
        let of_games = |of: &Scoring| (of.win, of.draw, of.loss, of.is_micro_match, of.allows_plus_draws);
        of_games(self) == of_games(other)
    }

    /// Returns the points of an outcome, White first; `None` for an open game.
    pub fn points_of(&self, outcome: Outcome) -> Option<(Points, Points)> {
        match outcome {
            Outcome::WhiteWins => Some((self.win, self.loss)),
            Outcome::BlackWins => Some((self.loss, self.win)),
            Outcome::Draw => Some((self.draw, self.draw)),
            Outcome::BothLose => Some((self.loss, self.loss)),
            Outcome::Open => None,
        }
    }

    /// Returns the points of a micro-match decided by a game of this stage, winner first.
    pub fn of_stage(stage: MicroMatchStage) -> (Points, Points) {
        match stage {
            MicroMatchStage::Standard => (Points::whole(12), Points::ZERO),
            MicroMatchStage::Rapid => (Points::whole(8), Points::whole(4)),
            MicroMatchStage::Blitz => (Points::whole(7), Points::whole(5)),
        }
    }

    /// Whether a game may have these points.
    pub fn allows(&self, points: Points) -> bool {
        self.pairs().iter().any(|(white, black)| points == *white || points == *black)
    }

    /// Returns the possible points of a game between two players, the better side first.
    fn pairs(&self) -> Vec<(Points, Points)> {
        let mut pairs = vec![(self.win, self.loss), (self.draw, self.draw)];
        if self.is_micro_match {
            pairs.extend(MicroMatchStage::ALL.map(Scoring::of_stage));
        }
        pairs
    }

    /// Whether the scoring has its own rules: a game may have other points than those of a win, a draw and a loss.
    fn is_free(&self) -> bool {
        let row = |of: &Scoring| (of.win, of.draw, of.loss);
        let known = [Scoring::DRAUGHTS, Scoring::CHESS, Scoring::FOOTBALL];
        self.allows_plus_draws || !self.is_micro_match && !known.iter().any(|of| row(of) == row(self))
    }

    /// Checks that a game between two players may have this result.
    ///
    /// # Errors
    ///
    /// Returns a message with the valid results.
    pub fn check(&self, result: &OfficialResult) -> Result<(), String> {
        let OfficialResult { white, black, reason } = *result;
        let allowed = match reason {
            ResultReason::Forfeit => vec![(self.win, self.loss), (self.loss, self.loss)],
            ResultReason::WhitePlus | ResultReason::BlackPlus => vec![(self.draw, self.draw)],
            ResultReason::BothLost => vec![(self.loss, self.loss)],
            _ => self.pairs(),
        };
        let is_allowed = allowed.contains(&(white, black)) || allowed.contains(&(black, white));
        let is_right = match reason {
            ResultReason::WhitePlus | ResultReason::BlackPlus if self.allows_plus_draws => {
                return Err("a draw with an advantage is 1½-½ or ½-1½ here".to_owned());
            }
            ResultReason::Bye => return Err("a bye has no opponent, and this pairing has two players".to_owned()),
            ResultReason::Played | ResultReason::Unrated => self.is_free() || is_allowed,
            ResultReason::Arbiter | ResultReason::NotPlayed => {
                self.is_free() || self.allows(white) && self.allows(black)
            }
            ResultReason::Forfeit | ResultReason::WhitePlus | ResultReason::BlackPlus | ResultReason::BothLost => {
                is_allowed
            }
        };
        if is_right {
            return Ok(());
        }
        let allowed: Vec<String> = allowed.iter().map(|(one, other)| format!("{one}-{other}")).collect();
        let allowed = allowed.join(", ");
        let how = if reason == ResultReason::Played { String::new() } else { format!(" ({})", reason.name()) };
        Err(format!(
            "{white}-{black}{how} is no result here: there are {allowed}, and the other way round; by the arbiter's decision each side \
             has the points of a win, a draw or a loss; a new section has others where its first import says --scoring"
        ))
    }
}

impl Default for Scoring {
    fn default() -> Scoring {
        Scoring::DRAUGHTS
    }
}

/// Formats as `W=2 D=1 L=0 P=2 A=0 TW=2 TD=1 TL=0`, followed by `micro` or `advantages`.
impl fmt::Display for Scoring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Scoring { win, draw, loss, bye, absence, match_win, match_draw, match_loss, .. } = self;
        write!(f, "W={win} D={draw} L={loss} P={bye} A={absence} TW={match_win} TD={match_draw} TL={match_loss}")?;
        f.write_str(if self.is_micro_match { " micro" } else { "" })?;
        f.write_str(if self.allows_plus_draws { " advantages" } else { "" })
    }
}

impl FromStr for Scoring {
    type Err = String;

    fn from_str(text: &str) -> Result<Scoring, String> {
        let mut scoring = Scoring::DRAUGHTS;
        let mut bye = None;
        for word in text.split(' ') {
            let wrong = || format!("`{word}` is no part of a scoring such as W=2 D=1 L=0");
            let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let points = || value.and_then(Points::parse).ok_or_else(wrong);
            match name {
                "micro" if value.is_none() => scoring.is_micro_match = true,
                "advantages" if value.is_none() => scoring.allows_plus_draws = true,
                "W" => scoring.win = points()?,
                "D" => scoring.draw = points()?,
                "L" => scoring.loss = points()?,
                "P" => bye = Some(points()?),
                "A" => scoring.absence = points()?,
                "TW" => scoring.match_win = points()?,
                "TD" => scoring.match_draw = points()?,
                "TL" => scoring.match_loss = points()?,
                _ => return Err(wrong()),
            }
        }
        scoring.bye = bye.unwrap_or(scoring.win);
        // Tie-breaks divide by the points of a win.
        if scoring.win <= Points::ZERO { Err("a win must be worth something".to_owned()) } else { Ok(scoring) }
    }
}

/// A game of a micro-match, in the order of play.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MicroMatchStage {
    /// The long game.
    Standard,
    /// The rapid game, if the long one was drawn.
    Rapid,
    /// The blitz game, if the rapid one was drawn as well.
    Blitz,
}

super::named!(MicroMatchStage { Standard = "standard", Rapid = "rapid", Blitz = "blitz" });

/// Criterion that orders players with equal points.
///
/// # Examples
///
/// ```
/// use draughts_tournament::TieBreak;
/// assert_eq!("solkoff".parse(), Ok(TieBreak::Solkoff));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TieBreak {
    /// The sum of the opponents' points.
    Solkoff,
    /// Solkoff without the lowest opponent.
    ShortTruncated,
    /// Solkoff without the lowest opponent; if equal, without the two lowest, and so on.
    FullTruncated,
    /// Solkoff without the highest and the lowest opponent.
    Median,
    /// The sum of the opponents' Solkoffs.
    SolkoffPlus,
    /// The sum of the opponents' points, each weighted by the part won against that opponent.
    SonnebornBerger,
    /// Number of rounds with the points of a win.
    Wins,
    /// Number of games won on the board.
    WinsPlayed,
    /// Number of draws with an advantage, minus those with an advantage of the opponent.
    PlusDraws,
    /// Points from the games between players who are equal so far, if all of them have met.
    DirectEncounter,
}

super::named!(TieBreak, "tie-break" {
    Solkoff = "solkoff",
    ShortTruncated = "short-truncated-solkoff",
    FullTruncated = "full-truncated-solkoff",
    Median = "median-solkoff",
    SolkoffPlus = "solkoff-plus",
    SonnebornBerger = "sonneborn-berger",
    Wins = "wins",
    WinsPlayed = "wins-played",
    PlusDraws = "plus",
    DirectEncounter = "direct",
});

impl TieBreak {
    /// Returns the heading of the column, as players know it.
    pub fn heading(self) -> &'static str {
        match self {
            TieBreak::Solkoff => "Solk",
            TieBreak::ShortTruncated => "SSolk",
            TieBreak::FullTruncated => "FSolk",
            TieBreak::Median => "MSolk",
            TieBreak::SolkoffPlus => "Solk+",
            TieBreak::SonnebornBerger => "SB",
            TieBreak::Wins => "Win",
            TieBreak::WinsPlayed => "Won",
            TieBreak::PlusDraws => "Plus",
            TieBreak::DirectEncounter => "Dir",
        }
    }
}

/// Policy for rounds without a game in tie-breaks. The points of the round itself are those that the arbiter gave.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum UnplayedPolicy {
    /// An absent opponent counts with their points; a bye counts as 0.
    #[default]
    Fmjd,
    /// As `fmjd`, but an absent opponent counts as 0.
    FmjdPlayed,
    /// As `fmjd`, but a bye is not in the list: only real opponents are dropped.
    FmjdNoBye,
    /// FIDE 2024, C.07 article 16.
    Fide24,
    /// FIDE 2026: as FIDE 2024, with limits for the points of the absent opponent.
    Fide26,
    /// FIDE 2009 to 2023: a virtual opponent.
    Virtual,
    /// As FIDE 2024, with opponents' points as they are.
    Simple,
}

super::named!(UnplayedPolicy, "way to count unplayed games" {
    Fmjd = "fmjd",
    FmjdPlayed = "fmjd-played",
    FmjdNoBye = "fmjd-nabye",
    Fide24 = "fide24",
    Fide26 = "fide26",
    Virtual = "virtual",
    Simple = "simple",
});

super::serde_as_text!(Scoring, TieBreak, UnplayedPolicy);
