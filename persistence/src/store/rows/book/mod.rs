//! Rows of contracts' books: orders, fills, positions and periods of funding.
//!
//! Owns: which fact makes which row. Never does: repeat what a fact does to an order or to a position; the engine says it.
//! Invariants: a record changes only orders that an earlier one has made; a position that is closed stays as a row of no lots.
//! Known limits: the house's orders and quotes have no rows; its fills and positions do.

mod fills;
mod funding;
mod legs;
mod messages;
mod orders;

use std::collections::BTreeMap;

use xng_core::{
    account::{
        OrderChange,
        leg_orders::{LegFill, LegOrder, LegOrderKeeper, each_leg_order_effect},
    },
    contract::book::{
        effect::Leg,
        facts::BookFact,
        order::{BookUnits, LegSide},
    },
    entity::TimeNs,
    ids::{AccountId, AssetId, EntityId, MarketId, OrderId},
    journal::Lsn,
    market::OrderStatus,
    record::Record,
};

use super::{
    Missing,
    daily_flows::DailyProduct,
    daily_volumes::{self, DailyVolume, VolumeKey},
    message::{MessageKey, MessageKind, StoredMessage},
    spot::fills_unseen,
    table::{self, tables},
};
use crate::store::{
    StoreError,
    sql::{Columns, Fields},
};

pub use fills::{LegFillCursor, LegFillFilter, StoredLegFill};
pub use funding::{FundingFilter, StoredFunding};
pub use legs::{LegFilter, LegKey, StoredLeg};
pub use orders::{LegOrderCursor, LegOrderFilter, StoredLegOrder};

tables! {
    /// What a batch changes of contracts' books.
    rows {
        /// Fills, in order.
        fills: Vec<StoredLegFill>,
        /// Periods of funding that ended, in order.
        funding: Vec<StoredFunding>,
        /// Orders that changed, as they are now.
        orders: BTreeMap<OrderId, StoredLegOrder>,
        /// Positions that changed, as they are now.
        legs: BTreeMap<LegKey, StoredLeg>,
        /// What owners are told.
        messages: BTreeMap<MessageKey, StoredMessage>,
        /// Totals of days that changed, as they are now.
        volumes: BTreeMap<VolumeKey, DailyVolume>,
    }
    remembered { orders: StoredLegOrder, legs: StoredLeg, messages: StoredMessage, volumes: DailyVolume }
}

impl Needs {
    pub(in crate::store) fn name(&mut self, record: &Record, fact: &BookFact) {
        each_effect(record, &mut Naming { needs: self, time: record.time, closes: closing_order(fact) });
        each_leg(fact, |account, units, side, _| self.legs.changed((account, units.contract, side)));
    }
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        (lsn, record): (Lsn, &Record),
        fact: &BookFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        if let BookFact::FundingSet(f) = fact {
            rows.funding.push(StoredFunding::of(f));
        }
        let mut unfit = None;
        each_leg(fact, |account, units, side, change| {
            let none = StoredLeg { account, units: *units, side, leg: legs::NOTHING, updated: 0 };
            let fits = self.legs.change_or_add(none, &mut rows.legs, |row| {
                let leg = change((!row.is_closed()).then_some(row.leg))?;
                (row.leg, row.updated) = (leg.unwrap_or(legs::NOTHING), record.time);
                Some(())
            });
            if fits.is_none() {
                unfit.get_or_insert((account, units.contract));
            }
        });
        if let Some((account, contract)) = unfit {
            return Err(Missing { lsn, row: format!("the position of account {account} in contract {contract}") });
        }
        messages::tell(fact, record.time, &mut rows.messages);
        let known = (&mut self.orders, &mut self.messages, &mut self.volumes);
        let mut folding = Folding { known, rows, time: record.time, closes: closing_order(fact), missing: None };
        each_effect(record, &mut folding);
        folding.missing.map_or(Ok(()), |order| Err(Missing { lsn, row: format!("order {order} of a contract's book") }))
    }
}

/// What a record does to orders.
fn each_effect(record: &Record, keeper: &mut impl LegOrderKeeper) {
    record.fact.parties(record.decider, |entity, part| {
        if let EntityId::Account(account) = entity {
            each_leg_order_effect(record, account, part, keeper);
        }
    });
}

/// What becomes of a position; none where it is not the one that the fact means.
type LegChange<'a> = dyn Fn(Option<Leg>) -> Option<Option<Leg>> + 'a;

