//! How are the links of two graphs found?
//!
//! 1. Candidates are proposed by what is written, by structure, and by partners of linked neighbours.
//! 2. Evidence about each is gathered, weighed, and compared with its rivals'.
//! 3. What is likely then becomes evidence for the neighbours, for some rounds.
//!
//! Where enough links are known, all of this is done first without a quarter of them: these say what evidence is worth and
//! how far probabilities can be trusted. Then it is done again with all known links.

use std::collections::HashSet;

use super::agreement::{self, Surroundings};
use super::calibrate::{Calibration, Decided};
use super::compete::margins;
use super::decode::{Scored, many_to_one, one_to_one};
use super::structure::{self, Aligned, Fold, StructureConfig};
use super::values::{self, Evidence, KeyAlignment, NameSource, ValueConfig, Vectors, Written, candidates};
use super::weigh::{Signals, Weights};
use super::{Candidates, Column, Kind, Pair, types};
use crate::error::Result;
use crate::graph::{EntityId, Link};
use crate::progress::{Progress, Silent, Unit};

/// How links are found.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkConfig {
    /// What is looked at; sorted, each once, at least one.
    pub kinds: Vec<Kind>,
    /// What is drawn is drawn from this.
    pub seed: u64,
    /// How often likely links become evidence for their neighbours.
    pub rounds: usize,
    /// How many partners linked neighbours propose for an entity.
    pub from_neighbours: usize,
    /// How many partners an entity may have.
    pub partners: Partners,
    /// How much work structure is.
    pub structure: Effort,
}

/// How much work structure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// Many rounds of long descriptions: where structure has to decide alone.
    Whole,
    /// A fifth of that: where other evidence decides most pairs.
    #[default]
    Less,
}

impl LinkConfig {
    /// Looks at these kinds of evidence; at all, if none is named.
    pub fn looking_at(kinds: &[Kind]) -> Self {
        let mut kinds = if kinds.is_empty() { Kind::ALL.to_vec() } else { kinds.to_vec() };
        kinds.sort_unstable();
        kinds.dedup();
        let has_texts = kinds.contains(&Kind::Names) || kinds.contains(&Kind::Attributes);
        let structure = if has_texts { Effort::Less } else { Effort::Whole };
        Self { kinds, structure, ..Default::default() }
    }
}

/// How many partners an entity may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Partners {
    /// One, in either graph: both are free of duplicates.
    #[default]
    One,
    /// An entity of the second graph may have several: the first has duplicates.
    ManyToOne,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            kinds: Kind::ALL.into(),
            seed: 0,
            rounds: 4,
            from_neighbours: 20,
            partners: Partners::One,
            structure: Effort::Less,
        }
    }
}

/// So many known links are needed to learn from some of them.
const ENOUGH: usize = 60;
/// One of so many known links is held out to learn from.
const HELD_OUT: usize = 4;
/// Links less likely than this are no evidence for others.
const LEAST: f32 = 0.05;

/// Candidates, and what became of them.
#[derive(Debug)]
pub struct Found {
    /// The pairs that were looked at.
    pub candidates: Candidates,
    /// How far each is ahead of its rivals.
    pub margins: Vec<f32>,
    /// How likely each is.
    pub probabilities: Vec<f32>,
    /// What was gathered about each.
    pub columns: Vec<Column>,
    /// The links that were known.
    pub known: Vec<Link>,
    signals: Signals,
    weights: Weights,
    calibration: Calibration,
    places: Places,
}

/// Finds the links of two graphs.
pub fn find(pair: &Pair<'_>, config: &LinkConfig, progress: &dyn Progress) -> Result<Found> {
    progress.begin("reading what is written", None, Unit::Items);
    let material = Material::new(pair, config);
    progress.end();
    let places = Places {
        entities: material.around.each_ref().map(Surroundings::entities),
        partners: config.partners,
    };
    let general = Weights::general(&config.kinds);
    let (mut weights, mut calibration) = (general.clone(), Calibration::default());
    if pair.known.len() >= ENOUGH {
        progress.begin("learning what evidence is worth", None, Unit::Items);
        let fold = structure::folds(pair, HELD_OUT, config.seed).swap_remove(0);
        let shorter = LinkConfig { rounds: config.rounds.min(2), structure: Effort::Less, ..config.clone() };
        let judged = material.judge(&fold.pair, &shorter, &general)?;
        (weights, calibration) = learn(&judged, &fold, &general, &places);
        progress.end();
    }
    progress.begin("finding links", None, Unit::Items);
    let judged = material.judge(pair, config, &weights)?;
    progress.end();
    let probabilities = judged.margins.iter().map(|&margin| calibration.probability(margin)).collect();
    Ok(Found {
        candidates: judged.candidates,
        margins: judged.margins,
        probabilities,
        columns: judged.columns,
        known: pair.known.clone(),
        signals: judged.signals,
        weights,
        calibration,
        places,
    })
}

