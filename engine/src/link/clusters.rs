//! Which links can hold together?
//!
//! What is the same is transitive: with more than two graphs, links form clusters. A graph that is free of duplicates has at
//! most one entity in a cluster. Links are taken from the surest down; one that would bring two entities of a graph together is
//! cut.

use std::collections::HashMap;

/// A link between two graphs of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Between {
    /// The numbers of the two graphs.
    pub graphs: [usize; 2],
    /// Their entities, with the graphs' own numbers.
    pub entities: [u32; 2],
    /// How likely it is.
    pub probability: f32,
}

/// Divides links into those that hold together, and those that were cut; both in the order of the surest first.
pub fn consistent(mut links: Vec<Between>) -> (Vec<Between>, Vec<Between>) {
    links.sort_by(|a, b| {
        let surest = b.probability.total_cmp(&a.probability);
        surest.then((a.graphs, a.entities).cmp(&(b.graphs, b.entities)))
    });
    let mut clusters = Clusters::default();
    links.into_iter().partition(|link| {
        let [one, two] = [0, 1].map(|end| clusters.of((link.graphs[end], link.entities[end])));
        clusters.join(one, two)
    })
}

#[derive(Default)]
struct Clusters {
    number: HashMap<(usize, u32), usize>,
    parent: Vec<usize>,
    /// The members of each cluster: a graph and its entity.
    members: Vec<Vec<(usize, u32)>>,
}

impl Clusters {
    fn of(&mut self, entity: (usize, u32)) -> usize {
        let next = self.parent.len();
        let number = *self.number.entry(entity).or_insert(next);
        if number == next {
            self.parent.push(next);
            self.members.push(vec![entity]);
        }
        self.root(number)
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    /// Joins two clusters, if no graph is in both with different entities; says whether they are one now.
    fn join(&mut self, one: usize, two: usize) -> bool {
        if one == two {
            return true;
        }
        let is_rival = |a: &(usize, u32)| self.members[two].iter().any(|b| a.0 == b.0);
        if self.members[one].iter().any(is_rival) {
            return false;
        }
        let moved = std::mem::take(&mut self.members[two]);
        self.members[one].extend(moved);
        self.parent[two] = one;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(graphs: [usize; 2], entities: [u32; 2], probability: f32) -> Between {
        Between { graphs, entities, probability }
    }

    #[test]
    fn the_least_sure_link_of_a_contradiction_is_cut() {
        let links = vec![
            link([0, 1], [5, 5], 0.9),
            link([1, 2], [5, 7], 0.8),
            // 5 of graph 0 would be both 7 and 8 of graph 2.
            link([0, 2], [5, 8], 0.7),
            // What follows from the others holds.
            link([0, 2], [5, 7], 0.6),
            link([0, 1], [6, 5], 0.5),
        ];
        let (kept, cut) = consistent(links.clone());
        assert_eq!(kept, [links[0], links[1], links[3]]);
        assert_eq!(cut, [links[2], links[4]]);
        let turned: Vec<Between> = links.into_iter().rev().collect();
        assert_eq!(consistent(turned).0, kept);
    }
}
