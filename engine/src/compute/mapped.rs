//! How does a file on disk become memory without being read?

use std::fs::File;
use std::io;
use std::path::Path;

use arrow_buffer::Buffer;
use memmap2::Mmap;

/// Maps a file; its pages are read when they are first touched and can be dropped by the system at any time.
///
/// A file that is cut short by someone else while it is mapped ends the process on access: prepared folders are
/// written once, under another name, and renamed, so that none is ever changed in place.
#[allow(unsafe_code)]
pub fn map_file(path: &Path) -> io::Result<Buffer> {
    let file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        // The system does not map nothing.
        return Ok(Buffer::from_vec(Vec::<u8>::new()));
    }
    // SAFETY: the mapping is read-only and shared; nothing in this program writes to files it has published, and the
    // bytes are only ever read as plain integers and checked UTF-8, for which every bit pattern is valid.
    let map = unsafe { Mmap::map(&file)? };
    Ok(Buffer::from(bytes::Bytes::from_owner(map)))
}

#[cfg(test)]
mod tests {
    use super::map_file;

    #[test]
    fn a_mapped_file_reads_as_its_bytes() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x");
        let bytes: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(map_file(&path).unwrap().as_slice(), bytes);
        std::fs::write(&path, "").unwrap();
        assert!(map_file(&path).unwrap().is_empty());
        assert!(map_file(&home.path().join("y")).is_err());
    }
}
