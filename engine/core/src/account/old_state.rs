//! Account states of earlier releases, as their snapshots contain them. All later releases read them.
//!
//! Owns: the old forms of an order (without triggers, lists, icebergs and prevented quantity) and of an account that still kept
//! its latest ended orders and fills.
//! Never does: write an old form.
//! Invariants: a field that an old form lacks gets the value that the older release implied.
//! Known limits: the self-trade prevention mode of a resting order was not stored; only incoming orders use it.

use super::locks::{Lock, LockKind, Locks};
use super::open_orders::OpenOrders;
use super::orders::{Fill, Order};
use super::{ColdState, OpenList};
use crate::codec::{DecodeError, Reader, Wire};
use crate::entity::TimeNs;
use crate::ids::{AssetId, ClientOrderId, MarketId, OrderId, PreventedId, Wallet};
use crate::money::{Amount, Lots, Ticks};
use crate::spot::facts::{OrderList, Units};
use crate::spot::old_forms::OrderListV1;
use crate::spot::prevented_matches::PreventedMatch;
use crate::spot::{EndReason, OrderKind, OrderStatus, Side, Stp, Tif, Trigger};

crate::wire_struct! {
    /// The first form of [`Order`].
    #[derive(Debug)]
    pub struct OrderV1 {
        /// Its id.
        pub order: OrderId,
        /// Meaning of its numbers.
        pub units: Units,
        /// Its side.
        pub side: Side,
        /// Limit or market.
        pub kind: OrderKind,
        /// How long it lives.
        pub tif: Tif,
        /// Limit price.
        pub ticks: Ticks,
        /// Quantity asked for.
        pub lots: Lots,
        /// Quote amount asked for.
        pub budget: Amount,
        /// What rests in the book.
        pub open: Lots,
        /// What was filled.
        pub filled: Lots,
        /// Quote exchanged so far.
        pub spent: Amount,
        /// Fees so far.
        pub fee: Amount,
        /// Its state.
        pub status: OrderStatus,
        /// Why it or its remainder is gone.
        pub reason: EndReason,
        /// The bot's own name for it.
        pub client_id: Option<ClientOrderId>,
        /// When it was taken.
        pub created: TimeNs,
        /// When it last changed.
        pub updated: TimeNs,
    }
}

impl From<OrderV1> for Order {
    fn from(o: OrderV1) -> Order {
        Order {
            order: o.order,
            units: o.units,
            side: o.side,
            kind: o.kind,
            tif: o.tif,
            ticks: o.ticks,
            lots: o.lots,
            budget: o.budget,
            open: o.open,
            filled: o.filled,
            spent: o.spent,
            fee: o.fee,
            status: o.status,
            reason: o.reason,
            client_id: o.client_id,
            created: o.created,
            updated: o.updated,
            stp: Stp::ExpireTaker,
            iceberg: Lots::ZERO,
            trigger: None,
            locked: Amount::ZERO,
            list: OrderId(0),
            working: o.created,
            prevented: Lots::ZERO,
            prevented_by: PreventedId::NONE,
        }
    }
}

crate::wire_struct! {
    /// The second form of [`Order`].
    #[derive(Debug)]
    pub struct OrderV2 {
        /// What the first form has.
        pub first: OrderV1,
        /// What happens when it meets its owner's own order.
        pub stp: Stp,
        /// How much of what rests is shown at a time.
        pub iceberg: Lots,
        /// When it becomes an order of the book.
        pub trigger: Option<Trigger>,
        /// What it locks while it waits.
        pub locked: Amount,
        /// The list that it is in.
        pub list: OrderId,
        /// When it came to the book.
        pub working: TimeNs,
    }
}

impl From<OrderV2> for Order {
    fn from(o: OrderV2) -> Order {
        let OrderV2 { first, stp, iceberg, trigger, locked, list, working } = o;
        Order { stp, iceberg, trigger, locked, list, working, ..Order::from(first) }
    }
}

crate::wire_struct! {
    /// What the house's quotes locked on one market, before there was a lock table.
    struct QuoteLockV1 {
        /// Which market.
        pub market: MarketId,
        /// Base asset and amount.
        pub base: (AssetId, Amount),
        /// Quote asset and amount.
        pub quote: (AssetId, Amount),
    }
}

