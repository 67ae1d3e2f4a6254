//! What clients, prices, the house and operators do about stocks.
//!
//! Owns: two markets of stocks with calendars of short days, random orders, actions, sessions. Never does: look at the engine; it
//! asks the auditor what is in force. Invariants: commands are what a gateway could send. Known limits: prices do not follow
//! splits; the feed says the old price soon after one.

use crate::auditor::Auditor;
use crate::rng::Rng;
use crate::traffic::{FIRST_USER, HOUSE, SETTLE, Setting, some_order};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, SpotCommand};
use xng_core::entity::{Command, TimeNs};
use xng_core::ids::{AccountId, AssetId, ClientOrderId, EntityId, MarketId, PriceId, Wallet};
use xng_core::money::{Amount, FeePpm, Lots, MAX_AMOUNT, ONE, Ticks};
use xng_core::price::{PriceCommand, PriceListed, SourcePrice};
use xng_core::registry::{AssetListed, RegistryCommand};
use xng_core::spot::{
    Leg, LevelFees, MarketCommand, MarketParams, MarketState, NewOrder, OrderGroup, OrderKind, QuoteLevel, Replaced,
    Side, Stp, Terms, Tif, Trigger, TriggerKind,
};
use xng_core::stock::calendar::{CalendarCommand, CalendarParams, Session};
use xng_core::stock::{ActionKind, CalendarId, StepTable, StockTerms};

const MS: u64 = 1_000_000;
/// Users who hold stocks, of many: an action asks one after the other.
const HOLDERS: u64 = 40;
/// Sessions of a list: few, so that hours that pass at once are not all sessions.
const SESSIONS: u64 = 24;
/// A day has so many parts.
const PARTS: u64 = 20;

/// A market of stocks of a seed.
#[derive(Debug, Clone)]
pub(crate) struct Stock {
    params: MarketParams,
    calendar: CalendarId,
    /// Middle of its prices, in steps.
    middle: i64,
    /// Ticks of a step.
    step: i64,
    /// Milliseconds of a part of a day.
    part: u64,
    /// Sessions of a day, in parts of it.
    sessions: &'static [(u64, u64)],
}

impl Stock {
    /// One as in New York, at about 10, and one as in Hong Kong, at about 3.
    pub(crate) fn draw(rng: &mut Rng) -> [Stock; 2] {
        let tick = |parts: i128| Amount(ONE / parts);
        let us = Stock::of(rng, (384, SETTLE), (tick(100), Amount::whole(1)), StepTable::Flat);
        let hk = Stock::of(rng, (385, AssetId(4)), (tick(1_000), Amount::whole(100)), StepTable::Hk2025);
        [
            Stock { middle: 1_000, step: 1, sessions: &[(1, 13)], ..us },
            Stock { middle: 300, step: 10, sessions: &[(1, 9), (11, 17)], ..hk },
        ]
    }

    fn of(rng: &mut Rng, (market, quote): (u16, AssetId), (tick, lot): (Amount, Amount), steps: StepTable) -> Stock {
        let calendar = CalendarId(market - 383);
        let terms = StockTerms {
            calendar,
            steps,
            queues: rng.chance(7, 8),
            pause_ppm: 100_000,
            pause_window_ms: rng.pick(&[1_000, 10_000]) as u32,
            pause_ms: rng.pick(&[500, 4_000]) as u32,
        };
        let params = MarketParams {
            market: MarketId(market),
            version: 0,
            symbol: format!("M{market}"),
            base: AssetId(10_000 + u32::from(market)),
            quote,
            tick,
            step: lot,
            min_lots: Lots(1),
            max_lots: Lots(1_000_000),
            min_notional: Amount::ZERO,
            band_ppm: 500_000,
            protection_ppm: 100_000,
            max_open_orders: rng.pick(&[5, 50, 1_000]) as u32,
            fees: vec![
                LevelFees { maker: FeePpm(500), taker: FeePpm(500) },
                LevelFees { maker: FeePpm(0), taker: FeePpm(1_000) },
            ],
            stale_after_ms: rng.pick(&[0, 5_000, 60_000]) as u32,
            house_quoted: rng.chance(1, 3),
            stock: Some(terms),
        };
        Stock { params, calendar, middle: 0, step: 1, part: rng.pick(&[100, 400, 3_000]), sessions: &[] }
    }

    /// Its calendar, with days from a time on.
    fn days(&self, version: u32, from: TimeNs) -> Command {
        let count = self.sessions.len() as u64;
        let day = |n: u64| {
            let begins = from / MS + n * PARTS * self.part;
            let session = move |(at, (open, close)): (usize, &(u64, u64))| Session {
                open_ms: begins + open * self.part,
                close_ms: begins + close * self.part,
                last: at + 1 == self.sessions.len(),
            };
            self.sessions.iter().enumerate().map(session)
        };
        self.set(version, (0..SESSIONS / count).flat_map(day).collect())
    }

