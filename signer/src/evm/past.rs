//! What was signed for EVM chains.
//!
//! Owns: the digest and the highest fees of each nonce; what left in the last hour, by asset. Never does: decide.
//! Invariants: a nonce is never forgotten. Known limits: all of it is in memory.

use super::Address;
use crate::keys::Key;
use crate::protocol::Refusal;
use crate::signed_log::EvmEntry;
use bitcoin::hex::FromHex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const HOUR_SECONDS: u64 = 3_600;

/// Both numbers of a replacement are this part higher at least: nodes ask for a tenth.
const OUTBID_PART: u128 = 8;

/// What was signed for a nonce.
pub(crate) struct Bound {
    pub(crate) digest: String,
    /// The highest of each.
    max_fee: u128,
    tip: u128,
    pub(crate) cost: u128,
}

impl Bound {
    /// Whether nodes take a replacement with these numbers.
    pub(crate) fn outbid_by(&self, (max_fee, tip): (u128, u128)) -> bool {
        let enough = |new: u128, old: u128| new >= old.saturating_add(old.div_ceil(OUTBID_PART).max(1));
        enough(max_fee, self.max_fee) && enough(tip, self.tip)
    }
}

#[derive(Default)]
pub(crate) struct Past {
    bound: BTreeMap<(u64, Key, u64), Bound>,
    /// What was signed, by key and hash: the hash says nothing about whose transaction it is.
    hashes: BTreeSet<(Key, String)>,
    /// When, and how much; in order. No token: the chain's coin.
    hours: BTreeMap<Option<Address>, VecDeque<(u64, u128)>>,
}

impl Past {
    pub(crate) fn signed(&self, key: Key, hash: &str) -> bool {
        self.hashes.contains(&(key, hash.to_owned()))
    }

    pub(crate) fn bound(&self, chain_id: u64, key: Key, nonce: u64) -> Option<&Bound> {
        self.bound.get(&(chain_id, key, nonce))
    }

    /// That a line says otherwise than an earlier one.
    pub(crate) fn contradicts(&self, entry: &EvmEntry) -> bool {
        let bound = self.bound(entry.chain_id, entry.key, entry.nonce);
        bound.is_some_and(|bound| bound.digest != entry.digest)
    }

    /// `at` is not before that of any earlier entry.
    pub(crate) fn add(&mut self, entry: &EvmEntry, at: u64) {
        self.hashes.insert((entry.key, entry.hash.clone()));
        let new = || Bound { digest: entry.digest.clone(), max_fee: 0, tip: 0, cost: 0 };
        let bound = self.bound.entry((entry.chain_id, entry.key, entry.nonce)).or_insert_with(new);
        bound.max_fee = bound.max_fee.max(entry.max_fee_per_gas.0);
        bound.tip = bound.tip.max(entry.max_priority_fee_per_gas.0);
        bound.cost = bound.cost.max(entry.cost.0);
        let token = entry.token.as_deref().and_then(|text| Address::from_hex(text).ok());
        for (asset, counted) in [(None, entry.fee_counted.0), (token, entry.counted.0)] {
            if counted > 0 {
                self.hours.entry(asset).or_default().push_back((at, counted));
            }
        }
    }

    /// That `units` more of an asset may leave in the hour before `now`.
    pub(crate) fn room(&mut self, token: Option<Address>, now: u64, units: u128, allowed: u128) -> Result<(), Refusal> {
        let hour = self.hours.entry(token).or_default();
        while hour.front().is_some_and(|(at, _)| at + HOUR_SECONDS <= now) {
            hour.pop_front();
        }
        let wanted = hour.iter().fold(units, |sum, (_, units)| sum.saturating_add(*units));
        if wanted > allowed { Err(Refusal::AboveHourCap { wanted, allowed }) } else { Ok(()) }
    }
}
