//! Overlays over a picture, and the studio, in Chromium.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::json;

use crate::browser::{Browser, axe};
use crate::serve::{OutletFixture, Server, tournament};

/// A web site of one page.
struct WebSite {
    address: String,
}

impl WebSite {
    /// Serves a page on loopback: a browser lets only such pages reach others there. The thread ends with the tests.
    fn new(page: &str) -> WebSite {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
            page.len()
        );
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                // A browser may open a connection and send nothing.
                let answer = answer.clone();
                std::thread::spawn(move || {
                    let read = stream.read(&mut [0; 4096]).unwrap_or(0);
                    let _ = if read > 0 { stream.write_all(answer.as_bytes()) } else { Ok(()) };
                });
            }
        });
        WebSite { address }
    }

    /// Creates a page with a picture, and the overlay of its query over it.
    fn scene() -> WebSite {
        WebSite::new(
            "<!DOCTYPE html><title>scene</title><style>*{margin:0}body{height:100vh;overflow:hidden;\
             background:repeating-conic-gradient(#356 0 25%,#c83 0 50%) 0 0/61px 47px}iframe{border:0;width:100vw;height:100vh}</style>\
             <body><script>if (location.search) { const frame = document.createElement('iframe'); frame.src = decodeURIComponent(location.search.slice(1)); \
             document.body.append(frame); }</script>",
        )
    }

    fn visit(&self, browser: &mut Browser, query: &str) {
        browser.visit(&format!("http://{}/?{query}", self.address));
        browser.wait(
            "document.readyState + location.search",
            &format!("complete{}{query}", if query.is_empty() { "" } else { "?" }).into(),
        );
    }
}

/// Compares two pictures of 1920 x 1080 pixels. Returns the number of other pixels outside of boxes, and inside of them.
const COMPARE: &str = "(async (before, after, boxes) => {
    const pixels = async (data) => { const image = new Image(); image.src = 'data:image/png;base64,' + data; await image.decode();
        const canvas = new OffscreenCanvas(1920, 1080), context = canvas.getContext('2d'); context.drawImage(image, 0, 0);
        return new Uint32Array(context.getImageData(0, 0, 1920, 1080).data.buffer); };
    const [one, other] = [await pixels(before), await pixels(after)];
    let outside = 0, inside = 0;
    for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) {
        const x = at % 1920, y = Math.floor(at / 1920);
        if (boxes.some(([left, top, right, bottom]) => x >= left - 1 && x <= right && y >= top - 1 && y <= bottom)) inside++; else outside++;
    }
    return [outside, inside];
})";

/// Places of the boxes of an overlay.
const BOXES: &str = "[...document.querySelectorAll('.ov, .lt, .tick, .ost, .ow, .banner:not([hidden])')].map(box => { \
    const { left, top, right, bottom } = box.getBoundingClientRect(); return [left, top, right, bottom]; })";

