//! Previews of links in messengers: title, description, and a picture of the position.

use super::*;
use crate::program::assert_contains;

#[test]
fn link_has_picture_of_its_position() {
    let outlet = game();
    let server = outlet.serve_with("hosts = [\"live.example.org\"]\n");
    server.wait_for(&outlet);
    let page = server.get_with("/game/board-1-1/1", &[("Host", "live.example.org")]).text();
    assert_contains(
        &page,
        &[
            "<meta property=\"og:title\" content=\"Jansen – Ba\">",
            "<meta property=\"og:description\" content=\"Open · Round 5 · Board 1\">",
            "<meta property=\"og:url\" content=\"http://live.example.org/game/board-1-1/1\">",
            "<meta property=\"og:image\" content=\"http://live.example.org/picture/board-1-1/1.png\">",
        ],
    );
    let live = server.get_with("/board/1", &[("Host", "live.example.org")]).text();
    assert_contains(&live, &["content=\"http://live.example.org/picture/board-1-1/2.png\""]);
    // A shared link hides the results that its reader hides.
    let list = server.get_with("/players?lang=nl&search=Jan&hide=results", &[("Host", "live.example.org")]).text();
    assert_contains(&list, &["content=\"http://live.example.org/players?search=jan&amp;hide=results\""]);
    // Another name may be anybody's: a picture under it would lead nowhere.
    for host in ["127.0.0.1:8080", "192.168.1.7:8080", "localhost"] {
        let page = server.get_with("/game/board-1-1/1", &[("Host", host)]).text();
        assert!(page.contains("og:title") && !page.contains("og:image") && !page.contains("og:url"), "{host}: {page}");
    }
    let picture = |entries: usize| {
        let answer = server.get(&format!("/picture/board-1-1/{entries}.png"));
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("image/png")), "{entries}");
        answer.body
    };
    let pictures = [0, 1, 2].map(picture);
    for png in &pictures {
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "no PNG");
        // The header of the image: width and height.
        assert_eq!(png[16..24], [640_u32.to_be_bytes(), 640_u32.to_be_bytes()].concat()[..]);
    }
    assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2]);
    assert_eq!(picture(1), pictures[1]);
    for path in
        ["/picture/board-1-1/3.png", "/picture/board-1-1/1", "/picture/board-1-1/-1.png", "/picture/board-1-2/0.png"]
    {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn preview_tells_what_its_page_shows() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let server = outlet.serve_with("hosts = [\"live.example.org\"]\n");
    server.wait_for(&outlet);
    let page = |path: &str| server.get_with(path, &[("Host", "live.example.org")]).text();
    let description = |text: &str| format!("<meta property=\"og:description\" content=\"{text}\">");
    assert_contains(&page("/round/5"), &[&description("Round 5")]);
    assert_contains(&page("/standings"), &[&description("Standings · Round 6")]);
    // The game of this player has not begun, so there is no picture.
    let player = page("/player/Open-3");
    let title = "<meta property=\"og:title\" content=\"Clerc, R.\">";
    assert_contains(&player, &[title, &description("Open · Round 6")]);
    assert!(!player.contains("og:image"), "{player}");
}

#[test]
fn titles_tell_games_apart() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "محمد", "Black": "أحمد", "Event": "Open", "Site": "Club"}));
    outlet.begin("board-2", json!({}));
    outlet.begin("board-3", json!({"White": "Jansen", "Black": "Ba", "Event": "Open"}));
    outlet.write("tournament.json", &json!({"event": {"name": "Open", "site": "Huissen"}, "sections": []}).to_string());
    let server = outlet.serve();
    let og = |path: &str| format!("<meta property=\"og:title\" content=\"{path}\">");
    // Each name is isolated, so White stays on the left.
    let names = og("\u{2068}محمد\u{2069} – \u{2068}أحمد\u{2069}");
    assert_contains(&server.get("/board/1").text(), &[&names, "محمد", " · Open</title>"]);
    assert_contains(&server.get("/board/2").text(), &[&og("Board 2")]);
    assert_contains(&server.get("/game/board-3-1").text(), &[&og("Jansen – Ba"), ">Jansen – Ba · Open</title>"]);
    // The record of the tournament comes before a tag of a game.
    let first = server.get("/").text();
    assert!(first.contains("Huissen") && !first.contains("Club"), "{first}");
}
