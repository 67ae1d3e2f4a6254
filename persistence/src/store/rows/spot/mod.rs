//! Spot's rows: markets, orders, lists, fills, prevented matches and amendments.
//!
//! Owns: which of spot's facts makes which row. Never does: repeat what a fact does to an order; `order_effects` of the engine
//! says it.
//! Invariants: a record changes only orders that an earlier one has made.
//! Known limits: none.

mod amendments;
mod fills;
mod lists;
mod markets;
mod of_markets;
mod orders;
mod prevented;

use std::collections::BTreeMap;

use xng_core::{
    account::{
        Fill, Order, OrderChange,
        order_effects::{OrderKeeper, each_order_effect},
    },
    entity::TimeNs,
    ids::{AccountId, AssetId, EntityId, MarketId, OrderId},
    journal::Lsn,
    record::Record,
    spot::{
        MarketState, OrderStatus, StateReason,
        facts::{OrderList, SpotFact, Units},
        prevented_matches::PreventedMatch,
    },
};

use super::{
    Missing,
    daily_flows::DailyProduct,
    daily_volumes::{self, DailyVolume, VolumeKey},
    message::{MessageKey, MessageKind, StoredMessage},
    table::{self, tables},
};
use crate::store::{
    StoreError,
    sql::{Columns, Fields},
};

pub use amendments::{AmendmentFilter, StoredAmendment};
pub use fills::{FillCursor, FillFilter, StoredFill};
pub use lists::{ListFilter, StoredList};
pub use markets::{Markets, StoredMarket};
pub use of_markets::{FillsOfOrders, MarketOrders};
pub use orders::{OrderCursor, OrderFilter, StoredOrder};
pub use prevented::{PreventedFilter, StoredPrevented};

tables! {
    /// What a batch changes of spot.
    rows {
        /// Markets that were listed or changed.
        markets: Markets,
        /// Lists that are new.
        lists: Vec<StoredList>,
        /// Fills, in order.
        fills: Vec<StoredFill>,
        /// Prevented matches, in order.
        prevented: Vec<StoredPrevented>,
        /// Amendments, in order.
        amendments: Vec<StoredAmendment>,
        /// Orders that changed, as they are now.
        orders: BTreeMap<OrderId, StoredOrder>,
        /// Orders that are filled, as their owners are told.
        messages: BTreeMap<MessageKey, StoredMessage>,
        /// Totals of days that changed, as they are now.
        volumes: BTreeMap<VolumeKey, DailyVolume>,
    }
    remembered { orders: StoredOrder, messages: StoredMessage, volumes: DailyVolume }
}

impl Needs {
    pub(in crate::store) fn name(&mut self, record: &Record, _: &SpotFact) {
        each_effect(record, &mut Naming { needs: self, time: record.time });
    }
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        (lsn, record): (Lsn, &Record),
        fact: &SpotFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        note_market(fact, &mut rows.markets);
        let known = (&mut self.orders, &mut self.messages, &mut self.volumes);
        let mut folding = Folding { known, rows, time: record.time, missing: None };
        each_effect(record, &mut folding);
        folding.missing.map_or(Ok(()), |order| Err(Missing { lsn, row: format!("order {order}") }))
    }
}

/// What a record does to orders.
fn each_effect(record: &Record, keeper: &mut impl OrderKeeper) {
    record.fact.parties(record.decider, |entity, part| {
        if let EntityId::Account(account) = entity {
            each_order_effect(record, account, part, keeper);
        }
    });
}

/// Whether such a change may fill an order that was there before: its owner, who may not be looking, is told.
pub(super) fn fills_unseen(what: OrderChange) -> bool {
    matches!(what, OrderChange::Filled | OrderChange::Triggered | OrderChange::Placed)
}

/// Which rows one record needs.
struct Naming<'a> {
    needs: &'a mut Needs,
    time: TimeNs,
}

impl OrderKeeper for Naming<'_> {
    fn insert(&mut self, _: AccountId, _: OrderChange, order: Order) {
        self.needs.orders.made(order.order);
    }
    fn change(&mut self, account: AccountId, what: OrderChange, order: OrderId, _: impl FnOnce(&mut Order)) {
        self.needs.orders.changed(order);
        let told = MessageKey::told(account, MessageKind::OrderFilled, self.time);
        told.filter(|_| fills_unseen(what)).into_iter().for_each(|key| self.needs.messages.changed(key));
    }
    fn fill(&mut self, account: AccountId, fill: Fill, _: bool) {
        side_of(account, &fill).name(self.time, &mut self.needs.volumes);
    }
    fn prevented(&mut self, _: AccountId, _: PreventedMatch) {}
    fn list(&mut self, _: AccountId, _: MarketId, _: &OrderList) {}
}

