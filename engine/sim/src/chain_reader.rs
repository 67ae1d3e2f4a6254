//! Who reads the fake chain's node: what he is shown, and what he sends.
//!
//! Owns: the commands of a reader that crashes, reads again, is late and hears things twice; parts of blocks; the lies of a node: an
//! output that it hides, a sum that is another, a block of another chain, coins that it does not show; operators who halt it or
//! set another least deposit.
//! Never does: look at the engine. Invariants: a lie is noted before it is told. Known limits: one reader, one node.

use crate::fake_chain::{Block, CHAIN, FIRST, FakeChain, bytes};
use crate::rng::Rng;
use std::collections::{BTreeMap, BTreeSet};
use xng_cell::auditor::{Auditor, ChainProgress};
use xng_core::chain::{
    BlockHash, ChainCommand, FinalBlock, MOST_CREDITS, MOST_OWN, OutPoint, Output, Spend, TxId, Units,
};
use xng_core::entity::Command;
use xng_core::money::{Amount, ONE};

/// Outputs that a part of a block has at most: few, so that blocks have parts.
const PART: usize = 3;

/// Which part of which block is read, and the addresses that are looked for.
#[derive(Debug, Clone, Copy)]
struct Next {
    at: usize,
    part: u32,
    known: u64,
}

/// What the first transactions spend, as many as one part of a block may have, and whether there are others.
fn first_transactions(mut spends: Vec<Spend>) -> (Vec<Spend>, bool) {
    let mut by: BTreeSet<TxId> = BTreeSet::new();
    let all = spends.len();
    spends.retain(|spend| {
        if by.len() < MOST_OWN {
            by.insert(spend.by);
        }
        by.contains(&spend.by)
    });
    let more = spends.len() < all;
    (spends, more)
}

impl FakeChain {
    /// What the reader sends next, by what it knows of the records.
    pub(crate) fn read(&mut self, rng: &mut Rng, auditor: &Auditor) -> Vec<Command> {
        let command = self.news(rng, auditor);
        self.on_its_way(rng, command)
    }

    fn news(&mut self, rng: &mut Rng, auditor: &Auditor) -> Option<ChainCommand> {
        let progress = auditor.chain(CHAIN)?;
        if rng.chance(1, if progress.halted { 15 } else { 120 }) {
            return Some(if rng.chance(1, 8) == progress.halted { ChainCommand::Halt } else { ChainCommand::Resume });
        }
        if rng.chance(1, if progress.halted { 8 } else { 60 }) {
            let least = rng.pick(&[ONE / 500, ONE / 100, ONE / 50]);
            return Some(FakeChain::set(progress.version, Amount(least)));
        }
        if progress.part.is_none() && rng.chance(1, 15) {
            return self.check(rng, progress.at?, auditor);
        }
        let mut next = self.next(&progress)?;
        // Late, or from before it crashed.
        if progress.at.is_some() && rng.chance(1, 12) {
            next.at = next.at.saturating_sub(rng.below(3) as usize).max(1);
        }
        let size = if rng.chance(1, 40) { MOST_CREDITS + 1 } else { PART };
        let passes = 1 + rng.below(60) as usize;
        let mut command = self.shown(next, size, passes, auditor)?;
        self.lie(rng, &mut command);
        Some(command)
    }

    /// What comes after what is on record; none when nothing else is final.
    pub(crate) fn next_block(&self, auditor: &Auditor) -> Option<ChainCommand> {
        let next = self.next(&auditor.chain(CHAIN)?)?;
        self.shown(next, PART, usize::MAX, auditor)
    }

    fn next(&self, progress: &ChainProgress) -> Option<Next> {
        let Some((height, _)) = progress.at else { return Some(Next { at: 0, part: 0, known: 0 }) };
        let at = usize::try_from(height.checked_sub(FIRST)?).ok()?;
        Some(match progress.part {
            Some((part, known)) => Next { at, part, known },
            None => Next { at: at + 1, part: 0, known: progress.addresses },
        })
    }

