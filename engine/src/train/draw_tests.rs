//! Is what is asked about a fact what the data says? Against the prepared folder, read in the simplest way.

use std::collections::BTreeSet;

use super::*;
use crate::config::Share;
use crate::dataset::{Dataset, Dice};
use crate::graph::{EntityId, Link};
use crate::joint::small_graphs::{Labelled, random_config, random_data};

/// A question of the linkage loss: the asked end, fixed and right entity, the graph of wrong answers, and these.
type Linkage = (bool, u32, u32, u32, Vec<u32>);

struct Case<'a> {
    data: &'a Dataset,
    joint: &'a Joint,
    config: &'a Config,
    fact: Drawn,
}

impl Case<'_> {
    fn portion(&self) -> Portion {
        let mut portion = Portion::default();
        let mut dice = Dice::new(self.config.seed, "questions", "").of(self.fact.stream);
        portion.ask(self.joint, self.config, self.fact, &mut dice);
        portion
    }

    /// Whether a fact is trained on that has this entity at the asked end.
    fn is_known(&self, asked: End, entity: u32) -> bool {
        let Drawn { graph, subject, relation, object, .. } = self.fact;
        let mut facts = self.data.graphs[graph as usize].facts[0].iter();
        let (subject, object) = if asked == End::Head { (entity, object) } else { (subject, entity) };
        facts.any(|fact| (fact.subject.0, fact.relation.0, fact.object.0) == (subject, relation, object))
    }

    fn types_of(&self, entity: u32) -> BTreeSet<u32> {
        let types = self.data.graphs[self.fact.graph as usize].types_of(EntityId(entity));
        types.map(|class| class.0).collect()
    }

    fn check_relational(&self) {
        let Drawn { graph, subject, relation, object, .. } = self.fact;
        let own = &self.joint.graphs[graph as usize];
        let portion = self.portion();
        let asked: Vec<End> = portion.relational.iter().map(|question| question.asked).collect();
        match self.config.negatives.corrupt {
            Corrupt::Head => assert_eq!(asked, [End::Head]),
            Corrupt::Tail => assert_eq!(asked, [End::Tail]),
            Corrupt::Both => assert_eq!(asked, [End::Head, End::Tail]),
            Corrupt::Either => assert_eq!(asked.len(), 1),
        }
        for question in &portion.relational {
            let (fixed, right) =
                if question.asked == End::Head { (object, subject) } else { (subject, object) };
            assert_eq!((question.graph, question.answers_from), (graph, graph));
            let found = (question.fixed, question.right, question.relation);
            assert_eq!(found, (own.first + fixed, own.first + right, relation));
            let wrong = &portion.wrong[question.wrong.clone()];
            if self.config.negatives.kind != NegativeKind::Independent {
                assert!(wrong.is_empty());
                continue;
            }
            let is_wrong = |entity: u32| {
                let negatives = &self.config.negatives;
                let may_be = entity != fixed || negatives.itself;
                let is_another =
                    negatives.known == KnownFacts::LeftOut && self.is_known(question.asked, entity);
                entity != right && may_be && !is_another
            };
            for &entity in wrong {
                assert!((own.first..own.first + own.entities).contains(&entity));
                assert!(is_wrong(entity - own.first), "{entity} is no wrong answer to {question:?}");
            }
            let types = self.types_of(right);
            let is_typed = self.config.negatives.by_type == 1.0 && !types.is_empty();
            if is_typed {
                let shares_a_type = |entity: u32| !self.types_of(entity - own.first).is_disjoint(&types);
                assert!(wrong.iter().all(|&entity| shares_a_type(entity)));
            }
            let possible = (0..own.entities).filter(|&entity| is_wrong(entity)).count();
            assert!(wrong.len() <= self.config.negatives.count);
            // Thirty attempts at one in three: it would take a hundred thousand questions to miss one.
            if self.config.negatives.by_type == 0.0 && 3 * possible >= own.entities as usize {
                assert_eq!(wrong.len(), self.config.negatives.count);
            }
        }
    }

    /// The questions about links with one other graph and one end, from the folder.
    fn naive_linkage(&self, asked: End, links: &crate::dataset::PreparedLinks) -> Option<Linkage> {
        let Drawn { graph, subject, object, .. } = self.fact;
        let (fixed, own) = if asked == End::Head { (object, subject) } else { (subject, object) };
        let (side, other) = match graph as usize {
            graph if graph == links.first => (0, links.second),
            graph if graph == links.second => (1, links.first),
            _ => return None,
        };
        let partner_in = |link: &Link| {
            let ends = [link.first.0, link.second.0];
            (ends[side] == own).then_some(ends[1 - side])
        };
        let [first, other_first] = [graph as usize, other].map(|graph| self.joint.graphs[graph].first);
        let right = match links.positives[0].iter().find_map(partner_in) {
            Some(partner) => other_first + partner,
            None if self.config.linkage.missing == MissingLabel::Original => first + own,
            None => return None,
        };
        let mut wrong = Vec::new();
        if self.config.linkage.negatives == LinkageNegatives::Labels {
            wrong.extend(links.negatives[0].iter().filter_map(partner_in));
            wrong.sort_unstable();
            wrong.extend(links.same_type_negatives[side].get(own as usize));
            wrong.extend(links.other_type_negatives[side].get(own as usize));
            wrong.truncate(self.config.linkage.count);
            wrong.iter_mut().for_each(|entity| *entity += other_first);
            if wrong.is_empty() {
                return None;
            }
        }
        Some((asked == End::Head, first + fixed, right, other as u32, wrong))
    }

    /// Returns how many questions about links there are.
    fn check_linkage(&self) -> usize {
        let portion = self.portion();
        let found: Vec<Linkage> = portion
            .linkage
            .iter()
            .map(|question| {
                assert_eq!((question.graph, question.relation), (self.fact.graph, self.fact.relation));
                let wrong = portion.wrong[question.wrong.clone()].to_vec();
                (question.asked == End::Head, question.fixed, question.right, question.answers_from, wrong)
            })
            .collect();
        let ends: &[End] = match self.config.linkage.ends {
            _ if !self.config.linkage.on => &[],
            LinkageEnds::Both => &[End::Head, End::Tail],
            LinkageEnds::Head => &[End::Head],
            LinkageEnds::Tail => &[End::Tail],
        };
        let of_end = |&end: &End| -> Vec<Linkage> {
            self.data.links.iter().filter_map(|links| self.naive_linkage(end, links)).collect()
        };
        match self.config.linkage.graphs {
            LinkageGraphs::All => assert_eq!(found, ends.iter().flat_map(of_end).collect::<Vec<_>>()),
            LinkageGraphs::One => {
                for end in [End::Head, End::Tail] {
                    let of_found = || found.iter().filter(|question| question.0 == (end == End::Head));
                    let expected = if ends.contains(&end) { of_end(&end) } else { Vec::new() };
                    assert!(of_found().count() <= 1);
                    assert!(of_found().all(|question| expected.contains(question)));
                    // With two graphs there is no choice.
                    if self.data.graphs.len() == 2 {
                        assert_eq!(of_found().count(), expected.len());
                    }
                }
            }
        }
        found.len()
    }

    /// Linked entities are brought together where that is asked for.
    fn check_pairs(&self) {
        let portion = self.portion();
        let linkage = &self.config.linkage;
        if !linkage.on || linkage.alignment == 0.0 {
            assert!(portion.pairs.is_empty());
            return;
        }
        for &(own, partner) in &portion.pairs {
            let graphs = [own, partner].map(|entity| self.joint.graph_of(entity));
            let local = [0, 1].map(|at| [own, partner][at] - self.joint.graphs[graphs[at]].first);
            let is_linked = |links: &crate::dataset::PreparedLinks| {
                let has = |a: usize, b: usize| {
                    [links.first, links.second] == [graphs[a], graphs[b]]
                        && links.positives[0].iter().any(|l| [l.first.0, l.second.0] == [local[a], local[b]])
                };
                has(0, 1) || has(1, 0)
            };
            assert_eq!(graphs[0], self.fact.graph as usize);
            assert!([self.fact.subject, self.fact.object].contains(&local[0]));
            assert!(self.data.links.iter().any(is_linked));
        }
        let linked = portion.linkage.iter().filter(|q| self.joint.graph_of(q.right) != q.graph as usize);
        assert!(linked.clone().all(|q| portion.pairs.iter().any(|pair| pair.1 == q.right)));
    }
}

