//! Which settings does every row try?
//!
//! A fixed list of the same length for every row, so that none is better for having been tuned longer. It is about what
//! matters most and depends most on the model: how large steps are, and how much is left out of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::assess::differences;
use crate::config::{Config, ModelKind};

/// One entry of the list, in terms of the settings that all rows share.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Try {
    /// What `optimizer.rate` is multiplied by.
    rate: f64,
    /// How much is left out of a step: both dropouts.
    leaving_out: Level,
}

/// How much of something there is, beside the shared settings.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Level {
    /// As in the shared settings.
    Shared,
    /// Not at all; or, where that is shared already, a little.
    None,
    /// More.
    More,
}

/// The list, the shared settings first, then one thing at a time. Steps three times as large or small, nothing left out
/// or a fifth of what is still there in addition: coarse enough for every try to matter.
const TRIES: [Try; 9] = [
    Try { rate: 1.0, leaving_out: Level::Shared },
    Try { rate: 3.0, leaving_out: Level::Shared },
    Try { rate: 1.0, leaving_out: Level::None },
    Try { rate: 1.0, leaving_out: Level::More },
    Try { rate: 0.3, leaving_out: Level::Shared },
    Try { rate: 3.0, leaving_out: Level::More },
    Try { rate: 0.3, leaving_out: Level::None },
    Try { rate: 3.0, leaving_out: Level::None },
    Try { rate: 0.3, leaving_out: Level::More },
];

/// How many settings there are to try.
pub const MOST_TRIES: usize = TRIES.len();

/// How a try went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What it had other than the row has by itself.
    pub settings: BTreeMap<String, String>,
    /// Its best validation; none where it diverged.
    pub validation: Option<f64>,
}

impl Tried {
    /// A try of a row with these settings.
    pub(super) fn new(own: &Config, tried: &Config, validation: Option<f64>) -> Self {
        Self { settings: differences(tried, own).into_iter().collect(), validation }
    }
}

/// The settings of a try, counted from 0.
pub(super) fn tried(config: &Config, number: usize) -> Config {
    // The first is what the row has by itself, to the last bit.
    let Some(asked) = TRIES.get(number).filter(|_| number > 0) else { return config.clone() };
    let mut config = config.clone();
    config.optimizer.rate = rounded(config.optimizer.rate * asked.rate);
    // GAKE has weights among its numbers, which cannot be left out. What it has instead is how much contexts count.
    if config.model.kind == ModelKind::Gake {
        let more = |weight: f64| rounded(weight * 3.0);
        let own = [config.loss.paths, config.loss.edges];
        [config.loss.paths, config.loss.edges] = asked.leaving_out.of(own, [0.1, 0.3], more);
    } else {
        let regularization = &mut config.regularization;
        let more = |dropout: f64| rounded(dropout + (1.0 - dropout) * 0.2);
        let own = [regularization.dropout, regularization.relation_dropout];
        let found = asked.leaving_out.of(own, [0.2, 0.4], more);
        [regularization.dropout, regularization.relation_dropout] = found;
    }
    config
}

impl Level {
    /// Two settings at this level; where both are nothing by themselves, they are `little` or `much` instead.
    fn of(self, own: [f64; 2], [little, much]: [f64; 2], more: impl Fn(f64) -> f64) -> [f64; 2] {
        let is_nothing = own == [0.0; 2];
        match self {
            Self::Shared => own,
            Self::None if is_nothing => [little; 2],
            Self::None => [0.0; 2],
            Self::More if is_nothing => [much; 2],
            Self::More => own.map(more),
        }
    }
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
    use crate::reproduce::rows::{Learning, Row};

    #[test]
    fn the_first_try_is_the_preset_and_no_two_are_alike() {
        for preset in ["default", "paper"] {
            let own = Config::preset(preset).unwrap();
            let all: Vec<Config> = (0..MOST_TRIES).map(|number| tried(&own, number)).collect();
            assert_eq!(all[0], own);
            let mut with_many_digits = own.clone();
            with_many_digits.optimizer.rate = 0.001_234_567_891_2;
            assert_eq!(tried(&with_many_digits, 0), with_many_digits);
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
        assert_eq!(numbers(1), (0.015, 0.15, 0.4));
        assert_eq!(numbers(2), (0.005, 0.0, 0.0));
        assert_eq!(numbers(3), (0.005, 0.32, 0.52));
        assert_eq!(numbers(4), (0.0015, 0.15, 0.4));
        assert_eq!(numbers(8), (0.0015, 0.32, 0.52));
        own.regularization.dropout = 0.0;
        assert_eq!(tried(&own, 2).regularization.relation_dropout, 0.0);
        assert_eq!(tried(&own, 3).regularization.dropout, 0.2);
    }

    #[test]
    fn gake_weighs_its_contexts_instead() {
        let shared = Config::preset("default").unwrap();
        let own = Row::Gake.config(&shared, Learning::Unsupervised).unwrap();
        let all: Vec<Config> = (0..MOST_TRIES).map(|number| tried(&own, number)).collect();
        let numbers = |number: usize| {
            let Config { optimizer, loss, regularization, .. } = &all[number];
            assert_eq!((regularization.dropout, regularization.relation_dropout), (0.0, 0.0));
            (optimizer.rate, loss.paths, loss.edges)
        };
        assert_eq!(
            [0, 1, 2, 3].map(numbers),
            [(0.005, 0.1, 0.1), (0.015, 0.1, 0.1), (0.005, 0.0, 0.0), (0.005, 0.3, 0.3)]
        );
        for (at, config) in all.iter().enumerate() {
            config.check().unwrap();
            assert!(!all[..at].contains(config), "try {at} came before");
        }
    }

    #[test]
    fn a_try_names_what_it_changed() {
        let own = Config::preset("default").unwrap();
        let settings = |number: usize| Tried::new(&own, &tried(&own, number), None).settings;
        assert_eq!(settings(0), BTreeMap::new());
        assert_eq!(settings(1), [("optimizer.rate".to_owned(), "0.015".to_owned())].into());
    }

    #[test]
    fn the_best_try_is_the_first_of_the_highest() {
        let of = |values: &[Option<f64>]| {
            let tries: Vec<Tried> =
                values.iter().map(|&validation| Tried { settings: BTreeMap::new(), validation }).collect();
            best(&tries)
        };
        assert_eq!(of(&[Some(0.2), Some(0.4), Some(0.4), Some(0.1)]), 1);
        assert_eq!(of(&[None, Some(0.1), None]), 1);
        assert_eq!(of(&[None, None]), 0);
    }
}
