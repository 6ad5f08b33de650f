//! Events: all possible changes of a tournament, in the form of its record. A tournament is the sum of its events.

use serde::{Deserialize, Serialize};

use crate::value::rounds::key_text;
use crate::{
    Adjustment, Bye, Deferral, EventInfo, FeaturedChoice, Id, Match, MicroMatchStage, OfficialResult, Pairing,
    PairingKey, Part, Player, RoundState, SectionRules, Team,
};

/// One change of a tournament.
///
/// # Examples
///
/// ```
/// use draughts_tournament::{Event, Id, SectionRules, Tournament};
///
/// let mut tournament = Tournament::default();
/// let event = Event::SectionRuled(SectionRules { id: Id(1), name: "Open".to_owned(), ..SectionRules::default() });
/// assert_eq!(tournament.apply(&event), Ok(true));
/// assert_eq!(tournament.apply(&event), Ok(false), "the second time it changes nothing");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// Facts about the competition: name, place, dates.
    EventDescribed(EventInfo),
    /// A new section, or new rules of a known one.
    SectionRuled(SectionRules),
    /// A new team, or new facts about a known one.
    TeamEntered {
        /// Section of the team.
        section: Id,
        /// The team.
        team: Team,
    },
    /// A new player, or new facts about a known one.
    PlayerEntered {
        /// Section of the player.
        section: Id,
        /// The player.
        player: Player,
    },
    /// A match of two teams in a round.
    MatchDrawn {
        /// Section of the match.
        section: Id,
        /// The match.
        team_match: Match,
    },
    /// A new pairing, or new players or a new number of a known one. Never carries a result, a station board or a deferral.
    PairingDrawn {
        /// Section of the pairing.
        section: Id,
        /// The pairing.
        pairing: Pairing,
    },
    /// A new bye, or a new kind of a known one.
    ByeGiven {
        /// Section of the bye.
        section: Id,
        /// The bye.
        bye: Bye,
    },
    /// Points that no game gave: a bonus or a penalty.
    PointsAdjusted {
        /// Section of the player or team.
        section: Id,
        /// The adjustment.
        adjustment: Adjustment,
    },
    /// A pairing that is cancelled.
    PairingDropped {
        /// The pairing.
        pairing: Id,
    },
    /// A bye that is cancelled.
    ByeDropped {
        /// The bye.
        bye: Id,
    },
    /// A round becomes prepared, published, open or closed.
    RoundSet {
        /// Section of the round.
        section: Id,
        /// Number of the round, from 1.
        round: u32,
        /// The new state.
        state: RoundState,
    },
    /// The board of the station for a pairing; `None` for no board of the station.
    BoardAssigned {
        /// The pairing.
        pairing: Id,
        /// Name of the board.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        board: Option<String>,
    },
    /// An official result. A pairing with a result is not deferred and needs no other board.
    ResultGiven {
        /// The pairing.
        pairing: Id,
        /// Game of a micro-match; `None` for the pairing as a whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stage: Option<MicroMatchStage>,
        /// The result, White first.
        result: OfficialResult,
    },
    /// A result that is withdrawn.
    ResultTakenBack {
        /// The pairing.
        pairing: Id,
        /// Game of a micro-match; `None` for the pairing with all its games.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stage: Option<MicroMatchStage>,
    },
    /// A new name that an arbiter gives a player.
    PlayerRenamed {
        /// The player.
        player: Id,
        /// The new name.
        name: String,
    },
    /// A player who replaces another one in a pairing.
    PlayerSubstituted {
        /// The pairing.
        pairing: Id,
        /// Replaced player.
        player: Id,
        /// Substitute.
        substitute: Id,
    },
    /// A pairing that is postponed or adjourned; `None` for one that is played with its round.
    PairingDeferred {
        /// The pairing.
        pairing: Id,
        /// Kind of the deferral.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deferral: Option<Deferral>,
    },
    /// A pairing that is played on another board than that of its round; `None` for the one of its round.
    PairingMoved {
        /// The pairing.
        pairing: Id,
        /// Name of the board.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        board: Option<String>,
        /// Lowest number of its next game on that board; `None` if any game may be it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<u32>,
    },
    /// Assignment of a recorded game to another pairing than its line had; `None` for the pairing that its line had.
    GameAssigned {
        /// Board of the game.
        board: String,
        /// Number of the game on its board.
        game: u32,
        /// The pairing, as `17` or `17.rapid`; `none` for no pairing at all.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "key_text")]
        pairing: Option<PairingKey>,
    },
    /// A correction of a recorded game: a tag, or added moves.
    GameCorrected {
        /// Board of the game.
        board: String,
        /// Number of the game on its board.
        game: u32,
        /// Name of the tag, or [`MOVES`](crate::MOVES).
        tag: String,
        /// Recorded value; empty if there is none.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        original: String,
        /// Corrected value; empty if the tag is left out.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        value: String,
    },
    /// Choice of the featured board.
    Featured(FeaturedChoice),
    /// A part that gets the value it had before an action that is undone.
    Restored(Part),
}

/// A line of the record of a tournament: the events of one request.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentRecord {
    /// Version of the tournament with this record: the number of the record, from 1.
    pub version: u64,
    /// Time as RFC 3339, `2027-07-10T09:30:00.000+02:00`.
    pub at: String,
    /// Name of the requester.
    pub by: String,
    /// Idempotency key: a request with a known key is not executed again.
    pub request_id: String,
    /// Checksum of the command, which distinguishes a retry from another command with the same key; empty without a command.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command_crc: String,
    /// Text of the command, `import swiss.trf`.
    pub action: String,
    /// Reason given by the requester.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Version of the record that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// Events in their order.
    pub events: Vec<Event>,
}
