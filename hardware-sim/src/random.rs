//! The only source of randomness: a small seeded generator.
//!
//! All simulated hands, clocks and cables draw from an [`Rng`]. The same seed gives the same draws on every machine and with every version
//! of the standard library. A test prints its seed, which is enough to replay a failed game.
//!
//! Invariants: no draw depends on time, addresses or the order of a hash map; no floating-point function whose last bit may differ between
//! machines is used (`exp` and the bell curve use only additions and multiplications); [`Rng::chance`] consumes the same amount of
//! randomness for every probability, so raising one rate disturbs the other draws as little as possible.
//!
//! Source: xoshiro256** and splitmix64 (Blackman and Vigna, public domain algorithms), reimplemented.

/// An inclusive range of whole milliseconds (or other small numbers) for uniform draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Smallest value.
    pub min: u32,
    /// Largest value; treated as `min` if smaller than `min`.
    pub max: u32,
}

impl Span {
    /// Creates the range from `min` to `max`, both included.
    pub const fn new(min: u32, max: u32) -> Span {
        Span { min, max }
    }

    /// Creates the range of one value.
    pub const fn just(value: u32) -> Span {
        Span { min: value, max: value }
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.min, self.max)
    }
}

/// A seeded generator; a clone produces the same draws.
#[derive(Debug, Clone)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// Creates a generator determined by `seed`.
    pub fn new(seed: u64) -> Rng {
        let mut x = seed;
        Rng { state: std::array::from_fn(|_| splitmix(&mut x)) }
    }

    /// Creates an independent generator for one purpose. The same seed and label give the same stream, and draws from one stream never
    /// shift another: the cable's faults do not affect the hands.
    pub fn stream(seed: u64, label: &str) -> Rng {
        let mixed = label.bytes().fold(seed ^ 0x9e37_79b9_7f4a_7c15, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        });
        Rng::new(mixed)
    }

    /// Returns 64 uniform bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Returns a number from 0 to `bound - 1`; 0 if `bound` is 0. The bias of the multiplication is below 2^-32 for the small bounds used
    /// here.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Draws uniformly from a range, both ends included.
    pub fn span(&mut self, span: Span) -> u64 {
        u64::from(span.min) + self.below(u64::from(span.max.saturating_sub(span.min)) + 1)
    }

    /// Draws uniformly from `min..=max`.
    pub fn between(&mut self, min: u32, max: u32) -> u64 {
        self.span(Span::new(min, max))
    }

    /// Returns `true` with the given probability (0 never, 1 always).
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a number from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns one of the items, or `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let index = self.below(items.len() as u64) as usize;
        items.get(index)
    }

    /// Shuffles the items uniformly.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i as u64 + 1) as usize;
            items.swap(i, j);
        }
    }

    /// Draws around `median` with a normally distributed logarithm, the shape of human reaction times. Limited to `median / 10 ..= 6 *
    /// median`, because a hand that takes a minute for a step is a separate fault.
    pub fn log_normal(&mut self, median: u32, spread: f64) -> u64 {
        // The sum of twelve uniform draws minus six has mean 0 and deviation 1, and is exact on every machine.
        let bell: f64 = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
        let factor = exp(bell * spread).clamp(0.1, 6.0);
        (f64::from(median) * factor) as u64
    }
}

fn splitmix(x: &mut u64) -> u64 {
    *x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *x;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns `e^x` to three digits, by (1 + x/1024)^1024: precise enough for human times, and equal on every machine.
fn exp(x: f64) -> f64 {
    let mut power = 1.0 + x / 1024.0;
    for _ in 0..10 {
        power *= power;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_matches_published_numbers() {
        let mut x = 1_234_567;
        assert_eq!(splitmix(&mut x), 6_457_827_717_110_365_317);
        assert_eq!(splitmix(&mut x), 3_203_168_211_198_807_973);
    }

    #[test]
    fn seed_and_label_determine_stream() {
        let draw = |mut rng: Rng| (0..20).map(|_| rng.next_u64()).collect::<Vec<_>>();
        assert_eq!(draw(Rng::new(7)), draw(Rng::new(7)));
        assert_ne!(draw(Rng::new(7)), draw(Rng::new(8)));
        assert_ne!(draw(Rng::stream(7, "hand")), draw(Rng::stream(7, "wire")));
    }

    #[test]
    fn draws_stay_in_bounds() {
        let mut rng = Rng::new(1);
        let drawn: Vec<u64> = (0..2000).map(|_| rng.between(200, 250)).collect();
        assert_eq!(drawn.iter().min(), Some(&200));
        assert_eq!(drawn.iter().max(), Some(&250));
        assert!((0..100).all(|_| !rng.chance(0.0) && rng.chance(1.0)));
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.pick::<u8>(&[]), None);
    }

    #[test]
    fn hand_times_have_stated_median() {
        let mut rng = Rng::new(3);
        let mut drawn: Vec<u64> = (0..4001).map(|_| rng.log_normal(400, 0.4)).collect();
        drawn.sort_unstable();
        assert!((380..420).contains(&drawn[2000]), "median {}", drawn[2000]);
        // One deviation above the median: 400 * e^0.4 = 597.
        assert!((570..625).contains(&drawn[3366]), "84th percentile {}", drawn[3366]);
    }
}
