//! Pages of players: their games, their standing, their next opponent.

use super::*;
use crate::program::assert_contains;

#[test]
fn every_name_leads_to_page_of_player() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let tags = json!({"White": "Ba", "Black": "Jansen", "Round": "5", "Board": "1"});
    outlet.begin_paired_game("board-7", 1, tags, Some(1));
    outlet.play("board-7", 1);
    let server = outlet.serve();
    server.wait_for(&outlet);
    let ba = "<a class=\"pn\" href=\"/player/Open-2\"><bdi>Ba</bdi></a>";
    for path in
        ["/", "/board/board-7", "/game/board-7-1", "/round/5", "/standings", "/standings/Open", "/players", "/archive"]
    {
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}");
        assert!(path == "/archive" || page.text().contains(ba), "{path}: {}", page.text());
    }
    // The cell of the crosstable is the game, if it was recorded.
    assert_contains(&server.get("/standings").text(), &["<a href=\"/game/board-7-1\">4<i class=\"dw\">"]);
    let page = server.get("/player/Open-2?lang=nl").text();
    assert_contains(
        &page,
        &[
            "<h2><bdi>Ba</bdi> <button class=\"star\" type=\"button\" hidden data-player=\"/player/Open-2\" aria-label=\"Volg Ba\"",
            "<dt>Plaats</dt><dd>1</dd>",
            "<dt>Punten</dt><dd>2</dd>",
            "Volgende partij · Ronde 6</dt><dd>Zwart – <a class=\"pn\" href=\"/player/Open-1?lang=nl\">",
            "<a href=\"/game/board-7-1?lang=nl\">Afgelopen na 1 zet</a>",
        ],
    );
    // The board has not ended the game, but it has its result.
    assert_contains(&page, &["<article class=\"g s-over\" data-board=\"board-7\""]);
    outlet.begin_paired_game("board-1", 2, json!({"White": "Jansen", "Black": "Ba"}), Some(3));
    outlet.play("board-1", 1);
    server.wait_for(&outlet);
    let page = server.get("/player/Open-2?lang=nl").text();
    assert_contains(
        &page,
        &["<a href=\"/game/board-1-2?lang=nl\">1. 32-28</a>", "<article class=\"g s-play\" data-board=\"board-1\""],
    );
    let found = server.get("/players?search=GANT").text();
    assert!(found.contains("Gantwarg</bdi>") && !found.contains("Jansen</bdi></a></th>"), "{found}");
    for path in ["/player/Open-9", "/player/Open", "/player/open-2", "/player/-2", "/standings/Closed"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn search_needs_no_accents() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let text = fs::read_to_string(outlet.path("tournament.json")).unwrap();
    outlet.write("tournament.json", &text.replace("Clerc, R.", "Léger-Øst, Артём"));
    let server = outlet.serve();
    server.wait_for(&outlet);
    for search in ["leger", "L%C3%A9ger", "ost,%20%D0%B0%D1%80%D1%82%D0%B5%D0%BC", "%C3%98st"] {
        let found = server.get(&format!("/players?search={search}")).text();
        assert!(found.contains("Léger-Øst") && !found.contains("Gantwarg"), "{search}: {found}");
    }
}

#[test]
fn hidden_player_has_no_page() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let text = fs::read_to_string(outlet.path("tournament.json")).unwrap();
    outlet.write(
        "tournament.json",
        &text.replace("\"Ba\"", "\"N. N.\"").replace("Clerc, R.", "<b>\\\"x' data-hole=\\\"main\\\"&"),
    );
    let server = outlet.serve();
    server.wait_for(&outlet);
    for path in ["/round/6", "/players", "/standings", "/player/Open-1"] {
        let page = server.get(path).text();
        assert!(page.contains("<bdi>N. N.</bdi>") && !page.contains("/player/Open-2"), "{path}: {page}");
        assert!(!page.contains("<b>\"") && !page.contains("data-hole=\"main"), "{path}: {page}");
    }
    assert_eq!(server.get("/player/Open-2").status, 404);
    assert_contains(&server.get("/player/Open-3").text(), &["&lt;b&gt;&quot;x' data-hole=&quot;main&quot;&amp;"]);
}
