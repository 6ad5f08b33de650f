//! Pages without results, for viewers who look at the games first.

use super::*;
use crate::program::assert_contains;

#[test]
fn no_page_tells_hidden_result() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let tags = json!({"White": "Ba", "Black": "Jansen", "Round": "5", "Board": "1"});
    outlet.begin_paired_game("board-7", 1, tags, Some(1));
    outlet.play("board-7", 1);
    outlet.append_event("board-7", json!({"n": 90, "type": "end"}));
    outlet.append_event("board-7", json!({"n": 91, "type": "result", "result": "2-0"}));
    outlet.write("archive/board-7-1.pdn", "*\n");
    outlet.write("games.pdn", "");
    let server = outlet.serve();
    server.wait_for(&outlet);
    let results = [
        "2–0",
        "1–1",
        "3–1",
        "<b>2</b>",
        "<b>1</b>",
        "<b>0</b>",
        "class=\"sc\">2",
        "<dd>2</dd>",
        "data-side=\"white\">2",
    ];
    // Every page has some of them without the choice, and none with it.
    for path in [
        "/",
        "/board/board-7",
        "/game/board-7-1",
        "/round/5",
        "/standings",
        "/standings/Open",
        "/player/Open-2",
        "/archive",
        "/?wall",
        "/players",
    ] {
        let open = server.get(path).text();
        // The overview of the boards has their numbers in <b>.
        let rest = |page: &str| {
            page.split_once("<ul data-part=\"boards\"").map_or(page.to_owned(), |(_, rest)| rest.to_owned())
        };
        assert!(results.iter().any(|result| rest(&open).contains(result)), "{path} has no result: {open}");
        let hidden = server.get(&format!("{path}{}hide=results", if path.contains('?') { '&' } else { '?' })).text();
        for result in results {
            assert!(!rest(&hidden).contains(result), "{path}: {result}: {hidden}");
        }
        // Links keep the choice.
        if path != "/?wall" {
            assert_contains(
                &hidden,
                &["Results are hidden.", "href=\"/standings?hide=results\"", "data-stream=\"page="],
            );
            assert_contains(&open, &[&format!("href=\"{path}?hide=results\">Hide results</a>")]);
        }
    }
    // The order of the rows tells nothing either: they are in the order of names.
    let page = server.get("/standings?hide=results&lang=nl").text();
    let places: Vec<_> = ["Ba<", "Clerc, R.<", "Gantwarg<", "Jansen<"].map(|name| page.find(name).unwrap()).into();
    assert!(places.is_sorted(), "{page}");
    assert_contains(
        &page,
        &["De uitslagen zijn verborgen.", "<b>?</b>", "?–?", "href=\"/standings?lang=nl\">Uitslagen tonen</a>"],
    );
    // The stream of the page has the choice too.
    assert_contains(&page, &["data-stream=\"page=%2Fstandings%3Fhide%3Dresults&amp;lang=nl&amp;chosen&amp;build="]);
}
