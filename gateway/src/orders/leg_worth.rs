//! What an account's positions in contracts' books are worth at the marks of now.
//!
//! Owns: values, margins, liquidation prices as calls tell them. Never does: decide by them; the engine has its
//! own. Invariants: all numbers of an answer are of one moment; sums are exact until they are shown. Known limits: a position of
//! a contract whose mark is old is valued at that mark; the break-even price is that of entry.

use super::book_contract::Listed;
use xng_core::account::{AccountView, LegsView, OwnLeg, OwnOrder};
use xng_core::contract::brackets::{Tier, initial_margin};
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::contract::liquidation::Holding;
use xng_core::contract::pool::{Held, Pool, transferable};
use xng_core::fraction::Fraction;
use xng_core::ids::{AssetId, Wallet};
use xng_core::money::{Amount, Exact, ONE};

/// A position at its mark.
#[derive(Debug, Clone, Copy)]
pub struct Valued<'a> {
    /// The position.
    pub own: &'a OwnLeg,
    /// Its contract.
    pub listed: &'a Listed,
}

impl Valued<'_> {
    /// Quantity of the base.
    #[must_use]
    pub fn base(&self) -> Amount {
        self.own.units.base(self.own.leg.lots)
    }

    /// Whether it is long.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.own.leg.direction == Direction::Long
    }

    fn value(&self) -> Fraction {
        Fraction::value(self.listed.face.mark, self.base())
    }

    /// Value at the mark, below zero of a short one.
    #[must_use]
    pub fn notional(&self) -> Amount {
        let value = self.value().round8();
        if self.is_long() { value } else { -value }
    }

    /// What it gained so far.
    #[must_use]
    pub fn unrealised(&self) -> Amount {
        self.exact_unrealised().round8()
    }

    fn exact_unrealised(&self) -> Fraction {
        self.own.leg.unrealised(self.listed.face.mark, &self.own.units)
    }

    /// The same, with funding that is not settled yet.
    fn gain(&self) -> Fraction {
        self.exact_unrealised().plus(self.funding().into())
    }

    /// What it gained so far, in percent of its margin at opening.
    #[must_use]
    pub fn roe(&self) -> Amount {
        let gained = self.exact_unrealised().by(i128::from(self.own.leg.multiple) * 100 * ONE);
        gained.over(self.own.leg.cost.into()).round8()
    }

    /// The price of entry.
    #[must_use]
    pub fn entry(&self) -> Amount {
        Fraction::from(self.own.leg.cost).by(ONE).over(self.base().into()).round8()
    }

    /// Margin at opening, at the mark.
    #[must_use]
    pub fn initial(&self) -> Amount {
        initial_margin(self.value(), self.own.leg.multiple)
    }

    fn tier(&self) -> Tier {
        self.listed.face.params.brackets.tier_of(self.value())
    }

    fn exact_maintenance(&self) -> Fraction {
        self.tier().maintenance(self.value())
    }

    /// What must stay.
    #[must_use]
    pub fn maintenance(&self) -> Amount {
        self.exact_maintenance().round8()
    }

    /// Whether it may lose its own margin only.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.own.leg.mode == MarginMode::Isolated
    }

    /// Funding that it gets and that is not settled yet; what it owes is negative.
    #[must_use]
    pub fn funding(&self) -> Amount {
        self.own.leg.funding(self.listed.funding_index)
    }
}

/// All positions and orders of an account with their contracts.
#[derive(Debug)]
pub struct Worth<'a> {
    view: &'a AccountView,
    /// Orders, with the marks of their contracts.
    orders: Vec<(&'a OwnOrder, Amount)>,
    /// Positions, by contract and side.
    pub positions: Vec<Valued<'a>>,
    /// Cross tickets at their index: margin, margin at opening, result.
    tickets: Vec<(AssetId, Amount, Amount, Fraction)>,
}

