//! Where accounts' owners live, and what the exchange does not offer there.
//!
//! Owns: countries, products, and whether a command opens something of a product. Never does: know who lives where; keep a rule (the
//! registry does). Invariants: closing, cancelling, moving and withdrawing never open anything. Rules: `docs/rules/regions.md`. Known
//! limits: a country is two letters, whether they mean one is not known here.

use crate::account::{AccountCommand, ConvertCommand, CopyCommand, LegCommand, SpotCommand, TicketCommand};
use crate::codec::{DecodeError, Reader, Wire};
use crate::ids::MarketId;
use crate::market::Side;
use std::fmt;

/// A country by its two letters of ISO 3166-1, or that none is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Country([u8; 2]);

impl Country {
    /// Nobody has said yet where the owner lives.
    pub const UNKNOWN: Country = Country([0; 2]);

    /// Reads two capital letters.
    #[must_use]
    pub fn parse(text: &str) -> Option<Country> {
        let letters: [u8; 2] = text.as_bytes().try_into().ok()?;
        letters.iter().all(u8::is_ascii_uppercase).then_some(Country(letters))
    }

    /// Whether it is one.
    #[must_use]
    pub fn is_known(self) -> bool {
        self != Country::UNKNOWN
    }

    /// Its letters; none when it is not known.
    #[must_use]
    pub fn letters(&self) -> &str {
        if self.is_known() { std::str::from_utf8(&self.0).unwrap_or_default() } else { "" }
    }

    /// As a number, for hashes.
    #[must_use]
    pub fn number(self) -> u16 {
        u16::from_be_bytes(self.0)
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_known() { self.letters() } else { "unknown" })
    }
}

impl Wire for Country {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let letters: [u8; 2] = Wire::get(r)?;
        let is_one = letters.iter().all(u8::is_ascii_uppercase) || letters == Country::UNKNOWN.0;
        let value = u64::from(u16::from_be_bytes(letters));
        is_one.then_some(Country(letters)).ok_or(DecodeError::Unknown { what: "Country", value })
    }
}

crate::wire_enum! {
    /// What may not be offered somewhere. The number is its bit in [`Products`].
    pub enum Product {
        /// Buying coins in markets of spot; what is there can be sold.
        Spot = 0,
        /// Opening positions in contracts, tickets and books.
        Contracts = 1,
        /// Opening seconds options.
        Options = 2,
        /// Conversion, of dust too.
        Conversion = 3,
        /// Buying stocks; what is there can be sold.
        Stocks = 4,
        /// Following traders, and copies of what they open.
        Copying = 5,
    }
}

impl Product {
    /// Its name in calls, and among the features of the site.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Product::Spot => "spot",
            Product::Contracts => "contract",
            Product::Options => "options",
            Product::Conversion => "flash_exchange",
            Product::Stocks => "stocks",
            Product::Copying => "follow",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Product> {
        Product::ALL.iter().copied().find(|product| product.name() == name)
    }

    /// Of which product a market of spot or stocks is.
    #[must_use]
    pub fn of_market(market: MarketId) -> Product {
        if market.is_stock() { Product::Stocks } else { Product::Spot }
    }
}

/// Some products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Products(u32);

impl Products {
    /// None.
    pub const NONE: Products = Products(0);
    /// What a copy is of.
    pub const COPIES: Products = Products(1 << Product::Contracts as u8 | 1 << Product::Copying as u8);

    /// One.
    #[must_use]
    pub fn of(product: Product) -> Products {
        Products(1 << product as u8)
    }

    /// Those of which orders of spot and stocks buy.
    pub fn bought(orders: impl Iterator<Item = (MarketId, Side)>) -> Products {
        let buys = orders.filter(|(_, side)| *side == Side::Buy);
        buys.map(|(market, _)| Product::of_market(market)).collect()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one is among them.
    #[must_use]
    pub fn has(self, product: Product) -> bool {
        self.0 & 1 << product as u8 != 0
    }

    /// Whether one of both is.
    #[must_use]
    pub fn meets(self, other: Products) -> bool {
        self.0 & other.0 != 0
    }

    /// With others.
    #[must_use]
    pub fn with(self, other: Products) -> Products {
        Products(self.0 | other.0)
    }

    /// Without others.
    #[must_use]
    pub fn without(self, other: Products) -> Products {
        Products(self.0 & !other.0)
    }

    /// Each of them, in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = Product> {
        Product::ALL.iter().copied().filter(move |product| self.has(*product))
    }
}

impl FromIterator<Product> for Products {
    fn from_iter<I: IntoIterator<Item = Product>>(all: I) -> Products {
        all.into_iter().fold(Products::NONE, |some, product| some.with(Products::of(product)))
    }
}

impl Wire for Products {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let bits: u32 = Wire::get(r)?;
        let known: Products = Product::ALL.iter().copied().collect();
        let is_known = bits & !known.0 == 0;
        is_known.then_some(Products(bits)).ok_or(DecodeError::Unknown { what: "Products", value: u64::from(bits) })
    }
}

