//! What went wrong, and where?
//!
//! Every error of the library names the file it came from and, where there is one, the line and the column,
//! so that a message can be acted on without a debugger.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of everything in this library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A place in an input: a file, and where known a line and a column, both counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file as the user named it; `-` is standard input.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The column, from 1: in characters, or in bytes where the line is not UTF-8.
    pub column: Option<u64>,
}

impl Place {
    /// A whole file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), line: None, column: None }
    }

    /// A line of a file.
    pub fn line(path: impl Into<PathBuf>, line: u64) -> Self {
        Self { path: path.into(), line: Some(line), column: None }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        Ok(())
    }
}

/// Anything that can go wrong in the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to read, write or create something.
    #[error("{}: {source}", path.display())]
    Io {
        /// What was being read or written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An input does not read as what it should be.
    #[error("{place}: {message}")]
    Input {
        /// Where.
        place: Place,
        /// What was found, and what was expected.
        message: String,
    },
    /// The caller asked for something that cannot be done.
    #[error("{0}")]
    Usage(String),
    /// Learning led to numbers that are none.
    #[error(
        "at step {step} {layer} is no longer finite; a smaller optimizer.rate, or a longer optimizer.warmup, may help"
    )]
    Diverged {
        /// The step, counted from 1.
        step: u64,
        /// Where it shows first.
        layer: String,
    },
    /// A prepared folder or a run cannot be opened.
    #[error("{}: {message}", path.display())]
    Folder {
        /// The folder, or the file in it.
        path: PathBuf,
        /// Why it does not open.
        message: String,
    },
}

impl Error {
    /// Wraps what the system said about `path`.
    pub fn io(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_path_buf();
        move |source| Self::Io { path, source }
    }

    /// A path that leads nowhere.
    pub fn not_found(path: impl AsRef<Path>) -> Self {
        Self::io(path)(io::Error::new(io::ErrorKind::NotFound, "no such file or folder"))
    }

    /// An input that does not read as it should.
    pub fn input(place: Place, message: impl Into<String>) -> Self {
        Self::Input { place, message: message.into() }
    }

    /// A prepared folder that does not open.
    pub fn folder(path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self::Folder { path: path.into(), message: message.into() }
    }
}
