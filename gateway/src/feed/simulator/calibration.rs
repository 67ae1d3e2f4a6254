//! The numbers that the simulator is calibrated with.
//!
//! Owns: quantile tables and factors per coin. Never does: read recorded data while the exchange runs.
//! Invariants: BTC and ETH give the statistics of [`RECORDED`] within a quarter; a test proves it.
//! Known limits: six minutes of one evening stand for all times; other coins are scaled by hand from ETH to the volatility,
//! the spread and the turnover that they had on large venues in August 2024.

/// A table of (probability, value), probabilities ascending from 0 to 1.
pub type Table = &'static [(f64, f64)];

/// Statistics of a pair, recorded or simulated: 10 %, 50 % and 90 % quantiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Absolute returns of the mid over one second, in parts per million, over windows that begin every 100 ms.
    pub return_ppm: [f64; 3],
    /// Base amounts of trades.
    pub size: [f64; 3],
    /// Best ask less best bid, in quote, looked at every 100 ms.
    pub spread: [f64; 3],
    /// Milliseconds between a trade and the next.
    pub gap_ms: [f64; 3],
}

/// What Binance's spot market said from 2024-08-08 23:54:15 to midnight UTC.
pub const RECORDED: [(&str, Statistics); 2] = [
    (
        "BTCUSDT",
        Statistics {
            return_ppm: [0.0, 0.0, 136.7],
            size: [0.000_09, 0.000_6, 0.055_65],
            spread: [0.01, 0.01, 0.01],
            gap_ms: [0.0, 0.0, 100.0],
        },
    ),
    (
        "ETHUSDT",
        Statistics {
            return_ppm: [0.0, 0.0, 182.6],
            size: [0.002, 0.008_8, 1.0],
            spread: [0.01, 0.01, 0.01],
            gap_ms: [0.0, 0.0, 132.0],
        },
    ),
];

/// Moves that all coins make together, and own moves of each coin, per second.
pub const MOVES_PER_SECOND: (f64, f64) = (0.19, 0.2);
/// How much larger a common move is than an own one: gives BTC and ETH their correlation of 0.6.
pub const COMMON_WEIGHT: f64 = 1.25;
/// Spread of the logarithm of a move's size.
pub const MOVE_SIGMA: f64 = 0.75;
/// Now and then a move is a shock: how often, and how many times as large.
pub const SHOCK: (f64, f64) = (0.015, 5.0);
/// Deviation and half-life in seconds of the parts of the logarithm of volatility: minutes, an hour, half a day. Their sum
/// makes large moves follow large ones at every scale that a chart shows.
pub const VOLATILITY: [(f64, f64); 3] = [(0.3, 120.0), (0.45, 1_800.0), (0.5, 14_400.0)];
/// The day's cycle of the logarithm of volatility: its amplitude, and the hour (UTC) at which it is highest.
pub const DAY_CYCLE: (f64, f64) = (0.25, 14.0);
/// Trades of the past follow volatility with this power.
pub const ACTIVITY_POWER: f64 = 2.0;
/// What is traded in the past against the product of usual trades and sizes, so that live trade goes on with as much: there,
/// a trade takes no more than stands at the best price.
pub const PAST_TURNOVER: f64 = 0.33;
/// Live ones follow volatility and the squares of the last moves with these powers; of the squares half is forgotten in so
/// many seconds.
pub const LIVE_ACTIVITY_POWERS: (f64, f64) = (0.5, 0.75);
pub const RECENT_MOVES_HALF_LIFE: f64 = 10.0;
/// What is usual of live activity, so that the tables' gaps are the usual ones.
pub const USUAL_ACTIVITY: f64 = 2.6;
/// Deviation and half-life in seconds of the logarithm of how busy one pair is for moments: traders come in waves.
pub const PAIR_ACTIVITY: (f64, f64) = (0.8, 6.0);
/// However calm it is, trade does not fall below this share of what is usual.
pub const LEAST_ACTIVITY: f64 = 0.35;
/// How often a move leaves the spread wide for a moment, and how wide it is then, in parts per million.
pub const WIDE: (f64, Table) = (0.12, &[(0.0, 0.3), (0.5, 10.0), (0.9, 90.0), (1.0, 250.0)]);
/// Which level of a side somebody changes, counted from 1 at the best.
pub const LEVEL_CHURN: Table = &[(0.0, 1.0), (0.4, 1.99), (0.8, 8.0), (0.95, 20.0), (1.0, 120.0)];

