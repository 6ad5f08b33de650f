//! Overlays for streams, the page that lists them, and embedded rounds.

use super::*;

/// Two boards, the second of which is over, and standings.
fn hall() -> OutletFixture {
    let mut outlet = game();
    outlet.begin(
        "board-2",
        json!({"White": "Wit", "Black": "Zwart <b>\"", "Event": "Open", "Round": "5", "BlackCountry": "NED"}),
    );
    outlet.append_event("board-2", json!({"n": 2, "type": "end"}));
    outlet.append_event("board-2", json!({"n": 3, "type": "result", "result": "2-0"}));
    let section = |name: &str, id: u32, player: &str| json!({"name": name, "players": [{"id": id, "name": player}]});
    let sections = [section("Open group", 7, "Sijbrands <i>"), section("B", 8, "Bee")];
    outlet.write("tournament.json", &json!({"sections": sections}).to_string());
    outlet
}

fn feature(outlet: &mut OutletFixture, mode: &str, boards: &[&str]) {
    outlet.append_line(json!({"t": 1, "type": "featured", "mode": mode, "boards": boards, "every": 1}));
}

#[track_caller]
fn assert_page(server: &Server, path: &str, status: u16, words: &str) -> String {
    let page = server.get(path);
    let text = page.text();
    assert_eq!(page.status, status, "{path}: {text}");
    for word in words.split('|') {
        assert!(text.contains(word), "{path} does not have {word}: {text}");
    }
    assert!(!text.contains("style=") && !text.contains("<script>") && !text.contains("<b>\""), "{path}: {text}");
    text
}

#[test]
fn overlays_show_boards_results_and_standings() {
    let mut outlet = hall();
    feature(&mut outlet, "board", &["2"]);
    let server = outlet.serve();
    server.wait_for(&outlet);
    for (path, words) in [
        (
            "board/1",
            "class=\"overlay o-board\"|data-theme=\"dark\"|Jansen|2200|data-seconds=\"1780\"|1. … 19-23|<svg|Board 1|Round 5",
        ),
        ("board/board-1?theme=light", "data-theme=\"light\"|Jansen"),
        ("featured", "Zwart &lt;b&gt;&quot;|NED|s-over|data-side=\"white\">2</span>|Over"),
        ("lower-third", "class=\"overlay o-lower\"|Zwart &lt;b&gt;&quot;|<p class=\"res\">2–0</p>"),
        ("lower-third/1?clock=left", "class=\"o cl\"|Jansen"),
        ("board/1?clock=off", "class=\"o co0\""),
        ("ticker", "data-turns=\"3\"|Jansen|1. … 19-23|Wit|2–0"),
        ("standings", "data-turns=\"10\"|Open group|Sijbrands &lt;i&gt;"),
        ("standings?section=B", "Bee"),
        (
            "board/1?width=800&height=450&accent=%231A7f37",
            "href=\"/overlay/look.css?width=800&amp;height=450&amp;accent=1a7f37\"",
        ),
    ] {
        let text = assert_page(&server, &format!("/overlay/{path}"), 200, words);
        assert!(!text.contains("<nav") && !text.contains("<header"), "{path}: {text}");
    }
    assert!(!server.get("/overlay/featured").text().contains("Jansen"));
    let style = server.get("/overlay/look.css?width=800&height=450&accent=1a7f37");
    assert_eq!(style.text(), ".overlay{--w:800px;--h:450px;--accent:#1a7f37;}\n");
    assert_eq!(style.header("content-type"), Some("text/css; charset=utf-8"));
}

