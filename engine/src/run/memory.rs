//! How much does a model take?
//!
//! Counted from its tables, and by the formula of the paper (§4.1, "Memory Complexity") beside it:
//!
//! ```text
//! H_a = 2·N_e·H_e + N_r·H_r + N_t·H_t + N_k·H_k + N_v·H_v        parameters = H_a·(H_b + 1)
//! ```
//!
//! The formula gives each number of each vector a weight of its own to every hidden unit, and every entity a second
//! vector as a neighbour. In the model of Eq. 1 to 9 the matrices W₁ to W₅ are shared by all entities and relations, and
//! an entity has one row in both roles, so that it is much smaller.

use std::collections::BTreeMap;

use super::Run;
use crate::config::Method;
use crate::error::Result;

/// How much a model takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// The shape of each table, by the paper's name for it.
    pub tables: BTreeMap<String, Vec<usize>>,
    /// The numbers of all tables.
    pub parameters: u64,
    /// Bytes of the parameters.
    pub bytes: u64,
    /// Bytes of the parameters with what the optimizer remembers of each.
    pub bytes_with_optimizer: u64,
    /// What the paper's formula gives for these tables.
    pub by_formula: u64,
}

impl Memory {
    fn of(tables: BTreeMap<String, Vec<usize>>, hidden: usize, method: Method) -> Self {
        let numbers = |name: &str| tables.get(name).map_or(0, |shape| product(shape));
        let parameters: u64 = tables.values().map(|shape| product(shape)).sum();
        let entities = 2 * numbers("W^E");
        let others: u64 = ["W^R", "W^T", "W^key", "W^val"].map(numbers).iter().sum();
        let remembered = match method {
            Method::Adam => 2,
            Method::Adagrad => 1,
        };
        let bytes = parameters * size_of::<f32>() as u64;
        Self {
            parameters,
            bytes,
            bytes_with_optimizer: bytes * (1 + remembered),
            by_formula: (entities + others).saturating_mul((hidden as u64).saturating_add(1)),
            tables,
        }
    }
}

/// How many numbers a shape holds; a file of them lies on disk, so that it is a number.
fn product(shape: &[usize]) -> u64 {
    shape.iter().map(|&size| size as u64).product()
}

impl Run {
    /// How much the model takes.
    pub fn memory(&self) -> Result<Memory> {
        Ok(Memory::of(self.tables()?, self.config.model.hidden, self.config.optimizer.method))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_model_counted_by_hand() {
        let tables = [
            ("W^E", vec![5, 4]),
            ("W^R", vec![3, 2]),
            ("W^T", vec![2, 2]),
            ("W^key", vec![2, 3]),
            ("W^val", vec![7, 3]),
            ("W1", vec![2, 4]),
            ("theta entities", vec![5]),
        ];
        let tables = BTreeMap::from(tables.map(|(name, shape)| (name.to_owned(), shape)));
        let memory = Memory::of(tables.clone(), 2, Method::Adam);
        assert_eq!(memory.parameters, 20 + 6 + 4 + 6 + 21 + 8 + 5);
        assert_eq!((memory.bytes, memory.bytes_with_optimizer), (280, 840));
        assert_eq!(memory.by_formula, (2 * 20 + 6 + 4 + 6 + 21) * 3);
        assert_eq!(Memory::of(tables, 2, Method::Adagrad).bytes_with_optimizer, 560);
        assert_eq!(Memory::of(BTreeMap::new(), 2, Method::Adam).by_formula, 0);
    }
}
