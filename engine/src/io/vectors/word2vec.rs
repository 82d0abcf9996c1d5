//! How are word vectors read and written as text?
//!
//! A line holds a word and its numbers. Before them, a line may say how many vectors there are and how wide: word2vec
//! and fastText write it, GloVe does not. Blanks separate columns, so a name that is written has `_` for every
//! whitespace; a few words of GloVe hold blanks all the same, and are read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::{Naming, Rows};
use crate::error::{Error, Place, Result};
use crate::graph::Part;
use crate::io::source::{Format, Role, SourceFile};
use crate::io::staging::write_file;
use crate::io::stream::{Block, Stream, for_each_block, without_byte_order_mark};
use crate::progress::Silent;

/// Writes vectors as text that reads back as the same numbers. Whitespace in a name becomes `_`, and so does an empty
/// name; names that are the same then stay in the file, each on its line.
pub(super) fn write(path: &Path, rows: &Rows<'_>) -> Result<()> {
    write_file(path, |file| {
        writeln!(file, "{} {}", rows.count(), rows.width).map_err(Error::io(path))?;
        let mut line = String::new();
        for (label, vector) in rows.iter() {
            line.clear();
            if rows.naming == Naming::GraphAndName {
                line.push_str(&as_one_word(label.graph));
                line.push(':');
            }
            line.push_str(&as_one_word(label.name));
            for number in vector {
                if !number.is_finite() {
                    let message = format!("the vector of {:?} holds {number}", label.name);
                    return Err(Error::Usage(format!("{}: {message}", path.display())));
                }
                // The shortest text that reads back as the same number, with an exponent where that is shorter.
                line.push_str(&format!(" {number:?}"));
            }
            line.push('\n');
            file.write_all(line.as_bytes()).map_err(Error::io(path))?;
        }
        Ok(())
    })
}

/// A name as a word of the format.
fn as_one_word(name: &str) -> Cow<'_, str> {
    if name.is_empty() { "_".into() } else { Cow::Owned(name.replace(char::is_whitespace, "_")) }
}

/// Vectors of words, all in memory.
#[derive(Debug)]
pub struct WordVectors {
    width: usize,
    /// The numbers of each block of the file. They stay where they were read: a copy into one table would take the
    /// memory twice.
    blocks: Vec<Vec<f32>>,
    /// The block and the row of each word.
    places: HashMap<Box<str>, (u32, u32)>,
}

impl WordVectors {
    /// Reads a file of text, compressed or not. Of a word that comes twice the first vector counts.
    pub fn read(path: &Path) -> Result<Self> {
        // Only the path matters to a stream.
        let file =
            SourceFile { path: path.to_path_buf(), format: Format::Tsv, role: Role::Facts(Part::Undivided) };
        let (mut blocks, stamper) = Stream::open(&file, &Silent)?.into_blocks();
        let first = blocks.next().transpose().map_err(|error| stamper.error(error))?;
        let (opening, first) =
            first.map_or_else(|| Err(no_vectors(path)), |first| open_first(first, path))?;
        let parts: Mutex<Vec<Lines>> = Mutex::default();
        let blocks = std::iter::once(Ok(first)).chain(blocks);
        for_each_block(
            blocks,
            stamper,
            || (),
            |(), block| {
                let part = read_block(block, opening.width, path)?;
                parts.lock().unwrap_or_else(PoisonError::into_inner).push(part);
                Ok(())
            },
        )?;
        let parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        Self::of_parts(parts, opening, path)
    }

    fn of_parts(mut parts: Vec<Lines>, opening: Opening, path: &Path) -> Result<Self> {
        parts.sort_unstable_by_key(|part| part.line);
        let found: usize = parts.iter().map(|part| part.words.len()).sum();
        if let Some(count) = opening.count.filter(|count| *count != found) {
            let message = format!("the first line says {count} vectors, but the file holds {found}");
            return Err(Error::input(Place::line(path, 1), message));
        }
        if found == 0 {
            return Err(no_vectors(path));
        }
        let mut vectors = Self { width: opening.width, blocks: Vec::new(), places: HashMap::new() };
        for (block, part) in parts.into_iter().enumerate() {
            for (row, word) in part.words.into_iter().enumerate() {
                vectors.places.entry(word).or_insert((block as u32, row as u32));
            }
            vectors.blocks.push(part.numbers);
        }
        Ok(vectors)
    }

