//! What happens to a book besides orders that come in: parameters, cancels, amendments, margin.
//!
//! Owns: their checks and facts. Never does: change anything. Invariants: an order that leaves or becomes smaller gives back
//! what it set aside for that; margin that is taken out leaves the margin at opening, at the mark.
//! Rules: `docs/rules/contracts.md "Book orders"`. Known limits: an amendment makes an order smaller.

use super::facts::{
    BookFact, BookListed, BookParamsChanged, ContractOrderAmended, ContractOrdersCanceled, CutReason, LegMarginMoved,
    OrderCut,
};
use super::order::{BookOrder, LegSide};
use super::params::BookParams;
use super::{BookCommand, ContractBook};
use crate::contract::Contract;
use crate::contract::brackets::initial_margin;
use crate::contract::facts::MarginMode;
use crate::contract::params::ContractParams;
use crate::entity::{Ctx, Decision};
use crate::fraction::Fraction;
use crate::ids::{AccountId, OrderId};
use crate::market::MarketState;
use crate::market::matching::MAX_MATCHES;
use crate::money::{Amount, Lots};
use crate::record::Fact;
use crate::reject::Reject;

impl Contract {
    pub(in crate::contract) fn decide_book(
        &self,
        params: &ContractParams,
        command: &BookCommand,
        ctx: &Ctx<'_>,
    ) -> Result<Decision, Reject> {
        let book = || self.book.as_deref().ok_or(Reject::NotAllowed);
        match command {
            BookCommand::List(new) => match self.book {
                Some(_) => Err(Reject::AlreadyExists),
                None if new.contract == self.id && new.version == 0 => {
                    new.check()?;
                    Ok(Decision::Fact(BookListed { params: (**new).clone() }.into()))
                }
                None => Err(Reject::BadParameters),
            },
            BookCommand::ChangeParams(new) => self.change_book(book()?, new),
            BookCommand::Submit(submit) if self.is_fresh(params, ctx.now) => {
                Ok(Decision::Fact(Fact::Book(BookFact::ContractOrderPlaced(self.place(params, submit)?))))
            }
            BookCommand::Submit(_) => Err(Reject::PriceStale),
            BookCommand::Cancel { account, orders } => self.cancel_orders(params, book()?, *account, orders),
            BookCommand::Amend { account, order, change } => {
                self.amend_order(params, book()?, (*account, *order), *change)
            }
            BookCommand::Quote(quotes) => {
                let changed = self.quote(params, book()?, quotes, self.is_fresh(params, ctx.now))?;
                Ok(changed.map_or(Decision::Nothing, |fact| Decision::Fact(fact.into())))
            }
            BookCommand::Liquidate(wanted) => Ok(self.liquidate(params, wanted, ctx)),
            BookCommand::Countdown { account, after } => {
                book().map(|_| Decision::Fact(self.set_countdown(*account, *after, ctx.now).into()))
            }
            BookCommand::Waiting(command) => self.decide_waiting(params, command, ctx),
            BookCommand::MoveMargin { account, leg, amount } => {
                self.move_margin(params, book()?, (*account, *leg), *amount, ctx)
            }
        }
    }

    fn change_book(&self, book: &ContractBook, new: &BookParams) -> Result<Decision, Reject> {
        new.check()?;
        let old = &*book.params;
        if new.contract != self.id {
            return Err(Reject::BadParameters);
        }
        let params = BookParams { version: old.version + 1, ..new.clone() };
        if *old == (BookParams { version: old.version, ..new.clone() }) {
            return Err(Reject::AlreadyExists);
        }
        Ok(Decision::Fact(BookParamsChanged { params }.into()))
    }

    fn cancel_orders(
        &self,
        params: &ContractParams,
        book: &ContractBook,
        account: AccountId,
        orders: &[OrderId],
    ) -> Result<Decision, Reject> {
        let own = |id: &OrderId| book.order(*id).filter(|o| o.account == account).copied();
        let mut live: Vec<BookOrder> = orders.iter().take(MAX_MATCHES).filter_map(own).collect();
        live.sort_unstable_by_key(|o| o.order);
        live.dedup_by_key(|o| o.order);
        if live.is_empty() {
            return Err(Reject::OrderDone);
        }
        let (units, update) = (params.book_units(), book.next_update());
        Ok(Decision::Fact(ContractOrdersCanceled { units, account, orders: live, update }.into()))
    }

    fn amend_order(
        &self,
        params: &ContractParams,
        book: &ContractBook,
        (account, order): (AccountId, OrderId),
        (was, open): (Lots, Lots),
    ) -> Result<Decision, Reject> {
        let mut left = *book.order(order).filter(|o| o.account == account).ok_or(Reject::OrderDone)?;
        // Filled in the meantime, it is another order than its owner saw.
        if open >= left.open || was != left.open {
            return Err(Reject::BadAmendment);
        }
        if open < book.params.lots.0 {
            return Err(Reject::BelowMinAmount);
        }
        if self.state != MarketState::Trading {
            return Err(Reject::MarketClosed);
        }
        let (units, lots) = (params.book_units(), left.open - open);
        // What it opens goes first: that is what it sets money aside for.
        let opens = Lots(lots.0.min(left.opens.0));
        let unlocked = left.take(lots, opens, &units);
        let BookOrder { side, ticks, mode, .. } = left;
        let (gone, reason) = (false, CutReason::LegShrank);
        let cut = OrderCut { order, account, side, ticks, lots, opens, mode, unlocked, gone, reason };
        Ok(Decision::Fact(ContractOrderAmended { units, account, cut, update: book.next_update() }.into()))
    }

    fn move_margin(
        &self,
        params: &ContractParams,
        book: &ContractBook,
        (account, side): (AccountId, LegSide),
        amount: Amount,
        ctx: &Ctx<'_>,
    ) -> Result<Decision, Reject> {
        let isolated = |leg: &&super::effect::Leg| leg.mode == MarginMode::Isolated;
        let leg = book.legs.get(account, side).filter(isolated).ok_or(Reject::UnknownLeg)?;
        let units = params.book_units();
        if amount.is_negative() {
            if !self.is_fresh(params, ctx.now) || self.state != MarketState::Trading || self.jumps {
                return Err(Reject::PriceStale);
            }
            // Neither a loss so far nor funding that is owed may be taken out with it.
            let needs = Fraction::from(initial_margin(Fraction::value(self.mark, units.base(leg.lots)), leg.multiple));
            let owed = leg.funding(book.funding.index).min(Amount::ZERO);
            let has = Fraction::from(leg.margin + owed + amount);
            if has.plus(leg.unrealised(self.mark, &units).min(Fraction::ZERO)) < needs {
                return Err(Reject::MarginInsufficient);
            }
        }
        Ok(Decision::Fact(LegMarginMoved { units, account, leg: side, amount }.into()))
    }
}
