//! Liquidations as the auditor sees them: its own sums of what scopes are worth, and of each step.
//!
//! Owns: open cases, quotas, the worth of pools and isolated legs at the marks. Never does: use the engine's formulas.
//! Invariants checked: a case begins at its scope's end and ends above it, or empty; steps are counted; a step is on a fresh
//! mark, of a leg of the scope, at prices no worse than the fact says; nothing is judged while a jump waits; its fee is a share
//! of what is left; the insurance gives what is beyond bankruptcy and no more than its quota; size and worst price of a step:
//! `steps.rs`; deleveraging: `deleverage.rs`.
//! Known limits: what a pool gives to one leg is checked to a unit of 1e-8.

use super::contracts::{INSURANCE, ONE, futures, nearest};
use super::legs::{Fill, Position, sign};
use super::steps::worst_of;
use super::{Auditor, Finding, WalletKey};
use std::collections::{BTreeMap, VecDeque};
use xng_core::contract::book::liquidation_facts::{
    LegLiquidated, LiquidationEnded, LiquidationStarted, QuotaSet, Scope, ScopeWorth,
};
use xng_core::contract::book::order::{BookOrder, BookUnits, LegSide};
use xng_core::contract::facts::MarginMode;
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, MarketId, OrderId, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::{Amount, FeePpm, Lots, Ticks};
use xng_core::spot::Side;

pub(super) const PPM: i128 = 1_000_000;
/// Sums are kept in so many parts of 1e-8.
const SCALE: i128 = 2 * ONE * PPM;

/// An open case: scope, steps.
type Case = (Scope, u32);

/// So many of what a scope was worth last are kept: its account asks for a step by one of these.
const SEEN: usize = 64;

/// A scope as its account may have seen it: its worth, and its legs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeenScope {
    pub(super) worth: Worth,
    pub(super) legs: BTreeMap<(MarketId, LegSide), SeenLeg>,
}

/// A leg of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SeenLeg {
    /// What must stay.
    pub(super) kept: i128,
    /// Lots that a step takes.
    pub(super) step: i64,
    /// Time of the mark's tick; none while the contract does not trade.
    pub(super) time: Option<TimeNs>,
}

/// What the auditor knows of liquidations.
#[derive(Debug, Clone, Default)]
pub(super) struct Liquidations {
    counts: BTreeMap<AccountId, u32>,
    /// By owner and number.
    open: BTreeMap<(AccountId, u32), Case>,
    /// Of scopes that are liquidated, by owner and case, latest last.
    pub(super) seen: BTreeMap<(AccountId, u32), VecDeque<SeenScope>>,
    quotas: BTreeMap<MarketId, i128>,
}

/// Equity and what must stay, in parts of 1e-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Worth {
    pub(super) equity: i128,
    pub(super) maintenance: i128,
}

impl Worth {
    pub(super) fn is_due(&self) -> bool {
        self.maintenance > 0 && self.equity <= self.maintenance
    }
}

impl Auditor {
    /// What must stay in a leg at its contract's mark.
    fn kept(&self, contract: MarketId, leg: &Position) -> i128 {
        let Some(listed) = self.contracts.listed.get(&contract) else { return 0 };
        let value = listed.mark * i128::from(leg.lots.abs()) * listed.params.lot.0;
        let (mut amount, mut before) = (0, None);
        let brackets = &listed.params.brackets.list;
        for (n, bracket) in brackets.iter().enumerate() {
            let rate = i128::from(bracket.rate_ppm);
            if let Some((ceiling, last)) = before {
                amount += ceiling * (rate - last) / PPM;
            }
            if value <= bracket.ceiling.0 * ONE || n + 1 == brackets.len() {
                return 2 * (value * rate - amount * ONE * PPM);
            }
            before = Some((bracket.ceiling.0, rate));
        }
        0
    }

    /// What a leg gained so far at its contract's mark, less funding that it owes.
    fn gain(&self, contract: MarketId, leg: &Position) -> i128 {
        let Some(listed) = self.contracts.listed.get(&contract) else { return 0 };
        let index = self.books.get(&contract).map_or(0, |book| book.index);
        let funding = i128::from(leg.lots) * (leg.paid_to - index);
        2 * PPM * (listed.mark * i128::from(leg.lots) * listed.params.lot.0 + (funding - leg.cost) * ONE)
    }

    pub(super) fn legs_of(&self, account: AccountId) -> impl Iterator<Item = (MarketId, LegSide, &Position)> {
        let books = self.books.iter();
        books.flat_map(move |(contract, book)| book.of(account).map(move |(side, leg)| (*contract, side, leg)))
    }

