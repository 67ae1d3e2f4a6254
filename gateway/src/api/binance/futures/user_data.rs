//! What a futures user data stream says of an account's event (`docs/rules/futures-api.md "Private events"`).
//!
//! Owns: `ORDER_TRADE_UPDATE`, `ALGO_UPDATE`, `TRADE_LITE`, `ACCOUNT_UPDATE`, `ACCOUNT_CONFIG_UPDATE`. Never does: ask anybody;
//! send. Invariants: an order's events come in the order of what happened to it, each with the sums up to there; the account's
//! come after the orders that changed it. Known limits: of an order that was open when the process
//! started, time in force and average price are as the account knows them; so is what it waited for.

use super::conditional::{callback, state_name, type_name, working_name};
use super::errors::refused;
use super::margin_calls::{self, Called};
use super::rows::{average, client_id, kind_name, leg_name, original_name, price, quantity, symbol, tif_name};
use crate::api::binance::orders::rows::{eight, side_name, status_name, stp_name};
use crate::common::time::TimeUnit;
use crate::market::catalog::Catalog;
use crate::market::contracts::Contracts;
use crate::orders::histories::Histories;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use xng_core::account::leg_orders::{LegFill, LegOrder};
use xng_core::account::{AccountEvent, AccountView, Balance, LegsCause, LegsEvent, OrderChange, OwnLeg};
use xng_core::board::Board;
use xng_core::contract::book::order::LegSide;
use xng_core::contract::book::waiting::Condition;
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::fraction::Fraction;
use xng_core::ids::{AccountId, AssetId, MarketId, TradeId, Wallet};
use xng_core::money::{Amount, Lots, ONE};
use xng_core::reject::Reject;
use xng_core::spot::{OrderKind, OrderStatus, Side};

/// What writing events takes besides the event.
#[derive(Debug, Clone)]
pub struct Known {
    /// Contracts.
    pub contracts: Contracts,
    /// Orders and fills.
    pub histories: Histories,
}

/// What is known of an account between its events: wallets and positions.
#[derive(Debug, Default)]
pub struct Holdings {
    /// Sequence of the last event in it.
    seq: u64,
    /// Of the futures wallet and its results.
    balances: BTreeMap<(AssetId, Wallet), Balance>,
    /// Positions.
    legs: BTreeMap<(MarketId, LegSide), OwnLeg>,
    /// Isolated ones whose owner was told that they are near their end.
    called: Called,
}

fn is_ours(balance: &&Balance) -> bool {
    matches!(balance.wallet, Wallet::Futures | Wallet::Pnl)
}

impl Holdings {
    /// As a view of the account has them.
    #[must_use]
    pub fn of(view: &AccountView) -> Holdings {
        let balances = view.balances.iter().filter(is_ours).map(|b| ((b.asset, b.wallet), *b)).collect();
        let mut holdings = Holdings { seq: view.seq, balances, ..Holdings::default() };
        view.legs
            .iter()
            .flat_map(|legs| &legs.legs)
            .for_each(|own| holdings.put(own.units.contract, own.side, Some(own)));
        holdings
    }

    fn put(&mut self, contract: MarketId, side: LegSide, own: Option<&OwnLeg>) {
        match own {
            Some(own) => drop(self.legs.insert((contract, side), *own)),
            None => drop(self.legs.remove(&(contract, side))),
        }
    }

    /// After an event; one that they have seen changes nothing.
    pub fn follow(&mut self, event: &AccountEvent) {
        if event.seq < self.seq {
            return;
        }
        self.seq = event.seq;
        self.balances.extend(event.wallets.iter().filter(is_ours).map(|b| ((b.asset, b.wallet), *b)));
        for (contract, side, own) in event.legs.iter().flat_map(|legs| &legs.legs) {
            self.put(*contract, *side, own.as_ref());
        }
    }

    fn wallet(&self, asset: AssetId) -> Amount {
        let of = |wallet| self.balances.get(&(asset, wallet)).map_or(Amount::ZERO, |b| b.available + b.locked);
        of(Wallet::Futures) + of(Wallet::Pnl)
    }

    fn isolated(&self, asset: AssetId) -> Amount {
        self.legs.values().filter(|own| own.units.settle == asset).map(|own| own.leg.margin).sum()
    }

    /// What is in the pool of an asset, but for what positions gained so far.
    pub(super) fn pooled(&self, asset: AssetId) -> Amount {
        self.wallet(asset) - self.isolated(asset)
    }

    /// Positions.
    pub(super) fn positions(&self) -> impl Iterator<Item = &OwnLeg> {
        self.legs.values()
    }

    /// Somebody listens who was told of no position yet.
    pub fn has_new_reader(&mut self) {
        self.called = Called::default();
    }

