//! A whole exchange in memory for tests: a cell over plain entities, a journal that keeps everything, a clock that is
//! set by hand.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Egress, Envelope, Ingress, Plain, PortId, Ticket, World};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::histories::Histories;
use xng_core::account::recent::Place;
use xng_core::account::{AccountCommand, AccountEvent, Fill, Order, Property, SpotCommand};
use xng_core::entity::{Command, Reply};
use xng_core::ids::{AccountId, AssetId, EntityId, MarketId, OrderId, PriceId, RequestKey, Wallet};
use xng_core::journal::{Batch, Capacity, Journal, Lsn};
use xng_core::money::{Amount, FeePpm, Lots, MAX_AMOUNT, Ticks};
use xng_core::price::{PriceCommand, PriceListed};
use xng_core::record::{Cause, Origin, Record};
use xng_core::spot::{
    Leg, LevelFees, MarketCommand, MarketParams, NewOrder, OrderGroup, OrderKind, OrderStatus, Side, Stp, Terms, Tif,
    Trigger, TriggerKind,
};
use xng_core::system_accounts::may_be_negative;

pub(crate) const BTC: AssetId = AssetId(1);
pub(crate) const ETH: AssetId = AssetId(2);
pub(crate) const USDT: AssetId = AssetId(3);
pub(crate) const ASSETS: [AssetId; 3] = [BTC, ETH, USDT];
pub(crate) const PORT: PortId = PortId(0);

/// A journal in memory; what is durable lags behind by as many records as the test likes.
#[derive(Clone, Default)]
pub(crate) struct MemoryJournal {
    pub(crate) batches: Rc<RefCell<Vec<Batch>>>,
    pub(crate) lag: Rc<RefCell<u64>>,
    pub(crate) capacity: Rc<RefCell<Capacity>>,
}

impl Journal for MemoryJournal {
    fn append(&mut self, batch: &mut Batch) {
        self.batches.borrow_mut().push(batch.clone());
        batch.clear();
    }
    fn durable(&self) -> Lsn {
        let last = self.batches.borrow().last().map_or(0, |b| b.last().0);
        Lsn(last.saturating_sub(*self.lag.borrow()))
    }
    fn pending_bytes(&self) -> u64 {
        0
    }
    fn capacity(&self) -> Capacity {
        *self.capacity.borrow()
    }
}

impl MemoryJournal {
    /// Every record from the first on.
    pub(crate) fn records(&self) -> Vec<(Lsn, Vec<u8>)> {
        let batches = self.batches.borrow();
        batches.iter().flat_map(|b| b.records().map(|(l, r)| (l, r.to_vec())).collect::<Vec<_>>()).collect()
    }
}

pub(crate) type TestCell = Cell<Plain, MemoryJournal, ManualClock>;

/// The exchange.
pub(crate) struct Exchange {
    pub(crate) cell: TestCell,
    pub(crate) journal: MemoryJournal,
    next: u64,
    answers: BTreeMap<u64, Reply>,
    /// What watched accounts were told.
    pub(crate) events: Vec<AccountEvent>,
}

pub(crate) fn market(id: u16, base: AssetId, quote: AssetId, tick: i128, step: i128) -> MarketParams {
    MarketParams {
        market: MarketId(id),
        version: 0,
        symbol: format!("M{id}"),
        base,
        quote,
        tick: Amount(tick),
        step: Amount(step),
        min_lots: Lots(1),
        max_lots: Lots(1_000_000_000),
        min_notional: Amount::ZERO,
        band_ppm: 500_000,
        protection_ppm: 50_000,
        max_open_orders: 200,
        fees: vec![
            LevelFees { maker: FeePpm(800), taker: FeePpm(1_000) },
            LevelFees { maker: FeePpm(0), taker: FeePpm(400) },
        ],
        stale_after_ms: 0,
        house_quoted: false,
        stock: None,
    }
}

/// BTC/USDT: tick 0.01, step 0.00001.
pub(crate) fn btc_usdt() -> MarketParams {
    market(1, BTC, USDT, 1_000_000, 1_000)
}

