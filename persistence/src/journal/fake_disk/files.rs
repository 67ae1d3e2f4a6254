//! The fake disk as a [`Storage`].
//!
//! Owns: what each file operation does to cache and disk. Never does: decide which one fails; `begin` does.
//! Invariants: a write is in the cache at once and on the disk after its sync. Known limits: those of the disk.

use std::{io, sync::Arc};

use super::{DirNode, EMFILE, FakeDisk, FileNode, Inode, Operation, not_found, put, split};
use crate::journal::storage::{LockGuard, Storage, StorageFile};

impl Storage for FakeDisk {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let state = self.state();
        self.alive(&state)?;
        let inode = state.resolve(dir)?;
        Ok(state.dirs.get(&inode).ok_or_else(not_found)?.cache.keys().cloned().collect())
    }

    fn create_dir(&self, dir: &str) -> io::Result<()> {
        if self.state().resolve(dir).is_ok() {
            return Ok(());
        }
        self.change_dir(dir, |state, parent, name| {
            let inode = state.next_inode;
            state.next_inode += 1;
            state.dirs.insert(inode, DirNode::default());
            state.names(parent)?.insert(name.to_owned(), inode);
            Ok(())
        })
    }

    fn create(&self, path: &str) -> io::Result<Arc<dyn StorageFile>> {
        self.change_dir(path, |state, parent, name| {
            let inode = state.next_inode;
            if state.names(parent)?.contains_key(name) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            state.next_inode += 1;
            state.files.insert(inode, FileNode::default());
            state.names(parent)?.insert(name.to_owned(), inode);
            Ok(())
        })?;
        self.open(path)
    }

    fn open(&self, path: &str) -> io::Result<Arc<dyn StorageFile>> {
        let state = self.state();
        self.alive(&state)?;
        if state.faults.fail_opens {
            return Err(io::Error::from_raw_os_error(EMFILE));
        }
        let inode = state.resolve(path)?;
        if state.files.contains_key(&inode) { Ok(self.handle(inode)) } else { Err(not_found()) }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        if split(from).0 != split(to).0 {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        let new = split(to).1.to_owned();
        self.change_dir(from, |state, parent, name| {
            let names = state.names(parent)?;
            let inode = names.remove(name).ok_or_else(not_found)?;
            names.insert(new, inode);
            Ok(())
        })
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        self.change_dir(path, |state, parent, name| state.names(parent)?.remove(name).map(|_| ()).ok_or_else(not_found))
    }

    fn remove_dir(&self, dir: &str) -> io::Result<()> {
        self.remove(dir)
    }

    fn sync_dir(&self, dir: &str) -> io::Result<()> {
        let mut state = self.state();
        let last = self.begin(&mut state, &Operation::Sync)?;
        let stubbed = state.faults.sync_is_stubbed;
        let inode = state.resolve(dir)?;
        if !last && !stubbed {
            let node = state.dirs.get_mut(&inode).ok_or_else(not_found)?;
            node.durable = node.cache.clone();
            node.unsynced.clear();
        }
        state.end(last)
    }

    fn lock(&self, path: &str) -> io::Result<Option<LockGuard>> {
        let mut state = self.state();
        self.alive(&state)?;
        if !state.locks.insert(path.to_owned()) {
            return Ok(None);
        }
        Ok(Some(Box::new(FakeLock { disk: self.clone(), path: path.to_owned() })))
    }

    fn free_bytes(&self) -> io::Result<u64> {
        let state = self.state();
        self.alive(&state)?;
        Ok(state.faults.capacity.map_or(u64::MAX, |capacity| capacity.saturating_sub(state.used())))
    }

    fn describe(&self, path: &str) -> String {
        format!("fake:/{path}")
    }
}

struct FakeLock {
    disk: FakeDisk,
    path: String,
}

impl Drop for FakeLock {
    fn drop(&mut self) {
        let mut state = self.disk.state();
        if state.generation == self.disk.generation {
            state.locks.remove(&self.path);
        }
    }
}

#[derive(Debug)]
pub(super) struct FakeFile {
    pub(super) disk: FakeDisk,
    pub(super) inode: Inode,
}

impl StorageFile for FakeFile {
    fn len(&self) -> io::Result<u64> {
        let state = self.disk.state();
        self.disk.alive(&state)?;
        Ok(state.files.get(&self.inode).ok_or_else(not_found)?.cache.len() as u64)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let state = self.disk.state();
        self.disk.alive(&state)?;
        let cache = &state.files.get(&self.inode).ok_or_else(not_found)?.cache;
        let from = cache.len().min(offset as usize);
        let n = buf.len().min(cache.len() - from);
        buf[..n].copy_from_slice(&cache[from..from + n]);
        Ok(n)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        let last = self.disk.begin(&mut state, &Operation::Write)?;
        let used = state.used();
        let capacity = state.faults.capacity.unwrap_or(u64::MAX);
        let file = state.files.get_mut(&self.inode).ok_or_else(not_found)?;
        let growth = (offset + data.len() as u64).saturating_sub(file.cache.len() as u64);
        if growth > 0 && used + growth > capacity {
            return Err(io::ErrorKind::StorageFull.into());
        }
        put(&mut file.cache, offset, data);
        file.unsynced.push((offset, data.to_vec()));
        state.end(last)
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        let begun = self.disk.begin(&mut state, &Operation::Sync);
        let stubbed = state.faults.sync_is_stubbed;
        let file = state.files.get_mut(&self.inode).ok_or_else(not_found)?;
        let last = match begun {
            Ok(last) => last,
            Err(e) => {
                // The kernel marks the pages clean all the same: no later sync writes them.
                file.unsynced.clear();
                return Err(e);
            }
        };
        if !last && !stubbed {
            for (offset, data) in std::mem::take(&mut file.unsynced) {
                put(&mut file.durable, offset, &data);
            }
        }
        state.end(last)
    }
}
