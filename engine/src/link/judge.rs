//! How are candidates judged, given what is known and what evidence is worth?
//!
//! Candidates are proposed, evidence is gathered, weighed, and compared with that of rivals; what is likely then becomes
//! evidence for the neighbours, for some rounds.

use std::collections::HashSet;

use super::agreement::{self, Surroundings};
use super::calibrate::Calibration;
use super::compete::margins;
use super::decision::Decisions;
use super::decode::{Partners, Places};
use super::find::{Effort, LinkConfig};
use super::outside::Outside;
use super::structure::{self, Aligned, StructureConfig};
use super::types::Types;
use super::values::{self, Evidence, KeyAlignment, NameSource, ValueConfig, Vectors, Written, candidates};
use super::weigh::Signals;
use super::{Candidates, Column, Kind, Pair};
use crate::error::Result;
use crate::graph::{EntityId, Link};
use crate::progress::Silent;

/// Links less likely than this are no evidence for others.
const LEAST: f32 = 0.05;
/// Links by way of other graphs that are at least so likely are there from the first round on.
const SEED: f32 = 0.5;

/// What does not depend on the known links.
pub(super) struct Material {
    /// None where neither names nor attributes are looked at.
    written: Option<([Written; 2], [Vectors; 2])>,
    /// Pairs by what is written.
    proposed: Vec<(u32, u32)>,
    around: [Surroundings; 2],
    config: LinkConfig,
}

/// Candidates with what was found about them.
pub(super) struct Judged {
    pub(super) candidates: Candidates,
    pub(super) signals: Signals,
    pub(super) margins: Vec<f32>,
}

impl Material {
    pub(super) fn new(pair: &Pair<'_>, config: &LinkConfig) -> Self {
        let looks_at = |kind: Kind| config.kinds.contains(&kind);
        let mut proposed = Vec::new();
        let written = (looks_at(Kind::Names) || looks_at(Kind::Attributes)).then(|| {
            let names = if looks_at(Kind::Names) { NameSource::Keys } else { NameSource::Nowhere };
            let attributes = looks_at(Kind::Attributes);
            let of_values = ValueConfig { names, attributes, seed: config.seed, ..Default::default() };
            let written = pair.graphs().map(|graph| Written::new(graph, &of_values));
            let vectors = Vectors::of_both([&written[0].names.texts, &written[1].names.texts]);
            proposed = candidates::proposals_of(&written, &vectors, &of_values);
            (written, vectors)
        });
        let around = pair.graphs().map(Surroundings::of_graph);
        Self { written, proposed, around, config: config.clone() }
    }

    /// How many entities either graph has.
    pub(super) fn entities(&self) -> [usize; 2] {
        self.around.each_ref().map(Surroundings::entities)
    }

    fn looks_at(&self, kind: Kind) -> bool {
        self.config.kinds.contains(&kind)
    }

