//! Joins the documents of several halls: `tournament.json`, `standings.json`, and files of games. Pure.
//!
//! A section that two halls have is that of the first hall. Pairings of the others are found in it by round and board number, and compared by the
//! names of their players. A player who is hidden in one hall is hidden in all: by section and number, or without a number by the pairings.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use draughts_pdn::tag;
use draughts_tournament::HIDDEN_NAME;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::hex::hex;

/// Sections of all halls.
#[derive(Clone, Debug, Default)]
pub(crate) struct JoinedSections {
    /// The joined document; `None` if no hall has one.
    pub tournament: Option<Value>,
    /// Disagreements of the halls, for people.
    pub mismatches: Vec<String>,
    /// Players who are hidden: section and number.
    hidden: BTreeSet<(String, u64)>,
    /// Players without a number who are hidden: section and name.
    hidden_names: BTreeSet<(String, String)>,
    /// Names to hide in the lines and files of a hall.
    names: HashMap<String, BTreeSet<String>>,
    /// Pairings of shared sections: hall and id there, and the joined id.
    pairings: HashMap<(String, String), String>,
}

/// Names of the players of a pairing.
type Names = [Option<String>; 2];

impl JoinedSections {
    /// Joins the documents of halls, each with its hall's name, in the order of the halls.
    pub fn new(documents: &[(&str, Value)]) -> JoinedSections {
        let mut joined = JoinedSections::default();
        for (_, document) in documents {
            joined.hidden.extend(sections(document).flat_map(|section| {
                let hidden = players(section).filter(|player| player["name"] == HIDDEN_NAME);
                hidden.filter_map(|player| Some((name_of(section), player["number"].as_u64()?)))
            }));
        }
        joined.hidden_names = hidden_in_pairings(documents);
        for (hall, document) in documents {
            let names = joined.names_to_hide(document);
            if !names.is_empty() {
                joined.names.insert((*hall).to_owned(), names);
            }
        }
        let mut all: Vec<Value> = Vec::new();
        // Places of the pairings of all sections: section, round, board number; id and names.
        let mut places: HashMap<(String, u64, u64), (String, Names)> = HashMap::new();
        for (hall, document) in documents {
            for section in sections(document) {
                let name = name_of(section);
                if let Some(known) = all.iter_mut().find(|known| name_of(known) == name) {
                    joined.map_pairings(hall, section, &places);
                    joined.add_boards(hall, section, known);
                    continue;
                }
                let mut own = joined.masked(hall, section.clone());
                let names = names_by_id(&own);
                for (round, pairing) in pairings_mut(&mut own) {
                    let id = format!("{hall}/{}", id_of(pairing));
                    pairing["id"] = id.clone().into();
                    if let Some(board) = pairing["board"].as_str() {
                        pairing["board"] = board_name(hall, board).into();
                    }
                    if let Some(table) = pairing["table"].as_u64() {
                        places.insert((name.clone(), round, table), (id, player_names(&names, pairing)));
                    }
                }
                all.push(own);
            }
        }
        if let Some((_, first)) = documents.first() {
            let is_known = |event: &&Value| event.as_object().is_some_and(|event| !event.is_empty());
            let event = documents.iter().map(|(_, document)| &document["event"]).find(is_known);
            joined.tournament = Some(json!({ "event": event.unwrap_or(&first["event"]), "sections": all }));
        }
        joined
    }

    /// Returns the names of players of a document who are hidden in another.
    fn names_to_hide(&self, document: &Value) -> BTreeSet<String> {
        let all = sections(document).flat_map(|section| players(section).map(move |player| (name_of(section), player)));
        let is_hidden = |(section, player): &(String, &Value)| match player["number"].as_u64() {
            Some(number) => self.hidden.contains(&(section.clone(), number)),
            None => {
                self.hidden_names.contains(&(section.clone(), player["name"].as_str().unwrap_or_default().to_owned()))
            }
        };
        let names = all.filter(is_hidden).filter_map(|(_, player)| player["name"].as_str());
        names.filter(|name| *name != HIDDEN_NAME).flat_map(|name| [name.to_owned(), tag::reader_safe(name)]).collect()
    }

    /// Returns a document of a hall with the names replaced that another hall hides.
    pub fn masked(&self, hall: &str, mut document: Value) -> Value {
        if self.hides_names(hall) {
            self.mask(hall, &mut document);
        }
        document
    }

