//! What an address and an account may ask of the programmatic API in an interval.
//!
//! Owns: weights and requests by address, unfilled orders by account, bans. Never does: wait. Invariants: intervals begin
//! at whole multiples of their length, as the convention has them; an order gives its count back once. Known limits: one
//! process's, and gone with it.
//! Rules: `docs/rules/program-api.md "Limits"`.

use super::errors::ApiError;
use crate::api::http::limits::Pace;
use crate::common::time::{Ms, now_ms};
use crate::config;
use crate::observe::health::Count;
use dashmap::DashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;
use xng_core::contract::book::facts::BookFact;
use xng_core::ids::{AccountId, OrderId};
use xng_core::record::Fact;
use xng_core::spot::facts::SpotFact;

const MINUTE: Ms = 60_000;
const FIVE_MINUTES: Ms = 5 * MINUTE;
const TEN_SECONDS: Ms = 10_000;
const DAY: Ms = 86_400_000;
/// Refused requests after which an address is banned …
const PATIENCE: u32 = 100;
/// … for so long the first time, twice as long each time after that, …
const FIRST_BAN: Ms = 2 * MINUTE;
/// … and at most so long. Who was not banned for as long begins anew.
const LONGEST_BAN: Ms = 3 * DAY;
/// Orders that an order gives back when it is filled first as a maker; as a taker one.
const MAKER_GIVES: u64 = 5;

/// A count in the interval that runs.
#[derive(Debug, Default, Clone, Copy)]
struct Window {
    number: i64,
    count: u64,
}

impl Window {
    /// Its count in the interval of `length` that `now` lies in.
    fn at(&mut self, now: Ms, length: Ms) -> &mut u64 {
        let number = now.div_euclid(length);
        if self.number != number {
            *self = Window { number, count: 0 };
        }
        &mut self.count
    }
}

/// Seconds until the next interval begins.
fn wait(now: Ms, length: Ms) -> u64 {
    ((length - now.rem_euclid(length)) as u64).div_ceil(1_000)
}

/// What an address has used.
#[derive(Debug, Default)]
struct Address {
    weight: Window,
    requests: Window,
    /// Refused requests in the running minute and those right before it.
    refused: u32,
    refused_at: Ms,
    bans: u32,
    banned_until: Ms,
}

impl Address {
    /// Counts a refused request; the one that is too much brings a ban.
    fn refuse(&mut self, now: Ms, refusal: ApiError) -> ApiError {
        if now - self.refused_at > MINUTE {
            self.refused = 0;
        }
        (self.refused, self.refused_at) = (self.refused + 1, now);
        if self.refused <= PATIENCE {
            return refusal;
        }
        if now - self.banned_until > LONGEST_BAN {
            self.bans = 0;
        }
        let length = FIRST_BAN.saturating_mul(1 << self.bans.min(20)).min(LONGEST_BAN);
        (self.refused, self.bans, self.banned_until) = (0, self.bans + 1, now + length);
        self.ban(now)
    }

    fn ban(&self, now: Ms) -> ApiError {
        ApiError::banned(self.banned_until, ((self.banned_until - now) as u64).div_ceil(1_000))
    }
}

/// What the journal says of a counted order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OrderEvent {
    /// As a maker.
    Filled,
    /// As a taker, when its price came.
    Taken,
    Gone,
}

/// An account's orders that nobody filled yet.
#[derive(Debug, Default)]
struct Orders {
    seconds: Window,
    day: Window,
    /// Those that rest and were counted.
    resting: BTreeSet<OrderId>,
    /// Counted orders whose answer is on its way, and what the journal said meanwhile: it may know of a fill before the
    /// answer tells the order's id.
    asked: u32,
    early: BTreeMap<OrderId, OrderEvent>,
}

impl Orders {
    fn give(&mut self, now: Ms, count: u64) {
        for (window, length) in [(&mut self.seconds, TEN_SECONDS), (&mut self.day, DAY)] {
            let used = window.at(now, length);
            *used = used.saturating_sub(count);
        }
    }

    fn counts(&mut self, now: Ms) -> OrderCounts {
        OrderCounts { seconds: *self.seconds.at(now, TEN_SECONDS), day: *self.day.at(now, DAY) }
    }