impl Exchange {
    pub(crate) fn new(markets: &[MarketParams]) -> Exchange {
        let journal = MemoryJournal::default();
        let cell = Cell::new(World::default(), journal.clone(), ManualClock(1_000_000_000));
        let mut exchange = Exchange { cell, journal, next: 0, answers: BTreeMap::new(), events: Vec::new() };
        exchange.cell.leave_unhashed(2);
        for params in markets {
            let id = params.market;
            exchange.ok(Command::Market(id, MarketCommand::List(Box::new(params.clone()))));
            let price = PriceId(id.0);
            let listed = PriceListed { price, symbol: params.symbol.clone(), hearers: vec![EntityId::Market(id)] };
            exchange.ok(Command::Price(price, PriceCommand::List(listed)));
        }
        exchange
    }

    /// Another process goes on from a world and the records that made it.
    pub(crate) fn resumed(&self, world: World<Plain>, records: &[(Lsn, Vec<u8>)]) -> Exchange {
        let journal = MemoryJournal::default();
        let mut batch = Batch::default();
        records.iter().for_each(|(lsn, bytes)| batch.push(*lsn, |out| out.extend_from_slice(bytes)));
        journal.batches.borrow_mut().push(batch);
        let clock = ManualClock(world.time() + 1);
        let cell = Cell::new(world, journal.clone(), clock);
        let mut exchange = Exchange { cell, journal, next: 0, answers: BTreeMap::new(), events: Vec::new() };
        exchange.cell.leave_unhashed(2);
        exchange.run();
        exchange
    }

    /// Sends a command and runs to the end; the answer.
    pub(crate) fn send(&mut self, request: Option<RequestKey>, command: Command) -> Reply {
        let token = self.submit(request, command);
        self.run();
        self.answers.remove(&token).expect("every command is answered")
    }

    /// Sends a command without running.
    pub(crate) fn submit(&mut self, request: Option<RequestKey>, command: Command) -> u64 {
        let sets = matches!(command, Command::Account(_, AccountCommand::Set(Property::Status(_))));
        let staff = Origin::Staff { maker: 1, checker: 2, case: 1 };
        self.submit_as(if sets { staff } else { Origin::User }, request, command)
    }

    /// As [`Exchange::submit`], saying who is behind it.
    pub(crate) fn submit_as(&mut self, origin: Origin, request: Option<RequestKey>, command: Command) -> u64 {
        self.next += 1;
        let ticket = Some(Ticket { port: PORT, token: self.next });
        self.cell.admit(Ingress::Command(Envelope { ticket, origin, cause: Cause::of(request), command }));
        self.next
    }

    /// Runs until nothing happens.
    pub(crate) fn run(&mut self) {
        let (answers, events) = (&mut self.answers, &mut self.events);
        while self.cell.turn(|_, egress| match egress {
            Egress::Reply(token, reply) => drop(answers.insert(token, reply)),
            Egress::Event(change) => events.push(change.event),
        }) {}
    }

    /// Notes an answer that left while a test drove the cell by hand.
    pub(crate) fn note(&mut self, token: u64, reply: Reply) {
        self.answers.insert(token, reply);
    }

    pub(crate) fn answer(&mut self, token: u64) -> Option<Reply> {
        self.answers.remove(&token)
    }

    /// Sends a command that must be taken.
    pub(crate) fn ok(&mut self, command: Command) -> Reply {
        let command_text = format!("{command:?}");
        match self.send(None, command) {
            Reply::Rejected(reject) => panic!("{command_text} is refused: {reject:?}"),
            reply => reply,
        }
    }

    /// From now on its events are kept.
    pub(crate) fn watch(&mut self, account: AccountId) {
        self.cell.admit(Ingress::Watch(account, PORT));
    }

    pub(crate) fn advance(&mut self, ns: u64) {
        self.cell.clock().0 += ns;
    }

    pub(crate) fn fund(&mut self, account: AccountId, asset: AssetId, amount: Amount) {
        let items = vec![GrantItem { wallet: Wallet::Spot, asset, amount }];
        self.ok(Command::Account(account, AccountCommand::Grant { kind: GrantKind::Correction, items }));
    }

    pub(crate) fn make_house(&mut self) {
        for property in [Property::Vip(1), Property::House(true)] {
            self.ok(Command::Account(AccountId::HOUSE, AccountCommand::Set(property)));
        }
    }