    fn set(&self, version: u32, sessions: Vec<Session>) -> Command {
        let (calendar, name, zone) = (self.calendar, format!("V{}", self.calendar), "Etc/UTC".to_owned());
        let params = CalendarParams { calendar, version, name, zone, sessions, markets: vec![self.params.market] };
        Command::Calendar(calendar, CalendarCommand::SetParams(Box::new(params)))
    }

    fn price(&self, steps: i64) -> Command {
        let price = Amount(i128::from(steps * self.step) * self.params.tick.0);
        Command::Price(PriceId(self.params.market.0), PriceCommand::Push(SourcePrice { source: 1, price }))
    }

    fn near(&self, rng: &mut Rng) -> Ticks {
        Ticks((self.middle + rng.below(41) as i64 - 20) * self.step)
    }

    fn limit(&self, rng: &mut Rng) -> NewOrder {
        let (p, side) = (&self.params, rng.pick(&[Side::Buy, Side::Sell]));
        // Now and then a price that is no step where there is a table.
        let beside = i64::from(rng.chance(1, 30));
        let (ticks, lots) = (Ticks(self.near(rng).0 + beside), Lots(1 + rng.below(12) as i64));
        let tif = rng.pick(&[Tif::Gtc, Tif::Gtc, Tif::Day, Tif::Day, Tif::Day, Tif::Ioc, Tif::Fok, Tif::PostOnly]);
        let client_id = rng.chance(1, 6).then(|| ClientOrderId::parse(&format!("n{}", rng.below(20)))).flatten();
        let iceberg = if rng.chance(1, 10) { Lots(1 + lots.0 / 3) } else { Lots::ZERO };
        let (version, asset, amount) = (p.version, p.locked_asset(side), p.lock(side, ticks, lots));
        NewOrder {
            market: p.market,
            side,
            kind: OrderKind::Limit,
            tif,
            stp: rng.pick(Stp::ALL),
            ticks,
            lots,
            budget: Amount::ZERO,
            iceberg,
            client_id,
            terms: Terms { version, asset, amount, capped: false },
        }
    }

    fn at_market(&self, rng: &mut Rng) -> NewOrder {
        let first = NewOrder { kind: OrderKind::Market, tif: Tif::Gtc, iceberg: Lots::ZERO, ..self.limit(rng) };
        let (p, by_quote) = (&self.params, rng.chance(1, 2));
        let worst = Ticks(self.middle * self.step * 6 / 5);
        let budget = p.notional(first.ticks, first.lots) + Amount(i128::from(rng.below(100_000_000)));
        let (amount, capped) = match (first.side, by_quote) {
            (Side::Buy, true) => (budget, false),
            (Side::Buy, false) => (p.lock(Side::Buy, worst, first.lots), true),
            (Side::Sell, true) => (MAX_AMOUNT, true),
            (Side::Sell, false) => (p.base_amount(first.lots), false),
        };
        let (lots, budget) = if by_quote { (Lots::ZERO, budget) } else { (first.lots, Amount::ZERO) };
        NewOrder { ticks: Ticks::ZERO, lots, budget, terms: Terms { amount, capped, ..first.terms }, ..first }
    }

