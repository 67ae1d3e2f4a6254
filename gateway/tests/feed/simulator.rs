//! The simulator against recorded data, and what every market of it must keep.

use crate::recording::{Sample, data, number, recorded, rows};
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Instant;
use xng_core::ids::MarketId;
use xng_core::money::Amount;
use xng_core::stock::StepTable;
use xng_gateway::feed::FeedEvent;
use xng_gateway::feed::book::FeedBook;
use xng_gateway::feed::simulator::calibration::{RECORDED, Statistics};
use xng_gateway::feed::simulator::rng::LiveSeed;
use xng_gateway::feed::simulator::{self, Market, Pair};
use xng_gateway::market::board::Board;
use xng_gateway::market::candles::Candle;
use xng_gateway::market::catalog::Seeds;
use xng_gateway::market::interval::Interval;

pub(crate) const SEED: u64 = 20_240_808;
pub(crate) const START_MS: i64 = 1_723_161_255_000;

/// The pairs that a fresh exchange lists.
pub(crate) fn pairs() -> Vec<Pair> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/markets.toml");
    let seeds = Seeds::load(&path).unwrap();
    let amount = |text: &str| Amount::from_str(text).unwrap();
    let pair = |m: &xng_gateway::market::catalog::MarketSeed| Pair {
        market: MarketId(m.id),
        base: m.base.clone(),
        quote: m.quote.clone(),
        start: amount(&m.start_price),
        tick: amount(&m.tick),
        steps: StepTable::Flat,
        step: amount(&m.step),
        followed: false,
        sessions: None,
        bars: None,
        last_action: 0,
    };
    let mut pairs: Vec<Pair> = seeds.market.iter().map(pair).collect();
    simulator::align(&mut pairs);
    pairs
}

pub(crate) fn float(amount: Amount) -> f64 {
    amount.0 as f64 / 1e8
}

/// Books by market as the events say them.
#[derive(Default)]
struct Books(BTreeMap<MarketId, FeedBook>);

impl Books {
    fn hear(&mut self, event: &FeedEvent) {
        match event {
            FeedEvent::Book { market, .. } | FeedEvent::Levels { market, .. } => {
                self.0.entry(*market).or_default().hear(event);
            }
            FeedEvent::Price { .. } | FeedEvent::Trade { .. } => {}
            FeedEvent::Lost(market) => panic!("the simulator lost {market:?}"),
        }
    }

    fn best(&self, market: MarketId) -> (Amount, Amount) {
        let book = &self.0[&market];
        (book.bids().next().unwrap().0, book.asks().next().unwrap().0)
    }
}

/// Runs `pairs` from each of the seeds for a while; samples by market.
pub(crate) fn simulate(pairs: &[Pair], seeds: u64, steps: usize) -> BTreeMap<MarketId, Sample> {
    let mut samples = BTreeMap::new();
    (SEED..SEED + seeds).for_each(|seed| simulate_one(pairs, seed, steps, &mut samples));
    samples
}

fn simulate_one(pairs: &[Pair], seed: u64, steps: usize, samples: &mut BTreeMap<MarketId, Sample>) {
    let mut market = Market::new(pairs, &LiveSeed::numbered(seed), START_MS);
    let (mut books, mut events) = (Books::default(), Vec::new());
    for _ in 0..steps {
        market.step(&mut events);
        for event in events.drain(..) {
            books.hear(&event);
            if let FeedEvent::Trade { market, quantity, time_ms, .. } = event {
                samples.entry(market).or_default().trades.push((time_ms, float(quantity)));
            }
        }
        for market in books.0.keys() {
            let (bid, ask) = books.best(*market);
            samples.entry(*market).or_default().best.push((float(bid), float(ask)));
        }
    }
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
    // Many starts: a market may be calm for hours.
    let samples = simulate(&pairs, 24, 6_000);
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

/// A minute: open, close, base traded.
type Bar = (f64, f64, f64);

/// What a chart of minutes looks like.
#[derive(Debug)]
struct Chart {
    kurtosis: f64,
    deviation_ppm: f64,
    /// Of volume with the size of the return, over 1 and 15 minutes.
    together: [f64; 2],
    /// Deviation of a minute's volume against its mean.
    dispersion: f64,
    /// The busiest hour of the day against the quietest.
    cycle: f64,
}

pub(crate) fn mean(v: &[f64]) -> f64 {
    v.iter().sum::<f64>() / v.len() as f64
}

pub(crate) fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let (ma, mb) = (mean(a), mean(b));
    let product =
        |x: &[f64], mx: f64, y: &[f64], my: f64| -> f64 { x.iter().zip(y).map(|(p, q)| (p - mx) * (q - my)).sum() };
    product(a, ma, b, mb) / (product(a, ma, a, ma) * product(b, mb, b, mb)).sqrt()
}

