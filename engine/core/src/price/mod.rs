//! A price symbol: turns what sources say into an index and a public, hash-chained tick log.
//!
//! Owns: the last price of each source, the index, the chain. Never does: judge users, read a clock.
//! Invariants: a tick's time is its stamp at append; `seq` has no gap; `hash = SHA-256(previous hash, canonical tick)`.
//! Nothing but the sources' prices moves the index: there is no command that sets it.
//! Known limits: a source that is silent for `SOURCE_STALE_AFTER_NS` does not count; with no source left there is no tick.
//! Rules: `docs/rules/prices.md "Index"` (median of fresh sources), "Jump guard", "Tick log".

pub mod facts;
#[cfg(test)]
mod tests;

use crate::board::{Board, Tick};
use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::{Applied, CommandClass, Ctx, Decision, Entity, LivePrices, TimeNs, check_version, save_versioned};
use crate::ids::{EntityId, PriceId};
use crate::money::{Amount, MAX_AMOUNT};
use crate::price::facts::{PriceFact, PriceListedV1};
use crate::record::{Fact, Role};
use crate::reject::Reject;
use crate::seconds::RoundId;
use crate::seconds::facts::{PriceSilent, SecondsFact};
use crate::seconds::round::HEARS_NS;
pub use facts::{PriceKind, PriceListed, PriceTicked, SourcePrice};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// A source's word counts this long.
pub const SOURCE_STALE_AFTER_NS: TimeNs = 5_000_000_000;
/// A change beyond this share of the last tick waits for a second tick that agrees.
pub const JUMP_PPM: u32 = 100_000;
/// Sources of one symbol at most.
pub const MAX_SOURCES: usize = 16;

/// What a price symbol can be asked.
#[derive(Debug, Clone)]
pub enum PriceCommand {
    /// Create the symbol or change who hears its ticks.
    List(PriceListed),
    /// A source's newest price.
    Push(SourcePrice),
    /// A round whose end is over asks whether a later tick came.
    ConfirmSilence(RoundId),
}

/// The state of one symbol.
#[derive(Debug)]
pub struct PriceIndex {
    id: PriceId,
    listed: Option<PriceListed>,
    sources: Vec<SourceState>,
    seq: u64,
    index: Amount,
    time: TimeNs,
    hash: [u8; 32],
    suspect: Option<Amount>,
    /// Rounds of options that wait for its ticks, by their ends.
    rounds: BTreeSet<RoundId>,
}

crate::wire_struct! {
    /// The last word of a source.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SourceState {
        /// Which source.
        pub source: u8,
        /// Its price.
        pub price: Amount,
        /// When it was heard.
        pub heard: TimeNs,
    }
}

fn median(prices: &mut [Amount]) -> Amount {
    prices.sort_unstable();
    let mid = prices.len() / 2;
    if prices.len() % 2 == 1 { prices[mid] } else { Amount((prices[mid - 1].0 + prices[mid].0) / 2) }
}

fn jumps(from: Amount, to: Amount) -> bool {
    from.is_positive() && Amount((to.0 - from.0).abs()) > from.share_ppm(JUMP_PPM)
}

/// The bytes that a tick's hash covers, so that anybody can check the chain: big-endian `seq`, `time`, symbol number,
/// index in 1e-8, then for each source its number and price.
#[must_use]
pub fn canonical(id: PriceId, (seq, time): (u64, TimeNs), index: Amount, sources: &[SourcePrice]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64);
    bytes.extend_from_slice(&seq.to_be_bytes());
    bytes.extend_from_slice(&time.to_be_bytes());
    bytes.extend_from_slice(&id.0.to_be_bytes());
    bytes.extend_from_slice(&index.0.to_be_bytes());
    for s in sources {
        bytes.push(s.source);
        bytes.extend_from_slice(&s.price.0.to_be_bytes());
    }
    bytes
}

/// The hash of a tick whose canonical bytes follow a tick of this hash; of the first one, zeros.
#[must_use]
pub fn chained(previous: &[u8; 32], canonical: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(previous).chain_update(canonical).finalize().into()
}

