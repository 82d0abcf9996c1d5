//! How do vectors become files, and files vectors?
//!
//! Rows of vectors with names are exported in one of four [`Format`]s that other tools read ([`write_vectors`]). Word
//! vectors that others trained come in as text ([`WordVectors`]); whole tables of numbers are kept as safetensors
//! ([`Tensors`]). Whatever is written is streamed: tables may be larger than what is left of the memory.

mod little_endian;
mod npy;
mod parquet;
mod tensors;
mod word2vec;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

pub use tensors::{TensorView, Tensors, write_tensors};
pub use word2vec::WordVectors;

use super::staging::write_file;
use crate::error::{Error, Result};

/// How vectors are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// NumPy's own: one array, with the names in a file beside it.
    Npy,
    /// A table of graph, name and vector.
    Parquet,
    /// Text, a word and its numbers on each line.
    Word2vec,
    /// One tensor called `vectors`, with the names in a file beside it.
    Safetensors,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Npy, Self::Parquet, Self::Word2vec, Self::Safetensors];

    /// What the format is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Npy => "npy",
            Self::Parquet => "parquet",
            Self::Word2vec => "word2vec",
            Self::Safetensors => "safetensors",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == word).ok_or_else(|| {
            let message = "is not a format of vectors; expected npy, parquet, word2vec or safetensors";
            Error::Usage(format!("`{word}` {message}"))
        })
    }
}

/// Whose vector a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label<'a> {
    /// The graph.
    pub graph: &'a str,
    /// The name in the graph.
    pub name: &'a str,
}

/// What a row is called where there is room for one name only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By its name: enough for one graph.
    Name,
    /// As `graph:name`.
    GraphAndName,
}

/// Vectors of one width, row after row, and whose they are.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// How many numbers a vector has.
    pub width: usize,
    /// All numbers, a row after the other.
    pub vectors: &'a [f32],
    /// Whose vector a row is.
    pub label: &'a dyn Fn(usize) -> Label<'a>,
    /// What a row is called in the word2vec format; the others keep graph and name apart.
    pub naming: Naming,
}

impl<'a> Rows<'a> {
    /// How many vectors there are.
    pub fn count(&self) -> usize {
        self.vectors.len().checked_div(self.width).unwrap_or(0)
    }

    /// Every row's label and vector, in order.
    fn iter(&self) -> impl Iterator<Item = (Label<'a>, &'a [f32])> {
        let label = self.label;
        self.vectors.chunks_exact(self.width).enumerate().map(move |(row, vector)| (label(row), vector))
    }

    fn check(&self) -> Result<()> {
        if self.width == 0 {
            return Err(Error::Usage("a vector needs at least one number".into()));
        }
        if !self.vectors.len().is_multiple_of(self.width) {
            let (numbers, width) = (self.vectors.len(), self.width);
            return Err(Error::Usage(format!("{numbers} numbers are no whole vectors of {width}")));
        }
        Ok(())
    }
}

/// Writes vectors with their names. The file appears whole or not at all.
///
/// `npy` and `safetensors` have no place for names: for `x.npy` they are in `x.names.tsv`, row by row the graph, a tab
/// and the name; in both, a tab is written `\t`, line ends `\n` and `\r`, and a backslash `\\`.
pub fn write_vectors(path: &Path, format: Format, rows: &Rows<'_>) -> Result<()> {
    rows.check()?;
    match format {
        Format::Parquet => parquet::write(path, rows),
        Format::Word2vec => word2vec::write(path, rows),
        Format::Npy => {
            write_names(path, rows)?;
            npy::write(path, rows.width, rows.vectors)
        }
        Format::Safetensors => {
            write_names(path, rows)?;
            let shape = vec![rows.count(), rows.width];
            let table = TensorView { name: "vectors".to_owned(), shape, data: rows.vectors };
            write_tensors(path, &[table], &BTreeMap::new())
        }
    }
}

/// The names come first: where the vectors are, their names are too.
fn write_names(path: &Path, rows: &Rows<'_>) -> Result<()> {
    let path = path.with_extension("names.tsv");
    write_file(&path, |file| {
        for (label, _) in rows.iter() {
            writeln!(file, "{}\t{}", escaped(label.graph), escaped(label.name)).map_err(Error::io(&path))?;
        }
        Ok(())
    })
}

/// A name as one cell of a line.
fn escaped(name: &str) -> Cow<'_, str> {
    if !name.contains(['\t', '\n', '\r', '\\']) {
        return name.into();
    }
    let mut text = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        match c {
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\\' => text.push_str("\\\\"),
            _ => text.push(c),
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["Tom Hanks", "a\tb\\c", "line\r\nend"];

    fn rows(vectors: &[f32], width: usize) -> Rows<'_> {
        Rows {
            width,
            vectors,
            label: &|row| Label { graph: "films", name: NAMES[row] },
            naming: Naming::Name,
        }
    }

    #[test]
    fn formats_are_found_by_their_names() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        assert_eq!(
            "NPY".parse::<Format>().unwrap_err().to_string(),
            "`NPY` is not a format of vectors; expected npy, parquet, word2vec or safetensors"
        );
    }

    #[test]
    fn names_lie_beside_formats_that_have_no_place_for_them() {
        let home = tempfile::tempdir().unwrap();
        let vectors = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        for format in [Format::Npy, Format::Safetensors] {
            let path = home.path().join(format!("out.1.{format}"));
            write_vectors(&path, format, &rows(&vectors, 2)).unwrap();
            let names = path.with_file_name("out.1.names.tsv");
            let text = std::fs::read_to_string(&names).unwrap();
            assert_eq!(text, "films\tTom Hanks\nfilms\ta\\tb\\\\c\nfilms\tline\\r\\nend\n");
            std::fs::remove_file(names).unwrap();
        }
        let tensors = Tensors::open(&home.path().join("out.1.safetensors")).unwrap();
        let mut read = [0.0; 6];
        tensors.read_into("vectors", &[3, 2], &mut read).unwrap();
        assert_eq!(read, vectors);
        for format in [Format::Parquet, Format::Word2vec] {
            write_vectors(&home.path().join("own"), format, &rows(&vectors, 2)).unwrap();
        }
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 3);
    }

    #[test]
    fn rows_that_are_no_rows_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x");
        for format in Format::ALL {
            let failure =
                |width| write_vectors(&path, format, &rows(&[1.0; 3], width)).unwrap_err().to_string();
            assert_eq!(failure(0), "a vector needs at least one number");
            assert_eq!(failure(2), "3 numbers are no whole vectors of 2");
        }
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
    }
}