    /// Isolated positions that came near their end since the last look.
    pub fn near(&mut self, board: &Board) -> Vec<OwnLeg> {
        self.called.look(self.legs.values(), board)
    }
}

/// The payloads of one event, in the order in which they are sent; `holdings` have followed it.
#[must_use]
pub fn payloads(
    event: &AccountEvent,
    holdings: &Holdings,
    catalog: &Catalog,
    known: &Known,
    unit: TimeUnit,
) -> Vec<Value> {
    let board = known.contracts.now();
    let mut writer = Writer { event, catalog, known, board, unit, events: Vec::new() };
    if let Some(legs) = event.legs.as_deref() {
        legs.orders.iter().for_each(|(order, change)| writer.order(legs, order, *change));
        writer.config(legs);
    }
    writer.account(holdings);
    let call = margin_calls::of_pool(event, holdings, &writer.board, unit);
    writer.events.extend(call);
    writer.events
}

struct Writer<'e> {
    event: &'e AccountEvent,
    catalog: &'e Catalog,
    known: &'e Known,
    board: Arc<Board>,
    unit: TimeUnit,
    events: Vec<Value>,
}

/// What an order had come to.
#[derive(Clone, Copy)]
struct Sums {
    filled: Lots,
    spent: Amount,
}

/// What the type of an order is called that the exchange made.
const FORCED: &str = "LIQUIDATION";
const NOTHING: Sums = Sums { filled: Lots::ZERO, spent: Amount::ZERO };

