//! Recorded Binance files played again: depth and trades of spot pairs, looped and shifted to now.
//!
//! Owns: the recordings in memory and how far they are played. Never does: touch a folder after the start, invent
//! what a recording lacks.
//! Invariants: updates before the snapshot are buffered, what the snapshot holds is dropped, a gap is an error at the
//! start and not while playing; messages are played in receive order; trades keep their distance in exchange time.
//! Known limits: all recordings begin together when the earliest does and begin again when the last has ended; at that
//! moment prices jump back.

use super::book::FeedBook;
use super::recorded::{RecordedError, Table};
use super::{FeedEvent, Level, Mids};
use crate::common::time::{Ms, now_ms};
use crate::feed::inbox::Inbox;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::MissedTickBehavior;
use xng_core::ids::MarketId;
use xng_core::money::Amount;

/// How often what is due is played.
const STEP: Duration = Duration::from_millis(50);
const NS_PER_MS: i64 = 1_000_000;

/// The two files of one pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// Snapshot and updates of the book.
    pub depth: PathBuf,
    /// Trades.
    pub trades: PathBuf,
}

impl Files {
    /// A pair's files among those of a folder.
    #[must_use]
    pub fn of(symbol: &str, files: &BTreeMap<String, PathBuf>) -> Option<Files> {
        let name = symbol.to_ascii_lowercase();
        let file = |kind| files.get(&format!("spot_{name}_{kind}")).cloned();
        Some(Files { depth: file("depth")?, trades: file("trades")? })
    }
}

/// What one message of a recording says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The whole book, bids and asks.
    Book(Vec<Level>, Vec<Level>),
    /// Levels that changed.
    Levels(Vec<Level>, Vec<Level>),
    /// A trade: price, quantity, exchange time, whether the buyer's order rested.
    Trade(Amount, Amount, Ms, bool),
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// When it was received, nanoseconds since the epoch.
    pub received_ns: i64,
    /// The book's update id after it, or the trade's id.
    pub id: u64,
    /// What it says.
    pub said: Said,
}

/// A message of the depth file while its rows are read.
struct Rows {
    received_ns: i64,
    line: u64,
    snapshot: bool,
    first: u64,
    last: u64,
    bids: Vec<Level>,
    asks: Vec<Level>,
}

impl Rows {
    fn begin(table: &Table) -> Result<Rows, RecordedError> {
        let snapshot = match table.text("kind")? {
            "snapshot" => true,
            "update" => false,
            _ => return Err(table.wrong("kind")),
        };
        let last = table.value("final_update_id")?;
        let first = if snapshot { last } else { table.value("first_update_id")? };
        let (received_ns, line) = (table.value("recv_ns")?, table.line());
        Ok(Rows { received_ns, line, snapshot, first, last, bids: Vec::new(), asks: Vec::new() })
    }

    fn holds(&self, table: &Table) -> Result<bool, RecordedError> {
        let kind = if self.snapshot { "snapshot" } else { "update" };
        Ok(table.text("kind")? == kind && table.value::<u64>("final_update_id")? == self.last)
    }
}

/// Follows update ids: what is dropped, what is a gap.
struct Joiner<'a> {
    path: &'a Path,
    last: Option<u64>,
    waiting: Vec<Rows>,
    messages: Vec<Message>,
}

impl Joiner<'_> {
    fn take(&mut self, rows: Rows) -> Result<(), RecordedError> {
        if rows.snapshot {
            self.last = Some(rows.last);
            let (received_ns, id) = (rows.received_ns, rows.last);
            self.messages.push(Message { received_ns, id, said: Said::Book(rows.bids, rows.asks) });
            for mut early in std::mem::take(&mut self.waiting) {
                early.received_ns = received_ns;
                self.take(early)?;
            }
            return Ok(());
        }
        match self.last {
            None => self.waiting.push(rows),
            Some(last) if rows.last <= last => {}
            Some(last) if rows.first > last + 1 => {
                return Err(RecordedError::Gap {
                    path: self.path.to_owned(),
                    line: rows.line,
                    first: rows.first,
                    last,
                });
            }
            Some(_) => {
                self.last = Some(rows.last);
                let said = Said::Levels(rows.bids, rows.asks);
                self.messages.push(Message { received_ns: rows.received_ns, id: rows.last, said });
            }
        }
        Ok(())
    }
}

fn depth(path: &Path) -> Result<Vec<Message>, RecordedError> {
    let mut table = Table::open(path)?;
    let mut joiner = Joiner { path, last: None, waiting: Vec::new(), messages: Vec::new() };
    let mut current: Option<Rows> = None;
    while table.advance()? {
        let goes_on = current.as_ref().map(|c| c.holds(&table)).transpose()?.unwrap_or(false);
        if !goes_on && let Some(done) = current.replace(Rows::begin(&table)?) {
            joiner.take(done)?;
        }
        let level = (table.amount("price")?, table.amount("qty")?);
        let Some(rows) = &mut current else { continue };
        match table.text("side")? {
            "bid" => rows.bids.push(level),
            "ask" => rows.asks.push(level),
            _ => return Err(table.wrong("side")),
        }
    }
    if let Some(done) = current {
        joiner.take(done)?;
    }
    if joiner.last.is_none() {
        return Err(RecordedError::NoSnapshot { path: path.to_owned() });
    }
    Ok(joiner.messages)
}

