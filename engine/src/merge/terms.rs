//! Which relations, keys and types are one?
//!
//! Those that the user aligned, and those of equal names. A graph tells its own relations apart, so equal names are not
//! united where that would make two relations of one graph one: if `r` of A is aligned with `s` of B, then `r` of B is
//! another one. Only where two would then have the same name does each get its graph before it: `A:r`, `B:r`.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::statements::Sources;
use crate::graph::Vocabulary;

/// Two that are one: graph and id of each.
pub(super) type Aligned = [(usize, u32); 2];

/// The united names of several vocabularies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Terms {
    /// For each graph, the united number of each id.
    of: Vec<Vec<u32>>,
    /// The names, sorted.
    names: Vec<String>,
}

impl Terms {
    /// Unites vocabularies, the one of each graph.
    pub(super) fn unite(
        vocabularies: &[&Vocabulary],
        graphs: &[&str],
        ranks: &[usize],
        aligned: &[Aligned],
    ) -> Self {
        let mut classes = Classes::of(vocabularies);
        for pair in aligned {
            let [first, second] = pair.map(|(graph, id)| classes.of[graph][id as usize]);
            classes.unite(first, second);
        }
        let mut by_rank: Vec<usize> = (0..vocabularies.len()).collect();
        by_rank.sort_by_key(|&graph| ranks[graph]);
        // The classes that each name stands for, in the order of preference.
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for &graph in &by_rank {
            for (id, name) in vocabularies[graph].iter().enumerate() {
                by_name.entry(name).or_default().push(classes.of[graph][id]);
            }
        }
        for named in by_name.values() {
            let mut apart: Vec<usize> = Vec::new();
            for &member in named {
                match apart.iter().find(|&&other| classes.can_unite(other, member)) {
                    Some(&other) => classes.unite(other, member),
                    None => apart.push(member),
                }
            }
        }
        classes.named(vocabularies, graphs, &by_rank)
    }

    /// The united number of a graph's id.
    pub(super) fn of(&self, graph: usize, id: u32) -> u32 {
        self.of[graph][id as usize]
    }

    /// The name of a united number.
    pub(super) fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}

/// Classes in the making.
struct Classes {
    /// For each graph, the member that each id is.
    of: Vec<Vec<usize>>,
    parents: Vec<usize>,
    graphs: Vec<Sources>,
}

impl Classes {
    fn of(vocabularies: &[&Vocabulary]) -> Self {
        let (mut of, mut graphs) = (Vec::new(), Vec::new());
        for (graph, vocabulary) in vocabularies.iter().enumerate() {
            of.push((graphs.len()..graphs.len() + vocabulary.len()).collect());
            graphs.extend(vec![Sources::only(graph); vocabulary.len()]);
        }
        Self { of, parents: (0..graphs.len()).collect(), graphs }
    }

    fn root(&mut self, mut member: usize) -> usize {
        while self.parents[member] != member {
            self.parents[member] = self.parents[self.parents[member]];
            member = self.parents[member];
        }
        member
    }

    fn can_unite(&mut self, first: usize, second: usize) -> bool {
        let (first, second) = (self.root(first), self.root(second));
        first == second || !self.graphs[first].shares(self.graphs[second])
    }

    fn unite(&mut self, first: usize, second: usize) {
        let (first, second) = (self.root(first), self.root(second));
        self.parents[second] = first;
        self.graphs[first] = self.graphs[first].and(self.graphs[second]);
    }

    /// Names every class after its member of the most preferred graph, the first by name.
    fn named(mut self, vocabularies: &[&Vocabulary], graphs: &[&str], by_rank: &[usize]) -> Terms {
        let mut own: HashMap<usize, (usize, &str)> = HashMap::new();
        for &graph in by_rank {
            for (id, name) in vocabularies[graph].iter().enumerate() {
                let root = self.root(self.of[graph][id]);
                let best = own.entry(root).or_insert((graph, name));
                if best.0 == graph && name < best.1 {
                    *best = (graph, name);
                }
            }
        }
        let mut uses: HashMap<&str, usize> = HashMap::new();
        own.values().for_each(|(_, name)| *uses.entry(name).or_default() += 1);
        let mut order: Vec<(usize, &str, usize)> =
            own.iter().map(|(&root, &(graph, name))| (graph, name, root)).collect();
        order.sort_unstable();
        let mut given: HashSet<String> = HashSet::new();
        let mut names: Vec<(String, usize)> = Vec::new();
        for (graph, name, root) in order {
            let name = match uses[name] {
                1 => name.to_owned(),
                _ => prefixed(graphs[graph], name, |name| uses.contains_key(name) || given.contains(name)),
            };
            given.insert(name.clone());
            names.push((name, root));
        }
        names.sort_unstable();
        let numbers: HashMap<usize, u32> =
            names.iter().enumerate().map(|(number, (_, root))| (*root, number as u32)).collect();
        let members = self.of.clone();
        let of = members.iter().map(|ids| ids.iter().map(|&id| numbers[&self.root(id)]).collect());
        Terms { of: of.collect(), names: names.into_iter().map(|(name, _)| name).collect() }
    }
}

/// A name with its graph before it, as often as it takes to be nobody else's.
pub(super) fn prefixed(graph: &str, name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut prefixed = format!("{graph}:{name}");
    while is_taken(&prefixed) {
        prefixed = format!("{graph}:{prefixed}");
    }
    prefixed
}
