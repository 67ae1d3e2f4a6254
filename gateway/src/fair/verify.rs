//! Checking a proof file without a server: the chain, the ticks that decide, the result, the signed root.
//!
//! Owns: the steps and their words. Never does: ask anybody; take a number from anywhere but the file. Invariants: result and
//! payment are computed by the functions that the exchange settles with. Known limits: the file's word is taken for the
//! order's number and for terms that the payment does not rest on. Rules: `docs/rules/seconds.md "Proof"`.

use super::proof::{form_of, result_name, root_of, side_name};
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::Value;
use std::fmt::Display;
use std::str::FromStr;
use xng_core::board::Tick;
use xng_core::entity::TimeNs;
use xng_core::ids::PriceId;
use xng_core::money::Amount;
use xng_core::seconds::SECOND_NS;
use xng_core::seconds::params::FRESH_MS_MOST;
use xng_core::seconds::rules::{OptionResult, OptionSide, deciding, paid, profit, result};
use xng_persistence::ticks::{ArchivedTick, Hash, Statement, climbed, hash, hex, hour_of, tick_of};

const MS_NS: TimeNs = 1_000_000;
/// An option is opened at a tick that is at most so old.
const OPENS_WITHIN_NS: TimeNs = FRESH_MS_MOST as TimeNs * MS_NS;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What holds, step by step.
    pub steps: Vec<String>,
    /// What does not, if anything.
    pub wrong: Option<String>,
}

/// A proof of a seconds option, read.
#[derive(Debug)]
struct Proof {
    side: OptionSide,
    stake: Amount,
    by_coupon: bool,
    ratio_ppm: u32,
    fee: Amount,
    opened: TimeNs,
    expires: TimeNs,
    open_tick: u64,
    open_price: Amount,
    price: PriceId,
    outcome: OptionResult,
    close_tick: Option<u64>,
    close_price: Option<Amount>,
    paid: Amount,
    silent_upto: Option<TimeNs>,
    previous: Hash,
    ticks: Vec<ArchivedTick>,
}

/// A text that is written as the exchange writes it: another one of the same value would not be its file.
fn exact<T: FromStr + Display>(value: &Value, of: &str, name: &str) -> Result<T, String> {
    let text = value[of][name].as_str().ok_or_else(|| format!("{of}.{name} is not a text"))?;
    let read = text.parse::<T>().ok().filter(|read| read.to_string() == text);
    read.ok_or_else(|| format!("{of}.{name} is not a number as the exchange writes it"))
}

fn whole(value: &Value, of: &str, name: &str) -> Result<u64, String> {
    value[of][name].as_u64().ok_or_else(|| format!("{of}.{name} is not a whole number"))
}

fn named<T: Copy>(
    value: &Value,
    (of, name): (&str, &str),
    all: &[T],
    told: fn(T) -> &'static str,
) -> Result<T, String> {
    let found = all.iter().copied().find(|one| value[of][name] == told(*one));
    found.ok_or_else(|| format!("{of}.{name} is none of the names that there are"))
}

fn maybe<T>(
    value: &Value,
    of: &str,
    name: &str,
    read: impl FnOnce() -> Result<T, String>,
) -> Result<Option<T>, String> {
    if value[of][name].is_null() { Ok(None) } else { read().map(Some) }
}

/// The fields that a result has, and one that it may have.
const RESULT: [&str; 5] = ["outcome", "close_tick", "close_price", "paid", "silent_upto_ns"];

