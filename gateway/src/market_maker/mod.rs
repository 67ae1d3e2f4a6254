//! The market maker: derives index prices, its own quotes and the published feed trades from a reference feed.
//!
//! Owns: one quoter a pair with that pair's latest feed state, and the free balances for all of them.
//! Never does: set a price other than the feed's; touch users' orders.
//! Invariants:
//! - Prices go to the pair's price entity as those of one source.
//! - Quotes are orders of an ordinary, flagged account in the ordinary book. They mirror the source's book, and are placed before
//!   the source's trades are published.
//! - A feed trade has a durable id of our own before it is published.
//! - After a refused ladder an empty one follows, so that no stale quotes remain. A fill while a ladder is in flight does not cause
//!   a refusal: the account holds slightly more than the ladder needs. Where there is no money for that, the same ladder is sent
//!   again first at the next tick, so that one taker does not leave the book empty.
//!
//! Known limits: one feed. Its trades are part of candles and tickers, and are marked.

mod contract_desk;
mod funds;
mod quoter;
pub mod watch;

use crate::app::Shared;
use crate::common::time::{Ms, now_ms, now_ns};
use crate::config::{FeedKind, House as Settings};
use crate::feed::FeedEvent;
use crate::feed::inbox::Inbox;
use crate::market::board::read;
use contract_desk::ContractDesks;
use funds::Funds;
use futures_util::future::join_all;
use quoter::{Quoter, Touch};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;
use xng_core::account::{AccountCommand, Balance};
use xng_core::entity::{Accepted, Command, Reply, View};
use xng_core::ids::{AccountId, MarketId};
use xng_core::money::Amount;
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_core::spot::{MarketCommand, MarketState};
use xng_runtime::{Client, Fault};

const TICK: Duration = Duration::from_millis(100);
/// What is wrong with quotes is said at most this often.
const WARN_EVERY: Duration = Duration::from_secs(60);
/// Ids that one record sets apart at most; the rest waits for the next.
const MOST_IDS: usize = 4_096;

/// A ladder that was sent.
struct SentLadder {
    market: MarketId,
    cut: bool,
    levels: usize,
    /// What it locks at most: base and quote.
    hold: (Amount, Amount),
    inventory: Amount,
}

/// The house: a quoter a pair, and its money.
pub struct House {
    shared: Arc<Shared>,
    client: Client,
    levels: usize,
    quoters: BTreeMap<MarketId, Quoter>,
    funds: Funds,
    contracts: ContractDesks,
    warned: Option<Instant>,
}

impl std::fmt::Debug for House {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "house on {} markets", self.quoters.len())
    }
}

impl House {
    /// Quoters for all listed markets.
    #[must_use]
    pub fn new(shared: Arc<Shared>, client: Client, settings: &Settings) -> House {
        let listed = shared.listed();
        let quoters = listed.markets.values().map(|m| {
            let simulated = shared.sources.of(&m.params.symbol) == FeedKind::Simulator;
            (m.params.market, Quoter::new(m.params.clone(), simulated))
        });
        let quoters = quoters.collect();
        let (levels, contracts) = (settings.levels, ContractDesks::new(&settings.contracts));
        House { shared, client, levels, quoters, funds: Funds::default(), contracts, warned: None }
    }