    /// Gathers evidence and weighs it, for some rounds.
    pub(super) fn judge(
        &self,
        pair: &Pair<'_>,
        config: &LinkConfig,
        decisions: &Decisions,
        outside: &Outside<'_>,
    ) -> Result<Judged> {
        let evidence = self.written.as_ref().map(|(written, _)| Evidence::gather(pair, written));
        let mut seeds: Vec<(u32, u32)> =
            pair.known.iter().map(|link| (link.first.0, link.second.0)).collect();
        if let Some(evidence) = &evidence {
            seeds.extend(evidence.pairs());
            seeds.sort_unstable();
            seeds.dedup();
        }
        let known = Known::of_pair(pair, config.partners);
        if self.looks_at(Kind::Graphs) {
            let likely = outside.through.iter().filter(|(a, b, p)| *p >= SEED && known.is_open(*a, *b));
            seeds.extend(likely.map(|&(a, b, _)| (a, b)));
            seeds.sort_unstable();
            seeds.dedup();
        }
        let mut current: Vec<(u32, u32, f32)> =
            seeds.iter().map(|&(a, b)| (a, b, if known.has(a, b) { 1.0 } else { 0.9 })).collect();
        let aligned = self.aligned(pair, &seeds, config.structure)?;
        let gathered = self.gathered(pair, evidence, aligned, outside);
        let mut candidates = self.candidates(&current, &gathered);
        let mut signals = Signals::none(&candidates);
        self.put_still(&mut signals, &candidates, &candidates, &gathered);
        let places = Places { entities: self.entities(), partners: config.partners };
        // Needed until the candidates are settled; descriptions of a million entities are gigabytes.
        let mut gathered = Some(gathered);
        let mut round = 0;
        loop {
            if self.looks_at(Kind::Structure) {
                signals.put(&agreement::columns_of(&self.around, &current, &candidates));
            }
            round += 1;
            let is_last = round >= config.rounds.max(1);
            let scores = if is_last { &decisions.last } else { &decisions.early }.scores(&signals);
            let margins = margins(&candidates, &known.without(&candidates, scores), &places);
            if is_last {
                return Ok(Judged { candidates, signals, margins });
            }
            current = known.and_likely(&candidates, &margins);
            if let Some(gathered) = gathered.take() {
                let more = self.candidates(&current, &gathered);
                signals.move_to(&candidates, &more);
                self.put_still(&mut signals, &more, &more.without(&candidates), &gathered);
                candidates = more;
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

    fn candidates(&self, current: &[(u32, u32, f32)], gathered: &Gathered<'_>) -> Candidates {
        let mut all = self.proposed.clone();
        all.extend(gathered.aligned.as_ref().map(Aligned::proposals).unwrap_or_default());
        if self.looks_at(Kind::Graphs) {
            all.extend(gathered.outside.through.iter().map(|link| (link.0, link.1)));
        }
        if let Some(learned) = gathered.outside.learned.filter(|_| self.looks_at(Kind::Model)) {
            all.extend_from_slice(learned.proposals());
        }
        if self.looks_at(Kind::Structure) {
            all.extend(agreement::proposals(&self.around, current, self.config.from_neighbours));
        }
        all.extend(current.iter().map(|link| (link.0, link.1)));
        Candidates::of(self.around[0].entities(), all)
    }

    /// What is the same in all rounds, put together.
    fn gathered<'a>(
        &self,
        pair: &Pair<'_>,
        evidence: Option<Evidence>,
        aligned: Option<Aligned>,
        outside: &'a Outside<'a>,
    ) -> Gathered<'a> {
        let written = self.written.as_ref().zip(evidence.as_ref());
        let keys =
            written.map(|((written, _), evidence)| KeyAlignment::learn(written, evidence, self.config.seed));
        let evidence = evidence.unwrap_or_else(|| Evidence::of_known(pair));
        let types = self.looks_at(Kind::Types).then(|| Types::of(pair, &evidence));
        Gathered { evidence, keys, types, aligned, outside }
    }

    /// Puts the signals of what stays as it is from round to round; those of some candidates are there already.
    fn put_still(
        &self,
        signals: &mut Signals,
        all: &Candidates,
        fresh: &Candidates,
        gathered: &Gathered<'_>,
    ) {
        // Columns in between take as much memory as signals, so that there are never those of many candidates.
        const PAIRS: usize = 1 << 22;
        for part in fresh.in_parts(PAIRS) {
            signals.put_of(all, &part, &self.still(gathered, &part));
        }
        // What a model says about a candidate depends on the others of its list.
        if let Some(learned) = gathered.outside.learned.filter(|_| self.looks_at(Kind::Model)) {
            signals.put(&learned.columns(all));
        }
    }

    /// Columns that stay as they are from round to round, and say of a pair what they say of it alone.
    fn still(&self, gathered: &Gathered<'_>, candidates: &Candidates) -> Vec<Column> {
        let Gathered { evidence, keys, types, aligned, outside } = gathered;
        let mut columns = Vec::new();
        if let (Some((written, vectors)), Some(keys)) = (&self.written, keys) {
            columns.extend(values::columns(written, vectors, keys, evidence, candidates));
        }
        columns.extend(types.iter().map(|types| types.column(evidence, candidates)));
        columns.extend(aligned.iter().flat_map(|aligned| aligned.columns(candidates)));
        if self.looks_at(Kind::Graphs) && !outside.through.is_empty() {
            columns.push(outside.column(candidates));
        }
        columns.retain(|column| self.looks_at(Kind::of_column(&column.name)));
        columns
    }
}

/// What is the same in all rounds.
struct Gathered<'a> {
    evidence: Evidence,
    /// None where nothing that is written is looked at.
    keys: Option<KeyAlignment>,
    types: Option<Types>,
    aligned: Option<Aligned>,
    outside: &'a Outside<'a>,
}

/// The known links, while others are looked for.
pub(super) struct Known {
    links: HashSet<(u32, u32)>,
    /// What is known not to be a link.
    denied: HashSet<(u32, u32)>,
    /// Whether an entity of either graph has its partner; who is not listed has none.
    taken: [Vec<bool>; 2],
}

