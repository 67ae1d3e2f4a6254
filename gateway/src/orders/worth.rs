//! What an account's tickets are worth at the indices of now, and what may leave beside them and positions in books
//! (`docs/rules/contracts.md "Cross pool"`).
//!
//! Owns: sums that pages and events show. Never does: decide; the account does, by the same functions of the engine. Invariants:
//! nothing is valued at another price than the index. Known limits: an index that is too old still values what is shown.

use std::collections::{BTreeMap, BTreeSet};
use xng_core::account::contract::cross;
use xng_core::account::{Balance, LegsView, OwnLeg, Ticket};
use xng_core::board::{Board, ContractFace};
use xng_core::contract::brackets::initial_margin;
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::contract::pool::{Held, Pool, transferable};
use xng_core::fraction::Fraction;
use xng_core::ids::{AssetId, MarketId, Wallet};
use xng_core::money::{Amount, Exact};

/// An account's money and tickets beside the board of contracts.
#[derive(Debug)]
pub struct Worth<'a> {
    board: &'a Board,
    balances: &'a [Balance],
    tickets: &'a [Ticket],
    legs: Option<&'a LegsView>,
    /// Of cross tickets and legs, by what they are paid in; where all indices are known.
    pools: BTreeMap<AssetId, Pool>,
    /// Base of the longs less that of the shorts of a pool in a contract, of tickets and legs.
    nets: BTreeMap<(AssetId, MarketId), Amount>,
}

/// Sums over open tickets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    /// Margins.
    pub margin: Amount,
    /// Margins at opening.
    pub origin: Amount,
    /// Results at the index, each rounded as it is shown.
    pub profits: Amount,
    /// Values at opening.
    pub value: Amount,
}

