//! What are things called inside the program?
//!
//! Every kind of thing has its own id type, so that a relation cannot be passed where an entity is meant. Ids are
//! dense row numbers of the [`Vocabulary`](super::Vocabulary) of their graph; an id means nothing outside of it.

/// Declares a dense 32-bit id with its conversions.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The row of this id in tables that have one row for each.
            pub fn row(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// An entity of one graph.
    EntityId
);
id!(
    /// A relation between entities.
    RelationId
);
id!(
    /// The key of an attribute.
    KeyId
);
id!(
    /// The type (class) of an entity.
    TypeId
);
id!(
    /// A distinct value of attributes.
    ValueId
);
