//! How is an array written for NumPy?
//!
//! As a `.npy` file of version 1.0: a magic word, a header that is a Python dictionary, and the numbers as they lie in
//! memory. `numpy.load` maps such a file without reading it.

use std::path::Path;

use super::little_endian;
use crate::error::{Error, Result};
use crate::io::staging::write_file;

/// Writes rows of `width` numbers as a two-dimensional array.
pub(super) fn write(path: &Path, width: usize, vectors: &[f32]) -> Result<()> {
    let header = header(vectors.len() / width, width);
    write_file(path, |file| {
        file.write_all(&header).map_err(Error::io(path))?;
        little_endian::for_each_piece(vectors, |bytes| file.write_all(bytes)).map_err(Error::io(path))
    })
}

/// All before the numbers: padded so that these begin at a multiple of 64, as a map of the file wants them.
fn header(rows: usize, width: usize) -> Vec<u8> {
    const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
    let mut text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {width}), }}");
    let before = MAGIC.len() + size_of::<u16>();
    // A line end is the header's last byte.
    let whole = (before + text.len() + 1).next_multiple_of(64);
    text.extend(std::iter::repeat_n(' ', whole - before - text.len() - 1));
    text.push('\n');
    // Two numbers of at most 20 digits: the length always fits.
    let length = text.len() as u16;
    [MAGIC, &length.to_le_bytes(), text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_that_numpy_writes() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.npy");
        write(&path, 3, &[0.0, 1.0, -2.0, 0.5, f32::MAX, 3.0]).unwrap();
        let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        expected.extend(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
        expected.extend([b' '; 58]);
        expected.push(b'\n');
        assert_eq!(expected.len(), 128);
        let numbers = [
            [0, 0, 0, 0],
            [0, 0, 0x80, 0x3f],
            [0, 0, 0, 0xc0],
            [0, 0, 0, 0x3f],
            [0xff, 0xff, 0x7f, 0x7f],
            [0, 0, 0x40, 0x40],
        ];
        expected.extend(numbers.concat());
        assert_eq!(std::fs::read(&path).unwrap(), expected);
    }

    #[test]
    fn numbers_begin_at_a_multiple_of_64() {
        for (rows, width) in [(0, 1), (12_345, 100), (usize::MAX, usize::MAX), (1_000_000_000, 4)] {
            let header = header(rows, width);
            assert_eq!(header.len() % 64, 0);
            assert_eq!(usize::from(u16::from_le_bytes([header[8], header[9]])), header.len() - 10);
            assert_eq!(header.last(), Some(&b'\n'));
            let text = String::from_utf8(header[10..].to_vec()).unwrap();
            assert!(text.contains(&format!("'shape': ({rows}, {width}), }}")), "{text}");
        }
    }
}