/// Texts of an overlay whose colours differ too little: WCAG 2, contrast of 4.5 to 1 against an opaque box behind.
const PALE: &str = "(() => {
    const rgb = (text) => text.match(/[\\d.]+/g).map(Number), light = (rgb) => { const [r, g, b] = rgb.map(c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
    const behind = (element) => { for (let at = element; at; at = at.parentElement) { const [r, g, b, a = 1] = rgb(getComputedStyle(at).backgroundColor); if (a === 1) return [r, g, b]; } };
    const texts = [...document.querySelectorAll('#main *')].filter(one => !one.closest('svg, .vh') && one.getClientRects().length && [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
    const contrast = (one) => { const back = behind(one); if (!back) return 0; const [high, low] = [light(rgb(getComputedStyle(one).color).slice(0, 3)), light(back)].sort((a, b) => b - a); return (high + .05) / (low + .05); };
    return { count: texts.length, pale: texts.filter(one => contrast(one) < 4.5).map(one => one.outerHTML) };
})()";

/// A hall with boards in all states and a long name.
fn hall() -> OutletFixture {
    let mut outlet = OutletFixture::new();
    let long = "van der Wonderland-Grootebroek, Maximiliaan Alexander \"<i>\"";
    for board in 1..=5 {
        let tags = json!({"White": format!("Jansen {board}"), "Black": if board % 2 == 0 { long } else { "Ndjofang, J. M." }, "WhiteTitle": "GMI",
            "WhiteCountry": "NED", "WhiteRating": "2401", "BlackCountry": "CMR", "BlackRating": "2388", "Event": "Open NK", "Round": "5", "Board": board.to_string()});
        outlet.begin(&format!("board-{board}"), tags);
        (1..=4).for_each(|ply| outlet.play(&format!("board-{board}"), ply));
    }
    outlet.append_event("board-2", json!({"n": 6, "type": "end"}));
    outlet.append_event("board-2", json!({"n": 7, "type": "result", "result": "2-0"}));
    outlet.append_event("board-3", json!({"p": 1, "type": "state", "state": "no-connection"}));
    outlet.append_event("board-4", json!({"p": 1, "type": "state", "state": "unexplained"}));
    let player = |id: usize| json!({"id": id, "name": if id == 3 { long.to_owned() } else { format!("Player {id}") }});
    let section = json!({"name": "Open", "players": (1..=24).map(player).collect::<Vec<_>>()});
    outlet.write("tournament.json", &json!({"sections": [section]}).to_string());
    outlet
}

fn feature(outlet: &mut OutletFixture, mode: &str, boards: &[&str]) {
    outlet.append_line(json!({"t": 1, "type": "featured", "mode": mode, "boards": boards}));
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// Opens a page at 1920 x 1080, and waits until its script has run.
fn open(browser: &mut Browser, server: &Server, path: &str) {
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        json!({"width": 1920, "height": 1080, "deviceScaleFactor": 1, "mobile": false}),
    );
    browser.visit(&format!("http://{}{path}", server.address));
    browser.wait("document.readyState === 'complete' && location.pathname + location.search", &path.into());
    browser.wait("document.body.classList.contains('quiet')", &false.into());
}

fn picture(browser: &mut Browser) -> String {
    browser.call("Page.captureScreenshot", json!({}))["data"].as_str().unwrap().to_owned()
}

/// Stores a picture in the folder that `DAMCAST_PICTURES` names.
fn keep(picture: &str, name: &str) {
    let Ok(folder) = std::env::var("DAMCAST_PICTURES") else { return };
    std::fs::write(std::path::Path::new(&folder).join(format!("{name}.base64")), picture).unwrap();
}

#[test]
fn overlay_covers_picture_with_its_boxes_only() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall();
    feature(&mut outlet, "board", &["1"]);
    let server = outlet.serve();
    server.wait_for(&outlet);
    open(&mut browser, &server, "/overlay/featured");
    let scene = WebSite::scene();
    scene.visit(&mut browser, "");
    let before = picture(&mut browser);
    let paths = "featured featured?theme=light&accent=e03131 board/2 board/3?clock=left board/4?width=960&height=540 board/9 lower-third \
        lower-third/2?theme=light ticker ticker?width=1280&height=60 standings standings?width=500&height=600&theme=light";
    for (path, number) in paths.split_whitespace().zip(1..) {
        let address = format!("/overlay/{path}");
        open(&mut browser, &server, &address);
        let boxes = browser.evaluate(BOXES);
        assert!(boxes.as_array().is_some_and(|boxes| !boxes.is_empty()), "{path}");
        for one in boxes.as_array().unwrap() {
            let (width, height) = (size(path, "width").unwrap_or(1920.0), size(path, "height").unwrap_or(1080.0));
            let inside = [
                one[0].as_f64().unwrap() >= -0.5,
                one[1].as_f64().unwrap() >= -0.5,
                one[2].as_f64().unwrap() <= width + 0.5,
                one[3].as_f64().unwrap() <= height + 0.5,
            ];
            assert_eq!(inside, [true; 4], "{path}: {one}");
        }
        let pale = browser.evaluate(PALE);
        assert!(pale["count"].as_u64() > Some(0) && pale["pale"] == json!([]), "{path}: {pale}");
        // A mark of the last move is as large as a field.
        let is_large = "[...document.querySelectorAll('svg.bd')].some(board => [...board.querySelectorAll('rect.mf')]\
            .some(mark => mark.getBoundingClientRect().width > board.getBoundingClientRect().width / 7))";
        assert_eq!(browser.evaluate(is_large), false, "{path}");
        scene.visit(&mut browser, &encoded(&format!("http://{}{address}", server.address)));
        // The frame is drawn a moment after it is loaded.
        let compared = |browser: &mut Browser| {
            let after = picture(browser);
            let result = browser.evaluate(&format!("{COMPARE}({}, {}, {boxes})", json!(before), json!(after)));
            (after, result[0].as_u64().unwrap(), result[1].as_u64().unwrap())
        };
        let drawn = std::time::Instant::now();
        let (after, outside, inside) = loop {
            let found = compared(&mut browser);
            if found.2 > 10_000 || drawn.elapsed() > std::time::Duration::from_secs(20) {
                break found;
            }
        };
        keep(&after, &format!("overlay-{number:02}"));
        assert_eq!(outside, 0, "{path} covers the picture outside of its boxes");
        assert!(inside > 10_000, "{path}: {inside}");
    }
    // Without a featured board the picture stays as it is.
    feature(&mut outlet, "off", &[]);
    server.wait_for(&outlet);
    open(&mut browser, &server, "/overlay/featured");
    assert_eq!(browser.evaluate(BOXES), json!([]));
    let complaints = browser.page_errors();
    let complaints: Vec<_> = complaints.iter().filter(|complaint| !complaint.contains("status of 404")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// Returns a size in an address.
fn size(address: &str, name: &str) -> Option<f64> {
    let (_, rest) = address.split_once(&format!("{name}="))?;
    rest.split('&').next()?.parse().ok()
}

#[test]
fn open_overlay_follows_featured_board_and_tells_when_not_live() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall();
    outlet.write("alive.json", "{\"alive\":1795651982000}\n");
    feature(&mut outlet, "board", &["1"]);
    let server = outlet.serve();
    server.wait_for(&outlet);
    open(&mut browser, &server, "/overlay/featured");
    browser.evaluate("window.mark = 'not reloaded'");
    let shown = "document.querySelector('.wh .nm1')?.textContent ?? ''";
    browser.wait(shown, &"White: Jansen 1".into());
    feature(&mut outlet, "board", &["board-5"]);
    browser.wait(shown, &"White: Jansen 5".into());
    outlet.append_event("board-5", json!({"n": 9, "type": "end"}));
    outlet.append_event("board-5", json!({"n": 9, "type": "result", "result": "0-2"}));
    browser.wait("document.querySelector('.ov.s-over .op.bk .pt')?.textContent", &"2".into());
    feature(&mut outlet, "off", &[]);
    browser.wait("document.querySelectorAll('.ov').length", &0.into());
    feature(&mut outlet, "board", &["1"]);
    browser.wait(shown, &"White: Jansen 1".into());
    // The recorder gives no more signs.
    browser.wait("document.querySelector('#banner').hidden", &false.into());
    browser.wait("/No word from the recorder since/.test(document.querySelector('#banner').textContent)", &true.into());
    let small = "document.querySelector('#banner').getBoundingClientRect().height < 40";
    assert_eq!(browser.evaluate(small), true);
    outlet.write("alive.json", "{\"alive\":1795651999000}\n");
    browser.wait("getComputedStyle(document.querySelector('#banner')).display", &"none".into());
    assert_eq!(browser.evaluate("window.mark"), "not reloaded");
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

#[test]
fn ticker_and_standings_show_all_rows_in_turns() {
    let Some(mut browser) = Browser::open() else { return };
    let outlet = hall();
    let server = outlet.serve();
    let seen = "window.seen ??= new Set(); document.querySelectorAll('[data-turns]>*').forEach(one => one.hidden || window.seen.add(one.textContent)); window.seen.size";
    for (path, at_once, all) in [("/overlay/ticker", 3, 5), ("/overlay/standings", 10, 24)] {
        open(&mut browser, &server, path);
        let shown =
            "[...document.querySelectorAll('[data-turns]>*')].filter(one => one.getClientRects().length).length";
        browser.wait(shown, &at_once.into());
        // Turns follow each other after eight seconds.
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while browser.evaluate(seen) != all {
            assert!(std::time::Instant::now() < end, "{path}");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }
    // Until the script that takes turns is there, the strip shows one row.
    open(&mut browser, &server, "/overlay/ticker");
    let painted = "(() => { const list = document.querySelector('.tk'); list.append(...[...list.children].map((one) => one.cloneNode(true))); \
        const all = [...list.children]; all.forEach((one) => { one.hidden = false; }); return all.filter((one) => { \
        const { left, top, width, height } = one.getBoundingClientRect(); return one.contains(document.elementFromPoint(left + width / 2, top + height / 2)); }).length; })()";
    assert_eq!(browser.evaluate(painted), 3);
}

#[test]
fn studio_and_overlays_have_no_serious_accessibility_problem() {
    let Some(axe) = axe() else { return };
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall();
    tournament(&mut outlet);
    feature(&mut outlet, "board", &["5"]);
    let server = outlet.serve();
    server.wait_for(&outlet);
    for language in ["en", "nl", "fr", "ru"] {
        for page in [
            "/studio?",
            "/studio?overlay=ticker&width=9&",
            "/overlay/featured?",
            "/overlay/board/2?theme=light&",
            "/overlay/board/3?",
            "/overlay/board/77?",
            "/overlay/lower-third?theme=light&",
            "/overlay/ticker?",
            "/overlay/standings?",
            "/overlay/ticker?size=1&",
            "/embed/round/5?",
        ] {
            browser.visit(&format!("http://{}{page}lang={language}", server.address));
            browser.wait("document.readyState === 'complete' && document.documentElement.lang", &language.into());
            browser.evaluate(&axe);
            assert_eq!(browser.accessibility_violations(), json!([]), "{page} in {language}");
        }
    }
}

#[test]
fn studio_copies_address_and_shows_choice() {
    let Some(mut browser) = Browser::open() else { return };
    let server = hall().serve();
    open(&mut browser, &server, "/studio");
    let choose = "const select = document.querySelector('select[name=overlay]'); select.value = 'ticker'; select.dispatchEvent(new Event('change', { bubbles: true }));";
    browser.evaluate(choose);
    let address = format!("http://{}/overlay/ticker", server.address);
    browser.wait(
        "document.readyState === 'complete' && document.querySelector('#address').value",
        &format!("{address}?").trim_end_matches('?').into(),
    );
    browser.wait("document.querySelector('iframe').contentDocument?.querySelector('.tick') != null", &true.into());
    let before = browser.evaluate("document.querySelector('[data-copied]').textContent");
    browser
        .evaluate("document.querySelector('[data-copied]').click(), document.querySelector('[data-copied]').click()");
    browser.wait("document.querySelector('[data-copied]').textContent", &"Copied".into());
    browser.wait("document.querySelector('[data-copied]').textContent", &before);
    browser.evaluate("document.querySelector('[data-copied]').click()");
    browser.wait("document.querySelector('[data-copied]').textContent", &"Copied".into());
    keep(&picture(&mut browser), "studio");
    // The preview has the chosen size, a board that is chosen is shown, and the width alone keeps the form of a screen.
    let size = "[document.querySelector('iframe')].map(({ clientWidth, clientHeight, src }) => `${clientWidth}x${clientHeight} ${new URL(src).pathname}`)[0]";
    for (query, expected) in [
        ("overlay=board&board=2&width=960&height=600", "960x600 /overlay/board/2"),
        ("board=2&width=800", "800x450 /overlay/board/2"),
        ("overlay=lower-third&board=&width=640&height=100", "640x100 /overlay/lower-third"),
    ] {
        browser.visit(&format!("http://{}/studio?{query}", server.address));
        browser.wait(size, &expected.into());
    }
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

/// A browser has six connections per server. The preview of the studio is the first frame of its page.
#[test]
fn many_frames_of_a_page_all_follow_their_boards() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall();
    let server = outlet.serve();
    open(&mut browser, &server, "/studio");
    browser.evaluate("for (let at = 0; at < 8; at++) document.body.append(Object.assign(document.createElement('iframe'), { src: '/embed/board/1' })); 0");
    browser.evaluate("window.counts = () => [...document.querySelectorAll('iframe')].slice(1).map(({ contentDocument }) => contentDocument?.querySelector('[data-count]')?.dataset.count); 0");
    let ways = "[...document.querySelectorAll('iframe')].map(({ contentDocument }) => contentDocument?.body.dataset.live ?? 'stream').join()";
    browser.wait(ways, &"stream,stream,stream,stream,poll,poll,poll,poll,poll".into());
    browser.wait("counts().every(count => count === '4')", &true.into());
    outlet.play("board-1", 5);
    browser.wait("counts().every(count => count === '5')", &true.into());
}

/// The script of a site may come after its frames, and twice.
#[test]
fn late_script_finds_height_of_frame() {
    let Some(mut browser) = Browser::open() else { return };
    let server = hall().serve();
    let page = format!(
        "<!DOCTYPE html><title>site</title><script>let server = 'of the site'</script>\
         <iframe width=\"600\" onload=\"setTimeout(() => {{ for (const at of [1, 2]) document.head.append(Object.assign( \
         document.createElement('script'), {{ src: 'http://{0}/embed.js?' + at }})) }}, 500)\" src=\"http://{0}/embed/round/5\"></iframe>",
        server.address
    );
    WebSite::new(&page).visit(&mut browser, "");
    browser.wait("(document.querySelector('iframe')?.clientHeight ?? 0) > 900", &true.into());
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

#[test]
fn embedded_round_is_as_high_as_its_content() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall();
    let server = outlet.serve();
    let page = format!(
        "<!DOCTYPE html><title>site</title><script src=\"http://{0}/embed.js\"></script>\
         <style>* {{ box-sizing: border-box }}</style><script>addEventListener('message', (message) => {{ \
         const isOurs = message.origin === 'http://{0}'; if (isOurs) window.frameHeight = message.data.damcastHeight; }})</script>\
         <iframe width=\"600\" src=\"http://{0}/embed/round/5?theme=light\"></iframe><iframe id=\"other\" src=\"data:text/html,<script>setInterval(() => \
         parent.postMessage({{ damcastHeight: 7 }}, '*'), 10)</script>\"></iframe>",
        server.address
    );
    WebSite::new(&page).visit(&mut browser, "");
    let height = "(document.querySelector('iframe')?.clientHeight ?? 0)";
    browser.wait(&format!("{height} > 900"), &true.into());
    // The borders of the frame take nothing of its height.
    browser.wait(&format!("{height} === Math.ceil(window.frameHeight)"), &true.into());
    let before = browser.evaluate(height).as_u64().unwrap();
    for board in 6..=9 {
        outlet.begin(
            &format!("board-{board}"),
            json!({"White": "A", "Black": "B", "Round": "5", "Board": board.to_string()}),
        );
    }
    browser.wait(&format!("{height} > {before}"), &true.into());
    assert_eq!(browser.evaluate("document.querySelector('#other').style.height"), "", "another sender counts");
}
