//! What most facts do not touch of an account.
//!
//! Owns: these fields. Never does: change one. Invariants: an account without any of them has none of it in memory. Known limits: none.

use super::contract::Tickets;
use super::contract::liquidation::Cases;
use super::convert::Conversions;
use super::copying::OwnCopying;
use super::locks::Locks;
use super::orders::Order;
use super::request_keys::Requests;
use super::stock::LastAction;
use super::verification::Tier;
use crate::codec::{DecodeError, Reader, Wire};
use crate::coupon::Coupon;
use crate::ids::OrderId;
use crate::region::Country;
use crate::seconds::SecondsOption;
use crate::spot::facts::OrderList;

/// A list of orders with one that is open.
#[derive(Debug, Clone)]
pub(super) struct OpenList {
    pub(super) list: OrderList,
    /// How many of its orders have not ended.
    pub(super) open: usize,
    /// The others, as they ended.
    pub(super) ended: Vec<Order>,
}

impl Wire for OpenList {
    fn put(&self, out: &mut Vec<u8>) {
        self.list.put(out);
        self.ended.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        // What is open of it is counted when the orders are there: of lists in older snapshots not all that ended is known.
        Ok(OpenList { list: Wire::get(r)?, open: 0, ended: Wire::get(r)? })
    }
}

/// What most facts do not touch: apart, so that the rest of an account stays in three lines of the cache.
#[derive(Debug, Default)]
pub(super) struct ColdState {
    pub(super) locks: Locks,
    pub(super) requests: Requests,
    /// By age.
    pub(super) lists: Vec<OpenList>,
    /// Lists whose pending orders are to be placed, in the order in which their first orders were filled.
    pub(super) due: Vec<OrderId>,
    /// Once it had a ticket.
    pub(super) tickets: Option<Box<Tickets>>,
    /// Once something of it was liquidated in books.
    pub(super) cases: Option<Box<Cases>>,
    /// Once it converted dust; of the house of conversion.
    pub(super) conversions: Option<Box<Conversions>>,
    /// Open seconds options, in the order in which they were opened.
    pub(super) options: Vec<SecondsOption>,
    /// Once it followed or was a trader.
    pub(super) copying: Option<Box<OwnCopying>>,
    /// The last corporate action of each stock that it went through.
    pub(super) actions: Vec<LastAction>,
    /// How well its owner is known.
    pub(super) tier: Tier,
    /// Where its owner lives.
    pub(super) country: Country,
    /// Unused coupons, in the order in which it got them.
    pub(super) coupons: Vec<Coupon>,
    /// Coupons whose stake the house of seconds options has, and by which no option is open.
    pub(super) bonuses: Vec<Coupon>,
}

impl ColdState {
    pub(super) const NOTHING: &ColdState = &ColdState {
        locks: Locks::NONE,
        requests: Requests::NONE,
        lists: Vec::new(),
        due: Vec::new(),
        tickets: None,
        cases: None,
        conversions: None,
        options: Vec::new(),
        copying: None,
        actions: Vec::new(),
        tier: Tier::Unverified,
        country: Country::UNKNOWN,
        coupons: Vec::new(),
        bonuses: Vec::new(),
    };

    pub(super) fn is_empty(&self) -> bool {
        let ColdState { locks, requests, lists, due, tickets, cases, .. } = self;
        let ColdState { conversions, options, copying, actions, tier, country, coupons, bonuses, .. } = self;
        let has_none = tickets.is_none() && cases.is_none();
        let has_none = has_none && conversions.is_none() && options.is_empty() && copying.is_none();
        let has_none = has_none
            && actions.is_empty()
            && *tier == Tier::Unverified
            && !country.is_known()
            && coupons.is_empty()
            && bonuses.is_empty();
        locks.is_empty() && requests.is_empty() && lists.is_empty() && due.is_empty() && has_none
    }
}
