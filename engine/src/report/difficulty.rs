//! Why may a link be hard?
//!
//! The paper looks at links that went wrong (Appendix A) and finds patterns: too much told about one side, an entity that
//! is never a subject, two different things in the same company. The same patterns are looked for in each example.

use super::contents::{Described, LinkExample, LinkSection, Outcome};

/// A pattern that makes a pair hard to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difficulty {
    /// No fact mentions the entity in this graph.
    NoFacts(String),
    /// In this graph the entity is only ever an object.
    NeverSubject(String),
    /// One side has many more facts.
    UnevenFacts(u64, u64),
    /// One side, or both, have many attributes.
    ManyAttributes(usize, usize),
    /// Both have types, but none in common.
    OtherTypes,
    /// Two different things that share so many values and neighbours.
    SameContext(usize, Option<u64>),
}

/// So many attributes are many.
const MANY: usize = 12;
/// So many times more is uneven.
const UNEVEN: u64 = 5;

impl Difficulty {
    /// The pattern in a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::NoFacts(graph) => format!("In {graph} no fact mentions it; only its attributes speak."),
            Self::NeverSubject(graph) => format!(
                "In {graph} it is never the subject of a fact, so the two sides were learned from different questions."
            ),
            Self::UnevenFacts(first, second) => {
                format!(
                    "One side has far more facts ({first} against {second}), and the other little to learn from."
                )
            }
            Self::ManyAttributes(first, second) => format!(
                "Much is told about it ({first} and {second} attributes), and what matters drowns in what does not."
            ),
            Self::OtherTypes => "The two graphs give it no type in common.".to_owned(),
            Self::SameContext(values, neighbours) => {
                let among = match neighbours {
                    Some(neighbours) => format!("{values} values and {neighbours} neighbours"),
                    None => format!("{values} values"),
                };
                format!(
                    "Two different things in the same company: they share {among}, and little tells them apart."
                )
            }
        }
    }
}

/// The patterns found in an example, the most telling first.
pub fn difficulties(example: &LinkExample, graphs: &[String; 2]) -> Vec<Difficulty> {
    let sides = [&example.first, &example.second];
    let facts = sides.map(Described::facts);
    let mut found = Vec::new();
    let values = shared_values(&example.first, &example.second);
    let neighbours = example.shared_neighbours;
    if example.outcome == Outcome::Mistaken && (values >= 2 || neighbours.is_some_and(|shared| shared >= 2)) {
        found.push(Difficulty::SameContext(values, neighbours));
    }
    for (side, graph) in sides.iter().zip(graphs) {
        if side.facts() == 0 {
            found.push(Difficulty::NoFacts(graph.clone()));
        } else if side.as_subject == 0 && sides.iter().any(|side| side.as_subject > 0) {
            found.push(Difficulty::NeverSubject(graph.clone()));
        }
    }
    let (few, many) = (facts[0].min(facts[1]), facts[0].max(facts[1]));
    if few > 0 && many / UNEVEN >= few {
        found.push(Difficulty::UnevenFacts(facts[0], facts[1]));
    }
    let told = sides.map(|side| side.attributes.len());
    if told[0].max(told[1]) >= MANY {
        found.push(Difficulty::ManyAttributes(told[0], told[1]));
    }
    let typed = sides.iter().all(|side| !side.types.is_empty());
    if typed
        && !example.first.types.iter().any(|own| example.second.types.iter().any(|other| alike(own, other)))
    {
        found.push(Difficulty::OtherTypes);
    }
    found
}

/// How many values of one entity the other has too, under whatever key.
fn shared_values(first: &Described, second: &Described) -> usize {
    first.attributes.iter().filter(|(_, value)| second.has_value(value)).count()
}

impl Described {
    /// Whether some attribute has this value, in capital letters or not.
    pub fn has_value(&self, value: &str) -> bool {
        self.attributes.iter().any(|(_, own)| alike(own, value))
    }
}

fn alike(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.trim().chars().flat_map(char::to_lowercase).collect::<String>();
    one == other || letters(one) == letters(other)
}

