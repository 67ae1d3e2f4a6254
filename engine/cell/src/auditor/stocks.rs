//! Stocks as the auditor sees them: its own sessions, price steps, days, and its own sums of corporate actions.
//!
//! Owns: sessions of calendars, terms of stock markets, orders of a day and of the queue, actions under way. Never does: use the
//! engine's rules. Invariants checked: a trade is made within a session; a limit price is one of the steps; an order of a day is
//! not filled after its day; orders of the queue are placed by age, and none passes them; while an action is under way nothing
//! is placed or filled; each account that holds the stock goes through an action once, with the sums that it makes. Days and
//! pauses are in `stock_sessions.rs`. Known limits: none.

use super::contracts::{ONE, nearest};
use super::stock_sessions::Sessions;
use super::{ADJUST, Auditor, FEE, Finding, WalletKey, base, cost, lock_of_one};
use crate::hosting::Hosting;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, MarketId, OrderId, Wallet};
use xng_core::journal::Lsn;
use xng_core::spot::facts::{OrderPlaced, OrdersChanged, SpotFact, Trade, Units};
use xng_core::spot::{EndReason, MarketParams, Side, Tif, TriggerKind};
use xng_core::stock::calendar::CalendarParams;
use xng_core::stock::facts::{Action, ActionApplied, ActionSet, StockFact};
use xng_core::stock::{ActionKind, CalendarId, StepTable, StockTerms};

pub(super) const STOCK_ISSUER: AccountId = AccountId(8);
const MS_NS: u64 = 1_000_000;
const MILLION: i128 = 1_000_000;
/// The highest fee, which purchases lock.
const LARGEST_FEE: i128 = 1_000;
/// Highest price of a band and its step, in thousandths: the Hong Kong table.
const STEPS: [(i128, i128); 11] = [
    (250, 1),
    (500, 5),
    (20_000, 10),
    (50_000, 20),
    (100_000, 50),
    (200_000, 100),
    (500_000, 200),
    (1_000_000, 500),
    (2_000_000, 1_000),
    (5_000_000, 2_000),
    (9_995_000, 5_000),
];

/// A market of stocks.
#[derive(Debug, Clone)]
struct Terms {
    stock: StockTerms,
    tick: i128,
    board_lot: i128,
}

/// An action under way.
#[derive(Debug, Clone)]
struct UnderWay {
    action: Action,
    /// Once it is set: what a share of what is no whole board lot is paid.
    odd_price: Option<i128>,
    done: BTreeSet<AccountId>,
}

/// What the auditor knows of stocks.
#[derive(Debug, Clone, Default)]
pub(super) struct Stocks {
    /// Begin, end, whether the day ends: of all that were ever known and not taken back before they were over.
    sessions: BTreeMap<CalendarId, Vec<(TimeNs, TimeNs, bool)>>,
    markets: BTreeMap<MarketId, Terms>,
    /// When each open order of a day was taken.
    of_day: BTreeMap<OrderId, TimeNs>,
    queue: BTreeMap<MarketId, BTreeSet<OrderId>>,
    under_way: BTreeMap<MarketId, UnderWay>,
    last: BTreeMap<MarketId, u32>,
    calendars: BTreeMap<CalendarId, CalendarParams>,
    pub(super) times: Sessions,
}

/// Markets of stocks have these numbers.
pub(super) fn is_stock(market: MarketId) -> bool {
    (384..512).contains(&market.0)
}

/// What a purchase locks of one lot on top of its cost.
pub(super) fn reserve(one: i128) -> i128 {
    (one * LARGEST_FEE + MILLION - 1) / MILLION
}

impl Terms {
    fn step(&self, price: i128) -> Option<i128> {
        let thousandth = ONE / 1_000;
        let steps = self.stock.steps;
        let halved = steps == StepTable::Hk2026 && price > 500 * thousandth && price <= 10_000 * thousandth;
        match steps {
            StepTable::Flat => Some(self.tick),
            StepTable::Hk2025 | StepTable::Hk2026 if halved => Some(5 * thousandth),
            StepTable::Hk2025 | StepTable::Hk2026 => {
                STEPS.iter().find(|(upto, _)| price <= upto * thousandth).map(|(_, step)| step * thousandth)
            }
        }
    }
}

impl Stocks {
    /// A market was listed or its parameters changed.
    pub(super) fn market(&mut self, p: &MarketParams) {
        if let Some(stock) = &p.stock {
            self.markets.insert(p.market, Terms { stock: *stock, tick: p.tick.0, board_lot: p.step.0 });
        }
    }

