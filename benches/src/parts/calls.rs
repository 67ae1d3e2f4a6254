//! What the gateway does with the texts of an order before anybody is asked: bodies to commands, decimals to amounts.
//!
//! Owns: bodies and numbers as clients send them. Never does: check a session. Invariants: all are accepted. Known limits:
//! limit orders only.

use super::Part;
use crate::{Dice, MID, params};
use xng_core::ids::MarketId;
use xng_core::money::{Amount, Ticks};
use xng_core::spot::{MarketState, StateReason};
use xng_gateway::api::app::spot::new_order;
use xng_gateway::api::http::params::Params;
use xng_gateway::common::decimal;
use xng_gateway::market::board::Boards;
use xng_gateway::market::catalog::MarketInfo;

/// Bodies or numbers of a run.
const TEXTS: u64 = 500;

fn price(dice: &mut Dice) -> String {
    decimal::fixed(decimal::price_of(Ticks(MID + dice.below(2_000) as i64), &params(MarketId(1))), 2)
}

fn quantity(dice: &mut Dice) -> String {
    decimal::fixed(Amount(1_000 * (1 + i128::from(dice.below(100_000)))), 5)
}

/// Bodies of `POST /coin/trade` to what the account is asked.
#[derive(Debug, Clone)]
pub struct Parsing {
    bodies: Vec<String>,
    json: bool,
    info: MarketInfo,
    boards: Boards,
}

impl Parsing {
    fn new(json: bool, body: impl Fn(u64, String, String) -> String) -> Parsing {
        let mut dice = Dice(51);
        let info = MarketInfo {
            params: params(MarketId(1)),
            base: "BTC".into(),
            quote: "USDT".into(),
            tags: Vec::new(),
            state: MarketState::Trading,
            reason: StateReason::Fresh,
        };
        let bodies = (0..TEXTS).map(|n| body(1 + n % 2, price(&mut dice), quantity(&mut dice))).collect();
        Parsing { bodies, json, info, boards: Boards::default() }
    }

    /// Forms, as the app sends them.
    #[must_use]
    pub fn form() -> Parsing {
        Parsing::new(false, |side, price, amount| {
            format!(
                "currency_id=1&legal_id=3&type={side}&order_type=limit&target_price={price}&amount={amount}&lang=en"
            )
        })
    }

    /// JSON, as programs send it.
    #[must_use]
    pub fn json() -> Parsing {
        Parsing::new(true, |side, price, amount| {
            format!(
                r#"{{"currency_id":1,"legal_id":3,"type":{side},"order_type":"limit","target_price":"{price}","amount":{amount}}}"#
            )
        })
    }
}

impl Part for Parsing {
    fn steps(&self) -> u64 {
        self.bodies.len() as u64
    }

    /// Gives the sum of all prices and quantities.
    fn run(&mut self) -> u64 {
        let mut sum = 0;
        for body in &self.bodies {
            let mut fields = Params::default();
            let read = if self.json { fields.add_json(body.as_bytes()) } else { fields.add_form(body.as_bytes()) };
            let order = read.and_then(|()| new_order(&fields, &self.info, &self.boards)).expect("a good order");
            sum += (order.ticks.0 + order.lots.0) as u64;
        }
        sum
    }
}

/// Decimal texts to amounts.
#[derive(Debug, Clone)]
pub struct Reading {
    texts: Vec<String>,
}

impl Reading {
    /// Prices and quantities in turn.
    #[must_use]
    pub fn of_prices() -> Reading {
        let mut dice = Dice(52);
        let text = |n: u64| if n.is_multiple_of(2) { price(&mut dice) } else { quantity(&mut dice) };
        Reading { texts: (0..TEXTS).map(text).collect() }
    }
}

impl Part for Reading {
    fn steps(&self) -> u64 {
        self.texts.len() as u64
    }

    /// Gives their sum.
    fn run(&mut self) -> u64 {
        self.texts.iter().map(|text| decimal::amount(text).expect("a plain decimal").0 as u64).sum()
    }
}

/// Amounts to decimal texts.
#[derive(Debug, Clone)]
pub struct Writing {
    amounts: Vec<Amount>,
}

impl Writing {
    /// The numbers of [`Reading`].
    #[must_use]
    pub fn of_prices() -> Writing {
        let amounts =
            Reading::of_prices().texts.iter().map(|text| decimal::amount(text).expect("a plain decimal")).collect();
        Writing { amounts }
    }
}

impl Part for Writing {
    fn steps(&self) -> u64 {
        self.amounts.len() as u64
    }

    /// Gives how many bytes they are.
    fn run(&mut self) -> u64 {
        self.amounts.iter().map(|amount| decimal::fixed(*amount, 5).len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_an_order_mean_the_same() {
        let sum = Parsing::form().run();
        assert_eq!(sum, Parsing::json().run());
        assert!(sum > TEXTS * MID as u64, "the prices are in it");
    }

    #[test]
    fn what_is_written_was_read() {
        let mut writing = Writing::of_prices();
        let total: u64 = writing.amounts.iter().map(|amount| amount.0 as u64).sum();
        assert_eq!(Reading::of_prices().run(), total);
        assert!(writing.run() > 7 * TEXTS);
    }
}
