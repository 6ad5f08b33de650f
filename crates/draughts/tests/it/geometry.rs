//! Boards of the standard, square by square: names in White's view, men at the start, and the first side to move. The tables are typed from
//! the drawings of the standard; nothing here is computed.

use draughts::{Color, GameType, Position, Variant};

use crate::setups;

/// Tag, its full form, the board in White's view, and the start.
const TAGS: [(&str, &str, &[&str], &str); 17] = [
    ("20,W,10,10,N2,0", "International", &TEN, "W:W31-50:B1-20"),
    ("21,B,8,8,N1,0", "English", &EIGHT, "B:W21-32:B1-12"),
    ("22,W,8,8,N2,1", "Italian", &ITALIAN, "W:W21-32:B1-12"),
    ("23,B,8,8,N1,0", "American pool", &EIGHT, "B:W21-32:B1-12"),
    ("23,W,8,8,A0,0", "unified pool, Zimbabwean", &LETTERS, ON_DARK_CORNERS),
    ("23,B,8,8,A1,1", "Jamaican", &JAMAICAN, BLACK_ON_A1),
    ("23,W,8,8,A1,1", "Jamaican before 2026", &JAMAICAN_BEFORE_2026, ON_DARK_CORNERS),
    ("24,W,8,8,N1,1", "Spanish", &SPANISH, "W:W1-12:B21-32"),
    ("25,W,8,8,A0,0", "Russian", &LETTERS, ON_DARK_CORNERS),
    ("26,W,8,8,A0,0", "Brazilian", &LETTERS, ON_DARK_CORNERS),
    ("27,W,12,12,N2,0", "Canadian", &CANADIAN, "W:W43-72:B1-30"),
    ("28,W,8,8,N1,1", "Portuguese", &SPANISH, "W:W1-12:B21-32"),
    ("29,W,8,8,A0,0", "Czech", &LETTERS, ON_DARK_CORNERS),
    ("30,W,8,8,A0,0", "Turkish", &TURKISH, TWO_FULL_ROWS),
    ("31,B,8,8,N2,0", "Thai", &THAI, "B:W1-8:B25-32"),
    ("40,W,10,10,N2,0", "Frisian", &TEN, "W:W31-50:B1-20"),
    ("41,W,10,8,A0,0", "Spantsiretti", &SPANTSIRETTI, FIFTEEN_A_SIDE),
];

const ON_DARK_CORNERS: &str = "W:Wa1,a3,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2:Ba7,b6,b8,c7,d6,d8,e7,f6,f8,g7,h6,h8";
const BLACK_ON_A1: &str = "B:Wa7,b6,b8,c7,d6,d8,e7,f6,f8,g7,h6,h8:Ba1,a3,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2";
const TWO_FULL_ROWS: &str = "W:Wa2,b2,c2,d2,e2,f2,g2,h2,a3,b3,c3,d3,e3,f3,g3,h3\
                             :Ba6,b6,c6,d6,e6,f6,g6,h6,a7,b7,c7,d7,e7,f7,g7,h7";
const FIFTEEN_A_SIDE: &str = "W:Wa1,a3,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2,i1,i3,j2\
                              :Ba7,b6,b8,c7,d6,d8,e7,f6,f8,g7,h6,h8,i7,j6,j8";

#[test]
fn squares_of_every_tag_are_named_as_drawn() {
    for (tag, name, board, _) in TAGS {
        let geometry = &Variant::from_tag(tag).unwrap().geometry;
        let mut squares = 0;
        assert_eq!(geometry.height(), board.len(), "{name}");
        for (row, line) in board.iter().enumerate() {
            let drawn: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(geometry.width(), drawn.len(), "{name} row {row}");
            for (column, &drawn) in drawn.iter().enumerate() {
                let square = geometry.square_at(row, column);
                assert_eq!(
                    square.map_or(".", |square| geometry.name(square)),
                    drawn,
                    "{name} row {row} column {column}"
                );
                if let Some(square) = square {
                    assert_eq!(geometry.square(drawn), Some(square), "{name}");
                    assert_eq!(geometry.row_and_column(square), (row, column), "{name}");
                    squares += 1;
                }
            }
        }
        assert_eq!(geometry.count(), squares, "{name}");
    }
}

#[test]
fn every_tag_starts_as_drawn() {
    for (tag, name, _, start) in TAGS {
        let variant = Variant::from_tag(tag).unwrap();
        assert_eq!(Some(Position::start(variant).setup()), setups::read(variant, start), "{name}");
        let starter = if start.starts_with('W') { Color::White } else { Color::Black };
        assert_eq!(variant.game_type.starter(), starter, "{name}");
    }
}

