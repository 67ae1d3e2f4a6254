//! The house: turns a reference feed into index ticks, quotes of an ordinary flagged account, and the reference tape.
//!
//! Owns: what the feed last said of each pair. Never does: set a price other than the feed's; touch users' orders.
//! Invariants: prices enter as words of a source to the pair's price actor; quotes go through the same book as
//! everybody's and mirror the source's book, before its trades are published; a tape trade gets a durable id of our own
//! before anybody sees it; a ladder that is refused is followed by the empty one, so that none stands while the price
//! moves away.
//! Known limits: one feed; its tape stands in candles and tickers beside our own trades, marked as such.

mod funds;
mod watch;

pub use watch::{Quoting, Watch};

use crate::app::Shared;
use crate::config::{FeedKind, House as Settings};
use crate::edge::{lots, ticks};
use crate::feed::book::FeedBook;
use crate::feed::inbox::Inbox;
use crate::feed::{FeedEvent, Level};
use crate::market::board::{Board, read};
use crate::market::tape::FeedTrade;
use crate::time::{Ms, now_ms};
use funds::{Affordable, Funds};
use futures_util::future::join_all;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;
use xng_core::account::{AccountCommand, Balance, SpotCommand};
use xng_core::entity::{Command, Reply};
use xng_core::ids::{AccountId, MarketId, PriceId};
use xng_core::money::Amount;
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_core::spot::{MarketCommand, MarketParams, MarketState, QuoteLevel, Side};
use xng_runtime::{Client, Fault};

/// The feed's number among a symbol's sources.
const SOURCE: u8 = 1;
const TICK: Duration = Duration::from_millis(100);
/// An index tick at most this often while the price moves …
const PRICE_EVERY_MS: Ms = 1_000;
/// … and at least this often while it stands.
const HEARTBEAT_MS: Ms = 3_000;
/// A feed that is silent for this long no longer counts.
const SILENT_MS: Ms = 5_000;
/// The same ladder is sent again this often: what users took of it is filled up, else nothing happens.
const REFILL_MS: Ms = 2_000;
/// After a refusal the next ladder waits this long.
const RETRY_MS: Ms = 1_000;
/// What is wrong with quotes is said at most this often.
const WARN_EVERY: Duration = Duration::from_secs(60);
/// Trades of a pair that wait for ids at most; older ones are dropped and counted.
const MOST_WAITING: usize = 8_192;
/// A pair's tape gets ids this often at most, so that published ids stay near each other and records few.
const IDS_EVERY_MS: Ms = 200;
/// Ids that one record sets apart at most; the rest waits for the next.
const MOST_IDS: usize = 4_096;

/// A ladder that was sent.
struct SentLadder {
    market: MarketId,
    cut: bool,
    levels: usize,
    inventory: Amount,
}

struct Desk {
    params: MarketParams,
    /// Its trades are made up: one that the book does not bear never happened.
    simulated: bool,
    book: FeedBook,
    /// The source's own price, where it says one.
    said: Option<Amount>,
    heard_ms: Ms,
    pushed: Option<(Amount, Ms)>,
    quoted_ms: Option<Ms>,
    ladder: Vec<QuoteLevel>,
    /// Not before: the last ladder was refused.
    retry_ms: Ms,
    changed: bool,
    /// Lowest and highest price of the trades that go behind the next ladder.
    through: Option<(Amount, Amount)>,
    trades: VecDeque<FeedTrade>,
    /// When ids may be asked for again.
    ids_ms: Ms,
}

/// The house's desk for all pairs.
pub struct House {
    shared: Arc<Shared>,
    client: Client,
    levels: usize,
    desks: BTreeMap<MarketId, Desk>,
    funds: Funds,
    warned: Option<Instant>,
}

impl std::fmt::Debug for House {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "house on {} markets", self.desks.len())
    }
}

impl House {
    /// Desks for all listed markets.
    #[must_use]
    pub fn new(shared: Arc<Shared>, client: Client, settings: &Settings) -> House {
        let listed = shared.listed();
        let desks = listed.markets.values().map(|m| {
            let simulated = shared.sources.of(&m.params.symbol) == FeedKind::Simulator;
            (m.params.market, Desk::new(m.params.clone(), simulated))
        });
        let desks = desks.collect();
        House { shared, client, levels: settings.levels, desks, funds: Funds::default(), warned: None }
    }

