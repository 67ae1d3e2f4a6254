//! Random operations on both books.

use crate::naive::{Met, NaiveBook};
use std::collections::BTreeMap;
use xng_core::codec::{Reader, Wire, mix64};
use xng_core::ids::{AccountId, AssetId, MarketId, OrderId};
use xng_core::market::book::{Book, Resting};
use xng_core::market::matching::{Incoming, MAX_MATCHES, MatchResult, match_order};
use xng_core::money::{Amount, FeePpm, Lots, Ticks};
use xng_core::spot::facts::Units;
use xng_core::spot::{EndReason, Side, Stp};

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix64(self.0) % n
    }
}

const UNITS: Units =
    Units { market: MarketId(1), base: AssetId(1), quote: AssetId(3), lot_units: 1_000, tick_lot_units: 10 };

/// Five owners, so that many meet themselves; every mode; a third by quote amount; some at any price.
fn incoming(dice: &mut Dice, side: Side, ticks: i64, lots: i64) -> Incoming {
    let budget = (dice.below(3) == 0).then(|| Amount(i128::from(dice.below(200_000))));
    Incoming {
        account: AccountId(dice.below(5)),
        side,
        limit: (dice.below(10) > 0).then_some(Ticks(ticks)),
        lots: Lots(lots),
        budget,
        stp: Stp::ALL[dice.below(Stp::ALL.len() as u64) as usize],
        taker_ppm: FeePpm(1_000),
        at_most: MAX_MATCHES,
    }
}

fn one_seed(seed: u64, stops: &mut BTreeMap<Option<EndReason>, u64>) -> u64 {
    let (mut dice, mut fast, mut naive) = (Dice(seed), Book::default(), NaiveBook::default());
    let (mut live, mut trades): (Vec<OrderId>, u64) = (Vec::new(), 0);
    let mut outcome = MatchResult::default();
    for n in 1..=3_000u64 {
        let side = if dice.below(2) == 0 { Side::Buy } else { Side::Sell };
        if dice.below(10) < 7 || live.is_empty() {
            // In a third of the seeds prices lie further apart than the book's window is wide.
            let apart = if seed.is_multiple_of(3) { 1 + dice.below(1_600) as i64 } else { 1 };
            let (ticks, lots) = (1_000 + dice.below(40) as i64 * apart, 1 + dice.below(20) as i64);
            let incoming = incoming(&mut dice, side, ticks, lots);
            let expected = naive.matches(&incoming, &UNITS);
            match_order(&fast, &UNITS, &incoming, None, &mut outcome);
            let found = Met {
                trades: outcome.trades.iter().map(|t| (t.maker_order, t.lots.0)).collect(),
                prevented: outcome.prevented.iter().map(|p| (p.order, p.lots.0)).collect(),
                stopper: outcome.stopper.map(|s| s.order),
                left: outcome.left.0,
                stop: outcome.stop,
            };
            assert_eq!(found, expected, "seed {seed}, operation {n}: {incoming:?}");
            *stops.entry(outcome.stop).or_default() += 1;
            trades += expected.trades.len() as u64;
            for (id, lots) in expected.trades.into_iter().chain(expected.prevented) {
                fast.reduce(id, Lots(lots));
                naive.reduce(id, Lots(lots));
                if fast.get(id).is_none() {
                    live.retain(|l| *l != id);
                }
            }
            if let (Some(ticks), true, None) = (incoming.limit, outcome.left.0 > 0, outcome.stop) {
                let resting = Resting {
                    order: OrderId(n),
                    account: incoming.account,
                    side,
                    ticks,
                    lots: outcome.left,
                    maker_ppm: FeePpm(800),
                    quote: false,
                };
                fast.insert(resting);
                naive.insert(resting);
                live.push(resting.order);
            }
        } else {
            let id = live.swap_remove(dice.below(live.len() as u64) as usize);
            fast.remove(id);
            naive.remove(id);
        }
        if n % 50 == 0 {
            for side in [Side::Buy, Side::Sell] {
                assert_eq!(fast.walk(side).collect::<Vec<_>>(), naive.priority(side), "seed {seed} at {n}");
                assert_eq!(fast.depth(side).collect::<Vec<_>>(), naive.depth(side));
            }
            let mut bytes = Vec::new();
            fast.put(&mut bytes);
            let back = <Book as Wire>::get(&mut Reader::new(&bytes)).unwrap();
            assert_eq!((back.digest(), back.len()), (fast.digest(), fast.len()), "a snapshot of the book is the book");
        }
    }
    for id in live {
        fast.remove(id);
    }
    assert!(fast.is_empty() && fast.digest() == 0, "an empty book hashes to nothing");
    trades
}

#[test]
fn the_fast_book_equals_the_naive_one() {
    let mut stops = BTreeMap::new();
    let trades: u64 = (1..=40).map(|seed| one_seed(seed, &mut stops)).sum();
    println!("40 seeds of 3,000 operations, {trades} trades, no difference; why they stopped: {stops:?}");
    assert!(trades > 10_000);
    for reason in [None, Some(EndReason::SelfTrade), Some(EndReason::Budget)] {
        assert!(stops.get(&reason).is_some_and(|n| *n > 100), "{reason:?} was hardly tried");
    }
}
