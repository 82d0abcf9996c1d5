//! What do many ranks amount to?

use serde::Serialize;

use super::rank::Rank;

/// Means over places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Figures {
    /// The mean of 1/rank.
    pub mrr: f64,
    /// The mean rank.
    pub mr: f64,
    /// The share of ranks up to 1, 3 and 10.
    pub hits: [f64; 3],
}

/// What many ranks amount to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// How many ranks there are.
    pub count: usize,
    /// The mean of 1/rank.
    pub mrr: f64,
    /// The mean rank.
    pub mr: f64,
    /// The share of ranks up to 1, 3 and 10.
    pub hits: [f64; 3],
    /// The same if the right answer came before all that have its score.
    pub best: Figures,
    /// The same if all that have its score came before it.
    pub worst: Figures,
}

impl Figures {
    /// The figures of some places.
    pub fn of(places: impl ExactSizeIterator<Item = f64> + Clone) -> Self {
        let count = places.len().max(1) as f64;
        let mean = |of: &dyn Fn(f64) -> f64| places.clone().map(of).sum::<f64>() / count;
        let hits = |most: f64| mean(&|place| f64::from(u8::from(place <= most)));
        Self {
            mrr: mean(&|place| 1.0 / place),
            mr: mean(&|place| place),
            hits: [hits(1.0), hits(3.0), hits(10.0)],
        }
    }
}

impl Metrics {
    /// The metrics of some places of which it is not known whether there were equals.
    pub fn of(places: &[f64]) -> Self {
        Self::without_ties(places.len(), Figures::of(places.iter().copied()))
    }

    /// The metrics of some ranks.
    pub fn of_ranks(ranks: &[Rank]) -> Self {
        let figures = |place: fn(Rank) -> f64| Figures::of(ranks.iter().map(move |&rank| place(rank)));
        let (best, worst) = (figures(Rank::best), figures(Rank::worst));
        Self { best, worst, ..Self::without_ties(ranks.len(), figures(Rank::mean)) }
    }

    /// The metrics of so many ranks without equals.
    pub fn without_ties(count: usize, figures: Figures) -> Self {
        let Figures { mrr, mr, hits } = figures;
        Self { count, mrr, mr, hits, best: figures, worst: figures }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_worked_by_hand() {
        let metrics = Metrics::of(&[1.0, 2.0, 20.0, 4.0]);
        assert_eq!((metrics.count, metrics.mr), (4, 6.75));
        assert!((metrics.mrr - (1.0 + 0.5 + 0.05 + 0.25) / 4.0).abs() < 1e-12);
        assert_eq!(metrics.hits, [0.25, 0.5, 0.75]);
        let figures = Figures { mrr: metrics.mrr, mr: metrics.mr, hits: metrics.hits };
        assert_eq!((metrics.best, metrics.worst), (figures, figures));
        assert_eq!(Metrics::of(&[]), Metrics::default());
        assert_eq!(Metrics::of_ranks(&[]), Metrics::default());
    }

    #[test]
    fn equals_are_in_the_middle_before_and_behind() {
        // Places 1 to 3, and 10 to 11.
        let metrics = Metrics::of_ranks(&[Rank { better: 0, equal: 2 }, Rank { better: 9, equal: 1 }]);
        assert_eq!((metrics.count, metrics.mr, metrics.hits), (2, 6.25, [0.0, 0.5, 0.5]));
        assert!((metrics.mrr - (1.0 / 2.0 + 1.0 / 10.5) / 2.0).abs() < 1e-12);
        assert_eq!((metrics.best.mr, metrics.best.hits), (5.5, [0.5, 0.5, 1.0]));
        assert!((metrics.best.mrr - (1.0 + 0.1) / 2.0).abs() < 1e-12);
        assert_eq!((metrics.worst.mr, metrics.worst.hits), (7.0, [0.0, 0.5, 0.5]));
        assert!((metrics.worst.mrr - (1.0 / 3.0 + 1.0 / 11.0) / 2.0).abs() < 1e-12);
    }
}
