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

#[test]
fn tmp_faults() {
    let games: Vec<Played> = games(20).into_iter().take(80).collect();
    let only = std::env::var("FAULT").ok();
    for fault in hardware_sim::faults::Fault::all() {
        if only.as_ref().is_some_and(|f| f != fault.name()) {
            continue;
        }
        let rate = {
            let b = Profile::blitz().rate(fault);
            if b > 0.05 {
                b
            } else if b == 0.0 {
                0.02
            } else {
                b * 5.0
            }
        };
        let cases: Vec<_> = games
            .iter()
            .enumerate()
            .map(|(i, g)| {
                (
                    g.clone(),
                    Conditions {
                        profile: Profile::only(fault, rate),
                        control: Some("4800+60".parse().unwrap()),
                        seed: 77 + i as u64,
                        settings: LineSettings::new(g.start.variant()),
                    },
                )
            })
            .collect();
        let score = play_all(&cases);
        if score.perfect < score.games || only.is_some() {
            println!("{:16} {rate:.4} {score}", fault.name());
            for b in score.blemishes.iter().take(std::env::var("SHOW").ok().map_or(2, |s| s.parse().unwrap())) {
                println!("      {}", b.chars().take(400).collect::<String>());
            }
        }
    }
}

#[test]
fn tmp_trace() {
    let idx: usize = std::env::var("GAME").unwrap().parse().unwrap();
    let (a, b): (u64, u64) =
        (std::env::var("FROM").unwrap().parse().unwrap(), std::env::var("TO").unwrap().parse().unwrap());
    let g = games(20)[idx].clone();
    let name = std::env::var("FAULT").unwrap();
    let fault: hardware_sim::faults::Fault = name.parse().unwrap();
    let rate = {
        let b = Profile::blitz().rate(fault);
        if b > 0.05 {
            b
        } else if b == 0.0 {
            0.02
        } else {
            b * 5.0
        }
    };
    let c = Conditions {
        profile: Profile::only(fault, rate),
        control: Some("4800+60".parse().unwrap()),
        seed: 77 + idx as u64,
        settings: LineSettings::new(g.start.variant()),
    };
    for (t, l) in damcast::simulation::score::trace(&g, &c) {
        if t >= a && t <= b {
            println!("{t} {l}");
        }
    }
}
