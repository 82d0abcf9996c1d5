//! Which settings does every row try?
//!
//! A fixed list, the same for every row, so that none is better for having been tuned longer. It is about what matters
//! most and depends most on the model: how large steps are, and how much is left out of them.

use serde::{Deserialize, Serialize};

use crate::config::{Config, ModelKind};

/// One entry of the list, in terms of the settings that all rows share.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Try {
    /// What `optimizer.rate` is multiplied by.
    rate: f64,
    /// How far both dropouts move from where they are towards 1.
    dropout: f64,
}

/// The list, the shared settings first. Steps three times as large or small, and a fifth or two fifths of what is
/// still there left out in addition: coarse enough for every try to matter.
const TRIES: [Try; 9] = [
    Try { rate: 1.0, dropout: 0.0 },
    Try { rate: 0.3, dropout: 0.0 },
    Try { rate: 3.0, dropout: 0.0 },
    Try { rate: 1.0, dropout: 0.2 },
    Try { rate: 0.3, dropout: 0.2 },
    Try { rate: 3.0, dropout: 0.2 },
    Try { rate: 1.0, dropout: 0.4 },
    Try { rate: 0.3, dropout: 0.4 },
    Try { rate: 3.0, dropout: 0.4 },
];

/// How many settings there are to try.
pub const MOST_TRIES: usize = TRIES.len();

/// How a try went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// Its `optimizer.rate`.
    pub rate: f64,
    /// Its `regularization.dropout`.
    pub dropout: f64,
    /// Its best validation; none where it diverged.
    pub validation: Option<f64>,
}

/// The settings of a try, counted from 0.
pub(super) fn tried(config: &Config, number: usize) -> Config {
    let Some(asked) = TRIES.get(number) else { return config.clone() };
    let mut config = config.clone();
    let towards_1 = |dropout: f64| rounded(dropout + (1.0 - dropout) * asked.dropout);
    config.optimizer.rate = rounded(config.optimizer.rate * asked.rate);
    // GAKE has weights among its numbers, which cannot be left out: its tries differ in the rate alone.
    if config.model.kind == ModelKind::Gake {
        return config;
    }
    config.regularization.dropout = towards_1(config.regularization.dropout);
    config.regularization.relation_dropout = towards_1(config.regularization.relation_dropout);
    config
}

/// The try with the best validation, counted from 0: the first of equals, and the first of all if every one diverged.
pub(super) fn best(tries: &[Tried]) -> usize {
    let mut best = 0;
    for (at, own) in tries.iter().enumerate() {
        let is_better = match (own.validation, tries[best].validation) {
            (Some(own), Some(best)) => own > best,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if is_better {
            best = at;
        }
    }
    best
}

/// Without the last bits, which nobody meant: 0.005 · 0.3 is 0.0015.
fn rounded(number: f64) -> f64 {
    format!("{number:.6e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_try_is_the_preset_and_no_two_are_alike() {
        for preset in ["default", "paper"] {
            let own = Config::preset(preset).unwrap();
            let all: Vec<Config> = (0..MOST_TRIES).map(|number| tried(&own, number)).collect();
            assert_eq!(all[0], own);
            for (at, config) in all.iter().enumerate() {
                config.check().unwrap();
                assert!(!all[..at].contains(config), "{preset}: try {at} came before");
            }
        }
    }

    #[test]
    fn tries_have_the_numbers_of_the_list() {
        let mut own = Config::preset("default").unwrap();
        own.optimizer.rate = 0.005;
        (own.regularization.dropout, own.regularization.relation_dropout) = (0.15, 0.4);
        let numbers = |number: usize| {
            let config = tried(&own, number);
            (config.optimizer.rate, config.regularization.dropout, config.regularization.relation_dropout)
        };
        assert_eq!(numbers(1), (0.0015, 0.15, 0.4));
        assert_eq!(numbers(2), (0.015, 0.15, 0.4));
        assert_eq!(numbers(3), (0.005, 0.32, 0.52));
        assert_eq!(numbers(8), (0.015, 0.49, 0.64));
    }

    #[test]
    fn the_best_try_is_the_first_of_the_highest() {
        let of = |values: &[Option<f64>]| {
            let tries: Vec<Tried> =
                values.iter().map(|&validation| Tried { rate: 1.0, dropout: 0.0, validation }).collect();
            best(&tries)
        };
        assert_eq!(of(&[Some(0.2), Some(0.4), Some(0.4), Some(0.1)]), 1);
        assert_eq!(of(&[None, Some(0.1), None]), 1);
        assert_eq!(of(&[None, None]), 0);
    }
}
