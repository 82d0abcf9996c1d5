//! Which choices are possible together?

use super::{
    Aggregation, Config, Corrupt, InitialFrom, LinkageNegatives, LossKind, ModelKind, NegativeKind, Score,
};
use crate::error::{Error, Result};

/// What is wrong, and the keys that it comes from: the one that is named first, then others that take part.
#[derive(Debug, PartialEq)]
pub(super) struct Problem {
    pub(super) keys: Vec<&'static str>,
    pub(super) message: String,
}

impl Config {
    /// Whether all values are in range and go together.
    pub fn check(&self) -> Result<()> {
        self.find_problem().map_err(|problem| Error::Usage(problem.message))
    }

    pub(super) fn find_problem(&self) -> Result<(), Problem> {
        self.check_sizes()?;
        self.check_kind()?;
        self.check_numbers()?;
        self.check_initial()?;
        self.check_contexts()?;
        self.check_negatives()?;
        self.check_loss()?;
        self.check_linkage()
    }

    fn check_sizes(&self) -> Result<(), Problem> {
        let model = &self.model;
        let sizes = [
            ("model.entity", model.entity),
            ("model.relation", model.relation),
            ("model.type", model.class),
            ("model.attribute", model.attribute),
            ("model.hidden", model.hidden),
            ("model.features", model.features),
            ("training.batch", self.training.batch),
            ("training.epochs", self.training.epochs),
        ];
        for (key, size) in sizes {
            at_least_1(key, size)?;
            let most = match key {
                // Features, and the steps of all epochs, are numbered.
                "model.features" | "training.epochs" => u32::MAX as usize,
                "training.batch" => MOST_AT_ONCE,
                _ => MOST_NUMBERS,
            };
            at_most(key, size, most)?;
        }
        Ok(())
    }

    /// What the models that LinkNBed is compared with ask for.
    fn check_kind(&self) -> Result<(), Problem> {
        let (kind, model) = (self.model.kind, &self.model);
        if kind == ModelKind::LinkNBed {
            return ensure(!model.reciprocal, "model.reciprocal", || {
                "found true, but a relation of \"linknbed\" is the same in both directions (Eq. 10); expected false"
                    .to_owned()
            });
        }
        let is_complex = matches!(kind, ModelKind::ComplEx | ModelKind::RotatE);
        ensure(!is_complex || model.entity.is_multiple_of(2), "model.entity", || {
            format!(
                "found {}, but half of the numbers are imaginary parts; expected an even number",
                model.entity
            )
        })?;
        if kind == ModelKind::STransE && self.negatives.kind != NegativeKind::Independent {
            return Err(together(
                &["negatives.kind", "model.kind"],
                "\"stranse\" moves each wrong answer by a matrix of the question's relation, so that none can be \
                 shared; expected \"independent\"",
            ));
        }
        ensure(kind != ModelKind::Gake || model.reciprocal, "model.reciprocal", || {
            "found false, but in \"gake\" what leads to an entity has another vector than what leads from it; expected \
             true"
                .to_owned()
        })?;
        let corrupt = self.negatives.corrupt;
        if model.reciprocal && matches!(corrupt, Corrupt::Head | Corrupt::Tail) {
            return Err(together(
                &["negatives.corrupt", "model.reciprocal"],
                "one end alone is asked, but model.reciprocal = true gives relations another row for the other end, which \
                 would learn nothing; expected \"either\" or \"both\"",
            ));
        }
        self.check_regularization()?;
        ensure(self.initial.from == InitialFrom::Random, "initial.from", || {
            "only \"linknbed\" begins with other vectors than random ones; expected \"random\"".to_owned()
        })
    }

    /// Numbers that are no members of a vector cannot be left out, nor weighed by their cubes.
    fn check_regularization(&self) -> Result<(), Problem> {
        let own = &self.regularization;
        let (entities, relations, cubes) = (
            ("regularization.dropout", own.dropout),
            ("regularization.relation_dropout", own.relation_dropout),
            ("regularization.n3", own.n3),
        );
        let (unbearable, why) = match self.model.kind {
            ModelKind::Gake => (vec![entities, relations, cubes], "\"gake\" has weights among its numbers"),
            ModelKind::RotatE => {
                (vec![relations, cubes], "the numbers of a relation of \"rotate\" are angles")
            }
            _ => return Ok(()),
        };
        match unbearable.into_iter().find(|(_, number)| *number != 0.0) {
            Some((key, number)) => {
                Err(together(&[key, "model.kind"], format!("found {number}, but {why}; expected 0")))
            }
            None => Ok(()),
        }
    }

