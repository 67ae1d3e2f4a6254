//! The actor that writes to Redis.
//!
//! Owns: the connection, what is due, what was published. Never does: wait inside a handler: one call at a time runs
//! beside the mailbox, and what comes meanwhile is joined or conflated.
//! Invariants: after a failure the streams are left and joined anew, so that a reader gets a snapshot first; what was
//! flushed is noticed by the missing mark and written again.
//! Known limits: a flush is noticed within a second; a market that is being written whole delays the rest by its call.

use super::ended::Ended;
use super::limits::SharedLimits;
use super::session::{CACHED_SESSION_SECONDS, HotSession, session_key};
use super::stats::Stats;
use super::views::Views;
use crate::api::auth::secrets::hex;
use crate::api::http::limits::Buckets;
use crate::api::ws::outbox::{Flush, Mode, Outbox, stream_of};
use crate::api::ws::stream::{Speed, Stream};
use crate::market::board::Boards;
use crate::market::catalog::SharedCatalog;
use crate::market::interval::{Interval, Zone};
use crate::market::view::{ViewInput, ViewSender};
use actix::{Actor, ActorFutureExt, AsyncContext, Context, Handler, Message, WrapFuture};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use xng_core::ids::{AccountId, MarketId};
use xng_persistence::office::TokenHash;
use xng_persistence::redis::{Pipeline, Redis, RedisError, Value, pipe};

/// Views are written this often.
const ROUND: Duration = Duration::from_secs(1);
/// Rounds between two writings of all depths and tickers.
const ALL_EVERY: u64 = 5;
/// The mark that a flush takes away.
const MARK: &str = "xng:hot";

/// A session was found alive.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Seen(pub(super) TokenHash, pub(super) HotSession);

/// A session ended.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Gone(pub(super) TokenHash);

/// What a call was for.
enum Work {
    /// With the ended sessions that it takes away.
    Round(Vec<TokenHash>),
    Frames(u64),
    Whole,
}

/// What it writes, and what of others it reads.
pub struct Inputs {
    /// Market data.
    pub boards: Boards,
    /// What is listed.
    pub catalog: SharedCatalog,
    /// The way to the market view.
    pub view: ViewSender,
    /// Calls by user.
    pub user_calls: Arc<Buckets<AccountId>>,
    /// Calls by address.
    pub ip_calls: Arc<Buckets<IpAddr>>,
    /// Number of the next reader of the view.
    pub next_session: Arc<AtomicU64>,
    /// All live sessions.
    pub sessions: Box<dyn Fn() -> Vec<(TokenHash, HotSession)> + Send>,
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inputs")
    }
}

/// See the module's header.
pub(super) struct HotActor {
    /// Not here while a call is under way.
    redis: Option<Redis>,
    inputs: Inputs,
    stats: Arc<Stats>,
    views: Views,
    limits: SharedLimits,
    rounds: u64,
    round_due: bool,
    /// Where the view's frames wait; none while Redis is away.
    outbox: Option<Arc<Outbox>>,
    joined: BTreeSet<MarketId>,
    /// Markets of which everything is still to be written.
    whole: VecDeque<MarketId>,
    /// The mark is to be set with the first of them.
    mark_due: bool,
    seen: HashMap<TokenHash, HotSession>,
    ended: Ended,
    /// It was said that Redis is away.
    told_away: bool,
}

fn streams_of(market: MarketId) -> Vec<Stream> {
    vec![
        Stream::Depth(market, Speed::Fast),
        Stream::Trade(market),
        Stream::Ticker(market),
        Stream::BookTicker(market),
        Stream::Kline(market, Interval::M1, Zone::Utc),
    ]
}

impl HotActor {
    pub(super) fn new(redis: Redis, inputs: Inputs, stats: Arc<Stats>) -> Self {
        Self {
            redis: Some(redis),
            inputs,
            stats,
            views: Views::default(),
            limits: SharedLimits::default(),
            rounds: 0,
            round_due: true,
            outbox: None,
            joined: BTreeSet::new(),
            whole: VecDeque::new(),
            mark_due: false,
            seen: HashMap::new(),
            ended: Ended::default(),
            told_away: false,
        }
    }

    /// Whatever is due, unless a call is under way.
    fn go_on(&mut self, ctx: &mut Context<Self>) {
        let Some(mut redis) = self.redis.take() else { return };
        let Some((work, commands)) = self.due(ctx) else {
            self.redis = Some(redis);
            return;
        };
        let call = async move {
            let answers = redis.ask(&commands).await;
            (redis, answers)
        };
        ctx.spawn(call.into_actor(self).map(move |(redis, answers), this, ctx| {
            this.redis = Some(redis);
            match answers {
                Ok(answers) => {
                    this.done(work, &answers, ctx);
                    this.go_on(ctx);
                }
                // The next round tries again.
                Err(error) => this.failed(&error),
            }
        }));
    }

