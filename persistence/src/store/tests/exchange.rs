//! A tiny exchange for tests: the engine's own entities, one after the other, without a cell.
//!
//! Owns: records as the engine would make them, and the entities' state as what the store is compared with.
//! Never does: check rules; the engine does.
//! Invariants: the same seed makes the same records.
//! Known limits: holds are granted and released around each command.

mod coupons;

use std::collections::BTreeMap;

use xng_core::{
    account::{
        Account, AccountCommand, AccountView, Conversion, ConvertCommand, CopyCommand, CouponCommand, EnterOption,
        LegCommand, OpenTicket, OrderName, Property, SecondsCommand, SpotCommand, Ticket, TicketCommand, facts::*,
        histories::Histories, recent::Place,
    },
    board::{Board, PriceFace},
    chain::Chain,
    contract::{
        Contract, ContractCommand,
        book::{
            BookCommand,
            order::{LegSide, NewBookOrder},
            params::{BookParams, FundingParams},
            waiting::{Condition, NewConditional, WorkingPrice},
        },
        brackets::{Bracket, Brackets},
        facts::MarginMode,
        leg::Direction,
        params::{ContractParams, TicketParams},
        tickets::Stops,
    },
    convert::{
        Quote,
        params::{ConvertAsset, ConvertParams},
    },
    copy::{
        FollowKind, FollowTerms, TraderTerms,
        trader::{Trader, TraderCommand},
    },
    coupon::{CampaignId, CampaignTerms, CouponId, CouponKind, Issuer, campaign::Campaign, digest_of},
    entity::{Applied, Ask, Command, Ctx, Deadline, Decision, Entity, Reply, TimeNs, View},
    ids::{AccountId, AssetId, ClientOrderId, EntityId, HoldId, MarketId, OrderId, PriceId, RequestKey, Wallet},
    journal::{Batch, Lsn},
    money::{Amount, FeePpm, Lots, ONE, Ticks},
    price::{PriceCommand, PriceIndex, SourcePrice, facts::PriceListed},
    record::{Cause, Fact, Origin, Record},
    registry::{AssetListed, Registry, RegistryCommand},
    seconds::{
        DeskId, RoundId,
        desk::{Desk, DeskCommand},
        params::DeskParams,
        round::{Round, RoundCommand},
        rules::OptionSide,
    },
    spot::{
        Leg, LevelFees, Market, MarketCommand, MarketParams, MarketState, NewOrder, OrderGroup, OrderKind, QuoteLevel,
        Side, Stp, Terms, Tif, Trigger, TriggerKind,
    },
    stock::{
        ActionKind, CalendarId, StepTable, StockTerms,
        calendar::{Calendar, CalendarCommand, CalendarParams},
    },
};

use super::chains::CHAIN;

pub(super) const BTC: AssetId = AssetId(1);
pub(super) const USDT: AssetId = AssetId(3);
pub(super) const MARKET: MarketId = MarketId(1);
const PRICE: PriceId = PriceId(1);
const CONTRACT: MarketId = MarketId(512);
const DESK: DeskId = DeskId(8);
pub(super) const STOCK: MarketId = MarketId(384);
const STOCK_PRICE: PriceId = PriceId(384);
const CALENDAR: CalendarId = CalendarId(1);
const CAMPAIGN: CampaignId = CampaignId(1);
const SECOND: TimeNs = 1_000_000_000;

pub(super) struct Exchange {
    pub(super) accounts: BTreeMap<AccountId, Account>,
    pub(super) market: Market,
    pub(super) stock: Market,
    stock_price: PriceIndex,
    calendar: Calendar,
    registry: Registry,
    price: PriceIndex,
    contract: Contract,
    desk: Desk,
    rounds: BTreeMap<RoundId, Round>,
    traders: BTreeMap<AccountId, Trader>,
    campaigns: BTreeMap<CampaignId, Campaign>,
    chain: Chain,
    board: Board,
    pub(super) records: Vec<Record>,
    now: TimeNs,
    dice: u64,
}