    /// Follows the feeds until the process drains.
    pub async fn run(mut self, feed: Inbox) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.shared.health.draining.load(Ordering::Relaxed) {
            ticks.tick().await;
            feed.take().into_iter().for_each(|event| self.hear(event));
            self.tick().await;
        }
    }

    fn hear(&mut self, event: FeedEvent) {
        let now = now_ms();
        match event {
            FeedEvent::Book { market, bids, asks } => {
                if let Some(desk) = self.desks.get_mut(&market) {
                    desk.book.replace(&bids, &asks);
                    (desk.heard_ms, desk.changed) = (now, true);
                }
            }
            FeedEvent::Levels { market, bids, asks } => {
                if let Some(desk) = self.desks.get_mut(&market) {
                    desk.book.update(&bids, &asks);
                    (desk.heard_ms, desk.changed) = (now, true);
                }
            }
            FeedEvent::Price { market, price } => {
                if let Some(desk) = self.desks.get_mut(&market) {
                    (desk.heard_ms, desk.said) = (now, Some(price));
                }
            }
            FeedEvent::Trade { market, price, quantity, time_ms, buyer_is_maker } => {
                if let Some(desk) = self.desks.get_mut(&market) {
                    if desk.trades.len() >= MOST_WAITING {
                        desk.trades.pop_front();
                        self.shared.health.tape_dropped.add(1);
                    }
                    desk.trades.push_back(FeedTrade { price, quantity, time_ms, buyer_is_maker });
                    desk.heard_ms = now;
                }
            }
            FeedEvent::Lost(market) => {
                if let Some(desk) = self.desks.get_mut(&market) {
                    (desk.book, desk.said) = (FeedBook::default(), None);
                    desk.heard_ms = 0;
                }
            }
        }
    }

    async fn tick(&mut self) {
        self.shared.health.house.made();
        let now = now_ms();
        let listed = self.shared.listed();
        let (mut prices, mut due) = (Vec::new(), Vec::new());
        let mut told = Vec::new();
        for (market, desk) in &mut self.desks {
            if let Some(info) = listed.markets.get(market) {
                desk.refresh(&info.params);
            }
            let state = self.shared.boards.get(*market).map(|b| read(&b).state);
            if desk.has_trades(now) {
                desk.went_through();
                told.push(*market);
            }
            if now - desk.heard_ms > SILENT_MS {
                continue;
            }
            let Some(price) = desk.said.or_else(|| desk.book.mid()) else { continue };
            prices.extend(desk.price(price, now));
            let closed = state == Some(MarketState::CancelOnly);
            if state != Some(MarketState::Halt) && desk.wants_to_quote(now, self.levels, closed) {
                due.push(*market);
            }
        }
        // Prices first: a market opens by a fresh index and quotes.
        self.client.tell_all(Origin::House, prices);
        if !due.is_empty() {
            self.quote(&due, now).await;
        }
        self.tape(&told, now).await;
    }

    /// Sends the ladders that are due, cut to what the house has, and hears what became of each.
    async fn quote(&mut self, due: &[MarketId], now: Ms) {
        let balances = match self.balances().await {
            Ok(balances) => balances,
            Err(why) => return self.refused(due, &why, now),
        };
        self.funds.see(&balances);
        let mut sent = Vec::new();
        for market in due {
            let Some(desk) = self.desks.get_mut(market) else { continue };
            let ladder = self.funds.afford(&desk.params, &desk.ladder);
            if ladder.cut {
                self.shared.health.house_cut.add(1);
            }
            if ladder.levels.is_empty() && !self.funds.stands(*market) {
                self.shared.house.refused(*market);
                desk.quoted_ms = None;
                desk.retry_ms = now + RETRY_MS;
                continue;
            }
            self.funds.lock(&desk.params, ladder.hold);
            let inventory = self.funds.total(desk.params.base);
            let sent_ladder = SentLadder { market: *market, cut: ladder.cut, levels: ladder.levels.len(), inventory };
            sent.push((sent_ladder, desk.quote(ladder)));
        }
        let client = &self.client;
        let calls = sent
            .into_iter()
            .map(|(taken, quote)| async move { (taken, client.call(Origin::House, None, quote).await) });
        for (taken, told) in join_all(calls).await {
            match outcome(&told) {
                None => {
                    self.shared.house.quoted(taken.market, taken.levels, taken.inventory, now);
                    if taken.cut {
                        self.warn(taken.market, "the ladder was cut to what the house has");
                    }
                }
                Some(why) => self.refused(&[taken.market], &why, now),
            }
        }
    }

    async fn balances(&self) -> Result<Vec<Balance>, String> {
        let view = Command::Account(AccountId::HOUSE, AccountCommand::View { latest: false });
        match self.client.call(Origin::House, None, view).await {
            Ok(Reply::Account(view)) => Ok(view.balances),
            told => Err(outcome(&told).unwrap_or_else(|| "no view of the house's account".into())),
        }
    }

    /// Takes what may still stand away, counts, and tries again later.
    fn refused(&mut self, markets: &[MarketId], why: &str, now: Ms) {
        self.shared.health.house_refused.add(markets.len() as u64);
        let mut off = Vec::new();
        for market in markets {
            if let Some(desk) = self.desks.get_mut(market) {
                (desk.quoted_ms, desk.retry_ms) = (None, now + RETRY_MS);
                self.shared.house.refused(*market);
                off.push(desk.no_quotes());
            }
            self.warn(*market, why);
        }
        self.client.tell_all(Origin::House, off);
    }

    fn warn(&mut self, market: MarketId, why: &str) {
        if self.warned.is_some_and(|at| at.elapsed() < WARN_EVERY) {
            return;
        }
        self.warned = Some(Instant::now());
        let (refused, cut) = (self.shared.health.house_refused.get(), self.shared.health.house_cut.get());
        tracing::warn!(market = market.0, why, refused, cut, "the house does not quote as it wants to");
    }

    /// Hands the feed's trades to the market view, which publishes them in the order of the journal: where the record
    /// stands that sets their ids apart, behind the quotes that were answered before.
    async fn tape(&mut self, markets: &[MarketId], now: Ms) {
        let mut asked = Vec::new();
        for market in markets {
            let (Some(desk), Some(board)) = (self.desks.get_mut(market), self.shared.boards.get(*market)) else {
                continue;
            };
            let stands = Touch::of(&read(&board));
            let trades = desk.take_trades(stands, now);
            let over = self.shared.tape.push(*market, trades.kept);
            self.shared.health.tape_dropped.add(trades.dropped + over);
            let wanted = self.shared.tape.ask(*market, MOST_IDS);
            if wanted > 0 {
                asked.push((*market, wanted));
            }
        }
        let client = &self.client;
        let calls = asked.into_iter().map(|(market, wanted)| async move {
            let ask = MarketCommand::ReserveTradeIds(wanted);
            (market, wanted, client.call(Origin::House, None, Command::Market(market, ask)).await)
        });
        for (market, wanted, told) in join_all(calls).await {
            if let Some(why) = outcome(&told) {
                self.shared.tape.refused(market, wanted);
                tracing::debug!(market = market.0, why, "no trade ids for the tape; its trades wait");
            }
        }
    }
}