    /// Follows the feeds until the process drains.
    pub async fn run(mut self, feed: Inbox) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.contracts.clear(&self.client).await;
        while !self.shared.health.draining.load(Ordering::Relaxed) {
            ticks.tick().await;
            feed.take().into_iter().for_each(|event| self.hear(&event));
            self.tick().await;
        }
    }

    fn hear(&mut self, event: &FeedEvent) {
        if let Some(quoter) = self.quoters.get_mut(&event.market()) {
            let dropped = quoter.hear(event, now_ms());
            self.shared.health.tape_dropped.add(dropped);
        }
    }

    async fn tick(&mut self) {
        self.shared.health.house.made();
        let (now, at) = (now_ms(), now_ns());
        let listed = self.shared.listed();
        let (mut prices, mut due) = (Vec::new(), Vec::new());
        let mut quoted = Vec::new();
        for (market, quoter) in &mut self.quoters {
            if let Some(info) = listed.markets.get(market) {
                quoter.refresh(&info.params);
            }
            // Out of its sessions a stock has neither price nor quotes.
            let stock = quoter.params().stock;
            if stock.is_some_and(|terms| !self.shared.stocks.trades(*market, &terms, at)) {
                self.funds.taken(*market, (Amount::ZERO, Amount::ZERO));
                continue;
            }
            let state = self.shared.boards.get(*market).map(|b| read(&b).state);
            if quoter.has_trades(now) {
                quoter.went_through();
                quoted.push(*market);
            }
            let Some(price) = quoter.source_price(now) else { continue };
            prices.extend(quoter.price(price, now, listed.has_options(*market)));
            let closed = state == Some(MarketState::CancelOnly);
            if state != Some(MarketState::Halt) && quoter.wants_to_quote(now, self.levels, closed) {
                due.push(*market);
            }
        }
        // Prices first: a market opens by a fresh index and quotes.
        self.client.tell_all(Origin::House, prices);
        if !due.is_empty() {
            self.quote(&due, now).await;
        }
        let refused = self.contracts.tick((&self.shared, &self.client), &self.quoters, now).await;
        self.shared.health.house_refused.add(refused.len() as u64);
        refused.iter().for_each(|(contract, why)| self.warn(*contract, why));
        self.tape(&quoted, now).await;
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
            let Some(quoter) = self.quoters.get_mut(market) else { continue };
            let ladder = self.funds.afford(quoter.params(), quoter.wanted());
            if ladder.cut {
                self.shared.health.house_cut.add(1);
            }
            if ladder.levels.is_empty() && !self.funds.stands(*market) {
                self.shared.house.refused(*market);
                quoter.refused(now);
                continue;
            }
            self.funds.send(quoter.params(), &ladder);
            let inventory = self.funds.total(quoter.params().base);
            let (levels, hold) = (ladder.levels.len(), ladder.hold);
            let sent_ladder = SentLadder { market: *market, cut: ladder.cut, levels, hold, inventory };
            sent.push((sent_ladder, quoter.quote(ladder)));
        }
        let client = &self.client;
        let calls = sent
            .into_iter()
            .map(|(taken, quote)| async move { (taken, client.call(Origin::House, None, quote).await) });
        for (taken, reply) in join_all(calls).await {
            let quoter = self.quoters.get_mut(&taken.market);
            match outcome(&reply) {
                None => {
                    quoter.into_iter().for_each(Quoter::stands);
                    self.funds.taken(taken.market, taken.hold);
                    self.shared.house.quoted(taken.market, taken.levels, taken.inventory, now);
                    if taken.cut {
                        self.warn(taken.market, "the ladder was cut to what the house has");
                    }
                }
                Some(_) if is_short(&reply) && quoter.is_some_and(Quoter::comes_again) => {}
                Some(why) => self.refused(&[taken.market], &why, now),
            }
        }
    }

    async fn balances(&self) -> Result<Vec<Balance>, String> {
        let view = Command::Account(AccountId::HOUSE, AccountCommand::View);
        match self.client.call(Origin::House, None, view).await {
            Ok(Reply::View(View::Account(view))) => Ok(view.balances),
            reply => Err(outcome(&reply).unwrap_or_else(|| "no view of the house's account".into())),
        }
    }

    /// Takes what may still stand away, counts, and tries again later.
    fn refused(&mut self, markets: &[MarketId], why: &str, now: Ms) {
        self.shared.health.house_refused.add(markets.len() as u64);
        let mut off = Vec::new();
        for market in markets {
            if let Some(quoter) = self.quoters.get_mut(market) {
                quoter.refused(now);
                self.shared.house.refused(*market);
                off.push(quoter.no_quotes());
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
            let (Some(quoter), Some(board)) = (self.quoters.get_mut(market), self.shared.boards.get(*market)) else {
                continue;
            };
            let stands = Touch::of(&read(&board));
            let trades = quoter.take_trades(stands, now);
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
        for (market, wanted, reply) in join_all(calls).await {
            if let Some(why) = outcome(&reply) {
                self.shared.tape.refused(market, wanted);
                tracing::debug!(market = market.0, why, "no trade ids for the tape; its trades wait");
            }
        }
    }
}

/// Why a command was not taken; `None` when it was.
fn outcome(reply: &Result<Reply, Fault>) -> Option<String> {
    match reply {
        Ok(Reply::Rejected(reject)) => Some(format!("{reject:?}")),
        Ok(_) => None,
        Err(fault) => Some(fault.to_string()),
    }
}

/// It could not be paid for, although it was cut to what the house had: a fill came between.
fn is_short(reply: &Result<Reply, Fault>) -> bool {
    matches!(reply, Ok(Reply::Rejected(Reject::InsufficientBalance)))
}

/// True for refusals that mean "it is there already".
#[must_use]
pub fn is_there(reply: &Reply) -> bool {
    matches!(reply, Reply::Accepted(Accepted::Done) | Reply::Rejected(Reject::AlreadyExists))
}
