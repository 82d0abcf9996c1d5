//! Is a fact known?
//!
//! Training facts lie sorted by subject, relation and object, so that those of a subject and a relation follow one
//! another. No index beside that is needed.

use std::ops::Range;

use super::JointGraph;

impl JointGraph {
    /// The rows of the training facts of a subject.
    pub fn facts_of(&self, subject: u32) -> Range<usize> {
        self.subject_starts[subject as usize] as usize..self.subject_starts[subject as usize + 1] as usize
    }

    /// The objects of a subject and a relation in the training facts, sorted.
    pub fn objects_of(&self, subject: u32, relation: u32) -> &[u32] {
        let own = self.facts_of(subject);
        let relations = &self.facts[0].relations[own.clone()];
        let first = own.start + relations.partition_point(|&r| r < relation);
        let end = own.start + relations.partition_point(|&r| r <= relation);
        &self.facts[0].objects[first..end]
    }

    /// Whether a fact is among the training facts.
    pub fn knows(&self, subject: u32, relation: u32, object: u32) -> bool {
        self.objects_of(subject, relation).binary_search(&object).is_ok()
    }
}
