//! In which encoding is an XML file?
//!
//! The one that its byte order mark or its declaration names; the RDF/XML parser takes UTF-8 only. The declaration
//! is cut off, since after decoding it would be a lie; the lines stay where they are.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, Encoding};

/// A declaration fits into this.
const HEAD: u64 = 1024;

/// The bytes of an XML file as UTF-8.
pub(in crate::io) fn decoded<'a>(
    mut reader: Box<dyn Read + Send + 'a>,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    let mut head = Vec::new();
    reader.by_ref().take(HEAD).read_to_end(&mut head)?;
    let marked = Encoding::for_bom(&head).map(|(encoding, _)| encoding);
    let encoding = match marked {
        Some(encoding) => encoding,
        None => match declared(&head) {
            Some(label) => Encoding::for_label(&label).ok_or_else(|| {
                let label = String::from_utf8_lossy(&label).into_owned();
                io::Error::new(io::ErrorKind::Unsupported, format!("unknown encoding {label:?}"))
            })?,
            None => encoding_rs::UTF_8,
        },
    };
    if encoding == encoding_rs::UTF_8 {
        // Left to the parser, which reports bad bytes instead of replacing them.
        return Ok(Box::new(io::Cursor::new(head).chain(reader)));
    }
    let body = if marked.is_none() { after_declaration(&head).to_vec() } else { head };
    let utf8 = Decoding {
        reader: io::Cursor::new(body).chain(reader),
        decoder: encoding.new_decoder_with_bom_removal(),
        input: Vec::new(),
        output: String::new(),
        given: 0,
        ended: false,
    };
    if marked.is_none() {
        return Ok(Box::new(utf8));
    }
    // A UTF-16 declaration can only be seen, and cut off, once it is decoded.
    let mut utf8 = utf8;
    let mut head = Vec::new();
    utf8.by_ref().take(HEAD).read_to_end(&mut head)?;
    Ok(Box::new(io::Cursor::new(after_declaration(&head).to_vec()).chain(utf8)))
}

/// The label in `<?xml … encoding="label"?>`.
fn declared(head: &[u8]) -> Option<Vec<u8>> {
    let end = declaration_end(head)?;
    let declaration = &head[..end];
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let value = declaration[at..].iter().position(|b| matches!(b, b'"' | b'\''))? + at;
    let quote = declaration[value];
    let length = declaration[value + 1..].iter().position(|&b| b == quote)?;
    Some(declaration[value + 1..value + 1 + length].to_vec())
}

fn declaration_end(head: &[u8]) -> Option<usize> {
    head.starts_with(b"<?xml").then(|| memchr::memmem::find(head, b"?>")).flatten().map(|end| end + 2)
}

fn after_declaration(head: &[u8]) -> &[u8] {
    &head[declaration_end(head).unwrap_or(0)..]
}

/// Decodes what it reads.
struct Decoding<R> {
    reader: R,
    decoder: Decoder,
    input: Vec<u8>,
    output: String,
    given: usize,
    ended: bool,
}

impl<R: Read> Decoding<R> {
    fn refill(&mut self) -> io::Result<()> {
        self.given = 0;
        self.output.clear();
        if self.input.is_empty() && !self.ended {
            self.ended = self.reader.by_ref().take(1 << 16).read_to_end(&mut self.input)? == 0;
        }
        let wanted = self.decoder.max_utf8_buffer_length(self.input.len()).unwrap_or(1 << 18).max(16);
        self.output.reserve(wanted);
        let (result, read, _) = self.decoder.decode_to_string(&self.input, &mut self.output, self.ended);
        self.input.drain(..read);
        debug_assert!(result == CoderResult::InputEmpty || !self.output.is_empty());
        Ok(())
    }
}

impl<R: Read> Read for Decoding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() && !(self.ended && self.input.is_empty()) {
            self.refill()?;
        }
        let left = &self.output.as_bytes()[self.given..];
        let count = left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&left[..count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf8(bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        decoded(Box::new(io::Cursor::new(bytes.to_vec())))?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn the_declared_encoding_is_used() {
        let latin = b"<?xml version='1.0' encoding=\"windows-1252\"?>\n<a>caf\xe9 \x80</a>";
        assert_eq!(utf8(latin).unwrap(), "\n<a>café €</a>");
        let long = [b"<?xml version='1.0' encoding='ISO-8859-1'?><a>".to_vec(), vec![0xe9; 200_000]].concat();
        assert_eq!(utf8(&long).unwrap(), format!("<a>{}", "é".repeat(200_000)));
    }

    #[test]
    fn utf8_is_passed_through_and_utf16_is_known_by_its_mark() {
        let plain = "<?xml version='1.0' encoding='UTF-8'?><a>é</a>";
        assert_eq!(utf8(plain.as_bytes()).unwrap(), plain);
        let wide: Vec<u8> = "\u{feff}<?xml version='1.0' encoding='UTF-16'?>\n<a>é</a>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(utf8(&wide).unwrap(), "\n<a>é</a>");
        assert!(utf8(b"<?xml version='1.0' encoding='klingon'?><a/>").is_err());
        assert_eq!(utf8(b"").unwrap(), "");
    }
}
