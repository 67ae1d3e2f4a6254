//! What other parameters would have meant for the orders of the last day.
//!
//! Owns: the comparison. Never does: change anything. Invariants: an order is looked at by the rules of the engine itself
//! (`xng_core::spot::fits`). Known limits: orders of the house are not looked at; what depends on the moment of an order is not
//! (band, protection, how many were open); a fee whose VIP level cannot be told stays as it was.

use super::super::asking::Refusal;
use super::super::reports::{all, not_read};
use super::proposal::{Change, Params, whole_number};
use crate::market::catalog::MarketInfo;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use xng_core::account::{Fill, Order};
use xng_core::fraction::Fraction;
use xng_core::ids::{AccountId, OrderId};
use xng_core::money::{Amount, Lots, ONE, Ticks};
use xng_core::reject::Reject;
use xng_core::spot::{LevelFees, MarketParams, NewOrder, OrderKind, Terms, fits};
use xng_persistence::store::{FillsOfOrders, MarketOrders, OrderCursor, Slice, SqlStore, StoredOrder};

/// Orders that are looked at, the newest ones.
const MOST_ORDERS: usize = 20_000;
/// Rows of the store that are read at once.
const PAGE: u32 = 1_000;
/// Orders whose fills are read at once.
const ORDERS_OF_FILLS: usize = 200;

/// What other parameters would have meant. Value and fees are in the quote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Preview {
    changes: Vec<Change>,
    needs_empty_book: bool,
    since_ms: u64,
    orders: usize,
    /// False: only the newest ones were looked at.
    is_all: bool,
    refused: usize,
    refused_accounts: usize,
    reasons: Vec<Reason>,
    fills: usize,
    value: String,
    fees_was: String,
    fees_is: String,
    quote: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Reason {
    reason: String,
    orders: usize,
}

/// Looks at the orders of a market that were placed since a time, in milliseconds since the epoch.
pub(super) async fn preview(
    store: &SqlStore,
    info: &MarketInfo,
    new: &MarketParams,
    since_ms: u64,
) -> Result<Preview, Refusal> {
    let old = &info.params;
    let filter = MarketOrders { market: old.market, since: since_ms * 1_000_000 };
    let (orders, is_all) = newest(store, &filter).await?;
    let mut sums = Sums::new(old, new);
    orders.iter().for_each(|row| sums.order(row));
    for some in orders.chunks(ORDERS_OF_FILLS) {
        let filter = FillsOfOrders { orders: some.iter().map(|row| row.order.order).collect() };
        for fill in all(store, &filter).await? {
            sums.fill(&fill.fill);
        }
    }
    let changes = Params::of(old).changes(&Params::of(new));
    Ok(Preview { changes, since_ms, is_all, quote: info.quote.clone(), ..sums.preview() })
}

/// The newest orders, and whether these are all.
async fn newest(store: &SqlStore, filter: &MarketOrders) -> Result<(Vec<StoredOrder>, bool), Refusal> {
    let mut rows: Vec<StoredOrder> = Vec::new();
    while rows.len() < MOST_ORDERS {
        let slice = rows.last().map_or(Slice::Newest, |row| Slice::Before(OrderCursor::from(&row.order)));
        let page = store.page(filter, slice, PAGE).await.map_err(|error| not_read(&error))?;
        let is_last = page.len() < PAGE as usize;
        rows.extend(page);
        if is_last {
            return Ok((rows, true));
        }
    }
    Ok((rows, false))
}

struct Sums<'a> {
    old: &'a MarketParams,
    new: &'a MarketParams,
    orders: usize,
    refused: BTreeSet<OrderId>,
    accounts: BTreeSet<AccountId>,
    reasons: BTreeMap<&'static str, usize>,
    fills: usize,
    value: Amount,
    fees_was: Amount,
    fees_is: Amount,
}

