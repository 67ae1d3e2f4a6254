//! Locking: the amounts that orders and quotes lock, and the postings that lock and release them.
//!
//! Owns: the locked asset and amount of a resting order, a waiting order and the house's quotes; the posting of a lock.
//! Never does: check a balance; `rules.rs` and the account do. Invariants: a resting order releases
//! the amount that the same function gave when it was locked; a waiting order releases the amount in its record; a purchase
//! of stocks locks the highest fee on top of its cost. Known
//! limits: a waiting buy at market locks its cost at the trigger's price, up to the market's protection. The account's
//! lock table is in `engine/core/src/account/locks.rs`. Rules: `docs/rules/spot.md "Locks"`.

use super::facts::{MarketStateChanged, QuotesSet, Units};
use super::params::MarketParams;
use super::{NewOrder, OrderKind};
use crate::ids::{AccountId, AssetId, Wallet};
use crate::market::Side;
use crate::money::{Amount, Lots, Ticks};
use crate::record::{LogType, Posting};
use crate::stock::fee_reserve;

impl MarketParams {
    /// The asset that an order of this side locks.
    #[must_use]
    pub fn locked_asset(&self, side: Side) -> AssetId {
        match side {
            Side::Buy => self.quote,
            Side::Sell => self.base,
        }
    }

    /// What a resting order of this side locks.
    #[must_use]
    pub fn lock(&self, side: Side, ticks: Ticks, lots: Lots) -> Amount {
        self.units().lock(side, ticks, lots).1
    }

    /// What a conditional order locks while it waits. `price` is its trigger's, or the latest one when it has none of its own.
    /// A buy at market locks what it costs when it is triggered there, after it trailed that far, up to the market's
    /// protection; what it costs beyond that it does not get.
    #[must_use]
    pub fn lock_waiting(&self, order: &NewOrder, price: Ticks, trail_bips: u32) -> Amount {
        match (order.side, order.kind) {
            (Side::Buy, OrderKind::Market) => {
                let (bips, ppm) = (10_000 + i128::from(trail_bips), 1_000_000 + i128::from(self.protection_ppm));
                let whole = self.lock(Side::Buy, price, order.lots).0;
                // What is beyond all amounts is refused by whoever is asked for it.
                Amount(whole.saturating_mul(bips).saturating_mul(ppm).saturating_add(9_999_999_999) / 10_000_000_000)
            }
            (side, _) => self.lock(side, order.ticks, order.lots),
        }
    }
}

impl Units {
    /// What an order of this side locks, and in which asset.
    #[must_use]
    pub fn lock(&self, side: Side, ticks: Ticks, lots: Lots) -> (AssetId, Amount) {
        match side {
            Side::Buy if self.market.is_stock() => {
                let one = self.notional(ticks, Lots(1));
                (self.quote, Amount((one + fee_reserve(one)).0 * i128::from(lots.0)))
            }
            Side::Buy => (self.quote, self.notional(ticks, lots)),
            Side::Sell => (self.base, self.base_amount(lots)),
        }
    }
}

/// Posts that an order locks so much, or releases it when the amount is negative.
pub(super) fn post_lock(
    account: AccountId,
    asset: AssetId,
    amount: Amount,
    order: u64,
    post: &mut impl FnMut(Posting),
) {
    if amount.is_zero() {
        return;
    }
    post(Posting {
        account,
        wallet: Wallet::Spot,
        asset,
        log: LogType::SPOT_FREEZE,
        available: -amount,
        locked: amount,
        reference: order,
    });
}

/// Base and quote that quotes lock.
pub(super) fn quotes_lock(units: &Units, quotes: impl Iterator<Item = (Side, Ticks, Lots)>) -> (Amount, Amount) {
    quotes.fold((Amount::ZERO, Amount::ZERO), |(base, quote), (side, ticks, lots)| {
        let (_, amount) = units.lock(side, ticks, lots);
        match side {
            Side::Buy => (base, quote + amount),
            Side::Sell => (base + amount, quote),
        }
    })
}

impl QuotesSet {
    /// Change of what the house's quotes lock: base, quote.
    #[must_use]
    pub fn lock_change(&self) -> (Amount, Amount) {
        let on = quotes_lock(&self.units, self.on.iter().map(|q| (q.side, q.ticks, q.rest)));
        let off = quotes_lock(&self.units, self.off.iter().map(|q| (q.side, q.ticks, q.lots)));
        (on.0 - off.0, on.1 - off.1)
    }
}

impl MarketStateChanged {
    /// What the removed quotes had locked: base, quote.
    #[must_use]
    pub fn released(&self) -> (Amount, Amount) {
        quotes_lock(&self.units, self.off.iter().map(|q| (q.side, q.ticks, q.lots)))
    }
}
