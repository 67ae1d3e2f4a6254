//! Conversions as the auditor sees them: its own prices, amounts and days.
//!
//! Owns: ticks of the last seconds, quotes that were used, what the house gave today, when dust was converted. Never does:
//! use the engine's formulas. Invariants checked: each price is that of the tick that the fact names; the tick was the last
//! and fresh, now or when the quote was made; a quote is used once, in time, by the parameters of when it was made, and within
//! the guard; amounts and fee are what prices make them; the house gives no more of an asset in a day than its cap; dust is
//! dust, once a day.
//! Known limits: quotes that are over are forgotten: they could not be used again.

use super::contracts::{ONE, nearest};
use super::{Auditor, FEE, Finding, WalletKey};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xng_core::convert::facts::{ConvertFact, Converted, DustConverted};
use xng_core::convert::params::ConvertParams;
use xng_core::convert::{ConvertSide, Quote};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, PriceId, Wallet};
use xng_core::journal::Lsn;
use xng_core::price::facts::{PriceKind, PriceTicked};

pub(super) const CONVERT_HOUSE: AccountId = AccountId(7);
const DAY_NS: u64 = 86_400_000_000_000;
/// Longer than any quote lives and any tick is fresh.
const KEPT_NS: u64 = 60_000_000_000;
const MILLION: i128 = 1_000_000;

/// When, whose, of which assets, by which ticks.
type UsedQuote = (TimeNs, AccountId, (AssetId, u64), (AssetId, u64));

/// What the auditor knows of conversion.
#[derive(Debug, Clone, Default)]
pub(super) struct Conversions {
    params: Option<ConvertParams>,
    /// When they were set: a quote of before was made by others.
    since: TimeNs,
    /// Number, price, time of each tick.
    ticks: BTreeMap<PriceId, VecDeque<(u64, i128, TimeNs)>>,
    used: BTreeSet<UsedQuote>,
    given: BTreeMap<(u64, AssetId), i128>,
    dusted: BTreeMap<AccountId, TimeNs>,
}

impl Conversions {
    /// A price came.
    pub(super) fn hear(&mut self, f: &PriceTicked, time: TimeNs) {
        if f.kind == PriceKind::Suspect {
            return;
        }
        let ticks = self.ticks.entry(f.price).or_default();
        ticks.push_back((f.seq, f.index.0, time));
        while ticks.get(1).is_some_and(|second| second.2 + KEPT_NS < time) {
            ticks.pop_front();
        }
    }

    /// The version of the parameters by which a quote was made: of before the last change, an older one.
    fn version_at(&self, issued: TimeNs) -> Option<u32> {
        let last = self.params.as_ref()?.version;
        Some(if issued < self.since { last - 1 } else { last })
    }

    /// The price of an asset at a time, and the tick's number and age.
    fn price(&self, asset: AssetId, at: TimeNs) -> Option<(u64, i128, u64)> {
        let listed = self.params.as_ref()?.assets.iter().find(|listed| listed.asset == asset)?;
        let Some(price) = listed.price else { return Some((0, ONE, 0)) };
        let (seq, index, time) = *self.ticks.get(&price)?.iter().rev().find(|(_, _, time)| *time <= at)?;
        Some((seq, index, at - time))
    }

    /// Whether a side names the tick that was the last at a time, and fresh.
    fn names(&self, side: &ConvertSide, at: TimeNs, stale_ns: u64) -> bool {
        self.price(side.asset, at)
            .is_some_and(|(seq, price, age)| (seq, price) == (side.seq, side.price.0) && age <= stale_ns)
    }
}

/// What `amount` becomes at two prices, less a share.
fn becomes(amount: i128, from: i128, to: i128, off_ppm: u32) -> i128 {
    nearest(amount * from * (MILLION - i128::from(off_ppm)), to * MILLION)
}

impl Auditor {
    /// The parameters in force.
    #[must_use]
    pub fn conversion(&self) -> Option<&ConvertParams> {
        self.conversions.params.as_ref()
    }

    /// The quote of two assets at a time, as far as it remembers.
    #[must_use]
    pub fn quote(&self, (from, to): (AssetId, AssetId), issued: TimeNs) -> Option<Quote> {
        let seq = |asset| self.conversions.price(asset, issued).map(|(seq, ..)| seq);
        let version = self.conversions.version_at(issued)?;
        Some(Quote { from_seq: seq(from)?, to_seq: seq(to)?, issued, version })
    }

    /// The quote that an account used last, of these assets, as far as it remembers.
    #[must_use]
    pub fn used_quote(&self, account: AccountId) -> Option<((AssetId, AssetId), Quote)> {
        let (issued, _, from, to) = self.conversions.used.iter().rfind(|(_, of, ..)| *of == account)?;
        let version = self.conversions.version_at(*issued)?;
        Some(((from.0, to.0), Quote { from_seq: from.1, to_seq: to.1, issued: *issued, version }))
    }

    pub(super) fn convert_fact(
        &mut self,
        at: (Lsn, TimeNs),
        fact: &ConvertFact,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        match fact {
            ConvertFact::Converted(f) => self.converted(at, f, moved),
            ConvertFact::DustConverted(f) => self.dust_converted(at, f, moved),
            ConvertFact::ConvertParamsSet(f) => {
                let before = self.conversions.params.replace(f.params.clone()).map_or(0, |params| params.version);
                self.conversions.since = at.1;
                if f.params.version != before + 1 {
                    return Err(format!("record {} sets version {} after {before}", at.0, f.params.version));
                }
                Ok(())
            }
        }
    }