impl PriceIndex {
    /// The last index, when there is one.
    #[must_use]
    pub fn index(&self) -> Option<(Amount, TimeNs)> {
        (self.seq > 0).then_some((self.index, self.time))
    }

    /// Number and hash of the last tick.
    #[must_use]
    pub fn chain(&self) -> (u64, [u8; 32]) {
        (self.seq, self.hash)
    }

    /// What was listed.
    #[must_use]
    pub fn listed(&self) -> Option<&PriceListed> {
        self.listed.as_ref()
    }

    fn push(&self, listed: &PriceListed, said: &SourcePrice, now: TimeNs) -> Decision {
        if said.price <= Amount::ZERO || said.price > MAX_AMOUNT {
            return Decision::Reject(Reject::BadPrice);
        }
        let mut fresh: Vec<SourcePrice> = self
            .sources
            .iter()
            .filter(|s| s.source != said.source && now.saturating_sub(s.heard) < SOURCE_STALE_AFTER_NS)
            .map(|s| SourcePrice { source: s.source, price: s.price })
            .collect();
        if fresh.len() >= MAX_SOURCES {
            return Decision::Reject(Reject::NotAllowed);
        }
        fresh.push(*said);
        fresh.sort_unstable_by_key(|s| s.source);
        let mut prices: Vec<Amount> = fresh.iter().map(|s| s.price).collect();
        let index = median(&mut prices);
        // A jump is recorded as suspect and does not move the index; the next word confirms or drops it.
        let unconfirmed = jumps(self.index, index) && self.suspect.is_none_or(|s| jumps(s, index));
        Decision::Fact(Fact::from(PriceTicked {
            price: self.id,
            kind: if unconfirmed { PriceKind::Suspect } else { PriceKind::Index },
            seq: if unconfirmed { self.seq } else { self.seq + 1 },
            index,
            said: *said,
            sources: fresh,
            hearers: self.hearers(listed, unconfirmed, now),
        }))
    }

    /// Spot and rounds follow what is confirmed; contracts open nothing while a jump waits.
    fn hearers(&self, listed: &PriceListed, unconfirmed: bool, now: TimeNs) -> Vec<EntityId> {
        let told = |h: &&EntityId| !unconfirmed || matches!(h, EntityId::Contract(_));
        let mut hearers: Vec<EntityId> = listed.hearers.iter().filter(told).copied().collect();
        if !unconfirmed {
            let due = self.rounds.iter().take_while(|round| round.ends() <= now + HEARS_NS);
            hearers.extend(due.map(|round| EntityId::Round(*round)));
        }
        hearers
    }

    fn follow_round(&mut self, fact: &SecondsFact) {
        match fact {
            SecondsFact::OptionOpened(f) => drop(self.rounds.insert(f.option.round())),
            SecondsFact::PriceSilent(f) => drop(self.rounds.remove(&f.round)),
            SecondsFact::DeskParamsSet(_) | SecondsFact::OptionsSettled(_) => {
                unreachable!("a price is not named by {}", fact.name())
            }
        }
    }

    fn confirm_silence(&self, round: RoundId, now: TimeNs) -> Decision {
        // One that it does not know any more has heard a later tick.
        if !self.rounds.contains(&round) || now <= round.ends() {
            return Decision::Nothing;
        }
        Decision::Fact(PriceSilent { price: self.id, seq: self.seq, upto: now, round }.into())
    }
}

/// 2: any entity may hear ticks, where 1 named markets. 3: rounds wait for ticks.
const STATE_VERSION: u8 = 3;

/// What is listed stays: a listing adds hearers, takes none away, and renames nothing.
fn list(listing: &PriceListed, old: Option<&PriceListed>) -> Decision {
    let hears = |hearer: &EntityId| matches!(hearer, EntityId::Market(_) | EntityId::Contract(_));
    if !listing.hearers.iter().all(hears) {
        return Decision::Reject(Reject::BadParameters);
    }
    let Some(old) = old else { return Decision::Fact(listing.clone().into()) };
    let mut next = old.clone();
    for hearer in &listing.hearers {
        if !next.hearers.contains(hearer) {
            next.hearers.push(*hearer);
        }
    }
    if next == *old { Decision::Reject(Reject::AlreadyExists) } else { Decision::Fact(next.into()) }
}

