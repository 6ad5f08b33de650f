//! The dependencies against `deny.toml`: the checks of `cargo deny check licenses bans sources` without that tool and without a network.
//! They cover the graph of this machine's target, with all features and with the dependencies of tests.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;
use toml::Table;

/// Source of all crates, as the lock file and `cargo metadata` write it.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn policy() -> Table {
    fs::read_to_string("deny.toml").unwrap().parse().unwrap()
}

/// Returns a list of words, or of tables that each name a `crate`.
fn list<'p>(section: &'p toml::Value, name: &str) -> Vec<&'p str> {
    let items = section[name].as_array().unwrap().iter();
    items.map(|item| item.get("crate").unwrap_or(item).as_str().unwrap()).collect()
}

fn cargo(arguments: &[&str]) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo).args(arguments).output().unwrap();
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the packages of the graph, including those of the workspace.
fn packages() -> Vec<Value> {
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let metadata =
        ["metadata", "--format-version=1", "--locked", "--offline", "--all-features", "--filter-platform", host];
    let metadata: Value = serde_json::from_str(&cargo(&metadata)).unwrap();
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let of_the_graph = |package: &&Value| nodes.iter().any(|node| node["id"] == package["id"]);
    metadata["packages"].as_array().unwrap().iter().filter(of_the_graph).cloned().collect()
}

fn text<'v>(package: &'v Value, key: &str) -> &'v str {
    package[key].as_str().unwrap_or_default()
}

#[test]
fn every_licence_is_allowed() {
    let policy = policy();
    let licenses = &policy["licenses"];
    let allow = list(licenses, "allow");
    for package in packages() {
        let name = text(&package, "name");
        let exceptions = licenses["exceptions"].as_array().unwrap().iter();
        let of_this = exceptions.filter(|exception| exception["crate"].as_str() == Some(name));
        let excepted = of_this.flat_map(|exception| list(exception, "allow"));
        let allowed: Vec<&str> = allow.iter().copied().chain(excepted).collect();
        assert!(permits(text(&package, "license"), &allowed), "{name}: {}", package["license"]);
    }
}

#[test]
fn no_crate_is_duplicate_or_banned() {
    let policy = policy();
    let bans = &policy["bans"];
    let (skipped, denied) = (list(bans, "skip"), list(bans, "deny"));
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages() {
        let (name, version) = (text(&package, "name"), text(&package, "version"));
        assert!(!denied.contains(&name), "{name} is banned");
        if !skipped.contains(&format!("{name}@{version}").as_str()) {
            versions.entry(name.to_owned()).or_default().push(version.to_owned());
        }
    }
    versions.retain(|_, versions| versions.len() > 1);
    assert!(versions.is_empty(), "several versions, and deny.toml does not say why: {versions:?}");
    for skip in skipped {
        let is_there = |package: &Value| format!("{}@{}", text(package, "name"), text(package, "version")) == skip;
        assert!(packages().iter().any(is_there), "{skip} is skipped but not there");
    }
}

#[test]
fn crates_come_from_crates_io_in_required_versions() {
    for package in packages() {
        let is_ours = package["source"].is_null();
        assert!(is_ours || package["source"] == CRATES_IO, "{}: {}", package["name"], package["source"]);
        for dependency in package["dependencies"].as_array().unwrap().iter().filter(|_| is_ours) {
            let is_a_path = !dependency["path"].is_null();
            assert!(is_a_path || dependency["req"] != "*", "{} takes any {}", package["name"], dependency["name"]);
        }
    }
    // Includes the crates of other targets.
    for line in fs::read_to_string("Cargo.lock").unwrap().lines().filter(|line| line.starts_with("source")) {
        assert_eq!(line, format!("source = \"{CRATES_IO}\""));
    }
}

/// Dependencies that the two public libraries may have; their tests may need more.
#[test]
fn game_libraries_have_few_dependencies() {
    for (library, may_need) in
        [("draughts", &["thiserror"][..]), ("draughts-pdn", &["draughts", "memchr", "nom", "thiserror"])]
    {
        let packages = packages();
        let package = packages.iter().find(|package| text(package, "name") == library).unwrap();
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let needs: Vec<&str> =
            dependencies.filter(|needed| needed["kind"] != "dev").map(|needed| text(needed, "name")).collect();
        assert_eq!(needs, may_need, "{library}");
    }
}

#[test]
fn game_libraries_are_packed_without_warning() {
    let folder = tempfile::tempdir().unwrap();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let pack =
        ["package", "-p", "draughts", "-p", "draughts-pdn", "--allow-dirty", "--no-verify", "--offline", "--locked"];
    let output = Command::new(cargo).args(pack).arg("--target-dir").arg(folder.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !text.contains("warning"), "{text}");
    for library in ["draughts", "draughts-pdn"] {
        let listed = self::cargo(&["package", "-p", library, "--allow-dirty", "--offline", "--locked", "--list"]);
        for file in
            ["README.md", "CHANGELOG.md", "LICENSE", "src/lib.rs", "tests/it/main.rs", "tests/data/perft/italian.txt"]
        {
            assert!(listed.lines().any(|line| line == file), "{library} is packed without {file}");
        }
    }
}

/// Whether the allowed licences satisfy an SPDX expression. Old manifests write `A/B` for `A OR B`.
fn permits(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ").replace(" WITH ", "+WITH+");
    let words: Vec<String> = spaced.split_whitespace().map(|word| word.replace("+WITH+", " WITH ")).collect();
    let mut rest = words.iter().map(String::as_str).peekable();
    let permitted = any(&mut rest, allowed);
    permitted && rest.next().is_none()
}

type LicenceParser<I> = std::iter::Peekable<I>;

fn any<'w>(words: &mut LicenceParser<impl Iterator<Item = &'w str>>, allowed: &[&str]) -> bool {
    let mut permitted = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        permitted |= all(words, allowed);
    }
    permitted
}

fn all<'w>(words: &mut LicenceParser<impl Iterator<Item = &'w str>>, allowed: &[&str]) -> bool {
    let mut permitted = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        permitted &= one(words, allowed);
    }
    permitted
}

fn one<'w>(words: &mut LicenceParser<impl Iterator<Item = &'w str>>, allowed: &[&str]) -> bool {
    match words.next() {
        Some("(") => {
            let permitted = any(words, allowed);
            words.next() == Some(")") && permitted
        }
        Some(licence) => allowed.contains(&licence),
        None => false,
    }
}

#[test]
fn detects_forbidden_licence() {
    let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];
    let permitted = "MIT|MIT OR GPL-3.0-only|MIT / Apache-2.0|MIT/GPL-3.0|(MIT OR GPL-3.0-only) AND Unicode-3.0|\
        Apache-2.0 WITH LLVM-exception|GPL-2.0-only AND MIT OR MIT|(GPL-2.0-only) OR MIT";
    let forbidden = "GPL-3.0-only|MIT AND GPL-3.0-only|(GPL-2.0-only OR GPL-3.0-only) AND MIT|\
        GPL-2.0-only WITH Classpath-exception-2.0|MIT)|";
    for (expressions, expected) in [(permitted, true), (forbidden, false)] {
        for expression in expressions.split('|') {
            assert_eq!(permits(expression, &allowed), expected, "{expression:?}");
        }
    }
    assert!(packages().len() > 50);
}