    fn due(&mut self, ctx: &mut Context<Self>) -> Option<(Work, Pipeline)> {
        let mut commands = pipe();
        if std::mem::take(&mut self.round_due) {
            let ended = self.round(&mut commands);
            return Some((Work::Round(ended), commands));
        }
        let frames = self.frames(ctx);
        if !frames.is_empty() {
            for frame in &frames {
                // Every frame of this mode names its stream.
                if let Some(stream) = stream_of(frame) {
                    commands.publish(format!("xng:stream:{stream}"), &**frame).ignore();
                }
            }
            return Some((Work::Frames(frames.len() as u64), commands));
        }
        let board = self.whole.pop_front().and_then(|market| self.inputs.boards.get(market))?;
        // First: a flush while the rest is being written takes it away again.
        if std::mem::take(&mut self.mark_due) {
            commands.set(MARK, "written").ignore();
        }
        self.views.whole(&board, &mut commands);
        Some((Work::Whole, commands))
    }

    fn round(&mut self, commands: &mut Pipeline) -> Vec<TokenHash> {
        self.rounds += 1;
        self.ended.sweep(Instant::now());
        commands.get(MARK);
        self.limits.add((&self.inputs.user_calls, &self.inputs.ip_calls), commands);
        let all = self.rounds.is_multiple_of(ALL_EVERY);
        self.views.changed(&self.inputs.boards.all(), all, commands);
        for (id, session) in self.seen.drain() {
            // Serialising three numbers does not fail.
            let text = serde_json::to_string(&session).unwrap_or_default();
            commands.set_ex(session_key(&id), text, CACHED_SESSION_SECONDS).ignore();
        }
        let ended = self.ended.unpublished();
        for id in &ended {
            commands.del(session_key(id)).ignore();
            commands.publish("xng:session:ended", hex(id)).ignore();
        }
        ended
    }

    /// What the view has published since the last time.
    fn frames(&mut self, ctx: &mut Context<Self>) -> Vec<Arc<str>> {
        let Some(outbox) = &self.outbox else { return Vec::new() };
        match outbox.drain() {
            Some(frames) if !outbox.is_closed() => frames,
            // It did not keep up, and was left behind: from the snapshots again.
            _ => {
                self.leave();
                self.join(ctx);
                Vec::new()
            }
        }
    }

    fn done(&mut self, work: Work, answers: &[Value], ctx: &mut Context<Self>) {
        let is_new = !self.stats.up.swap(true, Ordering::Relaxed);
        if is_new {
            tracing::info!("Redis is there");
            self.told_away = false;
        }
        match work {
            Work::Frames(frames) => self.stats.published.add(frames),
            Work::Whole => {}
            Work::Round(ended) => {
                self.ended.published(&ended);
                let Some((mark, limits)) = answers.split_first() else { return };
                self.limits.answered((&self.inputs.user_calls, &self.inputs.ip_calls), limits);
                if self.whole.is_empty() && (is_new || matches!(mark, Value::Nil)) {
                    self.stats.rewritten.add(1);
                    self.whole = self.inputs.catalog.now().markets.keys().copied().collect();
                    self.mark_due = true;
                    self.seen.extend((self.inputs.sessions)());
                }
                self.join(ctx);
            }
        }
    }

    fn failed(&mut self, error: &RedisError) {
        self.stats.errors.add(1);
        self.stats.up.store(false, Ordering::Relaxed);
        if !std::mem::replace(&mut self.told_away, true) {
            tracing::warn!(%error, "Redis does not answer; the exchange goes on without it");
        }
        self.leave();
        self.whole.clear();
        self.seen.clear();
    }

    fn leave(&mut self) {
        if let Some(outbox) = self.outbox.take() {
            outbox.close();
            // A view that is too busy finds out by itself that it is closed.
            drop(self.inputs.view.try_send(ViewInput::Gone(outbox.id)));
        }
        self.joined.clear();
    }

    /// Joins the streams of markets that it does not follow yet.
    fn join(&mut self, ctx: &mut Context<Self>) {
        let listed = self.inputs.catalog.now();
        let new: Vec<MarketId> = listed.markets.keys().copied().filter(|m| !self.joined.contains(m)).collect();
        if new.is_empty() {
            return;
        }
        let outbox = self.outbox.get_or_insert_with(|| {
            let id = self.inputs.next_session.fetch_add(1, Ordering::Relaxed);
            let outbox = Arc::new(Outbox::new(id, Mode::App, None));
            outbox.attach(ctx.address().recipient());
            outbox
        });
        let streams = new.iter().flat_map(|market| streams_of(*market)).collect();
        if self.inputs.view.try_send(ViewInput::Join(outbox.clone(), streams)).is_ok() {
            self.joined.extend(new);
        }
    }
}

impl Actor for HotActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.run_interval(ROUND, |this, ctx| {
            this.round_due = true;
            this.go_on(ctx);
        });
        self.go_on(ctx);
    }
}

impl Handler<Flush> for HotActor {
    type Result = ();

    fn handle(&mut self, _: Flush, ctx: &mut Self::Context) {
        self.go_on(ctx);
    }
}

impl Handler<Seen> for HotActor {
    type Result = ();

    fn handle(&mut self, Seen(id, session): Seen, _: &mut Self::Context) {
        // Who is dead stays dead, however late somebody saw them alive.
        if !self.ended.has(&id) {
            self.seen.insert(id, session);
        }
    }
}

impl Handler<Gone> for HotActor {
    type Result = ();

    fn handle(&mut self, Gone(id): Gone, _: &mut Self::Context) {
        self.seen.remove(&id);
        self.ended.add(id, Instant::now());
    }
}