    fn mask(&self, hall: &str, value: &mut Value) {
        match value {
            Value::String(text) if self.shown_name(hall, text) != text => *value = HIDDEN_NAME.into(),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(hall, item)),
            Value::Object(members) => {
                members.values_mut().for_each(|member| self.mask(hall, member));
                // Numbers name the player too: those of a player, and of the games that wait for one.
                for (name, numbers) in
                    [("name", &["fmjd_id", "licence"][..]), ("White", &["WhiteFmjdId"]), ("Black", &["BlackFmjdId"])]
                {
                    if members.get(name).is_some_and(|name| name == HIDDEN_NAME) {
                        numbers.iter().for_each(|number| drop(members.remove(*number)));
                    }
                }
            }
            _ => {}
        }
    }

    /// Finds the pairings of a section in those of the hall that had it first.
    fn map_pairings(&mut self, hall: &str, section: &Value, places: &HashMap<(String, u64, u64), (String, Names)>) {
        let (name, by_id) = (name_of(section), names_by_id(section));
        for (round, pairing) in pairings(section) {
            let Some(table) = pairing["table"].as_u64() else { continue };
            let own = player_names(&by_id, pairing);
            let first = places.get(&(name.clone(), round, table));
            let is_same = |one: &Option<String>, other: &Option<String>| match (one, other) {
                (Some(one), Some(other)) => one == other || [one, other].iter().any(|name| *name == HIDDEN_NAME),
                (one, other) => one == other,
            };
            match first {
                Some((id, names)) if names.iter().zip(&own).all(|(one, other)| is_same(one, other)) => {
                    self.pairings.insert((hall.to_owned(), id_of(pairing)), id.clone());
                }
                first => {
                    let players =
                        |names: &Names| names.each_ref().map(|name| name.as_deref().unwrap_or("–")).join(" – ");
                    let known = first.map_or_else(|| "no such pairing".to_owned(), |(_, names)| players(names));
                    self.mismatches.push(format!(
                        "{name}, round {round}, board {table}: {hall} has {}, the first hall has {known}; import the same pairings in both",
                        players(&own)
                    ));
                }
            }
        }
    }

    /// Gives the pairings of a joined section the boards of this hall: the hall that had the section first knows its own boards only.
    fn add_boards(&self, hall: &str, section: &Value, joined: &mut Value) {
        let board = |pairing: &Value| {
            let id = self.pairings.get(&(hall.to_owned(), id_of(pairing)))?;
            Some((id.as_str(), board_name(hall, pairing["board"].as_str()?)))
        };
        let boards: HashMap<_, _> = pairings(section).filter_map(|(_, pairing)| board(pairing)).collect();
        for (_, pairing) in pairings_mut(joined).filter(|(_, pairing)| pairing["board"].is_null()) {
            if let Some(board) = pairing["id"].as_str().and_then(|id| boards.get(id)) {
                pairing["board"] = board.as_str().into();
            }
        }
    }

    /// Returns the ids of pairings of shared sections: that of a hall, and the joined one.
    pub fn shared_pairings(&self) -> impl Iterator<Item = (String, &String)> {
        self.pairings.iter().map(|((hall, id), joined)| (format!("{hall}/{id}"), joined))
    }

    /// Returns the joined id of a hall's pairing, or of a stage of it, such as `17.rapid`.
    pub fn pairing(&self, hall: &str, id: &str) -> String {
        let found = |id: &str| self.pairings.get(&(hall.to_owned(), id.to_owned()));
        let of_stage = || {
            let (whole, stage) = id.rsplit_once('.')?;
            found(whole).map(|joined| format!("{joined}.{stage}"))
        };
        found(id).cloned().or_else(of_stage).unwrap_or_else(|| format!("{hall}/{id}"))
    }

    /// Whether names of a hall are hidden because another hall hides them.
    pub fn hides_names(&self, hall: &str) -> bool {
        self.names.contains_key(hall)
    }

    /// Whether both hide the same names.
    pub fn hides_same_names(&self, other: &JoinedSections) -> bool {
        self.names == other.names
    }

    /// Returns a name as the hub shows it.
    pub fn shown_name<'n>(&self, hall: &str, name: &'n str) -> &'n str {
        if self.names.get(hall).is_some_and(|names| names.contains(name)) { HIDDEN_NAME } else { name }
    }

    /// Returns what identifies the hidden players: with others, all lines are made again.
    pub fn hidden_digest(&self) -> String {
        let mut hasher = Sha256::new();
        for (section, number) in &self.hidden {
            hasher.update(format!("{}\n", json!([section, number])));
        }
        for (section, name) in &self.hidden_names {
            hasher.update(format!("{}\n", json!([section, name])));
        }
        // Include the names: if a hall tells one later, the lines with this name are made again.
        for (hall, names) in self.names.iter().collect::<BTreeMap<_, _>>() {
            hasher.update(format!("{}\n", json!([hall, names])));
        }
        hex(&hasher.finalize()[..8])
    }

    /// Returns a file of games of a hall without the names that another hall hides.
    pub fn masked_games(&self, hall: &str, text: &str) -> String {
        let Some(names) = self.names.get(hall) else { return text.to_owned() };
        let (mut shown, mut hidden) = (String::new(), BTreeSet::new());
        for line in text.split_inclusive('\n') {
            let side_with = |suffix: &str| {
                ["White", "Black"].into_iter().find(|side| line.starts_with(&format!("[{side}{suffix} \"")))
            };
            let side = side_with("");
            match side.filter(|_| names.iter().any(|name| line.contains(&format!(" \"{}\"]", escaped(name))))) {
                Some(side) => {
                    hidden.insert(side);
                    shown += &format!("[{side} \"{HIDDEN_NAME}\"]\n");
                }
                // The number at the FMJD names the player too.
                None if side_with("FmjdId").is_some_and(|side| hidden.contains(side)) => {}
                None => {
                    // The names of a game stand before its other tags of players.
                    hidden.retain(|known| Some(*known) != side);
                    shown += line;
                }
            }
        }
        shown
    }
}

