//! The seeded simulator: the price source of an installation without a network.
//!
//! Owns: a market of correlated coins in virtual time, with one book a pair. Never does: read the wall clock (only
//! [`run`] does), let anybody's orders move a price: what users take of the house's quotes leaves the book, never the price.
//! Invariants: the same pairs, seed, start and takings give the same events; a pair of two coins is priced by its USDT
//! pairs; books are never crossed; a trade is part of the best level that was said last.
//! Live prices are drawn from another seed at each start: an observer who knows the seed of the history cannot predict them.
//! Known limits: where the settings name the seed, live prices derive from it, from its first moves on at each start, and are
//! predictable to anybody who knows the number or computes it from its candles; "the same" holds on machines whose mathematical
//! library rounds alike.

pub mod book;
pub mod calibration;
pub mod history;
pub mod prices;
pub mod rng;

pub use history::history;

use super::bars::Bars;
use super::feedback::Feedback;
use super::{FeedEvent, Mids};
use crate::common::time::{Ms, now_ms};
use crate::feed::inbox::Inbox;
use book::{Shape, SimBook};
use calibration::{LEAST_ACTIVITY, PAIR_ACTIVITY, Profile, cross_profile, profile};
use prices::{Prices, STEP_SECONDS};
use rng::{Draws, LiveRng, LiveSeed};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::MissedTickBehavior;
use xng_core::ids::MarketId;
use xng_core::money::Amount;
use xng_core::spot::Side;
use xng_core::stock::calendar::Session;
use xng_core::stock::facts::ActionSet;
use xng_core::stock::{ActionKind, StepTable};

/// The asset that every coin has its price in.
const MONEY: &str = "USDT";
/// Virtual time passes in steps of this length.
pub const STEP_MS: Ms = 100;
/// Trades are said every so many steps: a pair's tape gets ids five times a second at most.
const STEPS_A_PRINT: Ms = 2;
/// Far levels follow the price this often.
const HOUSEKEEPING_MS: Ms = 10_000;
/// A price that is further away from the book than this, in parts per million, is followed at once.
const FOLLOW_PPM: f64 = 100.0;
/// Where the seed lies in the data folder.
const SEED_FILE: &str = "simulator.seed";
/// After a longer sleep of the machine the market goes on from now.
const BEHIND_MS: Ms = 5_000;
/// Another taker side after a burst.
const TURN: f64 = 0.4;
/// Trades that a move of typical size brings beside the usual ones.
const MOVE_TRADES: f64 = 6.0;

/// One pair to simulate.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Which pair.
    pub market: MarketId,
    /// Code of the base.
    pub base: String,
    /// Code of the quote.
    pub quote: String,
    /// Where its price begins.
    pub start: Amount,
    /// Its tick.
    pub tick: Amount,
    /// Its ticks at other prices.
    pub steps: StepTable,
    /// Its step.
    pub step: Amount,
    /// Another source speaks for it; here it only prices pairs of two coins.
    pub followed: bool,
    /// When it is traded: sessions by time; all the time without them.
    pub sessions: Option<Arc<[Session]>>,
    /// Recorded bars that its price follows in its sessions.
    pub bars: Option<Arc<Bars>>,
    /// Number of the last corporate action that they know of.
    pub last_action: u32,
}

impl Pair {
    /// Whether it is traded at some time from one moment to another.
    #[must_use]
    pub fn trades(&self, from: Ms, to: Ms) -> bool {
        let Some(sessions) = &self.sessions else { return true };
        let (from, to) = (from.max(0).cast_unsigned(), to.max(0).cast_unsigned());
        let next = sessions.partition_point(|session| session.close_ms <= from);
        sessions.get(next).is_some_and(|session| session.open_ms < to)
    }

    /// What its bars say at a time.
    #[must_use]
    pub fn recorded(&self, now: Ms) -> Option<f64> {
        self.bars.as_ref()?.price(self.sessions.as_deref()?, now)
    }

    fn legs(&self, pairs: &[Pair]) -> Option<(Amount, Amount)> {
        let leg = |name: &str| pairs.iter().find(|p| p.base == name && p.quote == MONEY).map(|p| p.start);
        if self.quote == MONEY { None } else { leg(&self.base).zip(leg(&self.quote)) }
    }