    /// What cross legs gained so far, in units of 1e-16, and their margins at opening at the mark.
    pub(super) fn cross_leg_sums(&self, account: AccountId, asset: AssetId) -> (i128, i128) {
        let (mut gained, mut initial) = (0, 0);
        for (contract, _, leg) in self.legs_of(account).filter(|(_, _, leg)| leg.cross) {
            let (book, listed) = (self.books.get(&contract), self.contracts.listed.get(&contract));
            let Some((_, listed)) = book.zip(listed).filter(|(book, _)| book.asset == asset) else { continue };
            gained += self.gain(contract, leg) / (2 * PPM);
            let value = listed.mark * i128::from(leg.lots.abs()) * listed.params.lot.0;
            initial += nearest(value, ONE * i128::from(leg.multiple.max(1)));
        }
        (gained, initial)
    }

    /// A pool with its tickets and legs, by the last prices.
    pub(super) fn pool_worth(&self, account: AccountId, asset: AssetId) -> Worth {
        let sums = self.pool_sums(account, asset);
        let mut worth = Worth { equity: sums.equity * PPM, maintenance: sums.maintenance * PPM };
        for (contract, _, leg) in self.legs_of(account) {
            let of_asset = self.books.get(&contract).is_some_and(|book| book.asset == asset);
            if leg.cross && of_asset {
                worth.equity += self.gain(contract, leg);
                worth.maintenance += self.kept(contract, leg);
            }
        }
        worth
    }

    /// After each record: what scopes that are liquidated are worth now.
    pub(super) fn see_scopes(&mut self) {
        if self.liquidations.open.is_empty() && self.liquidations.seen.is_empty() {
            return;
        }
        let mut seen = std::mem::take(&mut self.liquidations.seen);
        seen.retain(|case, _| self.liquidations.open.contains_key(case));
        for (case, (scope, _)) in &self.liquidations.open {
            let legs = self.legs_of(case.0).filter(|(contract, side, leg)| self.has_leg(scope, *contract, *side, leg));
            let legs = legs.map(|(contract, side, leg)| ((contract, side), self.see_leg(contract, leg))).collect();
            let now = SeenScope { worth: self.worth(case.0, scope), legs };
            let seen = seen.entry(*case).or_default();
            if seen.back() != Some(&now) {
                if seen.len() == SEEN {
                    seen.pop_front();
                }
                seen.push_back(now);
            }
        }
        self.liquidations.seen = seen;
    }

    pub(super) fn has_leg(&self, scope: &Scope, contract: MarketId, side: LegSide, leg: &Position) -> bool {
        let of_asset = self.books.get(&contract).is_some_and(|book| book.asset == scope.settle);
        scope.leg.map_or(leg.cross && of_asset, |own| own == (contract, side) && !leg.cross)
    }

    fn see_leg(&self, contract: MarketId, leg: &Position) -> SeenLeg {
        let listed = self.contracts.listed.get(&contract);
        let time = listed.filter(|listed| listed.trades).map(|listed| listed.time);
        SeenLeg { kept: self.kept(contract, leg), step: self.step_lots(contract, leg), time }
    }

    pub(super) fn leg_worth(&self, contract: MarketId, leg: &Position) -> Worth {
        let equity = leg.margin * SCALE + self.gain(contract, leg);
        Worth { equity, maintenance: self.kept(contract, leg) }
    }

    /// Whether a liquidation of a scope goes on.
    pub(super) fn is_liquidated(&self, account: AccountId, scope: &Scope) -> bool {
        let own = self.liquidations.open.range((account, 0)..=(account, u32::MAX));
        own.into_iter().any(|(_, (open, _))| open == scope)
    }

    fn worth(&self, account: AccountId, scope: &Scope) -> Worth {
        let Some(key) = scope.leg else { return self.pool_worth(account, scope.settle) };
        let leg = self.legs_of(account).find(|(contract, side, _)| (*contract, *side) == key);
        leg.map_or(Worth { equity: 0, maintenance: 0 }, |(contract, _, leg)| self.leg_worth(contract, leg))
    }

    /// What a scope is worth, and whether a record says so.
    fn says_worth(&self, lsn: Lsn, account: AccountId, scope: &Scope, f: &ScopeWorth) -> Result<Worth, Finding> {
        let worth = self.worth(account, scope);
        let right = (nearest(worth.equity, SCALE), nearest(worth.maintenance, SCALE));
        let seen = f.prices.iter().all(|seen| {
            let listed = self.contracts.listed.get(&seen.contract);
            listed.is_some_and(|listed| (listed.mark, listed.index.0) == (seen.mark.0, seen.index.0))
        });
        if !seen || (f.equity.0, f.maintenance.0) != right {
            return Err(format!("record {lsn} says {f:?} of account {account}; {right:?} is right"));
        }
        Ok(worth)
    }

