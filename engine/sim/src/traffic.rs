//! What clients ask: random commands of every kind, most with request keys, some repeated.
//!
//! Owns: a seed's users, markets and prices. Never does: look at the engine; it asks the auditor what is open.
//! Invariants: commands are what a gateway could send. Known limits: prices move by chance only.

use crate::auditor::Auditor;
use crate::dice::Dice;
use xng_core::account::facts::{AccountStatus, GrantItem, GrantKind};
use xng_core::account::{AccountCommand, OrderName, Property, SpotCommand};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, ClientOrderId, MarketId, OrderId, PriceId, Wallet};
use xng_core::money::{Amount, FeePpm, Lots, MAX_AMOUNT, Ticks};
use xng_core::price::{PriceCommand, PriceListed, SourcePrice};
use xng_core::registry::{AssetListed, RegistryCommand};
use xng_core::spot::{
    Leg, LevelFees, MarketCommand, MarketParams, MarketState, NewOrder, OrderGroup, OrderKind, QuoteLevel, Replaced,
    Side, Stp, Terms, Tif, Trigger, TriggerKind,
};

/// The house.
pub const HOUSE: AccountId = AccountId(1_000);
const FIRST_USER: u64 = 100_001;
const ASSETS: [AssetId; 4] = [AssetId(1), AssetId(2), AssetId(3), AssetId(4)];
const WALLETS: [Wallet; 5] = [Wallet::Funding, Wallet::Spot, Wallet::Futures, Wallet::Options, Wallet::Earn];

/// What a seed's exchange is like.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Users.
    pub users: u64,
    /// What the house has of each asset; with little, its ladders take all of it.
    pub inventory: i64,
    /// Markets, with the middle of their prices in ticks.
    pub markets: Vec<(MarketParams, i64)>,
}

impl Setting {
    /// Draws one.
    pub fn draw(dice: &mut Dice) -> Setting {
        let users = dice.pick(&[3, 20, 200, 2_000]);
        let count = 1 + dice.below(4) as u16;
        let pairs = [(1, 3), (2, 3), (2, 1), (4, 3)];
        let markets = (0..count).map(|n| {
            let (base, quote) = pairs[usize::from(n)];
            let (tick, step) = dice.pick(&[(1_000_000, 1_000), (100, 100_000_000), (10, 10_000_000), (100_000_000, 1)]);
            let params = MarketParams {
                market: MarketId(n + 1),
                version: 0,
                symbol: format!("M{}", n + 1),
                base: AssetId(base),
                quote: AssetId(quote),
                tick: Amount(tick),
                step: Amount(step),
                min_lots: Lots(1),
                max_lots: Lots(1_000_000),
                min_notional: Amount::ZERO,
                band_ppm: 900_000,
                protection_ppm: 100_000,
                max_open_orders: dice.pick(&[5, 50, 200]) as u32,
                fees: vec![
                    LevelFees { maker: FeePpm(800), taker: FeePpm(1_000) },
                    LevelFees { maker: FeePpm(0), taker: FeePpm(400) },
                ],
                stale_after_ms: dice.pick(&[0, 0, 5_000]),
                house_quoted: dice.chance(1, 2),
            };
            (params, 1_000 + dice.below(9_000) as i64)
        });
        let markets = markets.collect();
        Setting { users, inventory: dice.pick(&[1, 20, 500, 1_000_000]), markets }
    }