/// Entries that an account kept of what was done: the hash of all that ever were, and the latest of them.
fn kept<F: Wire + Into<T>, T>(r: &mut Reader<'_>) -> Result<(u64, Vec<T>), DecodeError> {
    let hash = u64::get(r)?;
    let entries = (0..u64::get(r)?).map(|_| F::get(r).map(F::into));
    Ok((hash, entries.collect::<Result<Vec<T>, DecodeError>>()?))
}

fn open<F: Wire + Into<Order>>(r: &mut Reader<'_>) -> Result<OpenOrders, DecodeError> {
    Ok(OpenOrders::from(Vec::<F>::get(r)?.into_iter().map(F::into).collect::<Vec<Order>>()))
}

/// Reads what follows the balances in a state of a version before 5: open orders, the hashes of what was done and
/// filled, and the rest. What was done and filled itself is left to the store.
pub(super) fn load(version: u8, r: &mut Reader<'_>) -> Result<(OpenOrders, [u64; 2], ColdState), DecodeError> {
    let orders = match version {
        1 => open::<OrderV1>(r)?,
        2 => open::<OrderV2>(r)?,
        _ => Wire::get(r)?,
    };
    let mut locks = Locks::default();
    for QuoteLockV1 { market, base, quote } in Vec::<QuoteLockV1>::get(r)? {
        for (asset, amount) in [base, quote] {
            let (kind, reference, wallet) = (LockKind::Quotes, u64::from(market.0), Wallet::Spot);
            locks.add(Lock { kind, reference, wallet, asset, amount });
        }
    }
    let (done_hash, done) = match version {
        1 => kept::<OrderV1, Order>(r)?,
        2 => kept::<OrderV2, Order>(r)?,
        _ => kept::<Order, Order>(r)?,
    };
    let (fills_hash, _) = kept::<Fill, Fill>(r)?;
    let requests = Wire::get(r)?;
    let lists = match version {
        1 => Vec::new(),
        2 | 3 => Vec::<OrderListV1>::get(r)?.into_iter().map(OrderList::from).collect(),
        _ => Wire::get(r)?,
    };
    if version > 2 {
        // Matches of its orders with each other that were prevented: the store has them.
        Vec::<PreventedMatch>::get(r)?;
    }
    let due = if version > 3 { Wire::get(r)? } else { Vec::new() };
    // Lists that are over are among them; what is open of each is counted by whoever has the orders.
    let ended = |list: OrderId| done.iter().filter(move |order| order.list == list).copied().collect();
    let lists = lists.into_iter().map(|list: OrderList| OpenList { open: 0, ended: ended(list.list), list }).collect();
    let cold = ColdState { locks, requests, lists, due, ..ColdState::default() };
    Ok((orders, [done_hash, fills_hash], cold))
}

#[cfg(test)]
mod tests {
    use super::super::orders::tests::any_order;
    use super::super::{Account, OrderChange};
    use super::*;
    use crate::account::order_effects::OrderKeeper;
    use crate::entity::Entity;
    use crate::ids::AccountId;
    use crate::spot::ListKind;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_list_of_which_not_all_that_ended_is_known_ends_with_its_last_open_order(order in any_order()) {
            let (id, list) = (AccountId(100_001), OrderId(5));
            let mut account = Account::blank(id);
            let open = Order { order: OrderId(6), list, status: OrderStatus::Open, ..order };
            account.orders.insert(open);
            // An older release had forgotten the first order when it wrote its snapshot.
            let listed = OrderList { list, kind: ListKind::OneTriggers, orders: vec![list, OrderId(6)], client_id: None };
            account.cold_mut().lists.push(OpenList { list: listed, open: 1, ended: Vec::new() });
            let mut bytes = Vec::new();
            account.save(&mut bytes);
            let mut again = Account::load(id, &mut Reader::new(&bytes)).expect("what was saved");
            for account in [&mut account, &mut again] {
                account.change(id, OrderChange::Gone, OrderId(6), |order| order.cancel(EndReason::User, 9));
                prop_assert!(account.cold().lists.is_empty());
            }
            prop_assert_eq!(account.digest(), again.digest());
        }
    }
}