/// Of which products a command would open something; each of them must be offered.
#[must_use]
pub fn opens(command: &AccountCommand) -> Products {
    match command {
        AccountCommand::Spot(SpotCommand::Place(order)) => {
            Products::bought(std::iter::once((order.market, order.side)))
        }
        AccountCommand::Spot(SpotCommand::PlaceGroup(group)) => {
            Products::bought(group.legs.iter().chain(&group.pending).map(|leg| (group.market, leg.order.side)))
        }
        AccountCommand::Tickets(TicketCommand::Open(_)) => Products::of(Product::Contracts),
        AccountCommand::Seconds(_) => Products::of(Product::Options),
        AccountCommand::Convert(
            ConvertCommand::Quote { .. } | ConvertCommand::Convert(_) | ConvertCommand::Dust { .. },
        ) => Products::of(Product::Conversion),
        AccountCommand::Copy(CopyCommand::Follow { .. }) => Products::COPIES,
        AccountCommand::Spot(
            SpotCommand::Cancel(_)
            | SpotCommand::CancelAll(_)
            | SpotCommand::Amend { .. }
            | SpotCommand::Activate { .. }
            | SpotCommand::Quote { .. },
        )
        | AccountCommand::Tickets(
            TicketCommand::Cancel(_)
            | TicketCommand::Close(_)
            | TicketCommand::CloseAll { .. }
            | TicketCommand::SetStops { .. },
        )
        // How much of an order of a book opens depends on what is open: that is judged when it goes to the book.
        | AccountCommand::Legs(
            LegCommand::Place(_)
            | LegCommand::PlaceConditional(_)
            | LegCommand::Quote(_)
            | LegCommand::Fire(_)
            | LegCommand::CancelConditionals(_)
            | LegCommand::Cancel(_)
            | LegCommand::CancelAll(_)
            | LegCommand::Amend { .. }
            | LegCommand::SetTerms { .. }
            | LegCommand::SetHedge(_)
            | LegCommand::Countdown { .. }
            | LegCommand::MoveMargin { .. },
        )
        | AccountCommand::Convert(ConvertCommand::ListDust | ConvertCommand::SetParams(_))
        | AccountCommand::Copy(
            // A copy is skipped.
            CopyCommand::Open(_)
            | CopyCommand::SetTrader(_)
            | CopyCommand::Unfollow { .. }
            | CopyCommand::Detach(_)
            | CopyCommand::Close { .. }
            | CopyCommand::Release { .. }
            | CopyCommand::Settle { .. },
        )
        | AccountCommand::Stock(_)
        | AccountCommand::Coupon(_)
        | AccountCommand::Withdraw { .. }
        | AccountCommand::Transfer { .. }
        | AccountCommand::Grant { .. }
        | AccountCommand::Set(_)
        | AccountCommand::SetTier { .. }
        | AccountCommand::View
        | AccountCommand::ViewOrder(_)
        | AccountCommand::Request(_)
        | AccountCommand::Timer
        | AccountCommand::Alarm
        | AccountCommand::SetQuota(_) => Products::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_is_two_capital_letters_or_unknown() {
        assert!(["us", "USA", "U", "", "U1"].into_iter().all(|text| Country::parse(text).is_none()));
        for country in [Country::UNKNOWN, Country::parse("US").unwrap()] {
            let mut bytes = Vec::new();
            country.put(&mut bytes);
            assert_eq!(Country::get(&mut Reader::new(&bytes)), Ok(country));
        }
        assert!(Country::get(&mut Reader::new(b"us")).is_err());
        assert_eq!((Country::UNKNOWN.letters(), Country::parse("US").unwrap().letters()), ("", "US"));
    }

    #[test]
    fn products_are_their_bits() {
        let some: Products = [Product::Stocks, Product::Spot].into_iter().collect();
        assert_eq!(some.iter().map(Product::name).collect::<Vec<_>>(), ["spot", "stocks"]);
        assert!(Product::ALL.iter().all(|product| Product::parse(product.name()) == Some(*product)));
        let mut bytes = Vec::new();
        some.put(&mut bytes);
        assert_eq!(Products::get(&mut Reader::new(&bytes)), Ok(some));
        let mut unknown = Vec::new();
        u32::MAX.put(&mut unknown);
        assert!(Products::get(&mut Reader::new(&unknown)).is_err());
    }

    #[test]
    fn who_buys_a_stock_buys_no_coin() {
        let bought = |market, side| Products::bought(std::iter::once((MarketId(market), side)));
        assert_eq!(bought(1, Side::Buy), Products::of(Product::Spot));
        assert_eq!(bought(384, Side::Buy), Products::of(Product::Stocks));
        assert_eq!([1, 384].map(|market| bought(market, Side::Sell)), [Products::NONE; 2]);
    }
}