/// What does not depend on the known links.
struct Material {
    /// None where neither names nor attributes are looked at.
    written: Option<([Written; 2], [Vectors; 2])>,
    /// Pairs by what is written.
    proposed: Vec<(u32, u32)>,
    around: [Surroundings; 2],
    config: LinkConfig,
}

/// Candidates with what was found about them.
struct Judged {
    candidates: Candidates,
    columns: Vec<Column>,
    signals: Signals,
    margins: Vec<f32>,
}

impl Material {
    fn new(pair: &Pair<'_>, config: &LinkConfig) -> Self {
        let looks_at = |kind: Kind| config.kinds.contains(&kind);
        let mut proposed = Vec::new();
        let written = (looks_at(Kind::Names) || looks_at(Kind::Attributes)).then(|| {
            let names = if looks_at(Kind::Names) { NameSource::Keys } else { NameSource::Nowhere };
            let of_values = ValueConfig { names, seed: config.seed, ..Default::default() };
            let written = pair.graphs().map(|graph| Written::new(graph, &of_values));
            let vectors = Vectors::of_both([&written[0].names.texts, &written[1].names.texts]);
            proposed = candidates::proposals_of(&written, &vectors, &of_values);
            (written, vectors)
        });
        let around = pair.graphs().map(Surroundings::of_graph);
        Self { written, proposed, around, config: config.clone() }
    }

    fn seconds(&self) -> usize {
        self.around[1].entities()
    }

    fn looks_at(&self, kind: Kind) -> bool {
        self.config.kinds.contains(&kind)
    }

    /// Gathers evidence and weighs it, for some rounds.
    fn judge(&self, pair: &Pair<'_>, config: &LinkConfig, weights: &Weights) -> Result<Judged> {
        let evidence = self.written.as_ref().map(|(written, _)| Evidence::gather(pair, written));
        let mut seeds: Vec<(u32, u32)> =
            pair.known.iter().map(|link| (link.first.0, link.second.0)).collect();
        if let Some(evidence) = &evidence {
            seeds.extend(evidence.pairs());
            seeds.sort_unstable();
            seeds.dedup();
        }
        let known = Known::new(pair);
        let aligned = self.aligned(pair, &seeds, config.structure)?;
        let mut current: Vec<(u32, u32, f32)> =
            seeds.iter().map(|&(a, b)| (a, b, if known.has(a, b) { 1.0 } else { 0.9 })).collect();
        let mut candidates = self.candidates(&current, aligned.as_ref());
        let mut still = self.still(pair, evidence.as_ref(), aligned.as_ref(), &candidates);
        let mut round = 0;
        loop {
            let mut columns = still.clone();
            if self.looks_at(Kind::Structure) {
                columns.extend(agreement::columns_of(&self.around, &current, &candidates));
            }
            let signals = Signals::new(&candidates, &columns);
            let scores = signals.scores(weights);
            let margins = margins(&candidates, &known.without(&candidates, scores), self.seconds());
            round += 1;
            if round >= config.rounds.max(1) {
                return Ok(Judged { candidates, columns, signals, margins });
            }
            current = known.and_likely(&candidates, &margins);
            if round == 1 {
                candidates = self.candidates(&current, aligned.as_ref());
                still = self.still(pair, evidence.as_ref(), aligned.as_ref(), &candidates);
            }
        }
    }