const BTC_SIZES: Table = &[
    (0.0, 0.62),
    (0.05, 5.5),
    (0.12, 5.7),
    (0.2, 6.2),
    (0.3, 9.3),
    (0.4, 16.7),
    (0.5, 37.0),
    (0.6, 128.0),
    (0.7, 556.0),
    (0.8, 1_236.0),
    (0.9, 3_440.0),
    (0.95, 6_180.0),
    (0.99, 20_030.0),
    (1.0, 60_700.0),
];
const ETH_SIZES: Table = &[
    (0.0, 0.27),
    (0.05, 2.7),
    (0.09, 5.3),
    (0.3, 5.5),
    (0.4, 10.5),
    (0.5, 23.6),
    (0.6, 89.6),
    (0.7, 376.0),
    (0.8, 1_073.0),
    (0.9, 2_683.0),
    (0.95, 5_220.0),
    (0.99, 13_850.0),
    (1.0, 140_000.0),
];
const BTC_GAPS: Table = &[
    (0.0, 0.6),
    (0.1, 1.0),
    (0.2, 3.0),
    (0.3, 6.0),
    (0.4, 11.0),
    (0.5, 26.0),
    (0.6, 56.0),
    (0.7, 103.0),
    (0.8, 174.0),
    (0.9, 314.0),
    (0.95, 492.0),
    (0.99, 844.0),
    (1.0, 2_014.0),
];
const ETH_GAPS: Table = &[
    (0.0, 0.6),
    (0.1, 1.0),
    (0.2, 3.0),
    (0.3, 5.0),
    (0.4, 11.0),
    (0.5, 27.0),
    (0.6, 73.0),
    (0.7, 153.0),
    (0.8, 299.0),
    (0.9, 586.0),
    (0.95, 846.0),
    (0.99, 1_483.0),
    (1.0, 3_787.0),
];
const BTC_BURST: Table = &[
    (0.0, 1.0),
    (0.7, 1.4),
    (0.8, 2.4),
    (0.85, 4.0),
    (0.9, 6.0),
    (0.95, 10.0),
    (0.99, 24.0),
    (0.999, 110.0),
    (1.0, 500.0),
];
const ETH_BURST: Table = &[
    (0.0, 1.0),
    (0.55, 1.4),
    (0.7, 2.4),
    (0.8, 4.0),
    (0.85, 6.0),
    (0.9, 8.0),
    (0.95, 11.0),
    (0.99, 22.0),
    (1.0, 90.0),
];
const BTC_TOUCH: Table = &[(0.0, 60.0), (0.1, 618.0), (0.5, 66_800.0), (0.9, 246_000.0), (1.0, 700_000.0)];
const ETH_TOUCH: Table = &[(0.0, 50.0), (0.1, 263.0), (0.5, 16_600.0), (0.9, 66_000.0), (1.0, 200_000.0)];
const BTC_LEVEL: Table = &[(0.0, 6.0), (0.1, 10.0), (0.5, 260.0), (0.9, 20_000.0), (1.0, 90_000.0)];
const ETH_LEVEL: Table = &[(0.0, 6.0), (0.1, 10.5), (0.5, 2_190.0), (0.9, 60_000.0), (1.0, 150_000.0)];

/// How one coin moves against USDT, and what is traded of it. Tables of sizes are in USDT.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// The typical own move in parts per million.
    pub move_ppm: f64,
    /// How much of the common factor it takes: with 1 it has a correlation of 0.6 with BTC, with 0.5 one of 0.4.
    pub beta: f64,
    /// The usual spread in parts per million; one tick at least, and the same number of ticks on both sides of one.
    pub spread_ppm: f64,
    /// Sizes of trades.
    pub sizes: Table,
    /// Milliseconds between bursts of trades.
    pub gaps: Table,
    /// Trades in a burst, which stand in the same millisecond.
    pub burst: Table,
    /// Quantities at the best prices.
    pub touch: Table,
    /// Quantities at the levels next to them.
    pub level: Table,
    /// The usual quantity further away, in USDT; it grows with the distance.
    pub depth: f64,
    /// Changes of the book a second.
    pub changes: f64,
    /// Turnover against the coin that the tables were measured on: scales quantities.
    pub liquidity: f64,
    /// Time between bursts against that coin's.
    pub slowness: f64,
    /// Pegged to this price: moves are drawn back to it.
    pub peg: Option<f64>,
}

const fn like_eth(move_ppm: f64, beta: f64, spread_ppm: f64, liquidity: f64, slowness: f64) -> Profile {
    Profile {
        move_ppm,
        beta,
        spread_ppm,
        sizes: ETH_SIZES,
        gaps: ETH_GAPS,
        burst: ETH_BURST,
        touch: ETH_TOUCH,
        level: ETH_LEVEL,
        depth: 3_000.0,
        changes: 1.5,
        liquidity,
        slowness,
        peg: None,
    }
}

