//! Chess games read and played by pgn-reader and shakmaty.

/// Returns games with about this number of plies, and the exact number; `None` without the libraries.
#[cfg(not(feature = "chess"))]
pub fn games(_: u64) -> Option<(Vec<u8>, u64)> {
    None
}

#[cfg(not(feature = "chess"))]
pub fn play(_: &[u8]) -> u64 {
    0
}

#[cfg(feature = "chess")]
pub use with_libraries::{games, play};

#[cfg(feature = "chess")]
mod with_libraries {
    use std::ops::ControlFlow;

    use pgn_reader::{Reader, SanPlus, Visitor};
    use shakmaty::{Chess, Position};

    /// Real games, as many as give about this number of plies: those that pgn-reader brings for its own bench, which `PEERS_CHESS` names.
    pub fn games(plies: u64) -> Option<(Vec<u8>, u64)> {
        let path = std::env::var_os("PEERS_CHESS")?;
        let mut once = std::fs::read(path).expect("PEERS_CHESS names a file of chess games");
        // The file may end within a game.
        let end = once.windows(8).rposition(|text| text == b"\n\n[Event").expect("a file of games");
        once.truncate(end + 2);
        let count = play(&once);
        let times = (plies / count).max(1);
        Some((once.repeat(times as usize), count * times))
    }

    /// Plays all games. Returns the number of plies.
    pub fn play(games: &[u8]) -> u64 {
        let mut player = Player { plies: 0 };
        let mut reader = Reader::new(games);
        while reader.read_game(&mut player).expect("memory can be read").is_some() {}
        player.plies
    }

    struct Player {
        plies: u64,
    }

    impl Visitor for Player {
        type Tags = ();
        type Movetext = Chess;
        type Output = ();

        fn begin_tags(&mut self) -> ControlFlow<(), ()> {
            ControlFlow::Continue(())
        }

        fn begin_movetext(&mut self, _: ()) -> ControlFlow<(), Chess> {
            ControlFlow::Continue(Chess::default())
        }

        fn san(&mut self, position: &mut Chess, written: SanPlus) -> ControlFlow<()> {
            let ply = written.san.to_move(position).expect("the games are legal");
            position.play_unchecked(ply);
            self.plies += 1;
            ControlFlow::Continue(())
        }

        fn end_game(&mut self, _: Chess) {}
    }
}