    /// What a node shows there that says what is so.
    fn shown(&self, next: Next, size: usize, passes: usize, auditor: &Auditor) -> Option<ChainCommand> {
        let Next { at, part, known } = next;
        let block = self.blocks.get(at).filter(|_| at < self.final_blocks())?;
        let (height, hash) = (FIRST + at as u64, block.hash);
        if at == 0 {
            return Some(ChainCommand::Pass { after: 0, from: BlockHash::default(), height, hash });
        }
        let from = if part == 0 { self.blocks[at - 1].hash } else { BlockHash::default() };
        if block.is_empty() && part == 0 {
            let empty = self.blocks[at..self.final_blocks()].iter().take_while(|block| block.is_empty());
            let passed = empty.count().min(passes) - 1;
            let last = &self.blocks[at + passed];
            let (after, height, hash) = (height - 1, height + passed as u64, last.hash);
            return Some(ChainCommand::Pass { after, from, height, hash });
        }
        let (spends, more) = spent(block, auditor);
        // What one part has too much of is told in parts of the usual size.
        let size = if more { PART } else { size };
        let first = part as usize * PART;
        let outputs: Vec<Output> = block.outputs.iter().skip(first).take(size).copied().collect();
        let last = !more && first + outputs.len() >= block.outputs.len();
        Some(ChainCommand::Take(Box::new(FinalBlock { from, height, hash, part, last, known, outputs, spends })))
    }

    /// Now and then a node shows something else.
    fn lie(&mut self, rng: &mut Rng, command: &mut ChainCommand) {
        let stranger = BlockHash(bytes(rng.next_u64()));
        if rng.chance(1, 150) {
            let shown = if let ChainCommand::Pass { after, from, .. } = command {
                (*after > 0).then_some(from)
            } else if let ChainCommand::Take(block) = command {
                // What is in it was never on ours.
                block.outputs.iter_mut().for_each(|output| output.at.txid = TxId(bytes(rng.next_u64())));
                Some(if block.part == 0 { &mut block.from } else { &mut block.hash })
            } else {
                None
            };
            if let Some(shown) = shown {
                *shown = stranger;
                // It may come twice.
                self.strangers += 2;
                self.reach("a node shows a block of another chain");
            }
            return;
        }
        if let ChainCommand::Take(block) = command
            && !block.outputs.is_empty()
            && rng.chance(1, 150)
        {
            let n = rng.below(block.outputs.len() as u64) as usize;
            let Output { at, units, .. } = block.outputs[n];
            let told = if rng.chance(1, 2) {
                block.outputs.remove(n);
                self.reach("a node hides an output");
                None
            } else {
                let other = Units(if rng.chance(1, 2) { units.0 + 1 } else { units.0 / 2 });
                block.outputs[n].units = other;
                self.reach("a node shows a false sum");
                Some(other)
            };
            self.lies.entry(at).or_default().insert(told);
        }
    }

    /// Coins are looked up; there is no answer when the chain went another way.
    fn check(&self, rng: &mut Rng, at: (u64, BlockHash), auditor: &Auditor) -> Option<ChainCommand> {
        let there = self.coins_after(at)?;
        let ledger: BTreeMap<OutPoint, u128> = auditor.coins(CHAIN).collect();
        let is_there = |(coin, units): &(&OutPoint, &u128)| there.get(coin).is_some_and(|is| is.units.0 == **units);
        let mut found: u128 = ledger.iter().filter(is_there).map(|(_, units)| units).sum();
        // Now and then the node does not show all.
        if found > 0 && rng.chance(1, 12) {
            found -= 1 + u128::from(rng.below(1_000)).min(found - 1);
        }
        let besides: u128 = there.iter().filter(|(coin, _)| !ledger.contains_key(coin)).map(|(_, is)| is.units.0).sum();
        // Anybody may pay to an address of change.
        let besides = Units(besides + u128::from(rng.below(2)));
        Some(ChainCommand::CheckReserve { height: at.0, token: None, found: Units(found), besides })
    }
}

/// Coins of ours that a part of a block spends, and whether others are left for the next one.
fn spent(block: &Block, auditor: &Auditor) -> (Vec<Spend>, bool) {
    let ours: BTreeSet<OutPoint> = auditor.coins(CHAIN).map(|(coin, _)| coin).collect();
    let is_ours = |spend: &Spend| ours.contains(&spend.coin);
    first_transactions(block.spends().filter(is_ours).collect())
}