/// One lot is worth ten at a price of a hundred.
fn contract() -> ContractParams {
    ContractParams {
        contract: CONTRACT,
        version: 0,
        symbol: "BTCUSDT".into(),
        base: BTC,
        settle: USDT,
        price: PRICE,
        tick: "0.01".parse().expect("an amount"),
        lot: "0.1".parse().expect("an amount"),
        brackets: Brackets {
            list: vec![Bracket { ceiling: Amount::whole(100_000), max_multiple: 100, rate_ppm: 4_000 }],
        },
        mark_band_ppm: 10_000,
        stale_after_ms: 60_000,
        insurance_ppm: 100_000,
        tickets: TicketParams {
            spread_ppm: 200,
            fees: vec![FeePpm(500)],
            overnight_ppm: 300,
            multiples: vec![20],
            lots: (Lots(1), Lots(100)),
            account_cap: Amount::whole(100_000),
            house_caps: (Lots(10_000), Lots(20_000)),
        },
    }
}

/// A period of funding is a second; at interests of people one would not be a unit of money.
fn book() -> BookParams {
    BookParams {
        contract: CONTRACT,
        version: 0,
        lots: (Lots(1), Lots(100)),
        fees: vec![LevelFees { maker: FeePpm(200), taker: FeePpm(500) }],
        max_open_orders: 20,
        band_ppm: 100_000,
        protection_ppm: 50_000,
        funding: FundingParams { interest: Amount(ONE / 2), inner: Amount(ONE / 2), cap: Amount(ONE / 2), period_s: 1 },
        liquidation_ppm: 5_000,
        quota_ppm: 100_000,
    }
}

pub(super) fn user(n: u64) -> AccountId {
    AccountId(100_001 + n)
}

fn params() -> MarketParams {
    MarketParams {
        market: MARKET,
        version: 1,
        symbol: "BTCUSDT".into(),
        base: BTC,
        quote: USDT,
        tick: "0.01".parse().expect("an amount"),
        step: "0.0001".parse().expect("an amount"),
        min_lots: Lots(1),
        max_lots: Lots(1_000_000),
        min_notional: "1".parse().expect("an amount"),
        band_ppm: 200_000,
        protection_ppm: 50_000,
        max_open_orders: 200,
        fees: vec![LevelFees { maker: FeePpm(1_000), taker: FeePpm(2_000) }],
        stale_after_ms: 60_000,
        house_quoted: true,
        stock: None,
    }
}

/// What these users have is dust.
fn conversion() -> ConvertParams {
    let asset = |asset, price| ConvertAsset { asset, price, daily_cap: Amount::whole(10_000_000) };
    ConvertParams {
        version: 0,
        spread_ppm: 1_000,
        fee_ppm: 1_000,
        guard_ppm: 3_000,
        value: (Amount::whole(1), Amount::whole(50_000)),
        stale_after_ms: 5_000,
        quote_ms: 10_000,
        dust_limit: Amount::whole(1_000_000),
        dust_fee_ppm: 1_000,
        dust_into: USDT,
        assets: vec![asset(BTC, Some(PRICE)), asset(USDT, None)],
    }
}

/// Of the shortest options.
fn desk() -> DeskParams {
    DeskParams {
        version: 0,
        desk: DESK,
        price: PRICE,
        seconds: 11,
        asset: USDT,
        ratio_ppm: 750_000,
        fee_ppm: 10_000,
        stake: (Amount::whole(1), Amount::whole(1_000)),
        most_open: 50,
        minute_cap: Amount::whole(10_000),
        day_cap: Amount::whole(10_000),
        fresh_ms: 2_000,
        open: true,
    }
}

impl Exchange {
    /// Listed, funded with `users` users, quoted and open.
    pub(super) fn new(seed: u64, users: u64) -> Self {
        let mut exchange = Self {
            accounts: BTreeMap::new(),
            market: Market::blank(MARKET),
            stock: Market::blank(STOCK),
            stock_price: PriceIndex::blank(STOCK_PRICE),
            calendar: Calendar::blank(CALENDAR),
            registry: Registry::blank(()),
            price: PriceIndex::blank(PRICE),
            contract: Contract::blank(CONTRACT),
            desk: Desk::blank(DESK),
            rounds: BTreeMap::new(),
            traders: BTreeMap::new(),
            campaigns: BTreeMap::new(),
            chain: Chain::blank(CHAIN),
            board: Board::default(),
            records: Vec::new(),
            now: 1_700_000_000 * SECOND,
            dice: seed,
        };
        for (asset, name) in [(BTC, "BTC"), (USDT, "USDT")] {
            let listing = AssetListed { asset, name: name.into(), wallets: vec![Wallet::Funding, Wallet::Spot] };
            exchange.run(Command::Registry((), RegistryCommand::ListAsset(listing)));
        }
        exchange.run(Command::Market(MARKET, MarketCommand::List(Box::new(params()))));
        exchange.run(Command::Contract(CONTRACT, ContractCommand::List(Box::new(contract()))));
        let hearers = vec![EntityId::Market(MARKET), EntityId::Contract(CONTRACT)];
        let listing = PriceListed { price: PRICE, symbol: "BTCUSDT".into(), hearers };
        exchange.run(Command::Price(PRICE, PriceCommand::List(listing)));
        let list = BookCommand::List(Box::new(book()));
        exchange.run(Command::Contract(CONTRACT, ContractCommand::Book(list)));
        exchange.tick(100);
        let params = ConvertCommand::SetParams(Box::new(conversion()));
        exchange.run(Command::Account(AccountId::CONVERT_HOUSE, AccountCommand::Convert(params)));
        exchange.run(Command::Seconds(DESK, DeskCommand::SetParams(Box::new(desk()))));
        exchange.fund(AccountId::HOUSE);
        exchange.run(Command::Account(AccountId::HOUSE, AccountCommand::Set(Property::House(true))));
        (0..users).for_each(|n| exchange.fund(user(n)));
        exchange.quote();
        exchange
    }

