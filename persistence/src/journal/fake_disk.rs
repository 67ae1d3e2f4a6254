//! A disk in memory that loses, tears and reorders unsynced data, as real disks do.
//!
//! Owns: the counterpart of `RealStorage` for tests and the simulator.
//! Never does: invent bytes. A 512-byte sector is either old or new; damage is done on purpose with `flip`.
//! Invariants: `kill` (the process dies) keeps the page cache; `power_loss` keeps what was synced plus what the chosen
//! [`Loss`] lets through: any subset of the sectors written since, and of each directory's changes any prefix.
//! After a failed sync the cache still shows the data and later syncs succeed, but the data never reach the disk: that
//! is what Linux does. Handles and locks from before a restart always fail.
//! Known limits: a rename stays within one directory; a file's length counts as data, not as a directory change.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    format::{SECTOR_BYTES, mix},
    storage::StorageFile,
};
use files::FakeFile;

mod files;

/// What a power loss does to what was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// All of it is gone.
    Everything,
    /// All of it had been written by chance.
    Nothing,
    /// Each sector, and a prefix of each directory's changes, survive by this seed.
    Random(u64),
}

/// Faults to come. Counts are of the disk's lifetime, from 1.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// These syncs (of files and directories) fail with EIO.
    pub fail_syncs: BTreeSet<u64>,
    /// These writes fail with EIO.
    pub fail_writes: BTreeSet<u64>,
    /// The machine stops at this operation (writes, syncs and directory changes are operations): it is begun, its
    /// effect is as uncertain as any unsynced one, and nothing after it happens.
    pub crash_at: Option<u64>,
    /// Syncs return at once and make nothing durable: what a test must notice.
    pub sync_is_stubbed: bool,
    /// Bytes that fit on the disk.
    pub capacity: Option<u64>,
    /// No file can be opened: the process has too many.
    pub fail_opens: bool,
}

/// What the disk has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Writes, syncs and directory changes.
    pub operations: u64,
    /// Writes.
    pub writes: u64,
    /// Syncs of files and directories.
    pub syncs: u64,
}

/// The disk. Clones are handles to the same one.
#[derive(Clone)]
pub struct FakeDisk {
    state: Arc<Mutex<State>>,
    /// Handles of an earlier generation are dead.
    generation: u64,
}

impl fmt::Debug for FakeDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeDisk").field("generation", &self.generation).finish_non_exhaustive()
    }
}

type Inode = u64;
const ROOT: Inode = 0;

#[derive(Clone, Debug, Default)]
struct FileNode {
    durable: Vec<u8>,
    cache: Vec<u8>,
    unsynced: Vec<(u64, Vec<u8>)>,
}

#[derive(Clone, Debug, Default)]
struct DirNode {
    durable: BTreeMap<String, Inode>,
    cache: BTreeMap<String, Inode>,
    /// Each change as the whole directory after it; directories are small here.
    unsynced: Vec<BTreeMap<String, Inode>>,
}

#[derive(Debug)]
struct State {
    files: BTreeMap<Inode, FileNode>,
    dirs: BTreeMap<Inode, DirNode>,
    next_inode: Inode,
    locks: BTreeSet<String>,
    generation: u64,
    crashed: bool,
    faults: Faults,
    counts: Counts,
}

enum Operation {
    Write,
    Sync,
    Directory,
}

impl FakeDisk {
    /// An empty disk without faults.
    #[must_use]
    pub fn new() -> Self {
        let state = State {
            files: BTreeMap::new(),
            dirs: BTreeMap::from([(ROOT, DirNode::default())]),
            next_inode: ROOT + 1,
            locks: BTreeSet::new(),
            generation: 0,
            crashed: false,
            faults: Faults::default(),
            counts: Counts::default(),
        };
        Self { state: Arc::new(Mutex::new(state)), generation: 0 }
    }

    /// Replaces the faults to come.
    pub fn set_faults(&self, faults: Faults) {
        self.state().faults = faults;
    }