/// The best prices of a book.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Touch {
    bid: Option<Amount>,
    ask: Option<Amount>,
}

impl Touch {
    fn of(board: &Board) -> Touch {
        Touch { bid: board.best(Side::Buy).map(|l| l.0), ask: board.best(Side::Sell).map(|l| l.0) }
    }

    /// A trade at this price is between the best prices or at one of them.
    fn bears(&self, price: Amount) -> bool {
        self.bid.is_some_and(|bid| price >= bid) && self.ask.is_some_and(|ask| price <= ask)
    }
}

/// Trades that a desk gives to the tape.
struct ToTape {
    kept: Vec<FeedTrade>,
    dropped: u64,
}

impl Desk {
    fn new(params: MarketParams, simulated: bool) -> Desk {
        Desk {
            params,
            simulated,
            book: FeedBook::default(),
            said: None,
            heard_ms: 0,
            pushed: None,
            quoted_ms: None,
            ladder: Vec::new(),
            retry_ms: 0,
            changed: false,
            through: None,
            trades: VecDeque::new(),
            ids_ms: 0,
        }
    }

    /// Trades wait, and ids may be asked for.
    fn has_trades(&self, now: Ms) -> bool {
        !self.trades.is_empty() && now + IDS_EVERY_MS / 2 >= self.ids_ms
    }