    /// Whether each side names the right tick, and the quote lived and is new.
    fn priced(&mut self, (lsn, time): (Lsn, TimeNs), f: &Converted, params: &ConvertParams) -> Result<(), Finding> {
        let c = &self.conversions;
        let at = f.quoted.unwrap_or(time);
        let stale_ns = u64::from(params.stale_after_ms) * 1_000_000;
        if at > time || !c.names(&f.from, at, stale_ns) || !c.names(&f.to, at, stale_ns) {
            return Err(format!("record {lsn} converts by ticks that were not the last: {f:?}"));
        }
        let Some(issued) = f.quoted else { return Ok(()) };
        let now = c.price(f.from.asset, time).zip(c.price(f.to.asset, time));
        let guard = MILLION - i128::from(params.guard_ppm);
        let guarded =
            now.is_some_and(|((_, from, _), (_, to, _))| from * f.to.price.0 * MILLION >= f.from.price.0 * to * guard);
        if time - issued > u64::from(params.quote_ms) * 1_000_000 || issued < c.since || !guarded {
            return Err(format!("record {lsn} honours a quote that is over: {f:?}, {now:?}"));
        }
        let used = (issued, f.account, (f.from.asset, f.from.seq), (f.to.asset, f.to.seq));
        if !self.conversions.used.insert(used) {
            return Err(format!("record {lsn} uses a quote twice: {f:?}"));
        }
        self.conversions.used.retain(|(issued, ..)| issued + KEPT_NS > time);
        Ok(())
    }

    fn params(&self, lsn: Lsn, version: u32) -> Result<ConvertParams, Finding> {
        let params = self.conversions.params.clone().filter(|params| params.version == version);
        params.ok_or_else(|| format!("record {lsn} converts by parameters {version}, which are not in force"))
    }

    /// The house gives so much, within its cap.
    fn house_gives(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        asset: AssetId,
        amount: i128,
        params: &ConvertParams,
    ) -> Result<(), Finding> {
        let day = time / DAY_NS;
        self.conversions.given.retain(|(of, _), _| *of == day);
        let given = self.conversions.given.entry((day, asset)).or_default();
        *given += amount;
        let cap = params.assets.iter().find(|listed| listed.asset == asset).map_or(0, |listed| listed.daily_cap.0);
        if *given > cap {
            return Err(format!("record {lsn} has the house give {given} of asset {asset} today, more than {cap}"));
        }
        Ok(())
    }

    /// What is given and received, on both sides.
    fn exchange(
        &mut self,
        account: AccountId,
        (from, amount): (AssetId, i128),
        (to, to_amount): (AssetId, i128),
        moved: &mut Vec<WalletKey>,
    ) {
        for (who, sign) in [(account, 1), (CONVERT_HOUSE, -1)] {
            self.add((who, Wallet::Spot, from), -sign * amount, 0, moved);
            self.add((who, Wallet::Spot, to), sign * to_amount, 0, moved);
        }
    }

    fn converted(&mut self, at: (Lsn, TimeNs), f: &Converted, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        let lsn = at.0;
        let params = self.params(lsn, f.version)?;
        self.priced(at, f, &params)?;
        let (amount, value) = (f.amount.0, f.amount.0 * f.from.price.0);
        let to_amount = becomes(amount, f.from.price.0, f.to.price.0, params.spread_ppm);
        let fee = nearest(amount * i128::from(params.fee_ppm), MILLION);
        let rates = (f.spread_ppm, f.fee_ppm) == (params.spread_ppm, params.fee_ppm);
        let within = (params.value.0.0 * ONE..=params.value.1.0 * ONE).contains(&value);
        let different = f.from.asset != f.to.asset;
        if (f.to_amount.0, f.fee.0) != (to_amount, fee) || to_amount <= 0 || !rates || !within || !different {
            return Err(format!("record {lsn} converts {f:?}; {to_amount} and a fee of {fee} are right"));
        }
        self.house_gives(at, f.to.asset, to_amount, &params)?;
        self.exchange(f.account, (f.from.asset, amount), (f.to.asset, to_amount), moved);
        self.add((f.account, Wallet::Spot, f.from.asset), -fee, 0, moved);
        self.add((FEE, Wallet::Spot, f.from.asset), fee, 0, moved);
        Ok(())
    }

    fn dust_converted(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &DustConverted,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let params = self.params(lsn, f.version)?;
        if let Some(last) = self.conversions.dusted.insert(f.account, time)
            && last + DAY_NS > time
        {
            return Err(format!("record {lsn} converts dust of account {} twice in a day", f.account));
        }
        let stale_ns = u64::from(params.stale_after_ms) * 1_000_000;
        if f.into.asset != params.dust_into || f.fee_ppm != params.dust_fee_ppm {
            return Err(format!("record {lsn} converts dust into {:?} for {} ppm", f.into, f.fee_ppm));
        }
        let mut given = 0;
        for row in &f.rows {
            let sides = [&row.from, &f.into].into_iter().all(|side| self.conversions.names(side, time, stale_ns));
            let to_amount = becomes(row.amount.0, row.from.price.0, f.into.price.0, f.fee_ppm);
            let small = row.amount.0 * row.from.price.0 < params.dust_limit.0 * ONE;
            if !sides || !small || row.to_amount.0 != to_amount || row.amount.0 <= 0 {
                return Err(format!("record {lsn} converts {row:?} as dust; {to_amount} is right"));
            }
            given += to_amount;
            self.exchange(f.account, (row.from.asset, row.amount.0), (f.into.asset, to_amount), moved);
        }
        self.house_gives((lsn, time), f.into.asset, given, &params)
    }
}
