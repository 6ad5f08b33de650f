//! Boards as SVG: fields, numbers, marks, pieces. The geometry of the variant gives dark fields, corner and names of fields.
//!
//! A field is 10 units; rows go down from Black's side. Drawing order: fields, numbers, marks, path of a capture, pieces.

use std::fmt::Write;

use draughts::{NotationKind, Variant};
use maud::{Markup, PreEscaped, html};

/// Content of a diagram.
pub struct DiagramSpec<'a> {
    /// Pieces as a letter for each field, as in [`super::state::Diagram`].
    pub pieces: &'a str,
    /// Fields of the last move's path, in order.
    pub path: &'a [usize],
    /// Fields of the captured pieces.
    pub captured: &'a [usize],
    /// Whether the names of fields and the path of a capture are drawn.
    pub is_large: bool,
    /// Label for screen readers.
    pub label: &'a str,
}

/// Returns the shapes that all boards of a page share: pieces, and the fields of each variant.
pub fn definitions<'v>(variants: impl Iterator<Item = &'v Variant>) -> Markup {
    let mut keys = Vec::new();
    let mut fields = String::new();
    for variant in variants {
        let key = diagram_key(variant);
        if !keys.contains(&key) {
            let _ = write!(fields, "<g id=\"{key}\">{}</g>", draw_fields(variant));
            keys.push(key);
        }
    }
    html! {
        svg class="defs" width="0" height="0" aria-hidden="true" {
            defs {
                (PreEscaped(concat!(
                    r#"<g id="w"><circle class="we" r="3.9"/><circle class="wr" r="2.55"/></g>"#,
                    r#"<g id="b"><circle class="be" r="3.9"/><circle class="br" r="2.55"/></g>"#,
                    r#"<g id="W"><circle class="we" cy=".75" r="3.9"/><circle class="we" cy="-.75" r="3.9"/><circle class="wr k" cy="-.75" r="2.6"/><circle class="wk" cy="-.75" r="1.2"/></g>"#,
                    r#"<g id="B"><circle class="be" cy=".75" r="3.9"/><circle class="be" cy="-.75" r="3.9"/><circle class="br k" cy="-.75" r="2.6"/><circle class="bk" cy="-.75" r="1.2"/></g>"#,
                )))
                (PreEscaped(fields))
            }
        }
    }
}

/// Identifier of a variant's fields in a page; variants with equal boards share it.
fn diagram_key(variant: &Variant) -> String {
    let geometry = &variant.geometry;
    let kind = match geometry.square_at(geometry.height() - 1, 0) {
        _ if geometry.count() == geometry.width() * geometry.height() => 'a',
        Some(_) => 'l',
        None => 'r',
    };
    format!("f{}x{}{kind}", geometry.width(), geometry.height())
}

fn draw_fields(variant: &Variant) -> String {
    let geometry = &variant.geometry;
    let (width, height) = (geometry.width() * 10, geometry.height() * 10);
    if geometry.count() == geometry.width() * geometry.height() {
        // All fields are in use: one colour, with lines between them.
        let mut text = format!("<rect class=\"fd\" width=\"{width}\" height=\"{height}\"/><path class=\"fg\" d=\"");
        for column in 1..geometry.width() {
            let _ = write!(text, "M{} 0v{height}", column * 10);
        }
        for row in 1..geometry.height() {
            let _ = write!(text, "M0 {}h{width}", row * 10);
        }
        return text + "\"/>";
    }
    let squares = geometry.all().into_iter().map(|square| geometry.row_and_column(square));
    let dark: String = squares.map(|(row, column)| format!("M{} {}h10v10h-10z", column * 10, row * 10)).collect();
    format!("<rect class=\"fl\" width=\"{width}\" height=\"{height}\"/><path class=\"fd\" d=\"{dark}\"/>")
}

/// Returns the names of all fields, row by row; empty for unused fields.
pub fn names(variant: &Variant) -> Vec<&str> {
    let geometry = &variant.geometry;
    let fields = (0..geometry.height()).flat_map(|row| (0..geometry.width()).map(move |column| (row, column)));
    fields.map(|(row, column)| geometry.square_at(row, column).map_or("", |square| geometry.name(square))).collect()
}