    /// The records as the journal carries them, after those before `from`.
    pub(super) fn batch_from(&self, from: Lsn) -> Batch {
        let mut batch = Batch::default();
        for (i, record) in self.records.iter().enumerate().skip(from.0 as usize) {
            batch.push(Lsn(i as u64 + 1), |out| record.encode(out));
        }
        batch
    }

    /// Makes `count` random things happen.
    pub(super) fn play(&mut self, count: usize, users: u64) {
        for n in 0..count {
            let who = user(self.roll(users));
            if n % 20 == 19 {
                self.convert(who, n / 20);
            }
            match self.roll(30) {
                0..8 => self.place(who, OrderKind::Limit),
                8..11 => self.place(who, OrderKind::Market),
                11..14 => self.cancel_one(who),
                14 => self.run(Command::Account(who, AccountCommand::Spot(SpotCommand::CancelAll(MARKET)))),
                15 => self.transfer(who),
                16 => self.tick(95 + self.dice % 10),
                17..20 => self.place_group(who),
                20 => self.amend_one(who),
                21 | 22 => self.tickets(who),
                23..28 => self.legs(who),
                _ => self.quote(),
            }
        }
    }

    pub(super) fn place(&mut self, who: AccountId, kind: OrderKind) {
        let side = if self.roll(2) == 0 { Side::Buy } else { Side::Sell };
        let ticks = match kind {
            OrderKind::Limit => Ticks(9_700 + self.roll(600) as i64),
            OrderKind::Market => Ticks(0),
        };
        let lots = Lots(200 + self.roll(4_000) as i64);
        let p = params();
        let worst = if kind == OrderKind::Limit { ticks } else { Ticks(12_000) };
        let terms = Terms { version: 1, asset: p.locked_asset(side), amount: p.lock(side, worst, lots), capped: false };
        let tif = match (kind, self.roll(5)) {
            (OrderKind::Limit, 0..4) => Tif::Gtc,
            (_, _) => Tif::Ioc,
        };
        let client_id = (self.roll(3) == 0).then(|| format!("bot-{}", self.records.len()));
        let client_id = client_id.and_then(|id| ClientOrderId::parse(&id));
        let stp = [Stp::ExpireTaker, Stp::ExpireMaker, Stp::ExpireBoth, Stp::Decrement][self.roll(4) as usize];
        let budget = Amount::ZERO;
        let shows_all = kind == OrderKind::Market || tif != Tif::Gtc || self.roll(6) > 0;
        let (market, iceberg) = (MARKET, if shows_all { Lots::ZERO } else { Lots(lots.0 / 3) });
        let order = NewOrder { market, side, kind, tif, stp, ticks, lots, budget, iceberg, client_id, terms };
        self.run(Command::Account(who, AccountCommand::Spot(SpotCommand::Place(order))));
    }