    fn sessions_of(&self, market: MarketId) -> &[(TimeNs, TimeNs, bool)] {
        self.terms(market).map_or(&[], |terms| self.sessions_from(terms.calendar))
    }

    pub(super) fn sessions_from(&self, calendar: CalendarId) -> &[(TimeNs, TimeNs, bool)] {
        self.sessions.get(&calendar).map_or(&[], Vec::as_slice)
    }

    pub(super) fn terms(&self, market: MarketId) -> Option<StockTerms> {
        self.markets.get(&market).map(|terms| terms.stock)
    }

    /// Markets that a calendar opens.
    pub(super) fn of_calendar(&self, calendar: CalendarId) -> Vec<MarketId> {
        let its = self.markets.iter().filter(|(_, terms)| terms.stock.calendar == calendar);
        its.map(|(market, _)| *market).collect()
    }

    pub(super) fn calendar_open(&self, calendar: CalendarId, time: TimeNs) -> bool {
        self.sessions_from(calendar).iter().any(|(open, close, _)| (*open..*close).contains(&time))
    }

    pub(super) fn taken_of_day(&self, order: OrderId) -> Option<TimeNs> {
        self.of_day.get(&order).copied()
    }

    /// No order of a day that is over, and no action under way.
    pub(super) fn nothing_is_left(&self, now: TimeNs) -> Result<(), Finding> {
        if let Some(order) = self.of_day.keys().find(|order| self.is_over(**order, now)) {
            let taken = self.of_day[order];
            let ended = self.day_ends(order.market(), taken);
            return Err(format!("order {order} is open at {now}; it is of {taken}, and its day ended at {ended:?}"));
        }
        match self.under_way.first_key_value() {
            Some((market, under_way)) => Err(format!("at rest market {market} is within {under_way:?}")),
            None => Ok(()),
        }
    }

    pub(super) fn in_session(&self, market: MarketId, time: TimeNs) -> bool {
        self.sessions_of(market).iter().any(|(open, close, _)| (*open..*close).contains(&time))
    }

    /// When the trading day is over in which an order was taken at a time.
    fn day_ends(&self, market: MarketId, taken: TimeNs) -> Option<TimeNs> {
        self.sessions_of(market).iter().find(|(_, close, last)| *last && *close > taken).map(|(_, close, _)| *close)
    }

    /// An order of a day is over by then.
    fn is_over(&self, order: OrderId, time: TimeNs) -> bool {
        let ends = self.of_day.get(&order).and_then(|taken| self.day_ends(order.market(), *taken));
        ends.is_some_and(|ends| time >= ends)
    }

    fn forget(&mut self, order: OrderId) {
        self.of_day.remove(&order);
        if let Some(queue) = self.queue.get_mut(&order.market()) {
            queue.remove(&order);
        }
    }
}

/// An order whose price is named is one that its market takes.
fn priced(terms: &Terms, units: &Units, ticks: i64) -> bool {
    let price = cost(units, ticks, 1) * ONE / i128::from(units.lot_units);
    ticks == 0 || terms.step(price).is_some_and(|step| price % step == 0)
}

impl Auditor {
    /// What a spot fact of a stock's market must be, before its money is looked at.
    pub(super) fn stock_orders(&mut self, (lsn, time): (Lsn, TimeNs), fact: &SpotFact) -> Result<(), Finding> {
        match fact {
            SpotFact::OrderPlaced(f) if is_stock(f.units.market) => {
                if self.stocks.queue.get(&f.units.market).is_some_and(|queue| !queue.is_empty()) {
                    return Err(format!("record {lsn} places order {}, which passes those of the queue", f.order));
                }
                self.stock_placed((lsn, time), f, None)
            }
            SpotFact::OrdersChanged(f) if is_stock(f.units.market) => self.stock_changed((lsn, time), f),
            SpotFact::QuotesSet(f) if is_stock(f.units.market) => {
                let makers = f.trades.iter().map(|t| t.trade.maker_order);
                self.may_trade((lsn, time), f.units.market, !f.on.is_empty(), makers)?;
                let done = f.trades.iter().filter(|t| t.trade.maker_done);
                done.for_each(|t| self.stocks.forget(t.trade.maker_order));
                Ok(())
            }
            SpotFact::OrdersCanceled(f) if is_stock(f.units.market) => {
                if f.reason == EndReason::SessionEnd {
                    self.is_of_the_day(lsn, f.orders.iter().map(|o| o.order))?;
                }
                f.orders.iter().for_each(|o| self.stocks.forget(o.order));
                Ok(())
            }
            SpotFact::MarketListed(f) => {
                self.stocks.market(&f.params);
                Ok(())
            }
            SpotFact::MarketParamsChanged(f) => {
                self.stocks.market(&f.params);
                Ok(())
            }
            SpotFact::OrderPlaced(_)
            | SpotFact::OrdersChanged(_)
            | SpotFact::QuotesSet(_)
            | SpotFact::OrdersCanceled(_)
            | SpotFact::MarketStateChanged(_)
            | SpotFact::TradeIdsReserved(_) => Ok(()),
        }
    }

