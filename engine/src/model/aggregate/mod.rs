//! How does a context become one vector? (Eq. 4)
//!
//! One aggregator, one file. [`mean`] and [`max`] are what the paper's model uses; [`listed`] is the door to all of them,
//! with or without attention.

mod attention;
pub mod listed;
mod lstm;
pub mod max;
pub mod mean;
mod pieces;
mod pooling;

/// How a context becomes one vector. Matrices are row after row, w is the width of the components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregator {
    /// The mean.
    Mean,
    /// The largest in each place.
    Max,
    /// The largest in each place of f(W v + b) (GraphSAGE). Learns W (w × w), then b (w).
    Pooling,
    /// The last hidden state of an LSTM that reads the components in the order of their list (GraphSAGE). Learns
    /// W_x (4w × w), then W_h (4w × w), then b (4w); the rows of each are those of the gates i, f, g and o, w of each.
    Lstm,
}

impl Aggregator {
    /// How many numbers it learns for components of this width: one flat table.
    pub fn parameters(self, width: usize) -> usize {
        match self {
            Self::Mean | Self::Max => 0,
            Self::Pooling => width * width + width,
            Self::Lstm => 2 * 4 * width * width + 4 * width,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Aggregator;

    #[test]
    fn the_numbers_that_are_learnt_are_those_of_the_layout() {
        let learnt = |width| {
            [Aggregator::Mean, Aggregator::Max, Aggregator::Pooling, Aggregator::Lstm]
                .map(|aggregator| aggregator.parameters(width))
        };
        assert_eq!(learnt(1), [0, 0, 2, 12]);
        assert_eq!(learnt(3), [0, 0, 12, 84]);
    }
}