fn read(value: &Value) -> Result<Proof, String> {
    let result = value["result"].as_object().ok_or("result is no object")?;
    let whole_result = RESULT[..4].iter().all(|name| result.contains_key(*name));
    if !whole_result || result.keys().any(|name| !RESULT.contains(&&**name)) {
        return Err("result has other fields than it should".to_owned());
    }
    let per_cent: Amount = exact(value, "order", "ratio_pct")?;
    let ratio_ppm = (per_cent.0 % 10_000 == 0).then_some(per_cent.0 / 10_000).and_then(|ppm| ppm.try_into().ok());
    let tick = |(place, tick): (usize, &Value)| tick_of(tick).ok_or_else(|| format!("tick {place} is not readable"));
    let ticks = value["ticks"].as_array().ok_or("ticks is not a list")?;
    let price = u16::try_from(whole(value, "price", "id")?).map_err(|_| "price.id is too large")?;
    Ok(Proof {
        side: named(value, ("order", "side"), OptionSide::ALL, side_name)?,
        stake: exact(value, "order", "stake")?,
        by_coupon: maybe(value, "order", "coupon", || {
            (value["order"]["coupon"] == true).then_some(()).ok_or_else(|| "order.coupon is not true".to_owned())
        })?
        .is_some(),
        ratio_ppm: ratio_ppm.ok_or("order.ratio_pct is no ratio")?,
        fee: exact(value, "order", "fee")?,
        opened: exact(value, "order", "opened_ns")?,
        expires: exact(value, "order", "expires_ns")?,
        open_tick: whole(value, "order", "open_tick")?,
        open_price: exact(value, "order", "open_price")?,
        price: PriceId(price),
        outcome: named(value, ("result", "outcome"), OptionResult::ALL, result_name)?,
        close_tick: maybe(value, "result", "close_tick", || whole(value, "result", "close_tick"))?,
        close_price: maybe(value, "result", "close_price", || exact(value, "result", "close_price"))?,
        paid: exact(value, "result", "paid")?,
        silent_upto: maybe(value, "result", "silent_upto_ns", || exact(value, "result", "silent_upto_ns"))?,
        previous: value["previous"].as_str().and_then(hash).ok_or("previous is no hash")?,
        ticks: ticks.iter().enumerate().map(tick).collect::<Result<_, _>>()?,
    })
}

/// Checks a proof; `key` is the public key that its root must be signed with.
///
/// # Errors
/// When it cannot be read as a proof.
pub fn verify(value: &Value, key: Option<&[u8]>) -> Result<Found, String> {
    if value["proof"] != form_of(!value["order"]["coupon"].is_null()) {
        return Err("\"proof\" names no kind of proof that this build knows".to_owned());
    }
    let proof = read(value)?;
    let mut steps = Vec::new();
    let wrong = proof.check(&mut steps).and_then(|()| rooted(&proof, &value["root"], key, &mut steps)).err();
    Ok(Found { steps, wrong })
}

fn ensure(holds: bool, wrong: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong()) }
}

impl Proof {
    fn check(&self, steps: &mut Vec<String>) -> Result<(), String> {
        let (Some(first), Some(last)) = (self.ticks.first(), self.ticks.last()) else {
            return Err("there is no tick in it".to_owned());
        };
        ensure(self.stake.is_positive() && !self.fee.is_negative(), || {
            "order: no stake, or a negative fee".to_owned()
        })?;
        self.chain()?;
        steps.push(format!(
            "ticks {} to {} have no gap, their times grow, their hashes are a chain",
            first.seq, last.seq
        ));
        self.opening(first)?;
        steps.push(format!("it was opened at tick {}, the newest one then, at {}", first.seq, first.index));
        self.ending(last, steps)?;
        let ticks: Vec<Tick> =
            self.ticks.iter().map(|tick| Tick { seq: tick.seq, index: tick.index, time: tick.time }).collect();
        let close = deciding(&ticks, self.expires);
        match close {
            Some(tick) => {
                steps.push(format!("tick {} decides, the last one up to the expiry, at {}", tick.seq, tick.index))
            }
            None => steps.push("no tick decides: the last one was more than 5 s old at the expiry".to_owned()),
        }
        let told = (self.close_tick, self.close_price);
        let found = (close.map(|tick| tick.seq), close.map(|tick| tick.index));
        ensure(told == found, || "result: close_tick or close_price is not of the tick that decides".to_owned())?;
        let outcome = result(self.side, self.open_price, found.1);
        ensure(outcome == self.outcome, || format!("result: the outcome is {}", result_name(outcome)))?;
        // The stake of a coupon was the exchange's, and is not paid back.
        let at_stake = if self.by_coupon { Amount::ZERO } else { self.stake };
        let amount = paid(outcome, (at_stake, self.fee), profit(self.stake, self.ratio_ppm));
        ensure(amount == self.paid, || format!("result: {amount} is to be paid, not {}", self.paid))?;
        steps.push(format!("a {} ends as a {}; {amount} is paid", side_name(self.side), result_name(outcome)));
        Ok(())
    }