    /// The next ladder leaves out what the waiting trades went through: a source's book and its trades come apart, and where
    /// somebody sold for less no bid stood above. The ladder after it is whole again. (A simulated trade is one with the best
    /// level.)
    fn went_through(&mut self) {
        let prices = self.trades.iter().map(|t| t.price);
        self.through = prices.clone().min().zip(prices.max()).filter(|_| !self.simulated);
        self.changed |= self.through.is_some();
    }

    /// The trades that wait. Made-up ones that the book does not bear are left out: a user's order stands before them.
    fn take_trades(&mut self, stands: Touch, now: Ms) -> ToTape {
        self.ids_ms = self.ids_ms.max(now) + IDS_EVERY_MS;
        let waiting = self.trades.len() as u64;
        let kept: Vec<FeedTrade> = self.trades.drain(..).filter(|t| !self.simulated || stands.bears(t.price)).collect();
        let dropped = waiting - kept.len() as u64;
        ToTape { kept, dropped }
    }

    fn price(&mut self, mid: Amount, now: Ms) -> Option<Command> {
        let due = self
            .pushed
            .is_none_or(|(price, at)| now - at >= HEARTBEAT_MS || (price != mid && now - at >= PRICE_EVERY_MS));
        if !due {
            return None;
        }
        self.pushed = Some((mid, now));
        let said = SourcePrice { source: SOURCE, price: mid };
        Some(Command::Price(PriceId(self.params.market.0), PriceCommand::Push(said)))
    }

    /// Takes over parameters that changed; the next ladder is made by them.
    fn refresh(&mut self, params: &MarketParams) {
        if self.params.version != params.version {
            self.params = params.clone();
            (self.quoted_ms, self.retry_ms) = (None, 0);
        }
    }

    /// Whether a ladder is due; it is in `ladder` then.
    fn wants_to_quote(&mut self, now: Ms, levels: usize, closed: bool) -> bool {
        if now < self.retry_ms {
            return false;
        }
        let anew = self.changed || closed || self.quoted_ms.is_none();
        let refill = self.quoted_ms.is_none_or(|at| now - at >= REFILL_MS);
        if anew {
            self.ladder = self.ladder(levels);
            // What was left out comes back with the next one.
            self.changed = self.through.take().is_some();
        } else if !refill {
            return false;
        }
        self.quoted_ms = Some(now);
        true
    }

    fn quote(&self, ladder: Affordable) -> Command {
        let p = &self.params;
        Command::Account(
            AccountId::HOUSE,
            AccountCommand::Spot(SpotCommand::Quote {
                market: p.market,
                levels: ladder.levels,
                hold: [(p.base, ladder.hold.0), (p.quote, ladder.hold.1)],
                version: p.version,
            }),
        )
    }

    fn no_quotes(&self) -> Command {
        let hold = (Amount::ZERO, Amount::ZERO);
        self.quote(Affordable { levels: Vec::new(), hold, cut: false })
    }

    /// The feed's best levels in the market's units; what does not fit them is left out.
    fn ladder(&self, levels: usize) -> Vec<QuoteLevel> {
        let p = &self.params;
        let level = |side: Side| {
            move |(price, quantity): Level| {
                let whole = Amount(quantity.0 - quantity.0 % p.step.0);
                let (ticks, lots) = (ticks(price, p).ok()?, lots(whole, p).ok()?);
                (!lots.is_zero()).then_some(QuoteLevel { side, ticks, lots: lots.min(p.max_lots) })
            }
        };
        let (lowest, highest) = self.through.unwrap_or((Amount(i128::MAX), Amount::ZERO));
        let bids = self.book.bids().filter(|l| l.0 <= lowest).filter_map(level(Side::Buy)).take(levels);
        let asks = self.book.asks().filter(|l| l.0 >= highest).filter_map(level(Side::Sell)).take(levels);
        bids.chain(asks).collect()
    }
}