#[test]
fn wrong_overlay_address_is_told_in_words() {
    let server = hall().serve();
    for (path, status, words) in [
        ("board/1?width=9", 400, "<h2>400</h2>|This address has a mistake: width=9. Possible: width=160 … width=7680"),
        ("board/1?size=9", 400, "mistake: size=9. Possible: width, height, theme, accent, clock, lang"),
        ("ticker?accent=%22%3E%3Cb%3E%22", 400, "mistake: accent=&quot;&gt;&lt;b&gt;&quot;. Possible: accent=1a7f37"),
        ("ticker?theme=blue&lang=nl", 400, "In dit adres zit een fout: theme=blue. Mogelijk: theme=dark, theme=light"),
        ("ticker?clock=&lang=fr", 400, "Cette adresse contient une erreur : clock="),
        ("ticker?height=5000&lang=ru", 400, "В адресе ошибка: height=5000"),
        // The board may come: its overlay waits for it.
        ("board/9", 404, "class=\"overlay o-board\"|There is no board <bdi>9</bdi> yet."),
        ("standings?section=%3Ci%3E", 404, "There are no standings of"),
        ("nothing", 404, "<h2>404</h2>"),
        ("board", 200, "class=\"overlay o-board\""),
    ] {
        let text = server.get(&format!("/overlay/{path}"));
        assert_eq!(text.status, status, "{path}");
        let plain = text.text().replace("<bdi>", "").replace("</bdi>", "");
        for word in words.replace("<bdi>", "").replace("</bdi>", "").split('|') {
            assert!(plain.contains(word), "{path} does not have {word}: {plain}");
        }
        assert!(!plain.contains("<b>") && !plain.contains("<i>"), "{path}: {plain}");
    }
    // The open page follows its own address, which says the same.
    let page = server.get("/overlay/ticker?theme=%26blue").text();
    let stream = page.split_once("data-stream=\"").unwrap().1.split_once('"').unwrap().0;
    assert!(stream.starts_with("page=%2Foverlay%2Fticker%3Ftheme%3D%2526blue&amp;"), "{stream}");
    // Without a tournament nothing follows that words could announce.
    let club = OutletFixture::new();
    assert_contains(&club.serve().get("/overlay/standings?lang=en").text(), &["There are no standings yet."]);
    let style = server.get("/overlay/look.css?accent=red");
    assert_eq!((style.status, style.text()), (400, "accent=red is wrong; possible: accent=1a7f37\n".to_owned()));
}

#[test]
fn featured_overlay_follows_choice_and_may_be_empty() {
    let mut outlet = hall();
    outlet.write(
        "games.pdn",
        "[White \"Clerc\"]\n[GameType \"20\"]\n[Round \"6\"]\n[Board \"3\"]\n[Result \"*\"]\n\n*\n",
    );
    let server = outlet.serve();
    let shows = |outlet: &OutletFixture, words: &str| {
        server.wait_for(outlet);
        assert_page(&server, "/overlay/featured", 200, words)
    };
    let nothing = "<p class=\"vh\">No board is featured.</p>";
    shows(&outlet, nothing);
    feature(&mut outlet, "board", &["1"]);
    assert!(!shows(&outlet, "Jansen").contains(nothing));
    feature(&mut outlet, "board", &["3"]);
    shows(&outlet, "Clerc|Not started|<svg");
    // By its name too, before its first game. The page of all boards leads with it.
    feature(&mut outlet, "board", &["board-3"]);
    shows(&outlet, "Clerc|Not started|<svg");
    let page = server.get("/").text();
    let lead = page.split_once("class=\"lead\"").unwrap().1.split("</li>").next().unwrap();
    assert!(lead.contains("Clerc"), "{lead}");
    feature(&mut outlet, "board", &["nowhere"]);
    shows(&outlet, nothing);
    feature(&mut outlet, "most-moves", &[]);
    shows(&outlet, "Jansen");
    feature(&mut outlet, "off", &[]);
    shows(&outlet, nothing);
    // The board changes with the time alone, also for the address of the view.
    feature(&mut outlet, "in-turn", &["1", "board-2"]);
    server.wait_for(&outlet);
    for word in ["Jansen", "Zwart", "Jansen"] {
        let mut tags = Vec::new();
        wait_until(word, || {
            let page = server.get("/overlay/featured");
            tags.push(page.header("etag").unwrap().to_owned());
            page.text().contains(word)
        });
        assert_ne!(tags.first().filter(|_| tags.len() > 1), tags.last(), "{tags:?}");
    }
}