    /// An order that waits, or a list of a resting and a waiting one.
    fn place_group(&mut self, who: AccountId) {
        let side = if self.roll(2) == 0 { Side::Buy } else { Side::Sell };
        let (lots, p) = (Lots(200 + self.roll(2_000) as i64), params());
        let mut near = || Ticks(9_700 + self.roll(600) as i64);
        let (price, limit, at) = (near(), near(), near());
        let trail_bips = [0, 0, 50][self.roll(3) as usize];
        let kind = if self.roll(2) == 0 { TriggerKind::StopLoss } else { TriggerKind::TakeProfit };
        let asset = p.locked_asset(side);
        let terms = Terms { version: 1, asset, amount: p.lock(side, Ticks(12_000), lots), capped: false };
        let client_id = ClientOrderId::parse(&format!("stop-{}", self.records.len()));
        let (tif, stp, budget, iceberg, market) = (Tif::Gtc, Stp::ExpireBoth, Amount::ZERO, Lots::ZERO, MARKET);
        let order = |kind, ticks, tif, client_id| NewOrder {
            market,
            side,
            kind,
            tif,
            stp,
            ticks,
            lots,
            budget,
            iceberg,
            client_id,
            terms,
        };
        let waits = |kind| Leg {
            order: order(OrderKind::Limit, limit, tif, client_id),
            trigger: Some(Trigger { kind, ticks: at, trail_bips }),
        };
        let (legs, list) = if self.roll(2) == 0 {
            (vec![waits(kind)], None)
        } else if self.roll(2) == 0 {
            let first = Leg { order: order(OrderKind::Limit, price, Tif::Gtc, None), trigger: None };
            (vec![first], ClientOrderId::parse(&format!("brings-{}", self.records.len())))
        } else {
            let resting = Leg { order: order(OrderKind::Limit, price, Tif::PostOnly, None), trigger: None };
            let list = ClientOrderId::parse(&format!("list-{}", self.records.len()));
            (vec![resting, waits(TriggerKind::StopLoss)], list)
        };
        let resting = Leg { order: order(OrderKind::Limit, limit, Tif::PostOnly, None), trigger: None };
        let other = |leg: Leg| Leg { order: NewOrder { side: side.opposite(), ..leg.order }, ..leg };
        let pending = match (legs.len(), legs[0].trigger, self.roll(2)) {
            (1, None, 0) => vec![other(resting)],
            (1, None, _) => vec![other(waits(TriggerKind::StopLoss)), other(resting)],
            _ => Vec::new(),
        };
        let group = OrderGroup { market, replaces: None, legs, pending, list, terms };
        self.run(Command::Account(who, AccountCommand::Spot(SpotCommand::PlaceGroup(Box::new(group)))));
    }

    fn amend_one(&mut self, who: AccountId) {
        let open = self.accounts.get(&who).and_then(|account| account.open_orders().last().copied());
        if let Some(order) = open {
            let (lots, client_id) = (Lots(order.lots.0 - 1 - self.roll(100) as i64), ClientOrderId::parse("amended"));
            let order = OrderName::Id(order.order);
            self.run(Command::Account(who, AccountCommand::Spot(SpotCommand::Amend { order, lots, client_id })));
        }
    }

    pub(super) fn quote(&mut self) {
        let mid = 9_900 + self.roll(200) as i64;
        let mut levels = Vec::new();
        for n in 1..=3 {
            let lots = Lots(self.roll(3_000) as i64);
            levels.push(QuoteLevel { side: Side::Buy, ticks: Ticks(mid - 5 * n), lots });
            levels.push(QuoteLevel { side: Side::Sell, ticks: Ticks(mid + 5 * n), lots });
        }
        let hold = [(BTC, Amount::whole(10)), (USDT, Amount::whole(1_000))];
        let command = AccountCommand::Spot(SpotCommand::Quote { market: MARKET, levels, hold, version: 1 });
        self.run(Command::Account(AccountId::HOUSE, command));
    }

    pub(super) fn halt(&mut self) {
        self.run(Command::Market(MARKET, MarketCommand::SetState(MarketState::Halt)));
    }

    fn fund(&mut self, who: AccountId) {
        let item = |wallet, asset, n| GrantItem { wallet, asset, amount: Amount::whole(n) };
        let futures = item(Wallet::Futures, USDT, 10_000);
        let options = item(Wallet::Options, USDT, 10_000);
        let items = vec![item(Wallet::Spot, BTC, 1_000), item(Wallet::Spot, USDT, 1_000_000), futures, options];
        self.run(Command::Account(who, AccountCommand::Grant { kind: GrantKind::Opening, items }));
    }

    fn tick(&mut self, price: u64) {
        let price = Amount::whole(price as i64);
        self.run(Command::Price(PRICE, PriceCommand::Push(SourcePrice { source: 1, price })));
    }