impl<'a> Worth<'a> {
    /// Of these.
    #[must_use]
    pub fn new(view: &'a AccountView, legs: &'a LegsView, contracts: &'a [Listed]) -> Worth<'a> {
        let find = |contract| contracts.iter().find(|listed| listed.id == contract);
        let valued = |own: &'a OwnLeg| Some(Valued { own, listed: find(own.units.contract)? });
        let ticket = |ticket: &xng_core::account::Ticket| {
            let result = find(ticket.terms.contract).map_or(Fraction::ZERO, |c| ticket.result(c.face.index.0));
            (ticket.terms.settle, ticket.margin, ticket.terms.margin, result)
        };
        let tickets = view.tickets.iter().filter(|ticket| ticket.is_cross()).map(ticket).collect();
        let positions = legs.legs.iter().filter_map(valued).collect();
        let mark = |own: &OwnOrder| find(own.units.contract).map_or(Amount::ZERO, |listed| listed.face.mark);
        let orders = legs.orders.iter().map(|own| (own, mark(own))).collect();
        Worth { view, orders, positions, tickets }
    }

    fn balance(&self, wallet: Wallet, asset: AssetId) -> (Amount, Amount) {
        let found = self.view.balances.iter().find(|b| (b.wallet, b.asset) == (wallet, asset));
        found.map_or((Amount::ZERO, Amount::ZERO), |b| (b.available, b.locked))
    }

    fn of(&self, asset: AssetId) -> impl Iterator<Item = &Valued<'a>> {
        self.positions.iter().filter(move |p| p.own.units.settle == asset)
    }