    pub(super) fn liquidation_started(
        &mut self,
        lsn: Lsn,
        time: TimeNs,
        f: &LiquidationStarted,
    ) -> Result<(), Finding> {
        self.is_certain((lsn, time), f.account, &f.scope)?;
        let worth = self.says_worth(lsn, f.account, &f.scope, &f.worth)?;
        let fresh = f.worth.prices.iter().any(|seen| seen.fresh && self.is_fresh(seen.contract, time));
        let count = self.liquidations.counts.entry(f.account).or_default();
        *count += 1;
        let count = *count;
        let twice = self.is_liquidated(f.account, &f.scope);
        self.liquidations.open.insert((f.account, f.case), (f.scope, 0));
        if !worth.is_due() || !fresh || f.case != count || twice {
            return Err(format!("record {lsn} starts {f:?} at {worth:?}, case {count}, twice: {twice}"));
        }
        Ok(())
    }

    pub(super) fn liquidation_ended(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &LiquidationEnded,
    ) -> Result<(), Finding> {
        self.is_certain((lsn, time), f.account, &f.scope)?;
        let worth = self.says_worth(lsn, f.account, &f.scope, &f.worth)?;
        let open = self.liquidations.open.remove(&(f.account, f.case));
        if worth.is_due() || open != Some((f.scope, f.steps)) {
            return Err(format!("record {lsn} ends {f:?} at {worth:?}, open is {open:?}"));
        }
        Ok(())
    }

    pub(super) fn quota_set(&mut self, lsn: Lsn, f: &QuotaSet, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        let ppm = self.book_of(lsn, f.contract)?.quota_ppm;
        let before = self.liquidations.quotas.insert(f.contract, f.quota.0).unwrap_or(0);
        let has = self.held(futures(INSURANCE, f.settle));
        let right = ((has.available + has.locked) * i128::from(ppm) / PPM).min(has.available + before);
        if (f.before.0, f.quota.0) != (before, right) {
            return Err(format!("record {lsn} sets {f:?}; {right} after {before} is right"));
        }
        self.lock_futures(INSURANCE, f.settle, right - before, moved);
        Ok(())
    }

    /// What the insurance set apart for a contract.
    pub(super) fn quota(&self, contract: MarketId) -> i128 {
        self.liquidations.quotas.get(&contract).copied().unwrap_or(0)
    }

    /// What quotas lock.
    pub(super) fn quota_locks(&self) -> impl Iterator<Item = (WalletKey, i128)> {
        self.liquidations
            .quotas
            .iter()
            .filter_map(|(contract, quota)| Some((futures(INSURANCE, self.books.get(contract)?.asset), *quota)))
    }

    /// Whether a contract's prices could be relied on at a time.
    pub(super) fn is_fresh(&self, contract: MarketId, time: TimeNs) -> bool {
        self.contracts.listed.get(&contract).is_some_and(|listed| listed.trades) && self.is_recent(contract, time)
    }

    /// Whether its index was not too old then, whatever its state.
    fn is_recent(&self, contract: MarketId, time: TimeNs) -> bool {
        let listed = self.contracts.listed.get(&contract).filter(|listed| listed.index.1 > 0);
        listed.is_some_and(|listed| time.saturating_sub(listed.time) <= listed.params.stale_after_ns())
    }

    /// A scope is judged while no jump waits of an index that it depends on, unless that is old anyway.
    pub(super) fn is_certain(
        &self,
        (lsn, time): (Lsn, TimeNs),
        account: AccountId,
        scope: &Scope,
    ) -> Result<(), Finding> {
        let tickets = self.cross(account, scope.settle).filter(|_| scope.leg.is_none()).map(|ticket| ticket.contract);
        let legs = self.legs_of(account).filter(|(contract, side, leg)| self.has_leg(scope, *contract, *side, leg));
        let mut contracts = tickets.chain(legs.map(|(contract, ..)| contract));
        match contracts.find(|contract| self.jumps(*contract) && self.is_recent(*contract, time)) {
            Some(contract) => Err(format!("record {lsn} judges {scope:?} of account {account}, {contract} jumps")),
            None => Ok(()),
        }
    }