    fn hear(&mut self, order: OrderId, event: OrderEvent, now: Ms) {
        if self.resting.remove(&order) {
            self.apply(event, now);
        } else if self.asked > 0 {
            // The first event counts: what is filled and then cancelled was filled.
            self.early.entry(order).or_insert(event);
        }
    }

    fn apply(&mut self, event: OrderEvent, now: Ms) {
        match event {
            OrderEvent::Filled => self.give(now, MAKER_GIVES),
            OrderEvent::Taken => self.give(now, 1),
            OrderEvent::Gone => {}
        }
    }

    /// The answer to a counted order is there, or nobody waits for it any more.
    fn answered(&mut self, end: Option<OrderEnd>, now: Ms) {
        match end {
            Some(OrderEnd::Refused | OrderEnd::Filled) => self.give(now, 1),
            Some(OrderEnd::Rests(order)) => match self.early.remove(&order) {
                Some(event) => self.apply(event, now),
                None => {
                    self.resting.insert(order);
                }
            },
            Some(OrderEnd::Expired) | None => {}
        }
        self.asked = self.asked.saturating_sub(1);
        if self.asked == 0 {
            self.early.clear();
        }
    }
}

/// What became of a counted order at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderEnd {
    /// There is no such order.
    Refused,
    /// It was filled, at least partly.
    Filled,
    /// It rests unfilled.
    Rests(OrderId),
    /// It is over, unfilled.
    Expired,
}

/// A counted order whose answer is on its way. Dropped, its count stays.
#[derive(Debug)]
pub struct CountedOrder {
    account: AccountId,
    orders: Arc<DashMap<AccountId, Orders>>,
    clock: fn() -> Ms,
    end: Option<OrderEnd>,
}

impl CountedOrder {
    /// Tells what became of it.
    pub fn ended(mut self, end: OrderEnd) {
        self.end = Some(end);
    }
}

impl Drop for CountedOrder {
    fn drop(&mut self) {
        if let Some(mut orders) = self.orders.get_mut(&self.account) {
            orders.answered(self.end, (self.clock)());
        }
    }
}

/// Unfilled orders of an account in the running ten seconds and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderCounts {
    /// In ten seconds.
    pub seconds: u64,
    /// In a day.
    pub day: u64,
}

/// What was refused so far.
#[derive(Debug, Default)]
pub struct Refusals {
    /// For want of weight.
    pub weight: Count,
    /// For too many requests.
    pub requests: Count,
    /// For too many unfilled orders.
    pub orders: Count,
    /// Because their address was banned.
    pub banned: Count,
}

/// See the module's header.
#[derive(Debug, Clone)]
pub struct ApiLimits {
    /// What is allowed.
    pub settings: config::Api,
    addresses: Arc<DashMap<IpAddr, Address>>,
    orders: Arc<DashMap<AccountId, Orders>>,
    pace: Arc<Pace>,
    clock: fn() -> Ms,
    /// For who watches the exchange.
    pub refusals: Arc<Refusals>,
}

impl ApiLimits {
    /// With nothing used.
    #[must_use]
    pub fn new(settings: config::Api, pace: Arc<Pace>) -> ApiLimits {
        let (addresses, orders, refusals) = (Arc::default(), Arc::default(), Arc::default());
        ApiLimits { settings, addresses, orders, pace, clock: now_ms, refusals }
    }

    /// Counts a request of an address (`limits::network`).
    ///
    /// # Errors
    /// -1003: the address is banned, or has no request left.
    pub fn admit(&self, network: IpAddr) -> Result<(), ApiError> {
        self.admit_at(network, (self.clock)())
    }

    fn admit_at(&self, network: IpAddr, now: Ms) -> Result<(), ApiError> {
        let mut address = self.addresses.entry(network).or_default();
        if now < address.banned_until {
            self.refusals.banned.add(1);
            return Err(address.ban(now));
        }
        let requests = address.requests.at(now, FIVE_MINUTES);
        *requests += 1;
        if *requests > u64::from(self.settings.requests_per_5_minutes) {
            self.refusals.requests.add(1);
            return Err(address.refuse(now, ApiError::too_many_requests(wait(now, FIVE_MINUTES))));
        }
        Ok(())
    }

