//! Which entities are encoded, and what is around them?

/// What the model asks about entities: someone else keeps it, in memory or on disk.
pub trait Surroundings: Sync {
    /// The neighbourhood of an entity, sorted.
    fn neighbours(&self, entity: u32) -> Ids<'_>;
    /// The attributes of an entity.
    fn attributes(&self, entity: u32) -> &[u32];
    /// How many distinct attributes there are.
    fn attribute_count(&self) -> usize;
    /// The key of an attribute, and the features of its value with their weights.
    fn attribute(&self, attribute: u32) -> (u32, &[u32], &[f32]);
}

/// A list of ids that are counted from `first`.
#[derive(Debug, Clone, Copy)]
pub struct Ids<'a> {
    /// What is added to each.
    pub first: u32,
    /// The ids, sorted.
    pub ids: &'a [u32],
}

impl<'a> Ids<'a> {
    /// All of them.
    pub fn iter(self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let first = self.first;
        self.ids.iter().map(move |&id| first + id)
    }

    /// Whether an id is among them.
    pub fn contains(self, id: u32) -> bool {
        id >= self.first && self.ids.binary_search(&(id - self.first)).is_ok()
    }
}

/// An entity that is encoded once more, without one of its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeftOut {
    /// Its place in the batch.
    pub entity: u32,
    /// The neighbour.
    pub without: u32,
}

/// The entities of a batch.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// Those that are encoded, sorted, each once.
    pub entities: Vec<u32>,
    /// Those that are encoded once more, sorted by entity.
    pub left_out: Vec<LeftOut>,
    /// The neighbours of each entity, where they are drawn anew for each batch.
    pub drawn: Option<Drawn>,
}

/// Drawn neighbours: a sorted list for each entity of the batch.
#[derive(Debug, Clone, Default)]
pub struct Drawn {
    /// Where each list begins; one more than there are.
    pub starts: Vec<u32>,
    /// The lists.
    pub ids: Vec<u32>,
}

impl Batch {
    /// How many representations there are: those of the entities, and then those that leave one out.
    pub fn len(&self) -> usize {
        self.entities.len() + self.left_out.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The neighbourhood of an entity, by its place in the batch.
    pub fn neighbours<'a>(&'a self, place: usize, surroundings: &'a impl Surroundings) -> Ids<'a> {
        match &self.drawn {
            Some(drawn) => {
                let list = drawn.starts[place] as usize..drawn.starts[place + 1] as usize;
                Ids { first: 0, ids: &drawn.ids[list] }
            }
            None => surroundings.neighbours(self.entities[place]),
        }
    }

    /// The representations in blocks that threads can share: some entities, and those of them that leave one out.
    pub(super) fn blocks<'a, T>(&self, rows: &'a mut [T], width: usize) -> Vec<Block<'a, T>> {
        const ENTITIES: usize = 64;
        let (mut entities, mut left_out) =
            rows[..self.len() * width].split_at_mut(self.entities.len() * width);
        let (mut blocks, mut out) = (Vec::new(), 0);
        for first in (0..self.entities.len()).step_by(ENTITIES) {
            let end = self.entities.len().min(first + ENTITIES);
            let outs = self.left_out[out..].partition_point(|left| (left.entity as usize) < end);
            let (own, rest) = entities.split_at_mut((end - first) * width);
            let (own_out, rest_out) = left_out.split_at_mut(outs * width);
            blocks.push(Block { first, entities: own, first_out: out, left_out: own_out });
            (entities, left_out, out) = (rest, rest_out, out + outs);
        }
        blocks
    }
}

/// Some rows of a table that has one for each representation.
pub(super) struct Block<'a, T> {
    /// The first entity.
    pub(super) first: usize,
    pub(super) entities: &'a mut [T],
    /// The first that leaves one out.
    pub(super) first_out: usize,
    pub(super) left_out: &'a mut [T],
}