    /// How many numbers a vector has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many words there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// The vector of a word, written exactly so.
    pub fn get(&self, word: &str) -> Option<&[f32]> {
        let &(block, row) = self.places.get(word)?;
        let start = row as usize * self.width;
        Some(&self.blocks[block as usize][start..start + self.width])
    }

    /// A vector for a name: its own if the name as a whole is a word, with `_` between its parts; else the mean of the
    /// vectors of those of its words that are known. Words end where letters and digits do, and are looked up as they
    /// are, then in lower case.
    pub fn compose(&self, name: &str) -> Option<Vec<f32>> {
        let words: Vec<&str> =
            name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let as_wholes = [as_one_word(name), words.join("_").into()];
        if let Some(vector) = as_wholes.iter().find_map(|whole| self.get_in_any_case(whole)) {
            return Some(vector.to_vec());
        }
        // In f64, in which no sum of finite numbers overflows.
        let mut sum = vec![0.0f64; self.width];
        let mut known = 0u32;
        for vector in words.iter().filter_map(|word| self.get_in_any_case(word)) {
            sum.iter_mut().zip(vector).for_each(|(sum, &number)| *sum += f64::from(number));
            known += 1;
        }
        (known > 0).then(|| sum.iter().map(|sum| (sum / f64::from(known)) as f32).collect())
    }

    fn get_in_any_case(&self, word: &str) -> Option<&[f32]> {
        self.get(word).or_else(|| self.get(&word.to_lowercase()))
    }
}

/// What the first line says.
#[derive(Debug, Clone, Copy)]
struct Opening {
    /// The number of vectors, if the first line is not a vector itself.
    count: Option<usize>,
    width: usize,
}

/// The words and numbers of a block of lines.
struct Lines {
    line: u64,
    words: Vec<Box<str>>,
    numbers: Vec<f32>,
}

fn no_vectors(path: &Path) -> Error {
    Error::input(Place::file(path), "there are no vectors in this file")
}

/// What the first line says, and the block without what is no vector.
fn open_first(block: Block, path: &Path) -> Result<(Opening, Block)> {
    let bytes = without_byte_order_mark(&block.bytes);
    if bytes.starts_with(b"PK\x03\x04") {
        let message = "this is a ZIP archive; unpack it and name one of its files";
        return Err(Error::input(Place::file(path), message));
    }
    let end = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
    let bad = |message: String| Error::input(Place::line(path, 1), message);
    let opening = text_of(&bytes[..end]).and_then(opening_of).map_err(bad)?;
    let rest = match opening.count {
        Some(_) => Block { bytes: bytes[end..].to_vec(), line: 2 },
        None => Block { bytes: bytes.to_vec(), line: 1 },
    };
    Ok((opening, rest))
}

/// Two whole numbers are a header; so a file without one cannot begin with a number and a vector of one whole number.
fn opening_of(line: &str) -> Result<Opening, String> {
    let columns: Vec<&str> = columns(line).collect();
    if let [count, width] = columns[..]
        && let (Ok(count), Ok(width)) = (count.parse(), width.parse())
    {
        if width == 0 {
            return Err("the first line says that vectors have no numbers".to_owned());
        }
        return Ok(Opening { count: Some(count), width });
    }
    let first_number = (1..columns.len()).find(|&at| columns[at].parse::<f32>().is_ok());
    let first_number = first_number
        .ok_or("expected a word and its numbers, or how many vectors there are and their width")?;
    Ok(Opening { count: None, width: columns.len() - first_number })
}