/// What a fact does to positions, in the order of the book.
fn each_leg(fact: &BookFact, mut change: impl FnMut(AccountId, &BookUnits, LegSide, &LegChange<'_>)) {
    match fact {
        BookFact::ContractOrderPlaced(_) | BookFact::ConditionalsChanged(_) => {
            let Some(f) = fact.placed() else { return };
            for (account, effect) in f.effects() {
                change(account, &f.units, effect.leg, &|leg| effect.checked_apply(leg, f.index).ok());
            }
        }
        BookFact::LegLiquidated(f) => {
            for (account, effect) in f.effects() {
                change(account, &f.units, effect.leg, &|leg| effect.checked_apply(leg, f.index).ok());
            }
        }
        BookFact::LegMarginMoved(f) => {
            let moved = |leg: Leg| Leg { margin: leg.margin + f.amount, ..leg };
            change(f.account, &f.units, f.leg, &|leg| leg.map(|leg| Some(moved(leg))));
        }
        BookFact::FundingPaid(f) => {
            for paid in &f.legs {
                change(paid.account, &f.units, paid.leg, &|leg| leg.map(|leg| Some(paid.apply(leg, f.index))));
            }
        }
        BookFact::BookListed(_)
        | BookFact::BookParamsChanged(_)
        | BookFact::ContractOrdersCanceled(_)
        | BookFact::ContractOrderAmended(_)
        | BookFact::BookQuotesSet(_)
        | BookFact::LegTermsSet(_)
        | BookFact::PositionModeSet(_)
        | BookFact::LiquidationStarted(_)
        | BookFact::LiquidationEnded(_)
        | BookFact::QuotaSet(_)
        | BookFact::CountdownSet(_)
        | BookFact::FundingSet(_)
        | BookFact::ResultsSettled(_) => {}
    }
}

/// Which rows one record needs.
struct Naming<'a> {
    needs: &'a mut Needs,
    time: TimeNs,
    closes: Option<OrderId>,
}

impl LegOrderKeeper for Naming<'_> {
    fn insert(&mut self, _: AccountId, order: LegOrder) {
        self.needs.orders.made(order.order);
    }
    fn change(&mut self, account: AccountId, what: OrderChange, order: OrderId, _: impl FnOnce(&mut LegOrder)) {
        self.needs.orders.changed(order);
        let told = MessageKey::told(account, MessageKind::ContractOrderFilled, self.time);
        told.filter(|_| fills_unseen(what)).into_iter().for_each(|key| self.needs.messages.changed(key));
    }
    fn fill(&mut self, account: AccountId, fill: LegFill) {
        side_of(account, &fill, self.closes).name(self.time, &mut self.needs.volumes);
    }
}

/// The order with which a liquidation closes. Opposite positions that it deleverages are no makers, nor are they trades of their own.
fn closing_order(fact: &BookFact) -> Option<OrderId> {
    if let BookFact::LegLiquidated(f) = fact { Some(f.order) } else { None }
}

/// A fill in the totals of its day; the other side's tells no trade of its own.
fn side_of(account: AccountId, fill: &LegFill, closes: Option<OrderId>) -> daily_volumes::Side {
    daily_volumes::Side {
        product: DailyProduct::Contracts,
        market: fill.units.contract,
        asset: fill.units.settle,
        account,
        value: fill.units.value(fill.ticks, fill.lots),
        counts_trade: !fill.maker && closes.is_none_or(|order| order == fill.order),
    }
}

/// What one record does to orders becomes rows.
struct Folding<'a> {
    known:
        (&'a mut table::Known<StoredLegOrder>, &'a mut table::Known<StoredMessage>, &'a mut table::Known<DailyVolume>),
    rows: &'a mut Rows,
    time: TimeNs,
    closes: Option<OrderId>,
    /// The first order that was not there.
    missing: Option<OrderId>,
}

impl LegOrderKeeper for Folding<'_> {
    fn insert(&mut self, account: AccountId, order: LegOrder) {
        self.known.0.add(StoredLegOrder { account, order }, &mut self.rows.orders);
    }

    fn change(&mut self, account: AccountId, what: OrderChange, id: OrderId, change: impl FnOnce(&mut LegOrder)) {
        let changed = self.known.0.change(id, &mut self.rows.orders, |stored| {
            change(&mut stored.order);
            stored.order
        });
        let Some(order) = changed else {
            self.missing.get_or_insert(id);
            return;
        };
        if fills_unseen(what) && order.status == OrderStatus::Filled {
            let message = messages::filled(account, &order, self.time);
            message.add_up(self.known.1, &mut self.rows.messages);
        }
    }

    fn fill(&mut self, account: AccountId, fill: LegFill) {
        side_of(account, &fill, self.closes).add(self.time, self.known.2, &mut self.rows.volumes);
        self.rows.fills.push(StoredLegFill { account, fill });
    }
}

fn put_units(c: &mut Columns, units: &BookUnits) {
    c.int(units.contract.0).int(units.settle.0).amount(units.lot).amount(units.tick);
}

fn units(f: &Fields<'_>) -> Result<BookUnits, StoreError> {
    Ok(BookUnits {
        contract: MarketId(f.small("contract")?),
        settle: AssetId(f.small("settle")?),
        lot: f.amount("lot_whole", "lot_frac")?,
        tick: f.amount("tick_whole", "tick_frac")?,
    })
}