/// Looks at every training fact of some data with some configs; returns how many questions about links there were.
fn check_all(seeds: std::ops::Range<u64>, graphs: usize, labelled: Labelled) -> usize {
    let mut linkage = 0;
    for seed in seeds {
        let prepared = random_data(seed, graphs, labelled);
        let data = &prepared.data;
        let joint = Joint::new(data, Share::Names, 8).unwrap();
        for choice in 0..12 {
            let config = random_config(100 * seed + choice);
            for (graph, prepared) in data.graphs.iter().enumerate() {
                for (row, fact) in prepared.facts[0].iter().enumerate() {
                    let fact = Drawn {
                        graph: graph as u32,
                        subject: fact.subject.0,
                        relation: fact.relation.0,
                        object: fact.object.0,
                        stream: (graph << 20 | row) as u64,
                    };
                    let case = Case { data, joint: &joint, config: &config, fact };
                    case.check_relational();
                    linkage += case.check_linkage();
                    case.check_pairs();
                }
            }
        }
    }
    linkage
}

#[test]
fn questions_about_two_graphs_are_what_the_folder_says() {
    let asked = check_all(0..12, 2, Labelled::Both);
    assert!(asked > 600, "{asked}");
}

#[test]
fn questions_about_three_graphs_are_what_the_folder_says() {
    let asked = check_all(20..28, 3, Labelled::Both);
    assert!(asked > 600, "{asked}");
}

#[test]
fn given_negatives_are_enough_to_ask() {
    let asked = check_all(40..48, 2, Labelled::OnlyNegatives);
    assert!(asked > 100, "{asked}");
}

#[test]
fn without_other_graphs_nothing_is_asked_about_links() {
    assert_eq!(check_all(60..64, 1, Labelled::Not), 0);
}

#[test]
fn without_labels_nothing_is_asked_that_labels_would_answer() {
    let prepared = random_data(70, 2, Labelled::Not);
    let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
    let mut config = Config::preset("paper").unwrap();
    config.linkage.missing = MissingLabel::Original;
    let row = prepared.data.graphs[0].facts[0].get(0);
    let (subject, relation, object) = (row.subject.0, row.relation.0, row.object.0);
    let fact = Drawn { graph: 0, subject, relation, object, stream: 0 };
    let case = Case { data: &prepared.data, joint: &joint, config: &config, fact };
    assert_eq!(case.check_linkage(), 0);
}
