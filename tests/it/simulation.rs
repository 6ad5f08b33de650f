//! tmp
use damcast::pdn::{fen, notation};
use damcast::rules::*;
use damcast::session::LineSettings;
use damcast::simulation::score::*;
use hardware_sim::profile::Profile;

fn games(number: u8) -> Vec<Played> {
    let names = ["international"];
    let _ = number;
    let text =
        std::fs::read_to_string(format!("{}/games/{}.jsonl", std::env::var("DAMCAST_CORPUS").unwrap(), names[0]))
            .unwrap();
    let mut out = vec![];
    for l in text.lines() {
        let d: serde_json::Value = serde_json::from_str(l).unwrap();
        if d["kind"] != "real" || !d["fen"].is_null() {
            continue;
        }
        let v = Variant::from_tag("20").unwrap();
        let start = match d["fen"].as_str() {
            Some(f) => Position::new(v, fen::read(v, f).unwrap()).unwrap(),
            None => Position::start(v),
        };
        let mut p = start;
        let mut moves = vec![];
        for m in d["moves"].as_array().unwrap() {
            let path: Vec<String> = m.as_array().unwrap().iter().map(|s| s.to_string()).collect();
            let ply = notation::read(&p, &path.join("x")).unwrap();
            p = p.play(&ply);
            moves.push(ply);
        }
        out.push(Played { name: d["id"].as_str().unwrap().into(), start, moves });
    }
    out
}

#[test]
fn tmp() {
    let profile: Profile = std::env::var("PROFILE").unwrap_or("ideal".into()).parse().unwrap();
    let seeds: u64 = std::env::var("SEEDS").ok().map_or(1, |s| s.parse().unwrap());
    let clock = std::env::var("NOCLOCK").is_err();
    let mut cases = vec![];
    for g in games(20) {
        for s in 0..seeds {
            cases.push((
                g.clone(),
                Conditions {
                    profile: profile.clone(),
                    control: clock.then(|| "4800+60".parse().unwrap()),
                    seed: 1000 * s + cases.len() as u64,
                    settings: LineSettings::new(g.start.variant()),
                },
            ));
        }
    }
    let t = std::time::Instant::now();
    let score = play_all(&cases);
    println!("{score}\n{:?}", t.elapsed());
    for b in score.blemishes.iter().take(std::env::var("SHOW").ok().map_or(15, |s| s.parse().unwrap())) {
        println!("{b}");
    }
}