    pub(super) fn leg_liquidated(
        &mut self,
        lsn: Lsn,
        time: TimeNs,
        f: &LegLiquidated,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let (u, contract) = (&f.units, f.units.contract);
        self.update(lsn, contract, f.update.0)?;
        self.trade_ids(lsn, contract, f.first_trade.0, f.trade_ids())?;
        self.order_ids(lsn, contract, f.order.0, f.orders())?;
        let own = (contract, f.leg);
        let cross = f.mode == MarginMode::Cross;
        let open = self
            .liquidations
            .open
            .get_mut(&(f.account, f.case))
            .filter(|(scope, _)| scope.leg.map_or(cross && scope.settle == u.settle, |leg| !cross && leg == own));
        let Some((scope, steps)) = open else {
            return Err(format!("record {lsn} takes a step of {f:?}, of which no case is open"));
        };
        *steps += 1;
        let (scope, steps) = (*scope, *steps);
        let leg = self.book_of(lsn, contract)?.leg(f.account, f.leg);
        let mark = self.contracts.listed.get(&contract).map_or(0, |listed| listed.mark);
        // Of a pool it was when its account asked (`bears`); an isolated leg is the contract's own.
        let due = cross || self.worth(f.account, &scope).is_due();
        if !due
            || !self.is_fresh(contract, time)
            || self.jumps(contract)
            || steps != f.step
            || mark != f.mark.0
            || leg.lots == 0
            || leg.cross != cross
        {
            return Err(format!("record {lsn} takes step {} of {leg:?} at {mark}, {steps} is next", f.step));
        }
        self.bears((lsn, time), f, &leg)?;
        let side = if leg.lots > 0 { Side::Sell } else { Side::Buy };
        let taker = closing(f.account, f.leg, side, f.mode);
        let wallet = if cross { Wallet::Pnl } else { Wallet::Futures };
        self.add((f.account, wallet, u.settle), f.insured.0, 0, moved);
        self.lock_futures(INSURANCE, u.settle, -f.insured.0, moved);
        self.add(futures(INSURANCE, u.settle), -f.insured.0, 0, moved);
        let quota = self.liquidations.quotas.entry(contract).or_default();
        *quota -= f.insured.0;
        if *quota < 0 || f.insured.0 < 0 {
            return Err(format!("record {lsn} takes {} of a quota that is {quota} then", f.insured));
        }
        let one = u.tick.0 * u.lot.0 / ONE;
        let rate = i128::from(self.book_of(lsn, contract)?.liquidation_ppm);
        let (mut insured, mut closed) = (0, 0);
        for t in &f.trades {
            let maker = self.maker_of(lsn, u, t, (side, f.worst), f.account)?;
            self.maker_fill(lsn, u, &maker, t, moved)?;
            let value = one * i128::from(t.ticks.0) * i128::from(t.lots.0);
            let better = i128::from(-sign(side)) * one * i128::from((t.ticks - f.bankruptcy).0) * i128::from(t.lots.0);
            let fee = nearest(value * rate, PPM).min(better.max(0));
            let given = (-better).max(0);
            (insured, closed) = (insured + given, closed + t.lots.0);
            let fill = Fill { order: &taker, at: (t.ticks.0, t.lots.0), freed: given, insurance: Some(fee) };
            self.party(lsn, u, &fill, &t.taker_effect, moved)?;
            if t.taker_effect.fee.0 != fee {
                return Err(format!("record {lsn} takes a fee of {} for {t:?}; {fee} is right", t.taker_effect.fee));
            }
        }
        if insured != f.insured.0 {
            return Err(format!("record {lsn} has {} paid by the insurance; {insured} is right", f.insured));
        }
        let counted = f.trades.iter().rev().find(|t| (t.ticks - f.bankruptcy).0 * sign(side) <= 0);
        self.book_of(lsn, contract)?.marks.traded(counted);
        closed += self.deleveraged(lsn, f, (&taker, f.lots.0 - closed), moved)?;
        if closed > f.lots.0 || (closed == 0 && f.cuts.is_empty()) {
            return Err(format!("record {lsn} closes {closed} of {} lots", f.lots.0));
        }
        for cut in &f.cuts {
            self.cut_in_book(lsn, u, cut, moved)?;
        }
        for id in f.trades.iter().map(|t| t.maker_order).chain(f.cuts.iter().map(|cut| cut.order)) {
            self.sets_aside(lsn, u, id)?;
        }
        let legs: Vec<(AccountId, LegSide)> = f.effects().map(|(account, effect)| (account, effect.leg)).collect();
        for (account, leg) in legs {
            self.closes_no_more(lsn, contract, account, leg, Side::Buy)?;
            self.closes_no_more(lsn, contract, account, leg, Side::Sell)?;
        }
        self.clearing_is_right(lsn, contract)
    }

