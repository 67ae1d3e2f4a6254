//! Conversion: one asset against another at two index prices, with the house as the other side.
//!
//! Owns: the formulas, what a quote is and the request key that makes it one-use. Never does: know balances; the account
//! decides (`account/convert.rs`). Invariants: a price is named by its tick's number only; each amount is rounded once.
//! Rules: `docs/rules/convert.md`. Known limits: USDT is worth 1.

pub mod facts;
pub mod params;
#[cfg(test)]
mod tests;

use crate::board::{Board, Tick};
use crate::entity::TimeNs;
use crate::fraction::Fraction;
use crate::ids::{AssetId, RequestKey};
use crate::money::{Amount, ONE};
use crate::reject::Reject;
use params::{ConvertAsset, ConvertParams};
use sha2::{Digest as _, Sha256};

/// Length of a day, in which the house gives no more of an asset than its cap; dust is converted once in so long.
pub const DAY_NS: TimeNs = 86_400_000_000_000;

crate::wire_struct! {
    /// A side of a conversion.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ConvertSide {
        /// Which asset.
        pub asset: AssetId,
        /// Number of the tick in its price's log; 0 of an asset that is worth 1.
        pub seq: u64,
        /// The price in USDT for one whole.
        pub price: Amount,
    }
}

/// What was quoted: two ticks by their numbers, when each was the last, and by which parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote {
    /// Tick of the asset that is given; 0 when it has none.
    pub from_seq: u64,
    /// Tick of the asset that is received; 0 when it has none.
    pub to_seq: u64,
    /// When it was made, by the exchange's time.
    pub issued: TimeNs,
    /// Version of the parameters by which it was made: with others it would cost what nobody was told.
    pub version: u32,
}

impl Quote {
    /// The key of the request that uses it: of the quote alone, so that it is used once; the body tells another amount apart.
    #[must_use]
    pub fn request_key(&self, (from, to): (AssetId, AssetId), amount: Amount) -> RequestKey {
        let mut sha = Sha256::new();
        sha.update(b"convert quote");
        [from.0.into(), to.0.into(), self.from_seq, self.to_seq, self.issued]
            .iter()
            .for_each(|n: &u64| sha.update(n.to_be_bytes()));
        let digest = sha.finalize();
        let mut key = [0; 16];
        key.copy_from_slice(&digest[..16]);
        let body = crate::codec::hash_bytes(0, &amount.0.to_be_bytes());
        RequestKey { key: u128::from_be_bytes(key), body }
    }
}

/// A quote as it is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// What names it.
    pub quote: Quote,
    /// Price of what is given, in USDT.
    pub from_price: Amount,
    /// Price of what is received, in USDT.
    pub to_price: Amount,
    /// Off the rate.
    pub spread_ppm: u32,
    /// On top of what is given.
    pub fee_ppm: u32,
    /// It is honoured up to then, by the exchange's time.
    pub expires: TimeNs,
}

impl Quoted {
    /// What an amount would become: what is received, and the fee on top of it.
    #[must_use]
    pub fn amounts(&self, amount: Amount) -> (Amount, Amount) {
        let to = received(amount, (self.from_price, self.to_price), self.spread_ppm);
        (to, fee(amount, self.fee_ppm))
    }
}

/// A balance that is dust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dust {
    /// Which asset, and its tick.
    pub side: ConvertSide,
    /// All that is available.
    pub amount: Amount,
    /// What it becomes.
    pub to_amount: Amount,
}

/// What of an account is dust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DustList {
    /// What it becomes.
    pub into: AssetId,
    /// Of the terms.
    pub version: u32,
    /// The fee that is taken off the rate.
    pub fee_ppm: u32,
    /// A balance is dust below this value, in USDT.
    pub limit: Amount,
    /// Dust is taken from then on; 0 when it never was.
    pub next: TimeNs,
    /// The balances, by asset.
    pub rows: Vec<Dust>,
}

/// What an account is told of conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversionView {
    /// What one asset is worth in another now.
    Quoted(Quoted),
    /// What of the account is dust.
    Dust(DustList),
}