/// Why a command was not taken; `None` when it was.
fn outcome(told: &Result<Reply, Fault>) -> Option<String> {
    match told {
        Ok(Reply::Rejected(reject)) => Some(format!("{reject:?}")),
        Ok(_) => None,
        Err(fault) => Some(fault.to_string()),
    }
}

/// True for refusals that mean "it is there already".
#[must_use]
pub fn is_there(reply: &Reply) -> bool {
    matches!(reply, Reply::Done | Reply::Rejected(Reject::AlreadyExists))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Seeds;
    use std::path::Path;

    fn desk() -> Desk {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/markets.toml");
        let seeds = Seeds::load(&root).unwrap();
        let mut params = seeds.params(&seeds.market[0]).unwrap();
        params.version = 1;
        Desk::new(params, true)
    }

    fn touch(bid: i64, ask: i64) -> Touch {
        Touch { bid: Some(Amount::whole(bid)), ask: Some(Amount::whole(ask)) }
    }

    fn trade(price: i64) -> FeedTrade {
        FeedTrade { price: Amount::whole(price), quantity: Amount::whole(1), time_ms: 1, buyer_is_maker: false }
    }

    #[test]
    fn a_desk_takes_over_changed_parameters_and_quotes_anew() {
        let mut desk = desk();
        assert!(desk.wants_to_quote(1_000, 20, false), "at first");
        assert!(!desk.wants_to_quote(1_100, 20, false), "nothing changed");
        let changed = MarketParams { version: 2, ..desk.params.clone() };
        desk.refresh(&changed);
        assert!(desk.wants_to_quote(1_200, 20, false));
        let Command::Account(_, AccountCommand::Spot(SpotCommand::Quote { version, .. })) = desk.no_quotes() else {
            panic!("a quote")
        };
        assert_eq!(version, 2);
    }

    #[test]
    fn after_a_refusal_a_desk_waits_before_it_quotes_again() {
        let mut desk = desk();
        desk.retry_ms = 2_000;
        assert!(!desk.wants_to_quote(1_900, 20, true));
        assert!(desk.wants_to_quote(2_000, 20, true));
    }

    #[test]
    fn a_ladder_leaves_out_what_the_trades_behind_it_went_through_and_the_next_is_whole() {
        let mut desk = desk();
        desk.simulated = false;
        let levels = |prices: [i64; 3]| prices.map(|p| (Amount::whole(p), Amount::whole(1)));
        desk.book.replace(&levels([100, 99, 98]), &levels([101, 102, 103]));
        desk.trades.extend([trade(99), trade(102)]);
        desk.went_through();
        assert!(desk.wants_to_quote(1_000, 20, false));
        let prices = |desk: &Desk| desk.ladder.iter().map(|l| l.ticks.0 / 100).collect::<Vec<i64>>();
        assert_eq!(prices(&desk), [99, 98, 102, 103]);
        assert!(desk.wants_to_quote(1_100, 20, false), "at once");
        assert_eq!(prices(&desk), [100, 99, 98, 101, 102, 103]);
        assert!(!desk.wants_to_quote(1_200, 20, false));
    }

    #[test]
    fn a_made_up_trade_through_a_users_order_never_happened_and_a_recorded_one_stays() {
        let mut desk = desk();
        desk.trades.extend([trade(100), trade(102)]);
        let taken = desk.take_trades(touch(101, 103), 1_000);
        assert_eq!((taken.kept.len(), taken.dropped), (1, 1), "somebody bids more than the print's price");
        desk.simulated = false;
        desk.trades.extend([trade(100), trade(102)]);
        assert_eq!(desk.take_trades(touch(101, 103), 1_200).kept.len(), 2);
    }

    #[test]
    fn ids_are_asked_for_five_times_a_second_at_most() {
        let (mut desk, mut asked) = (desk(), 0);
        for now in (0..10_000).step_by(100) {
            desk.trades.push_back(trade(100));
            if desk.has_trades(now) {
                desk.take_trades(touch(99, 101), now);
                asked += 1;
            }
        }
        assert!((48..=51).contains(&asked), "{asked} in ten seconds");
    }
}
