//! "Try it": a viewer's own line from a position of a game, by the rules.

use super::*;
use crate::program::assert_contains;

#[test]
fn line_follows_rules_and_stands_in_address() {
    let outlet = game();
    let server = outlet.serve();
    server.wait_for(&outlet);
    // After 1. 32-28 19-23 White must capture.
    let page = server.get("/game/board-1-1/2/try/").text();
    assert_contains(
        &page,
        &["Your own line", "not the game", "From: 1. … 19-23", "White to move", "href=\"/game/board-1-1/2\""],
    );
    assert_eq!(page.matches("data-path=").count(), 1, "{page}");
    assert_contains(&page, &["<a href=\"/game/board-1-1/2/try/28x19\" data-path=\"54,36\">28×19</a>"]);
    let page = server.get("/game/board-1-1/2/try/28x19?lang=nl").text();
    assert_contains(
        &page,
        &[
            "Uw eigen variant",
            "Zwart aan zet",
            "/try/28x19/14x23?lang=nl\"",
            "/try/28x19/13x24?lang=nl\"",
            "aria-current=\"true\"",
        ],
    );
    // The position before the first move has all moves of the start.
    assert_eq!(server.get("/game/board-1-1/0/try/").text().matches("data-path=").count(), 9);
    let long = "/game/board-1-1/2/try/28x19".to_owned() + &"/14x23".repeat(100);
    for wrong in
        ["/game/board-1-1/2/try/28x20", "/game/board-1-1/3/try/", "/game/board-1-1/try/", "/game/x-1/0/try/", &long]
    {
        assert_eq!(server.get(wrong).status, 404, "{wrong}");
    }
    assert_contains(
        &server.get("/game/board-1-1/1").text(),
        &["id=\"try\" hidden rel=\"nofollow\" href=\"/game/board-1-1/1/try/\""],
    );
}

#[test]
fn line_is_played_in_every_game_type() {
    let mut outlet = OutletFixture::new();
    let types = ["20", "21", "22", "23", "25", "26", "27", "28", "30", "31", "40"];
    for (index, game_type) in types.iter().enumerate() {
        outlet.append_event(
            &format!("b-{index}"),
            json!({"n": 1, "type": "game", "gametype": game_type, "tags": {}, "fen": null}),
        );
    }
    let server = outlet.serve();
    server.wait_for(&outlet);
    for (index, game_type) in types.iter().enumerate() {
        let mut address = format!("/game/b-{index}-1/0/try/");
        for ply in 0..6 {
            let page = server.get(&address);
            assert_eq!(page.status, 200, "{game_type}: {address}");
            let text = page.text();
            let legal = text.split_once("id=\"legal\"").unwrap().1;
            assert!(legal.contains("data-path="), "{game_type} after {ply}: {legal}");
            address = legal.split('"').find(|part| part.starts_with("/game/")).unwrap().to_owned();
        }
    }
}

/// In Frisian draughts a king of a side with men moves at most three times in a row. A FEN does not say how often it has.
#[test]
fn line_knows_moves_of_kings_before_it() {
    let mut outlet = OutletFixture::new();
    let variant = draughts::Variant::from_tag("40").unwrap();
    let start = draughts_pdn::fen::read(variant, "W:WK47,48:BK4,3").unwrap();
    let mut position = draughts::Position::new(variant, start).unwrap();
    let fen = |position: &draughts::Position| draughts_pdn::fen::write(variant, &position.setup());
    let begin =
        json!({"n": 1, "type": "game", "gametype": "40", "tags": {"FEN": fen(&position)}, "fen": fen(&position)});
    outlet.append_event("board-1", begin);
    for (ply, text) in (1..).zip(["47-41", "4-9", "41-47", "9-4", "47-41", "4-9"]) {
        position = position.play(&draughts_pdn::notation::read(&position, text).unwrap());
        let side = if ply % 2 == 1 { "white" } else { "black" };
        outlet.append_event("board-1", json!({"n": ply + 1, "type": "move", "ply": ply, "number": (ply + 1) / 2, "side": side, "move": text, "fen": fen(&position)}));
    }
    let server = outlet.serve();
    server.wait_for(&outlet);
    for (ply, has) in [(4, true), (6, false)] {
        let page = server.get(&format!("/game/board-1-1/{ply}/try/")).text();
        assert!(page.contains("try/48-4"), "{ply}: {page}");
        assert_eq!(page.contains("try/41-") || page.contains("try/47-"), has, "{ply}: {page}");
    }
}