    /// Structure's own alignment, if it is asked for and there is something to begin with.
    fn aligned(&self, pair: &Pair<'_>, seeds: &[(u32, u32)], effort: Effort) -> Result<Option<Aligned>> {
        if !self.looks_at(Kind::Structure) || seeds.is_empty() {
            return Ok(None);
        }
        let link = |&(first, second): &(u32, u32)| Link { first: EntityId(first), second: EntityId(second) };
        let seeded = Pair { known: seeds.iter().map(link).collect(), ..pair.clone() };
        let whole = StructureConfig { seed: self.config.seed, ..Default::default() };
        let config = match effort {
            Effort::Whole => whole,
            Effort::Less => StructureConfig { rounds: 2, width: whole.width / 2, ..whole },
        };
        structure::align(&seeded, &config, &Silent).map(Some)
    }

    fn candidates(&self, current: &[(u32, u32, f32)], aligned: Option<&Aligned>) -> Candidates {
        let mut all = self.proposed.clone();
        all.extend(aligned.map(Aligned::proposals).unwrap_or_default());
        if self.looks_at(Kind::Structure) {
            all.extend(agreement::proposals(&self.around, current, self.config.from_neighbours));
        }
        all.extend(current.iter().map(|link| (link.0, link.1)));
        Candidates::of(self.around[0].entities(), all)
    }

    /// Columns that stay as they are from round to round.
    fn still(
        &self,
        pair: &Pair<'_>,
        evidence: Option<&Evidence>,
        aligned: Option<&Aligned>,
        candidates: &Candidates,
    ) -> Vec<Column> {
        let mut columns = Vec::new();
        if let (Some((written, vectors)), Some(evidence)) = (&self.written, evidence) {
            let keys = KeyAlignment::learn(written, evidence, self.config.seed);
            columns.extend(values::columns(written, vectors, &keys, evidence, candidates));
        }
        if self.looks_at(Kind::Types) {
            let none = Evidence::of_known(pair);
            columns.extend(types::columns(pair, evidence.unwrap_or(&none), candidates));
        }
        columns.extend(aligned.map(|aligned| aligned.columns(candidates)).unwrap_or_default());
        columns.retain(|column| self.looks_at(Kind::of_column(&column.name)));
        columns
    }
}

/// The known links, while others are looked for.
struct Known {
    links: HashSet<(u32, u32)>,
    taken: [HashSet<u32>; 2],
}

impl Known {
    fn new(pair: &Pair<'_>) -> Self {
        let links: HashSet<(u32, u32)> =
            pair.known.iter().map(|link| (link.first.0, link.second.0)).collect();
        let taken = [links.iter().map(|link| link.0).collect(), links.iter().map(|link| link.1).collect()];
        Self { links, taken }
    }

    fn has(&self, first: u32, second: u32) -> bool {
        self.links.contains(&(first, second))
    }

    fn is_taken(&self, first: u32, second: u32) -> bool {
        self.taken[0].contains(&first) || self.taken[1].contains(&second)
    }

    /// Scores, but none for whom has a partner already: nobody is its rival.
    fn without(&self, candidates: &Candidates, mut scores: Vec<f32>) -> Vec<f32> {
        for ((first, second), score) in candidates.pairs().zip(&mut scores) {
            if self.is_taken(first, second) {
                *score = f32::NEG_INFINITY;
            }
        }
        scores
    }

    /// The known links, and those that are likely.
    fn and_likely(&self, candidates: &Candidates, margins: &[f32]) -> Vec<(u32, u32, f32)> {
        let general = Calibration::default();
        let likely = candidates.pairs().zip(margins).map(|((a, b), &m)| (a, b, general.probability(m)));
        let mut links: Vec<(u32, u32, f32)> =
            likely.filter(|&(a, b, p)| p > LEAST && !self.is_taken(a, b)).collect();
        links.extend(self.links.iter().map(|&(a, b)| (a, b, 1.0)));
        links.sort_unstable_by_key(|&(a, b, _)| (a, b));
        links
    }
}