/// Returns the joined name of a board of a hall. A hall inside a hall has a slash in its name and a dot in those of its boards.
fn board_name(hall: &str, board: &str) -> String {
    format!("{}.{board}", hall.replace('/', "."))
}

/// Writes a value of a tag as in PDN.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Joins standings: those of each section, from the first hall that has it.
pub(crate) fn join_standings(documents: &[(&str, Value)], sections: &JoinedSections) -> Option<Value> {
    let mut by_section: Vec<Value> = Vec::new();
    for (hall, document) in documents {
        for standings in document["sections"].as_array().into_iter().flatten() {
            if by_section.iter().any(|known| known["section"] == standings["section"]) {
                continue;
            }
            by_section.push(sections.masked(hall, standings.clone()));
        }
    }
    (!documents.is_empty()).then(|| json!({ "sections": by_section }))
}

/// Joins files of games in their order: their own bytes, with an empty line between two files.
pub(crate) fn join_games(files: &[String]) -> String {
    let mut joined = String::new();
    for file in files.iter().filter(|file| !file.trim().is_empty()) {
        if !joined.is_empty() {
            while !joined.ends_with("\n\n") {
                joined.push('\n');
            }
        }
        joined += file;
    }
    joined
}

/// Returns the names that one hall hides in a pairing and another shows, with their sections. The opponent has the same name in both.
fn hidden_in_pairings(documents: &[(&str, Value)]) -> BTreeSet<(String, String)> {
    let mut seats: HashMap<_, BTreeSet<String>> = HashMap::new();
    for section in documents.iter().flat_map(|(_, document)| sections(document)) {
        let by_id = names_by_id(section);
        for (round, pairing) in pairings(section) {
            let [Some(white), Some(black)] = player_names(&by_id, pairing) else { continue };
            let place = (name_of(section), round, pairing["table"].as_u64());
            seats.entry((place.clone(), "white", black.clone())).or_default().insert(white.clone());
            seats.entry((place, "black", white)).or_default().insert(black);
        }
    }
    let hidden = seats.into_iter().filter(|(_, names)| names.contains(HIDDEN_NAME));
    let names = |(((section, ..), ..), names): (((String, _, _), _, _), BTreeSet<String>)| {
        names
            .into_iter()
            .filter(|name| name != HIDDEN_NAME)
            .map(move |name| (section.clone(), name))
            .collect::<Vec<_>>()
    };
    hidden.flat_map(names).collect()
}

fn sections(document: &Value) -> impl Iterator<Item = &Value> {
    document["sections"].as_array().into_iter().flatten()
}

fn players(section: &Value) -> impl Iterator<Item = &Value> {
    section["players"].as_array().into_iter().flatten()
}

/// Returns the id of a pairing: a number, or a text in the document of a hub.
fn id_of(pairing: &Value) -> String {
    pairing["id"].as_str().map_or_else(|| pairing["id"].to_string(), str::to_owned)
}

fn name_of(section: &Value) -> String {
    section["name"].as_str().unwrap_or_default().to_owned()
}