impl LinkSection {
    /// Says of each example that says nothing yet why it may be hard: the two most telling patterns.
    pub fn explain(&mut self) {
        for example in self.right.iter_mut().chain(&mut self.wrong).filter(|example| example.why.is_empty()) {
            let found = difficulties(example, &self.graphs);
            let sentences: Vec<String> = found.iter().take(2).map(Difficulty::sentence).collect();
            example.why = sentences.join(" ");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Part;

    fn entity(as_subject: u64, as_object: u64, values: &[&str], types: &[&str]) -> Described {
        let attributes = values.iter().map(|value| ("key".to_owned(), (*value).to_owned())).collect();
        let types = types.iter().map(|&name| name.to_owned()).collect();
        Described { name: "x".to_owned(), as_subject, as_object, types, attributes }
    }

    fn example(outcome: Outcome, first: Described, second: Described) -> LinkExample {
        LinkExample { outcome, first, second, ..Default::default() }
    }

    fn graphs() -> [String; 2] {
        ["A".to_owned(), "B".to_owned()]
    }

    #[test]
    fn an_even_pair_is_not_hard() {
        let pair = example(Outcome::Found, entity(3, 2, &["x"], &["Film"]), entity(2, 2, &["x"], &["film"]));
        assert_eq!(difficulties(&pair, &graphs()), []);
    }

    #[test]
    fn each_pattern_of_the_paper_is_seen() {
        let many: Vec<String> = (0..31).map(|i| i.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let solo = example(Outcome::Missed, entity(9, 9, &many, &["a"]), entity(9, 9, &["1"], &["b"]));
        assert_eq!(
            difficulties(&solo, &graphs()),
            [Difficulty::ManyAttributes(31, 1), Difficulty::OtherTypes]
        );
        let butler = example(Outcome::Missed, entity(30, 12, &[], &[]), entity(0, 3, &[], &[]));
        let expected = [Difficulty::NeverSubject("B".to_owned()), Difficulty::UnevenFacts(42, 3)];
        assert_eq!(difficulties(&butler, &graphs()), expected);
        let shared = ["Gotham", "1939"];
        let mut waynes = example(
            Outcome::Mistaken,
            entity(5, 5, &shared, &[]),
            entity(5, 5, &["gotham ", "1939", "f"], &[]),
        );
        assert_eq!(difficulties(&waynes, &graphs()), [Difficulty::SameContext(2, None)]);
        waynes.outcome = Outcome::Found;
        assert_eq!(difficulties(&waynes, &graphs()), []);
        let silent = example(Outcome::Missed, entity(0, 0, &[], &[]), entity(1, 0, &[], &[]));
        assert_eq!(difficulties(&silent, &graphs()), [Difficulty::NoFacts("A".to_owned())]);
    }

    #[test]
    fn sentences_name_the_graph_and_the_numbers() {
        let sentences = [
            (Difficulty::NoFacts("A".into()), "In A no fact mentions it; only its attributes speak."),
            (
                Difficulty::NeverSubject("B".into()),
                "In B it is never the subject of a fact, so the two sides were learned from different questions.",
            ),
            (
                Difficulty::UnevenFacts(42, 3),
                "One side has far more facts (42 against 3), and the other little to learn from.",
            ),
            (
                Difficulty::ManyAttributes(31, 1),
                "Much is told about it (31 and 1 attributes), and what matters drowns in what does not.",
            ),
            (Difficulty::OtherTypes, "The two graphs give it no type in common."),
            (
                Difficulty::SameContext(2, None),
                "Two different things in the same company: they share 2 values, and little tells them apart.",
            ),
            (
                Difficulty::SameContext(2, Some(4)),
                "Two different things in the same company: they share 2 values and 4 neighbours, and little tells them apart.",
            ),
        ];
        for (difficulty, sentence) in sentences {
            assert_eq!(difficulty.sentence(), sentence);
        }
    }

    #[test]
    fn what_is_explained_already_stays() {
        let mut section = LinkSection::new(graphs(), Part::Test, "");
        let silent = example(Outcome::Missed, entity(0, 0, &[], &[]), entity(1, 0, &[], &[]));
        section.right = vec![LinkExample { why: "Because.".to_owned(), ..silent.clone() }];
        section.wrong = vec![silent];
        section.explain();
        assert_eq!(section.right[0].why, "Because.");
        assert_eq!(section.wrong[0].why, "In A no fact mentions it; only its attributes speak.");
    }
}