    /// Bytes of all files.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.state().used()
    }

    /// What was done so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.state().counts
    }

    /// True once the crash point was reached.
    #[must_use]
    pub fn has_crashed(&self) -> bool {
        self.state().crashed
    }

    /// The process dies; the page cache stays. Returns the disk for the next process.
    #[must_use]
    pub fn kill(&self) -> Self {
        let mut state = self.state();
        state.generation += 1;
        state.crashed = false;
        state.faults.crash_at = None;
        state.locks.clear();
        Self { state: self.state.clone(), generation: state.generation }
    }

    /// The machine loses power. Returns the disk as it is afterwards.
    #[must_use]
    pub fn power_loss(&self, loss: Loss) -> Self {
        {
            let mut dice = Dice::new(loss);
            let mut state = self.state();
            for dir in state.dirs.values_mut() {
                let kept = dice.prefix(dir.unsynced.len());
                if kept > 0 {
                    dir.durable = dir.unsynced[kept - 1].clone();
                }
                dir.cache = dir.durable.clone();
                dir.unsynced.clear();
            }
            for file in state.files.values_mut() {
                for (offset, data) in std::mem::take(&mut file.unsynced) {
                    let mut at = 0;
                    while at < data.len() {
                        let room = SECTOR_BYTES - (offset as usize + at) % SECTOR_BYTES;
                        let end = data.len().min(at + room);
                        if dice.survives() {
                            put(&mut file.durable, offset + at as u64, &data[at..end]);
                        }
                        at = end;
                    }
                }
                file.cache = file.durable.clone();
            }
        }
        self.kill()
    }

    /// An independent copy of the disk as it is: cache, and what was not synced.
    #[must_use]
    pub fn fork(&self) -> Self {
        let state = self.state();
        let copy = State {
            files: state.files.clone(),
            dirs: state.dirs.clone(),
            next_inode: state.next_inode,
            locks: BTreeSet::new(),
            generation: 0,
            crashed: false,
            faults: Faults::default(),
            counts: Counts::default(),
        };
        Self { state: Arc::new(Mutex::new(copy)), generation: 0 }
    }

    /// Every file with its bytes as the cache has them, by path.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let state = self.state();
        let mut found = BTreeMap::new();
        let mut open = vec![(String::new(), ROOT)];
        while let Some((path, inode)) = open.pop() {
            if let Some(dir) = state.dirs.get(&inode) {
                for (name, child) in &dir.cache {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                    open.push((path, *child));
                }
            } else if let Some(file) = state.files.get(&inode) {
                found.insert(path, file.cache.clone());
            }
        }
        found
    }

    /// Flips the bits of `mask` in one byte, on the disk and in the cache.
    pub fn flip(&self, path: &str, byte: usize, mask: u8) {
        let mut state = self.state();
        let inode = state.resolve(path).expect("the file exists");
        let file = state.files.get_mut(&inode).expect("it is a file");
        file.cache[byte] ^= mask;
        if let Some(b) = file.durable.get_mut(byte) {
            *b ^= mask;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an operation and lets the faults strike. `Ok(true)` means: this is the last one before the crash.
    fn begin(&self, state: &mut State, operation: &Operation) -> io::Result<bool> {
        self.alive(state)?;
        state.counts.operations += 1;
        let failed = match operation {
            Operation::Write => {
                state.counts.writes += 1;
                state.faults.fail_writes.contains(&state.counts.writes)
            }
            Operation::Sync => {
                state.counts.syncs += 1;
                state.faults.fail_syncs.contains(&state.counts.syncs)
            }
            Operation::Directory => false,
        };
        if failed {
            return Err(io::Error::from_raw_os_error(EIO));
        }
        Ok(state.faults.crash_at == Some(state.counts.operations))
    }

    fn alive(&self, state: &State) -> io::Result<()> {
        if state.crashed || state.generation != self.generation {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "the machine is down"));
        }
        Ok(())
    }

    fn change_dir(&self, path: &str, change: impl FnOnce(&mut State, Inode, &str) -> io::Result<()>) -> io::Result<()> {
        let mut state = self.state();
        let last = self.begin(&mut state, &Operation::Directory)?;
        let (dir, name) = split(path);
        let inode = state.resolve(dir)?;
        change(&mut state, inode, name)?;
        let node = state.dirs.get_mut(&inode).ok_or_else(not_found)?;
        node.unsynced.push(node.cache.clone());
        state.end(last)
    }

    fn handle(&self, inode: Inode) -> Arc<dyn StorageFile> {
        Arc::new(FakeFile { disk: self.clone(), inode })
    }
}

impl Default for FakeDisk {
    fn default() -> Self {
        Self::new()
    }
}

const EIO: i32 = 5;
const EMFILE: i32 = 24;

impl State {
    fn resolve(&self, path: &str) -> io::Result<Inode> {
        let mut at = ROOT;
        for name in path.split('/').filter(|n| !n.is_empty()) {
            let dir = self.dirs.get(&at).ok_or_else(not_found)?;
            at = *dir.cache.get(name).ok_or_else(not_found)?;
        }
        Ok(at)
    }

    fn names(&mut self, dir: Inode) -> io::Result<&mut BTreeMap<String, Inode>> {
        Ok(&mut self.dirs.get_mut(&dir).ok_or_else(not_found)?.cache)
    }

    fn used(&self) -> u64 {
        self.reachable().iter().filter_map(|inode| self.files.get(inode)).map(|f| f.cache.len() as u64).sum()
    }

    fn reachable(&self) -> BTreeSet<Inode> {
        let mut found = BTreeSet::new();
        let mut open = vec![ROOT];
        while let Some(inode) = open.pop() {
            if found.insert(inode)
                && let Some(dir) = self.dirs.get(&inode)
            {
                open.extend(dir.cache.values());
            }
        }
        found
    }

    /// Ends an operation; the one at the crash point looks failed to its caller, whatever of it survives.
    fn end(&mut self, last: bool) -> io::Result<()> {
        if !last {
            return Ok(());
        }
        self.crashed = true;
        Err(io::Error::new(io::ErrorKind::BrokenPipe, "the machine went down"))
    }
}

struct Dice {
    loss: Loss,
    state: u64,
}

impl Dice {
    fn new(loss: Loss) -> Self {
        let seed = if let Loss::Random(seed) = loss { seed } else { 0 };
        Self { loss, state: mix(seed) }
    }

    fn roll(&mut self) -> u64 {
        self.state = self.state.wrapping_add(1);
        mix(self.state)
    }

    fn survives(&mut self) -> bool {
        match self.loss {
            Loss::Everything => false,
            Loss::Nothing => true,
            Loss::Random(_) => self.roll().is_multiple_of(2),
        }
    }

    fn prefix(&mut self, len: usize) -> usize {
        match self.loss {
            Loss::Everything => 0,
            Loss::Nothing => len,
            Loss::Random(_) => (self.roll() % (len as u64 + 1)) as usize,
        }
    }
}

fn put(bytes: &mut Vec<u8>, offset: u64, data: &[u8]) {
    let from = offset as usize;
    if bytes.len() < from + data.len() {
        bytes.resize(from + data.len(), 0);
    }
    bytes[from..from + data.len()].copy_from_slice(data);
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn not_found() -> io::Error {
    io::ErrorKind::NotFound.into()
}