/// A fill in the totals of its day; the maker's tells no trade of its own.
fn side_of(account: AccountId, fill: &Fill) -> daily_volumes::Side {
    daily_volumes::Side {
        product: DailyProduct::Spot,
        market: fill.units.market,
        asset: fill.units.quote,
        account,
        value: fill.units.notional(fill.ticks, fill.lots),
        counts_trade: !fill.maker,
    }
}

/// What one record does to orders becomes rows.
struct Folding<'a> {
    known: (&'a mut table::Known<StoredOrder>, &'a mut table::Known<StoredMessage>, &'a mut table::Known<DailyVolume>),
    rows: &'a mut Rows,
    time: TimeNs,
    /// The first order that was not there.
    missing: Option<OrderId>,
}

impl OrderKeeper for Folding<'_> {
    fn insert(&mut self, account: AccountId, _: OrderChange, order: Order) {
        self.known.0.add(StoredOrder { account, order }, &mut self.rows.orders);
    }

    fn change(&mut self, account: AccountId, what: OrderChange, id: OrderId, change: impl FnOnce(&mut Order)) {
        let changed = self.known.0.change(id, &mut self.rows.orders, |stored| {
            let before = (stored.order.client_id, stored.order.lots);
            change(&mut stored.order);
            ([before, (stored.order.client_id, stored.order.lots)], stored.order)
        });
        let Some(([before, after], order)) = changed else {
            self.missing.get_or_insert(id);
            return;
        };
        if fills_unseen(what) && order.status == OrderStatus::Filled {
            self.tell_filled(account, &order);
        }
        if what == OrderChange::Amended {
            self.rows.amendments.push(StoredAmendment {
                account,
                order: id,
                time: self.time,
                client_ids: [before.0, after.0],
                lots: [before.1, after.1],
            });
        }
    }

    fn fill(&mut self, account: AccountId, fill: Fill, _: bool) {
        side_of(account, &fill).add(self.time, self.known.2, &mut self.rows.volumes);
        self.rows.fills.push(StoredFill { account, fill });
    }

    fn prevented(&mut self, account: AccountId, prevented: PreventedMatch) {
        self.rows.prevented.push(StoredPrevented { account, prevented });
    }

    fn list(&mut self, account: AccountId, market: MarketId, list: &OrderList) {
        self.rows.lists.push(StoredList { account, market, list: list.clone(), created: self.time });
    }
}

impl Folding<'_> {
    fn tell_filled(&mut self, account: AccountId, order: &Order) {
        let key = MessageKey::filled(account, MessageKind::OrderFilled, self.time);
        let message = StoredMessage {
            market: order.units.market,
            detail: order.side as u32,
            reference: order.order.0,
            amount: order.units.base_amount(order.filled),
            other: order.spent,
            ..StoredMessage::of(key, self.time)
        };
        message.add_up(self.known.1, &mut self.rows.messages);
    }
}

/// What a fact says of its market.
fn note_market(fact: &SpotFact, markets: &mut Markets) {
    match fact {
        SpotFact::MarketListed(f) => {
            markets.params.insert(f.params.market, f.params.clone());
            markets.states.insert(f.params.market, f.params.first_state());
        }
        SpotFact::MarketParamsChanged(f) => {
            markets.params.insert(f.params.market, f.params.clone());
        }
        SpotFact::MarketStateChanged(f) => {
            markets.states.insert(f.units.market, (f.state, f.reason));
        }
        SpotFact::QuotesSet(f) => {
            if f.opens {
                markets.states.insert(f.units.market, (MarketState::Trading, StateReason::Fresh));
            }
        }
        SpotFact::OrderPlaced(_)
        | SpotFact::OrdersCanceled(_)
        | SpotFact::OrdersChanged(_)
        | SpotFact::TradeIdsReserved(_) => {}
    }
}

fn put_units(c: &mut Columns, units: &Units) {
    c.int(units.market.0).int(units.base.0).int(units.quote.0).int(units.lot_units).int(units.tick_lot_units);
}

fn units(f: &Fields<'_>) -> Result<Units, StoreError> {
    Ok(Units {
        market: MarketId(f.small("market")?),
        base: AssetId(f.small("base")?),
        quote: AssetId(f.small("quote")?),
        lot_units: f.int("lot_units")?,
        tick_lot_units: f.int("tick_lot_units")?,
    })
}