    /// Whether margin and bankruptcy of a step are those of its leg: the price at which nothing is left, rounded once.
    fn bears(&self, (lsn, time): (Lsn, TimeNs), f: &LegLiquidated, leg: &Position) -> Result<(), Finding> {
        let u = &f.units;
        let base = i128::from(leg.lots.abs()) * u.lot.0;
        let value = nearest(f.mark.0 * base, ONE);
        let (cost, margin) = if leg.cross {
            // Prices of other contracts and money may have moved since the account asked.
            let seen = self.liquidations.seen.get(&(f.account, f.case));
            // What else the pool lost is not paid for here.
            let lost = nearest(leg_gain(f.mark.0, u.lot.0, leg), ONE).min(0);
            let gives = |seen: &SeenScope| {
                let kept = seen.legs.get(&(u.contract, f.leg)).map_or(0, |leg| leg.kept);
                // In whole units of 1e-8, which always fit.
                let worth = &seen.worth;
                let (equity, kept, all) = (worth.equity / SCALE, kept / SCALE, (worth.maintenance / SCALE).max(1));
                let share = equity.checked_mul(kept).map_or(f.margin.0, |product| product / all).max(lost);
                let near = (share / ONE).abs() + equity.abs() / kept.max(1) + kept / all + 100;
                worth.is_due() && (share - f.margin.0).abs() <= near && self.is_step_of(seen, time, f, leg)
            };
            if !seen.is_some_and(|seen| seen.iter().rev().any(gives)) {
                let last = seen.and_then(VecDeque::back);
                return Err(format!(
                    "record {lsn} lets the pool give {} for {:?} of {leg:?}; it is {last:?}",
                    f.margin, f.lots
                ));
            }
            (value, f.margin.0)
        } else {
            let index = self.books.get(&u.contract).map_or(0, |book| book.index);
            let margin = leg.margin + i128::from(leg.lots) * (leg.paid_to - index);
            let seen = self.liquidations.seen.get(&(f.account, f.case)).into_iter().flatten();
            // With more funding owed than there is margin, a part of it cannot pay for itself.
            let all = margin < 0 && f.lots.0 == leg.lots.abs();
            if !all && !seen.rev().any(|seen| self.is_step_of(seen, time, f, leg)) {
                return Err(format!("record {lsn} closes {:?} of {leg:?} in a step", f.lots));
            }
            (leg.cost.abs(), margin)
        };
        if margin != f.margin.0 || !is_bankrupt_at(u, leg, (cost, margin), f.bankruptcy.0) {
            return Err(format!("record {lsn} says {} and {:?} of {leg:?}", f.margin, f.bankruptcy));
        }
        let worst = worst_of(u, leg, (f.lots.0, f.bankruptcy.0), (self.quota(u.contract), f.mark.0));
        if f.worst.0 != worst {
            return Err(format!("record {lsn} goes to {:?}, {worst} is right: {f:?}", f.worst));
        }
        Ok(())
    }
}

/// Whether a leg of this cost and margin has nothing left at a price, rounded once: a tick further it has less.
pub(super) fn is_bankrupt_at(u: &BookUnits, leg: &Position, (cost, margin): (i128, i128), ticks: i64) -> bool {
    let (way, base) = (i128::from(leg.lots.signum()), i128::from(leg.lots.abs()) * u.lot.0);
    let left = |ticks: i64| (i128::from(ticks) * u.tick.0 * base - (cost - way * margin) * ONE) * way;
    ticks == 1 || (left(ticks) >= 0 && left(ticks - leg.lots.signum()) < 0)
}

/// What a leg gained so far, in units of 1e-16.
pub(super) fn leg_gain(mark: i128, lot: i128, leg: &Position) -> i128 {
    mark * i128::from(leg.lots) * lot - leg.cost * ONE
}

/// An order that closes, as a party's part of a step.
pub(super) fn closing(account: AccountId, leg: LegSide, side: Side, mode: MarginMode) -> BookOrder {
    let none = Amount::ZERO;
    let (order, ticks, lots, fee_ppm) = (OrderId(0), Ticks(0), Lots(0), FeePpm(0));
    BookOrder {
        order,
        account,
        side,
        leg,
        ticks,
        open: lots,
        opens: lots,
        multiple: 1,
        mode,
        valued: none,
        fee_ppm,
        locked: none,
    }
}
