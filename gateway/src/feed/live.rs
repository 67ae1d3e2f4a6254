//! Follows a venue in Binance's format by its combined streams.
//!
//! Owns: the connection, each pair's book sync, the time of the last frame. Never does: report a pair whose book is
//! not in sync; block the thread that it runs on (REST calls have threads of their own).
//! Invariants: whenever the connection ends or falls silent every pair is reported as lost before anything else; a synced
//! pair is confirmed while the venue answers pings, even if nothing changes in it.
//! Known limits: pairs that the venue does not list stay closed until the next connection; one connection for all.

use super::FeedEvent;
use super::sync::{BookSync, Need};
use super::venue::{self, Heard, Snapshot, Venue, VenueError};
use crate::common::time::now_ms;
use crate::feed::inbox::Inbox;
use futures_util::{SinkExt, StreamExt};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{MissedTickBehavior, timeout};
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use xng_core::ids::MarketId;

const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// Well below the five messages a second that a venue takes.
const VENUE_PING_EVERY: Duration = Duration::from_secs(1);
/// No frame for this long, with pings meanwhile: the connection is dead.
const SILENT: Duration = Duration::from_secs(4);
/// Between two snapshots of a pair that do not join.
const RETRY: Duration = Duration::from_millis(500);
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));
/// A connection that lasted this long was a good one: the back-off begins anew.
const GOOD: Duration = Duration::from_secs(20);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// One connection's state.
struct Connection<'a> {
    venue: &'a Venue,
    pairs: BTreeMap<String, BookSync>,
    markets: BTreeMap<String, MarketId>,
    out: &'a Inbox,
    wanted: UnboundedSender<String>,
}

/// Follows `pairs` (by symbol), for ever.
pub async fn run(venue: Venue, pairs: BTreeMap<String, MarketId>, out: Inbox) {
    let mut pause = BACK_OFF.0;
    loop {
        let began = Instant::now();
        let Err(error) = connect(&venue, &pairs, &out).await;
        pairs.values().for_each(|market| out.send(FeedEvent::Lost(*market)));
        pause = if began.elapsed() >= GOOD { BACK_OFF.0 } else { (pause * 2).min(BACK_OFF.1) };
        tracing::warn!(%error, again_in_ms = pause.as_millis() as u64, "the venue is lost");
        tokio::time::sleep(pause).await;
    }
}

/// Asks for snapshots one after the other, on threads that may block.
async fn snapshots(
    venue: Venue,
    mut wanted: UnboundedReceiver<String>,
    got: UnboundedSender<(String, Result<Snapshot, VenueError>)>,
) {
    while let Some(symbol) = wanted.recv().await {
        let (venue, name) = (venue.clone(), symbol.clone());
        let Ok(answer) = tokio::task::spawn_blocking(move || venue.snapshot(&name)).await else { return };
        if got.send((symbol, answer)).is_err() {
            return;
        }
    }
}

async fn connect(venue: &Venue, pairs: &BTreeMap<String, MarketId>, out: &Inbox) -> Result<Infallible, VenueError> {
    let asked = venue.clone();
    let listed = tokio::task::spawn_blocking(move || asked.symbols()).await.map_err(|_| VenueError::Closed)??;
    let (here, missing): (Vec<String>, Vec<String>) = pairs.keys().cloned().partition(|s| listed.contains(s));
    if !missing.is_empty() {
        tracing::warn!(?missing, "the venue does not list these pairs; they stay closed");
    }
    let opening = timeout(CONNECT_WITHIN, connect_async(venue.streams(&here))).await.map_err(|_| VenueError::Silent)?;
    let (mut socket, _) = opening.map_err(Box::new)?;
    let (wanted, wanted_rx) = mpsc::unbounded_channel();
    let (got, mut answers) = mpsc::unbounded_channel();
    let asking = tokio::task::spawn_local(snapshots(venue.clone(), wanted_rx, got));
    let mut connection = Connection {
        venue,
        pairs: here.iter().filter_map(|s| Some((s.clone(), BookSync::new(*pairs.get(s)?)))).collect(),
        markets: pairs.clone(),
        out,
        wanted,
    };
    here.into_iter().for_each(|symbol| connection.want(symbol, Duration::ZERO));
    tracing::info!(pairs = connection.pairs.len(), "following the venue");
    let ended = connection.follow(&mut socket, &mut answers).await;
    asking.abort();
    ended
}

