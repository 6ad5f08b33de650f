//! Tests of the README of this library; the documentation tests run its example.

#[test]
fn first_example_is_short() {
    let example = include_str!("../../README.md").split("```").nth(1).unwrap();
    assert!(example.starts_with("rust\n") && example.lines().skip(1).count() <= 15, "{example}");
}