    /// Everything that must happen before anybody trades.
    pub fn opening(&self) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        for asset in ASSETS {
            let listed = AssetListed { asset, name: format!("A{asset}"), wallets: WALLETS.to_vec() };
            commands.push(Command::Registry((), RegistryCommand::ListAsset(listed)));
        }
        for (params, middle) in &self.markets {
            let (market, price) = (params.market, PriceId(params.market.0));
            let listed = PriceListed { price, symbol: params.symbol.clone(), markets: vec![market] };
            commands.push(Command::Market(market, MarketCommand::List(params.clone())));
            commands.push(Command::Price(price, PriceCommand::List(listed)));
            commands.push(self.tick(market, *middle));
        }
        for property in [Property::Vip(1), Property::House(true)] {
            commands.push(Command::Account(HOUSE, AccountCommand::Set(property)));
        }
        commands.push(Command::Account(HOUSE, grant(GrantKind::Opening, self.inventory)));
        let users = (0..self.users).map(|n| AccountId(FIRST_USER + n));
        commands.extend(users.map(|user| Command::Account(user, grant(GrantKind::Opening, 1_000))));
        commands
    }

    /// An index tick at a price in ticks of the market.
    #[must_use]
    pub fn tick(&self, market: MarketId, ticks: i64) -> Command {
        let tick = self.markets[usize::from(market.0) - 1].0.tick.0;
        let said = SourcePrice { source: 1, price: Amount(i128::from(ticks) * tick) };
        Command::Price(PriceId(market.0), PriceCommand::Push(said))
    }

    /// A market by chance.
    pub fn market(&self, dice: &mut Dice) -> (&MarketParams, i64) {
        let (params, middle) = &self.markets[dice.below(self.markets.len() as u64) as usize];
        (params, *middle)
    }

    /// A user by chance; a few act much more often than the others.
    pub fn user(&self, dice: &mut Dice) -> AccountId {
        let among = if dice.chance(1, 2) { self.users.min(5) } else { self.users };
        AccountId(FIRST_USER + dice.below(among))
    }

    /// The house's ladder around the middle; sometimes all that it has in one level.
    pub fn ladder(&self, dice: &mut Dice, auditor: &Auditor) -> Command {
        let (params, middle) = self.market(dice);
        let all_in = dice.chance(1, 3).then(|| dice.pick(&[Side::Buy, Side::Sell]));
        let (middle, levels) = (middle + dice.below(21) as i64 - 10, 1 + dice.below(8) as i64);
        let level = |side, ticks: i64, dice: &mut Dice| QuoteLevel {
            side,
            ticks: Ticks(ticks),
            lots: Lots(1 + dice.below(20) as i64),
        };
        let mut list = Vec::new();
        for n in 0..levels {
            list.push(level(Side::Buy, middle - 1 - n, dice));
            list.push(level(Side::Sell, middle + 1 + n, dice));
        }
        if let Some(side) = all_in {
            let ticks = Ticks(middle + dice.below(21) as i64 - 10);
            let (asset, one) = (params.locked_asset(side), params.lock(side, ticks, Lots(1)));
            let owned = auditor.wallets(HOUSE).filter(|(w, a, _)| (*w, *a) == (Wallet::Spot, asset));
            let owned: i128 = owned.map(|(_, _, held)| held.available + held.locked).sum();
            let lots = Lots((owned / one.0).min(i128::from(params.max_lots.0)) as i64);
            list = if lots.is_zero() { Vec::new() } else { vec![QuoteLevel { side, ticks, lots }] };
        }
        let sum = |side: Side| {
            list.iter().filter(|l| l.side == side).map(|l| params.lock(side, l.ticks, l.lots)).sum::<Amount>()
        };
        let hold = [(params.base, sum(Side::Sell)), (params.quote, sum(Side::Buy))];
        let quote = SpotCommand::Quote { market: params.market, levels: list, hold, version: params.version };
        Command::Account(HOUSE, AccountCommand::Spot(quote))
    }

    /// A command of an account by chance, and whether a request key makes sense for it.
    pub fn command(&self, dice: &mut Dice, auditor: &Auditor) -> (AccountId, Command, bool) {
        let account = self.user(dice);
        let (command, keyed) = match dice.weighted(&[50, 8, 15, 2, 10, 3, 3, 2, 1, 16, 4]) {
            0 => (AccountCommand::Spot(SpotCommand::Place(self.limit(dice))), true),
            1 => (AccountCommand::Spot(SpotCommand::Place(self.market_order(dice))), true),
            2 => (AccountCommand::Spot(SpotCommand::Cancel(some_order(dice, auditor, account))), true),
            3 => (AccountCommand::Spot(SpotCommand::CancelAll(self.market(dice).0.market)), true),
            4 => (transfer(dice), true),
            5 => (grant(GrantKind::Correction, 1 + dice.below(50) as i64), true),
            6 => (AccountCommand::View, false),
            7 => (AccountCommand::Request(u128::from(dice.below(1_000))), false),
            9 => (AccountCommand::Spot(SpotCommand::PlaceGroup(Box::new(self.group(dice, auditor, account)))), true),
            10 => {
                let (order, lots) = (some_order(dice, auditor, account), lots(dice));
                (AccountCommand::Spot(SpotCommand::Amend { order, lots, client_id: None }), true)
            }
            _ => {
                let status = if dice.chance(1, 4) { AccountStatus::Locked } else { AccountStatus::Active };
                let level = Property::Vip(dice.below(2) as u8);
                (AccountCommand::Set(if dice.chance(1, 2) { Property::Status(status) } else { level }), false)
            }
        };
        (account, Command::Account(account, command), keyed)
    }

    /// What operators do, rarely.
    pub fn operator(&self, dice: &mut Dice) -> Command {
        let market = self.market(dice).0.market;
        let state =
            dice.pick(&[MarketState::Trading, MarketState::Trading, MarketState::CancelOnly, MarketState::Halt]);
        match dice.below(3) {
            0 => Command::Market(market, MarketCommand::ReserveTradeIds(1 + dice.below(50) as u32)),
            _ => Command::Market(market, MarketCommand::SetState(state)),
        }
    }

    fn limit(&self, dice: &mut Dice) -> NewOrder {
        let (p, middle) = self.market(dice);
        let side = dice.pick(&[Side::Buy, Side::Sell]);
        let ticks = Ticks(middle + dice.below(41) as i64 - 20);
        let lots = lots(dice);
        let tif = dice.pick(&[Tif::Gtc, Tif::Gtc, Tif::Gtc, Tif::Gtc, Tif::Ioc, Tif::Fok, Tif::PostOnly]);
        let name = dice.chance(1, 5).then(|| ClientOrderId::parse(&format!("n{}", dice.below(20)))).flatten();
        let terms =
            Terms { version: p.version, asset: p.locked_asset(side), amount: p.lock(side, ticks, lots), capped: false };
        let (market, kind, budget, client_id) = (p.market, OrderKind::Limit, Amount::ZERO, name);
        let iceberg = if dice.chance(1, 6) { Lots(1 + lots.0 / (2 + dice.below(6) as i64)) } else { Lots::ZERO };
        NewOrder { market, side, kind, tif, stp: stp(dice), ticks, lots, budget, iceberg, client_id, terms }
    }

    /// An order that waits, a list of two, either in the place of an open order, or an order that brings others.
    fn group(&self, dice: &mut Dice, auditor: &Auditor, account: AccountId) -> OrderGroup {
        let first = NewOrder { iceberg: Lots::ZERO, ..self.limit(dice) };
        let (params, middle) = &self.markets[usize::from(first.market.0) - 1];
        let near = |dice: &mut Dice| Ticks(middle + dice.below(41) as i64 - 20);
        let waits = |dice: &mut Dice, kind| {
            let tif = dice.pick(&[Tif::Gtc, Tif::Ioc, Tif::Fok]);
            let trail_bips = dice.pick(&[0, 0, 0, 20, 100]) as u32;
            let ticks = if trail_bips > 0 && dice.chance(1, 2) { Ticks::ZERO } else { near(dice) };
            let at_market = dice.chance(1, 2);
            let (kind_of, limit) =
                if at_market { (OrderKind::Market, Ticks::ZERO) } else { (OrderKind::Limit, near(dice)) };
            let order = NewOrder { kind: kind_of, tif, ticks: limit, client_id: None, ..first };
            Leg { order, trigger: Some(Trigger { kind, ticks, trail_bips }) }
        };
        let resting = |tif| Leg { order: NewOrder { tif, ..first }, trigger: None };
        let brings = dice.chance(1, 4);
        let legs = match dice.below(6) {
            _ if brings => vec![resting(first.tif)],
            0 => vec![waits(dice, TriggerKind::TakeProfit)],
            1 | 2 => vec![waits(dice, TriggerKind::StopLoss)],
            3 => vec![waits(dice, TriggerKind::TakeProfit), waits(dice, TriggerKind::StopLoss)],
            4 => vec![resting(Tif::PostOnly), waits(dice, TriggerKind::StopLoss)],
            _ => vec![resting(first.tif)],
        };
        let need = |leg: &Leg| match leg.trigger {
            None => params.lock(first.side, leg.order.ticks, leg.order.lots),
            Some(t) => params.lock_waiting(&leg.order, Ticks(t.ticks.0.max(*middle)), t.trail_bips),
        };
        let amount = legs.iter().map(need).max().unwrap_or_default();
        let terms = Terms { amount, capped: false, ..first.terms };
        let own = auditor.open().find(|(_, open)| open.account == account && open.market == first.market);
        let replaces = own.filter(|_| !brings && (dice.chance(1, 3) || legs[0].trigger.is_none()));
        let pending = if brings { self.brought(dice, &first, *middle) } else { Vec::new() };
        let replaces = replaces.map(|(order, _)| Replaced { order, must: dice.chance(1, 2) });
        let list = dice.chance(1, 3).then(|| ClientOrderId::parse(&format!("l{}", dice.below(20)))).flatten();
        let list = list.filter(|_| legs.len() + pending.len() >= 2);
        OrderGroup { market: first.market, replaces, list, legs, pending, terms }
    }

    /// What an order is to bring: mostly what closes it again, one or two of which one cancels the other.
    fn brought(&self, dice: &mut Dice, first: &NewOrder, middle: i64) -> Vec<Leg> {
        let side = if dice.chance(3, 4) { first.side.opposite() } else { first.side };
        let lots = if dice.chance(3, 4) { first.lots } else { lots(dice) };
        let (near, far) = (dice.below(20) as i64, 1 + dice.below(20) as i64);
        let (above, below) = (Ticks(middle + near), Ticks(middle + near - far));
        let (profit, loss) = if side == Side::Sell { (above, below) } else { (below, above) };
        let order = NewOrder { side, lots, tif: Tif::Gtc, ticks: profit, client_id: None, ..*first };
        let at_market = NewOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, ..order };
        let trigger = |kind, ticks, trail_bips| Some(Trigger { kind, ticks, trail_bips });
        let take = Leg { order: NewOrder { tif: Tif::PostOnly, ..order }, trigger: None };
        let takes_at = Leg { order: at_market, trigger: trigger(TriggerKind::TakeProfit, profit, 0) };
        let stop = Leg { order: at_market, trigger: trigger(TriggerKind::StopLoss, loss, 0) };
        let limit = Leg { order: NewOrder { ticks: loss, ..order }, ..stop };
        let trails = Leg { order: at_market, trigger: trigger(TriggerKind::StopLoss, Ticks::ZERO, 50) };
        match dice.below(7) {
            0 => vec![Leg { order, trigger: None }],
            1 => vec![Leg { order: at_market, trigger: None }],
            2 => vec![stop],
            3 => vec![trails],
            4 => vec![takes_at, stop],
            5 => vec![limit, take],
            _ => vec![take, stop],
        }
    }

    fn market_order(&self, dice: &mut Dice) -> NewOrder {
        let (p, middle) = self.market(dice);
        let side = dice.pick(&[Side::Buy, Side::Sell]);
        let lots = lots(dice);
        let worst = Ticks(middle + middle / 5);
        let by_quote = dice.chance(1, 3);
        let budget = if by_quote { p.notional(Ticks(middle), lots) } else { Amount::ZERO };
        let (amount, capped) = match (side, by_quote) {
            (Side::Buy, true) => (budget, false),
            (Side::Buy, false) => (p.notional(worst, lots), true),
            (Side::Sell, true) => (MAX_AMOUNT, true),
            (Side::Sell, false) => (p.base_amount(lots), false),
        };
        let lots = if by_quote { Lots::ZERO } else { lots };
        let terms = Terms { version: p.version, asset: p.locked_asset(side), amount, capped };
        let (market, kind, tif, ticks) = (p.market, OrderKind::Market, Tif::Gtc, Ticks::ZERO);
        let (iceberg, client_id) = (Lots::ZERO, None);
        NewOrder { market, side, kind, tif, stp: stp(dice), ticks, lots, budget, iceberg, client_id, terms }
    }
}