/// What held-out links say: weights from all of them, and the calibration of each half by weights from the other.
fn learn(judged: &Judged, fold: &Fold<'_>, general: &Weights, places: &Places) -> (Weights, Calibration) {
    let held_out = Known::new(&Pair { known: fold.held_out.clone(), ..fold.pair.clone() });
    let known = Known::new(&fold.pair);
    let labelled: Vec<(usize, u32, bool)> = judged
        .candidates
        .pairs()
        .enumerate()
        .filter(|(_, (first, second))| held_out.is_taken(*first, *second))
        .map(|(at, (first, second))| (at, first, held_out.has(first, second)))
        .collect();
    // Halves by the first entity, whose number says nothing.
    let half = |first: u32| (first % 2) as usize;
    let of = |keeps: &dyn Fn(u32) -> bool| -> Vec<(usize, bool)> {
        let kept = labelled.iter().filter(|(_, first, _)| keeps(*first));
        kept.map(|&(at, _, is_same)| (at, is_same)).collect()
    };
    let mut decided = Decided::default();
    for own in [0, 1] {
        let weights = general.learned(&judged.signals, &of(&|first| half(first) != own));
        let scores = known.without(&judged.candidates, judged.signals.scores(&weights));
        for link in places.decided(&judged.candidates, &scores) {
            let is_right = held_out.has(link.first, link.second);
            match held_out.is_taken(link.first, link.second) {
                true if is_right && half(link.first) == own => decided.right.push(link.score),
                true => {}
                false => decided.others.push(link.score),
            }
        }
    }
    (general.learned(&judged.signals, &of(&|_| true)), Calibration::of_decided(&decided))
}

/// A margin below that of anything that was looked at: it stands for pairs that cannot be.
const NOTHING: f32 = -50.0;

/// Who can be a partner, and of how many.
#[derive(Debug)]
struct Places {
    entities: [usize; 2],
    partners: Partners,
}

impl Places {
    /// The links that scores decide on, with their margins; none that nothing speaks for.
    fn decided(&self, candidates: &Candidates, scores: &[f32]) -> Vec<Scored> {
        let margins = margins(candidates, scores, self.entities[1]);
        self.links(candidates, &margins, NOTHING)
    }

    /// Links of at least a score, each the best that is left.
    fn links(&self, candidates: &Candidates, scores: &[f32], least: f32) -> Vec<Scored> {
        let pairs = candidates.pairs().zip(scores);
        let scored: Vec<Scored> =
            pairs.map(|((first, second), &score)| Scored { first, second, score }).collect();
        match self.partners {
            Partners::One => one_to_one(self.entities, &scored, least),
            Partners::ManyToOne => many_to_one(&scored, least),
        }
    }
}

impl Found {
    /// The links, each of at least a probability, without those that were known; sorted by the first entity.
    pub fn links(&self, least: f32) -> Vec<Scored> {
        self.places.links(&self.candidates, &self.probabilities, least)
    }

    /// The least probability at which the links are right so often, by their own probabilities; more than 1 if there is
    /// none.
    pub fn least_for_precision(&self, precision: f64) -> f32 {
        let mut found: Vec<f32> = self.links(0.0).iter().map(|link| link.score).collect();
        found.sort_unstable_by(|a, b| b.total_cmp(a));
        let (mut sum, mut least) = (0.0, 2.0);
        for (at, &probability) in found.iter().enumerate() {
            sum += f64::from(probability);
            if sum / (at + 1) as f64 >= precision {
                least = probability;
            }
        }
        least
    }

    /// The place of a pair among the candidates.
    pub fn place(&self, first: u32, second: u32) -> Option<usize> {
        let start = *self.candidates.starts.get(first as usize)?;
        let at = self.candidates.of_entity(first).binary_search(&second).ok()?;
        Some(start + at)
    }

    /// What moved the probability of a candidate: what each column added, what speaks against any pair, and what rivals
    /// took away. Their sum, by the slope and the shift of the calibration, is the logarithm of its odds.
    pub fn reasons(&self, at: usize) -> Reasons {
        let parts = self.signals.parts(&self.weights, at);
        let score: f32 = self.weights.against + parts.iter().map(|part| part.1).sum::<f32>();
        Reasons {
            parts: parts.into_iter().filter(|part| part.1 != 0.0).collect(),
            against: self.weights.against,
            rivals: self.margins[at] - score,
            slope: self.calibration.slope as f32,
            shift: self.calibration.shift as f32,
            probability: self.probabilities[at],
        }
    }
}

/// What moved a probability, in nats.
#[derive(Debug, Clone, PartialEq)]
pub struct Reasons {
    /// What each column added, if anything.
    pub parts: Vec<(&'static str, f32)>,
    /// What speaks against any pair.
    pub against: f32,
    /// What rivals took away.
    pub rivals: f32,
    /// What the sum is multiplied by.
    pub slope: f32,
    /// What is added then.
    pub shift: f32,
    /// What comes out.
    pub probability: f32,
}