    /// Whether orders may be matched now, with these that rested.
    fn may_trade(
        &self,
        (lsn, time): (Lsn, TimeNs),
        market: MarketId,
        matches: bool,
        makers: impl Iterator<Item = OrderId>,
    ) -> Result<(), Finding> {
        let s = &self.stocks;
        if matches && (!s.in_session(market, time) || s.under_way.contains_key(&market)) {
            return Err(format!("record {lsn} matches in market {market}, which is closed at {time}"));
        }
        if matches && s.pauses(market, time) {
            return Err(format!("record {lsn} matches in market {market}, which pauses at {time}"));
        }
        match makers.into_iter().find(|maker| s.is_over(*maker, time)) {
            Some(maker) => Err(format!("record {lsn} fills order {maker} at {time}, when its day is over")),
            None => Ok(()),
        }
    }

    /// An order is placed that was taken at once, or at another time when it waited.
    fn stock_placed(&mut self, at: (Lsn, TimeNs), f: &OrderPlaced, waited: Option<TimeNs>) -> Result<(), Finding> {
        let market = f.units.market;
        self.may_trade(at, market, true, f.trades.iter().map(|t| t.maker_order).chain([f.order]))?;
        let priced = self.stocks.markets.get(&market).is_some_and(|terms| priced(terms, &f.units, f.ticks.0));
        // One that waited may have come under another table.
        if !priced && waited.is_none() {
            return Err(format!("record {} takes order {} at {} ticks, which is no step", at.0, f.order, f.ticks.0));
        }
        f.trades.iter().filter(|t| t.maker_done).for_each(|t| self.stocks.forget(t.maker_order));
        f.prevented.iter().filter(|p| p.closed).for_each(|p| self.stocks.forget(p.order));
        self.stocks.forget(f.order);
        if f.tif == Tif::Day && f.rest.0 > 0 {
            self.stocks.of_day.insert(f.order, waited.unwrap_or(at.1));
        }
        Ok(())
    }

    fn stock_changed(&mut self, (lsn, time): (Lsn, TimeNs), f: &OrdersChanged) -> Result<(), Finding> {
        let market = f.units.market;
        // With an order of the day its list leaves.
        if f.reason == EndReason::SessionEnd && !f.gone.iter().any(|gone| self.stocks.left_in_time(gone.order)) {
            return Err(format!("record {lsn} ends orders because of a day that is not over: {:?}", f.gone));
        }
        f.gone.iter().for_each(|gone| self.stocks.forget(gone.order));
        if let Some(placed) = &f.placed {
            let waits = f.triggered.is_some() || f.activated.is_some();
            let waited = waits.then(|| self.stocks.of_day.get(&placed.order).copied().unwrap_or(time));
            let first = self.stocks.queue.get(&market).and_then(|queue| queue.first()).copied();
            if first.is_some_and(|first| first != placed.order) {
                return Err(format!("record {lsn} places order {}, the first of the queue is {first:?}", placed.order));
            }
            self.stock_placed((lsn, time), placed, waited)?;
        }
        for w in &f.waiting {
            if self.stocks.under_way.contains_key(&market) {
                return Err(format!("record {lsn} takes order {} although an action is under way", w.order));
            }
            if w.trigger.kind == TriggerKind::Open {
                let one = lock_of_one(&f.units, w.side, w.ticks.0).1;
                let priced = self.stocks.markets.get(&market).is_some_and(|terms| priced(terms, &f.units, w.ticks.0));
                if !priced || w.locked.0 != one * i128::from(w.lots.0) {
                    return Err(format!("record {lsn} takes {w:?} into the queue"));
                }
                self.stocks.queue.entry(market).or_default().insert(w.order);
            }
            if w.tif == Tif::Day {
                self.stocks.of_day.insert(w.order, time);
            }
        }
        Ok(())
    }

