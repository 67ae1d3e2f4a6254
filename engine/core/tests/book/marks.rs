//! Mark and predicted funding rate by our formulas against those that a venue published for its own book, tape and index:
//! 8.5 minutes around the funding of midnight, 2023-04-04. Skipped where the recording is not.

use crate::recorded_files::{Row, recording};
use std::collections::BTreeMap;
use xng_core::contract::funding::{FundingTerms, MarkInputs, mark, premium, rate};
use xng_core::fraction::Fraction;
use xng_core::money::{Amount, Exact, ONE};
use xng_core::spot::Side;

const FOLDER: &str = "permissive/binance_20230404/usdm_btcusdt";
/// The end of the period within the recording, in milliseconds.
const MIDNIGHT: u64 = 1_680_652_800_000;
const PERIOD: u64 = 8 * 3_600_000;
/// The venue's impact value for this contract: 200 times its largest multiple.
const IMPACT: i64 = 25_000;

fn number(row: &Row, name: &str) -> u64 {
    row[name].parse().unwrap()
}

fn amount(row: &Row, name: &str) -> Amount {
    row[name].parse().unwrap()
}

fn rows(name: &str) -> Option<Vec<Row>> {
    recording(&format!("{FOLDER}_{name}.csv.gz"))
}

/// What is read of a file up to a time.
struct Reader(std::iter::Peekable<std::vec::IntoIter<Row>>);

impl Reader {
    fn new(rows: Vec<Row>) -> Reader {
        Reader(rows.into_iter().peekable())
    }

    fn until(&mut self, ms: u64) -> impl Iterator<Item = Row> {
        std::iter::from_fn(move || self.0.next_if(|row| number(row, "event_ms") <= ms))
    }
}

/// A published mark, with the index that it was made from.
struct Published {
    ms: u64,
    mark: Amount,
    index: Amount,
    rate: Amount,
}

fn published() -> Option<Vec<Published>> {
    let read = |row: Row| Published {
        ms: number(&row, "event_ms"),
        mark: amount(&row, "mark_price"),
        index: amount(&row, "index_price"),
        rate: amount(&row, "funding_rate"),
    };
    Some(rows("markprice")?.into_iter().map(read).collect())
}

/// Distance as a share of the second, in hundredths of a basis point.
fn apart(ours: Amount, theirs: Amount) -> i128 {
    (ours.0 - theirs.0).abs() * 1_000_000 / theirs.0
}

#[test]
fn marks_of_book_tape_and_index_are_those_that_a_venue_published() {
    let Some((published, (bbo, tape))) = published().zip(rows("bbo").zip(rows("trades"))) else {
        println!("{FOLDER} is not here");
        return;
    };
    let (mut bbo, mut tape) = (Reader::new(bbo), Reader::new(tape));
    let settled = published.iter().find(|p| p.ms >= MIDNIGHT).map_or(Amount::ZERO, |p| p.rate);
    let (mut both, mut last, mut basis) = (None, None, Vec::new());
    let mut distances = Vec::new();
    for p in &published {
        let touch = bbo.until(p.ms).last().map(|row| amount(&row, "bid_price") + amount(&row, "ask_price"));
        both = touch.or(both);
        // A fill of the insurance fund tells nothing of the market.
        let trades = tape.until(p.ms).filter(|row| row["order_type_flag"] != "INSURANCE_FUND");
        last = trades.last().map(|row| amount(&row, "price")).or(last);
        let sample = |both: Amount| Fraction::new(both.0, 2).minus(p.index.into()).round8();
        basis.extend(both.map(sample));
        let recent = &basis[basis.len().saturating_sub(30)..];
        let left = (PERIOD - p.ms % PERIOD, PERIOD);
        let rate = if p.ms < MIDNIGHT { Amount::ZERO } else { settled };
        let ours = mark(&MarkInputs { index: p.index, rate, left, basis: recent, last, band_ppm: 10_000 });
        distances.push(apart(ours, p.mark));
    }
    // The first half minute has fewer samples than theirs had.
    let mut distances = distances.split_off(30);
    distances.sort_unstable();
    let at = |percent: usize| distances[distances.len() * percent / 100];
    println!("{} marks; hundredths of a basis point: median {}, p99 {}", distances.len(), at(50), at(99));
    assert!(distances.len() > 450 && at(50) <= 10 && at(99) <= 200);
}

/// The levels of a side, by price.
#[derive(Default)]
struct Levels(BTreeMap<Amount, Amount>);

impl Levels {
    fn set(&mut self, row: &Row) {
        let (price, quantity) = (amount(row, "price"), amount(row, "qty"));
        match quantity.is_zero() {
            true => self.0.remove(&price),
            false => self.0.insert(price, quantity),
        };
    }

    /// The average price of taking so much value.
    fn impact(&self, side: Side, value: Amount) -> Option<Amount> {
        let best_first: Box<dyn Iterator<Item = _>> = match side {
            Side::Buy => Box::new(self.0.iter().rev()),
            Side::Sell => Box::new(self.0.iter()),
        };
        let (mut left, mut base) = (Fraction::from(value), Fraction::ZERO);
        for (price, quantity) in best_first {
            let level = Fraction::value(*price, *quantity);
            if left <= level {
                base = base.plus(left.by(ONE).over(Fraction::from(*price)));
                return Some(Fraction::from(value).by(ONE).over(base).round8());
            }
            (left, base) = (left.minus(level), base.plus(Fraction::from(*quantity)));
        }
        None
    }
}

#[test]
fn the_predicted_funding_rate_is_the_one_that_a_venue_published() {
    let Some((published, depth)) = published().zip(rows("depth")) else {
        println!("{FOLDER} is not here");
        return;
    };
    let opening = depth.iter().find(|row| row["kind"] == "snapshot").map(|row| number(row, "final_update_id")).unwrap();
    let mut depth = Reader::new(depth);
    let (mut bids, mut asks) = (Levels::default(), Levels::default());
    let (mut sum, mut weights, mut slots, mut told, mut far) = (Exact::new(0, 0), 0, 0, 0, 0);
    let [interest, inner, cap] = ["0.0001", "0.0005", "0.003"].map(|rate| rate.parse::<Amount>().unwrap());
    let terms = FundingTerms { interest, inner, cap, period_s: 28_800 };
    let mut compared = 0;
    for p in &published {
        for row in depth.until(p.ms) {
            if row["kind"] == "snapshot" || number(&row, "final_update_id") >= opening {
                if row["side"] == "bid" { bids.set(&row) } else { asks.set(&row) }
            }
        }
        if p.ms < MIDNIGHT {
            continue;
        }
        let slot = (p.ms - MIDNIGHT) / 5_000 + 1;
        if slot > slots {
            slots = slot;
            let value = Amount::whole(IMPACT);
            let both = bids.impact(Side::Buy, value).zip(asks.impact(Side::Sell, value));
            let (bid, ask) = both.expect("the book is deep");
            sum = sum.plus(premium(bid, ask, p.index).times(Exact::new(slot.into(), 0)));
            weights += slot;
        }
        // The venue tells its rate anew at full minutes.
        let minute = p.ms / 60_000;
        if minute > told && p.ms >= MIDNIGHT + 300_000 {
            let ours = rate(&terms, sum, weights);
            println!("minute {}: ours {ours}, theirs {}", minute - MIDNIGHT / 60_000, p.rate);
            far = far.max((ours.0 - p.rate.0).abs());
            compared += 1;
        }
        told = minute;
    }
    assert!(compared == 2 && far <= 200, "within 2e-6, {far}e-8");
}