fn trades(path: &Path) -> Result<Vec<Message>, RecordedError> {
    let mut table = Table::open(path)?;
    let mut messages = Vec::new();
    while table.advance()? {
        let (price, quantity) = (table.amount("price")?, table.amount("qty")?);
        if price.is_zero() || quantity.is_zero() {
            return Err(table.wrong(if price.is_zero() { "price" } else { "qty" }));
        }
        let said = Said::Trade(price, quantity, table.value("trade_ms")?, table.value("is_buyer_maker")?);
        messages.push(Message { received_ns: table.value("recv_ns")?, id: table.value("trade_id")?, said });
    }
    Ok(messages)
}

/// All messages of one pair in receive order; a book's before a trade's of the same moment.
pub fn read(files: &Files) -> Result<Vec<Message>, RecordedError> {
    let mut messages = depth(&files.depth)?;
    messages.extend(trades(&files.trades)?);
    messages.sort_by_key(|m| m.received_ns);
    Ok(messages)
}

/// Recordings that are played again and again.
#[derive(Debug, Clone)]
pub struct Replay {
    messages: Vec<(MarketId, Message)>,
    first_ms: Ms,
    length: Ms,
    /// What is added to exchange times of each pair to have them at or before receive times.
    lag: BTreeMap<MarketId, Ms>,
    began: Ms,
    next: usize,
}

impl Replay {
    /// Plays pairs' messages from `began` on; none are no replay.
    #[must_use]
    pub fn new(pairs: Vec<(MarketId, Vec<Message>)>, began: Ms) -> Option<Replay> {
        let mut lag: BTreeMap<MarketId, Ms> = BTreeMap::new();
        let mut messages = Vec::new();
        for (market, list) in pairs {
            for message in list {
                if let Said::Trade(_, _, time, _) = message.said {
                    let behind = message.received_ns.div_euclid(NS_PER_MS) - time;
                    lag.entry(market).and_modify(|least| *least = (*least).min(behind)).or_insert(behind);
                }
                messages.push((market, message));
            }
        }
        messages.sort_by_key(|(_, m)| m.received_ns);
        let at = |(_, m): &(MarketId, Message)| m.received_ns.div_euclid(NS_PER_MS);
        let (first_ms, last_ms) = (at(messages.first()?), at(messages.last()?));
        Some(Replay { messages, first_ms, length: last_ms - first_ms + 1, lag, began, next: 0 })
    }

    /// Goes on from a later time with the same message, as if nothing had happened meanwhile.
    pub fn skip(&mut self, by: Ms) {
        self.began += by;
    }

    /// When the next message is due.
    #[must_use]
    pub fn due(&self) -> Ms {
        let at = self
            .messages
            .get(self.next)
            .map_or(self.first_ms + self.length, |(_, m)| m.received_ns.div_euclid(NS_PER_MS));
        self.began + at - self.first_ms
    }

    /// What is due by `now`.
    pub fn play(&mut self, now: Ms, out: &mut Vec<FeedEvent>) {
        while self.due() <= now {
            let Some((market, message)) = self.messages.get(self.next) else {
                self.began += self.length;
                self.next = 0;
                continue;
            };
            let shift = self.began - self.first_ms + self.lag.get(market).copied().unwrap_or(0);
            out.push(event(*market, &message.said, shift));
            self.next += 1;
        }
    }
}

fn event(market: MarketId, said: &Said, shift: Ms) -> FeedEvent {
    match said {
        Said::Book(bids, asks) => FeedEvent::Book { market, bids: bids.clone(), asks: asks.clone() },
        Said::Levels(bids, asks) => FeedEvent::Levels { market, bids: bids.clone(), asks: asks.clone() },
        Said::Trade(price, quantity, time, maker) => FeedEvent::Trade {
            market,
            price: *price,
            quantity: *quantity,
            time_ms: time + shift,
            buyer_is_maker: *maker,
        },
    }
}

/// After a longer sleep of the machine the replay goes on where it was.
const BEHIND_MS: Ms = 5_000;

/// Plays until nobody listens, and tells mids to whoever prices other pairs by them.
pub async fn run(pairs: Vec<(MarketId, Vec<Message>)>, mids: Mids, out: Inbox) {
    let Some(mut replay) = Replay::new(pairs, now_ms()) else { return };
    let mut books: BTreeMap<MarketId, FeedBook> = BTreeMap::new();
    let mut ticks = tokio::time::interval(STEP);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut events = Vec::new();
    loop {
        ticks.tick().await;
        let now = now_ms();
        let behind = now - replay.due();
        if behind > BEHIND_MS {
            replay.skip(behind);
        }
        replay.play(now, &mut events);
        for event in events.drain(..) {
            if let FeedEvent::Book { market, .. } | FeedEvent::Levels { market, .. } = &event {
                let book = books.entry(*market).or_default();
                book.hear(&event);
                mids.set(*market, book.mid());
            }
            out.send(event);
        }
    }
}
