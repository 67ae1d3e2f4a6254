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
    /// None before it is made, and once it is gone.
    leg: Option<Leg>,
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
        self.legs.get(number((account, side)))?.leg.as_ref()
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
        self.keys.iter().filter_map(|number| Some((key(*number), self.legs.get(*number)?.leg.as_ref()?)))
    }

    /// All, in no order, which is several times as fast: memory is read as it lies.
    pub(super) fn unordered(&self) -> impl Iterator<Item = (Key, &Leg)> {
        self.legs.values().filter_map(|kept| Some((key(kept.number), kept.leg.as_ref()?)))
    }

    /// Those from a key on, by owner.
    pub(super) fn from(&self, first: Key) -> impl Iterator<Item = (Key, &Leg)> {
        self.keys
            .range(number(first)..)
            .filter_map(|number| Some((key(*number), self.legs.get(*number)?.leg.as_ref()?)))
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

    /// Changes what an account has there, in its place; whether there is something then.
    #[inline]
    pub(super) fn change(&mut self, key: Key, change: impl FnOnce(&mut Option<Leg>)) -> bool {
        let number = number(key);
        let found = self.legs.find(number);
        let at = found.unwrap_or_else(|| self.legs.insert(Kept { number, hash: 0, leg: None }));
        let kept = &mut self.legs[at];
        count(&mut self.lots, kept.leg.as_ref(), -1);
        change(&mut kept.leg);
        count(&mut self.lots, kept.leg.as_ref(), 1);
        let seed = || WordHash::new(0).pair(key.0.0, key.1 as u64);
        let hash = kept.leg.as_ref().map_or(0, |leg| leg.hash(seed()).end());
        let before = std::mem::replace(&mut kept.hash, hash);
        self.digest = self.digest.wrapping_sub(before).wrapping_add(hash);
        match (found, &kept.leg) {
            (Some(_), Some(_)) => true,
            (None, Some(_)) => self.keys.insert(number),
            (_, None) => {
                self.legs.remove(number);
                self.keys.remove(&number);
                false
            }
        }
    }
}

fn count(lots: &mut (Lots, Lots), leg: Option<&Leg>, sign: i64) {
    let Some(leg) = leg else { return };
    let side = match leg.direction {
        Direction::Long => &mut lots.0,
        Direction::Short => &mut lots.1,
    };
    *side += Lots(leg.lots.0 * sign);
}
