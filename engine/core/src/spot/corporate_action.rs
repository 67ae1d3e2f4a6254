//! Corporate actions at their market: it empties its book, then asks each holder to go through the action, one after another.
//!
//! Owns: what an action needs while it is under way. Never does: know holdings; accounts do (`account/stock.rs`).
//! Invariants: an action begins outside of sessions; the book is empty when it is set; each account that may hold the stock
//! goes through it once; the market takes no order before the last one did. Rules: `docs/rules/stocks.md "Corporate actions"`.
//! Known limits: one action of a stock at a time; the accounts are in the market's cell.

use super::params::MarketParams;
use super::session::StockState;
use super::{EndReason, Market};
use crate::account::{AccountCommand, StockCommand};
use crate::codec::{DecodeError, Reader, Wire, hash_bytes, mix64};
use crate::entity::{Ask, Command, Decision, TimeNs};
use crate::hashed::Numbers;
use crate::ids::{AccountId, OrderId};
use crate::market::MarketState;
use crate::money::Amount;
use crate::record::Fact;
use crate::reject::Reject;
use crate::stock::ActionKind;
use crate::stock::calendar::{CalendarId, Phase};
use crate::stock::facts::{Action, ActionAnnounced, ActionDone, ActionSet, StockFact};

/// Numbers that an action may leave out: after a slip to a very high one no other could follow.
const MOST_SKIPPED: u32 = 1_000;

/// An action under way.
#[derive(Debug)]
pub(super) struct UnderWay {
    action: Action,
    /// Once the book is empty: the board lot, and the price of a share of what is no whole one.
    set: Option<(Amount, Amount)>,
    /// Who has not gone through it yet.
    todo: Numbers,
    /// Who went through it and holds nothing.
    without: Numbers,
}

impl UnderWay {
    pub(super) fn id(&self) -> u32 {
        self.action.id
    }

    /// An account was given shares; `is_new` says that the market did not know it as a holder.
    pub(super) fn granted(&mut self, account: AccountId, is_new: bool) {
        self.without.remove(account.0);
        if is_new && self.set.is_some() {
            self.todo.insert(account.0);
        }
    }

    pub(super) fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(64);
        self.action.put(&mut bytes);
        self.set.put(&mut bytes);
        hash_bytes(self.todo.digest(), &bytes) ^ mix64(self.without.digest())
    }
}

impl Wire for UnderWay {
    fn put(&self, out: &mut Vec<u8>) {
        self.action.put(out);
        self.set.put(out);
        self.todo.put(out);
        self.without.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(UnderWay { action: Wire::get(r)?, set: Wire::get(r)?, todo: Wire::get(r)?, without: Wire::get(r)? })
    }
}

/// Announces an action, if it may begin now.
pub(super) fn announce(
    market: &Market,
    p: &MarketParams,
    id: u32,
    kind: ActionKind,
    now: TimeNs,
) -> Result<Decision, Reject> {
    let stock = market.stock.as_deref().ok_or(Reject::BadAction)?;
    kind.check()?;
    if id <= stock.last_action {
        return Err(Reject::AlreadyExists);
    }
    if id > stock.last_action.saturating_add(MOST_SKIPPED) {
        return Err(Reject::BadParameters);
    }
    if stock.action.is_some() || stock.in_session(now) || market.state == MarketState::Trading {
        return Err(Reject::BadAction);
    }
    // What is no whole board lot is paid for at the index.
    if !market.index.is_positive() {
        return Err(Reject::PriceStale);
    }
    let action = Action { market: market.id, asset: p.base, quote: p.quote, id, kind };
    Ok(Decision::Fact(ActionAnnounced { action }.into()))
}

