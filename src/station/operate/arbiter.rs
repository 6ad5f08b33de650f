//! The tournament office of a station that runs: a thread of its own, so that no line, request or reader waits for its disk.
//!
//! ```text
//!   lines ── games begin, grow, end ──┐                    ┌─▸ log/tournament.ndjson ─▸ outlets
//!   arbiter ── requests ──────────────┼─▸ office ─▸ record ┤
//!   rows ── boards, serial numbers ───┘                    └─▸ `pairing` to the lines: what their next game is
//! ```
//!
//! What a board is to play follows from the record, always: after a start, a crash or a swapped cable the office compares and says it
//! again. A line keeps what it was told in its log, so a game has its pairing without the office.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tracing::{error, info, warn};

use super::overview::{self, AwaitedView, OfficeView, PairingView};
use crate::engine::broadcast::documents;
use crate::engine::session::request::{Pairing, Wish};
use crate::engine::session::{BusAddress, Condition};
use crate::engine::tournament::{
    PairingKey, RecordedGame, RoundState, Seat, Tournament, TournamentRecord, TournamentSection, pairing_word,
    read_pairing_word,
};
use crate::station::config::{Config, TournamentConfig};
use crate::station::disk::Disk;
use crate::station::feed;
use crate::station::journal::witness::Witnesses;
use crate::station::line::{Answer, Asked, LineReport, Uptime};
use crate::station::office::{Asker, Done, Matter, Office, OfficeBoard, TournamentRequest};
use crate::station::outlets::{self, GameNews, Teller};

/// The office looks after boards at least so often.
const TICK: Duration = Duration::from_millis(500);
/// A board that could not be told its pairing is told again after this.
const AGAIN: Duration = Duration::from_secs(2);
/// How long a line has to take what it plays.
const LINE_TIME: Duration = Duration::from_secs(5);

/// What is asked of the office.
#[derive(Debug)]
pub enum OfficeQuestion {
    /// A request of an arbiter.
    Request(TournamentRequest),
    /// Is this result for a game that goes on at the board? Then the line ends it.
    Result {
        /// The board.
        board: String,
        /// The result.
        result: String,
        /// It is meant so, whatever the board shows.
        sure: bool,
        /// Why.
        reason: String,
        /// Only what would come of it is asked.
        dry_run: bool,
    },
    /// The last game of the board goes on: it has no result any more.
    Continued {
        /// The board.
        board: String,
        /// Only what would come of it is asked.
        dry_run: bool,
    },
    /// Are these names for a game that has begun?
    Names {
        /// The board.
        board: String,
        /// Who has White.
        white: String,
        /// Who has Black.
        black: String,
        /// Only what would come of it is asked.
        dry_run: bool,
    },
    /// What is known of the tournament, and what was done to it?
    Show,
}

/// What the office answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum OfficeAnswer {
    /// It was done.
    Done {
        /// What there is to say.
        told: Vec<String>,
        /// The version of the tournament then.
        version: u64,
    },
    /// It was not done, and why.
    Refused(String),
    /// It is for the line.
    OfLine,
    /// The tournament.
    Shown(Box<ShownTournament>),
}

/// A tournament as programs read it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ShownTournament {
    /// Its version.
    pub version: u64,
    /// As `tournament.json` of an outlet would show it, with rounds that are not published: an object of JSON as text.
    pub tournament: String,
    /// As `standings.json` would, likewise.
    pub standings: String,
    /// Its rounds, also those that nobody else sees yet.
    #[serde(default)]
    pub rounds: Vec<ShownRound>,
    /// What was done last, the newest last.
    pub history: Vec<TournamentDeed>,
}

/// A round, as its arbiter sees it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ShownRound {
    /// Of which section.
    pub section: String,
    /// Its number.
    pub round: u32,
    /// `prepared`, `published`, `open` or `closed`.
    pub state: String,
}

/// Something that was done to a tournament.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TournamentDeed {
    /// The version that it made.
    pub version: u64,
    /// When, as `2027-07-10T09:30:00.000+02:00`.
    pub at: String,
    /// Who.
    pub by: String,
    /// What.
    pub what: String,
    /// Why; empty: nobody said.
    pub reason: String,
}

