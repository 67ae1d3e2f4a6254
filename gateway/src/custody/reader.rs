//! Who reads a chain's node: final blocks become commands to the engine's chain.
//!
//! Owns: the thread of each chain, the order of reading. Never does: decide what is credited and what of a block is ours
//! (`ours.rs`), or that a block is final before it has the confirmations of the parameters, or the chain itself says so.
//! Invariants: where it goes on is what durable records say, so that a crash, a lost answer or a second start reads blocks again
//! and credits nothing twice; addresses are looked up after a block was read: one that was told before the block was found is
//! known by then. Known limits: one node a chain; blocks are read one after the other.

use super::asking::{ANSWER, Asking, LOOK};
use super::chains::{Chains, NodeStatus};
use super::keys::AddressError;
use super::node::{Node, NodeBlock};
use super::ours::{Ours, Part};
use super::settings::ChainSettings;
use super::unconfirmed::UnconfirmedBlocks;
use crate::common::critical_task;
use crate::common::time::now_ms;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_core::chain::{BlockHash, ChainCommand, ChainId, Cursor, Incoming};
use xng_core::entity::Reply;
use xng_core::ids::AssetId;
use xng_core::reject::Reject;
use xng_custody::port::{BlockId, ChainError};
use xng_runtime::CellHandle;

/// A node is asked for news this often.
const NEWS: Duration = Duration::from_secs(1);
/// After something that does not pass by itself.
const LATER: Duration = Duration::from_secs(10);
/// Blocks without anything of ours are told together: so many …
const PASS_BLOCKS: u64 = 100;
/// … or after so long.
const PASS_AFTER: Duration = Duration::from_secs(600);

/// Why reading does not go on now.
#[derive(Debug)]
enum Stop {
    /// Nothing new.
    UpToDate,
    /// Not now: no answer in time, or somebody else was quicker.
    Later,
    Node(ChainError),
    /// What people have to see.
    Wrong(String),
}

impl From<ChainError> for Stop {
    fn from(error: ChainError) -> Stop {
        Stop::Node(error)
    }
}

/// Reads one chain.
struct Reader {
    chain: ChainId,
    node: Node,
    chains: Arc<Chains>,
    asking: Asking,
    /// The last final block without anything of ours, and since when that was not told.
    passed: Option<(BlockId, Instant)>,
    unconfirmed: UnconfirmedBlocks,
}

