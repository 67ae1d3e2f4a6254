//! Each coin that a fresh exchange lists, against what it was worth and how it was traded in August 2024.

use crate::simulator::{SEED, START_MS, correlation, float, mean, pairs, simulate};
use std::collections::BTreeMap;
use xng_gateway::feed::simulator::calibration::profile;
use xng_gateway::feed::simulator::prices::Prices;
use xng_gateway::feed::simulator::rng::LiveSeed;
use xng_gateway::feed::simulator::{self, Pair};

/// In USDT: the price, and a day's turnover on a large venue in millions.
const AUGUST_2024: [(&str, f64, f64); 28] = [
    ("BTC", 60_000.0, 2_500.0),
    ("ETH", 2_600.0, 1_300.0),
    ("SOL", 150.0, 600.0),
    ("BNB", 515.0, 200.0),
    ("XRP", 0.59, 250.0),
    ("DOGE", 0.103, 150.0),
    ("ADA", 0.34, 50.0),
    ("TRX", 0.127, 40.0),
    ("LTC", 61.0, 35.0),
    ("DOT", 4.6, 30.0),
    ("LINK", 10.3, 45.0),
    ("AVAX", 21.5, 55.0),
    ("CFX", 0.13, 12.0),
    ("ACH", 0.017, 7.0),
    ("HIGH", 1.0, 6.0),
    ("CHZ", 0.054, 10.0),
    ("SANTOS", 3.3, 5.0),
    ("LAZIO", 1.7, 3.0),
    ("PORTO", 1.8, 3.0),
    ("APE", 0.67, 12.0),
    ("BLUR", 0.16, 9.0),
    ("IMX", 1.15, 9.0),
    ("SAND", 0.265, 11.0),
    ("MANA", 0.28, 9.0),
    ("AXS", 4.9, 8.0),
    ("USDC", 1.0, 1_000.0),
    ("FDUSD", 1.0, 300.0),
    ("DAI", 1.0, 12.0),
];

fn in_usdt() -> Vec<Pair> {
    pairs().into_iter().filter(|p| p.quote == "USDT" && !p.market.is_stock()).collect()
}

/// Prices of every coin every ten seconds, from each of several starts: how a coin moves differs from one to the next.
fn paths(pairs: &[Pair]) -> Vec<BTreeMap<String, Vec<f64>>> {
    let path = |seed: u64| {
        let (seed, mut seen) = (LiveSeed::numbered(seed), BTreeMap::new());
        let mut prices = Prices::new(&seed);
        pairs.iter().for_each(|p| prices.add(&p.base, &seed, profile(&p.base), float(p.start)));
        for n in 1..=18_000 {
            prices.step(START_MS + n * simulator::STEP_MS);
            if n % 100 == 0 {
                pairs.iter().for_each(|p| {
                    seen.entry(p.base.clone()).or_insert_with(Vec::new).push(prices.get(&p.base).unwrap());
                });
            }
        }
        seen
    };
    (SEED..SEED + 24).map(path).collect()
}

fn returns(path: &[f64]) -> Vec<f64> {
    path.windows(2).map(|w| (w[1] / w[0]).ln()).collect()
}

#[test]
fn coins_begin_at_the_prices_and_are_traded_as_much_as_in_august_2024() {
    const STARTS: u64 = 8;
    const STEPS: usize = 6_000;
    let pairs = in_usdt();
    // No large venue lists the Hong Kong dollar.
    let listed: Vec<&str> = pairs.iter().map(|p| p.base.as_str()).filter(|base| *base != "HKD").collect();
    assert!(listed.iter().all(|coin| AUGUST_2024.iter().any(|(name, ..)| name == coin)), "{listed:?}");
    let live = simulate(&pairs, STARTS, STEPS);
    let days = (STARTS * STEPS as u64) as f64 * simulator::STEP_MS as f64 / 86_400_000.0;
    eprintln!("{:8} {:>8} {:>8} {:>8}", "millions", "in 2024", "past", "live");
    for (name, price, turnover) in AUGUST_2024 {
        let pair = pairs.iter().find(|p| p.base == name).unwrap();
        let start = float(pair.start);
        assert!((start / price - 1.0).abs() < 0.1, "{name} begins at {start}, not at {price}");
        let (_, past) = simulator::history(pair, &pairs, SEED, START_MS);
        let month: Vec<f64> = past[past.len() - 31..past.len() - 1].iter().map(|day| float(day.turnover)).collect();
        let traded: f64 = live[&pair.market].trades.iter().map(|(_, quantity)| quantity * start).sum();
        let (past, live) = (mean(&month) / 1e6, traded / days / 1e6);
        eprintln!("{name:8} {turnover:8.1} {past:8.1} {live:8.1}");
        for (what, found) in [("past", past), ("live", live)] {
            assert!((0.3..3.0).contains(&(found / turnover)), "{name}, {what}: {found} millions a day, not {turnover}");
        }
    }
}

