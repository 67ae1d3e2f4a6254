//! Coins that came in blocks which are not final yet: what their owners are shown while they wait.
//!
//! Owns: the blocks above the final ones, as far as they were read. Never does: credit anything. Invariants: these blocks are a chain, the
//! first of them on the last final one. Known limits: forgotten at a restart and read again; what waits in the node's mempool is not
//! shown, nor a block's reward; an address that was made after a block was read is not found in it until the block is final.
//! Rules: `docs/rules/custody.md "Deposits"`.

use std::collections::VecDeque;
use xng_core::chain::{BlockHash, Incoming};
use xng_custody::port::BlockId;

/// Blocks above the final ones that are looked at: of a chain that wants more confirmations nothing is shown.
const MOST_BLOCKS: u64 = 100;

/// A block, and what of it pays addresses of ours.
#[derive(Debug)]
struct UnconfirmedBlock {
    id: BlockId,
    arriving: Vec<Incoming>,
}

/// What comes to an address of ours in a block that is not final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnconfirmedDeposit {
    /// Height of its block.
    pub height: u64,
    /// What it is.
    pub arriving: Incoming,
}

/// Blocks above the final ones.
#[derive(Debug, Default)]
pub(super) struct UnconfirmedBlocks(VecDeque<UnconfirmedBlock>);

impl UnconfirmedBlocks {
    /// Forgets blocks that are final, or that the node's best block shows to be gone; the height of the block to read next, if there is
    /// one.
    pub(super) fn next_height(&mut self, last_final: BlockId, tip: BlockId) -> Option<u64> {
        if tip.height.saturating_sub(last_final.height) > MOST_BLOCKS {
            self.0.clear();
            return None;
        }
        while self.0.front().is_some_and(|block| block.id.height <= last_final.height) {
            self.0.pop_front();
        }
        while self.0.back().is_some_and(|block| block.id.height >= tip.height && block.id != tip) {
            self.0.pop_back();
        }
        let top = self.0.back().map_or(last_final, |block| block.id);
        (top.height < tip.height).then_some(top.height + 1)
    }

    /// Appends the block if its parent is the last one here, or the last final block; otherwise drops the last block. False if there was
    /// none to drop: the block follows another one than the last final block.
    pub(super) fn take(
        &mut self,
        last_final: BlockId,
        (id, parent): (BlockId, Option<BlockHash>),
        arriving: Vec<Incoming>,
    ) -> bool {
        let top = self.0.back().map_or(last_final, |block| block.id);
        if parent == Some(top.hash) {
            self.0.push_back(UnconfirmedBlock { id, arriving });
            return true;
        }
        self.0.pop_back().is_some()
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// All that comes, the oldest first.
    pub(super) fn all(&self) -> Vec<UnconfirmedDeposit> {
        let of = |block: &UnconfirmedBlock| {
            let height = block.id.height;
            block.arriving.iter().map(move |one| UnconfirmedDeposit { height, arriving: *one }).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::chain::{Key, OutPoint, TxId, Units};
    use xng_core::ids::AssetId;

    fn id(height: u64, way: u8) -> BlockId {
        let mut hash = [way; 32];
        hash[0] = height as u8;
        BlockId { height, hash: BlockHash(hash) }
    }

    fn block(height: u64, way: u8, parent_way: u8) -> (BlockId, Option<BlockHash>) {
        (id(height, way), Some(id(height - 1, parent_way).hash))
    }

    fn output(n: u32) -> Incoming {
        let at = OutPoint { txid: TxId([n as u8; 32]), n };
        Incoming { at, key: Key { ring: 0, change: false, index: n }, asset: AssetId(1), units: Units(5) }
    }

    fn heights(blocks: &UnconfirmedBlocks) -> Vec<(u64, u32)> {
        blocks.all().iter().map(|one| (one.height, one.arriving.at.n)).collect()
    }

    #[test]
    fn coins_are_shown_until_their_block_is_final() {
        let (mut blocks, tip) = (UnconfirmedBlocks::default(), id(12, 1));
        assert_eq!(blocks.next_height(id(10, 1), tip), Some(11));
        assert!(blocks.take(id(10, 1), block(11, 1, 1), vec![output(1)]));
        assert_eq!(blocks.next_height(id(10, 1), tip), Some(12));
        assert!(blocks.take(id(10, 1), block(12, 1, 1), vec![output(2)]));
        assert_eq!(blocks.next_height(id(10, 1), tip), None);
        assert_eq!(heights(&blocks), [(11, 1), (12, 2)]);
        assert_eq!(blocks.next_height(id(11, 1), tip), None);
        assert_eq!(heights(&blocks), [(12, 2)]);
        assert_eq!(blocks.next_height(id(12, 1), tip), None);
        assert_eq!(heights(&blocks), []);
    }

    #[test]
    fn nothing_is_shown_of_a_chain_that_wants_very_many_confirmations() {
        let (mut blocks, last) = (UnconfirmedBlocks::default(), id(10, 1));
        assert!(blocks.take(last, block(11, 1, 1), vec![output(2)]));
        assert_eq!(heights(&blocks), [(11, 2)]);
        assert_eq!(blocks.next_height(last, id(110, 1)), Some(12));
        assert_eq!(blocks.next_height(last, id(111, 1)), None);
        assert_eq!(heights(&blocks), []);
    }

    #[test]
    fn a_coin_of_a_block_that_went_away_is_not_shown() {
        let (mut blocks, last) = (UnconfirmedBlocks::default(), id(10, 1));
        for height in [11, 12] {
            assert!(blocks.take(last, block(height, 1, 1), vec![output(height as u32)]));
        }
        // Another block of that height; then one that is lower.
        assert_eq!(blocks.next_height(last, id(12, 2)), Some(12));
        assert_eq!(heights(&blocks), [(11, 11)]);
        assert!(blocks.take(last, block(12, 2, 2), Vec::new()), "the one before it is of another way, too");
        assert_eq!(blocks.next_height(last, id(12, 2)), Some(11));
        assert!(blocks.take(last, block(11, 2, 1), Vec::new()));
        assert!(blocks.take(last, block(12, 2, 2), vec![output(3)]));
        assert_eq!(heights(&blocks), [(12, 3)]);
        assert_eq!(blocks.next_height(last, id(11, 3)), Some(11));
        assert!(!blocks.take(last, block(11, 3, 3), Vec::new()), "what was final is not: somebody else sees to it");
    }
}