/// What the house gives for `amount` of an asset, by prices of what is given and what is received: rounded once.
#[must_use]
pub fn received(amount: Amount, (from_price, to_price): (Amount, Amount), off_ppm: u32) -> Amount {
    Fraction::value(from_price, amount).ppm(1_000_000 - off_ppm).over(to_price.into()).by(ONE).round8()
}

/// The fee on what is given, on top of it.
#[must_use]
pub fn fee(amount: Amount, fee_ppm: u32) -> Amount {
    amount.share_ppm(fee_ppm)
}

/// Whether a quote is still honoured: what is received did not gain more on what is given than the guard.
#[must_use]
pub fn is_honoured(quoted: (Amount, Amount), now: (Amount, Amount), guard_ppm: u32) -> bool {
    let rate = |(from, to): (Amount, Amount)| Fraction::new(from.0, to.0);
    rate(now) >= rate(quoted).ppm(1_000_000 - guard_ppm)
}

/// Whether a balance is worth less than the limit.
#[must_use]
pub fn is_dust(amount: Amount, price: Amount, limit: Amount) -> bool {
    Fraction::value(price, amount) < limit.into()
}

/// The day of a time, counted from 1970-01-01 in UTC.
#[must_use]
pub fn day_of(time: TimeNs) -> u32 {
    (time / DAY_NS) as u32
}

/// Reads prices off the board as the parameters demand.
pub(crate) struct Prices<'a> {
    pub(crate) params: &'a ConvertParams,
    pub(crate) board: &'a Board,
    pub(crate) now: TimeNs,
}

impl Prices<'_> {
    /// An asset that may be converted.
    pub(crate) fn asset(&self, asset: AssetId) -> Result<&ConvertAsset, Reject> {
        self.params.asset(asset).ok_or(Reject::NotConvertible)
    }

    fn side(
        &self,
        asset: &ConvertAsset,
        tick: impl FnOnce(&crate::board::PriceFace) -> Option<Tick>,
    ) -> Option<ConvertSide> {
        let Some(price) = asset.price else {
            return Some(ConvertSide { asset: asset.asset, seq: 0, price: Amount(ONE) });
        };
        let tick = self.board.price(price).filter(|face| !face.jumps()).and_then(tick)?;
        Some(ConvertSide { asset: asset.asset, seq: tick.seq, price: tick.index })
    }

    /// Its side by the last tick, which is fresh.
    pub(crate) fn fresh(&self, asset: &ConvertAsset) -> Result<ConvertSide, Reject> {
        let fresh = |tick: &Tick| self.now.saturating_sub(tick.time) <= self.params.stale_after_ns();
        self.side(asset, |face| face.last().filter(fresh)).ok_or(Reject::PriceStale)
    }

    /// Its side by the last tick, however old.
    fn last(&self, asset: &ConvertAsset) -> Option<ConvertSide> {
        self.side(asset, |face| face.last())
    }

    /// Its side by the tick that a quote names, which was the last one and fresh when the quote was made.
    fn quoted(&self, asset: &ConvertAsset, seq: u64, issued: TimeNs) -> Option<ConvertSide> {
        let fresh = |tick: &Tick| tick.seq == seq && issued.saturating_sub(tick.time) <= self.params.stale_after_ns();
        self.side(asset, |face| face.at(issued).filter(fresh)).filter(|side| side.seq == seq)
    }

    /// Both sides of a quote that is honoured.
    pub(crate) fn honoured(
        &self,
        (from, to): (&ConvertAsset, &ConvertAsset),
        quote: &Quote,
    ) -> Result<(ConvertSide, ConvertSide), Reject> {
        let lives = quote.issued <= self.now && self.now - quote.issued <= self.params.quote_ns();
        if !lives || quote.version != self.params.version {
            return Err(Reject::QuoteExpired);
        }
        let side = |asset, seq| self.quoted(asset, seq, quote.issued).ok_or(Reject::QuoteExpired);
        let (given, received) = (side(from, quote.from_seq)?, side(to, quote.to_seq)?);
        let last = |asset| self.last(asset).map(|side| side.price).ok_or(Reject::QuoteExpired);
        let now = (last(from)?, last(to)?);
        if !is_honoured((given.price, received.price), now, self.params.guard_ppm) {
            return Err(Reject::PriceChanged);
        }
        Ok((given, received))
    }
}
