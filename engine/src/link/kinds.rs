//! Which kinds of evidence are looked at?

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// A kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Where entities stand in their graphs: labels that spread from known links, and linked neighbours.
    Structure,
    /// Attributes other than names.
    Attributes,
    /// Names.
    Names,
    /// Types.
    Types,
    /// The representations of a trained model, where there is one.
    Model,
    /// Links by way of other graphs, where there are more than two.
    Graphs,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Structure, Self::Attributes, Self::Names, Self::Types, Self::Model, Self::Graphs];

    /// What it is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Attributes => "attributes",
            Self::Names => "names",
            Self::Types => "types",
            Self::Model => "model",
            Self::Graphs => "graphs",
        }
    }

    /// The kind that a column is of.
    pub fn of_column(name: &str) -> Self {
        match name.split(':').next() {
            Some("name") => Self::Names,
            Some("values") => Self::Attributes,
            Some("types") => Self::Types,
            Some("model") => Self::Model,
            Some("graphs") => Self::Graphs,
            _ => Self::Structure,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word.trim()).ok_or_else(|| {
            let message =
                "is no kind of evidence; expected structure, attributes, names, types, model or graphs";
            Error::Usage(format!("`{word}` {message}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_called_by_their_words() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse::<Kind>().unwrap(), kind);
        }
        assert_eq!(" names".parse::<Kind>().unwrap(), Kind::Names);
        let error = "name".parse::<Kind>().unwrap_err().to_string();
        assert_eq!(
            error,
            "`name` is no kind of evidence; expected structure, attributes, names, types, model or graphs"
        );
        assert_eq!(Kind::of_column("name: letters"), Kind::Names);
        assert_eq!(Kind::of_column("values: agree"), Kind::Attributes);
        assert_eq!(Kind::of_column("types"), Kind::Types);
        assert_eq!(Kind::of_column("neighbours: share"), Kind::Structure);
        assert_eq!(Kind::of_column("structure share"), Kind::Structure);
        assert_eq!(Kind::of_column("model: likeness"), Kind::Model);
        assert_eq!(Kind::of_column("graphs: agree"), Kind::Graphs);
    }
}
