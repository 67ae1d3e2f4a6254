//! The simulator against recorded data, and what every market of it must keep.

mod feed_recording;

use feed_recording::{Sample, data, recorded};
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Instant;
use xng_core::ids::MarketId;
use xng_core::money::Amount;
use xng_gateway::catalog::Seeds;
use xng_gateway::feed::FeedEvent;
use xng_gateway::feed::simulator::calibration::{RECORDED, Statistics};
use xng_gateway::feed::simulator::{self, Market, Pair};
use xng_gateway::market::board::Board;
use xng_gateway::market::candles::Candle;
use xng_gateway::market::interval::Interval;

const SEED: u64 = 20_240_808;
const START_MS: i64 = 1_723_161_255_000;

/// The pairs that a fresh exchange lists.
fn pairs() -> Vec<Pair> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/markets.toml");
    let seeds = Seeds::load(&path).unwrap();
    let amount = |text: &str| Amount::from_str(text).unwrap();
    let pair = |m: &xng_gateway::catalog::MarketSeed| Pair {
        market: MarketId(m.id),
        base: m.base.clone(),
        quote: m.quote.clone(),
        start: amount(&m.start_price),
        tick: amount(&m.tick),
        step: amount(&m.step),
        followed: false,
    };
    let mut pairs: Vec<Pair> = seeds.market.iter().map(pair).collect();
    simulator::align(&mut pairs);
    pairs
}

fn float(amount: Amount) -> f64 {
    amount.0 as f64 / 1e8
}

/// Runs `pairs` for a while; samples by market.
fn simulate(pairs: &[Pair], steps: usize) -> BTreeMap<MarketId, Sample> {
    let mut market = Market::new(pairs, SEED, START_MS);
    let mut samples: BTreeMap<MarketId, Sample> = BTreeMap::new();
    let mut best: BTreeMap<MarketId, (f64, f64)> = BTreeMap::new();
    let mut events = Vec::new();
    for _ in 0..steps {
        market.step(&mut events);
        for event in events.drain(..) {
            match event {
                FeedEvent::Book { market, bids, asks } => {
                    best.insert(market, (float(bids[0].0), float(asks[0].0)));
                }
                FeedEvent::Trade { market, quantity, time_ms, .. } => {
                    samples.entry(market).or_default().trades.push((time_ms, float(quantity)));
                }
                other => panic!("the simulator says {other:?}"),
            }
        }
        for (market, best) in &best {
            samples.entry(*market).or_default().best.push(*best);
        }
    }
    samples
}

fn table(s: &Statistics) -> [[f64; 3]; 4] {
    [s.return_ppm, s.size, s.spread, s.gap_ms]
}

/// Within a quarter; quantiles that are 0 must be 0.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 0.25 * b.abs() + 1e-9
}