    /// A price in this pair's ticks.
    fn snap(&self, price: f64) -> Amount {
        let tick = self.tick.0 as f64 / 1e8;
        Amount(((price / tick).round() as i128).max(1) * self.tick.0)
    }
}

/// Lets pairs of two coins begin where their USDT pairs say.
pub fn align(pairs: &mut [Pair]) {
    let all = pairs.to_vec();
    for pair in pairs {
        if let Some((base, quote)) = pair.legs(&all) {
            pair.start = pair.snap(base.0 as f64 / quote.0 as f64);
        }
    }
}

/// What an action makes of a price.
#[must_use]
pub fn ratio(action: ActionKind) -> f64 {
    match action {
        ActionKind::Split { new, old } => f64::from(old) / f64::from(new),
        ActionKind::Dividend { .. } => 1.0,
    }
}

#[derive(Debug)]
struct SimulatedPair {
    pair: Pair,
    /// Names of the coins whose prices make this pair's: base, and quote unless that is USDT.
    coins: (String, Option<String>),
    book: SimBook,
    /// Decides where its levels are.
    salt: u64,
    profile: Profile,
    shape: Shape,
    rng: LiveRng,
    next_burst_ms: f64,
    next_housekeeping_ms: Ms,
    buying: bool,
    /// Logarithm of how busy the pair is for the moment.
    log_activity: f64,
    /// Size of the last move of the book's price that no trade was seen with yet, in typical moves.
    pushed: f64,
}

/// All pairs in virtual time.
#[derive(Debug)]
pub struct Market {
    prices: Prices,
    pairs: Vec<SimulatedPair>,
    now: Ms,
}

impl Market {
    /// A market that begins at `now`.
    #[must_use]
    pub fn new(pairs: &[Pair], seed: &LiveSeed, now: Ms) -> Market {
        let mut prices = Prices::new(seed);
        let mut simulated = Vec::new();
        for pair in pairs {
            let cross = pair.legs(pairs).is_some();
            let symbol = format!("{}{}", pair.base, pair.quote);
            let shape = |profile| Shape { tick: pair.tick, step: pair.step, profile };
            let (coins, shape) = if cross {
                ((pair.base.clone(), Some(pair.quote.clone())), shape(cross_profile(&pair.base)))
            } else {
                let name = if pair.quote == MONEY { pair.base.clone() } else { symbol.clone() };
                let mut own = profile(&pair.base);
                if pair.followed || pair.bars.is_some() {
                    own.move_ppm = 0.0;
                }
                prices.add(&name, seed, own, pair.start.0 as f64 / 1e8);
                ((name, None), shape(own))
            };
            if pair.followed {
                continue;
            }
            let salt = seed.stream(&format!("levels of {symbol}")).bits();
            simulated.push(SimulatedPair {
                pair: pair.clone(),
                coins,
                book: SimBook::new(shape.clone(), salt),
                salt,
                profile: shape.profile,
                shape,
                rng: seed.stream(&format!("trades of {symbol}")),
                next_burst_ms: now as f64,
                next_housekeeping_ms: now + HOUSEKEEPING_MS,
                buying: true,
                log_activity: 0.0,
                pushed: 0.0,
            });
        }
        Market { prices, pairs: simulated, now }
    }

    /// Virtual time.
    #[must_use]
    pub fn now(&self) -> Ms {
        self.now
    }

    /// Goes on from a later time as if nothing had happened meanwhile.
    pub fn skip_to(&mut self, now: Ms) {
        let by = now - self.now;
        self.pairs.iter_mut().for_each(|d| d.next_burst_ms += by as f64);
        self.now = now;
    }

    /// Takes a coin's price in USDT from elsewhere.
    pub fn follow(&mut self, base: &str, price: Amount) {
        self.prices.set(base, price.0 as f64 / 1e8);
    }

    /// Somebody took this of a level of the house.
    pub fn take(&mut self, market: MarketId, side: Side, price: Amount, quantity: Amount) {
        if let Some(one) = self.pairs.iter_mut().find(|d| d.pair.market == market) {
            one.book.take(side, (price.0 / one.pair.tick.0) as i64, (quantity.0 / one.pair.step.0) as i64);
        }
    }

