//! The few file operations that durability rests on, behind a trait, so that a fake disk can take their place.
//!
//! Owns: the trait, and its implementation over real files.
//! Never does: know what a segment or a snapshot is; retry anything.
//! Invariants: paths are relative to the storage's root and use `/`; a write is durable only after `sync` of its file
//! returned, a name only after `sync_dir` of its directory returned.
//! Known limits: Unix only (positioned reads and writes); every file is opened for reading and writing.

use std::{
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::FileExt,
    path::PathBuf,
    sync::Arc,
};

/// A directory tree on something that may fail, tear or lose what was not synced.
pub trait Storage: Send + Sync + fmt::Debug {
    /// The names directly inside `dir` (`""` is the root), sorted.
    fn list(&self, dir: &str) -> io::Result<Vec<String>>;
    /// Makes a directory; its parent exists. No error when it is already there.
    fn create_dir(&self, dir: &str) -> io::Result<()>;
    /// Makes a new empty file; an error when the name is taken.
    fn create(&self, path: &str) -> io::Result<Arc<dyn StorageFile>>;
    /// Opens an existing file.
    fn open(&self, path: &str) -> io::Result<Arc<dyn StorageFile>>;
    /// Renames a file or directory within one directory, replacing a file of the new name.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &str) -> io::Result<()>;
    /// Removes a directory and all that is in it.
    fn remove_dir(&self, dir: &str) -> io::Result<()>;
    /// Makes the names inside `dir` durable.
    fn sync_dir(&self, dir: &str) -> io::Result<()>;
    /// Takes the exclusive lock on `path` (made when missing) or returns `None` when somebody holds it.
    fn lock(&self, path: &str) -> io::Result<Option<LockGuard>>;
    /// Bytes that can still be written before the disk is full.
    fn free_bytes(&self) -> io::Result<u64>;
    /// `path` as an operator would type it, for messages.
    fn describe(&self, path: &str) -> String;
}

/// An open file of a [`Storage`].
pub trait StorageFile: Send + Sync + fmt::Debug {
    /// Length in bytes.
    fn len(&self) -> io::Result<u64>;
    /// True when there is no byte in it.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
    /// Reads up to `buf.len()` bytes at `offset`; fewer only at the end of the file.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes all of `data` at `offset`, growing the file when needed.
    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()>;
    /// Makes what was written durable, the length included (fdatasync).
    fn sync(&self) -> io::Result<()>;
}

/// Held as long as the lock is; dropping it releases the lock.
pub type LockGuard = Box<dyn Send + Sync>;

/// Reads a whole file.
pub fn read_all(file: &dyn StorageFile) -> io::Result<Vec<u8>> {
    let len = usize::try_from(file.len()?).map_err(io::Error::other)?;
    let mut bytes = vec![0; len];
    let read = file.read_at(&mut bytes, 0)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// Files of the operating system under one directory.
#[derive(Debug)]
pub struct RealStorage {
    root: PathBuf,
}

impl RealStorage {
    /// Opens `root`, making it (and its parents) when missing.
    pub fn open(root: impl Into<PathBuf>) -> io::Result<Self> {
        let root = root.into();
        if !root.is_dir() {
            fs::create_dir_all(&root)?;
            if let Some(parent) = root.parent().filter(|p| !p.as_os_str().is_empty()) {
                File::open(parent)?.sync_all()?;
            }
        }
        Ok(Self { root })
    }

    fn path(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }
}

impl Storage for RealStorage {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.path(dir))? {
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn create_dir(&self, dir: &str) -> io::Result<()> {
        match fs::create_dir(self.path(dir)) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            result => result,
        }
    }

    fn create(&self, path: &str) -> io::Result<Arc<dyn StorageFile>> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(self.path(path))?;
        Ok(Arc::new(RealFile(file)))
    }

    fn open(&self, path: &str) -> io::Result<Arc<dyn StorageFile>> {
        let file = OpenOptions::new().read(true).write(true).open(self.path(path))?;
        Ok(Arc::new(RealFile(file)))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path(from), self.path(to))
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.path(path))
    }

    fn remove_dir(&self, dir: &str) -> io::Result<()> {
        fs::remove_dir_all(self.path(dir))
    }

    fn sync_dir(&self, dir: &str) -> io::Result<()> {
        File::open(self.path(dir))?.sync_all()
    }

    fn lock(&self, path: &str) -> io::Result<Option<LockGuard>> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(self.path(path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(e),
        }
    }

    fn free_bytes(&self) -> io::Result<u64> {
        let stat = rustix::fs::statvfs(&self.root)?;
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }

    fn describe(&self, path: &str) -> String {
        self.path(path).display().to_string()
    }
}

#[derive(Debug)]
struct RealFile(File);

impl StorageFile for RealFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while done < buf.len() {
            match self.0.read_at(&mut buf[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(done)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(data, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}
