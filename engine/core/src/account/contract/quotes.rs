//! The house's ladders in contracts' books, as its account sends them.
//!
//! Owns: who may quote, and what a ladder needs. Never does: match. Invariants: margins and fees of all levels are never more
//! than equity when a ladder is sent; what the standing ladder needs is free for the next one.
//! Rules: `docs/rules/contracts.md "House quotes"`. Known limits: with the pool's money, in one-way mode.

use super::legs::LegTerms;
use super::{Account, live};
use crate::contract::book::BookCommand;
use crate::contract::book::order::{BookOrder, BookUnits, LegSide};
use crate::contract::book::quoting::{NewQuotes, Quotes, check_ladder};
use crate::contract::facts::MarginMode;
use crate::entity::{Ctx, Decision, HoldRequest};
use crate::ids::{EntityId, OrderId, Wallet};
use crate::market::Side;
use crate::money::{Amount, FeePpm, MAX_AMOUNT};
use crate::reject::Reject;

impl Account {
    pub(super) fn quote_in_book(&self, wanted: &NewQuotes, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.may_act()?;
        if !self.house {
            return Err(Reject::NotAllowed);
        }
        let face = ctx.board.contract(wanted.contract).ok_or(Reject::UnknownMarket)?;
        let (book, _) = face.book.as_ref().ok_or(Reject::NotAllowed)?;
        let LegTerms { multiple, mode, .. } = self.terms_in(wanted.contract, face, book);
        if mode != MarginMode::Cross || self.is_hedged() {
            return Err(Reject::PositionModeMismatch);
        }
        let (units, settle, fees) = (face.params.book_units(), face.params.settle, book.fees_of(self.level));
        let fee_ppm = FeePpm(fees.maker.0.max(fees.taker.0));
        let mut claim = Amount::ZERO;
        if !wanted.levels.is_empty() {
            live(ctx.board, wanted.contract, ctx.now).ok_or(Reject::PriceStale)?;
            check_ladder(&wanted.levels, book.lots.1)?;
            self.may_add(settle, (wanted.contract, LegSide::Both), mode)?;
            for level in &wanted.levels {
                let price = units.price(level.ticks);
                let quote = BookOrder {
                    order: OrderId(0),
                    account: self.id,
                    side: level.side,
                    leg: LegSide::Both,
                    ticks: level.ticks,
                    open: level.lots,
                    opens: level.lots,
                    multiple,
                    mode,
                    valued: if level.side == Side::Buy { price } else { price.max(face.mark) },
                    fee_ppm,
                    locked: Amount::ZERO,
                };
                claim += needs(&quote, &units, face.mark);
                if claim > MAX_AMOUNT {
                    return Err(Reject::BadAmount);
                }
            }
        }
        let own = self.own_orders();
        let standing = own.map_or(Amount::ZERO, |own| own.needs_in(wanted.contract, face.mark));
        let more = (claim - standing).max(Amount::ZERO);
        if more.is_positive() && !self.cross_room(settle, ctx)?.has(more) {
            return Err(Reject::MarginInsufficient);
        }
        let hold = HoldRequest::of(EntityId::Contract(wanted.contract), Wallet::Pnl, settle, more);
        let quotes = Quotes { account: self.id, wanted: wanted.clone(), multiple, fee_ppm, level: self.level };
        Ok(self.ask_book(wanted.contract, BookCommand::Quote(Box::new(quotes)), Some(hold)))
    }
}

/// Margin, fee, and what its fill would lose against the mark.
fn needs(quote: &BookOrder, units: &BookUnits, mark: Amount) -> Amount {
    quote.claim(units) + quote.loss(mark, units)
}