/// The next step of an action under way.
pub(super) fn due(market: &Market, p: &MarketParams, stock: &StockState) -> Option<Decision> {
    let under_way = stock.action.as_ref()?;
    let action = under_way.action;
    let Some((board_lot, odd_price)) = under_way.set else {
        if let Some(first) = market.first_open() {
            let orders = market.book.all().filter(|r| !r.quote).map(|r| r.order);
            return market.leave(p, first, orders, EndReason::CorporateAction).map(Decision::Fact);
        }
        let (board_lot, odd_price) = (Amount(p.lot_units().into()), action.kind.price(market.index));
        let holders = stock.holders.len() as u32;
        return Some(Decision::Fact(ActionSet { action, board_lot, odd_price, holders }.into()));
    };
    Some(match under_way.todo.first() {
        Some(account) => {
            let command = AccountCommand::Stock(StockCommand::Apply { action, board_lot, odd_price });
            Decision::Ask(Box::new(Ask { command: Command::Account(AccountId(account), command), hold: None }))
        }
        None => Decision::Fact(Fact::from(ActionDone { market: market.id, id: action.id })),
    })
}

impl Market {
    /// One of the open orders: one that is more than a plain resting one while there are such.
    fn first_open(&self) -> Option<OrderId> {
        let queued = self.queue().next().map(|w| w.order);
        let waiting = || self.triggers.all().next().map(|w| w.order);
        let pending = || self.lists.pending().next().map(|(_, list)| list.orders[0].order);
        let all = || self.book.all().filter(|r| !r.quote).map(|r| r.order);
        let odd = || all().find(|order| !self.is_plain(*order));
        queued.or_else(waiting).or_else(pending).or_else(odd).or_else(|| all().next())
    }

    /// Only its own calendar opens and closes it.
    fn hears(&self, calendar: CalendarId) -> bool {
        let terms = self.params.as_ref().and_then(|p| p.stock.as_ref());
        terms.is_none_or(|terms| terms.calendar == calendar)
    }

    pub(super) fn follow_stock(&mut self, fact: &StockFact) {
        let phase = match fact {
            StockFact::CalendarSet(f) => Some((f.params.calendar, Phase { phase: f.phase, until: f.until })),
            StockFact::SessionChanged(f) => Some((f.calendar, Phase { phase: f.phase, until: f.until })),
            StockFact::ActionAnnounced(_)
            | StockFact::ActionSet(_)
            | StockFact::ActionApplied(_)
            | StockFact::ActionDone(_) => None,
        };
        if let Some((_, phase)) = phase.filter(|(calendar, _)| self.hears(*calendar)) {
            self.stock_mut().hear(phase);
        }
        let stock = self.stock_mut();
        match fact {
            StockFact::CalendarSet(_) | StockFact::SessionChanged(_) => {}
            StockFact::ActionAnnounced(f) => {
                let (todo, without) = (Numbers::default(), Numbers::default());
                stock.action = Some(UnderWay { action: f.action, set: None, todo, without });
            }
            StockFact::ActionSet(f) => {
                let (set, todo) = (Some((f.board_lot, f.odd_price)), stock.holders.iter().collect());
                stock.action = Some(UnderWay { action: f.action, set, todo, without: Numbers::default() });
                stock.last_action = f.action.id;
                stock.forget_moves();
                // Until the feed tells the new price, the old one is told in new shares.
                if let ActionKind::Split { .. } = f.action.kind {
                    self.index = f.odd_price;
                    (self.last, self.seen) = (crate::money::Ticks::ZERO, crate::money::Ticks::ZERO);
                }
            }
            StockFact::ActionApplied(f) => {
                let under_way = stock.action.as_mut().expect("an action is under way");
                under_way.todo.remove(f.account.0);
                if f.holdings.iter().all(|h| h.after.is_zero()) {
                    under_way.without.insert(f.account.0);
                }
            }
            StockFact::ActionDone(_) => {
                let UnderWay { without, .. } = stock.action.take().expect("an action is under way");
                for account in without.iter() {
                    stock.holders.remove(account);
                }
            }
        }
    }
}
