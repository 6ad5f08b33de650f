//! Pictures of positions as PNG: messengers and search engines show them beside a link.

use std::collections::VecDeque;

use axum::body::Bytes;
use draughts::Variant;
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, Rect, Stroke, Transform};
use tokio::sync::Mutex;

use super::exact;

/// Width of a picture in pixels; other boards than square ones have another height.
const WIDTH: usize = 640;
/// Largest number of cached pictures, of about 10 kB each.
const MAX_CACHED_PICTURES: usize = 64;

/// Colours of the style sheet for light screens: light and dark fields, the last move and its frame.
const LIGHT: u32 = 0xE6D8C0;
const DARK: u32 = 0x86664C;
const MOVED: u32 = 0x3B6BA8;
const FRAME: u32 = 0xA9CCF7;
/// Face and edge of the pieces.
const WHITE: [u32; 2] = [0xFCF8EE, 0x33261B];
const BLACK: [u32; 2] = [0x1C1C1E, 0xD9CDB8];

/// Position to draw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PictureSpec {
    /// Rules, which give the fields.
    pub variant: &'static Variant,
    /// Pieces as a letter for each field, as in [`super::state::Diagram`].
    pub pieces: String,
    /// Fields of the last move from start to end; empty without a move.
    pub path: Vec<usize>,
}

/// Draws pictures, one at a time, and caches the last ones.
#[derive(Default)]
pub struct Pictures(Mutex<VecDeque<(PictureSpec, Bytes)>>);

impl Pictures {
    /// Returns the PNG of a position; `None` if it cannot be drawn.
    pub async fn png(&self, spec: PictureSpec) -> Option<Bytes> {
        let mut cached = self.0.lock().await;
        if let Some((_, bytes)) = cached.iter().find(|(known, _)| *known == spec) {
            return Some(bytes.clone());
        }
        let drawn = spec.clone();
        let bytes = tokio::task::spawn_blocking(move || draw(&drawn)).await.ok()??;
        cached.push_back((spec, bytes.clone()));
        if cached.len() > MAX_CACHED_PICTURES {
            cached.pop_front();
        }
        Some(bytes)
    }
}

/// Draws a position as PNG.
fn draw(spec: &PictureSpec) -> Option<Bytes> {
    let geometry = &spec.variant.geometry;
    let (columns, rows) = (geometry.width(), geometry.height());
    let field = WIDTH / columns;
    let mut picture = Pixmap::new((field * columns) as u32, (field * rows) as u32)?;
    let is_plain = geometry.count() == columns * rows;
    picture.fill(color(if is_plain { DARK } else { LIGHT }));
    let size = field as f32;
    let place = |at: usize| ((at % columns) as f32 * size, (at / columns) as f32 * size);
    for at in (0..columns * rows).filter(|at| geometry.square_at(at / columns, at % columns).is_some()) {
        let (x, y) = place(at);
        let moved = [spec.path.first(), spec.path.last()].contains(&Some(&at));
        let inset = if is_plain { 0.5 } else { 0.0 };
        square(&mut picture, [x + inset, y + inset, size - 2.0 * inset], if moved { FRAME } else { DARK })?;
        if moved {
            square(&mut picture, [x + size * 0.07, y + size * 0.07, size * 0.86], MOVED)?;
        }
    }
    for (at, piece) in spec.pieces.bytes().enumerate().take(columns * rows) {
        let colors = match piece {
            b'w' | b'W' => WHITE,
            b'b' | b'B' => BLACK,
            _ => continue,
        };
        let (x, y) = place(at);
        let centre = (x + size / 2.0, y + size / 2.0);
        if piece.is_ascii_lowercase() {
            man(&mut picture, centre, size, colors)?;
        } else {
            // A king is two men, one on the other.
            let [lower, upper] = [1.0, -1.0].map(|side| (centre.0, centre.1 + side * size * 0.075));
            man(&mut picture, lower, size, colors)?;
            man(&mut picture, upper, size, colors)?;
            disc(&mut picture, upper, size * 0.12, colors[1])?;
        }
    }
    picture.encode_png().ok().map(exact)
}

fn man(picture: &mut Pixmap, centre: (f32, f32), size: f32, [face, edge]: [u32; 2]) -> Option<()> {
    disc(picture, centre, size * 0.41, edge)?;
    disc(picture, centre, size * 0.375, face)?;
    let ring = PathBuilder::from_circle(centre.0, centre.1, size * 0.255)?;
    let stroke = Stroke { width: size * 0.03, ..Stroke::default() };
    picture.stroke_path(&ring, &paint(edge), &stroke, Transform::identity(), None);
    Some(())
}

fn disc(picture: &mut Pixmap, (x, y): (f32, f32), radius: f32, fill: u32) -> Option<()> {
    let circle = PathBuilder::from_circle(x, y, radius)?;
    picture.fill_path(&circle, &paint(fill), FillRule::Winding, Transform::identity(), None);
    Some(())
}

fn square(picture: &mut Pixmap, [x, y, size]: [f32; 3], fill: u32) -> Option<()> {
    picture.fill_rect(Rect::from_xywh(x, y, size, size)?, &paint(fill), Transform::identity(), None);
    Some(())
}

fn paint(fill: u32) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(color(fill));
    paint
}

fn color(rgb: u32) -> Color {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Color::from_rgba8(red, green, blue, 255)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The picture as a reader of PNG sees it: the colour in the middle of a field, and of its corner.
    #[test]
    fn every_board_is_drawn() {
        for variant in Variant::all() {
            let geometry = &variant.geometry;
            let (columns, rows) = (geometry.width(), geometry.height());
            let squares: Vec<usize> =
                (0..columns * rows).filter(|at| geometry.square_at(at / columns, at % columns).is_some()).collect();
            let [white, black, from, to] = [0, 1, 2, 3].map(|index| squares[index]);
            let mut pieces = vec![b'.'; columns * rows];
            (pieces[white], pieces[black], pieces[to]) = (b'w', b'B', b'b');
            let spec = PictureSpec { variant, pieces: String::from_utf8(pieces).unwrap(), path: vec![from, to] };
            let bytes = draw(&spec).unwrap();
            assert!(bytes.len() < 40_000, "{}: {}", variant.name, bytes.len());
            let picture = Pixmap::decode_png(&bytes).unwrap();
            let field = WIDTH / columns;
            assert_eq!((picture.width() as usize, picture.height() as usize), (field * columns, field * rows));
            let at = |square: usize, part: usize| {
                let (x, y) = (square % columns * field + part, square / columns * field + part);
                let pixel = picture.pixel(x as u32, y as u32).unwrap();
                u32::from_be_bytes([0, pixel.red(), pixel.green(), pixel.blue()])
            };
            assert_eq!([at(white, field / 2), at(to, field / 2)], [WHITE[0], BLACK[0]], "{}", variant.name);
            assert_eq!(at(black, field / 2 - field / 13), BLACK[1], "{}: the mark of a king", variant.name);
            assert_eq!([at(white, 2), at(from, 2), at(to, 2)], [DARK, FRAME, FRAME], "{}", variant.name);
            assert_eq!(at(from, field / 2), MOVED, "{}", variant.name);
        }
    }
}
