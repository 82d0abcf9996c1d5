//! Whom does a thing know?
//!
//! Things live in communities, and some are far better known than others. A draw goes either to the own
//! community or to everybody by fame; one roll of 64 bits decides all of it, so both catalogues that draw with
//! the same roll meet the same thing.

use super::super::scale::{Catalogue, Census, Class, Members, Object, Region};

/// Bits of a roll: 0-7 choose the region, 8-15 near or far, 16-31 are the catalogues', 40-63 the member.
const NEAR_OF_256: u64 = 140;
const SHARED_OF_256: u64 = 180;
const SHARED_SEEN_FROM_ALONE_OF_256: u64 = 90;

/// The members of one class in one region, with the order of their fame.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: u32,
    len: u32,
    step: u32,
    back: u32,
}

impl Span {
    fn new(members: Members, region: Region) -> Self {
        let range = members.range(region);
        let len = range.len() as u32;
        // Fame must not follow the numbers, which begin with the shared things: stride through them instead.
        let mut step = (u64::from(len) * 618 / 1000) as u32 + 1;
        while len > 1 && greatest_common_divisor(step, len) != 1 {
            step += 1;
        }
        Self { start: range.start, len, step, back: inverse(step, len) }
    }

    fn by_fame(self, rank: u32) -> u32 {
        self.start + ((u64::from(rank) * u64::from(self.step)) % u64::from(self.len.max(1))) as u32
    }

    fn rank(self, index: u32) -> u32 {
        let offset = index.saturating_sub(self.start);
        ((u64::from(offset) * u64::from(self.back)) % u64::from(self.len.max(1))) as u32
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The number whose product with `a` leaves 1 when divided by `n`; `a` and `n` share no divisor.
fn inverse(a: u32, n: u32) -> u32 {
    let (mut r, mut next_r) = (i64::from(n), i64::from(a));
    let (mut t, mut next_t) = (0i64, 1i64);
    while next_r != 0 {
        let quotient = r / next_r;
        (t, next_t) = (next_t, t - quotient * next_t);
        (r, next_r) = (next_r, r - quotient * next_r);
    }
    t.rem_euclid(i64::from(n.max(1))) as u32
}

/// Everybody there is to be drawn.
#[derive(Debug, Clone)]
pub(crate) struct Pools {
    spans: [[Span; 3]; Class::ALL.len()],
    communities: u32,
}

impl Pools {
    /// The pools of a world.
    pub(crate) fn new(census: &Census) -> Self {
        let spans = Class::ALL.map(|class| Region::ALL.map(|region| Span::new(census.of(class), region)));
        Self { spans, communities: (census.of(Class::Film).range(Region::Both).len() as u32 / 40).max(2) }
    }

    fn span(&self, class: Class, region: Region) -> Span {
        self.spans[class as usize][region as usize]
    }

    /// How well known a thing is: 16 for the least known, growing with the root of its rank.
    pub(crate) fn fame(&self, class: Class, region: Region, index: u32) -> u32 {
        let span = self.span(class, region);
        let share = f64::from(span.len.max(1)) / f64::from(span.rank(index) + 1);
        (16.0 * share.sqrt()) as u32
    }

    /// Someone of class `to` whom a thing is in touch with, wherever that is catalogued.
    pub(crate) fn draw(&self, from: Object, seen_from: Region, to: Class, roll: u64) -> u32 {
        let share = roll & 0xFF;
        let region = match seen_from {
            Region::Both if share < SHARED_OF_256 => Region::Both,
            Region::Both if share < (256 + SHARED_OF_256) / 2 => Region::ScreenOnly,
            Region::Both => Region::ReelOnly,
            _ if share < SHARED_SEEN_FROM_ALONE_OF_256 => Region::Both,
            alone => alone,
        };
        self.draw_in(from, seen_from, to, region, roll)
    }

    /// Someone of class `to` whom a thing is in touch with, among those in one catalogue.
    pub(crate) fn draw_from(
        &self,
        catalogue: Catalogue,
        from: Object,
        seen_from: Region,
        to: Class,
        roll: u64,
    ) -> u32 {
        let shared = if seen_from == Region::Both { SHARED_OF_256 } else { SHARED_SEEN_FROM_ALONE_OF_256 };
        let region = if roll & 0xFF < shared { Region::Both } else { Region::alone(catalogue) };
        self.draw_in(from, seen_from, to, region, roll)
    }

    /// Someone of class `to` in a region.
    pub(crate) fn draw_in(
        &self,
        from: Object,
        seen_from: Region,
        to: Class,
        region: Region,
        roll: u64,
    ) -> u32 {
        let mut span = self.span(to, region);
        if span.len == 0 {
            span = self.span(to, Region::Both);
        }
        let unit = (roll >> 40) as f64 / (1u64 << 24) as f64;
        let near = (roll >> 8) & 0xFF < NEAR_OF_256;
        if near && span.len >= 4 * self.communities {
            let home = from.index.saturating_sub(self.span(from.class, seen_from).start) % self.communities;
            let neighbours = (span.len - home).div_ceil(self.communities);
            return span.start
                + home
                + self.communities * (f64::from(neighbours) * unit * unit.sqrt()) as u32;
        }
        // The exponent sets how far the famous stand out: at 2.5 the first of a thousand has a draw in sixteen.
        span.by_fame((f64::from(span.len) * unit * unit * unit.sqrt()) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::scale::Scale;
    use super::*;

    #[test]
    fn fame_is_a_permutation() {
        let census = Scale::Small.census();
        for class in Class::ALL {
            for region in Region::ALL {
                let span = Span::new(census.of(class), region);
                let mut met: Vec<u32> = (0..span.len).map(|rank| span.by_fame(rank)).collect();
                assert!(met.iter().enumerate().all(|(rank, &index)| span.rank(index) == rank as u32));
                met.sort_unstable();
                assert!(met.into_iter().eq(census.of(class).range(region)));
            }
        }
    }

    #[test]
    fn draws_stay_in_their_region() {
        let census = Scale::Small.census();
        let pools = Pools::new(&census);
        let film = Object { class: Class::Film, index: 5 };
        for step in 0..5000u64 {
            let roll = step.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let person = pools.draw_from(Catalogue::Reel, film, Region::Both, Class::Person, roll);
            assert!(census.of(Class::Person).holds(Catalogue::Reel, person));
        }
    }
}
