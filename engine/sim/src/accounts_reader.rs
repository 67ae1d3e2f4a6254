//! Who reads the node of the fake chain of accounts: what he is shown, and what he sends.
//!
//! Owns: the commands of a reader that crashes, reads again, is late and hears things twice; parts of blocks; the lies of a node: a
//! transfer that it hides, a sum that is another, a block of another chain, balances that it does not show; operators who halt it or
//! set other least deposits.
//! Never does: look at the engine. Invariants: a lie is noted before it is told. Known limits: one reader, one node.

use crate::fake_accounts::{ACCOUNTS, Block, COIN, FIRST, FakeAccounts, TOKEN};
use crate::fake_chain::{bytes, on_its_way};
use crate::rng::Rng;
use std::collections::BTreeMap;
use xng_cell::auditor::{Auditor, ChainProgress};
use xng_core::chain::{BlockHash, ChainCommand, Incoming, Key, MOST_CREDITS, OwnTransfer, TransferBlock, TxId, Units};
use xng_core::entity::Command;
use xng_core::ids::AssetId;

/// Transfers that a part of a block has at most, and transactions of ours: few, so that blocks have parts.
const PART: usize = 3;

/// Which part of which block is read, and the addresses that are looked for.
#[derive(Debug, Clone, Copy)]
struct Next {
    at: usize,
    part: u32,
    known: u64,
}

impl Block {
    fn is_empty(&self) -> bool {
        self.incoming.is_empty() && self.made.is_empty()
    }
}

impl FakeAccounts {
    /// What the reader sends next, by what it knows of the records.
    pub(crate) fn read(&mut self, rng: &mut Rng, auditor: &Auditor) -> Vec<Command> {
        let command = self.news(rng, auditor);
        on_its_way(ACCOUNTS, rng, command, (&mut self.late, &mut self.reached))
    }

    fn news(&mut self, rng: &mut Rng, auditor: &Auditor) -> Option<ChainCommand> {
        let progress = auditor.chain(ACCOUNTS)?;
        if rng.chance(1, if progress.halted { 12 } else { 150 }) {
            return Some(if rng.chance(1, 8) == progress.halted { ChainCommand::Halt } else { ChainCommand::Resume });
        }
        if rng.chance(1, if progress.halted { 8 } else { 60 }) {
            return Some(FakeAccounts::set(progress.version, rng.pick(&[1, 2, 3])));
        }
        if progress.part.is_none() && rng.chance(1, 15) {
            return self.check(rng, progress.at?, auditor);
        }
        let mut next = self.next(&progress)?;
        // Late, or from before it crashed.
        if progress.at.is_some() && rng.chance(1, 12) {
            next.at = next.at.saturating_sub(rng.below(3) as usize).max(1);
        }
        let size = if rng.chance(1, 40) { MOST_CREDITS } else { PART };
        let passes = 1 + rng.below(60) as usize;
        let mut command = self.shown(next, size, passes)?;
        self.lie(rng, &mut command);
        Some(command)
    }

    /// What comes after what is on record; none when nothing else is final.
    pub(crate) fn next_block(&self, auditor: &Auditor) -> Option<ChainCommand> {
        let next = self.next(&auditor.chain(ACCOUNTS)?)?;
        self.shown(next, PART, usize::MAX)
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
    fn shown(&self, next: Next, size: usize, passes: usize) -> Option<ChainCommand> {
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
        let first = part as usize * PART;
        let incoming: Vec<Incoming> = block.incoming.iter().skip(first).take(size).copied().collect();
        let own: Vec<OwnTransfer> = block.made.iter().skip(first).take(size).map(|made| made.shown.clone()).collect();
        let last = first + size >= block.incoming.len().max(block.made.len());
        let taken = TransferBlock { from, height, hash, part, last, known, incoming, own };
        Some(ChainCommand::TakeTransfers(Box::new(taken)))
    }

    /// Now and then a node shows something else.
    fn lie(&mut self, rng: &mut Rng, command: &mut ChainCommand) {
        if rng.chance(1, 150) {
            let stranger = BlockHash(bytes(rng.next_u64()));
            let shown = if let ChainCommand::Pass { after, from, .. } = command {
                (*after > 0).then_some(from)
            } else if let ChainCommand::TakeTransfers(block) = command {
                // What is in it was never on ours.
                block.incoming.iter_mut().for_each(|incoming| incoming.at.txid = TxId(bytes(rng.next_u64())));
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
        let ChainCommand::TakeTransfers(block) = command else { return };
        if !block.incoming.is_empty() && rng.chance(1, 200) {
            let n = rng.below(block.incoming.len() as u64) as usize;
            let Incoming { at, units, .. } = block.incoming[n];
            let told = if rng.chance(1, 2) {
                block.incoming.remove(n);
                self.reach("a node hides a transfer");
                None
            } else {
                let other = Units(if rng.chance(1, 2) { units.0 + 1 } else { 1 + units.0 / 2 });
                block.incoming[n].units = other;
                self.reach("a node shows another sum of a transfer");
                Some(other)
            };
            self.lies.entry(at).or_default().insert(told);
        }
        if rng.chance(1, 100)
            && let Some(own) = block.own.iter_mut().find(|own| !own.moved.is_empty())
        {
            own.moved[0].2.0 += 1;
            self.own_lies.insert(own.txid);
            self.reach("a node shows another sum of what we moved");
        }
    }

    /// Balances are looked up; there is no answer when the chain went another way.
    fn check(&self, rng: &mut Rng, at: (u64, BlockHash), auditor: &Auditor) -> Option<ChainCommand> {
        let there = self.after(at)?;
        let (token, asset) = rng.pick(&[(None, COIN), (Some(TOKEN), TOKEN)]);
        let of_asset = |all: BTreeMap<(AssetId, Key), u128>| -> BTreeMap<Key, u128> {
            all.into_iter().filter(|((of, _), _)| *of == asset).map(|((_, key), units)| (key, units)).collect()
        };
        let says = of_asset(auditor.balances(ACCOUNTS).map(|(asset, key, units)| ((asset, key), units)).collect());
        let there = of_asset(there.balances.clone());
        let less = |key: &Key, units: u128| says.get(key).copied().unwrap_or_default().min(units);
        let mut found: u128 = there.iter().map(|(key, units)| less(key, *units)).sum();
        let besides = there.values().sum::<u128>() - found + u128::from(rng.below(2));
        // Now and then the node does not show all.
        if found > 0 && rng.chance(1, 12) {
            found -= 1 + u128::from(rng.below(1_000)).min(found - 1);
        }
        Some(ChainCommand::CheckReserve { height: at.0, token, found: Units(found), besides: Units(besides) })
    }
}
