//! What is known about a pair of graphs from outside them?

use super::learned::Learned;
use super::{Candidates, Column};

/// A trained model, and links by way of other graphs.
#[derive(Debug, Default)]
pub struct Outside<'a> {
    /// What a trained model says about the two graphs.
    pub learned: Option<&'a Learned<'a>>,
    /// Pairs that links by way of other graphs speak for, and how likely these make them: sorted, each once.
    pub through: Vec<(u32, u32, f32)>,
}

/// A link by way of other graphs speaks for a pair by at most so many nats: links that are said to be known may be wrong too.
const MOST: f32 = 7.0;

impl Outside<'_> {
    /// −ln(1 − P) of the pairs that other graphs speak for.
    pub(super) fn column(&self, candidates: &Candidates) -> Column {
        let of = |pair: (u32, u32)| {
            let at = self.through.binary_search_by_key(&pair, |link| (link.0, link.1)).ok()?;
            Some((-(1.0 - self.through[at].2).max(1e-6).ln()).min(MOST))
        };
        let values = candidates.map(|_, pair| of(pair).unwrap_or(f32::NAN));
        Column { name: "graphs: agree".to_owned(), values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_graphs_speak_in_nats_and_within_bounds() {
        let outside = Outside { learned: None, through: vec![(0, 2, 0.5), (1, 0, 1.0)] };
        let candidates = Candidates::of(2, vec![(0, 1), (0, 2), (1, 0)]);
        let found = outside.column(&candidates).values;
        assert!(found[0].is_nan());
        assert!((found[1] - 2f32.ln()).abs() < 1e-6);
        assert_eq!(found[2], MOST);
    }
}
