//! How is a folder written so that a crash never leaves half of one?
//!
//! Files are written into a hidden folder beside the target, synced, and the folder is renamed in one step. Until
//! then the target does not exist; afterwards it is whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::error::{Error, Result};

/// A folder in the making. Dropped without [`Staging::publish`], it is removed.
#[derive(Debug)]
pub struct Staging {
    target: PathBuf,
    partial: PathBuf,
    replace: Replace,
    published: bool,
    /// Held while the folder is in the making; the system lets go of it even if the program is killed.
    _lock: File,
}

/// The file in a folder in the making that its maker holds locked.
const LOCK: &str = ".lock";

/// What to do when the target is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// Refuse.
    Never,
    /// Put the new folder in its place once it is whole.
    Existing,
}

impl Staging {
    /// Begins a folder that will be `target`.
    pub fn begin(target: &Path, replace: Replace) -> Result<Self> {
        let name = target.file_name().ok_or_else(|| {
            Error::Usage(format!("{} cannot be the name of a new folder", target.display()))
        })?;
        let parent = parent_of(target);
        fs::create_dir_all(&parent).map_err(Error::io(&parent))?;
        let partial = parent.join(format!(".{}.partial", name.to_string_lossy()));
        let aside = partial.with_extension("replaced");
        if !target.exists() && aside.exists() {
            // A run was interrupted between putting the old folder aside and the new one in its place.
            fs::rename(&aside, target).map_err(Error::io(target))?;
        }
        if let Ok(lock) = File::open(partial.join(LOCK))
            && matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock))
        {
            return Err(Error::Usage(format!("another run is writing {} right now", target.display())));
        }
        // What an interrupted run left behind was never published, so nobody misses it.
        remove(&partial)?;
        if replace == Replace::Never && target.exists() && !is_empty_folder(target) {
            return Err(Error::Usage(format!("{} exists already", target.display())));
        }
        fs::create_dir(&partial).map_err(Error::io(&partial))?;
        let lock = File::create(partial.join(LOCK)).map_err(Error::io(&partial))?;
        // A file system without locks is no reason to stop; there, two runs at once are the user's to avoid.
        let _ = lock.try_lock();
        Ok(Self { target: target.to_path_buf(), partial, replace, published: false, _lock: lock })
    }

    /// The folder the files are written into for now.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Creates one file of the folder, and the folders above it.
    pub fn create(&self, relative: impl AsRef<Path>) -> Result<StagedFile> {
        let path = self.partial.join(relative);
        let parent = parent_of(&path);
        fs::create_dir_all(&parent).map_err(Error::io(&parent))?;
        let file = File::create(&path).map_err(Error::io(&path))?;
        Ok(StagedFile { path, writer: BufWriter::with_capacity(1 << 20, file), bytes: 0, hash: Xxh3::new() })
    }

    /// Makes the folder visible under its name, in one step.
    pub fn publish(mut self) -> Result<()> {
        remove(&self.partial.join(LOCK))?;
        sync_folders(&self.partial)?;
        let parent = parent_of(&self.target);
        let aside = self.partial.with_extension("replaced");
        remove(&aside)?;
        if self.target.exists() {
            if self.replace == Replace::Never && !is_empty_folder(&self.target) {
                return Err(Error::Usage(format!("{} exists already", self.target.display())));
            }
            fs::rename(&self.target, &aside).map_err(Error::io(&self.target))?;
        }
        fs::rename(&self.partial, &self.target).map_err(Error::io(&self.target))?;
        self.published = true;
        sync_folder(&parent)?;
        remove(&aside)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.published {
            // Nothing can be done about a failure here, and the next run removes what is left.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

/// One file of a folder in the making; errors name it.
pub struct StagedFile {
    path: PathBuf,
    writer: BufWriter<File>,
    bytes: u64,
    hash: Xxh3,
}

/// What a finished file is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its size.
    pub bytes: u64,
    /// Its 128-bit XXH3 checksum.
    pub xxh3: String,
}

impl StagedFile {
    /// Where the file is for now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Flushes and syncs; an error here is the disk's last chance to refuse.
    pub fn finish(mut self) -> Result<Written> {
        let synced = self.writer.flush().and_then(|()| self.writer.get_ref().sync_all());
        synced.map_err(Error::io(&self.path))?;
        Ok(Written { bytes: self.bytes, xxh3: format!("{:032x}", self.hash.digest128()) })
    }
}

impl Write for StagedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.bytes += written as u64;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Writes one file so that it is either the old one or the whole new one.
pub fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let name = path
        .file_name()
        .ok_or_else(|| Error::Usage(format!("{} cannot be the name of a file", path.display())))?;
    let parent = parent_of(path);
    let partial = parent.join(format!(".{}.partial", name.to_string_lossy()));
    let outcome = (|| {
        let file = File::create(&partial).map_err(Error::io(path))?;
        let mut writer = BufWriter::with_capacity(1 << 20, file);
        write(&mut writer)?;
        writer.flush().map_err(Error::io(path))?;
        writer.get_ref().sync_all().map_err(Error::io(path))?;
        fs::rename(&partial, path).map_err(Error::io(path))?;
        sync_folder(&parent)
    })();
    if outcome.is_err() {
        let _ = fs::remove_file(&partial);
    }
    outcome
}

fn parent_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Removes a file or a folder, if it is there.
fn remove(path: &Path) -> Result<()> {
    if path.is_dir() {
        fs::remove_dir_all(path).map_err(Error::io(path))
    } else if path.exists() {
        fs::remove_file(path).map_err(Error::io(path))
    } else {
        Ok(())
    }
}

fn is_empty_folder(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

fn sync_folders(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        if path.is_dir() {
            sync_folders(&path)?;
        }
    }
    sync_folder(folder)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|f| f.sync_all()).map_err(Error::io(folder))
}

/// Elsewhere a folder cannot be opened as a file, and the rename is as durable as the system makes it.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_visible_before_publish_and_everything_after() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("data");
        let staging = Staging::begin(&target, Replace::Never).unwrap();
        let mut file = staging.create("a/b.txt").unwrap();
        file.write_all(b"hello").unwrap();
        assert_eq!(file.finish().unwrap().bytes, 5);
        assert!(!target.exists());
        staging.publish().unwrap();
        assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), b"hello");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_dropped_folder_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let staging = Staging::begin(&home.path().join("data"), Replace::Never).unwrap();
        staging.create("x").unwrap().finish().unwrap();
        drop(staging);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_existing_folder_is_refused_or_replaced_as_asked() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("data");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("old"), "old").unwrap();
        assert!(matches!(Staging::begin(&target, Replace::Never), Err(Error::Usage(_))));
        let staging = Staging::begin(&target, Replace::Existing).unwrap();
        staging.create("new").unwrap().finish().unwrap();
        staging.publish().unwrap();
        assert!(target.join("new").exists() && !target.join("old").exists());
    }

    #[test]
    fn two_runs_cannot_write_one_folder() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("data");
        let first = Staging::begin(&target, Replace::Never).unwrap();
        let second = Staging::begin(&target, Replace::Never).unwrap_err().to_string();
        assert!(second.contains("another run"), "{second}");
        first.publish().unwrap();
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("links.tsv");
        fs::write(&path, "old").unwrap();
        let failed = write_file(&path, |w| {
            w.write_all(b"half").map_err(Error::io("x"))?;
            Err(Error::Usage("stop".into()))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
