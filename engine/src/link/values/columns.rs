//! What do names and values say about each candidate?

use super::evidence::Evidence;
use super::index::Vectors;
use super::spelling::{letters, words};
use super::{KeyAlignment, Written};
use crate::link::{Candidates, Column};

/// Of more names than this, only those that are the same are compared.
const MOST_NAMES: usize = 8;

/// What `name: the same` is for names that are the same once they are shortened. What was cut off told them from others, so this is
/// between saying that they are the same and saying nothing; how far is for whoever weighs the column.
const SHORTENED: f32 = 0.5;

const NAMES: [&str; 7] = [
    "name: likeness",
    "name: the same",
    "name: rarity",
    "name: words",
    "name: letters",
    "values: agree",
    "values: disagree",
];

/// What names and values say:
///
/// - `name: likeness`, the cosine of the two names that are most alike;
/// - `name: the same`, 1 if a name of one is, folded, a name of the other, 0.5 if only without what stands in brackets or behind a
///   comma (`Rosewood (film)` and `Rosewood`), else 0;
/// - `name: rarity`, minus the logarithm of how many pairs share that name: 0 if it is theirs alone;
/// - `name: words`, the share of words that both most alike names have;
/// - `name: letters`, 1 less the edits from one to the other for each letter, for short names;
/// - `values: agree` and `values: disagree`, sums of logarithms of likelihood ratios under the [`KeyAlignment`].
///
/// Only the alignment of keys is learned; who has a known link is judged without its fold.
pub fn columns(
    written: &[Written; 2],
    names: &[Vectors; 2],
    keys: &KeyAlignment,
    evidence: &Evidence,
    candidates: &Candidates,
) -> Vec<Column> {
    let rows = candidates.map(|_, pair| {
        let [likeness, same, rarity, words, letters] = compare_names(written, names, pair);
        let verdict = keys.verdict(written, pair, evidence.left_out(pair.0));
        let [agree, disagree] =
            if verdict.compared == 0 { [f32::NAN; 2] } else { [verdict.agree, verdict.disagree] };
        [likeness, same, rarity, words, letters, agree, disagree]
    });
    Column::all(NAMES, &rows)
}

fn compare_names(written: &[Written; 2], vectors: &[Vectors; 2], pair: (u32, u32)) -> [f32; 5] {
    let names = [0, 1].map(|side: usize| written[side].names.of_entity.get([pair.0, pair.1][side] as usize));
    let text = |side: usize, name: u32| written[side].names.texts[name as usize].as_str();
    let owners = |side: usize, name: u32| written[side].names.owners.get(name as usize).len();
    let (mut best, mut same, mut rarity) = (None, 0.0f32, f32::NAN);
    let mut compare = |one: u32, two: u32| {
        let likeness = vectors[0].cosine(one, &vectors[1], two);
        if best.is_none_or(|(most, _, _)| likeness > most) {
            best = Some((likeness, one, two));
        }
    };
    for &one in &names[0][..names[0].len().min(MOST_NAMES)] {
        names[1].iter().take(MOST_NAMES).for_each(|&two| compare(one, two));
    }
    // Names are numbered in the order of their texts.
    let (mut i, mut j) = (0, 0);
    while let (Some(&one), Some(&two)) = (names[0].get(i), names[1].get(j)) {
        let order = text(0, one).cmp(text(1, two));
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
        if order.is_eq() {
            compare(one, two);
            let whole = written[0].is_whole(pair.0, one) && written[1].is_whole(pair.1, two);
            same = same.max(if whole { 1.0 } else { SHORTENED });
            rarity = rarity.max(-((owners(0, one) * owners(1, two)) as f32).ln());
        }
    }
    let Some((likeness, one, two)) = best else { return [f32::NAN; 5] };
    let (one, two) = (text(0, one), text(1, two));
    [likeness, same, rarity, words(one, two), letters(one, two)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Value};
    use crate::joint::small_graphs::prepared;
    use crate::link::values::ValueConfig;

    #[test]
    fn names_are_the_same_whole_or_shortened() {
        let read = |names: &[(&str, &str)]| {
            let mut graph = GraphBuilder::default();
            names.iter().for_each(|(entity, name)| graph.attribute(entity, "name", Value::plain(name)));
            prepared(vec![graph.finish("graph")], Vec::new(), 0)
        };
        let data = [
            read(&[("film", "Rosewood (film)"), ("town", "Rosewood, Florida"), ("tree", "Rosewood")]),
            read(&[("film", "ROSEWOOD (Film)"), ("tree", "rosewood"), ("other", "Oak")]),
        ];
        let graphs = [0, 1].map(|side: usize| &data[side].data.graphs[0]);
        let written = graphs.map(|graph| Written::new(graph, &ValueConfig::default()));
        let vectors = Vectors::of_both([&written[0].names.texts, &written[1].names.texts]);
        let about = |one: &str, two: &str| {
            let pair = (graphs[0].entities.find(one).unwrap(), graphs[1].entities.find(two).unwrap());
            let [_, same, rarity, ..] = compare_names(&written, &vectors, pair);
            (same, rarity)
        };
        // All three of the first and two of the second are called rosewood in short; one of each is called rosewood film.
        let short = -(6.0f32).ln();
        assert_eq!(about("film", "film"), (1.0, 0.0));
        assert_eq!(about("tree", "tree"), (1.0, short));
        assert_eq!(about("film", "tree"), (0.5, short));
        assert_eq!(about("town", "film"), (0.5, short));
        let (same, rarity) = about("tree", "other");
        assert!(same == 0.0 && rarity.is_nan());
    }

    #[test]
    fn a_name_among_many_is_not_overlooked() {
        let (mut one, mut two) = (GraphBuilder::default(), GraphBuilder::default());
        for name in ["Ada", "Bea", "Cleo", "Dora", "Edda", "Fay", "Gerda", "Hal", "Zed"] {
            one.attribute("e", "name", Value::plain(name));
        }
        two.attribute("e", "name", Value::plain("zed"));
        let data = prepared(vec![one.finish("one"), two.finish("two")], Vec::new(), 0);
        let graphs = [0, 1].map(|side: usize| &data.data.graphs[side]);
        let written = graphs.map(|graph| Written::new(graph, &ValueConfig::default()));
        let vectors = Vectors::of_both([&written[0].names.texts, &written[1].names.texts]);
        let [likeness, same, rarity, words, letters] = compare_names(&written, &vectors, (0, 0));
        assert!((likeness - 1.0).abs() < 1e-6);
        assert_eq!([same, rarity, words, letters], [1.0, 0.0, 1.0, 1.0]);
    }
}