fn lots(dice: &mut Dice) -> Lots {
    let most = dice.pick(&[3, 30, 300]);
    Lots(1 + dice.below(most) as i64)
}

fn stp(dice: &mut Dice) -> Stp {
    dice.pick(Stp::ALL)
}

fn grant(kind: GrantKind, whole: i64) -> AccountCommand {
    let item = |asset| GrantItem { wallet: Wallet::Spot, asset, amount: Amount::whole(whole) };
    AccountCommand::Grant { kind, items: ASSETS.map(item).to_vec() }
}

fn transfer(dice: &mut Dice) -> AccountCommand {
    let (from, to) = (dice.pick(&WALLETS), dice.pick(&WALLETS));
    let (asset, amount) = (dice.pick(&ASSETS), Amount(i128::from(dice.below(100_000_000_000))));
    AccountCommand::Transfer { asset, from, to, amount }
}

fn some_order(dice: &mut Dice, auditor: &Auditor, account: AccountId) -> OrderName {
    let own: Vec<OrderId> = auditor.open().filter(|(_, o)| o.account == account).map(|(id, _)| id).take(20).collect();
    if own.is_empty() || dice.chance(1, 10) {
        // Another's, an old one, or none at all.
        let any = auditor.open().nth(dice.below(50) as usize).map_or(OrderId(dice.below(100_000)), |(id, _)| id);
        return OrderName::Id(any);
    }
    if dice.chance(1, 10)
        && let Some(name) = ClientOrderId::parse(&format!("n{}", dice.below(20)))
    {
        return OrderName::Client(name);
    }
    OrderName::Id(dice.pick(&own))
}