    pub(crate) fn free(&self, account: AccountId, asset: AssetId) -> (Amount, Amount) {
        let b = self.cell.world().accounts().get(account).map(|a| a.balance(Wallet::Spot, asset));
        b.map_or((Amount::ZERO, Amount::ZERO), |b| (b.available, b.locked))
    }

    pub(crate) fn params(&self, market: MarketId) -> MarketParams {
        self.cell.world().markets().get(market).and_then(|m| m.params()).expect("listed").clone()
    }

    /// A limit order with the hold that the gateway would name.
    pub(crate) fn limit(&self, market: MarketId, side: Side, ticks: i64, lots: i64, tif: Tif, stp: Stp) -> NewOrder {
        let p = self.params(market);
        let (ticks, lots) = (Ticks(ticks), Lots(lots));
        let amount = p.lock(side, ticks, lots);
        let terms = Terms { version: p.version, asset: p.locked_asset(side), amount, capped: false };
        let (kind, budget, client_id) = (OrderKind::Limit, Amount::ZERO, None);
        NewOrder { market, side, kind, tif, stp, ticks, lots, budget, iceberg: Lots::ZERO, client_id, terms }
    }

    /// A market order by base.
    pub(crate) fn market_order(&self, market: MarketId, side: Side, lots: i64, worst: i64) -> NewOrder {
        let limit = self.limit(market, side, worst, lots, Tif::Gtc, Stp::ExpireTaker);
        let terms = Terms { capped: side == Side::Buy, ..limit.terms };
        NewOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, terms, ..limit }
    }

    /// A market order by quote amount. A sale holds whatever there is.
    pub(crate) fn by_quote(&self, market: MarketId, side: Side, budget: Amount) -> NewOrder {
        let p = self.params(market);
        let (amount, capped) = if side == Side::Buy { (budget, false) } else { (MAX_AMOUNT, true) };
        let terms = Terms { version: p.version, asset: p.locked_asset(side), amount, capped };
        let limit = self.limit(market, side, 1, 1, Tif::Gtc, Stp::ExpireTaker);
        NewOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, lots: Lots::ZERO, budget, terms, ..limit }
    }

    /// An order that waits: a limit order when it has a price, otherwise one at market; with what it must hold.
    pub(crate) fn stop(&self, order: NewOrder, kind: TriggerKind, ticks: i64, trail_bips: u32) -> OrderGroup {
        let leg = Leg { order, trigger: Some(Trigger { kind, ticks: Ticks(ticks), trail_bips }) };
        self.group(&[leg])
    }

    /// What the gateway would make of these.
    pub(crate) fn group(&self, legs: &[Leg]) -> OrderGroup {
        let (p, market) = (self.params(legs[0].order.market), legs[0].order.market);
        let seen = self.cell.world().markets().get(market).expect("listed").seen();
        let need = |leg: &Leg| match leg.trigger {
            None => p.lock(leg.order.side, leg.order.ticks, leg.order.lots),
            Some(t) => p.lock_waiting(&leg.order, if t.ticks == Ticks::ZERO { seen } else { t.ticks }, t.trail_bips),
        };
        let amount = legs.iter().map(need).max().expect("at least one");
        let terms = Terms { version: p.version, asset: p.locked_asset(legs[0].order.side), amount, capped: false };
        OrderGroup { market, replaces: None, legs: legs.to_vec(), pending: Vec::new(), list: None, terms }
    }

    pub(crate) fn place_group(&mut self, account: AccountId, group: OrderGroup) -> Reply {
        let command = SpotCommand::PlaceGroup(Box::new(group));
        self.send(None, Command::Account(account, AccountCommand::Spot(command)))
    }

    pub(crate) fn place(&mut self, account: AccountId, order: NewOrder) -> Reply {
        self.send(None, Command::Account(account, AccountCommand::Spot(SpotCommand::Place(order))))
    }

    /// What became of everybody's orders, from the journal.
    pub(crate) fn histories(&self) -> Histories {
        let mut histories = Histories::since(Place::default(), []);
        for (lsn, bytes) in self.journal.records() {
            histories.follow(lsn, &Record::decode(&bytes).expect("a record"));
        }
        histories
    }

    /// All orders of an account, the open ones first, and its fills.
    pub(crate) fn orders(&self, account: AccountId) -> (Vec<Order>, Vec<Fill>) {
        let open = self.cell.world().accounts().get(account).into_iter().flat_map(|a| a.open_orders().copied());
        let histories = self.histories();
        let Some(history) = histories.of(account) else { return (open.collect(), Vec::new()) };
        let upto = histories.position();
        (open.chain(history.done(upto).entries).collect(), history.fills(upto).entries)
    }

    /// One order of an account, open or done.
    pub(crate) fn order(&self, account: AccountId, id: OrderId) -> Order {
        let (orders, _) = self.orders(account);
        orders.into_iter().find(|o| o.order == id).expect("an order of the account")
    }

    /// What must hold after every step.
    pub(crate) fn audit(&self) {
        let world = self.cell.world();
        let mut sums: BTreeMap<AssetId, Amount> = BTreeMap::new();
        for (id, account) in world.accounts().iter() {
            let mut explained: BTreeMap<(Wallet, AssetId), Amount> = BTreeMap::new();
            for order in account.open_orders() {
                let (asset, amount) = order.locks();
                *explained.entry((Wallet::Spot, asset)).or_default() += amount;
                let market = world.markets().get(order.units.market).expect("an order's market exists");
                let queued = market.queue().find(|waiting| waiting.order == order.order);
                if let Some(waiting) = queued.or_else(|| market.triggers().get(order.order)) {
                    assert_eq!((waiting.lots, waiting.account, waiting.locked), (order.open, id, order.locked));
                    assert_eq!(order.status, OrderStatus::Waiting);
                    continue;
                }
                if order.status == OrderStatus::Pending {
                    let mut pending = market.lists().pending().flat_map(|(_, list)| &list.orders);
                    assert!(pending.any(|p| (p.order, p.lots) == (order.order, order.open)), "{order:?}");
                    continue;
                }
                let resting = market.book().0.get(order.order).expect("an open order rests or waits");
                assert_eq!((market.book().0.open(&resting), resting.account), (order.open, id), "{order:?}");
            }
            for lock in account.locks() {
                *explained.entry((lock.wallet, lock.asset)).or_default() += lock.amount;
            }
            for b in account.balances() {
                *sums.entry(b.asset).or_default() += b.available + b.locked;
                if !may_be_negative(id, b.wallet) {
                    assert!(!b.available.is_negative() && !b.locked.is_negative(), "{id}: {b:?}");
                }
                let expected = explained.get(&(b.wallet, b.asset)).copied().unwrap_or_default();
                assert_eq!(b.locked, expected, "locked of {id} is what its orders and positions explain: {b:?}");
            }
        }
        for (asset, sum) in sums {
            assert_eq!(sum, Amount::ZERO, "asset {asset} sums to zero");
        }
        for (id, market) in world.markets().iter() {
            let (book, _) = market.book();
            let crossed = book.best(Side::Buy).zip(book.best(Side::Sell)).is_some_and(|(bid, ask)| bid >= ask);
            assert!(!crossed, "{id} is crossed");
        }
    }

    /// Folds everything from the first record and compares.
    pub(crate) fn check_fold(&mut self) {
        let mut world: World<Plain> = World::default();
        for (lsn, bytes) in self.journal.records() {
            world.fold(lsn, &bytes).expect("the journal folds");
        }
        assert_eq!(world.state_hash(), self.cell.state_hash(), "live state equals the fold of its facts");
        let (a, b): (Vec<_>, Vec<_>) = (world.save().collect(), self.cell.world().save().collect());
        let sorted = |mut list: Vec<(Vec<u8>, Vec<u8>)>| {
            list.sort();
            list
        };
        assert_eq!(sorted(a), sorted(b), "byte by byte");
        let by_id = |orders: Vec<Order>| orders.into_iter().map(|o| (o.order, o)).collect::<BTreeMap<_, _>>();
        let accounts =
            self.cell.world().accounts().iter().flat_map(|(_, a)| a.open_orders().copied().collect::<Vec<_>>());
        let histories = by_id(self.histories().open().copied().collect());
        assert_eq!(histories, by_id(accounts.collect()), "the histories' open orders are the accounts'");
    }
}