    fn check_numbers(&self) -> Result<(), Problem> {
        let scale = self.initial.scale;
        ensure((1e-30..=1e30).contains(&scale), "initial.scale", || {
            format!("found {scale}, expected a number from 1e-30 to 1e30")
        })?;
        share("negatives.by_type", self.negatives.by_type)?;
        above_0("loss.margin", self.loss.margin)?;
        share("loss.relational", self.loss.relational)?;
        not_negative("linkage.alignment", self.linkage.alignment)?;
        not_negative("regularization.l2", self.regularization.l2)?;
        not_negative("regularization.relation_l2", self.regularization.relation_l2)?;
        not_negative("regularization.n3", self.regularization.n3)?;
        not_negative("loss.paths", self.loss.paths)?;
        not_negative("loss.edges", self.loss.edges)?;
        below_1("loss.smoothing", self.loss.smoothing)?;
        below_1("loss.thin", self.loss.thin)?;
        below_1("regularization.dropout", self.regularization.dropout)?;
        below_1("regularization.relation_dropout", self.regularization.relation_dropout)?;
        above_0("optimizer.rate", self.optimizer.rate)?;
        factor("optimizer.decay", self.optimizer.decay)?;
        factor("optimizer.plateau_factor", self.optimizer.plateau_factor)?;
        not_negative("optimizer.cooldown", self.optimizer.cooldown)?;
        not_negative("validation.every", self.validation.every)?;
        not_negative("checkpoint.every_minutes", self.checkpoint.every_minutes)
    }

    fn check_initial(&self) -> Result<(), Problem> {
        let path = &self.initial.path;
        let message = match (self.initial.from, path.is_empty()) {
            (InitialFrom::Random, false) => {
                format!("found {path:?}, but initial.from = \"random\" reads nothing; expected \"\"")
            }
            (InitialFrom::Words, true) => {
                "found \"\", but initial.from = \"words\" needs a file of word vectors".to_owned()
            }
            (InitialFrom::Run, true) => {
                "found \"\", but initial.from = \"run\" needs the folder of a run".to_owned()
            }
            (InitialFrom::Random, true) | (InitialFrom::Words | InitialFrom::Run, false) => return Ok(()),
        };
        Err(together(&["initial.path", "initial.from"], message))
    }

    fn check_contexts(&self) -> Result<(), Problem> {
        if self.model.kind != ModelKind::LinkNBed {
            return Ok(());
        }
        let contexts = &self.contexts;
        let is_off = |context| context == Aggregation::Off;
        if contexts.own || !is_off(contexts.neighbourhood) || !is_off(contexts.attributes) {
            return Ok(());
        }
        Err(together(
            &["contexts.own", "contexts.neighbourhood", "contexts.attributes"],
            "found false, but contexts.neighbourhood and contexts.attributes are \"off\" too; \
             an entity needs one of the three",
        ))
    }

    fn check_negatives(&self) -> Result<(), Problem> {
        let (kind, by_type) = (self.negatives.kind, self.negatives.by_type);
        if kind != NegativeKind::All {
            let (count, batch) = (self.negatives.count, self.training.batch);
            at_least_1("negatives.count", count)?;
            at_most("negatives.count", count, MOST_AT_ONCE)?;
            if kind == NegativeKind::Independent && count * batch > MOST_AT_ONCE {
                let message = format!(
                    "found {count} for each of {batch} facts, expected at most {MOST_AT_ONCE} in a step"
                );
                return Err(together(&["negatives.count", "training.batch"], message));
            }
            return Ok(());
        }
        if by_type > 0.0 {
            let message = format!(
                "found {by_type}, but negatives.kind = \"all\" draws nothing that could be of a type; \
                 expected 0"
            );
            return Err(together(&["negatives.by_type", "negatives.kind"], message));
        }
        Ok(())
    }

    fn check_loss(&self) -> Result<(), Problem> {
        let kind = match self.loss.kind {
            LossKind::Margin => return Ok(()),
            LossKind::Softmax => "softmax",
            LossKind::Logistic => "logistic",
        };
        if self.model.score == Score::Sigmoid {
            let message = format!(
                "found \"sigmoid\", but loss.kind = \"{kind}\" bends the score itself, \
                 and a sigmoid of a sigmoid learns nothing; expected \"identity\""
            );
            return Err(together(&["model.score", "loss.kind"], message));
        }
        Ok(())
    }