impl<'a> Sums<'a> {
    fn new(old: &'a MarketParams, new: &'a MarketParams) -> Sums<'a> {
        let (value, fees_was, fees_is) = (Amount::ZERO, Amount::ZERO, Amount::ZERO);
        let (refused, accounts, reasons) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
        Sums { old, new, orders: 0, refused, accounts, reasons, fills: 0, value, fees_was, fees_is }
    }

    fn order(&mut self, row: &StoredOrder) {
        self.orders += 1;
        // Orders of the last day may be of earlier parameters: of those in force, only what they let through counts.
        let is_new = refusal(self.old, &row.order).is_none();
        if let Some(reason) = refusal(self.new, &row.order).filter(|_| is_new) {
            self.refused.insert(row.order.order);
            self.accounts.insert(row.account);
            *self.reasons.entry(reason).or_default() += 1;
        }
    }

    fn fill(&mut self, fill: &Fill) {
        let (units, value) = (&fill.units, fill.units.notional(fill.ticks, fill.lots));
        let in_quote = units.fee_asset(fill.side) == units.quote;
        let received = if in_quote { value } else { units.base_amount(fill.lots) };
        let rate = |fees: &LevelFees| if fill.maker { fees.maker } else { fees.taker };
        let most = self.old.fees.len().max(self.new.fees.len());
        let levels = (0_u8..).take(most).filter(|level| rate(&self.old.fees_of(*level)).of(received) == fill.fee);
        let mut fees_is = levels.map(|level| rate(&self.new.fees_of(level)).of(received));
        // Levels may share a rate: the new fee is told only when all of them agree about it.
        let fee_is = fees_is.next().filter(|first| fees_is.all(|other| other == *first)).unwrap_or(fill.fee);
        let price = units.price(fill.ticks);
        let worth = |fee: Amount| if in_quote { fee } else { Fraction::value(price, fee).round8() };
        self.fills += 1;
        self.value += value;
        self.fees_was += worth(fill.fee);
        if !self.refused.contains(&fill.order) {
            self.fees_is += worth(fee_is);
        }
    }

    fn preview(&self) -> Preview {
        let mut reasons: Vec<Reason> = self
            .reasons
            .iter()
            .map(|(reason, orders)| Reason { reason: (*reason).to_owned(), orders: *orders })
            .collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.orders));
        Preview {
            needs_empty_book: (self.old.tick, self.old.step) != (self.new.tick, self.new.step),
            orders: self.orders,
            refused: self.refused.len(),
            refused_accounts: self.accounts.len(),
            reasons,
            fills: self.fills,
            value: self.value.to_string(),
            fees_was: self.fees_was.to_string(),
            fees_is: self.fees_is.to_string(),
            ..Preview::default()
        }
    }
}

/// Why parameters refuse an order that was taken by others, in words.
fn refusal(p: &MarketParams, order: &Order) -> Option<&'static str> {
    let Some(ticks) = whole_number(order.units.price(order.ticks), p.tick) else {
        return Some("Price between two ticks");
    };
    let Some(lots) = whole_number(order.units.base_amount(order.lots), p.step) else {
        return Some("Quantity between two steps");
    };
    let Some(iceberg) = whole_number(order.units.base_amount(order.iceberg), p.step) else {
        return Some("Shown part of an iceberg between two steps");
    };
    let trigger = order.trigger.map_or(Amount::ZERO, |trigger| order.units.price(trigger.ticks));
    if whole_number(trigger, p.tick).is_none() {
        return Some("Trigger price between two ticks");
    }
    let new = NewOrder {
        market: p.market,
        side: order.side,
        kind: order.kind,
        tif: order.tif,
        stp: order.stp,
        ticks: Ticks(ticks),
        lots: Lots(lots),
        budget: order.budget,
        iceberg: Lots(iceberg),
        client_id: None,
        terms: Terms { version: p.version, asset: p.base, amount: Amount::ZERO, capped: false },
    };
    let filled = order.units.base_amount(order.filled);
    let at_market = order.kind == OrderKind::Market && filled.is_positive();
    let paid = at_market.then(|| Amount(order.spent.0 * ONE / filled.0));
    let refused = fits(p, &new, paid).err()?;
    Some(WORDS.iter().find(|(reject, _)| *reject == refused).map_or("Other reasons", |(_, words)| words))
}

/// What each refusal is called.
const WORDS: [(Reject, &str); 6] = [
    (Reject::BelowMinAmount, "Quantity too small"),
    (Reject::AboveMaxAmount, "Quantity too large"),
    (Reject::BelowMinNotional, "Value too small"),
    (Reject::BadStep, "Price between two ticks"),
    (Reject::BadPrice, "Price out of range"),
    (Reject::BadIceberg, "Shown part of an iceberg too small"),
];

#[cfg(test)]
mod tests {
    use super::super::proposal::tests::btc;
    use super::*;
    use crate::common::decimal::amount;
    use xng_core::ids::{PreventedId, TradeId};
    use xng_core::money::FeePpm;
    use xng_core::spot::{EndReason, OrderStatus, Side, Stp, Tif, Trigger, TriggerKind};

    /// A limit buy of this many steps of 0.00001 at this many ticks of 0.01.
    fn limit(ticks: i64, lots: i64) -> StoredOrder {
        let order = Order {
            order: OrderId(1),
            units: btc().units(),
            side: Side::Buy,
            kind: OrderKind::Limit,
            tif: Tif::Gtc,
            ticks: Ticks(ticks),
            lots: Lots(lots),
            budget: Amount::ZERO,
            open: Lots(lots),
            filled: Lots(0),
            spent: Amount::ZERO,
            fee: Amount::ZERO,
            status: OrderStatus::Open,
            reason: EndReason::None,
            client_id: None,
            created: 1,
            updated: 1,
            stp: Stp::ExpireTaker,
            iceberg: Lots(0),
            trigger: None,
            locked: Amount::ZERO,
            list: OrderId(0),
            working: 1,
            prevented: Lots(0),
            prevented_by: PreventedId::NONE,
        };
        StoredOrder { account: AccountId::FIRST_USER, order }
    }