    /// A stock was split: its price goes on from the index in new shares, which may be where it began, its bars in new shares,
    /// unless they were read since, all with a new book.
    pub fn split(&mut self, split: &ActionSet) {
        let Some(one) = self.pairs.iter_mut().find(|d| d.pair.market == split.action.market) else { return };
        self.prices.set(&one.coins.0, split.odd_price.0 as f64 / 1e8);
        one.split(split);
    }

    /// What the next [`STEP_MS`] bring.
    pub fn step(&mut self, out: &mut Vec<FeedEvent>) {
        self.now += STEP_MS;
        self.prices.step(self.now);
        for one in &self.pairs {
            if let Some(price) = one.pair.recorded(self.now) {
                self.prices.set(&one.coins.0, price);
            }
        }
        for one in &mut self.pairs {
            one.step(&self.prices, self.now, out);
        }
    }
}

impl SimulatedPair {
    fn split(&mut self, split: &ActionSet) {
        let pair = &mut self.pair;
        pair.tick = pair.steps.step(split.odd_price, pair.tick).unwrap_or(pair.tick);
        if split.action.id > pair.last_action {
            pair.bars = pair.bars.as_ref().map(|bars| Arc::new(bars.scaled(ratio(split.action.kind))));
            pair.last_action = split.action.id;
        }
        self.shape.tick = pair.tick;
        self.book = SimBook::new(self.shape.clone(), self.salt);
        self.pushed = 0.0;
    }

    fn step(&mut self, prices: &Prices, now: Ms, out: &mut Vec<FeedEvent>) {
        // Out of its sessions its price goes on unseen: it opens where that is by then.
        if !self.pair.trades(now, now + 1) {
            self.next_burst_ms = now as f64;
            return;
        }
        let Some(base) = prices.get(&self.coins.0) else { return };
        let quote = self.coins.1.as_ref().and_then(|name| prices.get(name)).unwrap_or(1.0);
        self.change_book(base / quote, base, now, out);
        if (now / STEP_MS + Ms::from(self.pair.market.0)) % STEPS_A_PRINT == 0 {
            let activity = prices.activity(&self.coins.0) * self.pair_activity();
            while self.next_burst_ms < now as f64 {
                self.burst(base, activity, out);
            }
        }
    }

    /// How busy the pair is for the moment, against what is usual.
    fn pair_activity(&mut self) -> f64 {
        let (deviation, half_life) = PAIR_ACTIVITY;
        let keep = 0.5f64.powf(STEPS_A_PRINT as f64 * STEP_SECONDS / half_life);
        self.log_activity = self.log_activity * keep + deviation * (1.0 - keep * keep).sqrt() * self.rng.normal();
        (self.log_activity - deviation * deviation / 2.0).exp()
    }

    /// Now and then the book changes, at once when the price is far from it.
    fn change_book(&mut self, mid: f64, usdt: f64, now: Ms, out: &mut Vec<FeedEvent>) {
        let due = self.rng.chance(self.profile.changes * STEP_SECONDS);
        if !due && self.book.off_ppm(mid) < FOLLOW_PPM {
            return;
        }
        // An empty book has no price: the first change is no move.
        let begun = self.book.best(Side::Buy).or(self.book.best(Side::Sell)).is_some();
        let before = self.book.reference();
        if self.book.change(mid, usdt, &mut self.rng) && begun {
            let ppm = (self.book.reference() - before).0 as f64 / before.0 as f64 * 1e6;
            self.pushed = ppm / self.profile.move_ppm.max(1.0);
        }
        if now >= self.next_housekeeping_ms {
            self.next_housekeeping_ms = now + HOUSEKEEPING_MS;
            self.book.tidy_up(usdt, &mut self.rng);
        }
        let market = self.pair.market;
        let (bids, asks) = self.book.changes();
        out.push(match begun {
            false => FeedEvent::Book { market, bids, asks },
            true => FeedEvent::Levels { market, bids, asks },
        });
        out.push(FeedEvent::Price { market, price: self.book.reference() });
    }