/// A bare number means the first tag of the table with that number.
#[test]
fn bare_numbers_expand_to_default() {
    for number in [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 40, 41] {
        let (tag, ..) = TAGS.iter().find(|(tag, ..)| tag.starts_with(&number.to_string())).unwrap();
        let bare: GameType = number.to_string().parse().unwrap();
        assert_eq!(bare.to_string(), *tag);
    }
    assert_eq!(Variant::all().count(), 14);
}

/// Tags found in files but in no table: International numbered from the bottom right, English with letters ...
#[test]
fn any_valid_tag_makes_playable_board() {
    let corners = |tag: &str| {
        let geometry = &Variant::from_tag(tag).unwrap().geometry;
        let name = |row, column| geometry.square_at(row, column).map_or(".", |square| geometry.name(square)).to_owned();
        let (bottom, right) = (geometry.height() - 1, geometry.width() - 1);
        [name(0, 0), name(0, right), name(bottom, 0), name(bottom, right)].join(" ")
    };
    assert_eq!(corners("20,W,10,10,N1,0"), ". 46 5 .");
    assert_eq!(corners("20,W,10,10,N0,0"), ". 50 1 .");
    assert_eq!(corners("20,W,10,10,N3,0"), ". 1 50 .");
    assert_eq!(corners("20,B,10,10,N2,0"), ". 46 5 .");
    assert_eq!(corners("20,W,10,10,N2,1"), "1 . . 50");
    assert_eq!(corners("21,W,8,8,A0,0"), ". h8 a1 .");
    for number in [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 31, 40, 41] {
        for size in ["4,4", "6,4", "8,8", "8,10", "10,8", "10,10", "12,10", "12,12"] {
            for starter in ["W", "B"] {
                for notation in ["A0", "A1", "A2", "A3", "N0", "N1", "N2", "N3"] {
                    for inverted in [0, 1] {
                        let tag = format!("{number},{starter},{size},{notation},{inverted}");
                        let start = Position::start(Variant::from_tag(&tag).unwrap());
                        assert!(!start.legal_moves().is_empty(), "{tag}");
                    }
                }
            }
        }
    }
}

/// 20 and 40: numbers from the top left, the bottom-left corner is played.
const TEN: [&str; 10] = [
    "  .   1   .   2   .   3   .   4   .   5",
    "  6   .   7   .   8   .   9   .  10   .",
    "  .  11   .  12   .  13   .  14   .  15",
    " 16   .  17   .  18   .  19   .  20   .",
    "  .  21   .  22   .  23   .  24   .  25",
    " 26   .  27   .  28   .  29   .  30   .",
    "  .  31   .  32   .  33   .  34   .  35",
    " 36   .  37   .  38   .  39   .  40   .",
    "  .  41   .  42   .  43   .  44   .  45",
    " 46   .  47   .  48   .  49   .  50   .",
];

/// 21 and 23: Black has 1 to 12 and moves first; the board lies as in type 20.
const EIGHT: [&str; 8] = [
    "  .   1   .   2   .   3   .   4",
    "  5   .   6   .   7   .   8   .",
    "  .   9   .  10   .  11   .  12",
    " 13   .  14   .  15   .  16   .",
    "  .  17   .  18   .  19   .  20",
    " 21   .  22   .  23   .  24   .",
    "  .  25   .  26   .  27   .  28",
    " 29   .  30   .  31   .  32   .",
];

/// 22: the corner at White's left is not played, square 1 is a corner.
const ITALIAN: [&str; 8] = [
    "  1   .   2   .   3   .   4   .",
    "  .   5   .   6   .   7   .   8",
    "  9   .  10   .  11   .  12   .",
    "  .  13   .  14   .  15   .  16",
    " 17   .  18   .  19   .  20   .",
    "  .  21   .  22   .  23   .  24",
    " 25   .  26   .  27   .  28   .",
    "  .  29   .  30   .  31   .  32",
];

/// 24 and 28: square 1 at White's right, the long diagonal to White's right.
const SPANISH: [&str; 8] = [
    " 32   .  31   .  30   .  29   .",
    "  .  28   .  27   .  26   .  25",
    " 24   .  23   .  22   .  21   .",
    "  .  20   .  19   .  18   .  17",
    " 16   .  15   .  14   .  13   .",
    "  .  12   .  11   .  10   .   9",
    "  8   .   7   .   6   .   5   .",
    "  .   4   .   3   .   2   .   1",
];

