//! The house: turns a reference feed into index ticks, quotes of an ordinary flagged account, and the reference tape.
//!
//! Owns: what the feed last said of each pair. Never does: set a price other than the feed's; touch users' orders.
//! Invariants: prices enter as words of a source to the pair's price actor; quotes go through the same book as
//! everybody's; a tape trade gets a durable id of our own before anybody sees it; a ladder that is refused is followed
//! by the empty one, so that none stands while the price moves away.
//! Known limits: one feed; its tape stands in candles and tickers beside our own trades, marked as such.

mod funds;

use crate::app::Shared;
use crate::config::House as Settings;
use crate::edge::{lots, ticks};
use crate::feed::book::FeedBook;
use crate::feed::inbox::Inbox;
use crate::feed::{FeedEvent, Level};
use crate::market::board::read;
use crate::market::candles::TapeTrade;
use crate::market::view::ViewInput;
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
use xng_core::ids::{AccountId, MarketId, PriceId, TradeId};
use xng_core::money::{Amount, Exact};
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
/// Trade ids that are set apart at once.
const ID_BLOCK: u32 = 1_024;

/// How the house follows the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Following {
    /// Level by level, at once.
    Mirror,
    /// When the price moved beyond a threshold (parts per million).
    Beyond(u32),
}

/// A trade of the feed that waits for its id.
struct FeedTrade {
    price: Amount,
    quantity: Amount,
    time_ms: Ms,
    buyer_is_maker: bool,
}