    /// Both sides of a trade of stocks: fees are in the quote. Gives what the maker does not lock any more.
    pub(super) fn stock_trade(
        &mut self,
        lsn: Lsn,
        u: &Units,
        (taker, side): (AccountId, Side),
        t: &Trade,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(AssetId, i128), Finding> {
        let (b, q) = (base(u, t.lots.0), cost(u, t.ticks.0, t.lots.0));
        let wallet = |account, asset| (account, Wallet::Spot, asset);
        let (taker_fee, maker_fee) = (t.taker_fee.0, t.maker_fee.0);
        if taker_fee.max(maker_fee) > nearest(q * LARGEST_FEE, MILLION) {
            return Err(format!("record {lsn} takes a fee above the highest: {t:?}"));
        }
        self.add(wallet(FEE, u.quote), taker_fee + maker_fee, 0, moved);
        let (asset, one) = lock_of_one(u, side.opposite(), t.ticks.0);
        let locked = one * i128::from(t.lots.0);
        match side {
            Side::Buy => {
                self.add(wallet(taker, u.quote), -q - taker_fee, 0, moved);
                self.add(wallet(taker, u.base), b, 0, moved);
                self.add(wallet(t.maker, u.base), 0, -b, moved);
                self.add(wallet(t.maker, u.quote), q - maker_fee, 0, moved);
            }
            Side::Sell => {
                self.add(wallet(taker, u.base), -b, 0, moved);
                self.add(wallet(taker, u.quote), q - taker_fee, 0, moved);
                self.add(wallet(t.maker, u.quote), locked - q - maker_fee, -locked, moved);
                self.add(wallet(t.maker, u.base), b, 0, moved);
            }
        }
        Ok((asset, locked))
    }

    pub(super) fn stock_fact(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &StockFact,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        match fact {
            StockFact::CalendarSet(f) => {
                self.stocks.calendars.insert(f.params.calendar, f.params.clone());
                let from = self.stocks.told_up_to(f.params.calendar, time);
                let sessions = self.stocks.sessions.entry(f.params.calendar).or_default();
                // One that is under way ends when the new list says so.
                sessions.retain(|(_, close, _)| *close <= from);
                let new = f.params.sessions.iter().map(|s| (s.open_ms * MS_NS, s.close_ms * MS_NS, s.last));
                sessions.extend(new.filter(|(_, close, _)| *close > from));
                self.stocks.told(f.params.calendar, (f.phase, f.until), time);
                Ok(())
            }
            StockFact::SessionChanged(f) => {
                if !self.stocks.follows(f, time) {
                    return Err(format!("record {lsn} tells {f:?}, which does not follow"));
                }
                self.stocks.told(f.calendar, (f.phase, f.until), time);
                Ok(())
            }
            StockFact::ActionAnnounced(f) => {
                let last = self.stocks.last.insert(f.action.market, f.action.id).unwrap_or(0);
                let under_way = UnderWay { action: f.action, odd_price: None, done: BTreeSet::new() };
                let before = self.stocks.under_way.insert(f.action.market, under_way);
                if before.is_some() || last >= f.action.id || self.stocks.in_session(f.action.market, time) {
                    return Err(format!("record {lsn} announces {f:?} after {last}, with {before:?} under way"));
                }
                Ok(())
            }
            StockFact::ActionSet(f) => self.action_set(lsn, f),
            StockFact::ActionApplied(f) => self.action_applied(lsn, f, moved),
            StockFact::ActionDone(f) => {
                let Some(UnderWay { action, done, .. }) = self.stocks.under_way.remove(&f.market) else {
                    return Err(format!(
                        "record {lsn} ends an action of market {}, of which none is under way",
                        f.market
                    ));
                };
                let holds = |held: &super::Held| held.available + held.locked != 0;
                let missed = self.wallets.iter().find(|((account, _, asset), held)| {
                    let is_user = ![ADJUST, STOCK_ISSUER].contains(account);
                    *asset == action.asset && is_user && holds(held) && !done.contains(account)
                });
                match missed {
                    Some((key, held)) => {
                        Err(format!("record {lsn} ends {action:?}, which {key:?} missed with {held:?}"))
                    }
                    None => Ok(()),
                }
            }
        }
    }

    fn action_set(&mut self, lsn: Lsn, f: &ActionSet) -> Result<(), Finding> {
        let market = f.action.market;
        if let Some((order, open)) = self.open.iter().find(|(_, open)| open.market == market) {
            return Err(format!("record {lsn} sets an action while order {order} is open: {open:?}"));
        }
        let board_lot = self.stocks.markets.get(&market).map(|terms| terms.board_lot);
        let under_way =
            self.stocks.under_way.get_mut(&market).filter(|u| u.action == f.action && u.odd_price.is_none());
        match under_way {
            Some(under_way) if board_lot == Some(f.board_lot.0) => {
                under_way.odd_price = Some(f.odd_price.0);
                self.stocks.forget_moves(market);
                Ok(())
            }
            other => Err(format!("record {lsn} sets {f:?}, under way is {other:?}")),
        }
    }

    fn action_applied(&mut self, lsn: Lsn, f: &ActionApplied, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        let Action { market, asset, quote, kind, .. } = f.action;
        let board_lot = self.stocks.markets.get(&market).map_or(0, |terms| terms.board_lot);
        let under_way = self.stocks.under_way.get_mut(&market).filter(|u| u.action == f.action);
        let Some((odd_price, true)) = under_way.and_then(|u| Some((u.odd_price?, u.done.insert(f.account)))) else {
            return Err(format!("record {lsn} applies an action that is not in force, or again: {f:?}"));
        };
        let named: BTreeMap<Wallet, i128> = f.holdings.iter().map(|h| (h.wallet, h.before.0)).collect();
        let held: BTreeMap<Wallet, i128> = self
            .wallets(f.account)
            .filter(|(_, held, has)| *held == asset && has.available + has.locked != 0)
            .map(|(wallet, _, has)| (wallet, has.available))
            .collect();
        let before: i128 = held.values().sum();
        let after: i128 = f.holdings.iter().map(|h| h.after.0).sum();
        let (whole, odd, gross, withheld) = match kind {
            ActionKind::Split { new, old } => {
                let scaled = held.values().map(|h| nearest(h * i128::from(new), i128::from(old))).sum::<i128>();
                let odd = scaled % board_lot;
                (scaled - odd, odd, 0, 0)
            }
            ActionKind::Dividend { per_share, withheld_ppm } => {
                let gross = nearest(before * per_share.0, ONE);
                (before, 0, gross, nearest(gross * i128::from(withheld_ppm), MILLION))
            }
        };
        let cash = nearest(odd * odd_price, ONE);
        let told = (f.odd.0, f.odd_cash.0, f.gross.0, f.withheld.0);
        if named != held || after != whole || told != (odd, cash, gross, withheld) {
            return Err(format!("record {lsn} applies {f:?} to {held:?}; it makes {whole} and {odd} beside"));
        }
        for h in &f.holdings {
            let change = h.after.0 - h.before.0;
            self.add((f.account, h.wallet, asset), change, 0, moved);
            self.add((STOCK_ISSUER, h.wallet, asset), -change, 0, moved);
        }
        let cash = f.odd_cash.0 + f.gross.0 - f.withheld.0;
        self.add((f.account, Wallet::Spot, quote), cash, 0, moved);
        self.add((STOCK_ISSUER, Wallet::Spot, quote), -cash, 0, moved);
        self.touch(f.account);
        Ok(())
    }

    /// The sessions of a calendar as they were set last.
    #[must_use]
    pub fn calendar(&self, calendar: CalendarId) -> Option<&CalendarParams> {
        self.stocks.calendars.get(&calendar)
    }

    /// An order waits for the open of its market.
    #[must_use]
    pub fn waits_for_open(&self, order: OrderId) -> bool {
        self.stocks.queue.get(&order.market()).is_some_and(|queue| queue.contains(&order))
    }

    /// A session of a market is under way.
    #[must_use]
    pub fn in_session(&self, market: MarketId, time: TimeNs) -> bool {
        self.stocks.in_session(market, time)
    }

    /// Number of the last corporate action of a market that was announced; 0 before the first.
    #[must_use]
    pub fn last_action(&self, market: MarketId) -> u32 {
        self.stocks.last.get(&market).copied().unwrap_or(0)
    }

    /// Each market is within the action that the records say, and knows the last one.
    pub(super) fn agrees_on_actions<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        for (id, market) in world.markets().iter() {
            let known = self.stocks.last.get(&id).map(|last| (*last, self.stocks.under_way.contains_key(&id)));
            if market.last_action() != known {
                return Err(format!("the last action of market {id} is {:?}, not {known:?}", market.last_action()));
            }
        }
        Ok(())
    }

    /// Orders that wait for the open.
    pub(super) fn queued(&self) -> impl Iterator<Item = OrderId> {
        self.stocks.queue.values().flatten().copied()
    }
}