    /// Trades of one moment. A move of the price is made by many of them, in its direction.
    fn burst(&mut self, usdt: f64, activity: f64, out: &mut Vec<FeedEvent>) {
        let pushed = std::mem::take(&mut self.pushed);
        if pushed.abs() > 0.1 {
            self.buying = pushed > 0.0;
        } else if self.rng.chance(TURN) {
            self.buying = !self.buying;
        }
        let side = if self.buying { Side::Sell } else { Side::Buy };
        let trades = self.rng.from(self.profile.burst).max(1.0) + pushed.abs() * MOVE_TRADES;
        for _ in 0..trades.round() as usize {
            let lots = self.shape.quantity(self.rng.from(self.profile.sizes), usdt);
            let Some((ticks, lots)) = self.book.print(side, lots) else { break };
            out.push(FeedEvent::Trade {
                market: self.pair.market,
                price: Amount(i128::from(ticks) * self.pair.tick.0),
                quantity: Amount(i128::from(lots) * self.pair.step.0),
                time_ms: self.next_burst_ms as Ms,
                buyer_is_maker: !self.buying,
            });
        }
        self.next_burst_ms += self.rng.from(self.profile.gaps) * self.profile.slowness / activity.max(LEAST_ACTIVITY);
    }
}

/// The seed of the past: what the settings say, or what was drawn at the first start and lies in the data folder, so that no
/// two installations have the same history and a restart has the same.
pub fn seed(data: &Path, configured: Option<u64>) -> std::io::Result<u64> {
    if let Some(seed) = configured {
        return Ok(seed);
    }
    let path = data.join(SEED_FILE);
    match std::fs::read_to_string(&path) {
        Ok(text) => match text.trim().parse() {
            Ok(seed) => return Ok(seed),
            // It draws the history of pairs that have none, nothing that was lost with it.
            Err(error) => {
                tracing::warn!(file = %path.display(), %error, "the simulator's seed is no number: another is drawn")
            }
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        // Not even text.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            tracing::warn!(file = %path.display(), %error, "the simulator's seed is no number: another is drawn");
        }
        Err(error) => return Err(error),
    }
    let seed = getrandom::u64().map_err(std::io::Error::other)?;
    let new = path.with_extension("seed.new");
    let mut file = std::fs::File::create(&new)?;
    writeln!(file, "{seed}")?;
    file.sync_all()?;
    std::fs::rename(&new, &path)?;
    std::fs::File::open(data)?.sync_all()?;
    Ok(seed)
}

/// What live prices are drawn from: by the settings, or anew at each start. With the same one again, who saw the first start
/// would know what comes after each other.
///
/// # Errors
/// When the system gives no random numbers.
pub fn live_seed(configured: Option<u64>) -> Result<LiveSeed, getrandom::Error> {
    configured.map_or_else(LiveSeed::drawn, |number| Ok(LiveSeed::numbered(number)))
}