    fn check_linkage(&self) -> Result<(), Problem> {
        let linkage = &self.linkage;
        let is_linknbed = self.model.kind == ModelKind::LinkNBed;
        let is_on = linkage.on && is_linknbed;
        if !is_on && self.loss.relational == 0.0 {
            let (key, why) = match is_linknbed {
                true => ("linkage.on", "linkage.on = false"),
                false => ("model.kind", "a model that knows no links"),
            };
            return Err(together(
                &["loss.relational", key],
                format!("found 0, but {why} leaves nothing else to learn from; expected more than 0"),
            ));
        }
        match linkage.negatives {
            _ if !is_on => Ok(()),
            LinkageNegatives::Labels => at_least_1("linkage.count", linkage.count),
            LinkageNegatives::Shared if self.negatives.kind == NegativeKind::Shared => {
                at_least_1("linkage.count", linkage.count)
            }
            LinkageNegatives::Shared => Err(together(
                &["linkage.negatives", "negatives.kind"],
                "found \"shared\", but there is no pool to share; it needs negatives.kind = \"shared\"",
            )),
        }
    }
}

/// No vector has more numbers: a thousand times what anybody uses, and small enough for tables to be counted.
const MOST_NUMBERS: usize = 1 << 16;
/// No step has more facts, or wrong answers of their own.
const MOST_AT_ONCE: usize = 1 << 28;

fn ensure(holds: bool, key: &'static str, what: impl FnOnce() -> String) -> Result<(), Problem> {
    if holds { Ok(()) } else { Err(together(&[key], what())) }
}

