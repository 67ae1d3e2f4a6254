//! Positions of a contract's book, by owner.
//!
//! Owns: legs, lots of all long and all short ones. Never does: say what a fill makes of one. Invariants: the digest is the sum
//! of the legs' hashes. Known limits: none.

use super::effect::Leg;
use super::order::LegSide;
use crate::codec::WordHash;
use crate::contract::leg::Direction;
use crate::ids::AccountId;
use crate::money::Lots;
use crate::table::{Keyed, Table};
use std::collections::BTreeSet;

/// Whose position, and which.
type Key = (AccountId, LegSide);

#[derive(Debug, Clone, Copy)]
struct Kept {
    /// Its key, as one number.
    number: u64,
    hash: u64,
    leg: Leg,
}

fn number((account, side): Key) -> u64 {
    account.0 << 2 | side as u64
}

fn key(number: u64) -> Key {
    let side = match number & 3 {
        side if side == LegSide::Long as u64 => LegSide::Long,
        side if side == LegSide::Short as u64 => LegSide::Short,
        _ => LegSide::Both,
    };
    (AccountId(number >> 2), side)
}

impl Keyed for Kept {
    fn key(&self) -> u64 {
        self.number
    }
}

/// Positions by owner.
#[derive(Debug, Default)]
pub struct Legs {
    legs: Table<Kept>,
    /// Numbers of the keys, which have their order.
    keys: BTreeSet<u64>,
    /// Lots of all long and all short ones.
    lots: (Lots, Lots),
    digest: u64,
}

impl Legs {
    /// One of them.
    #[must_use]
    pub fn get(&self, account: AccountId, side: LegSide) -> Option<&Leg> {
        self.legs.get(number((account, side))).map(|kept| &kept.leg)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// True when nobody has one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// All, by owner.
    pub fn all(&self) -> impl Iterator<Item = (Key, &Leg)> {
        self.keys.iter().filter_map(|number| Some((key(*number), &self.legs.get(*number)?.leg)))
    }

    /// All, in no order, which is several times as fast: memory is read as it lies.
    pub(super) fn unordered(&self) -> impl Iterator<Item = (Key, &Leg)> {
        self.legs.values().filter(|kept| !kept.leg.lots.is_zero()).map(|kept| (key(kept.number), &kept.leg))
    }

    /// Those from a key on, by owner.
    pub(super) fn from(&self, first: Key) -> impl Iterator<Item = (Key, &Leg)> {
        self.keys.range(number(first)..).filter_map(|number| Some((key(*number), &self.legs.get(*number)?.leg)))
    }

    /// The first key.
    pub(super) fn first(&self) -> Option<Key> {
        self.keys.first().map(|number| key(*number))
    }

    /// Lots of all long and all short ones.
    #[must_use]
    pub fn lots(&self) -> (Lots, Lots) {
        self.lots
    }

    /// The sum of their hashes.
    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    fn count(&mut self, leg: &Leg, sign: i64) {
        let side = match leg.direction {
            Direction::Long => &mut self.lots.0,
            Direction::Short => &mut self.lots.1,
        };
        *side += Lots(leg.lots.0 * sign);
    }

    /// Makes another one of what an account has there, and gives it.
    pub(super) fn change(&mut self, key: Key, change: impl FnOnce(Option<Leg>) -> Option<Leg>) -> Option<Leg> {
        let at = self.legs.find(number(key));
        let (before, hashed) = at.map_or((None, 0), |at| (Some(self.legs[at].leg), self.legs[at].hash));
        let after = change(before);
        let hash = after.map_or(0, |leg| leg.hash(WordHash::new(0).pair(key.0.0, key.1 as u64)).end());
        self.digest = self.digest.wrapping_sub(hashed).wrapping_add(hash);
        before.iter().for_each(|leg| self.count(leg, -1));
        after.iter().for_each(|leg| self.count(leg, 1));
        match (at, after) {
            (Some(at), Some(leg)) => {
                let kept = &mut self.legs[at];
                (kept.leg, kept.hash) = (leg, hash);
            }
            (None, Some(leg)) => {
                self.legs.insert(Kept { number: number(key), hash, leg });
                self.keys.insert(number(key));
            }
            (Some(at), None) => {
                // The place says that nothing is there.
                self.legs[at].leg.lots = Lots::ZERO;
                self.legs.remove(number(key));
                self.keys.remove(&number(key));
            }
            (None, None) => {}
        }
        after
    }
}