    fn cross(&self, asset: AssetId) -> impl Iterator<Item = &Valued<'a>> {
        self.of(asset).filter(|p| !p.is_isolated())
    }

    /// Assets of the futures wallet and its results.
    #[must_use]
    pub fn assets(&self) -> Vec<AssetId> {
        let ours = self.view.balances.iter().filter(|b| matches!(b.wallet, Wallet::Futures | Wallet::Pnl));
        let mut assets: Vec<AssetId> = ours.map(|b| b.asset).collect();
        assets.sort_unstable();
        assets.dedup();
        assets
    }

    /// What is there, results that are not settled among it.
    #[must_use]
    pub fn wallet(&self, asset: AssetId) -> Amount {
        let (available, locked) = self.balance(Wallet::Futures, asset);
        available + locked + self.balance(Wallet::Pnl, asset).0
    }

    /// What of it no isolated position has.
    #[must_use]
    pub fn cross_wallet(&self, asset: AssetId) -> Amount {
        let isolated = self.of(asset).filter(|p| p.is_isolated());
        self.wallet(asset) - isolated.map(|p| p.own.leg.margin).sum::<Amount>()
    }

    /// What positions gained so far.
    #[must_use]
    pub fn unrealised(&self, asset: AssetId) -> Amount {
        self.of(asset).map(Valued::unrealised).sum()
    }

    /// The same of cross positions.
    #[must_use]
    pub fn cross_unrealised(&self, asset: AssetId) -> Amount {
        self.cross(asset).map(Valued::unrealised).sum()
    }

    /// Margin at opening of positions.
    #[must_use]
    pub fn position_initial(&self, asset: AssetId) -> Amount {
        self.of(asset).map(Valued::initial).sum()
    }

    /// The pool that cross positions are in.
    #[must_use]
    pub fn pool(&self, asset: AssetId) -> Pool {
        let tickets = self.tickets.iter().filter(|(settle, ..)| *settle == asset);
        let pool = Pool::of(self.cash(asset));
        let pool = tickets.fold(pool, |pool, (_, margin, origin, result)| pool.and_ticket(*margin, *origin, *result));
        self.cross(asset).fold(pool, |pool, p| pool.and_leg(p.gain(), p.exact_maintenance()))
    }

    /// What a position may lose before it is liquidated, in percent of twice its maintenance: its own, or its pool's; 50 is
    /// the end.
    #[must_use]
    pub fn risk(&self, position: &Valued<'_>) -> Option<Exact> {
        let own = || Pool::of(position.own.leg.margin).and_leg(position.gain(), position.exact_maintenance());
        if position.is_isolated() { own().risk() } else { self.pool(position.own.units.settle).risk() }
    }

    /// The price at which nothing is left of what a position may lose; none when no price above zero is.
    #[must_use]
    pub fn bankruptcy(&self, position: &Valued<'_>) -> Option<Amount> {
        let (own, base) = (position.own, position.base());
        let (cost, margin) = if position.is_isolated() {
            (own.leg.cost, own.leg.margin + position.funding())
        } else {
            // Its share of the pool, from the mark on.
            let pool = self.pool(own.units.settle);
            let share = pool.equity.times(position.exact_maintenance().over(pool.maintenance)).floor8();
            (position.value().round8(), share)
        };
        let holding = Holding { direction: own.leg.direction, base, cost, margin };
        let ticks = holding.bankruptcy_ticks(position.listed.face.params.tick)?;
        Some(own.units.price(ticks))
    }

    /// What must stay of positions.
    #[must_use]
    pub fn maintenance(&self, asset: AssetId) -> Amount {
        self.of(asset).map(Valued::maintenance).sum()
    }

    /// Margins and fees of orders.
    #[must_use]
    pub fn order_initial(&self, asset: AssetId) -> Amount {
        let own = self.orders.iter().filter(|(o, _)| o.units.settle == asset);
        own.map(|(o, _)| o.rests.required(&o.units)).sum()
    }

    /// The same of one contract.
    #[must_use]
    pub fn order_initial_of(&self, listed: &Listed) -> Amount {
        let own = self.orders.iter().filter(|(o, _)| o.units.contract == listed.id);
        own.map(|(o, _)| o.rests.required(&o.units)).sum()
    }

    /// What cross orders need: margins, fees, and what they lose against the marks when they are filled.
    fn cross_orders(&self, asset: AssetId) -> Amount {
        let cross = self.orders.iter().filter(|(o, _)| o.units.settle == asset && o.rests.mode == MarginMode::Cross);
        cross.map(|(o, mark)| o.needs(*mark)).sum()
    }

    fn cash(&self, asset: AssetId) -> Amount {
        self.balance(Wallet::Futures, asset).0 + self.balance(Wallet::Pnl, asset).0
    }

    fn cross_initial(&self, asset: AssetId) -> Amount {
        self.cross(asset).map(Valued::initial).sum()
    }

    /// What new orders may use: what of the pool no margin at opening and no order needs.
    #[must_use]
    pub fn available(&self, asset: AssetId) -> Amount {
        let tickets = self.tickets.iter().filter(|(settle, ..)| *settle == asset);
        let origins: Amount = tickets.map(|(_, _, origin, _)| *origin).sum();
        let needed = self.cross_initial(asset) + self.cross_orders(asset) + origins;
        self.pool(asset).equity.minus(needed.into()).floor8().max(Amount::ZERO)
    }

    /// What may leave the futures wallet.
    #[must_use]
    pub fn withdrawable(&self, asset: AssetId) -> Amount {
        let own = self.tickets.iter().filter(|(settle, ..)| *settle == asset);
        let (mut margins, mut unrealised) = ((Amount::ZERO, Amount::ZERO), Fraction::ZERO);
        for (_, margin, origin, result) in own {
            margins = (margins.0 + *margin, margins.1 + *origin);
            unrealised = unrealised.plus(*result);
        }
        let legs = self.cross(asset).fold(Fraction::ZERO, |sum, p| sum.plus(p.gain()));
        let (available, results) = (self.balance(Wallet::Futures, asset).0, self.balance(Wallet::Pnl, asset).0);
        let (initial, orders) = (self.cross_initial(asset), self.cross_orders(asset));
        let unrealised = unrealised.plus(legs);
        transferable(&Held { available, results, margins, unrealised, initial, orders }).min(available)
    }

    /// The price at which a position is liquidated, all others at their marks; zero when there is none.
    #[must_use]
    pub fn liquidation(&self, position: &Valued<'_>) -> Amount {
        let (own, asset) = (position.own, position.own.units.settle);
        let margin = if position.is_isolated() {
            own.leg.margin + position.funding()
        } else {
            let others = self.cross(asset).filter(|p| !std::ptr::eq(p.own, own));
            let others = others.fold(Fraction::ZERO, |sum, p| {
                sum.plus(p.exact_unrealised()).minus(p.exact_maintenance()).plus(p.funding().into())
            });
            let tickets = self.tickets.iter().filter(|(settle, ..)| *settle == asset);
            let tickets = tickets.fold(Fraction::ZERO, |sum, (_, margin, origin, result)| {
                sum.plus((*margin).into()).plus(*result).minus(Fraction::new(origin.0, 2))
            });
            let cash = Fraction::from(self.cash(asset) + position.funding());
            cash.plus(others).plus(tickets).floor8()
        };
        let (direction, base, cost) = (own.leg.direction, position.base(), own.leg.cost);
        let params = &position.listed.face.params;
        let found = Holding { direction, base, cost, margin }.liquidation_ticks(&params.brackets, params.tick);
        found.map_or(Amount::ZERO, |(ticks, _)| own.units.price(ticks))
    }
}