    /// Adds weight to what an address used in this minute: how much that is, and whether it may go on. What comes too
    /// early in its second waits its turn.
    pub async fn weigh(&self, network: IpAddr, weight: u64) -> (u64, Result<(), ApiError>) {
        let (used, allowed) = self.weigh_at(network, weight, (self.clock)());
        if allowed.is_err() || self.pace.turn(network, weight).await.is_ok() {
            return (used, allowed);
        }
        self.refusals.weight.add(1);
        // Nobody's fault: a client that asks for much at once, and less than its minute's worth, was told of no limit. What it
        // sends on is weighed all the same.
        (used, Err(ApiError::too_many_requests(1)))
    }

    /// Weight that an address used in this minute.
    #[must_use]
    pub fn used(&self, network: IpAddr) -> u64 {
        self.addresses.get_mut(&network).map_or(0, |mut address| *address.weight.at((self.clock)(), MINUTE))
    }

    fn weigh_at(&self, network: IpAddr, weight: u64, now: Ms) -> (u64, Result<(), ApiError>) {
        let limit = u64::from(self.settings.weight_per_minute);
        let mut address = self.addresses.entry(network).or_default();
        let used = address.weight.at(now, MINUTE);
        *used += weight;
        let used = *used;
        if used <= limit {
            return (used, Ok(()));
        }
        self.refusals.weight.add(1);
        (used, Err(address.refuse(now, ApiError::too_much_weight(limit, wait(now, MINUTE)))))
    }

    /// Counts an order that is about to be placed; who places it tells what became of it.
    ///
    /// # Errors
    /// -1015 when the account has none left.
    pub fn take_order(&self, account: AccountId) -> Result<CountedOrder, ApiError> {
        self.take_order_at(account, (self.clock)()).inspect_err(|_| self.refusals.orders.add(1))?;
        Ok(CountedOrder { account, orders: self.orders.clone(), clock: self.clock, end: None })
    }

    fn take_order_at(&self, account: AccountId, now: Ms) -> Result<(), ApiError> {
        let config::Api { orders_per_10_seconds, orders_per_day, .. } = self.settings;
        let mut orders = self.orders.entry(account).or_default();
        let used = orders.counts(now);
        if used.seconds >= u64::from(orders_per_10_seconds) {
            let limit = u64::from(orders_per_10_seconds);
            return Err(ApiError::too_many_orders(limit, "10 SECOND", wait(now, TEN_SECONDS)));
        }
        if used.day >= u64::from(orders_per_day) {
            return Err(ApiError::too_many_orders(u64::from(orders_per_day), "1 DAY", wait(now, DAY)));
        }
        *orders.seconds.at(now, TEN_SECONDS) += 1;
        *orders.day.at(now, DAY) += 1;
        orders.asked += 1;
        Ok(())
    }

    /// Unfilled orders of an account.
    #[must_use]
    pub fn order_counts(&self, account: AccountId) -> OrderCounts {
        self.orders.entry(account).or_default().counts((self.clock)())
    }

    /// Follows a durable fact: counted orders that are filled first, or gone.
    pub fn follow(&self, fact: &Fact) {
        // Nobody trades by program: then a fact costs this look alone.
        if self.orders.is_empty() {
            return;
        }
        let now = (self.clock)();
        fact.each_execution(|e| self.hear(e.trade.maker, e.trade.maker_order, OrderEvent::Filled, now));
        if let Fact::Book(fact) = fact {
            return self.follow_book(fact, now);
        }
        let Fact::Spot(fact) = fact else { return };
        let placed = fact.placed();
        if let SpotFact::OrdersChanged(changed) = fact {
            changed.gone_ids().for_each(|order| self.hear(changed.account, order, OrderEvent::Gone, now));
        }
        if let Some(placed) = placed {
            let gone = placed.prevented.iter().filter(|prevented| prevented.closed);
            gone.for_each(|prevented| self.hear(prevented.account, prevented.order, OrderEvent::Gone, now));
        }
        if let SpotFact::OrdersChanged(changed) = fact
            && let Some(placed) = placed.filter(|_| changed.triggered.is_some() || changed.activated.is_some())
        {
            let order = placed.order;
            match (placed.trades.is_empty(), placed.rest.is_zero()) {
                (false, _) => self.hear(changed.account, order, OrderEvent::Taken, now),
                (true, true) => self.hear(changed.account, order, OrderEvent::Gone, now),
                (true, false) => {}
            }
        }
        if let SpotFact::OrdersCanceled(canceled) = fact {
            canceled.orders.iter().for_each(|order| self.hear(order.account, order.order, OrderEvent::Gone, now));
        }
    }