fn chart(bars: &[(i64, Bar)]) -> Chart {
    let joined = |n: usize| -> (Vec<f64>, Vec<f64>) {
        let parts = bars.chunks_exact(n);
        let part =
            |c: &[(i64, Bar)]| ((c[n - 1].1.1 / c[0].1.0).ln().abs() * 1e6, c.iter().map(|b| b.1.2).sum::<f64>());
        parts.map(part).unzip()
    };
    let (returns, volumes) = joined(1);
    let quarter = joined(15);
    let square = mean(&returns.iter().map(|r| r * r).collect::<Vec<_>>());
    let fourth = mean(&returns.iter().map(|r| r.powi(4)).collect::<Vec<_>>());
    let usual = mean(&volumes);
    let spread = mean(&volumes.iter().map(|v| (v - usual).powi(2)).collect::<Vec<_>>()).sqrt();
    let mut hours: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    bars.iter().for_each(|(at, b)| hours.entry(at / 3_600_000 % 24).or_default().push(b.2));
    let hours: Vec<f64> = hours.values().map(|v| mean(v)).collect();
    let extreme = |pick: fn(f64, f64) -> f64, from: f64| hours.iter().copied().fold(from, pick);
    Chart {
        kurtosis: fourth / (square * square),
        deviation_ppm: square.sqrt(),
        together: [correlation(&returns, &volumes), correlation(&quarter.0, &quarter.1)],
        dispersion: spread / usual,
        cycle: extreme(f64::max, 0.0) / extreme(f64::min, f64::MAX),
    }
}

fn show(name: &str, c: &Chart) {
    eprintln!(
        "{name:44} {:9.1} {:9.0} {:9.2} {:9.2} {:9.2} {:9.1}",
        c.kurtosis, c.deviation_ppm, c.together[0], c.together[1], c.dispersion, c.cycle
    );
}

/// Minutes of simulated pairs.
fn simulated_minutes(pairs: &[Pair], hours: i64) -> BTreeMap<MarketId, Vec<(i64, Bar)>> {
    let (mut sim, mut events) = (Market::new(pairs, &LiveSeed::numbered(SEED), START_MS), Vec::new());
    let mut bars: BTreeMap<MarketId, Vec<(i64, Bar)>> = BTreeMap::new();
    for _ in 0..hours * 36_000 {
        sim.step(&mut events);
        for event in events.drain(..) {
            let FeedEvent::Trade { market, price, quantity, time_ms, .. } = event else { continue };
            let (open_ms, price) = (time_ms / 60_000 * 60_000, float(price));
            let bars = bars.entry(market).or_default();
            match bars.last_mut() {
                Some((at, bar)) if *at == open_ms => (bar.1, bar.2) = (price, bar.2 + float(quantity)),
                _ => bars.push((open_ms, (price, price, float(quantity)))),
            }
        }
    }
    bars
}

/// Minutes of a recorded file.
fn recorded_minutes(path: &std::path::Path) -> Vec<(i64, Bar)> {
    let bar = |r: &BTreeMap<String, String>| {
        (number(r, "open_time_ms"), (number(r, "open"), number(r, "close"), number(r, "volume")))
    };
    rows(path).iter().map(bar).collect()
}

#[test]
fn charts_look_like_recorded_ones() {
    let pairs: Vec<Pair> = pairs().into_iter().take(2).collect();
    let hours = std::env::var("CHART_HOURS").map_or(24, |h| h.parse().unwrap());
    let head = ["kurtosis", "dev. ppm", "vol~|r| 1", "vol~|r| 15", "disp.", "cycle"];
    eprintln!("{:44} {}", "minutes of", head.map(|h| format!("{h:>9}")).join(" "));
    if let Some(folder) = data() {
        for file in [
            "permissive/klines_1m/bybit_btcusdt_1m_20221213.csv.gz",
            "permissive/klines_1m/coinbase_btcusd_1m_201804.csv.gz",
            "permissive/klines_1m/bitfinex_btcusd_1m_2016.csv.gz",
            "restricted/klines_1m/btcusdt_1m_202506.csv.gz",
            "restricted/klines_1m/ethusdt_1m_202506.csv.gz",
        ] {
            show(file, &chart(&recorded_minutes(&folder.join(file))));
        }
    } else {
        eprintln!("no recorded data: nothing to compare with");
    }
    let live: Vec<Chart> = simulated_minutes(&pairs, hours).values().map(|bars| chart(bars)).collect();
    let past: Vec<Chart> = pairs
        .iter()
        .map(|p| {
            let minutes = simulator::history(p, &pairs, SEED, START_MS).0;
            let minute = |w: &[Candle]| {
                (w[1].open_ms - w[0].open_ms == 60_000).then(|| {
                    let c = &w[0];
                    (c.open_ms, (float(c.open), float(c.close), float(c.volume)))
                })
            };
            chart(&minutes.windows(2).filter_map(minute).collect::<Vec<_>>())
        })
        .collect();
    for (n, pair) in pairs.iter().enumerate() {
        show(&format!("{} simulated, {hours} h", pair.base), &live[n]);
        show(&format!("{} simulated, before the first start", pair.base), &past[n]);
    }
    for c in live.iter().chain(&past) {
        assert!(c.kurtosis > 6.0, "tails like a normal's: {c:?}");
        assert!(c.together[0] > 0.4 && c.together[1] > 0.4, "volume does not go with returns: {c:?}");
        assert!((0.6..4.0).contains(&c.dispersion), "volume bars of equal height: {c:?}");
        assert!(c.cycle > 1.5, "no day: {c:?}");
        // A wild day has moves of twice the usual size.
        assert!((200.0..2_500.0).contains(&c.deviation_ppm), "{c:?}");
    }
}