impl Connection<'_> {
    async fn follow(
        &mut self,
        socket: &mut Socket,
        answers: &mut UnboundedReceiver<(String, Result<Snapshot, VenueError>)>,
    ) -> Result<Infallible, VenueError> {
        let mut pings = tokio::time::interval(VENUE_PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        let mut events = Vec::new();
        loop {
            tokio::select! {
                frame = socket.next() => {
                    heard = Instant::now();
                    match frame.ok_or(VenueError::Closed)?.map_err(Box::new)? {
                        Message::Text(text) => self.hear(venue::read(&text)?, &mut events),
                        Message::Close(_) => return Err(VenueError::Closed),
                        // Pings are answered by the socket itself.
                        Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                    }
                }
                Some((symbol, answer)) = answers.recv() => self.snapshot(symbol, answer, &mut events),
                _ = pings.tick() => {
                    if heard.elapsed() > SILENT {
                        return Err(VenueError::Silent);
                    }
                    self.confirm(&mut events);
                    socket.send(Message::Ping(Bytes::new())).await.map_err(Box::new)?;
                }
            }
            events.drain(..).for_each(|event| self.out.send(event));
        }
    }

    /// Asks for a snapshot after a while.
    fn want(&self, symbol: String, after: Duration) {
        let wanted = self.wanted.clone();
        tokio::task::spawn_local(async move {
            tokio::time::sleep(after).await;
            // The connection may have ended meanwhile.
            let _ = wanted.send(symbol);
        });
    }

    fn hear(&mut self, heard: Heard, events: &mut Vec<FeedEvent>) {
        match heard {
            Heard::Depth(symbol, update) => {
                let Some(sync) = self.pairs.get_mut(&symbol) else { return };
                let (first, last) = (update.first, update.last);
                if sync.update(update, events) == Need::Snapshot {
                    tracing::warn!(symbol, first, last, venue = self.venue.rest(), "a gap in the venue's updates");
                    self.want(symbol, Duration::ZERO);
                }
            }
            Heard::Trade(symbol, price, quantity, time, buyer_is_maker) => {
                let Some(market) = self.markets.get(&symbol) else { return };
                // A venue whose clock is ahead makes no candles of the future.
                let time_ms = time.min(now_ms());
                events.push(FeedEvent::Trade { market: *market, price, quantity, time_ms, buyer_is_maker });
            }
            Heard::Other => {}
        }
    }

    fn snapshot(&mut self, symbol: String, answer: Result<Snapshot, VenueError>, events: &mut Vec<FeedEvent>) {
        let Some(sync) = self.pairs.get_mut(&symbol) else { return };
        let need = match answer {
            Ok(Snapshot { id, bids, asks }) => sync.snapshot(id, bids, asks, events),
            Err(error) => {
                tracing::warn!(symbol, %error, "no snapshot");
                Need::Snapshot
            }
        };
        if need == Need::Snapshot {
            self.want(symbol, RETRY);
        }
    }

    /// Says of every pair in step that its book stands.
    fn confirm(&self, events: &mut Vec<FeedEvent>) {
        for (symbol, _) in self.pairs.iter().filter(|(_, sync)| sync.is_synced()) {
            if let Some(market) = self.markets.get(symbol) {
                events.push(FeedEvent::Levels { market: *market, bids: Vec::new(), asks: Vec::new() });
            }
        }
    }
}