/// Returns all pairings of a section with the numbers of their rounds.
fn pairings(section: &Value) -> impl Iterator<Item = (u64, &Value)> {
    let rounds = section["rounds"].as_array().into_iter().flatten();
    rounds.flat_map(|round| {
        let number = round["round"].as_u64().unwrap_or_default();
        round["pairings"].as_array().into_iter().flatten().map(move |pairing| (number, pairing))
    })
}

fn pairings_mut(section: &mut Value) -> impl Iterator<Item = (u64, &mut Value)> {
    let rounds = section["rounds"].as_array_mut().into_iter().flatten();
    rounds.flat_map(|round| {
        let number = round["round"].as_u64().unwrap_or_default();
        round["pairings"].as_array_mut().into_iter().flatten().map(move |pairing| (number, pairing))
    })
}

/// Returns the names of the players of a section by their ids.
fn names_by_id(section: &Value) -> BTreeMap<u64, String> {
    players(section).filter_map(|player| Some((player["id"].as_u64()?, player["name"].as_str()?.to_owned()))).collect()
}

/// Returns the names of the players of a pairing.
fn player_names(by_id: &BTreeMap<u64, String>, pairing: &Value) -> Names {
    ["white", "black"].map(|side| pairing[side].as_u64().and_then(|id| by_id.get(&id)).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(names: [&str; 4], first_id: u64, event: Value) -> Value {
        let player = |(name, number): (&&str, u64)| json!({"id": first_id + number, "number": number, "name": name});
        let players: Vec<Value> = names.iter().zip(1..).map(player).collect();
        let pairing = |table: u64| {
            json!({"id": first_id + table, "table": table, "board": format!("b-{table}"),
                   "white": first_id + 2 * table - 1, "black": first_id + 2 * table})
        };
        json!({"event": event, "sections": [{"id": 1, "name": "Open", "players": players, "teams": [],
               "rounds": [{"round": 1, "state": "open", "byes": [], "matches": [], "pairings": [pairing(1), pairing(2)]}]}]})
    }

    #[test]
    fn shared_section_is_that_of_first_hall() {
        let names = ["Ada", "Bob", "Cy", "Di"];
        let mut others = names;
        others[3] = "Dan";
        let joined = JoinedSections::new(&[
            ("a", document(names, 0, json!({}))),
            ("b", document(others, 100, json!({"name": "NK"}))),
        ]);
        let tournament = joined.tournament.as_ref().unwrap();
        assert_eq!(tournament["event"]["name"], "NK");
        assert_eq!(tournament["sections"].as_array().unwrap().len(), 1);
        let pairing = &tournament["sections"][0]["rounds"][0]["pairings"][0];
        assert_eq!((&pairing["id"], &pairing["board"]), (&json!("a/1"), &json!("a.b-1")));
        assert_eq!((joined.pairing("b", "101"), joined.pairing("a", "1")), ("a/1".to_owned(), "a/1".to_owned()));
        // A game of a micro-match has a stage.
        assert_eq!(joined.pairing("b", "101.rapid"), "a/1.rapid");
        // The players of the second board differ.
        assert_eq!((joined.pairing("b", "102"), joined.mismatches.len()), ("b/102".to_owned(), 1));
        assert!(
            joined.mismatches[0].contains("board 2: b has Cy – Dan, the first hall has Cy – Di"),
            "{:?}",
            joined.mismatches
        );
    }

    /// The first hall knows its own boards only.
    #[test]
    fn shared_pairing_has_board_of_hall_that_plays_it() {
        let names = ["Ada", "Bob", "Cy", "Di"];
        let boards = |mut document: Value, boards: [Value; 2]| {
            let pairings = document["sections"][0]["rounds"][0]["pairings"].as_array_mut().unwrap();
            pairings.iter_mut().zip(boards).for_each(|(pairing, board)| pairing["board"] = board);
            document
        };
        let joined = JoinedSections::new(&[
            ("a", boards(document(names, 0, json!({})), [json!("b-1"), Value::Null])),
            ("b", boards(document(names, 100, json!({})), [json!("x-1"), json!("x-2")])),
        ]);
        let pairings = &joined.tournament.as_ref().unwrap()["sections"][0]["rounds"][0]["pairings"];
        assert_eq!([&pairings[0]["board"], &pairings[1]["board"]], ["a.b-1", "b.x-2"]);
    }

    #[test]
    fn player_hidden_in_one_hall_is_hidden_in_all() {
        let shown = ["Ada", "Bob \"B\" Bo", "Cy", "Di"];
        let mut hidden = shown;
        hidden[1] = HIDDEN_NAME;
        let documents = [("a", document(shown, 0, json!({}))), ("b", document(hidden, 100, json!({})))];
        let joined = JoinedSections::new(&documents);
        assert!(!joined.tournament.as_ref().unwrap().to_string().contains("Bob"));
        assert!(joined.mismatches.is_empty(), "{:?}", joined.mismatches);
        assert_eq!((joined.shown_name("a", shown[1]), joined.shown_name("a", "Ada")), (HIDDEN_NAME, "Ada"));
        let games = "[White \"Ada\"]\n[Black \"Bob \\\"B\\\" Bo\"]\n\n1. 32-28 *\n";
        assert_eq!(joined.masked_games("a", games), games.replace("Bob \\\"B\\\" Bo", HIDDEN_NAME));
        assert_eq!(joined.masked_games("b", games), games);
        // A number at the FMJD names the player too.
        let number = |side: &str| format!("[{side}FmjdId \"1\"]\n");
        let numbers = format!("{}{}", number("White"), number("Black"));
        let shown_games = joined.masked_games("a", &games.replace("\n\n", &format!("\n{numbers}\n")).repeat(2));
        assert_eq!([number("White"), number("Black")].map(|line| shown_games.matches(&line).count()), [2, 0]);
        let player = joined.masked("a", json!({"name": shown[1], "fmjd_id": "1", "licence": "2", "rating": 3}));
        assert_eq!(player, json!({"name": HIDDEN_NAME, "rating": 3}));
        assert_ne!(joined.hidden_digest(), JoinedSections::new(&documents[..1]).hidden_digest());
        let standings = json!({"sections": [{"section": "Open", "rows": [{"rank": 1, "name": shown[1]}]}]});
        let standings = join_standings(&[("a", standings.clone()), ("b", standings)], &joined).unwrap();
        assert_eq!(standings["sections"].as_array().unwrap().len(), 1);
        assert_eq!(standings["sections"][0]["rows"][0]["name"], HIDDEN_NAME);
    }

    #[test]
    fn player_without_number_is_hidden_by_pairing() {
        let shown = ["Ada", "Bob", "Cy", "Di"];
        let mut hidden = shown;
        hidden[1] = HIDDEN_NAME;
        let without_numbers = |mut document: Value| {
            for player in document["sections"][0]["players"].as_array_mut().unwrap() {
                player["number"] = Value::Null;
            }
            document
        };
        let documents = [
            ("a", without_numbers(document(shown, 0, json!({})))),
            ("b", without_numbers(document(hidden, 100, json!({})))),
        ];
        let joined = JoinedSections::new(&documents);
        assert!(!joined.tournament.as_ref().unwrap().to_string().contains("Bob"));
        assert_eq!((joined.shown_name("a", "Bob"), joined.shown_name("a", "Di")), (HIDDEN_NAME, "Di"));
        assert_ne!(joined.hidden_digest(), JoinedSections::new(&documents[..1]).hidden_digest());
        // Another hall hides the player; the name becomes known later, without a pairing.
        let [mut of_a, mut of_b] = [document(shown, 0, json!({})), document(hidden, 100, json!({}))];
        for document in [&mut of_a, &mut of_b] {
            document["sections"][0]["rounds"] = json!([]);
        }
        let mut before = of_a.clone();
        before["sections"][0]["players"].as_array_mut().unwrap().remove(1);
        let digest = |of_a: &Value| JoinedSections::new(&[("a", of_a.clone()), ("b", of_b.clone())]).hidden_digest();
        assert_ne!(digest(&before), digest(&of_a));
    }

    #[test]
    fn games_are_joined_as_they_are() {
        let files = ["[White \"A\"]\n\n1. 32-28 *\n", "", "[White \"B\"]\n\n*\n\n"].map(str::to_owned);
        assert_eq!(join_games(&files), "[White \"A\"]\n\n1. 32-28 *\n\n[White \"B\"]\n\n*\n\n");
        assert_eq!(join_games(&[]), "");
    }

    #[test]
    fn damaged_documents_join_to_nothing() {
        for wrong in
            [json!(7), json!({"sections": 7}), json!({"sections": [{"players": 1, "rounds": [{"pairings": {}}]}]})]
        {
            let joined = JoinedSections::new(&[("a", wrong.clone()), ("b", wrong)]);
            assert!(joined.mismatches.is_empty());
        }
    }
}