    /// An order that waits for a price, two of which one cancels the other, one that brings another, or one in another's place.
    fn group(&self, rng: &mut Rng, auditor: &Auditor, account: AccountId) -> OrderGroup {
        let (p, first) = (&self.params, NewOrder { iceberg: Lots::ZERO, client_id: None, ..self.limit(rng) });
        let tif = rng.pick(&[Tif::Gtc, Tif::Day, Tif::Day]);
        let waits = |rng: &mut Rng, kind, order: NewOrder| {
            let at_market = NewOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, tif, ..order };
            let order = if rng.chance(1, 2) { at_market } else { NewOrder { tif, ticks: self.near(rng), ..order } };
            Leg { order, trigger: Some(Trigger { kind, ticks: self.near(rng), trail_bips: 0 }) }
        };
        let rests = |tif| Leg { order: NewOrder { tif, ..first }, trigger: None };
        let other = NewOrder { side: first.side.opposite(), ..first };
        let (legs, pending) = match rng.below(5) {
            0 => (vec![waits(rng, TriggerKind::TakeProfit, first)], Vec::new()),
            1 => (vec![waits(rng, TriggerKind::StopLoss, first)], Vec::new()),
            2 => (vec![rests(Tif::PostOnly), waits(rng, TriggerKind::StopLoss, first)], Vec::new()),
            3 => (vec![rests(tif)], vec![waits(rng, TriggerKind::StopLoss, other)]),
            _ => (vec![rests(tif)], Vec::new()),
        };
        let need = |leg: &Leg| match leg.trigger {
            None => p.lock(first.side, leg.order.ticks, leg.order.lots),
            Some(t) => p.lock_waiting(&leg.order, Ticks(t.ticks.0.max(self.middle * self.step)), t.trail_bips),
        };
        let terms = Terms { amount: legs.iter().map(need).max().unwrap_or_default(), ..first.terms };
        let own = auditor.open().find(|(_, open)| open.account == account && open.market == p.market);
        let replaces = own.filter(|_| pending.is_empty() && legs[0].trigger.is_none() && legs.len() == 1);
        let replaces = replaces.map(|(order, _)| Replaced { order, must: rng.chance(1, 2) });
        OrderGroup { market: p.market, replaces, list: None, legs, pending, terms }
    }

    fn ladder(&self, rng: &mut Rng) -> Command {
        let p = &self.params;
        let middle = self.middle + rng.below(9) as i64 - 4;
        let mut levels = Vec::new();
        for n in 1..=1 + rng.below(4) as i64 {
            for (side, at) in [(Side::Buy, middle - n), (Side::Sell, middle + n)] {
                levels.push(QuoteLevel { side, ticks: Ticks(at * self.step), lots: Lots(1 + rng.below(9) as i64) });
            }
        }
        let sum =
            |side| levels.iter().filter(|l| l.side == side).map(|l| p.lock(side, l.ticks, l.lots)).sum::<Amount>();
        let hold = [(p.base, sum(Side::Sell)), (p.quote, sum(Side::Buy))];
        let quote = SpotCommand::Quote { market: p.market, levels, hold, version: p.version };
        Command::Account(HOUSE, AccountCommand::Spot(quote))
    }

    /// Shares for an account, whole ones or not.
    fn shares(&self, account: AccountId, wallet: Wallet, amount: Amount) -> Command {
        let items = vec![GrantItem { wallet, asset: self.params.base, amount }];
        Command::Account(account, AccountCommand::Grant { kind: GrantKind::Correction, items })
    }

    /// Now shares become more, now fewer, so that there are never too many.
    fn action(&self, rng: &mut Rng, auditor: &Auditor) -> Command {
        let last = auditor.last_action(self.params.market);
        let id = if rng.chance(1, 10) { last } else { last + 1 + rng.below(2) as u32 };
        let (new, old) = match id % 4 {
            1 => rng.pick(&[(2, 1), (3, 2), (4, 1)]),
            3 => rng.pick(&[(1, 2), (2, 3), (1, 10)]),
            _ => (0, 0),
        };
        let per_share = Amount(1 + i128::from(rng.below(100_000_000)));
        let dividend = ActionKind::Dividend { per_share, withheld_ppm: rng.pick(&[0, 300_000]) as u32 };
        let kind = if new == 0 { dividend } else { ActionKind::Split { new, old } };
        Command::Market(self.params.market, MarketCommand::SetAction { id, kind })
    }

    /// Sessions anew: days that begin now, an early close, or one of the next sessions left out.
    fn other_sessions(&self, rng: &mut Rng, auditor: &Auditor, now: TimeNs) -> Command {
        let Some(known) = auditor.calendar(self.calendar) else { return self.days(0, now) };
        let mut sessions: Vec<Session> = known.sessions.iter().filter(|s| s.close_ms * MS > now).copied().collect();
        let soon = now / MS + 1 + rng.below(self.part);
        match (rng.below(3), sessions.first_mut()) {
            (0, Some(first)) if first.open_ms < soon && soon < first.close_ms => {
                first.close_ms = soon;
                if !first.last {
                    first.last = true;
                    // The day ends with it.
                    sessions.remove(1);
                }
            }
            (1, Some(_)) => drop(sessions.remove(rng.below(2).min(sessions.len() as u64 - 1) as usize)),
            _ => return self.days(known.version, now),
        }
        self.set(known.version, sessions)
    }
}

impl Setting {
    fn stock(&self, rng: &mut Rng) -> &Stock {
        &self.stocks[rng.below(2) as usize]
    }

