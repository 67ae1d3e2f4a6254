//! Aggregated trades: what one taker's order did at one price (`docs/rules/prices.md "Aggregated trades"`).
//!
//! Owns: what belongs together. Never does: keep trades. Invariants: an aggregate is named by its first trade, so it has
//! the same id for ever and ids grow; stream and call tell the same ones. Known limits: ids are not without gaps; a trade
//! of the reference feed is an aggregate of its own.

use super::candles::TapeTrade;
use crate::common::time::Ms;
use xng_core::money::Amount;

/// Trades of one order at one price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aggregate {
    /// Price in quote for one base.
    pub price: Amount,
    /// Base amount of all of them.
    pub quantity: Amount,
    /// Its first trade, which is its own id too.
    pub first: u64,
    /// Its last trade.
    pub last: u64,
    /// When.
    pub time_ms: Ms,
    /// The buyer's order rested.
    pub buyer_is_maker: bool,
}

/// Trades, oldest first, as aggregates.
pub fn aggregated<'a>(trades: impl IntoIterator<Item = &'a TapeTrade>) -> Vec<Aggregate> {
    let mut found: Vec<Aggregate> = Vec::new();
    let mut before = None;
    for trade in trades {
        let order = trade.taker.map(|taker| (taker, trade.price));
        match found.last_mut().filter(|_| order.is_some() && order == before) {
            Some(last) => {
                last.quantity += trade.quantity;
                last.last = trade.id;
            }
            None => found.push(Aggregate {
                price: trade.price,
                quantity: trade.quantity,
                first: trade.id,
                last: trade.id,
                time_ms: trade.time_ms,
                buyer_is_maker: trade.buyer_is_maker,
            }),
        }
        before = order;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::ids::OrderId;

    #[test]
    fn trades_of_one_order_at_one_price_are_one() {
        let trade = |id: u64, taker: Option<u64>, price: i64| TapeTrade {
            id,
            price: Amount::whole(price),
            quantity: Amount::whole(1),
            quote: Amount::whole(price),
            time_ms: 5,
            buyer_is_maker: false,
            taker: taker.map(OrderId),
        };
        let tape = [
            trade(1, Some(7), 100),
            trade(2, Some(7), 100),
            trade(4, Some(7), 101),
            trade(5, Some(8), 101),
            trade(6, None, 101),
            trade(9, None, 101),
        ];
        let rows: Vec<(u64, u64, Amount)> = aggregated(&tape).iter().map(|a| (a.first, a.last, a.quantity)).collect();
        let one = Amount::whole(1);
        assert_eq!(rows, [(1, 2, Amount::whole(2)), (4, 4, one), (5, 5, one), (6, 6, one), (9, 9, one)]);
    }
}
