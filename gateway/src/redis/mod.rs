//! Redis: a copy of hot views, sessions and streams, for other processes to read.
//!
//! | key or channel | holds |
//! |---|---|
//! | `xng:ticker:{SYMBOL}`, `xng:depth:{SYMBOL}` | the latest 24-hour ticker; 1,000 levels with `lastUpdateId` |
//! | `xng:candles:{SYMBOL}:{interval}` | sorted set by opening time, the latest 200 as `kline` payloads |
//! | `xng:session:{SHA-256 of the token}` | a live session: account, begin, end; for [`CACHED_SESSION_SECONDS`] after it was last seen |
//! | `xng:limit:{user or ip}:{name}:{minute}` | calls in this minute, of all processes that count here |
//! | `xng:stream:{stream}` (channel) | the app's frames: `stream`, `from`, `seq`, `data`; first one with `snapshot` |
//! | `xng:session:ended` (channel) | the hash of each token whose session ended |
//! | `xng:hot` | a mark; when a flush removes it, everything is written again |
//!
//! After a gap in a stream's `seq`, take the snapshot again; the update ids of depth frames join it.
//!
//! Owns: the actor that writes, and the handle by which other threads reach it. Never does: delay an answer to a user, except
//! for a session while the office's database is away.
//! Invariants: no data here are the only copy; while Redis is away only the tokens whose session ended within the last
//! [`CACHED_SESSION_SECONDS`] are queued.
//! Known limits: no second gateway exists yet; calls counted by other processes take effect within a second. While the
//! office's database is away a session is accepted from Redis alone: a client that can write to Redis can then impersonate
//! any user, so protect it with a password or a socket.

mod actor;
mod ended;
mod limits;
mod session;
mod stats;
mod views;

use actix::{Actor, Addr, System};
pub use actor::Inputs;
use actor::{Gone, HotActor, Seen};
use session::session_key;
pub use session::{CACHED_SESSION_SECONDS, HotSession};
pub use stats::Stats;
use std::io;
use std::sync::Arc;
use tokio::sync::Mutex;
use xng_persistence::office::TokenHash;
use xng_persistence::redis::{Redis, RedisUrl, Value, pipe};

/// The way to Redis from any thread.
#[derive(Debug, Clone)]
pub struct Hot {
    address: Addr<HotActor>,
    reader: Arc<Mutex<Redis>>,
    stats: Arc<Stats>,
}

impl Hot {
    /// Starts the actor on a thread of its own.
    pub fn start(url: &RedisUrl, inputs: Inputs) -> io::Result<Hot> {
        let stats = Arc::new(Stats::default());
        let (sender, receiver) = crossbeam::channel::bounded(1);
        let (redis, theirs) = (Redis::new(url), stats.clone());
        let run = move || {
            let system = System::new();
            // The receiver waits right below.
            drop(sender.send(system.block_on(async move { HotActor::new(redis, inputs, theirs).start() })));
            if let Err(error) = system.run() {
                tracing::error!(%error, "Redis' arbiter ended");
            }
        };
        std::thread::Builder::new().name("redis".into()).spawn(run)?;
        let address = receiver.recv().map_err(|_| io::Error::other("Redis' thread ended at its start"))?;
        Ok(Hot { address, reader: Arc::new(Mutex::new(Redis::new(url))), stats })
    }

    /// Its counters.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// A session was found alive.
    pub fn session_seen(&self, id: TokenHash, session: HotSession) {
        self.address.do_send(Seen(id, session));
    }

    /// A session ended.
    pub fn session_ended(&self, id: TokenHash) {
        self.address.do_send(Gone(id));
    }

    /// A session that was seen of late; `None` when it was not, or Redis does not answer.
    pub async fn find_session(&self, id: &TokenHash) -> Option<HotSession> {
        let mut get = pipe();
        get.get(session_key(id));
        let answers = self.reader.lock().await.ask(&get).await;
        let answers = answers.ok()?;
        if let Value::BulkString(text) = answers.first()? { serde_json::from_slice(text).ok() } else { None }
    }
}