#[test]
fn the_same_seed_is_the_same_market_event_by_event() {
    let pairs = pairs();
    let run = |seed| {
        let (mut market, mut events) = (Market::new(&pairs, &LiveSeed::numbered(seed), START_MS), Vec::new());
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
    let samples = simulate(&pairs[..2], 1, 4 * 36_000);
    let returns = |m: u16| -> Vec<f64> {
        let mids: Vec<f64> = samples[&MarketId(m)].best.iter().step_by(100).map(|(b, a)| b + a).collect();
        mids.windows(2).map(|w| w[1] / w[0] - 1.0).collect()
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
fn every_book_is_sane_crosses_hold_and_dollars_hug_one() {
    let pairs = pairs();
    let by_id: BTreeMap<MarketId, &Pair> = pairs.iter().map(|p| (p.market, p)).collect();
    let symbol = |p: &Pair| format!("{}{}", p.base, p.quote);
    let (mut market, mut events) = (Market::new(&pairs, &LiveSeed::numbered(SEED), START_MS), Vec::new());
    let mut mids: BTreeMap<String, f64> = BTreeMap::new();
    let mut spoken: BTreeMap<String, usize> = BTreeMap::new();
    let mut books = Books::default();
    for n in 0..36_000 {
        market.step(&mut events);
        for event in events.drain(..) {
            books.hear(&event);
            match event {
                FeedEvent::Book { market, bids, asks } | FeedEvent::Levels { market, bids, asks } => {
                    let pair = by_id[&market];
                    assert!(bids.iter().chain(&asks).all(|l| l.0.0 % pair.tick.0 == 0 && l.1.0 % pair.step.0 == 0));
                    let (bid, ask) = books.best(market);
                    assert!(bid < ask);
                    mids.insert(symbol(pair), float(bid + ask) / 2.0);
                    // A stock of Hong Kong has a price in HKD alone.
                    let in_hkd = || mids[&symbol(pair)] * mids.get("HKDUSDT").copied().unwrap_or(0.128);
                    let usdt = mids.get(&format!("{}USDT", pair.base)).copied().unwrap_or_else(in_hkd);
                    let book = &books.0[&market];
                    let near = book.bids().take(25).chain(book.asks().take(25));
                    let value: f64 = near.map(|l| float(l.1)).sum::<f64>() * usdt;
                    let most = if pair.quote == "HKD" { 20_000_000.0 } else { 6_000_000.0 };
                    assert!((2_000.0..most).contains(&value), "{} shows {value} USDT", symbol(pair));
                }
                FeedEvent::Price { market, price } => {
                    let (bid, ask) = books.best(market);
                    assert!(bid <= price && price <= ask, "the price is that of an untouched book");
                }
                FeedEvent::Trade { market, price, time_ms, buyer_is_maker, .. } => {
                    let pair = by_id[&market];
                    let (bid, ask) = books.best(market);
                    assert_eq!(price, if buyer_is_maker { bid } else { ask }, "{} at {n}", symbol(pair));
                    assert!((START_MS..=START_MS + 100 * (n + 1)).contains(&time_ms));
                    *spoken.entry(symbol(pair)).or_default() += 1;
                }
                FeedEvent::Lost(market) => panic!("the simulator lost {market:?}"),
            }
        }
        let wide = |pair: &str| 1.5 * float(pairs.iter().find(|p| symbol(p) == pair).unwrap().tick) / mids[pair];
        for (cross, base) in [("ETHBTC", "ETHUSDT"), ("SOLBTC", "SOLUSDT")] {
            let off = mids[cross] / (mids[base] / mids["BTCUSDT"]) - 1.0;
            assert!(off.abs() < wide(cross) + 0.000_3, "{cross} is off by {off}");
        }
        for dollar in ["USDCUSDT", "FDUSDUSDT", "DAIUSDT"] {
            assert!((mids[dollar] - 1.0).abs() < 0.001, "{dollar} {}", mids[dollar]);
        }
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
        xng_gateway::market::candle_store::fill(board, minutes, days);
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
        stock: None,
    };
    let depth = xng_gateway::market::depth::Depth::default();
    Board::new(params, MarketState::Trading, "simulated", depth)
}