    /// Opens a ticket, or closes all.
    fn tickets(&mut self, who: AccountId) {
        let direction = if self.roll(2) == 0 { Direction::Long } else { Direction::Short };
        let (contract, version) = (CONTRACT, 0);
        let mode = if self.roll(2) == 0 { MarginMode::Isolated } else { MarginMode::Cross };
        let (lots, multiple) = (Lots(100 * (1 + self.roll(5) as i64)), 20);
        let index = self.contract.mark().0;
        let away = |percent: i64| Amount(index.0 / ONE * (100 + i128::from(percent)) / 100 * ONE);
        let (better, worse) = if direction == Direction::Long { (-1, 1) } else { (1, -1) };
        let target = (self.roll(3) == 0).then(|| away(better));
        let take_profit = (self.roll(2) == 0).then(|| away(2 * worse));
        let stops = Stops { take_profit, stop_loss: (self.roll(3) == 0).then(|| away(3 * better)) };
        let wanted = OpenTicket { contract, version, direction, mode, lots, multiple, target, stops };
        let first = self.accounts.get(&who).and_then(|account| account.tickets().first()).map(Ticket::id);
        let command = match (self.roll(6), first) {
            (0, _) => TicketCommand::CloseAll { contract: None, direction: (self.roll(2) == 0).then_some(direction) },
            (1, Some(ticket)) => TicketCommand::Cancel(ticket),
            (2, Some(ticket)) => TicketCommand::SetStops { ticket, stops },
            (3, Some(ticket)) => TicketCommand::Close(ticket),
            _ => TicketCommand::Open(wanted),
        };
        self.run(Command::Account(who, AccountCommand::Tickets(command)));
    }

    /// The `n`-th conversion: at a quote, without one, or of dust.
    fn convert(&mut self, who: AccountId, n: usize) {
        let (from, to) = if n.is_multiple_of(2) { (BTC, USDT) } else { (USDT, BTC) };
        let amount = Amount(ONE + n as i128);
        let seq = self.board.price(PRICE).and_then(PriceFace::last).map_or(0, |tick| tick.seq);
        let seqs = if from == BTC { (seq, 0) } else { (0, seq) };
        let quote = (n % 3 == 1).then_some(Quote { from_seq: seqs.0, to_seq: seqs.1, issued: self.now, version: 1 });
        let command = match n % 8 {
            7 => ConvertCommand::Dust { assets: vec![BTC], version: None },
            _ => ConvertCommand::Convert(Conversion { from, to, amount, quote }),
        };
        let request = quote.map(|quote| quote.request_key((from, to), amount));
        self.run_under(request, Command::Account(who, AccountCommand::Convert(command)));
    }

    /// Seconds options: some end by a tick, the last ones are open.
    pub(super) fn options(&mut self, users: u64) {
        for n in 0..3 * users {
            let side = if n % 3 == 0 { OptionSide::Rise } else { OptionSide::Fall };
            let enter =
                EnterOption { desk: DESK, side, stake: Amount::whole(1 + n as i64), coupon: None, version: None };
            self.run(Command::Account(user(n % users), AccountCommand::Seconds(SecondsCommand::Enter(enter))));
            // The last ones have no tick at their end.
            if n < 2 * users {
                self.now += SECOND;
                self.tick(100 + n % 3);
            } else if n == 2 * users {
                self.now += 8 * SECOND;
                self.tick(100);
            }
            if let Some(id) = self.due_round() {
                self.run(Command::Round(id, RoundCommand::Timer));
            }
        }
    }

    fn due_round(&self) -> Option<RoundId> {
        let due = self.rounds.iter().find(|(_, round)| round.deadline() == Some(Deadline::Elapsed(0)));
        due.map(|(id, _)| *id)
    }