impl Writer<'_> {
    fn order(&mut self, legs: &LegsEvent, o: &LegOrder, change: OrderChange) {
        // Of an order that rests the account does not keep what it waited for.
        if let Some(condition) = &o.condition {
            self.algo(o, condition, legs.refused);
            if matches!(change, OrderChange::Waits | OrderChange::Gone) {
                return;
            }
        }
        let o = &self.whole(o, change);
        let fills: Vec<LegFill> = legs.fills.iter().filter(|fill| fill.order == o.order).copied().collect();
        match change {
            OrderChange::Placed => {
                self.update(o, "NEW", "NEW", NOTHING, None);
                self.fills(o, &fills);
                if !o.status.is_open() && o.status != OrderStatus::Filled {
                    self.ended(o);
                }
            }
            OrderChange::Filled => self.fills(o, &fills),
            OrderChange::Amended => self.update(o, "AMENDMENT", status_name(o.status), sums(o), None),
            OrderChange::Gone | OrderChange::Prevented => self.ended(o),
            OrderChange::Waits | OrderChange::Pending => {}
            OrderChange::Triggered => {
                self.update(o, "NEW", "NEW", NOTHING, None);
                self.fills(o, &fills);
                if !o.status.is_open() && o.status != OrderStatus::Filled {
                    self.ended(o);
                }
            }
        }
    }

    /// With what the account does not keep of a resting order.
    fn whole(&self, o: &LegOrder, change: OrderChange) -> LegOrder {
        if matches!(change, OrderChange::Placed | OrderChange::Triggered) {
            return *o;
        }
        let account = self.event.account;
        let known = self.known.histories.read_legs(account, |history| history.order(o.order).copied()).flatten();
        known.map_or(*o, |known| LegOrder {
            kind: known.kind,
            tif: known.tif,
            stp: known.stp,
            condition: known.condition,
            ..*o
        })
    }

    /// What was exchanged for an order by its fills up to one, if the history has them all.
    fn spent(&self, account: AccountId, o: &LegOrder, upto: TradeId, filled: Lots) -> Amount {
        let sum = self.known.histories.read_legs(account, |history| {
            let own = history.fills().filter(|fill| fill.order == o.order && fill.trade <= upto);
            own.fold(NOTHING, |sum, fill| Sums {
                filled: sum.filled + fill.lots,
                spent: sum.spent + fill.units.value(fill.ticks, fill.lots),
            })
        });
        sum.filter(|sum| sum.filled == filled).map_or_else(|| o.units.value(o.ticks, filled), |sum| sum.spent)
    }

    /// Its fills in this event, each with the sums up to it.
    fn fills(&mut self, o: &LegOrder, fills: &[LegFill]) {
        let now = fills.iter().fold(Lots::ZERO, |sum, fill| sum + fill.lots);
        let mut so_far = Sums { filled: o.filled - now, spent: Amount::ZERO };
        for (n, fill) in fills.iter().enumerate() {
            so_far.filled += fill.lots;
            so_far.spent = match fill.maker {
                true => self.spent(self.event.account, o, fill.trade, so_far.filled),
                false => so_far.spent + fill.units.value(fill.ticks, fill.lots),
            };
            let last = n + 1 == fills.len();
            let state = if last && o.status == OrderStatus::Filled { "FILLED" } else { "PARTIALLY_FILLED" };
            if o.is_forced() {
                self.update(o, "CALCULATED", state, so_far, Some(fill));
            } else {
                self.update(o, "TRADE", state, so_far, Some(fill));
                self.lite(o, fill);
            }
        }
    }

    fn ended(&mut self, o: &LegOrder) {
        let what = if o.status == OrderStatus::Canceled { "CANCELED" } else { "EXPIRED" };
        self.update(o, what, status_name(o.status), sums(o), None);
    }

    /// An order that waits for a price, or did until now.
    fn algo(&mut self, o: &LegOrder, condition: &Condition, why: Option<Reject>) {
        let (u, time, state) = (&o.units, self.unit.ns(self.event.time), state_name(o));
        let fired = matches!(state, "TRIGGERED" | "FINISHED");
        let filled = u.base(o.filled);
        let trails = condition.trigger.trail_bips > 0;
        let mut order = json!({
            "caid": client_id(o), "aid": o.order.0, "at": "CONDITIONAL", "o": type_name(o.kind, condition),
            "s": symbol(u, &self.board), "S": side_name(o.side), "ps": leg_name(o.leg), "f": tif_name(o.tif),
            "q": quantity(u, u.base(o.lots)), "X": state, "ai": if fired { o.order.0.to_string() } else { String::new() },
            "ap": eight(average(o.spent, filled)), "aq": quantity(u, filled), "act": "0",
            "tp": price(u, u.price(condition.trigger.ticks)), "p": price(u, u.price(o.ticks)), "V": stp_name(o.stp),
            "wt": working_name(condition.working), "pm": "NONE", "cp": condition.close_position, "pP": false,
            "R": o.reduce_only, "tt": if fired { time } else { 0.into() }, "gtd": 0,
            "rm": why.map_or_else(String::new, |reject| refused(reject).msg.into_owned()),
        });
        if trails {
            order["AP"] = order["tp"].take();
            order["tp"] = "0".into();
            order["cr"] = callback(condition).into();
        }
        self.events.push(json!({ "e": "ALGO_UPDATE", "E": self.unit.now(), "T": time, "o": order }));
    }

    /// A fill in few words.
    fn lite(&mut self, o: &LegOrder, fill: &LegFill) {
        let u = &o.units;
        self.events.push(json!({
            "e": "TRADE_LITE", "E": self.unit.now(), "T": self.unit.ns(fill.time), "s": symbol(u, &self.board),
            "q": quantity(u, u.base(o.lots)), "p": price(u, u.price(o.ticks)), "m": fill.maker, "c": client_id(o),
            "S": side_name(o.side), "L": price(u, u.price(fill.ticks)), "l": quantity(u, u.base(fill.lots)),
            "t": fill.trade.count(), "i": o.order.0,
        }));
    }

    fn update(&mut self, o: &LegOrder, what: &str, state: &str, so_far: Sums, fill: Option<&LegFill>) {
        let (u, time) = (&o.units, self.unit.ns(self.event.time));
        let zero = || eight(Amount::ZERO);
        let open = if o.status.is_open() { u.value(o.ticks, o.open) } else { Amount::ZERO };
        let (bids, asks) = if o.side == Side::Buy { (open, Amount::ZERO) } else { (Amount::ZERO, open) };
        let (filled, forced) = (u.base(so_far.filled), o.is_forced());
        let mut order = json!({
            "s": symbol(u, &self.board), "c": client_id(o), "S": side_name(o.side), "o": if forced { FORCED } else { kind_name(o.kind) },
            "f": tif_name(o.tif), "q": quantity(u, u.base(o.lots)), "p": price(u, u.price(o.ticks)),
            "ap": eight(average(so_far.spent, filled)), "sp": "0", "x": what, "X": state, "i": o.order.0,
            "l": quantity(u, fill.map_or(Amount::ZERO, |f| u.base(f.lots))), "z": quantity(u, filled),
            "L": fill.map_or_else(|| "0".to_owned(), |f| price(u, u.price(f.ticks))), "T": time,
            "t": fill.map_or(0, |f| f.trade.count()), "b": eight(bids), "a": eight(asks),
            "m": fill.is_some_and(|f| f.maker), "R": o.reduce_only, "wt": "CONTRACT_PRICE",
            "ot": if forced { FORCED } else { original_name(o) },
            "ps": leg_name(o.leg), "cp": false, "rp": fill.map_or_else(zero, |f| eight(f.result)), "pP": false, "si": 0,
            "ss": 0, "V": stp_name(o.stp), "pm": "NONE", "gtd": 0, "er": "0",
        });
        if let Some(condition) = &o.condition {
            let at = price(u, u.price(condition.trigger.ticks));
            order["wt"] = working_name(condition.working).into();
            order["cp"] = condition.close_position.into();
            if condition.trigger.trail_bips > 0 {
                order["AP"] = at.into();
                order["cr"] = callback(condition).into();
            } else {
                order["sp"] = at.into();
            }
        }
        if let Some(fill) = fill {
            order["N"] = self.catalog.asset_name(u.settle).into();
            order["n"] = eight(fill.fee).into();
        }
        debug_assert!(o.kind == OrderKind::Limit || !o.status.is_open(), "an order at market does not rest");
        self.events.push(json!({ "e": "ORDER_TRADE_UPDATE", "E": self.unit.now(), "T": time, "o": order }));
    }

    fn config(&mut self, legs: &LegsEvent) {
        let LegsCause::Terms(terms) = legs.cause else { return };
        let name = self.board.contract(terms.contract).map_or_else(String::new, |face| face.params.symbol.clone());
        let (now, time) = (self.unit.now(), self.unit.ns(self.event.time));
        let changed = json!({ "s": name, "l": terms.multiple });
        self.events.push(json!({ "e": "ACCOUNT_CONFIG_UPDATE", "E": now, "T": time, "ac": changed }));
    }

    /// Balances and positions that changed, and why; nothing where neither did.
    fn account(&mut self, holdings: &Holdings) {
        let ours: Vec<&Balance> = self.event.wallets.iter().filter(is_ours).collect();
        let legs = self.event.legs.as_deref();
        let why = match legs.map(|legs| legs.cause) {
            Some(LegsCause::Funding) => "FUNDING_FEE",
            Some(LegsCause::Margin) => "MARGIN_TRANSFER",
            Some(LegsCause::Order) => "ORDER",
            Some(LegsCause::Terms(_) | LegsCause::Hedge(_)) => return,
            // Results that become available leave the wallet as it was.
            Some(LegsCause::Settled) => return,
            None if ours.is_empty() => return,
            None => "ADJUSTMENT",
        };
        let is_quiet = legs.is_some_and(|legs| legs.cause == LegsCause::Order && legs.fills.is_empty());
        if is_quiet {
            return;
        }
        let mut assets: Vec<AssetId> = ours.iter().map(|b| b.asset).collect();
        assets.sort_unstable();
        assets.dedup();
        let change = |asset: AssetId| {
            let of_orders = legs.is_some_and(|legs| legs.cause == LegsCause::Order);
            let moved = self.event.moved.iter().filter(|(wallet, of, _)| {
                *of == asset && matches!(wallet, Wallet::Futures | Wallet::Pnl) && !of_orders
            });
            moved.map(|(_, _, amount)| *amount).sum::<Amount>()
        };
        let balance = |asset: AssetId| {
            let wallet = holdings.wallet(asset);
            json!({
                "a": self.catalog.asset_name(asset), "wb": eight(wallet), "cw": eight(holdings.pooled(asset)),
                "bc": eight(change(asset)),
            })
        };
        let balances: Vec<Value> = assets.into_iter().map(balance).collect();
        let positions: Vec<Value> = legs
            .iter()
            .flat_map(|legs| &legs.legs)
            .map(|(id, side, own)| self.position(*id, *side, own.as_ref()))
            .collect();
        let (now, time) = (self.unit.now(), self.unit.ns(self.event.time));
        let told = json!({ "m": why, "B": balances, "P": positions });
        self.events.push(json!({ "e": "ACCOUNT_UPDATE", "E": now, "T": time, "a": told }));
    }

    fn position(&self, contract: MarketId, side: LegSide, own: Option<&OwnLeg>) -> Value {
        let face = self.board.contract(contract);
        let name = face.map_or_else(String::new, |face| face.params.symbol.clone());
        let zero = || eight(Amount::ZERO);
        let Some(own) = own else {
            return json!({
                "s": name, "pa": "0", "ep": zero(), "bep": zero(), "cr": zero(), "up": zero(), "mt": "cross", "iw": zero(),
                "ps": leg_name(side),
            });
        };
        let (u, leg) = (&own.units, &own.leg);
        let base = u.base(leg.lots);
        let signed = if leg.direction == Direction::Long { base } else { -base };
        let entry = eight(Fraction::from(leg.cost).by(ONE).over(base.into()).round8());
        let up = face.map_or(Amount::ZERO, |face| leg.unrealised(face.mark, u).round8());
        let mode = if leg.mode == MarginMode::Isolated { "isolated" } else { "cross" };
        json!({
            "s": name, "pa": quantity(u, signed), "ep": entry, "bep": entry, "cr": zero(), "up": eight(up), "mt": mode,
            "iw": eight(leg.margin), "ps": leg_name(side),
        })
    }
}

fn sums(o: &LegOrder) -> Sums {
    Sums { filled: o.filled, spent: o.spent }
}
