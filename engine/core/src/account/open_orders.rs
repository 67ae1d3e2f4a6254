//! An account's open orders: found by id, by name, counted by market, hashed as they change.
//!
//! Owns: which orders are open, and their hash. Never does: change an order by itself. Invariants: the hash covers all of
//! each order. Known limits: they are in a list; an account has as many as its markets let it have.

use super::Order;
use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes};
use crate::ids::{ClientOrderId, MarketId, OrderId};

/// See the module's header.
#[derive(Debug, Default)]
pub struct OpenOrders {
    by_id: Vec<Open>,
    digest: u64,
    /// The market of all of them; none from when a second market came until there are no orders.
    one_market: Option<MarketId>,
}

/// An open order with what is asked of all of them at each new one, so that those in no cache are not looked at.
#[derive(Debug)]
struct Open {
    id: OrderId,
    /// Hash of its client order id; orders without one have 0.
    name: u64,
    /// A box each: an order is large, and its neighbours move when one comes or goes.
    order: Box<Order>,
}

/// Hash of a name, 0 of none.
pub(super) fn name_hash(client_id: Option<ClientOrderId>) -> u64 {
    client_id.map_or(0, |id| hash_bytes(1, id.as_str().as_bytes()))
}

fn beyond_plain(o: &Order, h: WordHash) -> WordHash {
    let (kind, at, bips) = o.trigger.map_or((0, 0, 0), |t| (t.kind as u64, t.ticks.0 as u64, u64::from(t.trail_bips)));
    let h = h.pair(kind << 32 | bips, at).pair(o.iceberg.0 as u64, o.list.0).wide(o.locked.0).word(o.working);
    h.pair(o.prevented.0 as u64, o.prevented_by.0)
}

fn whole_hash(o: &Order) -> u64 {
    let u = &o.units;
    let kinds = [o.side as u64, o.kind as u64, o.tif as u64, o.status as u64, o.reason as u64, o.stp as u64];
    let kinds = kinds.iter().fold(0, |all, kind| all << 8 | kind);
    let name = name_hash(o.client_id);
    let pair = u64::from(u.market.0) << 48 ^ u64::from(u.base.0) << 24 ^ u64::from(u.quote.0);
    let h = WordHash::new(o.order.0).pair(pair, kinds).pair(u.lot_units as u64, u.tick_lot_units as u64);
    let h = h.pair(name, o.ticks.0 as u64).pair(o.lots.0 as u64, o.open.0 as u64).pair(o.filled.0 as u64, o.created);
    let h = if o.is_plain() { h } else { beyond_plain(o, h) };
    h.wide(o.budget.0).wide(o.spent.0).wide(o.fee.0).word(o.updated).end()
}

impl OpenOrders {
    /// Adds one.
    ///
    /// # Panics
    /// When it is open already: ids are given once.
    pub fn insert(&mut self, order: Order) {
        self.digest = self.digest.wrapping_add(whole_hash(&order));
        let market = order.order.market();
        self.one_market = Some(market).filter(|_| self.by_id.is_empty() || self.one_market == Some(market));
        let at = self.find(order.order).expect_err("an id is given once");
        let open = Open { id: order.order, name: name_hash(order.client_id), order: Box::new(order) };
        self.by_id.insert(at, open);
    }

    fn find(&self, id: OrderId) -> Result<usize, usize> {
        self.by_id.binary_search_by_key(&id, |open| open.id)
    }

    /// Changes one; takes it out when it is done by that, in its box, since it is large: its hash is taken out as it stood,
    /// and not made anew.
    ///
    /// # Panics
    /// When it is not open: a fact that speaks of it is a bug.
    #[inline]
    pub fn change(&mut self, id: OrderId, change: impl FnOnce(&mut Order)) -> Option<Box<Order>> {
        let at = self.find(id).expect("what a fact changes is open");
        let Open { order, name, .. } = &mut self.by_id[at];
        self.digest = self.digest.wrapping_sub(whole_hash(order));
        let named = order.client_id;
        change(order);
        if !order.status.is_open() {
            return Some(self.by_id.remove(at).order);
        }
        if order.client_id != named {
            *name = name_hash(order.client_id);
        }
        self.digest = self.digest.wrapping_add(whole_hash(order));
        None
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: OrderId) -> Option<&Order> {
        self.find(id).ok().map(|at| &*self.by_id[at].order)
    }

    /// The one that its bot calls so.
    #[must_use]
    pub fn named(&self, client_id: ClientOrderId) -> Option<&Order> {
        let name = name_hash(Some(client_id));
        let mut alike = self.by_id.iter().filter(|open| open.name == name).map(|open| &*open.order);
        alike.find(|order| order.client_id == Some(client_id))
    }

    /// How many of them are on a market.
    #[must_use]
    pub fn count_on(&self, market: MarketId) -> usize {
        match self.one_market {
            Some(one) if one == market => self.by_id.len(),
            Some(_) => 0,
            None => self.by_id.iter().filter(|open| open.id.market() == market).count(),
        }
    }

    /// The end of the list, where the newest stand, for whoever asks for memory ahead of time.
    pub fn prefetch_hints(&self, tell: &mut impl FnMut(*const u8)) {
        tell(self.by_id.as_ptr().wrapping_add(self.by_id.len()).cast());
    }

    /// All, by id.
    pub fn values(&self) -> impl Iterator<Item = &Order> {
        self.by_id.iter().map(|open| &*open.order)
    }

    /// Hash of all of them.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

impl From<Vec<Order>> for OpenOrders {
    fn from(list: Vec<Order>) -> OpenOrders {
        let mut orders = OpenOrders::default();
        list.into_iter().for_each(|order| orders.insert(order));
        orders
    }
}

impl Wire for OpenOrders {
    fn put(&self, out: &mut Vec<u8>) {
        (self.by_id.len() as u64).put(out);
        self.values().for_each(|order| order.put(out));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Vec::<Order>::get(r).map(OpenOrders::from)
    }
}

#[cfg(test)]
mod tests {
    use super::super::orders::tests::any_order;
    use super::*;
    use crate::spot::EndReason;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn orders_are_counted_by_market_and_found_by_name(
            order in any_order(),
            steps in prop::collection::vec((any::<bool>(), 1..4_u16, any::<prop::sample::Index>()), 0..60),
        ) {
            let (mut orders, mut open, mut next) = (OpenOrders::default(), Vec::<Order>::new(), 0);
            for (comes, market, which) in steps {
                if comes || open.is_empty() {
                    next += 1;
                    let name = ClientOrderId::parse(&format!("n{next}")).filter(|_| next % 2 == 0);
                    open.push(Order { order: OrderId::of(MarketId(market), next), client_id: name, ..order });
                    orders.insert(open[open.len() - 1]);
                } else {
                    let gone = open.swap_remove(which.index(open.len())).order;
                    prop_assert!(orders.change(gone, |order| order.cancel(EndReason::User, 0)).is_some());
                }
                for market in 1..4 {
                    let here = open.iter().filter(|o| o.order.market().0 == market).count();
                    prop_assert_eq!(orders.count_on(MarketId(market)), here);
                }
                for number in 0..=next {
                    let name = ClientOrderId::parse(&format!("n{number}")).expect("a name");
                    let found = open.iter().find(|o| o.client_id == Some(name));
                    prop_assert_eq!(orders.named(name), found);
                }
            }
        }
    }
}