    /// Stocks: a split that leaves a part of a share, and a dividend.
    pub(super) fn stocks(&mut self) {
        let asset = STOCK.stock_asset().expect("a stock");
        let terms = StockTerms {
            calendar: CALENDAR,
            steps: StepTable::Flat,
            queues: true,
            pause_ppm: 100_000,
            pause_window_ms: 300_000,
            pause_ms: 300_000,
        };
        let fees = vec![LevelFees { maker: FeePpm(500), taker: FeePpm(500) }];
        let step = Amount::whole(1);
        let listed = MarketParams {
            market: STOCK,
            symbol: "AAPLUSDT".into(),
            base: asset,
            step,
            fees,
            stock: Some(terms),
            ..params()
        };
        self.run(Command::Market(STOCK, MarketCommand::List(Box::new(listed))));
        let calendar = CalendarParams {
            calendar: CALENDAR,
            version: 0,
            name: "NYSE".into(),
            zone: "America/New_York".into(),
            sessions: Vec::new(),
            markets: vec![STOCK],
        };
        self.run(Command::Calendar(CALENDAR, CalendarCommand::SetParams(Box::new(calendar))));
        let listing =
            PriceListed { price: STOCK_PRICE, symbol: "AAPLUSDT".into(), hearers: vec![EntityId::Market(STOCK)] };
        self.run(Command::Price(STOCK_PRICE, PriceCommand::List(listing)));
        let said = SourcePrice { source: 1, price: Amount::whole(190) };
        self.run(Command::Price(STOCK_PRICE, PriceCommand::Push(said)));
        for n in 0..2 {
            let items = vec![GrantItem { wallet: Wallet::Spot, asset, amount: Amount::whole(7 + n) }];
            let kind = GrantKind::Correction;
            self.run(Command::Account(user(n as u64), AccountCommand::Grant { kind, items }));
        }
        let dividend = ActionKind::Dividend { per_share: Amount(ONE / 4), withheld_ppm: 300_000 };
        for (id, kind) in [(1, ActionKind::Split { new: 3, old: 2 }), (2, dividend)] {
            self.run(Command::Market(STOCK, MarketCommand::SetAction { id, kind }));
            while self.stock.deadline() == Some(Deadline::Elapsed(0)) {
                self.run(Command::Market(STOCK, MarketCommand::Timer));
            }
        }
    }

    /// Copy trading: a trader whom two follow, a copy that is closed, one that is skipped, one that is kept.
    pub(super) fn copies(&mut self) {
        let (trader, ann, bob) = (AccountId(200_001), AccountId(200_002), AccountId(200_003));
        [trader, ann].into_iter().for_each(|who| self.fund(who));
        let copying = |who, command| Command::Account(who, AccountCommand::Copy(command));
        self.tick(100);
        self.run(copying(trader, CopyCommand::SetTrader(Some(TraderTerms { asset: USDT, share_ppm: 100_000 }))));
        for (who, kind, number) in [(ann, FollowKind::Multiple, 1_500), (bob, FollowKind::Lots, 2)] {
            self.run(copying(who, CopyCommand::Follow { trader, terms: FollowTerms { kind, number } }));
        }
        for closes in [true, false] {
            let (direction, mode, stops) = (Direction::Long, MarginMode::Isolated, Stops::default());
            let wanted = OpenTicket {
                contract: CONTRACT,
                version: 0,
                direction,
                mode,
                lots: Lots(100),
                multiple: 20,
                target: None,
                stops,
            };
            self.run(Command::Account(trader, AccountCommand::Tickets(TicketCommand::Open(wanted))));
            self.follow_trader(trader);
            if closes {
                self.tick(101);
                let all = TicketCommand::CloseAll { contract: None, direction: None };
                self.run(Command::Account(trader, AccountCommand::Tickets(all)));
                self.follow_trader(trader);
            }
        }
        let copy = self.accounts[&ann].tickets().last().map(Ticket::id).expect("a copy");
        self.run(copying(ann, CopyCommand::Detach(copy)));
        self.follow_trader(trader);
        self.run(copying(bob, CopyCommand::Unfollow { trader }));
    }

    /// What is left for a trader to do.
    fn follow_trader(&mut self, trader: AccountId) {
        while self.traders[&trader].deadline() == Some(Deadline::Elapsed(0)) {
            self.run(Command::Trader(trader, TraderCommand::Timer));
        }
    }