#[test]
fn returns_sizes_spreads_and_gaps_are_within_a_quarter_of_the_recorded_ones() {
    let pairs: Vec<Pair> = pairs().into_iter().take(2).collect();
    let samples = simulate(&pairs, 4 * 36_000);
    let folder = data();
    if folder.is_none() {
        eprintln!("no recorded data: compared with the stored figures");
    }
    let names = ["|return| over 1 s, ppm", "trade size, base", "spread, quote", "between trades, ms"];
    let mut wrong = Vec::new();
    eprintln!("{:8} {:24} {:>30} {:>30}", "pair", "p10 p50 p90 of", "recorded", "simulated");
    for (pair, (symbol, stored)) in pairs.iter().zip(&RECORDED) {
        let stored = table(stored);
        let said = folder.as_ref().map_or(stored, |f| recorded(f, symbol).measure());
        let measured = samples[&pair.market].measure();
        for (i, name) in names.iter().enumerate() {
            let text = |v: [f64; 3]| {
                v.map(|x| format!("{:.7}", x).trim_end_matches('0').trim_end_matches('.').to_owned()).join(" ")
            };
            eprintln!("{symbol:8} {name:24} {:>30} {:>30}", text(said[i]), text(measured[i]));
            for k in 0..3 {
                if !near(measured[i][k], said[i][k]) || !near(stored[i][k], said[i][k]) {
                    wrong.push(format!("{symbol} {name} [{k}]: {} for {}", measured[i][k], said[i][k]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_same_seed_is_the_same_market_event_by_event() {
    let pairs = pairs();
    let run = |seed| {
        let (mut market, mut events) = (Market::new(&pairs, seed, START_MS), Vec::new());
        (0..600).for_each(|_| market.step(&mut events));
        events
    };
    let (a, b, other) = (run(1), run(1), run(2));
    assert!(a.len() > 3_000, "{} events in a minute", a.len());
    assert_eq!(a, b);
    assert_ne!(a, other);
}

#[test]
fn coins_move_together_and_a_large_second_follows_a_large_one() {
    let pairs = pairs();
    let samples = simulate(&pairs[..2], 4 * 36_000);
    let returns = |m: u16| -> Vec<f64> {
        let mids: Vec<f64> = samples[&MarketId(m)].best.iter().step_by(100).map(|(b, a)| b + a).collect();
        mids.windows(2).map(|w| w[1] / w[0] - 1.0).collect()
    };
    let correlation = |a: &[f64], b: &[f64]| {
        let n = a.len().min(b.len());
        let mean = |v: &[f64]| v[..n].iter().sum::<f64>() / n as f64;
        let (ma, mb) = (mean(a), mean(b));
        let product = |x: &[f64], mx: f64, y: &[f64], my: f64| -> f64 {
            x[..n].iter().zip(&y[..n]).map(|(p, q)| (p - mx) * (q - my)).sum()
        };
        product(a, ma, b, mb) / (product(a, ma, a, ma) * product(b, mb, b, mb)).sqrt()
    };
    let (btc, eth) = (returns(1), returns(2));
    let together = correlation(&btc, &eth);
    assert!((0.4..0.8).contains(&together), "{together}");
    let sizes: Vec<f64> = btc.iter().map(|r| r.abs()).collect();
    let cluster = correlation(&sizes, &sizes[1..]);
    assert!(cluster > 0.03, "{cluster}");
    let square = btc.iter().map(|r| r * r).sum::<f64>() / btc.len() as f64;
    let fourth = btc.iter().map(|r| r.powi(4)).sum::<f64>() / btc.len() as f64;
    assert!(fourth / (square * square) > 3.5, "tails like a normal's: {}", fourth / (square * square));
}

#[test]
fn every_book_is_sane_crosses_hold_and_the_dollar_hugs_one() {
    let pairs = pairs();
    let by_id: BTreeMap<MarketId, &Pair> = pairs.iter().map(|p| (p.market, p)).collect();
    let symbol = |p: &Pair| format!("{}{}", p.base, p.quote);
    let (mut market, mut events) = (Market::new(&pairs, SEED, START_MS), Vec::new());
    let mut mids: BTreeMap<String, f64> = BTreeMap::new();
    let mut spoken: BTreeMap<String, usize> = BTreeMap::new();
    for n in 0..36_000 {
        market.step(&mut events);
        for event in events.drain(..) {
            match event {
                FeedEvent::Book { market, bids, asks } => {
                    let pair = by_id[&market];
                    mids.insert(symbol(pair), float(bids[0].0 + asks[0].0) / 2.0);
                    assert!(bids[0].0 < asks[0].0);
                    let usdt = mids.get(&format!("{}USDT", pair.base)).copied().unwrap_or(1.0);
                    let value: f64 = bids.iter().chain(&asks).map(|l| float(l.1)).sum::<f64>() * usdt;
                    assert!((2_000.0..6_000_000.0).contains(&value), "{} shows {value} USDT", symbol(pair));
                    assert!(bids.iter().chain(&asks).all(|l| l.0.0 % pair.tick.0 == 0 && l.1.0 % pair.step.0 == 0));
                }
                FeedEvent::Trade { market, price, time_ms, .. } => {
                    let pair = by_id[&market];
                    assert!(price.0 % pair.tick.0 == 0 && price > Amount::ZERO);
                    assert!((START_MS..=START_MS + 100 * (n + 1)).contains(&time_ms));
                    *spoken.entry(symbol(pair)).or_default() += 1;
                }
                other => panic!("the simulator says {other:?}"),
            }
        }
        let wide = |pair: &str| 1.5 * float(pairs.iter().find(|p| symbol(p) == pair).unwrap().tick) / mids[pair];
        for (cross, base) in [("ETHBTC", "ETHUSDT"), ("SOLBTC", "SOLUSDT")] {
            let off = mids[cross] / (mids[base] / mids["BTCUSDT"]) - 1.0;
            assert!(off.abs() < wide(cross) + 0.000_3, "{cross} is off by {off}");
        }
        assert!((mids["USDCUSDT"] - 1.0).abs() < 0.001, "{}", mids["USDCUSDT"]);
    }
    assert_eq!(spoken.len(), pairs.len(), "every pair trades: {spoken:?}");
    eprintln!("trades in an hour: {spoken:?}");
}

#[test]
fn history_ends_at_the_start_price_without_a_hole() {
    let pairs = pairs();
    let now = START_MS + 12_345;
    let began = Instant::now();
    let made: Vec<(Vec<Candle>, Vec<Candle>)> =
        pairs.iter().map(|p| simulator::history(p, &pairs, SEED, now)).collect();
    let mut boards: Vec<Board> = pairs.iter().map(board).collect();
    for (board, (minutes, days)) in boards.iter_mut().zip(&made) {
        xng_gateway::history::fill(board, minutes, days);
    }
    // Told, not judged: a busy machine takes longer.
    eprintln!("{} pairs filled in {:?}", pairs.len(), began.elapsed());
    for (pair, board) in pairs.iter().zip(&boards) {
        for interval in Interval::ALL.into_iter().filter(|i| *i != Interval::S1) {
            let series: Vec<&Candle> = board.candles.series(interval).collect();
            let wanted = match interval {
                Interval::D1 => 1_095,
                Interval::D3 => 365,
                Interval::W1 => 156,
                Interval::Mo1 => 36,
                _ => 1_500,
            };
            assert!(series.len() >= wanted, "{} {} has {}", pair.base, interval.name(), series.len());
            let last = series.last().unwrap();
            assert_eq!(last.close, pair.start, "{} {}", pair.base, interval.name());
            assert_eq!(last.open_ms, interval.span(now).0);
            for w in series.windows(2) {
                assert_eq!(interval.span(w[0].open_ms).1, w[1].open_ms, "{} {}", pair.base, interval.name());
                assert_eq!(w[0].close, w[1].open);
            }
            for c in series {
                assert!(c.low <= c.open.min(c.close) && c.high >= c.open.max(c.close) && c.low > Amount::ZERO);
                assert!(c.volume > Amount::ZERO && c.taker_base <= c.volume && c.turnover > Amount::ZERO);
            }
        }
    }
    assert_eq!(made[0], simulator::history(&pairs[0], &pairs, SEED, now));
}

fn board(pair: &Pair) -> Board {
    use xng_core::ids::AssetId;
    use xng_core::money::{FeePpm, Lots};
    use xng_core::spot::{LevelFees, MarketParams, MarketState};
    let params = MarketParams {
        market: pair.market,
        version: 1,
        symbol: format!("{}{}", pair.base, pair.quote),
        base: AssetId(1),
        quote: AssetId(2),
        tick: pair.tick,
        step: pair.step,
        min_lots: Lots(1),
        max_lots: Lots(1_000_000),
        min_notional: Amount::whole(5),
        band_ppm: 100_000,
        protection_ppm: 50_000,
        max_open_orders: 200,
        fees: vec![LevelFees { maker: FeePpm(1_000), taker: FeePpm(1_000) }],
        stale_after_ms: 8_000,
        house_quoted: true,
    };
    let depth = xng_gateway::market::depth::Depth::default();
    Board::new(params, MarketState::Trading, "simulated", depth)
}