fn read_block(block: &Block, width: usize, path: &Path) -> Result<Lines> {
    let mut part = Lines { line: block.line, words: Vec::new(), numbers: Vec::new() };
    for (number, line) in block.bytes.split(|&b| b == b'\n').enumerate() {
        let outcome = text_of(line).and_then(|line| read_line(line, width, &mut part));
        outcome.map_err(|message| Error::input(Place::line(path, block.line + number as u64), message))?;
    }
    part.words.shrink_to_fit();
    part.numbers.shrink_to_fit();
    Ok(part)
}

/// Reads a word and its numbers; a blank line is none.
fn read_line(line: &str, width: usize, part: &mut Lines) -> Result<(), String> {
    let found = columns(line).count();
    if found == 0 {
        return Ok(());
    }
    let is_number = |column: &str| column.parse::<f32>().is_ok();
    // All before the last numbers is the word, which may hold blanks; but a number in it is one column too many.
    let of_word = found.saturating_sub(width);
    if of_word == 0 || columns(line).take(of_word).skip(1).any(is_number) {
        return Err(format!("expected a word and {width} numbers, found {found} columns"));
    }
    for column in columns(line).skip(of_word) {
        let number: f32 = column.parse().map_err(|_| format!("{column:?} is not a number"))?;
        if !number.is_finite() {
            return Err(format!("{column:?} is not a finite number"));
        }
        part.numbers.push(number);
    }
    let word: Vec<&str> = columns(line).take(of_word).collect();
    part.words.push(word.join(" ").into());
    Ok(())
}

fn text_of(line: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(line).map_err(|_| "this is not valid UTF-8".to_owned())
}

