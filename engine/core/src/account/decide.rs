//! What an account decides: it authorises, holds, and refuses. Reads state only.

use super::facts::{AccountChanged, AccountStatus, GrantItem, GrantKind, Granted, Transferred};
use super::requests::Lookup;
use super::{Account, AccountView, Balance, Order, OrderName};
use crate::entity::{Command, Decision, HoldRequest, Reply};
use crate::ids::{AccountId, AssetId, MarketId, OrderId, RequestKey, Wallet};
use crate::money::{Amount, MAX_AMOUNT};
use crate::record::Fact;
use crate::reject::Reject;
use crate::spot::{MarketCommand, NewOrder, QuoteLevel};

impl Account {
    pub(super) fn view(&self) -> AccountView {
        let balances =
            self.balances.iter().map(|b| Balance { available: self.free(b.wallet, b.asset), ..*b }).collect();
        AccountView {
            account: self.id,
            seq: self.seq,
            level: self.level,
            status: self.status,
            balances,
            open: self.orders.values().copied().collect(),
            done: self.done.iter().copied().collect(),
            fills: self.fills.iter().copied().collect(),
        }
    }

    fn may_act(&self) -> Result<(), Reject> {
        match self.status {
            AccountStatus::Locked => Err(Reject::AccountLocked),
            AccountStatus::Active if self.id.is_system() => Err(Reject::NotAllowed),
            AccountStatus::Active => Ok(()),
        }
    }

    pub(super) fn place(&self, order: &NewOrder) -> Result<Decision, Reject> {
        self.may_act()?;
        if self.house {
            return Err(Reject::NotAllowed);
        }
        if let Some(client_id) = order.client_id {
            let open = self.orders.values().any(|o| o.client_id == Some(client_id));
            if open || self.holds.iter().any(|h| h.request.client_id == Some(client_id)) {
                return Err(Reject::DuplicateClientOrderId);
            }
        }
        if !order.terms.amount.is_positive() || order.terms.amount > MAX_AMOUNT {
            return Err(Reject::BadAmount);
        }
        let free = self.free(Wallet::Change, order.terms.asset);
        let amount = if order.terms.capped { order.terms.amount.min(free) } else { order.terms.amount };
        if amount > free || !amount.is_positive() {
            return Err(Reject::InsufficientBalance);
        }
        let resting = self.orders.values().filter(|o| o.units.market == order.market).count();
        let waiting = self.holds.iter().filter(|h| h.request.market == order.market && h.request.holds_money()).count();
        Ok(Decision::Ask {
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
                wallet: Wallet::Change,
                market: order.market,
                parts: [(order.terms.asset, amount), (order.terms.asset, Amount::ZERO)],
                client_id: order.client_id,
            }),
        })
    }

    pub(super) fn cancel(&self, name: OrderName, keyed: bool) -> Result<Decision, Reject> {
        let is = |o: &Order| match name {
            OrderName::Id(id) => o.order == id,
            OrderName::Client(client) => o.client_id == Some(client),
        };
        let open = match name {
            OrderName::Id(id) => self.orders.get(&id),
            OrderName::Client(_) => self.orders.values().find(|o| is(o)),
        };
        match open {
            Some(o) => Ok(self.ask_cancel(o.units.market, vec![o.order], keyed)),
            None if self.done.iter().any(is) => Err(Reject::OrderDone),
            None => Err(Reject::UnknownOrder),
        }
    }

    /// Asks the market; a request key waits here meanwhile.
    fn ask_cancel(&self, market: MarketId, orders: Vec<OrderId>, keyed: bool) -> Decision {
        let command = Command::Market(market, MarketCommand::Cancel { account: self.id, orders });
        Decision::Ask { command, hold: keyed.then(|| HoldRequest::of_nothing(market)) }
    }

    pub(super) fn cancel_all(&self, market: MarketId, keyed: bool) -> Decision {
        let here = self.orders.values().filter(|o| o.units.market == market).map(|o| o.order);
        let orders: Vec<OrderId> = here.collect();
        if orders.is_empty() {
            Decision::Reply(Reply::Canceled(orders))
        } else {
            self.ask_cancel(market, orders, keyed)
        }
    }

    pub(super) fn quote(
        &self,
        market: MarketId,
        levels: &[QuoteLevel],
        hold: [(AssetId, Amount); 2],
        version: u32,
    ) -> Result<Decision, Reject> {
        self.may_act()?;
        let affordable = hold.iter().all(|(asset, amount)| self.free(Wallet::Change, *asset) >= *amount);
        match (self.house, affordable) {
            (false, _) => Err(Reject::NotAllowed),
            (true, false) => Err(Reject::InsufficientBalance),
            (true, true) => Ok(Decision::Ask {
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
                hold: Some(HoldRequest { wallet: Wallet::Change, market, parts: hold, client_id: None }),
            }),
        }
    }

    pub(super) fn transfer(
        &self,
        asset: AssetId,
        from: Wallet,
        to: Wallet,
        amount: Amount,
    ) -> Result<Decision, Reject> {
        self.may_act()?;
        if from == to || from == Wallet::Earn || to == Wallet::Earn {
            return Err(Reject::BadWallet);
        }
        if !amount.is_positive() || amount > MAX_AMOUNT {
            return Err(Reject::BadAmount);
        }
        if self.free(from, asset) < amount {
            return Err(Reject::InsufficientBalance);
        }
        Ok(Decision::Fact(Fact::Transferred(Transferred { account: self.id, asset, from, to, amount })))
    }

    pub(super) fn grant_money(&self, kind: GrantKind, items: &[GrantItem]) -> Result<Decision, Reject> {
        if kind == GrantKind::Opening && self.opened {
            return Err(Reject::AlreadyExists);
        }
        let mut named: Vec<(Wallet, AssetId)> = items.iter().map(|i| (i.wallet, i.asset)).collect();
        named.sort_unstable();
        named.dedup();
        let bad = |i: &GrantItem| i.amount.is_zero() || i.amount > MAX_AMOUNT || i.amount < -MAX_AMOUNT;
        if items.is_empty() || named.len() != items.len() || items.iter().any(bad) || self.id == AccountId::ADJUST {
            return Err(Reject::BadAmount);
        }
        if items.iter().any(|i| (self.free(i.wallet, i.asset) + i.amount).is_negative()) {
            return Err(Reject::InsufficientBalance);
        }
        Ok(Decision::Fact(Fact::Granted(Granted { account: self.id, kind, items: items.to_vec() })))
    }

    pub(super) fn change(&self, level: u8, status: AccountStatus, house: bool) -> Result<Decision, Reject> {
        if (level, status, house) == (self.level, self.status, self.house) {
            return Err(Reject::AlreadyExists);
        }
        Ok(Decision::Fact(Fact::AccountChanged(AccountChanged { account: self.id, level, status, house })))
    }

    /// What a request key says before the command itself is looked at.
    pub(super) fn repeated(&self, key: RequestKey) -> Option<Decision> {
        match self.requests.look_up(key) {
            Lookup::Answered(answer) => Some(Decision::Reply(Reply::Known(answer))),
            Lookup::Clash => Some(Decision::Reject(Reject::RequestKeyClash)),
            Lookup::Unknown => {
                let twin = self.holds.iter().filter_map(|h| h.key).find(|k| k.key == key.key)?;
                let clash = twin.body != key.body;
                Some(Decision::Reject(if clash { Reject::RequestKeyClash } else { Reject::RequestInFlight }))
            }
        }
    }
}