impl<'a> Worth<'a> {
    /// As of a board: wallets, those of futures among them, and tickets that are open or wait.
    #[must_use]
    pub fn new(board: &'a Board, balances: &'a [Balance], tickets: &'a [Ticket]) -> Worth<'a> {
        let (pools, nets) = (BTreeMap::new(), BTreeMap::new());
        let mut worth = Worth { board, balances, tickets, legs: None, pools, nets };
        for ticket in tickets.iter().filter(|ticket| ticket.is_cross()) {
            let base = match ticket.terms.direction {
                Direction::Long => ticket.terms.base,
                Direction::Short => -ticket.terms.base,
            };
            *worth.nets.entry((ticket.terms.settle, ticket.terms.contract)).or_default() += base;
        }
        let settles: BTreeSet<AssetId> = worth.nets.keys().map(|(settle, _)| *settle).collect();
        let pool = |settle| cross::pool(worth.cash(settle), worth.of(settle), |contract| worth.index(contract));
        worth.pools = settles.into_iter().filter_map(|settle| Some((settle, pool(settle)?))).collect();
        worth
    }

    /// With what it has in contracts' books: cross legs are in the same pools, and less may leave.
    #[must_use]
    pub fn beside(mut self, legs: Option<&'a LegsView>) -> Worth<'a> {
        self.legs = legs;
        let known = |own: &'a OwnLeg| Some((own, self.face(own.units.contract)?));
        let cross = self.own_legs().filter(|own| own.leg.mode == MarginMode::Cross).filter_map(known);
        let cross: Vec<(&OwnLeg, &ContractFace)> = cross.collect();
        for (own, face) in cross {
            let settle = own.units.settle;
            // Without an index of one of its tickets a pool is not known.
            if !self.pools.contains_key(&settle) && self.of(settle).any(Ticket::is_cross) {
                continue;
            }
            let pool = self.pools.get(&settle).copied().unwrap_or_else(|| Pool::of(self.cash(settle)));
            let value = Fraction::value(face.mark, own.units.base(own.leg.lots));
            self.pools.insert(settle, pool.and_leg(own.gain(face), face.params.brackets.maintenance(value)));
            // The mark moves with the index.
            let base = own.units.base(own.leg.lots);
            let signed = if own.leg.direction == Direction::Long { base } else { -base };
            *self.nets.entry((settle, own.units.contract)).or_default() += signed;
        }
        self
    }

    fn own_legs(&self) -> impl Iterator<Item = &'a OwnLeg> + use<'a> {
        self.legs.into_iter().flat_map(|all| &all.legs)
    }

    /// A contract as everybody sees it.
    #[must_use]
    pub fn face(&self, contract: MarketId) -> Option<&'a ContractFace> {
        self.board.contract(contract)
    }

    /// The last index of a contract.
    #[must_use]
    pub fn index(&self, contract: MarketId) -> Option<Amount> {
        self.face(contract).map(|face| face.index).filter(|(_, seq, _)| *seq > 0).map(|(index, ..)| index)
    }

    fn in_wallet(&self, wallet: Wallet, settle: AssetId) -> Amount {
        self.balances.iter().find(|b| (b.wallet, b.asset) == (wallet, settle)).map_or(Amount::ZERO, |b| b.available)
    }

    /// What is available, and results that are not settled yet.
    #[must_use]
    pub fn cash(&self, settle: AssetId) -> Amount {
        self.in_wallet(Wallet::Futures, settle) + self.in_wallet(Wallet::Pnl, settle)
    }

    /// What its tickets and legs are paid in.
    #[must_use]
    pub fn settles(&self) -> BTreeSet<AssetId> {
        let tickets = self.tickets.iter().map(|ticket| ticket.terms.settle);
        tickets.chain(self.own_legs().map(|own| own.units.settle)).collect()
    }

    /// What tickets would gain at the index and legs at the mark, each rounded as it is shown.
    #[must_use]
    pub fn unrealised(&self, settle: AssetId) -> Amount {
        let legs = self.own_legs().filter(|own| own.units.settle == settle);
        let gains = |own: &OwnLeg| Some(own.leg.unrealised(self.face(own.units.contract)?.mark, &own.units).round8());
        self.sums(|ticket| ticket.terms.settle == settle).profits + legs.filter_map(gains).sum::<Amount>()
    }

    fn of(&self, settle: AssetId) -> impl Iterator<Item = &'a Ticket> + use<'a> {
        self.tickets.iter().filter(move |ticket| ticket.terms.settle == settle)
    }

    /// The risk rate of a pool, in percent; none without a cross position.
    #[must_use]
    pub fn risk(&self, settle: AssetId) -> Option<Exact> {
        self.pools.get(&settle)?.risk()
    }

    /// The lowest risk rate of all pools, as it is shown: 0 without a cross position.
    #[must_use]
    pub fn lowest_risk(&self) -> String {
        let lowest = self.pools.values().min_by_key(|pool| pool.equity.over(pool.maintenance));
        lowest.and_then(Pool::risk).map_or_else(|| "0".to_owned(), |rate| rate.to_string())
    }

    /// What an open ticket would gain at the index.
    #[must_use]
    pub fn profit(&self, ticket: &Ticket) -> Amount {
        let index = self.index(ticket.terms.contract).filter(|_| ticket.is_open());
        index.map_or(Amount::ZERO, |index| ticket.result(index).round8())
    }

    /// Sums over those open tickets that are wanted.
    #[must_use]
    pub fn sums(&self, wanted: impl Fn(&Ticket) -> bool) -> Sums {
        let open = self.tickets.iter().filter(|ticket| ticket.is_open() && wanted(ticket));
        open.fold(Sums::default(), |sums, ticket| Sums {
            margin: sums.margin + ticket.margin,
            origin: sums.origin + ticket.terms.margin,
            profits: sums.profits + self.profit(ticket),
            value: sums.value + Fraction::value(ticket.terms.price, ticket.terms.base).round8(),
        })
    }

    /// The risk rate that a ticket has part in, in percent: its own or its pool's; none of one that waits.
    #[must_use]
    pub fn risk_of(&self, ticket: &Ticket) -> Option<Exact> {
        if !ticket.is_open() {
            return None;
        }
        match ticket.terms.mode {
            MarginMode::Cross => self.risk(ticket.terms.settle),
            MarginMode::Isolated => {
                let result = ticket.result(self.index(ticket.terms.contract)?);
                Pool::of(Amount::ZERO).and_ticket(ticket.margin, ticket.terms.margin, result).risk()
            }
        }
    }

    /// The index at which a ticket is liquidated while nothing else moves, to a tick; of a cross ticket that at which its
    /// pool ends.
    #[must_use]
    pub fn liquidation_price(&self, ticket: &Ticket) -> Option<Amount> {
        let tick = self.face(ticket.terms.contract)?.params.tick;
        match ticket.terms.mode {
            _ if !ticket.is_open() => None,
            MarginMode::Isolated => ticket.liquidation_index(tick),
            MarginMode::Cross => self.end_of_pool(ticket, tick),
        }
    }

    fn end_of_pool(&self, ticket: &Ticket, tick: Amount) -> Option<Amount> {
        let (settle, contract) = (ticket.terms.settle, ticket.terms.contract);
        let (pool, index) = (self.pools.get(&settle)?, self.index(contract)?);
        let net = *self.nets.get(&(settle, contract)).filter(|net| !net.is_zero())?;
        let weight = if net.is_negative() { -net } else { net };
        // A share of the index that takes what is left above the end.
        let distance = pool.equity.minus(pool.maintenance).by(index.0).over(Fraction::value(index, weight));
        let (from, step) = (Fraction::from(index), Fraction::from(tick));
        let ticks = if net.is_positive() {
            from.minus(distance).over(step).floor()
        } else {
            from.plus(distance).over(step).ceil()
        };
        (ticks > 0).then_some(Amount(ticks * tick.0))
    }

    /// What may leave the futures wallet.
    #[must_use]
    pub fn transferable(&self, settle: AssetId) -> Amount {
        let available = self.in_wallet(Wallet::Futures, settle);
        let cross = || self.of(settle).filter(|ticket| ticket.is_cross());
        let legs = || {
            let own =
                self.own_legs().filter(move |own| own.units.settle == settle && own.leg.mode == MarginMode::Cross);
            own.filter_map(|own| Some((own, self.face(own.units.contract)?)))
        };
        let resting = self.legs.into_iter().flat_map(|all| &all.orders);
        let resting = resting.filter(|o| o.units.settle == settle && o.rests.mode == MarginMode::Cross);
        let orders: Amount = resting.filter_map(|o| Some(o.needs(self.face(o.units.contract)?.mark))).sum();
        if cross().next().is_none() && legs().next().is_none() && orders.is_zero() {
            return available;
        }
        let margins = cross().fold((Amount::ZERO, Amount::ZERO), |(margin, origin), ticket| {
            (margin + ticket.margin, origin + ticket.terms.margin)
        });
        let unrealised = cross().fold(Fraction::ZERO, |sum, ticket| {
            self.index(ticket.terms.contract).map_or(sum, |index| sum.plus(ticket.result(index)))
        });
        let unrealised = legs().fold(unrealised, |sum, (own, face)| sum.plus(own.gain(face)));
        let value = |(own, face): (&OwnLeg, &ContractFace)| Fraction::value(face.mark, own.units.base(own.leg.lots));
        let initial = legs().map(|(own, face)| initial_margin(value((own, face)), own.leg.multiple)).sum();
        let results = self.in_wallet(Wallet::Pnl, settle);
        transferable(&Held { available, results, margins, unrealised, initial, orders }).min(available)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::market::catalog::Seeds;
    use std::path::Path;
    use std::str::FromStr;
    use std::sync::Arc;
    use xng_core::account::OwnOrder;
    use xng_core::contract::book::effect::Leg;
    use xng_core::contract::book::order::{BookOrder, BookUnits, LegSide};
    use xng_core::contract::ticket_facts::TicketTerms;
    use xng_core::contract::tickets::{Stops, TicketId};
    use xng_core::ids::{AccountId, OrderId};
    use xng_core::market::Side;
    use xng_core::money::{FeePpm, Lots, Ticks};
    use xng_core::spot::{MarketState, StateReason};

    const USDT: AssetId = AssetId(3);
    const BTC: MarketId = MarketId(512);

    fn amount(text: &str) -> Amount {
        Amount::from_str(text).unwrap()
    }

    /// A board on which the index of BTC is this.
    pub(crate) fn board(index: &str) -> Board {
        let seeds = Seeds::load(Path::new("../config/markets.toml")).unwrap();
        let params = Arc::new(seeds.contract_params(&seeds.contract[0]).unwrap());
        let (index, tickets) = (amount(index), (Lots(0), Lots(0)));
        let (state, reason, jumps) = (MarketState::Trading, StateReason::Fresh, false);
        let mut board = Board::default();
        board.set_contract(
            BTC,
            ContractFace { params, state, reason, index: (index, 1, 1), mark: index, jumps, tickets, book: None },
        );
        board
    }

    /// Ten lots of BTC, opened at an index of 50,000 with a hundredfold multiple (`docs/rules/contracts.md "Worked numbers"`).
    fn ticket(direction: Direction, mode: MarginMode) -> Ticket {
        let (price, margin) = match direction {
            Direction::Long => ("50010", "50.01"),
            Direction::Short => ("49990", "49.99"),
        };
        let terms = TicketTerms {
            ticket: TicketId::of(AccountId(100_001), 1),
            contract: BTC,
            settle: USDT,
            direction,
            mode,
            lots: Lots(1_000),
            base: amount("0.1"),
            multiple: 100,
            price: amount(price),
            margin: amount(margin),
            fee: amount("2.5005"),
            insurance: amount("0.25005"),
            stops: Stops::default(),
        };
        Ticket::new(&terms, None, 1)
    }

    fn cash() -> [Balance; 1] {
        let (available, locked) = (amount("47.4895"), amount("50.01"));
        [Balance { wallet: Wallet::Futures, asset: USDT, available, locked }]
    }

    #[test]
    fn risk_and_what_may_leave_are_the_worked_numbers() {
        let tickets = [ticket(Direction::Long, MarginMode::Cross)];
        for (index, risk) in [("50010", "194.96"), ("49500", "92.98"), ("49300", "52.99")] {
            let (board, cash) = (board(index), cash());
            let worth = Worth::new(&board, &cash, &tickets);
            assert_eq!(
                (worth.lowest_risk().as_str(), worth.risk_of(&tickets[0]).unwrap().to_string().as_str()),
                (risk, risk)
            );
            assert_eq!(worth.liquidation_price(&tickets[0]), Some(amount("49285.05")), "wherever the index is");
        }
        let (board, cash) = (board("50000"), cash());
        assert_eq!(Worth::new(&board, &cash, &tickets).transferable(USDT), amount("21.4845"));
        assert_eq!(Worth::new(&board, &cash, &[]).transferable(USDT), cash[0].available);
    }

    #[test]
    fn an_isolated_ticket_ends_for_itself_and_a_hedged_pool_nowhere() {
        let (board, cash) = (board("50000"), cash());
        let isolated = [ticket(Direction::Long, MarginMode::Isolated)];
        let worth = Worth::new(&board, &cash, &isolated);
        assert_eq!(worth.liquidation_price(&isolated[0]), Some(amount("49759.95")));
        assert_eq!((worth.lowest_risk().as_str(), worth.transferable(USDT)), ("0", cash[0].available));
        let hedged = [ticket(Direction::Long, MarginMode::Cross), ticket(Direction::Short, MarginMode::Cross)];
        let worth = Worth::new(&board, &cash, &hedged);
        assert_eq!(worth.liquidation_price(&hedged[0]), None);
        assert_eq!(worth.sums(|_| true).profits, amount("-2"));
    }

    /// A cross long of 0.1 BTC, opened at 50,000.
    pub(crate) fn long() -> OwnLeg {
        let units = BookUnits { contract: BTC, settle: USDT, lot: amount("0.01"), tick: amount("0.01") };
        let leg = Leg {
            direction: Direction::Long,
            mode: MarginMode::Cross,
            multiple: 100,
            lots: Lots(10),
            cost: amount("5000"),
            margin: Amount::ZERO,
            funding_index: Amount::ZERO,
        };
        OwnLeg { units, side: LegSide::Both, leg }
    }

    /// As much USDT of futures as that, nothing of it locked.
    pub(crate) fn free(available: &str) -> Balance {
        Balance { wallet: Wallet::Futures, asset: USDT, available: amount(available), locked: Amount::ZERO }
    }

    #[test]
    fn positions_and_orders_of_books_keep_money_from_leaving() {
        let (board, own) = (board("49500"), long());
        let (units, leg, multiple, mode) = (own.units, own.side, own.leg.multiple, own.leg.mode);
        let rests = BookOrder {
            order: OrderId(9),
            account: AccountId(100_001),
            side: Side::Buy,
            leg,
            ticks: Ticks(5_000_000),
            open: Lots(1),
            opens: Lots(1),
            multiple,
            mode,
            valued: amount("50000"),
            fee_ppm: FeePpm(400),
            locked: Amount::ZERO,
        };
        let (lots, filled, reduce_only, client_id, created) = (Lots(1), Lots::ZERO, false, None, 1);
        let order = OwnOrder { rests, units, lots, filled, reduce_only, client_id, created };
        let mut legs = LegsView { legs: vec![own], ..LegsView::default() };
        let cash = [free("120")];
        let may_leave = |legs: &LegsView| Worth::new(&board, &cash, &[]).beside(Some(legs)).transferable(USDT);
        assert_eq!(may_leave(&legs), amount("20.5"), "a loss of 50 and a margin of 49.5 stay");
        // Equity of 70 over twice a maintenance of 0.4 % of 4,950.
        let worth = Worth::new(&board, &cash, &[]).beside(Some(&legs));
        assert_eq!((worth.unrealised(USDT), worth.lowest_risk().as_str()), (amount("-50"), "176.77"));
        let tickets = [ticket(Direction::Long, MarginMode::Cross)];
        let worth = Worth::new(&board, &cash, &tickets).beside(Some(&legs));
        let (equity, maintenance) = (amount("69.01"), amount("44.805"));
        let risk = Fraction::from(equity).by(50).over(maintenance.into()).by(100).half_up();
        assert_eq!(worth.risk(USDT), Some(Exact::new(risk, 2)), "tickets and legs are in one pool");
        legs.orders.push(order);
        assert_eq!(may_leave(&legs), amount("10.3"), "and 5.2 for the order, which loses 5 against the mark");
        legs.legs[0].leg.mode = MarginMode::Isolated;
        legs.orders.clear();
        assert_eq!(may_leave(&legs), amount("120"), "an isolated position has its own margin");
    }
}