/// A board lot is thousands of USDT: with a coin's sizes each trade would be one lot.
#[test]
fn stocks_of_hong_kong_are_traded_in_several_board_lots() {
    let pairs: Vec<Pair> = pairs().into_iter().filter(|p| p.base == "HKD" || p.quote == "HKD").collect();
    let live = simulate(&pairs, 4, 18_000);
    for pair in pairs.iter().filter(|p| p.market.is_stock()) {
        let lots: Vec<f64> = live[&pair.market].trades.iter().map(|(_, amount)| amount / float(pair.step)).collect();
        eprintln!("{:8} {} trades of {:.1} lots", pair.base, lots.len(), mean(&lots));
        assert!((1.5..100.0).contains(&mean(&lots)), "{}: {}", pair.base, mean(&lots));
    }
}

#[test]
fn every_coin_has_a_calibration_of_its_own() {
    let profiles: Vec<_> = in_usdt().iter().map(|p| (p.base.clone(), profile(&p.base))).collect();
    for (n, (coin, own)) in profiles.iter().enumerate() {
        assert_ne!(*own, profile("a coin that is not listed"), "{coin}");
        assert!(profiles[..n].iter().all(|(_, other)| other != own), "{coin} is like another one");
    }
}

#[test]
fn coins_follow_bitcoin_as_they_are_calibrated_keep_their_level_and_pegs_hold() {
    let pairs = in_usdt();
    let paths = paths(&pairs);
    let deviation = |coin: &str| {
        let squares = paths.iter().flat_map(|path| returns(&path[coin])).map(|r| r * r).collect::<Vec<_>>();
        mean(&squares).sqrt()
    };
    for pair in &pairs {
        let (coin, own) = (pair.base.as_str(), profile(&pair.base));
        let with_bitcoin: Vec<f64> =
            paths.iter().map(|path| correlation(&returns(&path[coin]), &returns(&path["BTC"]))).collect();
        let (together, against_bitcoin) = (mean(&with_bitcoin), deviation(coin) / deviation("BTC"));
        eprintln!("{coin:8} correlation with BTC {together:5.2}, deviation {against_bitcoin:5.2} times BTC's");
        let start = float(pair.start);
        let farthest = paths.iter().flat_map(|path| &path[coin]).map(|p| (p / start - 1.0).abs()).fold(0.0, f64::max);
        if own.peg.is_some() {
            assert!(farthest < 0.001 && together.abs() < 0.1, "{coin}: {farthest} off, {together}");
            continue;
        }
        assert!(farthest < 0.2, "{coin} went {farthest} away within half an hour");
        // What is common of a coin's moves grows with its part of the common factor.
        let wanted = match own.beta {
            beta if beta >= 0.9 => 0.45..0.75,
            beta if beta >= 0.7 => 0.35..0.7,
            _ => 0.2..0.55,
        };
        assert!(coin == "BTC" || wanted.contains(&together), "{coin} has a correlation of {together} with BTC");
        assert!((0.5..2.5).contains(&against_bitcoin), "{coin} moves {against_bitcoin} times as much as BTC");
    }
}

#[test]
fn spreads_are_those_of_the_calibration() {
    let pairs = pairs();
    let samples = simulate(&pairs, 1, 3_000);
    for pair in in_usdt() {
        let mut spreads: Vec<f64> = samples[&pair.market].best.iter().map(|(bid, ask)| ask - bid).collect();
        spreads.sort_by(f64::total_cmp);
        let (median, tick) = (spreads[spreads.len() / 2], float(pair.tick));
        let wanted = (profile(&pair.base).spread_ppm * 1e-6 * float(pair.start)).max(tick);
        assert!((median - wanted).abs() < 1.1 * tick, "{}: {median}, not {wanted}", pair.base);
    }
}
