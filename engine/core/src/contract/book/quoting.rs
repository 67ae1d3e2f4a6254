//! The house's quotes in a contract's book: a whole ladder in one decision, one record of what changed.
//!
//! Quotes are ordinary resting orders with the house's own margin. The house says which ladder it wants; levels that already
//! stand so stay and keep their priority. A quote never takes: a level that would meet somebody's order is left out, and the
//! house sends an order of its own for that.
//!
//! Owns: what of a ladder changes; the fact of it. Never does: match. Invariants: one quote a price level and side; bids and
//! asks do not cross; a quote opens all of its lots, so that money for all of them is there.
//! Rules: `docs/rules/contracts.md "House quotes"`. Known limits: only the house's orders rest for it, no others.

use super::order::{BookOrder, BookUnits, LegSide};
use super::{ContractBook, MAX_TICKS};
use crate::contract::Contract;
use crate::contract::facts::MarginMode;
use crate::contract::params::ContractParams;
use crate::entity::EntityId;
use crate::ids::{AccountId, MARKET_SPAN, MarketId, OrderId, UpdateId};
use crate::market::{MarketState, Side};
use crate::money::{Amount, FeePpm, Lots, Ticks};
use crate::record::{FactBody, Role};
use crate::reject::Reject;
use crate::spot::QuoteLevel;
use std::collections::BTreeMap;

/// Levels that one command may name.
pub const MAX_LEVELS: usize = 512;

/// A ladder that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewQuotes {
    /// Of which contract.
    pub contract: MarketId,
    /// Versions of the contract's and of the book's parameters that it was made from.
    pub versions: (u32, u32),
    /// Its levels: all that is to stand.
    pub levels: Vec<QuoteLevel>,
}

/// A ladder with what its account says about it.
#[derive(Debug, Clone)]
pub struct Quotes {
    /// Whose.
    pub account: AccountId,
    /// The ladder.
    pub wanted: NewQuotes,
    /// Multiple of what it opens.
    pub multiple: u16,
    /// Fee rate at which it sets money aside.
    pub fee_ppm: FeePpm,
    /// VIP level.
    pub level: u8,
}

crate::wire_struct! {
    /// A quote that is gone.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct QuoteGone {
        /// The order.
        pub order: OrderId,
        /// Its side.
        pub side: Side,
        /// Its price.
        pub ticks: Ticks,
        /// What was open of it.
        pub lots: Lots,
    }
}

crate::wire_struct! {
    /// A new quote.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct NewQuote {
        /// Its side.
        pub side: Side,
        /// Its price.
        pub ticks: Ticks,
        /// How much.
        pub lots: Lots,
    }
}

crate::wire_struct! {
    /// The house's quotes in a contract's book at some price levels are these now; other levels stay.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BookQuotesSet {
        /// Meaning of the numbers.
        pub units: BookUnits,
        /// The house.
        pub account: AccountId,
        /// Multiple of what they open.
        pub multiple: u16,
        /// Fee rate at which they set money aside.
        pub fee_ppm: FeePpm,
        /// Fee rate of their fills.
        pub maker_ppm: FeePpm,
        /// The mark, at which those that sell are valued at least.
        pub mark: Amount,
        /// Quotes that are gone.
        pub off: Vec<QuoteGone>,
        /// Id of the first new quote; the others follow.
        pub first_order: OrderId,
        /// New quotes.
        pub on: Vec<NewQuote>,
        /// State of the book after this.
        pub update: UpdateId,
    }
}

impl BookQuotesSet {
    /// The new quotes as they rest.
    pub fn orders(&self) -> impl Iterator<Item = BookOrder> {
        let id = |place: u64| OrderId(self.first_order.0 + place * MARKET_SPAN);
        (0..).zip(&self.on).map(move |(place, quote)| quote_order(self, id(place), quote))
    }
}

fn quote_order(f: &BookQuotesSet, order: OrderId, quote: &NewQuote) -> BookOrder {
    let price = f.units.price(quote.ticks);
    BookOrder {
        order,
        account: f.account,
        side: quote.side,
        leg: LegSide::Both,
        ticks: quote.ticks,
        open: quote.lots,
        opens: quote.lots,
        multiple: f.multiple,
        mode: MarginMode::Cross,
        valued: if quote.side == Side::Buy { price } else { price.max(f.mark) },
        fee_ppm: f.fee_ppm,
        locked: Amount::ZERO,
    }
}