/// 23 unified and Zimbabwean, 25, 26, 29: as a chess board.
const LETTERS: [&str; 8] = [
    "  .  b8   .  d8   .  f8   .  h8",
    " a7   .  c7   .  e7   .  g7   .",
    "  .  b6   .  d6   .  f6   .  h6",
    " a5   .  c5   .  e5   .  g5   .",
    "  .  b4   .  d4   .  f4   .  h4",
    " a3   .  c3   .  e3   .  g3   .",
    "  .  b2   .  d2   .  f2   .  h2",
    " a1   .  c1   .  e1   .  g1   .",
];

/// 23 Jamaican: Black moves first, so a1 is seen from Black's seat.
const JAMAICAN: [&str; 8] = [
    " a1   .  c1   .  e1   .  g1   .",
    "  .  b2   .  d2   .  f2   .  h2",
    " a3   .  c3   .  e3   .  g3   .",
    "  .  b4   .  d4   .  f4   .  h4",
    " a5   .  c5   .  e5   .  g5   .",
    "  .  b6   .  d6   .  f6   .  h6",
    " a7   .  c7   .  e7   .  g7   .",
    "  .  b8   .  d8   .  f8   .  h8",
];

/// 23 Jamaican in the standard before 2026: White moves first, a1 at White's right.
const JAMAICAN_BEFORE_2026: [&str; 8] = [
    " h8   .  f8   .  d8   .  b8   .",
    "  .  g7   .  e7   .  c7   .  a7",
    " h6   .  f6   .  d6   .  b6   .",
    "  .  g5   .  e5   .  c5   .  a5",
    " h4   .  f4   .  d4   .  b4   .",
    "  .  g3   .  e3   .  c3   .  a3",
    " h2   .  f2   .  d2   .  b2   .",
    "  .  g1   .  e1   .  c1   .  a1",
];

/// 27: 72 squares.
const CANADIAN: [&str; 12] = [
    "  .   1   .   2   .   3   .   4   .   5   .   6",
    "  7   .   8   .   9   .  10   .  11   .  12   .",
    "  .  13   .  14   .  15   .  16   .  17   .  18",
    " 19   .  20   .  21   .  22   .  23   .  24   .",
    "  .  25   .  26   .  27   .  28   .  29   .  30",
    " 31   .  32   .  33   .  34   .  35   .  36   .",
    "  .  37   .  38   .  39   .  40   .  41   .  42",
    " 43   .  44   .  45   .  46   .  47   .  48   .",
    "  .  49   .  50   .  51   .  52   .  53   .  54",
    " 55   .  56   .  57   .  58   .  59   .  60   .",
    "  .  61   .  62   .  63   .  64   .  65   .  66",
    " 67   .  68   .  69   .  70   .  71   .  72   .",
];

/// 30: all squares are played.
const TURKISH: [&str; 8] = [
    " a8  b8  c8  d8  e8  f8  g8  h8",
    " a7  b7  c7  d7  e7  f7  g7  h7",
    " a6  b6  c6  d6  e6  f6  g6  h6",
    " a5  b5  c5  d5  e5  f5  g5  h5",
    " a4  b4  c4  d4  e4  f4  g4  h4",
    " a3  b3  c3  d3  e3  f3  g3  h3",
    " a2  b2  c2  d2  e2  f2  g2  h2",
    " a1  b1  c1  d1  e1  f1  g1  h1",
];

/// 31: Black moves first; the first square is at Black's top left, White's bottom right.
const THAI: [&str; 8] = [
    "  .  32   .  31   .  30   .  29",
    " 28   .  27   .  26   .  25   .",
    "  .  24   .  23   .  22   .  21",
    " 20   .  19   .  18   .  17   .",
    "  .  16   .  15   .  14   .  13",
    " 12   .  11   .  10   .   9   .",
    "  .   8   .   7   .   6   .   5",
    "  4   .   3   .   2   .   1   .",
];

/// 41: ten files, eight ranks.
const SPANTSIRETTI: [&str; 8] = [
    "  .  b8   .  d8   .  f8   .  h8   .  j8",
    " a7   .  c7   .  e7   .  g7   .  i7   .",
    "  .  b6   .  d6   .  f6   .  h6   .  j6",
    " a5   .  c5   .  e5   .  g5   .  i5   .",
    "  .  b4   .  d4   .  f4   .  h4   .  j4",
    " a3   .  c3   .  e3   .  g3   .  i3   .",
    "  .  b2   .  d2   .  f2   .  h2   .  j2",
    " a1   .  c1   .  e1   .  g1   .  i1   .",
];