struct Desk {
    params: MarketParams,
    following: Following,
    book: FeedBook,
    heard_ms: Ms,
    pushed: Option<(Amount, Ms)>,
    quoted: Option<(Amount, Ms)>,
    ladder: Vec<QuoteLevel>,
    /// Not before: the last ladder was refused.
    retry_ms: Ms,
    changed: bool,
    trades: VecDeque<FeedTrade>,
    next_id: TradeId,
    ids_left: u32,
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
    /// Desks for all listed markets; `following` says how each follows its source.
    #[must_use]
    pub fn new(
        shared: Arc<Shared>,
        client: Client,
        settings: &Settings,
        following: impl Fn(MarketId) -> Following,
    ) -> House {
        let listed = shared.listed();
        let desks = listed.markets.values().map(|m| {
            let market = m.params.market;
            (market, Desk::new(m.params.clone(), following(market)))
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
                    desk.book = FeedBook::default();
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
        for (market, desk) in &mut self.desks {
            if let Some(info) = listed.markets.get(market) {
                desk.refresh(&info.params);
            }
            if now - desk.heard_ms > SILENT_MS {
                continue;
            }
            let Some(mid) = desk.book.mid() else { continue };
            prices.extend(desk.price(mid, now));
            let state = self.shared.boards.get(*market).map(|b| read(&b).state);
            let closed = state == Some(MarketState::CancelOnly);
            if state != Some(MarketState::Halt) && desk.wants_to_quote(mid, now, self.levels, closed) {
                due.push(*market);
            }
        }
        // Prices first: a market opens by a fresh index and quotes.
        self.client.tell_all(Origin::House, prices);
        if !due.is_empty() {
            self.quote(&due, now).await;
        }
        self.tape().await;
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
                desk.quoted = None;
                desk.retry_ms = now + RETRY_MS;
                continue;
            }
            self.funds.lock(&desk.params, ladder.hold);
            sent.push((*market, ladder.cut, desk.quote(ladder)));
        }
        let client = &self.client;
        let asked = sent.into_iter();
        let calls = asked
            .map(|(market, cut, quote)| async move { (market, cut, client.call(Origin::House, None, quote).await) });
        for (market, cut, told) in join_all(calls).await {
            match outcome(&told) {
                None if cut => self.warn(market, "the ladder was cut to what the house has"),
                None => {}
                Some(why) => self.refused(&[market], &why, now),
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
                (desk.quoted, desk.retry_ms) = (None, now + RETRY_MS);
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

    /// Publishes the feed's trades, each with a durable id.
    async fn tape(&mut self) {
        for desk in self.desks.values_mut().filter(|d| !d.trades.is_empty()) {
            let market = desk.params.market;
            let last = self.shared.boards.get(market).and_then(|b| read(&b).trades.back().map(|t| t.id));
            // Ids only grow: own trades that happened meanwhile leave the block behind.
            if last.is_some_and(|last| last >= desk.next_id) {
                desk.ids_left = 0;
            }
            let wanted = desk.trades.len() as u32;
            if desk.ids_left < wanted {
                let ask = MarketCommand::ReserveTradeIds(wanted.max(ID_BLOCK));
                match self.client.call(Origin::House, None, Command::Market(market, ask)).await {
                    Ok(Reply::TradeIds { first, count }) => (desk.next_id, desk.ids_left) = (first, count),
                    other => {
                        tracing::debug!(?other, "no trade ids for the tape; its trades wait");
                        continue;
                    }
                }
            }
            let first = desk.next_id;
            let trades: Vec<TapeTrade> = desk
                .trades
                .drain(..wanted as usize)
                .enumerate()
                .map(|(i, t)| tape_trade(first.plus(i as u64), &t))
                .collect();
            desk.next_id = desk.next_id.plus(u64::from(wanted));
            desk.ids_left -= wanted;
            // A view that does not keep up misses them; a view that is gone has stopped the process.
            if self.shared.view.try_send(ViewInput::Tape(market, trades)).is_err() {
                self.shared.health.tape_dropped.add(u64::from(wanted));
            }
        }
    }
}

fn tape_trade(id: TradeId, t: &FeedTrade) -> TapeTrade {
    TapeTrade {
        id,
        price: t.price,
        quantity: t.quantity,
        quote: Exact::from(t.price).times(Exact::from(t.quantity)).round8(),
        time_ms: t.time_ms,
        buyer_is_maker: t.buyer_is_maker,
        taker: None,
    }
}

fn moved(from: Amount, to: Amount, ppm: u32) -> bool {
    Amount((to.0 - from.0).abs()) > from.share_ppm(ppm)
}

impl Desk {
    fn new(params: MarketParams, following: Following) -> Desk {
        Desk {
            params,
            following,
            book: FeedBook::default(),
            heard_ms: 0,
            pushed: None,
            quoted: None,
            ladder: Vec::new(),
            retry_ms: 0,
            changed: false,
            trades: VecDeque::new(),
            next_id: TradeId(0),
            ids_left: 0,
        }
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
            (self.quoted, self.retry_ms) = (None, 0);
        }
    }

    /// Whether a ladder is due; it is in `ladder` then.
    fn wants_to_quote(&mut self, mid: Amount, now: Ms, levels: usize, closed: bool) -> bool {
        if now < self.retry_ms {
            return false;
        }
        let anew = self.quoted.is_none_or(|(at_mid, _)| match self.following {
            Following::Mirror => self.changed,
            Following::Beyond(ppm) => closed || moved(at_mid, mid, ppm),
        });
        let refill = self.quoted.is_none_or(|(_, at)| now - at >= REFILL_MS);
        if anew {
            self.ladder = self.ladder(levels);
            self.changed = false;
        } else if !refill {
            return false;
        }
        let at_mid = self.quoted.map_or(mid, |(at_mid, _)| at_mid);
        self.quoted = Some((if anew { mid } else { at_mid }, now));
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
        let bids = self.book.bids().filter_map(level(Side::Buy)).take(levels);
        bids.chain(self.book.asks().filter_map(level(Side::Sell)).take(levels)).collect()
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
        Desk::new(params, Following::Beyond(100))
    }

    #[test]
    fn a_desk_takes_over_changed_parameters_and_quotes_anew() {
        let mut desk = desk();
        let mid = Amount::whole(60_000);
        assert!(desk.wants_to_quote(mid, 1_000, 20, false), "at first");
        assert!(!desk.wants_to_quote(mid, 1_100, 20, false), "nothing moved");
        let changed = MarketParams { version: 2, ..desk.params.clone() };
        desk.refresh(&changed);
        assert!(desk.wants_to_quote(mid, 1_200, 20, false));
        let Command::Account(_, AccountCommand::Spot(SpotCommand::Quote { version, .. })) = desk.no_quotes() else {
            panic!("a quote")
        };
        assert_eq!(version, 2);
    }

    #[test]
    fn after_a_refusal_a_desk_waits_before_it_quotes_again() {
        let mut desk = desk();
        desk.retry_ms = 2_000;
        assert!(!desk.wants_to_quote(Amount::whole(60_000), 1_900, 20, true));
        assert!(desk.wants_to_quote(Amount::whole(60_000), 2_000, 20, true));
    }
}