/// Columns end at blanks and tabs only: other whitespace is part of some words.
fn columns(line: &str) -> impl Iterator<Item = &str> {
    line.trim_end_matches(['\r', '\n']).split([' ', '\t']).filter(|column| !column.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use proptest::prelude::*;

    use super::super::{Format, Label, write_vectors};
    use super::*;

    fn read(text: impl AsRef<[u8]>) -> Result<WordVectors> {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.vec");
        fs::write(&path, text).unwrap();
        WordVectors::read(&path)
    }

    /// What is said after the file's name, and of which line.
    fn failure(text: impl AsRef<[u8]>) -> (Option<u64>, String) {
        match read(text) {
            Err(Error::Input { place, message }) => {
                assert!(place.path.ends_with("x.vec"));
                (place.line, message)
            }
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_written_reads_back(
            width in 1..5usize,
            names in prop::collection::vec("\\PC{0,3}[ \t\n\u{a0}]?[a-z]{0,2}", 1..30),
            bits in prop::collection::vec(any::<u32>(), 120),
            naming in prop_oneof![Just(Naming::Name), Just(Naming::GraphAndName)],
        ) {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("x.vec");
            let finite = |bits: &u32| Some(f32::from_bits(*bits)).filter(|n| n.is_finite()).unwrap_or(0.5);
            let vectors: Vec<f32> = bits.iter().take(names.len() * width).map(finite).collect();
            let rows = Rows { width, vectors: &vectors, label: &|row| Label { graph: "g", name: &names[row] }, naming };
            write_vectors(&path, Format::Word2vec, &rows).unwrap();
            let read = WordVectors::read(&path).unwrap();
            prop_assert_eq!(read.width(), width);
            let mut first = HashMap::new();
            for (name, vector) in names.iter().zip(vectors.chunks(width)) {
                let word: String = if name.is_empty() { "_".to_owned() } else {
                    name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect()
                };
                let word = if naming == Naming::Name { word } else { format!("g:{word}") };
                first.entry(word).or_insert(vector);
            }
            prop_assert_eq!(read.count(), first.len());
            for (word, vector) in first {
                let found = read.get(&word).unwrap();
                prop_assert!(found.iter().zip(vector).all(|(a, b)| a.to_bits() == b.to_bits()), "{}: {:?}, {:?}", word, found, vector);
            }
        }
    }

    #[test]
    fn the_text_is_as_word2vec_writes_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.vec");
        let names = ["Tom Hanks", "", "a\n\u{2003}b"];
        let vectors = [1.0, -0.0, 0.1, 1e-30, -2.5e20, 3.0];
        let label = |row: usize| Label { graph: "f g", name: names[row] };
        let rows = |naming| Rows { width: 2, vectors: &vectors, label: &label, naming };
        write_vectors(&path, Format::Word2vec, &rows(Naming::Name)).unwrap();
        let expected = "3 2\nTom_Hanks 1.0 -0.0\n_ 0.1 1e-30\na__b -2.5e20 3.0\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        write_vectors(&path, Format::Word2vec, &rows(Naming::GraphAndName)).unwrap();
        let expected = "3 2\nf_g:Tom_Hanks 1.0 -0.0\nf_g:_ 0.1 1e-30\nf_g:a__b -2.5e20 3.0\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    }

    #[test]
    fn a_vector_that_cannot_be_read_back_is_not_written() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.vec");
        let label = |_| Label { graph: "g", name: "Tom Hanks" };
        let rows = Rows { width: 2, vectors: &[1.0, f32::NAN], label: &label, naming: Naming::Name };
        let failure = write_vectors(&path, Format::Word2vec, &rows).unwrap_err().to_string();
        assert_eq!(failure, format!("{}: the vector of \"Tom Hanks\" holds NaN", path.display()));
        assert!(!path.exists());
    }

    #[test]
    fn files_of_glove_and_fasttext_are_read() {
        let glove = read("the 0.5 -1\n. . . 1e-2 2\n7 3 4\nat name@domain.com 5 6\nthe 9 9\n").unwrap();
        assert_eq!((glove.width(), glove.count()), (2, 4));
        assert_eq!(glove.get("the"), Some(&[0.5, -1.0][..]));
        assert_eq!(glove.get(". . ."), Some(&[0.01, 2.0][..]));
        assert_eq!(glove.get("7"), Some(&[3.0, 4.0][..]));
        assert_eq!(glove.get("at name@domain.com"), Some(&[5.0, 6.0][..]));
        assert_eq!(glove.get("at"), None);
        let first_with_blanks = read(". . . 1 2\nthe 3 4").unwrap();
        assert_eq!(first_with_blanks.get(". . ."), Some(&[1.0, 2.0][..]));
        let fasttext = read("\u{feff}2 3\r\nde 1 2 3 \r\n\u{a0}\t4 5  6\r\n\r\n").unwrap();
        assert_eq!((fasttext.width(), fasttext.count()), (3, 2));
        assert_eq!(fasttext.get("de"), Some(&[1.0, 2.0, 3.0][..]));
        assert_eq!(fasttext.get("\u{a0}"), Some(&[4.0, 5.0, 6.0][..]));
    }

    #[test]
    fn a_large_compressed_file_keeps_its_order() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.txt.gz");
        let mut text = String::new();
        // Several blocks; every word comes twice, and the first one counts.
        for n in 0..300_000 {
            text.push_str(&format!("w{} {n} 1.25\n", n % 150_000));
        }
        let mut file =
            flate2::write::GzEncoder::new(fs::File::create(&path).unwrap(), flate2::Compression::fast());
        file.write_all(text.as_bytes()).unwrap();
        file.finish().unwrap();
        let vectors = WordVectors::read(&path).unwrap();
        assert!(vectors.blocks.len() > 3);
        assert_eq!(vectors.count(), 150_000);
        for n in 0..150_000 {
            assert_eq!(vectors.get(&format!("w{n}")), Some(&[n as f32, 1.25][..]));
        }
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        let failure = WordVectors::read(&path).unwrap_err().to_string();
        assert_eq!(
            failure,
            format!("{}: the gzip data ends too early; the file is truncated", path.display())
        );
    }

    #[test]
    fn errors_name_the_line() {
        let cases: [(&[u8], Option<u64>, &str); 18] = [
            (b"2 2\na 1 2\nb 1\n", Some(3), "expected a word and 2 numbers, found 2 columns"),
            (b"a 1 2\n\nb 1 2 3\n", Some(3), "expected a word and 2 numbers, found 4 columns"),
            (b"a 1 2\nb\n", Some(2), "expected a word and 2 numbers, found 1 columns"),
            (b"a 1 2\n 1 2\n", Some(2), "expected a word and 2 numbers, found 2 columns"),
            (
                b"1 99999999999999999\na 1 2\n",
                Some(2),
                "expected a word and 99999999999999999 numbers, found 3 columns",
            ),
            (b"a 1 2\nb 1 x\n", Some(2), "\"x\" is not a number"),
            (b"a 1 x 3\n", Some(1), "\"x\" is not a number"),
            (b"a 1 2\nb nan 2\n", Some(2), "\"nan\" is not a finite number"),
            (b"a 1 2\nb 1 1e39\n", Some(2), "\"1e39\" is not a finite number"),
            (b"a 1 2\nb 1 -inf\n", Some(2), "\"-inf\" is not a finite number"),
            (b"3 1\na 1\nb 1\n", Some(1), "the first line says 3 vectors, but the file holds 2"),
            (b"1 1\na 1\nb 1\n", Some(1), "the first line says 1 vectors, but the file holds 2"),
            (b"1 0\na\n", Some(1), "the first line says that vectors have no numbers"),
            (
                b"\na 1\n",
                Some(1),
                "expected a word and its numbers, or how many vectors there are and their width",
            ),
            (b"a 1 2\n\xff 1 2\n", Some(2), "this is not valid UTF-8"),
            (b"0 5\n\n", None, "there are no vectors in this file"),
            (b"PK\x03\x04rest", None, "this is a ZIP archive; unpack it and name one of its files"),
            (b"", None, "the file is empty"),
        ];
        for (text, line, message) in cases {
            assert_eq!(failure(text), (line, message.to_owned()), "{}", String::from_utf8_lossy(text));
        }
        assert!(matches!(WordVectors::read(Path::new("nowhere.vec")), Err(Error::Io { .. })));
    }

    #[test]
    fn the_earliest_error_of_many_blocks_is_reported() {
        let mut text = String::new();
        for n in 1..=200_000 {
            text.push_str(if n % 70_000 == 0 { "word 0.125 bad\n" } else { "word 0.125 0.25\n" });
        }
        assert_eq!(failure(&text), (Some(70_000), "\"bad\" is not a number".to_owned()));
    }

    #[test]
    fn names_are_composed_of_their_words() {
        let vectors = read(
            "tom 1 0\nHanks 0 4\nhanks 9 9\nnew_york 7 7\nSaint_Tom 5 5\nU.S. 2 3\nbig 3e38 0\nstra\u{df}e 6 6\n",
        )
        .unwrap();
        let compose = |name: &str| vectors.compose(name);
        // The mean of both; "Hanks" is known as it is, "Tom" in lower case.
        assert_eq!(compose("Tom Hanks"), Some(vec![0.5, 2.0]));
        assert_eq!(compose("HANKS"), Some(vec![9.0, 9.0]));
        // A word that comes twice counts twice, an unknown one not at all.
        assert_eq!(compose("tom/tom (of Hanks)"), Some(vec![2.0 / 3.0, 4.0 / 3.0]));
        // As a whole first, in any case.
        assert_eq!(compose("New York"), Some(vec![7.0, 7.0]));
        assert_eq!(compose("New-York!"), Some(vec![7.0, 7.0]));
        assert_eq!(compose("Saint Tom"), Some(vec![5.0, 5.0]));
        assert_eq!(compose("saint tom"), Some(vec![1.0, 0.0]));
        assert_eq!(compose("U.S."), Some(vec![2.0, 3.0]));
        assert_eq!(compose("Stra\u{df}e 12"), Some(vec![6.0, 6.0]));
        assert_eq!(compose("big, big"), Some(vec![3e38, 0.0]));
        for unknown in ["", "nobody", "...", "york"] {
            assert_eq!(compose(unknown), None, "{unknown:?}");
        }
    }
}