    /// Everything about stocks that must happen before anybody trades.
    pub(crate) fn stock_opening(&self, now: TimeNs) -> Vec<Command> {
        let mut commands = Vec::new();
        for stock in &self.stocks {
            let (p, asset) = (&stock.params, stock.params.base);
            let listed = AssetListed { asset, name: format!("A{asset}"), wallets: Wallet::ACCOUNTS.to_vec() };
            commands.push(Command::Registry((), RegistryCommand::ListAsset(listed)));
            commands.push(Command::Market(p.market, MarketCommand::List(Box::new(p.clone()))));
            let (price, symbol) = (PriceId(p.market.0), p.symbol.clone());
            let listed = PriceListed { price, symbol, hearers: vec![EntityId::Market(p.market)] };
            commands.push(Command::Price(price, PriceCommand::List(listed)));
            commands.push(stock.days(0, now));
            commands.push(stock.price(stock.middle));
            let whole = p.step.0 * 100;
            commands.push(stock.shares(HOUSE, Wallet::Spot, Amount(whole * 10)));
            for n in 0..self.users.min(HOLDERS) {
                let user = AccountId(FIRST_USER + n);
                commands.push(stock.shares(user, Wallet::Spot, Amount(whole / 2)));
                if n % 3 == 0 {
                    commands.push(stock.shares(user, Wallet::Funding, Amount(whole / 4 + whole / 7)));
                }
            }
        }
        commands
    }

    /// A command of an account about stocks, and whether it comes with a request key.
    pub(crate) fn stock_command(&self, rng: &mut Rng, auditor: &Auditor, account: AccountId) -> AccountCommand {
        let stock = self.stock(rng);
        let command = match rng.below(12) {
            0 | 1 => SpotCommand::Place(stock.at_market(rng)),
            2 | 3 => SpotCommand::PlaceGroup(Box::new(stock.group(rng, auditor, account))),
            4 => SpotCommand::Cancel(some_order(rng, auditor, account)),
            5 if rng.chance(1, 3) => SpotCommand::CancelAll(stock.params.market),
            6 if rng.chance(1, 2) => {
                let (order, lots) = (some_order(rng, auditor, account), Lots(1 + rng.below(5) as i64));
                SpotCommand::Amend { order, lots, client_id: None }
            }
            7 if rng.chance(1, 3) => {
                let (from, to) = rng.pick(&[(Wallet::Spot, Wallet::Funding), (Wallet::Funding, Wallet::Spot)]);
                let amount = Amount(stock.params.step.0 * (1 + i128::from(rng.below(200))) / 3);
                return AccountCommand::Transfer { asset: stock.params.base, from, to, amount };
            }
            _ => SpotCommand::Place(stock.limit(rng)),
        };
        AccountCommand::Spot(command)
    }

    /// A tick of a stock, often with the house's ladder; now and then one that pauses its market. Whoever keeps its calendar adds
    /// days before there are none.
    pub(crate) fn stock_prices(&self, rng: &mut Rng, auditor: &Auditor, now: TimeNs) -> Vec<Command> {
        let stock = self.stock(rng);
        let known = auditor.calendar(stock.calendar);
        if let Some(known) = known.filter(|known| known.sessions.last().is_none_or(|last| last.close_ms * MS <= now)) {
            return vec![stock.days(known.version, now)];
        }
        let near = stock.middle + rng.below(5) as i64 - 2;
        let ticks = if rng.chance(1, 12) { stock.middle * rng.pick(&[88, 112, 110, 90]) / 100 } else { near };
        // A jump counts when it is said twice.
        let mut commands = vec![stock.price(ticks), stock.price(ticks)];
        if rng.chance(2, 3) {
            commands.push(stock.ladder(rng));
        }
        commands
    }

    /// What operators do about stocks.
    pub(crate) fn stock_operator(&self, rng: &mut Rng, auditor: &Auditor, now: TimeNs) -> Command {
        let stock = self.stock(rng);
        match rng.below(10) {
            0..=4 => stock.action(rng, auditor),
            5 | 6 => stock.other_sessions(rng, auditor, now),
            7 => {
                let rare = rng.pick(&[MarketState::CancelOnly, MarketState::Halt]);
                let state = if rng.chance(1, 4) { rare } else { MarketState::Trading };
                Command::Market(stock.params.market, MarketCommand::SetState(state))
            }
            // Shares are given, or all of a wallet's taken.
            8 => {
                let (wallet, user) = (rng.pick(&Wallet::ACCOUNTS), self.user(rng));
                let lots = 1 + i128::from(rng.below(300));
                stock.shares(user, wallet, Amount(stock.params.step.0 * lots / 3 + 1))
            }
            _ => {
                let user = AccountId(FIRST_USER + rng.below(self.users.min(HOLDERS)));
                let all =
                    auditor.wallets(user).find(|(_, asset, has)| *asset == stock.params.base && has.available > 0);
                let (wallet, has) = all.map_or((Wallet::Spot, 0), |(wallet, _, has)| (wallet, has.available));
                stock.shares(user, wallet, Amount(-has))
            }
        }
    }
}