    fn chain(&self) -> Result<(), String> {
        let mut hash = self.previous;
        for tick in &self.ticks {
            hash = tick.hash_after(&hash, self.price);
            ensure(hash == tick.hash, || format!("the hash of tick {} is {}, not the one told", tick.seq, hex(&hash)))?;
        }
        for pair in self.ticks.windows(2) {
            ensure(pair[0].seq.checked_add(1) == Some(pair[1].seq), || {
                format!("there is a gap after tick {}", pair[0].seq)
            })?;
            ensure(pair[0].time <= pair[1].time, || format!("tick {} is older than the one before", pair[1].seq))?;
        }
        Ok(())
    }

    fn opening(&self, first: &ArchivedTick) -> Result<(), String> {
        ensure(first.seq == self.open_tick, || format!("the first tick is {}, not {}", first.seq, self.open_tick))?;
        ensure(first.index == self.open_price, || format!("the opening price is {}", first.index))?;
        let age = self.opened.checked_sub(first.time);
        ensure(age.is_some(), || "the first tick came after the option was opened".to_owned())?;
        ensure(age <= Some(OPENS_WITHIN_NS), || "the first tick was more than 2 s old at the opening".to_owned())?;
        let next = self.ticks.get(1).map(|tick| tick.time);
        ensure(next.is_none_or(|time| time >= self.opened), || "a newer tick came before the opening".to_owned())?;
        // Its duration is in whole seconds, from the opening's millisecond on.
        let lasts = self.expires.checked_sub(self.opened / MS_NS * MS_NS);
        let good = lasts.is_some_and(|lasts| lasts > 0 && lasts % SECOND_NS == 0);
        ensure(good, || "it does not expire whole seconds after its opening".to_owned())
    }

    fn ending(&self, last: &ArchivedTick, steps: &mut Vec<String>) -> Result<(), String> {
        let before = self.ticks.len().checked_sub(2).map(|place| self.ticks[place].time);
        ensure(before.is_none_or(|time| time <= self.expires), || {
            "it goes on after the first tick after the expiry".to_owned()
        })?;
        if last.time > self.expires {
            ensure(self.silent_upto.is_none(), || "it says that no tick came, and has one".to_owned())?;
            steps.push(format!("tick {} is the first one after the expiry: no other lies before it", last.seq));
            return Ok(());
        }
        match self.silent_upto {
            Some(upto) if upto > self.expires => {
                steps.push(format!(
                    "no tick came up to {upto}, after the expiry: this rests on the exchange's word alone"
                ));
                Ok(())
            }
            Some(_) | None => Err("not certain yet: no tick after the expiry is in it".to_owned()),
        }
    }
}

/// The root, if there is one.
fn rooted(proof: &Proof, value: &Value, key: Option<&[u8]>, steps: &mut Vec<String>) -> Result<(), String> {
    if value.is_null() {
        ensure(key.is_none(), || "it has no signed root yet that the key could be compared with".to_owned())?;
        steps.push("it has no signed root: whether others were given the same ticks is not shown".to_owned());
        return Ok(());
    }
    let found = root_of(value).ok_or("the root cannot be read")?;
    let root = &found.root;
    ensure(key.is_none_or(|key| key == root.key), || "the root is signed with another key".to_owned())?;
    let signed = UnparsedPublicKey::new(&ED25519, &root.key).verify(&root.statement, &root.signature);
    ensure(signed.is_ok(), || "the root's signature is not of this statement".to_owned())?;
    let statement = Statement::of_bytes(&root.statement).ok_or("the root's statement cannot be read")?;
    ensure(statement.price == proof.price, || "the root is of another price".to_owned())?;
    let tick = proof.ticks.iter().rev().find(|tick| hour_of(tick.time) == statement.hour);
    let tick = tick.ok_or("none of the ticks lies in the root's hour")?;
    let leaves = statement.last.checked_sub(statement.first).and_then(|more| more.checked_add(1));
    let place = tick.seq.checked_sub(statement.first);
    ensure(place == Some(found.place), || format!("tick {} is not at place {}", tick.seq, found.place))?;
    let ends = tick.seq != statement.last || tick.hash == statement.hash;
    ensure(ends, || "the statement's last hash is not that of its last tick".to_owned())?;
    let top = leaves.and_then(|leaves| climbed(&tick.hash, found.place, leaves, &found.path));
    ensure(top == Some(statement.root), || format!("tick {} does not lead to the signed root", tick.seq))?;
    let (hour, key) = (statement.hour, hex(&root.key));
    steps.push(format!("ticks up to {} are under the root of hour {hour}, signed with {key}", tick.seq));
    Ok(())
}

#[cfg(test)]
mod tests;