    /// An order of the contract's book, or what changes one.
    fn legs(&mut self, who: AccountId) {
        let orders = self.accounts.get(&who).map_or(&[][..], Account::book_orders);
        let own = orders.first().map(|own| OrderName::Id(own.rests.order));
        let (contract, leg) = (CONTRACT, LegSide::Both);
        let side = if self.roll(2) == 0 { Side::Buy } else { Side::Sell };
        let at_market = self.roll(4) == 0;
        let ticks = if at_market { Ticks(0) } else { Ticks(9_900 + self.roll(200) as i64) };
        let wanted = NewBookOrder {
            contract,
            versions: (0, 0),
            side,
            leg,
            kind: if at_market { OrderKind::Market } else { OrderKind::Limit },
            tif: if at_market { Tif::Ioc } else { Tif::Gtc },
            stp: [Stp::ExpireTaker, Stp::ExpireMaker][self.roll(2) as usize],
            ticks,
            lots: Lots(1 + self.roll(20) as i64),
            reduce_only: self.roll(6) == 0,
            client_id: (self.roll(3) == 0)
                .then(|| format!("leg-{}", self.records.len()))
                .and_then(|n| ClientOrderId::parse(&n)),
        };
        let command = match (self.roll(12), own) {
            (0, Some(order)) => LegCommand::Cancel(order),
            (1, Some(order)) => LegCommand::Amend { order, lots: Lots(1) },
            (2, _) => LegCommand::SetTerms { contract, multiple: Some(10), mode: Some(MarginMode::Isolated) },
            (3, _) => LegCommand::MoveMargin { contract, leg, amount: Amount::whole(1) },
            (4, _) => {
                let kind = [TriggerKind::StopLoss, TriggerKind::TakeProfit][self.roll(2) as usize];
                let trigger = Trigger { kind, ticks: Ticks(9_900 + self.roll(200) as i64), trail_bips: 0 };
                let working = [WorkingPrice::Mark, WorkingPrice::Last][self.roll(2) as usize];
                let condition = Condition { working, trigger, close_position: false };
                LegCommand::PlaceConditional(Box::new(NewConditional { order: wanted, condition }))
            }
            (5, _) if self.roll(6) == 0 => LegCommand::CancelConditionals(contract),
            _ => LegCommand::Place(wanted),
        };
        self.run(Command::Account(who, AccountCommand::Legs(command)));
    }

    fn transfer(&mut self, who: AccountId) {
        let (from, to) =
            if self.roll(2) == 0 { (Wallet::Spot, Wallet::Funding) } else { (Wallet::Funding, Wallet::Spot) };
        let amount = Amount(1 + i128::from(self.roll(1_000_000_000)));
        self.run(Command::Account(who, AccountCommand::Transfer { asset: USDT, from, to, amount }));
    }

    fn cancel_one(&mut self, who: AccountId) {
        let open: Vec<OrderId> = match self.accounts.get(&who) {
            Some(account) => account.open_orders().map(|o| o.order).collect(),
            None => return,
        };
        if !open.is_empty() {
            let order = open[self.roll(open.len() as u64) as usize];
            self.run(Command::Account(who, AccountCommand::Spot(SpotCommand::Cancel(OrderName::Id(order)))));
        }
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.dice = self.dice.wrapping_add(1);
        xng_core::codec::mix64(self.dice.wrapping_mul(0x9e37_79b9_7f4a_7c15)) % sides
    }

    /// Hold, decide, settle; refusals change nothing.
    pub(super) fn run(&mut self, command: Command) {
        self.run_under(None, command);
    }

    fn run_under(&mut self, request: Option<RequestKey>, command: Command) {
        self.now += SECOND / 200;
        let board = self.board.clone();
        let ctx = Ctx { now: self.now, request, origin: Origin::User, others_wait: false, board: &board };
        let mut decision = self.decide(&command, &ctx);
        let mut decider = command.target();
        while let Decision::Ask(ask) = decision {
            let Ask { command: asked, hold } = *ask;
            // A contract asks an account, and holds nothing.
            let owner = decider.account();
            owner.iter().for_each(|owner| self.account(*owner).place_hold(HoldId(1), hold, None));
            decision = self.decide(&asked, &ctx);
            owner.iter().for_each(|owner| self.account(*owner).release_hold(HoldId(1)));
            decider = asked.target();
        }
        let happened = matches!(decision, Decision::Fact(_));
        if let Decision::Fact(fact) = decision {
            self.append(decider, fact);
        }
        // What is due at once, the market's timer does.
        while self.market.deadline() == Some(Deadline::Elapsed(0)) {
            self.now += 1;
            let ctx = Ctx { now: self.now, ..ctx };
            if let Decision::Fact(fact) = self.market.decide(&MarketCommand::Timer, &ctx) {
                self.append(EntityId::Market(MARKET), fact);
            }
        }
        // So does the contract's, and each account that has a ticket looks at the new mark.
        let is_due = match self.contract.deadline() {
            Some(Deadline::Calendar(due)) => due <= self.now,
            other => other == Some(Deadline::Elapsed(0)),
        };
        if is_due && happened {
            self.run(Command::Contract(CONTRACT, ContractCommand::Timer));
            let owners: Vec<AccountId> =
                self.accounts.values().filter(|a| !a.tickets().is_empty()).map(Account::id).collect();
            owners.into_iter().for_each(|owner| self.run(Command::Account(owner, AccountCommand::Alarm)));
        }
    }