#[test]
fn studio_lists_overlays_with_addresses() {
    let server = hall().serve();
    let site = format!("http://{}", server.address);
    let text =
        assert_page(&server, "/studio", 200, "<iframe src=\"/overlay/featured\"|<option value=\"2\">Board 2</option>");
    for path in ["featured", "board/1", "lower-third", "ticker", "standings"] {
        assert!(
            text.contains(&format!("href=\"/overlay/{path}\""))
                && text.contains(&format!("<code>{site}/overlay/{path}</code>")),
            "{path}: {text}"
        );
    }
    let form = "/studio?overlay=board&board=2&width=800&height=&theme=light&accent=%23E03131&clock=left&lang=nl";
    let address = "/overlay/board/2?width=800&amp;accent=e03131&amp;theme=light&amp;clock=left&amp;lang=nl";
    assert_page(
        &server,
        form,
        200,
        &format!("value=\"{site}{address}\"|<iframe src=\"{address}\"|width=\"800\"|<option value=\"light\" selected>"),
    );
    for (form, words) in [
        ("overlay=ticker&width=9", "mistake: width=9. Possible: width=160"),
        ("overlay=%3Cb%3E%22", "mistake: overlay=&lt;b&gt;&quot;. Possible: overlay=featured, board"),
        ("overlay=lower-third&board=", "<iframe src=\"/overlay/lower-third\""),
        ("overlay=board&board=", "<iframe src=\"/overlay/featured\""),
        ("hide=results", "<iframe src=\"/overlay/featured\"|<input type=\"hidden\" name=\"hide\" value=\"results\">"),
        ("overlay=board&board=%22%3E", "<iframe src=\"/overlay/board/%22%3E\""),
        ("overlay=standings&section=B", "<iframe src=\"/overlay/standings?section=B\""),
        ("overlay=ticker&section=B", "<iframe src=\"/overlay/ticker\""),
    ] {
        assert_page(&server, &format!("/studio?{form}"), 200, words);
    }
    // Only this page has a frame; it and the search for players have a form.
    let policy = |path: &str| server.get(path).header("content-security-policy").unwrap().to_owned();
    assert_contains(&policy("/studio"), &["default-src 'none'", "frame-src 'self'", "form-action 'self'"]);
    assert_contains(&policy("/players"), &["form-action 'self'"]);
    assert!(policy("/").contains("form-action 'none'") && !policy("/overlay/featured").contains("frame-src"));
    assert_contains(&server.get("/?lang=fr").text(), &["href=\"/studio?lang=fr\""]);
}

#[test]
fn rounds_are_embedded_with_script_for_height() {
    let server = hall().serve();
    let text = assert_page(&server, "/embed/round/5", 200, "class=\"embed\"|Jansen|Zwart &lt;b&gt;&quot;");
    assert!(!text.contains("<nav class=\"nav\"") && !text.contains("<footer"), "{text}");
    // Links of a frame open whole pages elsewhere.
    assert_contains(&text, &["<base target=\"_blank\">"]);
    assert_eq!(server.get("/embed/round/9").status, 404);
    let script = server.get("/embed.js");
    assert_eq!((script.status, script.header("content-type")), (200, Some("text/javascript; charset=utf-8")));
    assert_contains(&script.text(), &["origin !== server", "contentWindow === source"]);
}

#[test]
fn frames_have_colours_that_their_address_chooses() {
    let server = hall().serve();
    for (address, expected) in [
        (
            "/embed/board/1?theme=light",
            "data-theme=\"light\" class=\"embed\"|page=%2Fembed%2Fboard%2F1%3Ftheme%3Dlight&amp;",
        ),
        (
            "/embed/round/5?theme=dark",
            "data-theme=\"dark\" class=\"embed\"|page=%2Fembed%2Fround%2F5%3Ftheme%3Ddark&amp;",
        ),
        ("/embed/round/5?theme=%3Cb%3E", "<html lang=\"en\" class=\"embed\"|page=%2Fembed%2Fround%2F5&amp;"),
        ("/board/1?theme=light", "<html lang=\"en\">"),
    ] {
        assert_page(&server, address, 200, expected);
    }
}