    fn follow_book(&self, fact: &BookFact, now: Ms) {
        if let Some(f) = fact.placed() {
            f.trades.iter().for_each(|t| self.hear(t.maker, t.maker_order, OrderEvent::Filled, now));
            f.cuts.iter().filter(|c| c.gone).for_each(|c| self.hear(c.account, c.order, OrderEvent::Gone, now));
        }
        if let BookFact::ConditionalsChanged(f) = fact
            && f.placed.is_none()
        {
            f.gone.iter().for_each(|order| self.hear(f.account, order.order, OrderEvent::Gone, now));
        }
        if let BookFact::ContractOrdersCanceled(f) = fact {
            f.orders.iter().for_each(|order| self.hear(f.account, order.order, OrderEvent::Gone, now));
        }
    }

    fn hear(&self, account: AccountId, order: OrderId, event: OrderEvent, now: Ms) {
        if let Some(mut orders) = self.orders.get_mut(&account) {
            orders.hear(order, event, now);
        }
    }

    /// Addresses that are banned now.
    #[must_use]
    pub fn banned(&self) -> usize {
        let now = (self.clock)();
        self.addresses.iter().filter(|address| now < address.banned_until).count()
    }

    /// Forgets who used nothing of late and is not held to a ban.
    pub fn sweep(&self) {
        let now = (self.clock)();
        self.addresses.retain(|_, address| {
            let idle = address.requests.number < now.div_euclid(FIVE_MINUTES);
            !(idle && now - address.banned_until > LONGEST_BAN)
        });
        self.orders.retain(|_, orders| {
            orders.day.number >= now.div_euclid(DAY) || !orders.resting.is_empty() || orders.asked > 0
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::ids::{AssetId, MarketId, UpdateId};
    use xng_core::money::{Amount, Lots, Ticks};
    use xng_core::spot::facts::{GoneOrder, OrdersChanged, Units};
    use xng_core::spot::{EndReason, Side};

    const IP: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const BOT: AccountId = AccountId(100_001);
    /// Where a minute, five minutes and a day begin.
    const NOON: Ms = 1_700_006_400_000;

    fn limits() -> ApiLimits {
        let (requests_per_5_minutes, weight_per_minute) = (1_000, 100);
        let (orders_per_10_seconds, orders_per_day) = (3, 5);
        let settings = config::Api { weight_per_minute, requests_per_5_minutes, orders_per_10_seconds, orders_per_day };
        // The clock stands: a test that ran over the end of an interval would find its counts gone.
        ApiLimits { clock: || NOON, ..ApiLimits::new(settings, Arc::new(Pace::new(1_000))) }
    }

    #[test]
    fn weight_is_of_its_minute_and_says_when_to_come_again() {
        let limits = limits();
        assert_eq!(limits.weigh_at(IP, 100, NOON + 59_000), (100, Ok(())));
        let (used, refused) = limits.weigh_at(IP, 1, NOON + 59_001);
        let error = refused.unwrap_err();
        assert_eq!((used, error.status.as_u16(), error.code, error.retry_after), (101, 429, -1003, Some(1)));
        assert_eq!(limits.weigh_at(IP, 1, NOON + MINUTE), (1, Ok(())));
    }

    #[test]
    fn who_goes_on_is_banned_longer_each_time_up_to_three_days() {
        let limits = limits();
        let mut now = NOON;
        let mut lengths = Vec::new();
        for _ in 0..14 {
            limits.weigh_at(IP, 100, now).1.unwrap();
            for _ in 0..PATIENCE {
                assert_eq!(limits.weigh_at(IP, 1, now).1.unwrap_err().status.as_u16(), 429);
            }
            let banned = limits.weigh_at(IP, 1, now).1.unwrap_err();
            assert_eq!((banned.status.as_u16(), banned.code), (418, -1003));
            let seconds = banned.retry_after.unwrap();
            assert_eq!(limits.admit_at(IP, now + 1).unwrap_err().status.as_u16(), 418);
            lengths.push(seconds / 60);
            now += seconds as Ms * 1_000;
            limits.admit_at(IP, now).expect("the ban is over");
        }
        assert_eq!(lengths[..4], [2, 4, 8, 16]);
        assert_eq!(lengths[12..], [4_320, 4_320]);
    }

    #[actix_web::test]
    async fn who_asks_for_much_in_one_second_and_not_in_the_minute_is_not_banned() {
        let settings = config::Api { weight_per_minute: 50_000, ..limits().settings };
        let limits = ApiLimits { clock: || NOON, ..ApiLimits::new(settings, Arc::new(Pace::new(10))) };
        for _ in 0..3 * PATIENCE {
            let refused = limits.weigh(IP, 100).await.1.unwrap_err();
            assert_eq!((refused.status.as_u16(), refused.retry_after), (429, Some(1)));
        }
        assert_eq!(limits.banned(), 0);
    }

    #[test]
    fn requests_are_counted_whatever_they_weigh() {
        let limits = limits();
        (0..1_000).for_each(|_| limits.admit_at(IP, NOON).unwrap());
        let refused = limits.admit_at(IP, NOON + 1).unwrap_err();
        assert_eq!((refused.code, refused.retry_after), (-1003, Some(300)));
        limits.admit_at(IP, NOON + FIVE_MINUTES).unwrap();
    }

    #[test]
    fn orders_are_counted_by_account_in_both_intervals() {
        let limits = limits();
        (0..3).for_each(|_| limits.take_order_at(BOT, NOON).unwrap());
        let refused = limits.take_order_at(BOT, NOON + 4_000).unwrap_err();
        assert_eq!((refused.code, refused.retry_after), (-1015, Some(6)));
        assert_eq!(refused.msg, "Too many new orders; current limit is 3 orders per 10 SECOND.");
        limits.take_order_at(AccountId(100_002), NOON).expect("another account");
        (0..2).for_each(|_| limits.take_order_at(BOT, NOON + TEN_SECONDS).unwrap());
        let refused = limits.take_order_at(BOT, NOON + TEN_SECONDS).unwrap_err();
        assert!(refused.msg.contains("5 orders per 1 DAY"), "{}", refused.msg);
    }

    #[test]
    fn an_order_gives_its_count_back_once_and_a_maker_more() {
        let limits = limits();
        let seconds = || limits.order_counts(BOT).seconds;
        let (one, two, three) = (OrderId(1), OrderId(2), OrderId(3));
        limits.take_order(BOT).unwrap().ended(OrderEnd::Refused);
        limits.take_order(BOT).unwrap().ended(OrderEnd::Filled);
        assert_eq!(seconds(), 0);
        limits.take_order(BOT).unwrap().ended(OrderEnd::Rests(one));
        limits.take_order(BOT).unwrap().ended(OrderEnd::Rests(two));
        limits.hear(BOT, two, OrderEvent::Gone, NOON);
        assert_eq!(seconds(), 2, "a cancelled order stays counted");
        limits.hear(BOT, one, OrderEvent::Filled, NOON);
        limits.take_order(BOT).unwrap().ended(OrderEnd::Expired);
        limits.hear(BOT, one, OrderEvent::Filled, NOON);
        assert_eq!(seconds(), 1, "the first fill counts");
        let counted = limits.take_order(BOT).unwrap();
        limits.hear(BOT, three, OrderEvent::Filled, NOON);
        counted.ended(OrderEnd::Rests(three));
        assert_eq!(seconds(), 0, "a fill that is known before the answer");
    }

    #[test]
    fn an_order_that_is_replaced_is_not_remembered() {
        let (limits, order) = (limits(), OrderId(1));
        limits.take_order(BOT).unwrap().ended(OrderEnd::Rests(order));
        let (market, base, quote) = (MarketId(1), AssetId(1), AssetId(3));
        let (side, ticks, lots, locked) = (Side::Buy, Ticks(1), Lots(1), Amount(1));
        limits.follow(&Fact::from(OrdersChanged {
            units: Units { market, base, quote, lot_units: 1, tick_lot_units: 1 },
            account: BOT,
            gone: vec![GoneOrder { order, side, ticks, lots, shown: lots, locked }],
            reason: EndReason::Replaced,
            triggered: None,
            activated: None,
            amended: Vec::new(),
            placed: None,
            waiting: Vec::new(),
            pending: Vec::new(),
            list: None,
            refused: None,
            update: UpdateId(1),
        }));
        assert!(limits.orders.get(&BOT).unwrap().resting.is_empty());
        assert_eq!(limits.order_counts(BOT).seconds, 1, "it stays counted");
    }
}