/// So much of the history is shown.
const SHOWN_HISTORY: usize = 200;

enum Message {
    News(GameNews),
    Ask { question: OfficeQuestion, by: String, answer: oneshot::Sender<OfficeAnswer> },
    Configured(Vec<String>, TournamentConfig, Option<usize>),
}

/// Where the office is asked.
#[derive(Clone)]
pub struct OfficeDoor(mpsc::Sender<Message>);

impl OfficeDoor {
    /// Asks it. The answer comes when it is done.
    pub fn ask(&self, question: OfficeQuestion, by: String) -> oneshot::Receiver<OfficeAnswer> {
        let (answer, receiver) = oneshot::channel();
        // An office that has ended answers nobody.
        let _ = self.0.send(Message::Ask { question, by, answer });
        receiver
    }

    /// The configuration was read again.
    pub fn configured(&self, config: &Config) {
        let _ = self.0.send(Message::Configured(lines(config), config.tournament.clone(), most_games(config)));
    }

    /// What it hears of games.
    pub fn listener(&self) -> Arc<dyn Fn(GameNews) + Send + Sync> {
        let sender = self.0.clone();
        Arc::new(move |news| drop(sender.send(Message::News(news))))
    }
}

fn lines(config: &Config) -> Vec<String> {
    config.lines.iter().map(|line| line.name.clone()).collect()
}

/// How many games of a file the readers of every outlet take.
fn most_games(config: &Config) -> Option<usize> {
    config.outlets.iter().filter_map(|outlet| outlet.profile.most_games()).min()
}

/// Hands the wish of an office to the line of a board.
pub type TellLine = Box<dyn Fn(String, Wish, Asked, oneshot::Sender<Answer>) -> bool + Send>;

/// Where an office takes what it needs.
pub struct OfficeSurroundings {
    /// The disk.
    pub disk: Arc<dyn Disk>,
    /// Witnesses of the station's files.
    pub witnesses: Witnesses,
    /// The boards.
    pub rows: watch::Receiver<Vec<LineReport>>,
    /// Tells a line what one of its boards plays. False: it has too much to do.
    pub tell_line: TellLine,
    /// Where `status` looks.
    pub shown: watch::Sender<OfficeView>,
}

/// A door, and what stands behind it once it is opened.
pub fn door() -> (OfficeDoor, OfficeInbox) {
    let (sender, receiver) = mpsc::channel();
    (OfficeDoor(sender), OfficeInbox(receiver))
}

/// What comes through a door.
pub struct OfficeInbox(mpsc::Receiver<Message>);

/// Opens the office of a station. It ends when nobody can ask it any more.
pub fn begin(config: &Config, inbox: OfficeInbox, teller: Teller, around: OfficeSurroundings) -> JoinHandle<()> {
    let folder = config.directory.join("log");
    let lines = lines(config);
    let (config, most_games) = (config.tournament.clone(), most_games(config));
    tokio::task::spawn_blocking(move || match open(&around, &folder) {
        Ok(mut office) => {
            office.configure(config.boards.clone(), most_games);
            if let Some(damage) = office.log().damage() {
                error!("the record of the tournament is damaged: {damage}; what stands before that counts");
            }
            let mut work = Work {
                office,
                folder,
                lines,
                teller,
                around,
                names: BTreeMap::new(),
                askers: BTreeMap::new(),
                plays: BTreeMap::new(),
                told: BTreeMap::new(),
                asked: BTreeMap::new(),
                opens_when_set_up: config.opens_when_set_up,
                ready: BTreeSet::new(),
                offers: BTreeMap::new(),
                knows_old_games: false,
            };
            work.run(&inbox.0);
        }
        Err(why) => {
            error!("the record of the tournament cannot be read, and nothing of it can be changed: {why}");
            // Results for games that go on are for their lines.
            while let Ok(message) = inbox.0.recv() {
                if let Message::Ask { question, answer, .. } = message {
                    let _ = answer.send(match question {
                        OfficeQuestion::Request(_) | OfficeQuestion::Show => {
                            OfficeAnswer::Refused(format!("log/tournament.ndjson: {why}"))
                        }
                        _ => OfficeAnswer::OfLine,
                    });
                }
            }
        }
    })
}