/// Starts reading the chains of the settings.
///
/// # Errors
/// Settings without a way to a node, or no thread to be had.
pub fn start(settings: &[ChainSettings], chains: &Arc<Chains>, cell: &CellHandle) -> Result<(), String> {
    for chain in settings {
        let mut reader = Reader::new(chain.chain(), chain.node()?, chains.clone(), cell);
        critical_task::spawn("chain reader", move || {
            loop {
                std::thread::sleep(reader.round());
            }
        })
        .map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn unmade(error: AddressError) -> Stop {
    Stop::Wrong(format!("an address: {error}"))
}

impl Reader {
    fn new(chain: ChainId, node: Node, chains: Arc<Chains>, cell: &CellHandle) -> Reader {
        let asking = Asking::new(chain, cell);
        Reader { chain, node, chains, asking, passed: None, unconfirmed: UnconfirmedBlocks::default() }
    }

    /// Reads what is final by now; how long to wait before the next time.
    fn round(&mut self) -> Duration {
        let stop = match self.read() {
            Ok(()) => {
                self.chains.read_on(self.chain);
                return Duration::ZERO;
            }
            Err(stop) => stop,
        };
        match stop {
            Stop::UpToDate => {
                self.chains.read_on(self.chain);
                NEWS
            }
            Stop::Later => NEWS,
            Stop::Node(error) => {
                let passes = error.is_passing();
                if self.chains.troubled(self.chain, error.to_string()) {
                    tracing::warn!(chain = self.chain.0, %error, "the chain's node");
                }
                if passes { NEWS } else { LATER }
            }
            Stop::Wrong(what) => {
                if self.chains.troubled(self.chain, what.clone()) {
                    tracing::error!(chain = self.chain.0, what, "the chain cannot be read");
                }
                LATER
            }
        }
    }

    fn read(&mut self) -> Result<(), Stop> {
        let status = self.chains.status(self.chain).ok_or(Stop::Later)?;
        if !self.node.reads_all(&status.params) {
            return Err(Stop::Wrong("the settings lack a token that the chain has, or are of another form".into()));
        }
        let tip = self.node.tip()?;
        self.chains.saw(self.chain, NodeStatus { tip: tip.height, seen_ms: now_ms() });
        if status.halted.is_some() {
            self.unconfirmed.clear();
            self.chains.set_unconfirmed(self.chain, Vec::new());
            return Err(Stop::UpToDate);
        }
        let last = self.node.final_height(tip, status.params.confirmations)?;
        let Some(cursor) = status.cursor else {
            let first = self.node.block(last)?.id();
            return self.pass((0, BlockHash::default()), first);
        };
        if !cursor.whole {
            let block = self.node.block(cursor.height)?;
            return self.take(&block, cursor.hash, Some(cursor));
        }
        // What was read since the last record.
        let known = BlockId { height: cursor.height, hash: cursor.hash };
        let at = self.passed.map(|(at, _)| at).filter(|at| at.height > known.height).unwrap_or(known);
        if at.height >= last {
            return if self.is_due(known, at) {
                self.pass((known.height, known.hash), at)
            } else {
                self.chains.caught_up(self.chain);
                // The next one after another look at what is final.
                if self.read_unconfirmed(status.params.asset, at, tip) { Ok(()) } else { Err(Stop::UpToDate) }
            };
        }
        let block = self.node.block(at.height + 1)?;
        if block.parent() != Some(at.hash) {
            // Another way: from what is on record on, whose word counts.
            self.passed = None;
            if at.height > known.height {
                return Ok(());
            }
            return self.take(&block, block.parent().unwrap_or_default(), None);
        }
        let known_addresses = self.known_addresses()?;
        if self.ours(&block, known_addresses)?.is_empty() {
            let since = self.passed.map_or_else(Instant::now, |(_, since)| since);
            let at = block.id();
            self.passed = Some((at, since));
            return if self.is_due(known, at) { self.pass((known.height, known.hash), at) } else { Ok(()) };
        }
        if at.height > known.height {
            return self.pass((known.height, known.hash), at);
        }
        self.take(&block, at.hash, None)
    }

    /// Reads one block that is not final yet, and publishes its outputs to us; whether it read one. What fails is tried again with the
    /// next look: nothing is credited by it.
    fn read_unconfirmed(&mut self, coin: AssetId, last: BlockId, tip: BlockId) -> bool {
        let next = self.unconfirmed.next_height(last, tip);
        let took = next.is_some_and(|height| match self.unconfirmed_block(height, coin) {
            Ok((block, arriving)) => self.unconfirmed.take(last, (block.id(), block.parent()), arriving),
            Err(stop) => {
                tracing::debug!(chain = self.chain.0, height, ?stop, "a block that is not final was not read");
                false
            }
        });
        self.chains.set_unconfirmed(self.chain, self.unconfirmed.all());
        took
    }

    fn unconfirmed_block(&mut self, height: u64, coin: AssetId) -> Result<(NodeBlock, Vec<Incoming>), Stop> {
        let block = self.node.block(height)?;
        let known = self.known_addresses()?;
        let arriving = self.ours(&block, known)?.arriving(coin);
        Ok((block, arriving))
    }

    fn known_addresses(&self) -> Result<u64, Stop> {
        self.chains.indexed(self.chain, |_, known| known).map_err(unmade)
    }

    /// Whether blocks without anything of ours are told: they are many, or old.
    fn is_due(&self, known: BlockId, at: BlockId) -> bool {
        let blocks = at.height.saturating_sub(known.height);
        let is_old = self.passed.is_some_and(|(_, since)| since.elapsed() >= PASS_AFTER);
        blocks >= PASS_BLOCKS || blocks > 0 && is_old
    }

    fn pass(&mut self, (after, from): (u64, BlockHash), BlockId { height, hash }: BlockId) -> Result<(), Stop> {
        self.passed = None;
        self.send(ChainCommand::Pass { after, from, height, hash })
    }

    fn ours(&self, block: &NodeBlock, known: u64) -> Result<Ours, Stop> {
        Ours::of(&self.chains, self.chain, block, known).map_err(unmade)
    }

    /// Tells of a block: of its first part, or of the one that comes after what is on record.
    fn take(&mut self, block: &NodeBlock, from: BlockHash, cursor: Option<Cursor>) -> Result<(), Stop> {
        let known = match cursor {
            // The same addresses in all parts.
            Some(cursor) => cursor.known,
            None => self.known_addresses()?,
        };
        let BlockId { height, hash } = block.id();
        let part = cursor.map_or(0, |cursor| cursor.parts);
        let told = self.ours(block, known)?.told(Part { from, height, hash, part, known });
        self.passed = None;
        self.send(told)
    }

    /// Sends a command, and waits until the fold has its record.
    fn send(&mut self, command: ChainCommand) -> Result<(), Stop> {
        let now = |chains: &Chains, chain| chains.look(chain, |chain| (chain.cursor(), chain.halted()));
        let before = now(&self.chains, self.chain);
        match self.asking.ask(command) {
            Some(Reply::Accepted(_) | Reply::Known(_)) => {}
            Some(Reply::Rejected(Reject::NotNextBlock | Reject::ChainClosed)) | Some(Reply::Busy) | None => {
                return Err(Stop::Later);
            }
            Some(Reply::Rejected(reject)) => return Err(Stop::Wrong(format!("a block is refused: {reject:?}"))),
            Some(other @ (Reply::View(_) | Reply::TradeIds { .. })) => {
                return Err(Stop::Wrong(format!("a block is answered with {other:?}")));
            }
        }
        let began = Instant::now();
        while now(&self.chains, self.chain) == before {
            if began.elapsed() > ANSWER {
                return Err(Stop::Wrong("the market view does not follow".into()));
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }
}