    fn decide(&mut self, command: &Command, ctx: &Ctx<'_>) -> Decision {
        match command {
            Command::Registry((), c) => self.registry.decide(c, ctx),
            Command::Account(id, c) => self.account(*id).decide(c, ctx),
            Command::Market(STOCK, c) => self.stock.decide(c, ctx),
            Command::Market(_, c) => self.market.decide(c, ctx),
            Command::Calendar(_, c) => self.calendar.decide(c, ctx),
            Command::Price(STOCK_PRICE, c) => self.stock_price.decide(c, ctx),
            Command::Price(_, c) => self.price.decide(c, ctx),
            Command::Contract(_, c) => self.contract.decide(c, ctx),
            Command::Seconds(_, c) => self.desk.decide(c, ctx),
            Command::Round(id, c) => self.rounds[id].decide(c, ctx),
            Command::Trader(id, c) => self.traders[id].decide(c, ctx),
            Command::Campaign(id, c) => {
                self.campaigns.entry(*id).or_insert_with(|| Campaign::blank(*id)).decide(c, ctx)
            }
            Command::Chain(_, c) => self.chain.decide(c, ctx),
        }
    }

    fn append(&mut self, decider: EntityId, fact: Fact) {
        let record = Record { time: self.now, decider, cause: Cause::Request, origin: Origin::User, fact };
        let lsn = Lsn(self.records.len() as u64 + 1);
        let mut parties = Vec::new();
        record.fact.parties(decider, |entity, part| parties.push((entity, part)));
        for (entity, part) in parties {
            let applied = Applied { lsn, record: &record };
            match entity {
                EntityId::Registry(()) => self.registry.evolve(applied, part),
                EntityId::Account(id) => {
                    self.account(id).evolve(applied, part);
                    self.accounts[&id].publish(&mut self.board);
                }
                EntityId::Market(STOCK) => self.stock.evolve(applied, part),
                EntityId::Market(_) => self.market.evolve(applied, part),
                EntityId::Calendar(_) => self.calendar.evolve(applied, part),
                EntityId::Chain(_) => self.chain.evolve(applied, part),
                EntityId::Campaign(id) => {
                    self.campaigns.entry(id).or_insert_with(|| Campaign::blank(id)).evolve(applied, part);
                }
                EntityId::Price(STOCK_PRICE) => self.stock_price.evolve(applied, part),
                EntityId::Price(_) => {
                    self.price.evolve(applied, part);
                    self.price.publish(&mut self.board);
                }
                EntityId::Contract(_) => {
                    self.contract.evolve(applied, part);
                    self.contract.publish(&mut self.board);
                }
                EntityId::Seconds(_) => {
                    self.desk.evolve(applied, part);
                    self.desk.publish(&mut self.board);
                }
                EntityId::Trader(id) => {
                    self.traders.entry(id).or_insert_with(|| Trader::blank(id)).evolve(applied, part);
                }
                EntityId::Round(id) => {
                    let round = self.rounds.entry(id).or_insert_with(|| Round::blank(id));
                    round.evolve(applied, part);
                    if round.has_ended() {
                        self.rounds.remove(&id);
                    }
                }
            }
        }
        self.records.push(record);
    }

    /// An account as its owner sees it.
    pub(super) fn view(&self, id: AccountId) -> AccountView {
        let ctx =
            Ctx { now: self.now, request: None, origin: Origin::User, others_wait: false, board: Board::nothing() };
        match self.accounts[&id].decide(&AccountCommand::View, &ctx) {
            Decision::Reply(Reply::View(View::Account(view))) => *view,
            other => panic!("not a view: {other:?}"),
        }
    }

    /// What became of everybody's orders.
    pub(super) fn histories(&self) -> Histories {
        let mut histories = Histories::since(Place::default(), []);
        (1..).zip(&self.records).for_each(|(lsn, record)| histories.follow(Lsn(lsn), record));
        histories
    }

    fn account(&mut self, id: AccountId) -> &mut Account {
        self.accounts.entry(id).or_insert_with(|| Account::blank(id))
    }
}