impl Known {
    /// What is known about two graphs.
    pub(super) fn of_pair(pair: &Pair<'_>, partners: Partners) -> Self {
        let denied = pair.denied.iter().map(|link| (link.first.0, link.second.0)).collect();
        Self { denied, ..Self::new(&pair.known, partners) }
    }

    pub(super) fn new(known: &[Link], partners: Partners) -> Self {
        let links: HashSet<(u32, u32)> = known.iter().map(|link| (link.first.0, link.second.0)).collect();
        let firsts = listed(known.iter().map(|link| link.first));
        let seconds = match partners {
            Partners::One => listed(known.iter().map(|link| link.second)),
            // Who has one duplicate as its partner may have another.
            Partners::ManyToOne => Vec::new(),
        };
        Self { links, denied: HashSet::new(), taken: [firsts, seconds] }
    }

    pub(super) fn has(&self, first: u32, second: u32) -> bool {
        self.links.contains(&(first, second))
    }

    pub(super) fn is_taken(&self, first: u32, second: u32) -> bool {
        let is_listed = |side: usize, entity: u32| self.taken[side].get(entity as usize) == Some(&true);
        is_listed(0, first) || is_listed(1, second)
    }

    /// Whether a pair can be a link that is not known yet.
    fn is_open(&self, first: u32, second: u32) -> bool {
        !self.is_taken(first, second) && !self.denied.contains(&(first, second))
    }

    /// Scores, but none for whom has a partner already, so that nobody is its rival, nor for who is known to be another.
    pub(super) fn without(&self, candidates: &Candidates, scores: Vec<f32>) -> Vec<f32> {
        candidates.map(|at, (first, second)| match self.is_open(first, second) {
            true => scores[at],
            false => f32::NEG_INFINITY,
        })
    }

    /// The known links, and those that are likely.
    fn and_likely(&self, candidates: &Candidates, margins: &[f32]) -> Vec<(u32, u32, f32)> {
        let general = Calibration::default();
        let likely = candidates.pairs().zip(margins).map(|((a, b), &m)| (a, b, general.probability(m)));
        let mut links: Vec<(u32, u32, f32)> =
            likely.filter(|&(a, b, p)| p > LEAST && self.is_open(a, b)).collect();
        links.extend(self.links.iter().map(|&(a, b)| (a, b, 1.0)));
        links.sort_unstable_by_key(|&(a, b, _)| (a, b));
        links
    }
}

fn listed(entities: impl Iterator<Item = EntityId> + Clone) -> Vec<bool> {
    let mut listed = vec![false; entities.clone().map(|entity| entity.row() + 1).max().unwrap_or(0)];
    entities.for_each(|entity| listed[entity.row()] = true);
    listed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Part, Value};
    use crate::joint::small_graphs::prepared;
    use crate::link::decision::Decision;
    use crate::link::weigh::Weights;

    #[test]
    fn what_only_neighbours_can_tell_is_told_once_they_are_linked() {
        const PEOPLE: [&str; 6] =
            ["Ada Lovelace", "Emmy Noether", "Mary Kenneth", "Rosa Parks", "Sofja K", "Lise Meitner"];
        let graph = |name: &str, ending: &str| {
            let mut graph = GraphBuilder::default();
            for (at, person) in PEOPLE.iter().enumerate() {
                let (own, town) = (format!("{name}{at}"), format!("{name} town {at}"));
                graph.fact(Part::Train, &own, "lives in", &town);
                // No text is the same in both graphs: such pairs would be there from the beginning.
                graph.attribute(&own, "name", Value::plain(&format!("{person}{ending}")));
                graph.attribute(&town, "name", Value::plain(&format!("Town of {person}{ending}")));
            }
            graph.finish(name)
        };
        let data = prepared(vec![graph("one", ""), graph("two", "e")], Vec::new(), 0);
        let pair = Pair::new(&data.data, [0, 1], Vec::new());
        let config = LinkConfig::looking_at(&[Kind::Names, Kind::Structure]);
        // Before anything is linked, no neighbours agree: by these weights alone nothing would be linked, then and ever after.
        let by_neighbours = Decision::by_sum(Weights::of_columns(-2.0, &[("neighbours: share", 8.0)]));
        let material = Material::new(&pair, &config);
        let ahead = |decisions: Decisions| {
            let judged = material.judge(&pair, &config, &decisions, &Outside::default()).unwrap();
            judged.margins.iter().filter(|&&margin| margin > 0.0).count()
        };
        assert_eq!(ahead(Decisions { early: by_neighbours.clone(), last: by_neighbours.clone() }), 0);
        assert_eq!(ahead(Decisions::learned(&config.kinds, by_neighbours)), 2 * PEOPLE.len());
    }
}
