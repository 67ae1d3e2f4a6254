//! What an account does about spot orders: it checks and holds, the market decides.
//!
//! Owns: [`SpotCommand`] and its decisions. Never does: match, change anything.
//! Rules: `spec/domain.md` 2.1; `design/architecture.md` "A spot order, step by step".
//! Invariants: what an order may cost at most is held before the market is asked. Known limits: one market a
//! command, cancels of everything aside.

use super::{Account, Order};
use crate::entity::{Ask, Command, CommandClass, Decision, HoldRequest, Reply};
use crate::ids::{AssetId, ClientOrderId, EntityId, MarketId, OrderId, Wallet};
use crate::money::{Amount, MAX_AMOUNT};
use crate::reject::Reject;
use crate::spot::{MarketCommand, NewOrder, QuoteLevel};

/// How a caller names an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderName {
    /// By the exchange's id.
    Id(OrderId),
    /// By the client order id of an open order.
    Client(ClientOrderId),
}

/// What an account can be asked about spot orders.
#[derive(Debug, Clone)]
pub enum SpotCommand {
    /// Place an order.
    Place(NewOrder),
    /// Cancel an order.
    Cancel(OrderName),
    /// Cancel all open orders of one market.
    CancelAll(MarketId),
    /// Set the house's ladder (the house's account only).
    Quote {
        /// Where.
        market: MarketId,
        /// All its levels.
        levels: Vec<QuoteLevel>,
        /// What the levels lock at most, the ones that stand included: base and quote.
        hold: [(AssetId, Amount); 2],
        /// Version of the parameters that were used.
        version: u32,
    },
}

impl SpotCommand {
    pub(super) fn class(&self) -> CommandClass {
        match self {
            SpotCommand::Cancel(_) | SpotCommand::CancelAll(_) => CommandClass::Frees,
            SpotCommand::Place(_) | SpotCommand::Quote { .. } => CommandClass::Takes,
        }
    }
}

impl Account {
    pub(super) fn decide_spot(&self, command: &SpotCommand) -> Result<Decision, Reject> {
        match command {
            SpotCommand::Place(order) => self.place(order),
            SpotCommand::Cancel(name) => self.cancel(*name),
            SpotCommand::CancelAll(market) => Ok(self.cancel_all(*market)),
            SpotCommand::Quote { market, levels, hold, version } => self.quote(*market, levels, *hold, *version),
        }
    }

    fn place(&self, order: &NewOrder) -> Result<Decision, Reject> {
        self.may_act()?;
        if self.house {
            return Err(Reject::NotAllowed);
        }
        let used = |id| self.orders.named(id).is_some() || self.held_parts().any(|h| h.client_id == Some(id));
        if order.client_id.is_some_and(used) {
            return Err(Reject::DuplicateClientOrderId);
        }
        if !order.terms.amount.is_positive() || order.terms.amount > MAX_AMOUNT {
            return Err(Reject::BadAmount);
        }
        let free = self.free(Wallet::Change, order.terms.asset);
        let amount = if order.terms.capped { order.terms.amount.min(free) } else { order.terms.amount };
        if amount > free || !amount.is_positive() {
            return Err(Reject::InsufficientBalance);
        }
        let resting = self.orders.count_on(order.market);
        let waiting = self.held_parts().filter(|h| h.decider == EntityId::Market(order.market)).count();
        Ok(Decision::Ask(Box::new(Ask {
            command: Command::Market(
                order.market,
                MarketCommand::Submit {
                    order: *order,
                    account: self.id,
                    level: self.level,
                    held: amount,
                    open: (resting + waiting) as u32,
                },
            ),
            hold: Some(HoldRequest {
                decider: EntityId::Market(order.market),
                parts: [(Wallet::Change, order.terms.asset, amount), (Wallet::Change, order.terms.asset, Amount::ZERO)],
                client_id: order.client_id,
            }),
        })))
    }

    fn cancel(&self, name: OrderName) -> Result<Decision, Reject> {
        let is = |o: &Order| match name {
            OrderName::Id(id) => o.order == id,
            OrderName::Client(client) => o.client_id == Some(client),
        };
        let open = match name {
            OrderName::Id(id) => self.orders.get(id),
            OrderName::Client(client) => self.orders.named(client),
        };
        match open {
            Some(o) => Ok(self.ask_cancel(o.units.market, vec![o.order])),
            None if self.done.newest().any(|o| is(&o)) => Err(Reject::OrderDone),
            None => Err(Reject::UnknownOrder),
        }
    }

    fn ask_cancel(&self, market: MarketId, orders: Vec<OrderId>) -> Decision {
        let command = Command::Market(market, MarketCommand::Cancel { account: self.id, orders });
        Decision::Ask(Box::new(Ask { command, hold: None }))
    }

    fn cancel_all(&self, market: MarketId) -> Decision {
        let orders: Vec<OrderId> = self.orders.values().map(|o| o.order).filter(|id| id.market() == market).collect();
        if orders.is_empty() { Decision::Reply(Reply::Canceled(orders)) } else { self.ask_cancel(market, orders) }
    }

    fn quote(
        &self,
        market: MarketId,
        levels: &[QuoteLevel],
        hold: [(AssetId, Amount); 2],
        version: u32,
    ) -> Result<Decision, Reject> {
        self.may_act()?;
        // What the standing quotes lock will be free for the new ladder: only the rest is set aside.
        let standing = self.rare().quotes.iter().find(|q| q.market == market).map(|q| [q.base, q.quote]);
        let hold = hold.map(|(asset, amount)| {
            let locked = standing.into_iter().flatten().filter(|(a, _)| *a == asset).map(|(_, locked)| locked).sum();
            (asset, (amount - locked).max(Amount::ZERO))
        });
        let affordable = hold.iter().all(|(asset, amount)| self.free(Wallet::Change, *asset) >= *amount);
        match (self.house, affordable) {
            (false, _) => Err(Reject::NotAllowed),
            (true, false) => Err(Reject::InsufficientBalance),
            (true, true) => Ok(Decision::Ask(Box::new(Ask {
                command: Command::Market(
                    market,
                    MarketCommand::Quote {
                        account: self.id,
                        level: self.level,
                        levels: levels.to_vec(),
                        held: (hold[0].1, hold[1].1),
                        version,
                    },
                ),
                hold: Some(HoldRequest {
                    decider: EntityId::Market(market),
                    parts: hold.map(|(asset, amount)| (Wallet::Change, asset, amount)),
                    client_id: None,
                }),
            }))),
        }
    }
}
