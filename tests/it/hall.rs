//! A station that records one board, `a`, with the requests and waits that tests need.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::control::run_ctl;
use crate::daemon::{SPEED, Station, StationFolder, moves, recording};
use crate::program::{Run, run};
use crate::pty::{Board, Pty, wait_until};

/// A running station with its board.
pub struct Hall {
    pub place: StationFolder,
    pub pty: Pty,
    pub board: Board,
    pub station: Station,
}

impl Hall {
    /// Starts a station with these additional lines of configuration.
    pub fn start(more: &str) -> Hall {
        let place = StationFolder::new(&["a"]);
        place.configure(&["a"], SPEED, more);
        Hall::start_in(place)
    }

    /// Starts the station of a folder.
    pub fn start_in(place: StationFolder) -> Hall {
        let mut pty = Pty::plug_in(&place.path("a"));
        let board = Board::new(&recording(), SPEED);
        let station = place.start();
        pty.wait_for_the_station();
        Hall { place, pty, board, station }
    }

    /// Starts the stopped station again, and waits until it records.
    pub fn start_again(&mut self) {
        self.station = self.place.start();
        self.pty.wait_for_the_station();
        self.station.wait_for(": recording line=");
    }

    #[track_caller]
    pub fn stop(&mut self) {
        assert!(self.station.signal(Signal::TERM).success());
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.place.path("recordings").join(name)
    }

    /// Returns a file of the recordings; empty if it does not exist.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_default()
    }

    pub fn public(&self, name: &str) -> String {
        self.place.public(name)
    }

    /// Returns the live file of a game.
    pub fn live(&self, game: u32) -> String {
        self.place.live(&format!("a-{game}.pdn"))
    }

    /// Plays until the first game has this many plies.
    #[track_caller]
    pub fn play(&mut self, plies: usize) {
        self.play_game(1, plies);
    }

    /// Plays until a game has this many plies.
    #[track_caller]
    pub fn play_game(&mut self, game: u32, plies: usize) {
        let (place, name) = (&self.place, format!("a-{game}.pdn"));
        self.board.play(&mut self.pty, 900_000, || moves(&place.live(&name)).len() >= plies);
        assert!(moves(&self.live(game)).len() >= plies, "{}", self.station.output());
    }

    /// Waits for a condition while the board answers.
    #[track_caller]
    pub fn wait(&mut self, condition: &str, mut is_so: impl FnMut(&Hall) -> bool) {
        let output = self.station.output();
        wait_until(&format!("{condition}: {output}"), || {
            self.board.answer(&mut self.pty);
            is_so(self)
        });
    }

    /// Waits until a public file contains these words.
    #[track_caller]
    pub fn wait_for_public(&mut self, name: &str, words: &str) {
        // Comments may be wrapped.
        self.wait(&format!("{words} in {name}"), |hall| hall.public(name).replace('\n', " ").contains(words));
    }

    /// Runs `damcast ctl` against the station.
    pub fn ctl(&self, arguments: &[&str]) -> Run {
        run_ctl(&self.place, &[&["ctl"], arguments].concat())
    }

    /// Runs `damcast ctl`, which must succeed; returns its output.
    #[track_caller]
    pub fn done(&self, arguments: &[&str]) -> String {
        self.ctl(arguments).done()
    }

    /// Enters the result of the running game, and waits until the archive shows it.
    #[track_caller]
    pub fn end_game(&mut self, game: u32, result: &str) {
        self.done(&["result", "a", result, "--confirm"]);
        self.wait_for_public(&format!("archive/a-{game}.pdn"), &format!("[Result \"{result}\"]"));
    }

    /// Stops the station; the check of its folder finds nothing.
    #[track_caller]
    pub fn ends_clean(mut self) -> StationFolder {
        self.stop();
        self.place.assert_clean();
        self.place
    }
}

/// Asserts that `damcast fsck` finds nothing in a folder of recordings.
#[track_caller]
pub fn assert_clean(recordings: &Path, case: &str) {
    let check = run(&["fsck", recordings.to_str().unwrap()]);
    assert!(check.code == 0 && check.out.trim_end().ends_with(": clean"), "{case}: {}{}", check.out, check.err);
}

/// Harms to a file that a station writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harm {
    Removed,
    Replaced,
    Cut,
    Emptied,
}

impl Harm {
    pub const ALL: [Harm; 4] = [Harm::Removed, Harm::Replaced, Harm::Cut, Harm::Emptied];

    pub fn apply(self, path: &Path) {
        match self {
            Harm::Removed => fs::remove_file(path).unwrap(),
            Harm::Replaced => {
                let other = path.with_file_name("other");
                fs::write(&other, "something else\n").unwrap();
                fs::rename(other, path).unwrap();
            }
            Harm::Cut => {
                let length = fs::metadata(path).unwrap().len();
                fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length / 2).unwrap();
            }
            Harm::Emptied => drop(fs::File::create(path).unwrap()),
        }
    }
}

impl StationFolder {
    /// Returns the folder of the recordings, as an argument.
    pub fn directory(&self) -> String {
        self.path("recordings").display().to_string()
    }

    /// Returns a public file; empty if it does not exist.
    pub fn public(&self, name: &str) -> String {
        fs::read_to_string(self.path("recordings/public").join(name)).unwrap_or_default()
    }

    /// Runs `damcast fsck` on the recordings.
    pub fn fsck(&self) -> Run {
        run(&["fsck", &self.directory()])
    }

    /// Asserts that `damcast fsck` finds nothing.
    #[track_caller]
    pub fn assert_clean(&self) {
        assert_clean(&self.path("recordings"), "");
    }

    /// Deletes the public files and has `damcast rebuild` make them anew.
    #[track_caller]
    pub fn rebuild_public(&self) {
        fs::remove_dir_all(self.path("recordings/public")).unwrap();
        run(&["rebuild", &self.directory()]).done();
    }
}
