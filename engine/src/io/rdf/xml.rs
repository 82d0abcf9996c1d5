//! Is an XML document whole, and where in it is the parser?
//!
//! The RDF/XML parser takes the end of the file for the end of the document, wherever it comes, and its errors carry
//! no line. Both are known to whoever hands it the bytes: line by line, and counting open elements.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Hands out one line at a time, and knows which.
pub(super) struct Watched<R> {
    reader: BufReader<R>,
    nesting: Nesting,
    line: Arc<AtomicU64>,
    /// The last line was handed out whole, so that what comes next is a new one.
    ended: bool,
}

impl<R: Read> Watched<R> {
    /// Watches a reader; the number tells the line that was handed out last.
    pub(super) fn new(reader: R) -> (Self, Arc<AtomicU64>) {
        let line = Arc::new(AtomicU64::new(0));
        let reader = BufReader::with_capacity(1 << 16, reader);
        (Self { reader, nesting: Nesting::default(), line: line.clone(), ended: true }, line)
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let available = self.reader.fill_buf()?;
        if available.is_empty() {
            return match self.nesting.is_whole() {
                true => Ok(0),
                false => Err(io::Error::new(io::ErrorKind::UnexpectedEof, NOT_CLOSED)),
            };
        }
        let most = available.len().min(buffer.len());
        let count = memchr::memchr(b'\n', &available[..most]).map_or(most, |end| end + 1);
        buffer[..count].copy_from_slice(&available[..count]);
        if std::mem::replace(&mut self.ended, available[count - 1] == b'\n') {
            self.line.fetch_add(1, Ordering::Relaxed);
        }
        self.nesting.feed(&available[..count]);
        self.reader.consume(count);
        Ok(count)
    }
}

/// What is said of a document that ends too early.
pub(super) const NOT_CLOSED: &str = "the file ends here, but some elements are not closed; it is truncated";

/// Counts open elements. Mistakes within a document are the parser's to find.
#[derive(Default)]
struct Nesting {
    depth: u64,
    state: State,
    /// The last bytes, to see the ends of comments and the like.
    last: [u8; 3],
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// Behind `<`.
    Open,
    Tag {
        closing: bool,
        quote: Option<u8>,
    },
    Instruction,
    /// Behind `<!`: a comment, a CDATA section or a declaration.
    Markup(u8),
    Comment,
    Data,
    Declaration {
        brackets: u8,
        quote: Option<u8>,
    },
    /// A comment within a declaration.
    Aside {
        brackets: u8,
    },
}

impl Nesting {
    fn is_whole(&self) -> bool {
        self.depth == 0 && self.state == State::Text
    }

    fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.state = self.next(byte);
            self.last = [self.last[1], self.last[2], byte];
        }
    }

    fn next(&mut self, byte: u8) -> State {
        let [.., before, last] = self.last;
        match (self.state, byte) {
            (State::Text, b'<') => State::Open,
            (State::Text, _) => State::Text,
            (State::Open, b'?') => State::Instruction,
            (State::Open, b'!') => State::Markup(0),
            (State::Open, b'/') => State::Tag { closing: true, quote: None },
            (State::Open, _) => State::Tag { closing: false, quote: None },
            (State::Tag { closing, quote: None }, b'"' | b'\'') => State::Tag { closing, quote: Some(byte) },
            (State::Tag { closing, quote: Some(quote) }, _) if byte == quote => {
                State::Tag { closing, quote: None }
            }
            (State::Tag { closing, quote: None }, b'>') => {
                if closing {
                    self.depth = self.depth.saturating_sub(1);
                } else if last != b'/' {
                    self.depth += 1;
                }
                State::Text
            }
            (State::Instruction, b'>') if last == b'?' => State::Text,
            (State::Markup(0), b'-') => State::Markup(1),
            (State::Markup(1), b'-') => State::Comment,
            (State::Markup(0), b'[') => State::Data,
            (State::Markup(_), _) => State::Declaration { brackets: 0, quote: None },
            (State::Comment, b'>') if [before, last] == *b"--" => State::Text,
            (State::Data, b'>') if [before, last] == *b"]]" => State::Text,
            (State::Declaration { brackets, quote: None }, b'-') if self.last == *b"<!-" => {
                State::Aside { brackets: brackets.saturating_sub(1) }
            }
            (State::Aside { brackets }, b'>') if [before, last] == *b"--" => {
                State::Declaration { brackets, quote: None }
            }
            (State::Declaration { brackets, quote: None }, b'"' | b'\'') => {
                State::Declaration { brackets, quote: Some(byte) }
            }
            (State::Declaration { brackets, quote: Some(quote) }, _) if byte == quote => {
                State::Declaration { brackets, quote: None }
            }
            (State::Declaration { brackets, quote: None }, b'[' | b'<') => {
                State::Declaration { brackets: brackets.saturating_add(1), quote: None }
            }
            (State::Declaration { brackets: 0, quote: None }, b'>') => State::Text,
            (State::Declaration { brackets, quote: None }, b']' | b'>') => {
                State::Declaration { brackets: brackets.saturating_sub(1), quote: None }
            }
            (state, _) => state,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_whole(text: &str) -> bool {
        let mut nesting = Nesting::default();
        nesting.feed(text.as_bytes());
        nesting.is_whole()
    }

    #[test]
    fn whole_documents_are_told_from_others() {
        for whole in [
            "<a/>",
            "<a><b x='>'/>text</a>\n",
            "<?xml version='1.0'?><!DOCTYPE rdf:RDF [ <!ENTITY o \"a > b\"> ]><!-- <open> --><a><![CDATA[<b>]]></a>",
            "<a x=\"/\"></a>",
            "<!DOCTYPE a [ <!-- don't [ --> <!ENTITY o 'x'> ]><a/>",
            "",
        ] {
            assert!(is_whole(whole), "{whole}");
        }
        for cut in ["<a>", "<a><b/>", "<a", "<a></a", "<!-- ", "<a><![CDATA[</a>", "<a x='</a>"] {
            assert!(!is_whole(cut), "{cut}");
        }
    }

    #[test]
    fn the_line_is_the_one_handed_out_last() {
        let (mut watched, line) = Watched::new(&b"<a>\n\n</a>"[..]);
        let mut buffer = [0; 100];
        let mut lines = Vec::new();
        while watched.read(&mut buffer).unwrap() > 0 {
            lines.push(line.load(Ordering::Relaxed));
        }
        assert_eq!(lines, [1, 2, 3]);
    }
}