fn open(around: &OfficeSurroundings, folder: &Path) -> io::Result<Office> {
    Office::open_witnessed(Arc::clone(&around.disk), folder, around.witnesses.clone())
}

struct Work {
    office: Office,
    folder: PathBuf,
    lines: Vec<String>,
    teller: Teller,
    around: OfficeSurroundings,
    /// What the names of the files of a board begin with.
    names: BTreeMap<(String, Option<BusAddress>), String>,
    /// Who has last asked for a result of a board's game that goes on.
    askers: BTreeMap<String, Asker>,
    /// What each board is to play, as its line says, once it has been opened.
    plays: BTreeMap<String, Option<Arc<Pairing>>>,
    /// What its line was told since the start, and may not say yet.
    told: BTreeMap<String, Option<Pairing>>,
    /// What it is being told, since when, and where it answers.
    asked: BTreeMap<String, (Option<Pairing>, Instant, oneshot::Receiver<Answer>)>,
    /// Rounds open by themselves.
    opens_when_set_up: bool,
    /// The boards that show the start position.
    ready: BTreeSet<String>,
    /// The results that boards show while their games go on.
    offers: BTreeMap<String, String>,
    /// Games of earlier chains of logs are in the office.
    knows_old_games: bool,
}

impl Work {
    fn run(&mut self, inbox: &mpsc::Receiver<Message>) {
        let mut is_due = true;
        loop {
            match inbox.recv_timeout(TICK) {
                Ok(Message::News(news)) => is_due |= self.hear(news),
                Ok(Message::Configured(lines, config, most_games)) => {
                    // A line that is new may have logs of earlier games.
                    self.knows_old_games &= lines == self.lines;
                    self.lines = lines;
                    self.opens_when_set_up = config.opens_when_set_up;
                    self.office.configure(config.boards, most_games);
                    is_due = true;
                }
                Ok(Message::Ask { question, by, answer }) => {
                    self.look_at_boards();
                    let reply = self.answer(question, &by);
                    self.show();
                    let _ = answer.send(reply);
                    is_due = true;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            is_due |= self.look_at_boards() | self.open_what_is_set_up();
            if std::mem::take(&mut is_due) {
                self.catch_up();
                self.show();
            }
            self.tell_boards();
        }
    }

    /// Returns whether something may follow from it.
    fn hear(&mut self, news: GameNews) -> bool {
        let names = &self.names;
        self.office.hear(news, |line, address| named(names, line, address))
    }

    /// Returns whether there are other boards now, or another result is shown.
    fn look_at_boards(&mut self) -> bool {
        let rows = self.around.rows.borrow().clone();
        let views = overview::boards(&rows, overview::now());
        let is_ready = |view: &&overview::BoardView| view.state == Condition::Ready.word();
        self.ready = views.iter().filter(is_ready).map(|view| view.name.clone()).collect();
        let offers = views.iter().filter_map(|view| Some((view.name.clone(), view.offers.clone()?))).collect();
        let shows_another = std::mem::replace(&mut self.offers, offers) != self.offers;
        let opened: BTreeSet<&str> = rows.iter().filter(|row| row.is_opened).map(|row| row.name.as_str()).collect();
        let said = views.iter().filter(|view| opened.contains(view.line.as_str()));
        self.plays = said.map(|view| (view.name.clone(), view.plays.clone())).collect();
        let address = |view: &overview::BoardView| view.address.and_then(BusAddress::new);
        self.names = views.iter().map(|view| ((view.line.clone(), address(view)), view.name.clone())).collect();
        let boards = views.into_iter().map(|view| OfficeBoard {
            name: view.name,
            serial: view.serial,
            is_connected: view.state != Condition::NoConnection.word(),
        });
        self.office.set_boards(boards.collect()) | shows_another
    }

    /// Opens the next round once all its boards are set up for it. Returns whether there was one.
    fn open_what_is_set_up(&mut self) -> bool {
        if !self.opens_when_set_up || self.office.log().records().is_empty() {
            return false;
        }
        let next = self.office.next_rounds();
        let set_up = next
            .into_iter()
            .find(|(_, _, boards)| !boards.is_empty() && boards.iter().all(|board| self.ready.contains(board)));
        let Some((section, round, _)) = set_up else { return false };
        let matter = Matter::Round { round, to: RoundState::Open.name().to_owned(), section: Some(section) };
        let answer = self.answer(OfficeQuestion::Request(matter.into()), "the boards, which are set up");
        if let OfficeAnswer::Refused(why) = &answer {
            warn!("round {round} is not opened: {why}");
        }
        true
    }

    /// Games of logs that no line has opened now, once there is a tournament that they may belong to.
    fn learn_old_games(&mut self) {
        if std::mem::replace(&mut self.knows_old_games, true) {
            return;
        }
        for line in &self.lines {
            let names = &self.names;
            let name = |address| named(names, line, address);
            let (office, mut is_known) = (&mut self.office, BTreeMap::new());
            let read = outlets::what_logs_say(&self.folder, line, |game| {
                let board = name(game.board);
                is_known.insert((board.clone(), game.number()), outlets::recorded_game(board, &game));
            });
            if let Err(why) = read {
                warn!(line, "the games of earlier logs cannot be read: {why}");
            }
            is_known.into_values().for_each(|game| office.add_game(game));
        }
    }

    fn answer(&mut self, question: OfficeQuestion, by: &str) -> OfficeAnswer {
        let request = match question {
            OfficeQuestion::Result { board, reason, dry_run, .. } if self.office.is_playing(&board) => {
                if !dry_run {
                    self.askers.insert(board, Asker { by: by.to_owned(), reason });
                }
                return OfficeAnswer::OfLine;
            }
            OfficeQuestion::Result { board, result, sure, reason, dry_run } => {
                if !self.office.knows(&board) {
                    return OfficeAnswer::OfLine;
                }
                TournamentRequest { sure, reason, dry_run, ..Matter::result_of(board, result).into() }
            }
            OfficeQuestion::Continued { board, dry_run } => {
                self.learn_old_games();
                let Some(game) = self.office.last_game(&board).map(|game| game.number) else {
                    return OfficeAnswer::OfLine;
                };
                if !self.office.has_result(&board) {
                    return OfficeAnswer::OfLine;
                }
                let (board, game, result) = (Some(board), Some(game), "*".to_owned());
                let matter =
                    Matter::Result { board, game, pairing: None, section: None, result, why: None, correct: true };
                TournamentRequest { sure: true, reason: "the game goes on".to_owned(), dry_run, ..matter.into() }
            }
            OfficeQuestion::Names { board, .. } if !self.office.is_playing(&board) => {
                return self.office.has_names_of_its_own(&board).map_or(OfficeAnswer::OfLine, OfficeAnswer::Refused);
            }
            OfficeQuestion::Names { board, white, black, dry_run } => {
                TournamentRequest { dry_run, ..Matter::Names { board, game: None, white, black }.into() }
            }
            OfficeQuestion::Request(request) => request,
            OfficeQuestion::Show => return self.shown(),
        };
        self.learn_old_games();
        let dry = if request.dry_run { ", a dry run" } else { "" };
        info!("request of {by}: {}{dry}", request.matter.in_words());
        match self.office.carry_out(&request, by) {
            Ok(done) => {
                let mut told = done.notes.clone();
                told.extend(done.told.iter().cloned());
                self.publish(done);
                OfficeAnswer::Done { told, version: self.office.log().book().version() }
            }
            Err(refusal) => {
                let why = refusal.to_string();
                info!("refused: {}", why.lines().next().unwrap_or_default());
                OfficeAnswer::Refused(why)
            }
        }
    }

    fn shown(&self) -> OfficeAnswer {
        let tournament = match self.office.tournament() {
            Ok(tournament) => tournament,
            Err(why) => return OfficeAnswer::Refused(why),
        };
        let log = self.office.log();
        let deed = |record: &TournamentRecord| TournamentDeed {
            version: record.version,
            at: record.at.clone(),
            by: record.by.clone(),
            what: record.what.clone(),
            reason: record.reason.clone(),
        };
        let rounds = |section: &TournamentSection| {
            let of = |round| ShownRound {
                section: section.name.clone(),
                round,
                state: section.state_of(round).name().to_owned(),
            };
            (1..=section.last_round()).map(of).collect::<Vec<_>>()
        };
        let left_out = log.records().len().saturating_sub(SHOWN_HISTORY);
        OfficeAnswer::Shown(Box::new(ShownTournament {
            version: log.book().version(),
            tournament: documents::tournament_document(&tournament),
            standings: documents::standings_document(&tournament),
            rounds: tournament.sections.iter().flat_map(rounds).collect(),
            history: log.records()[left_out..].iter().map(deed).collect(),
        }))
    }

    fn publish(&mut self, done: Done) {
        if let Some(record) = done.record {
            self.teller.recorded(record);
        }
    }

    fn catch_up(&mut self) {
        if self.office.log().records().is_empty() {
            return;
        }
        self.learn_old_games();
        match self.office.catch_up(&self.askers) {
            Ok(done) => {
                done.told.iter().for_each(|told| info!("{told}"));
                self.publish(done);
            }
            Err(why) => warn!("the tournament lacks what the boards have shown: {why}"),
        }
    }

    /// Tells each board what it plays, where that is something else than what it was told.
    fn tell_boards(&mut self) {
        for (board, (pairing, since, mut answer)) in std::mem::take(&mut self.asked) {
            match answer.try_recv() {
                Ok(Answer { refused: None, .. }) => drop(self.told.insert(board, pairing)),
                Ok(Answer { refused: Some(why), .. }) => {
                    warn!("{board} was not told its pairing: {why}; it is tried again")
                }
                Err(oneshot::error::TryRecvError::Empty) if since.elapsed() < LINE_TIME + AGAIN => {
                    self.asked.insert(board, (pairing, since, answer));
                }
                Err(_) => {}
            }
        }
        let Ok(tournament) = self.office.tournament() else { return };
        let due = due(&tournament, self.plays.keys().map(|board| (board.as_str(), self.known(board))));
        for (board, pairing) in due {
            if !self.plays.contains_key(&board) || self.asked.contains_key(&board) {
                continue;
            }
            let (answer, receiver) = oneshot::channel();
            let asked = Asked {
                by: "the tournament".to_owned(),
                until: Uptime::after(LINE_TIME),
                is_sure: false,
                is_trial: false,
            };
            let wish = Wish::Pairing(pairing.clone());
            if (self.around.tell_line)(board.clone(), wish, asked, answer) {
                self.asked.insert(board, (pairing, Instant::now(), receiver));
            }
        }
    }

    /// What the games of a board play that begin from now on.
    fn known(&self, board: &str) -> Option<&Pairing> {
        let says = || self.plays.get(board).and_then(Option::as_deref);
        self.told.get(board).map_or_else(says, Option::as_ref)
    }

    /// What `status` shows.
    fn show(&mut self) {
        let Ok(tournament) = self.office.tournament() else { return };
        let seats = tournament.seats();
        let pairing = |seat: &Seat| {
            let key = self.office.pairing_at(&tournament, &seats, seat)?;
            Some((seat.board.clone(), self.view(&tournament, key)?))
        };
        let shown = OfficeView {
            pairings: seats.iter().filter_map(pairing).collect(),
            awaited: self.awaited(&tournament, &seats),
            begun_before: self.begun_before(&tournament, &seats),
            players: self.players(&tournament),
        };
        self.around.shown.send_if_modified(|known| {
            let is_new = *known != shown;
            *known = shown;
            is_new
        });
    }

    fn view(&self, tournament: &Tournament, key: PairingKey) -> Option<PairingView> {
        let (section, pairing) = tournament.pairing(key.0)?;
        let game = self.office.last_game_of(tournament, key);
        let over = game.filter(|game| game.is_over);
        let offered = game.filter(|game| !game.is_over).and_then(|game| self.offers.get(&game.board));
        let is_current = section.open_round() == Some(pairing.round) || !pairing.elsewhere.is_empty();
        // Of a round that is over a game without electronics waits, too.
        let is_unseen = game.is_none() && !is_current;
        Some(PairingView {
            section: section.name.clone(),
            round: pairing.round,
            table: pairing.board,
            white: section.name_of(pairing.white).to_owned(),
            black: section.name_of(pairing.black).to_owned(),
            result: tournament.result_tag(key, None),
            waits_for_result: pairing.result.is_none() && (is_unseen || over.is_some() || offered.is_some()),
            proposed: over.and_then(|game| game.result.clone()).or(offered.cloned()),
        })
    }

    /// The pairings that wait for a result, by sections and rounds.
    fn awaited(&self, tournament: &Tournament, seats: &[Seat]) -> Vec<AwaitedView> {
        let mut awaited = Vec::new();
        for section in &tournament.sections {
            let begun =
                section.rounds.iter().filter(|round| matches!(round.state, RoundState::Open | RoundState::Closed));
            let mut rounds: Vec<u32> = begun.map(|round| round.number).collect();
            rounds.sort_unstable();
            let pairings = rounds.into_iter().flat_map(|round| section.round(round));
            for pairing in pairings.filter(|pairing| pairing.is_awaited()) {
                let seat = seats.iter().find(|seat| seat.pairing.0 == pairing.id);
                let key = (pairing.id, pairing.stage_to_play());
                let view = self.view(tournament, key).filter(|view| view.waits_for_result);
                // Where another game was begun since, the board means that.
                let game = self.office.last_game_of(tournament, key);
                let is_last = |game: &RecordedGame| self.office.last_game_at(&game.board) == Some(game);
                let board = seat.and_then(|seat| match game {
                    Some(game) => is_last(game).then(|| game.board.clone()),
                    None => Some(seat.board.clone()),
                });
                awaited.extend(view.map(|pairing| AwaitedView { board, pairing }));
            }
        }
        awaited
    }

    /// The pairings on whose boards a game goes on that is one of no pairing.
    fn begun_before(&self, tournament: &Tournament, seats: &[Seat]) -> Vec<AwaitedView> {
        let early = seats.iter().filter(|seat| self.office.begun_before(tournament, seat).is_some());
        let view = |seat: &Seat| {
            let pairing = self.view(tournament, seat.pairing)?;
            Some(AwaitedView { board: Some(seat.board.clone()), pairing })
        };
        early.filter_map(view).collect()
    }

    /// Who plays the games that go on and whose names were corrected.
    fn players(&self, tournament: &Tournament) -> BTreeMap<String, (u32, [Option<String>; 2])> {
        let going = tournament.games.iter().filter(|game| self.office.goes_on(&game.board, game.number));
        let names = going.map(|game| {
            let name = |tag: &str| game.tags.get(tag).map(|tag| tag.is.clone()).filter(|name| !name.is_empty());
            (game.board.clone(), (game.number, ["White", "Black"].map(name)))
        });
        names.collect()
    }
}

fn named(names: &BTreeMap<(String, Option<BusAddress>), String>, line: &str, address: Option<BusAddress>) -> String {
    let known = names.get(&(line.to_owned(), address)).cloned();
    known.unwrap_or_else(|| feed::prefix(line, address, None))
}

/// What boards are to be told: what each of an open round is to play, where it knows another. `known`: what the next game of each board
/// of the station is. One whose pairing has its result plays nothing of the tournament, and so does one whose round was closed.
pub fn due<'b>(
    tournament: &Tournament,
    known: impl Iterator<Item = (&'b str, Option<&'b Pairing>)>,
) -> BTreeMap<String, Option<Pairing>> {
    let seat = |seat: Seat| {
        let is_over = tournament.pairing(seat.pairing.0).is_some_and(|(_, pairing)| pairing.result.is_some());
        let pairing = Pairing { id: pairing_word(seat.pairing), tags: seat.tags };
        (seat.board, (!is_over).then_some(pairing))
    };
    let mut due: BTreeMap<String, Option<Pairing>> = tournament.seats().into_iter().map(seat).collect();
    for (board, known) in known {
        let key = known.and_then(|pairing| read_pairing_word(&pairing.id));
        if key.is_some_and(|key| tournament.pairing(key.0).is_some()) {
            due.entry(board.to_owned()).or_default();
        }
        if due.get(board).is_some_and(|pairing| pairing.as_ref() == known) {
            due.remove(board);
        }
    }
    due
}