    #[test]
    fn an_order_is_looked_at_as_the_engine_would_take_it() {
        let p = btc();
        let order = limit(5_600_005, 105).order;
        assert_eq!(refusal(&p, &order), None);
        let coarse = MarketParams { tick: amount("0.1").unwrap(), ..p.clone() };
        assert_eq!(refusal(&coarse, &order), Some("Price between two ticks"));
        assert_eq!(refusal(&coarse, &limit(5_600_010, 105).order), None);
        let trigger = Some(Trigger { kind: TriggerKind::StopLoss, ticks: Ticks(5_600_005), trail_bips: 0 });
        let waits = Order { trigger, ..limit(5_600_010, 105).order };
        assert_eq!(refusal(&coarse, &waits), Some("Trigger price between two ticks"));
        let step = MarketParams { step: amount("0.0001").unwrap(), ..p.clone() };
        let iceberg = Order { iceberg: Lots(55), ..limit(5_600_005, 110).order };
        assert_eq!(refusal(&step, &iceberg), Some("Shown part of an iceberg between two steps"));
        assert_eq!(refusal(&step, &order), Some("Quantity between two steps"));
        assert_eq!(refusal(&step, &limit(5_600_005, 110).order), None);
        assert_eq!(refusal(&MarketParams { min_lots: Lots(106), ..p.clone() }, &order), Some("Quantity too small"));
        assert_eq!(refusal(&MarketParams { max_lots: Lots(104), ..p.clone() }, &order), Some("Quantity too large"));
        let dear = MarketParams { min_notional: amount("58.81").unwrap(), ..p.clone() };
        assert_eq!(refusal(&dear, &order), Some("Value too small"), "it is worth 58.8000525");
        // At market its value is what it paid: 0.001 for 57 USDT.
        let spent = amount("57").unwrap();
        let bought =
            Order { kind: OrderKind::Market, ticks: Ticks(0), lots: Lots(100), filled: Lots(100), spent, ..order };
        assert_eq!(refusal(&dear, &bought), Some("Value too small"));
        assert_eq!(refusal(&p, &bought), None);
        let by_amount = Order { lots: Lots(0), budget: amount("60").unwrap(), ..bought };
        assert_eq!(refusal(&dear, &by_amount), None);
        let iceberg = Order { iceberg: Lots(10), ..order };
        assert_eq!(refusal(&p, &iceberg), None);
        assert_eq!(
            refusal(&MarketParams { min_lots: Lots(11), ..p }, &iceberg),
            Some("Shown part of an iceberg too small")
        );
    }

    #[test]
    fn fees_are_those_of_the_same_level_and_stay_where_it_cannot_be_told() {
        let old = btc();
        let rates = |maker, taker| LevelFees { maker: FeePpm(maker), taker: FeePpm(taker) };
        // Takers of levels 0 and 1 paid the same, and go on paying the same; those of 4 and above pay what 1 pays.
        let fees = vec![rates(0, 2_000), rates(100, 2_000), rates(0, 300)];
        let min_notional = amount("600").unwrap();
        let new = MarketParams { fees, min_notional, ..old.clone() };
        let mut sums = Sums::new(&old, &new);
        // 0.01 for 560 USDT: a taker of level 0 bought, a maker of level 1 sold (0.08 %), and one paid what no level pays.
        let fill = |side, maker, fee: &str| Fill {
            trade: TradeId(1),
            order: OrderId(1),
            units: old.units(),
            side,
            ticks: Ticks(5_600_000),
            lots: Lots(1_000),
            fee: amount(fee).unwrap(),
            maker,
            time: 1,
        };
        sums.fill(&fill(Side::Buy, false, "0.00001"));
        sums.fill(&fill(Side::Sell, true, "0.448"));
        sums.fill(&fill(Side::Sell, false, "0.123"));
        // One that the parameters in force refuse as well was taken by earlier ones.
        sums.order(&limit(5_600_000, 1));
        let other = limit(5_600_000, 1_000);
        sums.order(&StoredOrder { order: Order { order: OrderId(2), ..other.order }, ..other });
        let told = sums.preview();
        assert_eq!((told.fills, told.orders, told.refused, told.refused_accounts), (3, 2, 1, 1));
        assert_eq!((told.value.as_str(), told.fees_was.as_str()), ("1680", "1.131"), "0.56 and 0.448 and 0.123");
        assert_eq!(told.fees_is, "1.299", "1.12 and 0.056 and 0.123");
        // Levels 0 and 1 would pay differently: which of them it was is not known.
        let apart = MarketParams { fees: vec![rates(0, 2_000), rates(0, 300)], ..old.clone() };
        let mut sums = Sums::new(&old, &apart);
        sums.fill(&fill(Side::Buy, false, "0.00001"));
        assert_eq!(sums.preview().fees_is, "0.56", "as it was");
        // Nobody pays for what would have been refused.
        let dear = MarketParams { min_notional, ..old.clone() };
        let mut sums = Sums::new(&old, &dear);
        sums.order(&limit(5_600_000, 1_000));
        sums.fill(&fill(Side::Buy, false, "0.00001"));
        let told = sums.preview();
        assert_eq!((told.fees_was.as_str(), told.fees_is.as_str()), ("0.56", "0"));
    }
}