/// Speaks about all pairs that are not followed until nobody listens; `mids` tells those that are.
pub async fn run(pairs: Vec<Pair>, seed: LiveSeed, mids: Mids, feedback: Feedback, out: Inbox) {
    let mut market = Market::new(&pairs, &seed, now_ms());
    let mut ticks = tokio::time::interval(Duration::from_millis(STEP_MS as u64));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut events = Vec::new();
    loop {
        ticks.tick().await;
        let now = now_ms();
        if now - market.now() > BEHIND_MS {
            market.skip_to(now - STEP_MS);
        }
        for pair in pairs.iter().filter(|p| p.followed && p.quote == MONEY) {
            if let Some(mid) = mids.get(pair.market) {
                market.follow(&pair.base, mid);
            }
        }
        let heard = feedback.drain();
        for t in heard.taken {
            market.take(t.market, t.side, t.price, t.quantity);
        }
        heard.splits.iter().for_each(|split| market.split(split));
        while market.now() + STEP_MS <= now {
            market.step(&mut events);
        }
        for event in events.drain(..) {
            out.send(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::ids::AssetId;
    use xng_core::stock::facts::Action;

    fn first_minute(configured: Option<u64>) -> Vec<FeedEvent> {
        let amount = |units: i128| Amount(units * 100_000_000);
        let pair = Pair {
            market: MarketId(1),
            base: "BTC".to_owned(),
            quote: MONEY.to_owned(),
            start: amount(60_000),
            tick: Amount(1_000_000),
            steps: StepTable::Flat,
            step: Amount(1_000),
            followed: false,
            sessions: None,
            bars: None,
            last_action: 0,
        };
        let (mut market, mut events) = (Market::new(&[pair], &live_seed(configured).unwrap(), 0), Vec::new());
        (0..600).for_each(|_| market.step(&mut events));
        events
    }

    #[test]
    fn a_pair_begins_with_its_whole_book_and_no_move() {
        let events = first_minute(Some(7));
        let first = events.iter().find(|e| matches!(e, FeedEvent::Book { .. } | FeedEvent::Levels { .. }));
        assert!(matches!(first, Some(FeedEvent::Book { .. })), "{first:?}");
        let trades = |events: &[FeedEvent]| events.iter().filter(|e| matches!(e, FeedEvent::Trade { .. })).count();
        let (first_second, minute) = (trades(&events[..events.len() / 60]), trades(&events));
        assert!(first_second < minute / 4, "{first_second} of {minute} trades in the first second");
    }

    #[test]
    fn a_split_stock_goes_on_in_new_shares_and_their_ticks_with_a_new_book() {
        let tencent = Pair {
            market: MarketId(394),
            base: "0700".to_owned(),
            quote: "HKD".to_owned(),
            start: Amount::whole(600),
            tick: Amount(50_000_000),
            steps: StepTable::Hk2025,
            step: Amount::whole(1),
            followed: false,
            sessions: None,
            bars: None,
            last_action: 0,
        };
        let (mut market, mut events) = (Market::new(&[tencent], &live_seed(Some(7)).unwrap(), 0), Vec::new());
        (0..50).for_each(|_| market.step(&mut events));
        let (asset, quote, kind) = (AssetId(10_394), AssetId(130), ActionKind::Split { new: 10, old: 1 });
        let action = Action { market: MarketId(394), asset, quote, id: 1, kind };
        market.split(&ActionSet { action, board_lot: Amount::whole(1), odd_price: Amount::whole(60), holders: 0 });
        events.clear();
        (0..50).for_each(|_| market.step(&mut events));
        let Some(FeedEvent::Book { bids, asks, .. }) = events.first() else { panic!("{:?}", events.first()) };
        let levels = || bids.iter().chain(asks);
        assert!(bids.len() > 100 && asks.len() > 100);
        assert!(levels().all(|(price, _)| price.0 % 5_000_000 == 0 && *price > Amount::whole(40)), "{bids:?} {asks:?}");
        assert!(levels().all(|(price, _)| *price < Amount::whole(80)), "{bids:?} {asks:?}");
        let prices = events.iter().filter_map(|event| match event {
            FeedEvent::Price { price, .. } | FeedEvent::Trade { price, .. } => Some(price.0 as f64 / 1e8),
            FeedEvent::Book { .. } | FeedEvent::Levels { .. } | FeedEvent::Lost(_) => None,
        });
        let prices: Vec<f64> = prices.collect();
        assert!(prices.len() >= 10 && prices.iter().all(|price| (price / 60.0 - 1.0).abs() < 0.02), "{prices:?}");
    }

    #[test]
    fn a_restart_has_moves_of_its_own_unless_the_settings_name_the_seed() {
        assert_ne!(first_minute(None), first_minute(None));
        assert_eq!(first_minute(Some(7)), first_minute(Some(7)));
    }

    #[test]
    fn a_seed_that_is_no_number_is_drawn_again_and_then_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(SEED_FILE);
        let first = seed(folder.path(), None).unwrap();
        assert_eq!(seed(folder.path(), None).unwrap(), first);
        for damaged in [&b""[..], b"not a number\n", b"99999999999999999999999\n", &[0xff, 0xfe]] {
            std::fs::write(&path, damaged).unwrap();
            let drawn = seed(folder.path(), None).unwrap();
            assert_eq!(seed(folder.path(), None).unwrap(), drawn);
        }
        assert_eq!(seed(folder.path(), Some(7)).unwrap(), 7);
    }
}