impl Entity for PriceIndex {
    type Id = PriceId;
    type Command = PriceCommand;

    const NAME: &'static str = "price";
    const MESSAGES: &'static [&'static str] = &["list", "push", "confirm_silence"];

    fn message(command: &PriceCommand) -> usize {
        match command {
            PriceCommand::List(_) => 0,
            PriceCommand::Push(_) => 1,
            PriceCommand::ConfirmSilence(_) => 2,
        }
    }

    fn blank(id: PriceId) -> PriceIndex {
        PriceIndex {
            id,
            listed: None,
            sources: Vec::new(),
            seq: 0,
            index: Amount::ZERO,
            time: 0,
            hash: [0; 32],
            suspect: None,
            rounds: BTreeSet::new(),
        }
    }

    fn decide(&self, command: &PriceCommand, ctx: &Ctx<'_>) -> Decision {
        match (command, &self.listed) {
            (PriceCommand::List(listing), old) => list(listing, old.as_ref()),
            (PriceCommand::Push(_), None) => Decision::Reject(Reject::UnknownPrice),
            (PriceCommand::Push(said), Some(listed)) => self.push(listed, said, ctx.now),
            (PriceCommand::ConfirmSilence(round), _) => self.confirm_silence(*round, ctx.now),
        }
    }

    fn evolve(&mut self, applied: Applied<'_>, _role: Role) {
        let time = applied.record.time;
        if let Fact::Seconds(fact) = &applied.record.fact {
            return self.follow_round(fact);
        }
        let Fact::Price(fact) = &applied.record.fact else {
            unreachable!("a price is not named by {}", applied.record.fact.name())
        };
        match fact {
            PriceFact::PriceListed(f) => self.listed = Some((**f).clone()),
            PriceFact::PriceTicked(f) => {
                self.sources.retain(|s| f.sources.iter().any(|k| k.source == s.source) && s.source != f.said.source);
                self.sources.push(SourceState { source: f.said.source, price: f.said.price, heard: time });
                self.sources.sort_unstable_by_key(|s| s.source);
                match f.kind {
                    PriceKind::Suspect => self.suspect = Some(f.index),
                    PriceKind::Index => {
                        self.hash = chained(&self.hash, &canonical(self.id, (f.seq, time), f.index, &f.sources));
                        self.suspect = None;
                        self.seq = f.seq;
                        self.index = f.index;
                        self.time = time;
                        // Rounds before it know now that none is missing.
                        while self.rounds.first().is_some_and(|round| round.ends() < time) {
                            self.rounds.pop_first();
                        }
                    }
                }
            }
        }
    }

    fn class(_command: &PriceCommand) -> CommandClass {
        CommandClass::Consumes
    }

    fn publish(&self, board: &mut Board) -> Option<LivePrices> {
        if self.seq > 0 {
            let tick = Tick { seq: self.seq, index: self.index, time: self.time };
            board.show_price(self.id, tick, self.suspect.is_some());
        }
        None
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(128);
        self.save(&mut bytes);
        hash_bytes(u64::from(self.id.0), &bytes)
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| {
            self.listed.put(out);
            self.sources.put(out);
            self.seq.put(out);
            self.index.put(out);
            self.time.put(out);
            self.hash.put(out);
            self.suspect.put(out);
            self.rounds.iter().copied().collect::<Vec<_>>().put(out);
        });
    }

    fn load(id: PriceId, r: &mut Reader<'_>) -> Result<PriceIndex, DecodeError> {
        let version = check_version(r, STATE_VERSION, "price state version")?;
        let listed = match version {
            1 => Option::<PriceListedV1>::get(r)?.map(PriceListed::from),
            _ => Wire::get(r)?,
        };
        Ok(PriceIndex {
            id,
            listed,
            sources: Wire::get(r)?,
            seq: Wire::get(r)?,
            index: Wire::get(r)?,
            time: Wire::get(r)?,
            hash: Wire::get(r)?,
            suspect: Wire::get(r)?,
            rounds: if version > 2 { Vec::get(r)?.into_iter().collect() } else { BTreeSet::new() },
        })
    }
}