/// A problem of several keys; the message is about the first.
fn together(keys: &[&'static str], message: impl AsRef<str>) -> Problem {
    Problem { keys: keys.to_vec(), message: format!("{}: {}", keys[0], message.as_ref()) }
}

fn at_least_1(key: &'static str, number: usize) -> Result<(), Problem> {
    ensure(number >= 1, key, || format!("found {number}, expected 1 or more"))
}

fn at_most(key: &'static str, number: usize, most: usize) -> Result<(), Problem> {
    ensure(number <= most, key, || format!("found {number}, expected at most {most}"))
}

fn above_0(key: &'static str, number: f64) -> Result<(), Problem> {
    let holds = number.is_finite() && number > 0.0;
    ensure(holds, key, || format!("found {number}, expected a number above 0"))
}

fn not_negative(key: &'static str, number: f64) -> Result<(), Problem> {
    let holds = number.is_finite() && number >= 0.0;
    ensure(holds, key, || format!("found {number}, expected a number of 0 or more"))
}

fn share(key: &'static str, number: f64) -> Result<(), Problem> {
    ensure((0.0..=1.0).contains(&number), key, || format!("found {number}, expected a number from 0 to 1"))
}

fn below_1(key: &'static str, number: f64) -> Result<(), Problem> {
    let holds = (0.0..1.0).contains(&number);
    ensure(holds, key, || format!("found {number}, expected a number from 0 to below 1"))
}

fn factor(key: &'static str, number: f64) -> Result<(), Problem> {
    let holds = number > 0.0 && number <= 1.0;
    ensure(holds, key, || format!("found {number}, expected a number above 0, at most 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Average;

    /// The paper's config with one change is refused with this message.
    #[track_caller]
    fn refused(change: impl FnOnce(&mut Config), message: &str) {
        let mut config = Config::preset("paper").unwrap();
        change(&mut config);
        let error = config.check().unwrap_err();
        assert!(matches!(error, Error::Usage(_)));
        assert_eq!(error.to_string(), message);
    }

    #[track_caller]
    fn accepted(change: impl FnOnce(&mut Config)) {
        let mut config = Config::preset("paper").unwrap();
        change(&mut config);
        config.check().unwrap();
    }

    /// A size of the config.
    type Size = fn(&mut Config) -> &mut usize;

    /// A number of the config.
    type Number = fn(&mut Config) -> &mut f64;

    #[test]
    fn sizes_are_above_0() {
        let sizes: [(&str, Size); 10] = [
            ("model.entity", |c| &mut c.model.entity),
            ("model.relation", |c| &mut c.model.relation),
            ("model.type", |c| &mut c.model.class),
            ("model.attribute", |c| &mut c.model.attribute),
            ("model.hidden", |c| &mut c.model.hidden),
            ("model.features", |c| &mut c.model.features),
            ("negatives.count", |c| &mut c.negatives.count),
            ("linkage.count", |c| &mut c.linkage.count),
            ("training.batch", |c| &mut c.training.batch),
            ("training.epochs", |c| &mut c.training.epochs),
        ];
        for (key, size) in sizes {
            refused(|c| *size(c) = 0, &format!("{key}: found 0, expected 1 or more"));
            accepted(|c| *size(c) = 1);
        }
    }

    #[test]
    fn sizes_have_an_end() {
        const NUMBERED: usize = u32::MAX as usize;
        let sizes: [(&str, Size, usize); 7] = [
            ("model.entity", |c| &mut c.model.entity, 65_536),
            ("model.relation", |c| &mut c.model.relation, 65_536),
            ("model.type", |c| &mut c.model.class, 65_536),
            ("model.attribute", |c| &mut c.model.attribute, 65_536),
            ("model.hidden", |c| &mut c.model.hidden, 65_536),
            ("model.features", |c| &mut c.model.features, NUMBERED),
            ("training.epochs", |c| &mut c.training.epochs, NUMBERED),
        ];
        for (key, size, most) in sizes {
            refused(|c| *size(c) = most + 1, &format!("{key}: found {}, expected at most {most}", most + 1));
            accepted(|c| *size(c) = most);
        }
        refused(
            |c| c.training.batch = usize::MAX,
            "training.batch: found 18446744073709551615, expected at most 268435456",
        );
        refused(
            |c| c.negatives.count = usize::MAX,
            "negatives.count: found 18446744073709551615, expected at most 268435456",
        );
        let many = |c: &mut Config| (c.negatives.count, c.training.batch) = (1 << 14, (1 << 14) + 1);
        refused(
            many,
            "negatives.count: found 16384 for each of 16385 facts, expected at most 268435456 in a step",
        );
    }

    /// These values of a number are refused with these words, and so is what is not finite; those are fine.
    #[track_caller]
    fn range(key: &str, number: Number, expected: &str, bad: &[f64], good: &[f64]) {
        for &bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].iter().chain(bad) {
            refused(|c| *number(c) = bad, &format!("{key}: found {bad}, expected {expected}"));
        }
        for &good in good {
            accepted(|c| *number(c) = good);
        }
    }

    #[test]
    fn numbers_are_in_their_range() {
        range(
            "initial.scale",
            |c| &mut c.initial.scale,
            "a number from 1e-30 to 1e30",
            &[0.0, -0.5, 1e39, 1e-45],
            &[1e-30, 0.1, 1e30],
        );
        let above_0: [(&str, Number); 2] =
            [("loss.margin", |c| &mut c.loss.margin), ("optimizer.rate", |c| &mut c.optimizer.rate)];
        for (key, number) in above_0 {
            range(key, number, "a number above 0", &[0.0, -0.5], &[1e-9, 7.0]);
        }
        let not_negative: [(&str, Number); 9] = [
            ("loss.paths", |c| &mut c.loss.paths),
            ("loss.edges", |c| &mut c.loss.edges),
            ("linkage.alignment", |c| &mut c.linkage.alignment),
            ("regularization.l2", |c| &mut c.regularization.l2),
            ("regularization.relation_l2", |c| &mut c.regularization.relation_l2),
            ("regularization.n3", |c| &mut c.regularization.n3),
            ("optimizer.cooldown", |c| &mut c.optimizer.cooldown),
            ("validation.every", |c| &mut c.validation.every),
            ("checkpoint.every_minutes", |c| &mut c.checkpoint.every_minutes),
        ];
        for (key, number) in not_negative {
            range(key, number, "a number of 0 or more", &[-1e-9], &[0.0, 7.0]);
        }
        let shares: [(&str, Number); 2] = [
            ("negatives.by_type", |c| &mut c.negatives.by_type),
            ("loss.relational", |c| &mut c.loss.relational),
        ];
        for (key, number) in shares {
            range(key, number, "a number from 0 to 1", &[-0.1, 1.1], &[0.0, 0.5, 1.0]);
        }
        let factors: [(&str, Number); 2] = [
            ("optimizer.decay", |c| &mut c.optimizer.decay),
            ("optimizer.plateau_factor", |c| &mut c.optimizer.plateau_factor),
        ];
        for (key, number) in factors {
            range(key, number, "a number above 0, at most 1", &[0.0, 1.1], &[0.1, 1.0]);
        }
        let below_1: [(&str, Number); 4] = [
            ("loss.smoothing", |c| &mut c.loss.smoothing),
            ("loss.thin", |c| &mut c.loss.thin),
            ("regularization.dropout", |c| &mut c.regularization.dropout),
            ("regularization.relation_dropout", |c| &mut c.regularization.relation_dropout),
        ];
        for (key, number) in below_1 {
            range(key, number, "a number from 0 to below 1", &[-0.1, 1.0], &[0.0, 0.9]);
        }
    }

    #[test]
    fn vectors_come_from_a_place_that_is_named() {
        let set = |from, path: &'static str| {
            move |c: &mut Config| {
                c.initial.from = from;
                c.initial.path = path.to_owned();
            }
        };
        refused(
            set(InitialFrom::Words, ""),
            r#"initial.path: found "", but initial.from = "words" needs a file of word vectors"#,
        );
        refused(
            set(InitialFrom::Run, ""),
            r#"initial.path: found "", but initial.from = "run" needs the folder of a run"#,
        );
        refused(
            set(InitialFrom::Random, "a.vec"),
            r#"initial.path: found "a.vec", but initial.from = "random" reads nothing; expected """#,
        );
        accepted(set(InitialFrom::Words, "a.vec"));
        accepted(set(InitialFrom::Run, "runs/1"));
        accepted(set(InitialFrom::Random, ""));
    }

    #[test]
    fn an_entity_is_made_of_something() {
        let set = |own, neighbourhood, attributes| {
            move |c: &mut Config| {
                c.contexts.own = own;
                c.contexts.neighbourhood = neighbourhood;
                c.contexts.attributes = attributes;
            }
        };
        let off = Aggregation::Off;
        refused(
            set(false, off, off),
            "contexts.own: found false, but contexts.neighbourhood and contexts.attributes are \"off\" too; an \
             entity needs one of the three",
        );
        accepted(set(true, off, off));
        accepted(set(false, Aggregation::Mean, off));
        accepted(set(false, off, Aggregation::Lstm));
    }

    #[test]
    fn all_entities_are_of_no_type_and_not_counted() {
        let set = |by_type, count| {
            move |c: &mut Config| {
                c.negatives.kind = NegativeKind::All;
                c.negatives.by_type = by_type;
                c.negatives.count = count;
            }
        };
        refused(
            set(0.5, 1),
            "negatives.by_type: found 0.5, but negatives.kind = \"all\" draws nothing that could be of a type; \
             expected 0",
        );
        accepted(set(0.0, 0));
    }

    #[test]
    fn no_sigmoid_of_a_sigmoid() {
        let set = |score, kind| {
            move |c: &mut Config| {
                c.model.score = score;
                c.loss.kind = kind;
                c.loss.average = Average::Mean;
            }
        };
        for (kind, word) in [(LossKind::Softmax, "softmax"), (LossKind::Logistic, "logistic")] {
            refused(
                set(Score::Sigmoid, kind),
                &format!(
                    "model.score: found \"sigmoid\", but loss.kind = \"{word}\" bends the score itself, and a \
                     sigmoid of a sigmoid learns nothing; expected \"identity\""
                ),
            );
            accepted(set(Score::Identity, kind));
        }
        accepted(set(Score::Sigmoid, LossKind::Margin));
        accepted(set(Score::Identity, LossKind::Margin));
    }

    #[test]
    fn a_pool_is_there_before_it_is_shared() {
        let set = |on, kind, count| {
            move |c: &mut Config| {
                c.linkage.on = on;
                c.linkage.negatives = LinkageNegatives::Shared;
                c.linkage.count = count;
                c.negatives.kind = kind;
            }
        };
        for kind in [NegativeKind::Independent, NegativeKind::All] {
            refused(
                set(true, kind, 1),
                "linkage.negatives: found \"shared\", but there is no pool to share; it needs negatives.kind = \
                 \"shared\"",
            );
            accepted(set(false, kind, 1));
        }
        accepted(set(true, NegativeKind::Shared, 1));
        accepted(set(false, NegativeKind::Shared, 0));
        refused(set(true, NegativeKind::Shared, 0), "linkage.count: found 0, expected 1 or more");
    }

    #[test]
    fn something_is_learned() {
        let set = |on, relational| {
            move |c: &mut Config| {
                c.linkage.on = on;
                c.loss.relational = relational;
            }
        };
        refused(
            set(false, 0.0),
            "loss.relational: found 0, but linkage.on = false leaves nothing else to learn from; \
             expected more than 0",
        );
        accepted(set(false, 0.1));
        accepted(set(true, 0.0));
    }
}