const fn pegged(peg: f64, move_ppm: f64, spread_ppm: f64, liquidity: f64, slowness: f64) -> Profile {
    Profile { peg: Some(peg), ..like_eth(move_ppm, 0.0, spread_ppm, liquidity, slowness) }
}

/// The profile of a coin against USDT. A coin that is not in the list is a small one.
#[must_use]
pub fn profile(base: &str) -> Profile {
    match base {
        "BTC" => Profile {
            sizes: BTC_SIZES,
            gaps: BTC_GAPS,
            burst: BTC_BURST,
            touch: BTC_TOUCH,
            level: BTC_LEVEL,
            depth: 6_000.0,
            changes: 6.5,
            ..like_eth(46.0, 1.0, 0.1, 1.0, 1.15)
        },
        "ETH" => Profile { changes: 6.5, ..like_eth(60.0, 1.0, 3.0, 1.0, 2.0) },
        "SOL" => like_eth(60.0, 1.05, 65.0, 0.7, 2.5),
        "BNB" => like_eth(37.0, 0.9, 20.0, 0.5, 4.0),
        "XRP" => like_eth(48.0, 0.9, 170.0, 0.5, 3.5),
        "DOGE" => like_eth(60.0, 1.1, 95.0, 0.4, 4.0),
        "ADA" => like_eth(54.0, 1.0, 290.0, 0.3, 6.0),
        "TRX" => like_eth(30.0, 0.6, 80.0, 0.25, 8.0),
        "LTC" => like_eth(46.0, 0.9, 160.0, 0.25, 8.0),
        "DOT" => like_eth(54.0, 1.0, 220.0, 0.25, 8.0),
        "LINK" => like_eth(57.0, 1.05, 95.0, 0.3, 7.0),
        "AVAX" => like_eth(62.0, 1.05, 460.0, 0.25, 6.5),
        "CFX" => like_eth(72.0, 1.0, 240.0, 0.12, 14.0),
        "ACH" => like_eth(74.0, 0.95, 300.0, 0.09, 18.0),
        "HIGH" => like_eth(84.0, 0.8, 500.0, 0.08, 19.0),
        "CHZ" => like_eth(62.0, 0.95, 180.0, 0.12, 17.0),
        "SANTOS" => like_eth(68.0, 0.55, 880.0, 0.08, 23.0),
        "LAZIO" => like_eth(62.0, 0.5, 570.0, 0.05, 24.0),
        "PORTO" => like_eth(64.0, 0.5, 540.0, 0.045, 22.0),
        "APE" => like_eth(66.0, 1.0, 150.0, 0.12, 14.0),
        "BLUR" => like_eth(72.0, 1.05, 600.0, 0.11, 17.0),
        "IMX" => like_eth(66.0, 1.1, 260.0, 0.11, 17.0),
        "SAND" => like_eth(58.0, 1.05, 370.0, 0.12, 15.5),
        "MANA" => like_eth(56.0, 1.0, 350.0, 0.11, 17.0),
        "AXS" => like_eth(60.0, 1.0, 200.0, 0.1, 18.0),
        "USDC" => pegged(1.0, 12.0, 100.0, 2.0, 5.0),
        "FDUSD" => pegged(1.0, 14.0, 100.0, 1.2, 5.7),
        "DAI" => pegged(1.0, 18.0, 300.0, 0.2, 24.0),
        "HKD" => pegged(0.1282, 3.0, 80.0, 2.0, 5.0),
        "AAPL" | "MSFT" | "GOOGL" | "AMZN" => like_eth(14.0, 0.35, 0.6, 0.6, 4.0),
        "META" | "JPM" => like_eth(16.0, 0.35, 1.0, 0.4, 6.0),
        "NVDA" | "TSLA" => like_eth(26.0, 0.45, 0.8, 0.8, 3.0),
        "KO" | "DIS" => like_eth(10.0, 0.25, 1.5, 0.2, 10.0),
        // Of what is several board lots, which are some 1,000 to 6,000 USDT.
        "0700" | "9988" | "3690" => like_eth(18.0, 0.3, 5.0, 40.0, 8.0),
        "0005" | "0939" => like_eth(11.0, 0.2, 8.0, 40.0, 10.0),
        _ => like_eth(62.0, 1.0, 300.0, 0.2, 10.0),
    }
}

/// The profile of a pair of two coins: prices come from their USDT pairs, trades are fewer than in either.
#[must_use]
pub fn cross_profile(base: &str) -> Profile {
    let coin = profile(base);
    Profile { liquidity: coin.liquidity * 0.3, slowness: coin.slowness * 5.0, changes: 1.5, ..coin }
}