impl FactBody for BookQuotesSet {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.account), Role::Taker);
    }
}

/// Whether levels are a ladder: positive, named once, not crossed.
///
/// # Errors
/// `TooManyOrders`, `BadAmount`, `BadPrice`, `AlreadyExists`.
pub fn check_ladder(levels: &[QuoteLevel], most: Lots) -> Result<(), Reject> {
    if levels.len() > MAX_LEVELS {
        return Err(Reject::TooManyOrders);
    }
    let mut names: Vec<(Side, Ticks)> = levels.iter().map(|l| (l.side, l.ticks)).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Reject::AlreadyExists);
    }
    if levels.iter().any(|l| l.lots.0 <= 0 || l.lots > most) {
        return Err(Reject::BadAmount);
    }
    let of = |side| levels.iter().filter(move |l| l.side == side).map(|l| l.ticks);
    let crossed = of(Side::Buy).max().zip(of(Side::Sell).min()).is_some_and(|(bid, ask)| bid >= ask);
    let priced = levels.iter().all(|l| l.ticks.0 > 0 && l.ticks.0 <= MAX_TICKS);
    if crossed || !priced { Err(Reject::BadPrice) } else { Ok(()) }
}

impl Contract {
    /// What of a ladder changes; nothing when it stands as it is.
    pub(super) fn quote(
        &self,
        params: &ContractParams,
        book: &ContractBook,
        quotes: &Quotes,
        fresh: bool,
    ) -> Result<Option<BookQuotesSet>, Reject> {
        let Quotes { account, wanted, multiple, fee_ppm, level } = quotes;
        let levels = &wanted.levels;
        // Quotes may leave at any time.
        if !levels.is_empty() {
            if self.state != MarketState::Trading {
                return Err(Reject::MarketClosed);
            }
            if !fresh {
                return Err(Reject::PriceStale);
            }
            if wanted.versions != (params.version, book.params.version) {
                return Err(Reject::StaleTerms);
            }
            check_ladder(levels, book.params.lots.1)?;
        }
        let named: BTreeMap<(Side, Ticks), Lots> = levels.iter().map(|l| ((l.side, l.ticks), l.lots)).collect();
        let stands = |o: &&BookOrder| named.get(&(o.side, o.ticks)) == Some(&o.open);
        let standing: BTreeMap<(Side, Ticks), OrderId> =
            book.orders.of(*account).into_iter().filter(stands).map(|o| ((o.side, o.ticks), o.order)).collect();
        let gone = book.orders.of(*account).into_iter().filter(|o| standing.get(&(o.side, o.ticks)) != Some(&o.order));
        let off: Vec<QuoteGone> =
            gone.map(|o| QuoteGone { order: o.order, side: o.side, ticks: o.ticks, lots: o.open }).collect();
        let best = |side: Side| book.book.walk(side).find(|r| r.account != *account).map(|r| r.ticks);
        let (bid, ask) = (best(Side::Buy), best(Side::Sell));
        let meets = |l: &QuoteLevel| match l.side {
            Side::Buy => ask.is_some_and(|ask| l.ticks >= ask),
            Side::Sell => bid.is_some_and(|bid| l.ticks <= bid),
        };
        let new = levels.iter().filter(|l| !standing.contains_key(&(l.side, l.ticks)) && !meets(l));
        let on: Vec<NewQuote> = new.map(|l| NewQuote { side: l.side, ticks: l.ticks, lots: l.lots }).collect();
        if on.is_empty() && off.is_empty() {
            return Ok(None);
        }
        let units = params.book_units();
        Ok(Some(BookQuotesSet {
            units,
            account: *account,
            multiple: *multiple,
            fee_ppm: *fee_ppm,
            maker_ppm: book.params.fees_of(*level).maker,
            mark: self.mark,
            off,
            first_order: book.next_order(&units),
            on,
            update: book.next_update(),
        }))
    }
}

impl ContractBook {
    pub(super) fn set_quotes(&mut self, f: &BookQuotesSet) {
        f.off.iter().for_each(|gone| self.take_out(gone.order));
        for order in f.orders() {
            self.placed += 1;
            self.put_in(order, f.maker_ppm);
        }
        self.update = f.update;
    }
}
