//! Federation and FMJD number of players, from each kind of file to each kind of file.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

use draughts_tournament::{HIDDEN_NAME, Tournament, merge, read, write_csv, write_pdn, write_trf};

const PLAYERS: &str = "No;Name;Fed;FMJD-ID\n1;Ann;NED;10234\n2;Bob;LAT;X-77\n";
const ROUND: &str = "Round;Board;White;Black;Result\n1;1;Ann;Bob;2-0\n";

fn import(files: &[&str]) -> Tournament {
    files.iter().fold(Tournament::default(), |state, file| {
        merge(&state, None, &read(file.as_bytes(), None, "").unwrap()).unwrap().tournament
    })
}

fn facts(tournament: &Tournament) -> Vec<(&str, &str, &str)> {
    let players = tournament.sections[0].players.iter();
    players.map(|player| (&*player.name, &*player.federation, &*player.licence)).collect()
}

#[test]
fn files_keep_federation_and_fmjd_number() {
    let first = import(&[PLAYERS, ROUND]);
    assert_eq!(facts(&first), [("Ann", "NED", "10234"), ("Bob", "LAT", "X-77")]);
    let section = &first.sections[0];
    for file in [write_csv(&first, section), write_trf(&first, section).unwrap().0] {
        assert_eq!(facts(&import(&[&file])), facts(&first), "{file}");
    }
    let pdn = write_pdn(&first, section, None);
    for tag in ["[WhiteCountry \"NED\"]", "[BlackCountry \"LAT\"]", "[WhiteFmjdId \"10234\"]"] {
        assert!(pdn.contains(tag), "{pdn}");
    }
    // A licence with letters is of a national federation.
    assert!(!pdn.contains("BlackFmjdId"), "{pdn}");
    assert_eq!(facts(&import(&[&pdn])), [("Ann", "NED", "10234"), ("Bob", "LAT", "")]);
}

#[test]
fn anonymous_player_has_no_number() {
    let mut tournament = import(&[PLAYERS, ROUND]);
    tournament.sections[0].players[0].rename(HIDDEN_NAME);
    let pdn = write_pdn(&tournament, &tournament.sections[0], None);
    assert!(pdn.contains(HIDDEN_NAME) && !pdn.contains("10234"), "{pdn}");
}
