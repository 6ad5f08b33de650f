//! Checks that every public type has an example, which the documentation tests run.

use std::path::Path;

/// Returns the public types of a source text that have no example.
fn without_example(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut has_example = false;
    for line in text.lines() {
        let keyword = ["pub struct ", "pub enum ", "pub type ", "pub trait "];
        match keyword.iter().find_map(|keyword| line.strip_prefix(keyword)) {
            Some(name) if !has_example => found.push(name.split([' ', '(', '<', ';']).next().unwrap_or(name)),
            _ if line.starts_with("///") => has_example |= line.starts_with("/// ```"),
            _ => has_example &= line.starts_with("#["),
        }
    }
    found
}

#[test]
fn every_public_type_has_example() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut missing = Vec::new();
    let mut types = 0;
    for entry in std::fs::read_dir(sources).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        types += text.lines().filter(|line| line.starts_with("pub struct ") || line.starts_with("pub enum ")).count();
        missing.extend(without_example(&text).iter().map(|name| (*name).to_owned()));
    }
    assert!(missing.is_empty(), "public types without an example: {missing:?}");
    assert!(types > 30, "only {types} types were looked at");
}

#[test]
fn first_example_of_readme_is_short() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let example = readme.split("```").nth(1).unwrap();
    assert!(example.starts_with("rust\n") && example.lines().skip(1).count() <= 15, "{example}");
}

#[test]
fn detects_missing_example() {
    let with = "/// A set.\n///\n/// ```\n/// ```\n#[derive(Clone)]\npub struct With(u8);\n";
    let without = "/// A kind.\npub enum Without {\n";
    assert_eq!(without_example(with), [""; 0]);
    assert_eq!(without_example(without), ["Without"]);
    assert_eq!(without_example(&format!("{with}\n{without}")), ["Without"]);
}