/// Draws a board.
pub fn draw(variant: &Variant, drawing: &DiagramSpec<'_>) -> Markup {
    let geometry = &variant.geometry;
    let (width, height) = (geometry.width(), geometry.height());
    let is_algebraic = variant.game_type.notation().kind == NotationKind::Algebraic;
    let view = match drawing.is_large && is_algebraic {
        true => format!("-6 -1 {} {}", width * 10 + 7, height * 10 + 7),
        false => format!("0 0 {} {}", width * 10, height * 10),
    };
    let corner = |field: usize| (field % width * 10, field / width * 10);
    let centre = |field: usize| (field % width * 10 + 5, field / width * 10 + 5);
    let mut marks = String::new();
    if let [from, .., to] = drawing.path {
        for (field, is_end) in [(*from, false), (*to, true)] {
            let (x, y) = corner(field);
            let _ = write!(marks, "<rect class=\"m\" x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\"/>");
            let (x, y) = (x as f32 + 0.35, y as f32 + 0.35);
            let class = if is_end { "mf" } else { "mf mo" };
            let _ = write!(marks, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"9.3\" height=\"9.3\"/>");
        }
    }
    let mut pieces = String::new();
    for (field, letter) in drawing.pieces.bytes().enumerate().filter(|(_, letter)| *letter != b'.') {
        let (x, y) = centre(field);
        let _ = write!(pieces, "<use href=\"#{}\" x=\"{x}\" y=\"{y}\"/>", char::from(letter));
    }
    let mut way = String::new();
    if !drawing.captured.is_empty() && drawing.is_large {
        let points = drawing.path.iter().map(|field| centre(*field)).map(|(x, y)| format!("{x},{y}"));
        let points = points.collect::<Vec<_>>().join(" ");
        let _ = write!(way, "<polyline class=\"t0\" points=\"{points}\"/><polyline class=\"t1\" points=\"{points}\"/>");
        for (field, order) in drawing.captured.iter().zip(1..) {
            let (x, y) = centre(*field);
            let _ = write!(
                way,
                "<circle class=\"gr\" cx=\"{x}\" cy=\"{y}\" r=\"2.9\"/><circle class=\"gd\" cx=\"{x}\" cy=\"{y}\" r=\"2.9\"/>\
                 <text class=\"go\" x=\"{x}\" y=\"{}\">{order}</text>",
                y as f32 + 1.5
            );
        }
    }
    html! {
        svg class=(if drawing.is_large { "bd big" } else { "bd" }) viewBox=(view) role="img" aria-label=(drawing.label)
            data-w=(width) data-h=(height) data-names=[drawing.is_large.then(|| names(variant).join(","))] {
            use href=(format!("#{}", diagram_key(variant))) {}
            g class="mk" { (PreEscaped(marks)) }
            @if drawing.is_large { g class=(if is_algebraic { "co" } else { "nm" }) { (PreEscaped(captions(variant, drawing.pieces))) } }
            g class="pt" { (PreEscaped(way)) }
            g class="ps" { (PreEscaped(pieces)) }
        }
    }
}

/// Draws numbers in their fields, those of empty fields marked; or letters and digits around the board.
fn captions(variant: &Variant, pieces: &str) -> String {
    let geometry = &variant.geometry;
    let (width, height) = (geometry.width(), geometry.height());
    let mut text = String::new();
    if variant.game_type.notation().kind == NotationKind::Numeric {
        for square in geometry.all() {
            let (row, column) = geometry.row_and_column(square);
            let (x, y) = (column as f32 * 10.0 + 0.45, row as f32 * 10.0 + 1.75);
            let is_empty = pieces.as_bytes().get(row * width + column) == Some(&b'.');
            let class = if is_empty { " class=\"e\"" } else { "" };
            let _ = write!(text, "<text{class} x=\"{x}\" y=\"{y}\">{}</text>", geometry.name(square));
        }
        return text;
    }
    // All names in a column have its letter, all in a row its digit.
    let parts = |square| {
        let name = geometry.name(square);
        name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len()))
    };
    for column in 0..width {
        let letter = (0..height).find_map(|row| geometry.square_at(row, column)).map_or("", |square| parts(square).0);
        let _ = write!(text, "<text x=\"{}\" y=\"{}\">{letter}</text>", column * 10 + 5, height * 10 + 4);
    }
    for row in 0..height {
        let digit = (0..width).find_map(|column| geometry.square_at(row, column)).map_or("", |square| parts(square).1);
        let _ = write!(text, "<text x=\"-3\" y=\"{}\">{digit}</text>", row * 10 + 6);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares fields, corners and numbers with the rules of each game.
    #[test]
    fn every_board_has_corner_and_numbers() {
        for (tag, key, first_row, corner) in [
            ("20", "f10x10l", ",1,,2,,3,,4,,5", "46"),
            ("21", "f8x8l", "", ""),
            ("22", "f8x8r", "1,,2,,3,,4,", ""),
            ("23", "f8x8l", "", ""),
            ("25", "f8x8l", ",b8,,d8,,f8,,h8", "a1"),
            ("27", "f12x12l", ",1,,2,,3,,4,,5,,6", "67"),
            ("30", "f8x8a", "a8,b8,c8,d8,e8,f8,g8,h8", "a1"),
        ] {
            let variant = Variant::from_tag(tag).unwrap();
            assert!(tag == "23" || super::diagram_key(variant) == key, "{tag}: {}", super::diagram_key(variant));
            let width = variant.geometry.width();
            let names = names(variant);
            assert!(first_row.is_empty() || names[..width].join(",") == first_row, "{tag}: {names:?}");
            let bottom = &names[names.len() - width..];
            assert!(corner.is_empty() || bottom[0] == corner, "{tag}: {bottom:?}");
        }
        for variant in Variant::all() {
            let names = names(variant);
            let size = variant.geometry.width() * variant.geometry.height();
            assert_eq!(
                (names.len(), names.iter().filter(|name| !name.is_empty()).count()),
                (size, variant.geometry.count())
            );
            let pieces = "w".repeat(size);
            let drawing = DiagramSpec { pieces: &pieces, path: &[0, 1], captured: &[2], is_large: true, label: "" };
            let svg = draw(variant, &drawing).into_string();
            assert_eq!(svg.matches("<use href=\"#w\"").count(), size, "{}", variant.name);
        }
    }
}
