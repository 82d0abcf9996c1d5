//! How many objects has a subject in a relation, and how many subjects an object?
//!
//! Bordes et al. (2013) call a relation 1-to-1, 1-to-N, N-to-1 or N-to-N by the mean of both, where a mean below 1.5 is
//! "1". Asking an N-to-1 relation for the object is easy, and asking it for the subject is hard, so that figures over
//! all facts hide more than they show.

use rayon::prelude::*;
use serde::Serialize;

use crate::dataset::FactColumns;

/// The kind of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Category {
    /// One subject, one object.
    #[serde(rename = "1-1")]
    OneToOne,
    /// A subject has many objects.
    #[serde(rename = "1-N")]
    OneToMany,
    /// An object has many subjects.
    #[serde(rename = "N-1")]
    ManyToOne,
    /// Both.
    #[serde(rename = "N-N")]
    ManyToMany,
}

/// A mean from here on is "many".
const MANY: f64 = 1.5;

impl Category {
    /// All, in order.
    pub const ALL: [Self; 4] = [Self::OneToOne, Self::OneToMany, Self::ManyToOne, Self::ManyToMany];

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::OneToOne => "1-1",
            Self::OneToMany => "1-N",
            Self::ManyToOne => "N-1",
            Self::ManyToMany => "N-N",
        }
    }

    /// The category that two means make.
    fn of_means(objects: f64, subjects: f64) -> Self {
        match (objects >= MANY, subjects >= MANY) {
            (false, false) => Self::OneToOne,
            (true, false) => Self::OneToMany,
            (false, true) => Self::ManyToOne,
            (true, true) => Self::ManyToMany,
        }
    }

    /// The category of each of so many relations by some facts, each of which is there once; none of a relation that has
    /// no facts.
    pub fn of_relations(facts: &FactColumns, relations: usize) -> Vec<Option<Self>> {
        let mut counts = vec![0usize; relations];
        facts.relations.iter().for_each(|&relation| counts[relation as usize] += 1);
        let with_subject = distinct(&facts.relations, &facts.subjects, relations);
        let with_object = distinct(&facts.relations, &facts.objects, relations);
        let mean = |count: usize, distinct: usize| count as f64 / distinct as f64;
        let category = |relation: usize| {
            let count = counts[relation];
            (count > 0).then(|| {
                Self::of_means(mean(count, with_subject[relation]), mean(count, with_object[relation]))
            })
        };
        (0..relations).map(category).collect()
    }
}

/// How many distinct entities each relation has in a column.
fn distinct(relations: &[u32], entities: &[u32], count: usize) -> Vec<usize> {
    let pair = |(&relation, &entity): (&u32, &u32)| u64::from(relation) << 32 | u64::from(entity);
    let mut pairs: Vec<u64> = relations.iter().zip(entities).map(pair).collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    let mut found = vec![0; count];
    pairs.iter().for_each(|pair| found[(pair >> 32) as usize] += 1);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_worked_by_hand() {
        let facts: [[u32; 3]; 12] = [
            // 0: three pairs.
            [0, 0, 1],
            [2, 0, 3],
            [4, 0, 5],
            // 1: one subject, three objects.
            [0, 1, 1],
            [0, 1, 2],
            [0, 1, 3],
            // 2: three facts, two objects: 1.5 subjects an object.
            [0, 2, 5],
            [1, 2, 5],
            [2, 2, 6],
            // 4: three facts, two of each.
            [0, 4, 1],
            [0, 4, 2],
            [3, 4, 1],
        ];
        let column = |at: usize| facts.iter().map(|fact| fact[at]).collect::<Vec<u32>>().into();
        let facts = FactColumns { subjects: column(0), relations: column(1), objects: column(2) };
        use Category::*;
        let expected = [Some(OneToOne), Some(OneToMany), Some(ManyToOne), None, Some(ManyToMany)];
        assert_eq!(Category::of_relations(&facts, 5), expected);
        assert_eq!(Category::ALL.map(Category::name), ["1-1", "1-N", "N-1", "N-N"]);
    }
}
