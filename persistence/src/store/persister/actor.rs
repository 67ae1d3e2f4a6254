//! The persister's actor.
//!
//! Owns: what is done next: gather records, write them, try again, pause, stop.
//! Never does: know rows; wait for the store inside a handler (a call runs beside the mailbox, one at a time).
//! Invariants: while a call is under way `projecting` is with it; whatever ends the call, or a timer, steps on.
//! Known limits: reading the journal is file I/O within a handler; nobody else lives on this thread.

use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use actix::{
    Actor, ActorContext, ActorFutureExt, Addr, AsyncContext, Context, Handler, Message, SpawnHandle, System, WrapFuture,
};
use xng_core::journal::Lsn;

use super::pace::{Batch, Pace};
use super::{PersistError, PersisterOptions, PersisterState, Projecting, Trouble, Written, WrittenBatch};
use crate::{
    journal::{Follower, JournalError},
    store::{Checkpoint, StoreError},
};

/// How long it waits for a record before it looks again.
const NAP: Duration = Duration::from_millis(50);

/// Called once when it cannot go on.
pub(super) type OnFatal = Box<dyn FnOnce(&PersistError) + Send>;

/// Holds back further transactions (true), or goes on (false).
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Pause(pub(super) bool);

/// Writes what is durable, for at most so long, and ends.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Stop(pub(super) Duration);

/// The next step, when a timer or the actor itself says so.
#[derive(Message)]
#[rtype(result = "()")]
struct Step;

/// See the module's header.
pub(super) struct PersisterActor {
    /// Not here while a call to the store is under way.
    projecting: Option<Projecting>,
    /// There once the store has said where it is.
    follower: Option<Follower>,
    shared: Arc<PersisterState>,
    options: PersisterOptions,
    paused: bool,
    stop_by: Option<Instant>,
    pace: Pace,
    /// It rests until then.
    rests_until: Option<Instant>,
    /// When the batch that is being gathered is written at the latest.
    write_by: Option<Instant>,
    /// The last attempt failed: the batch is written again as it is.
    again: bool,
    back_off: Duration,
    /// Records that the next batch has at most: fewer after one that took too long.
    batch: usize,
    timer: Option<SpawnHandle>,
    on_fatal: Option<OnFatal>,
    /// It ended as it should, or has told that it did not.
    ended: bool,
}

impl PersisterActor {
    pub(super) fn start_new(
        projecting: Projecting,
        shared: Arc<PersisterState>,
        options: PersisterOptions,
        on_fatal: OnFatal,
    ) -> Addr<Self> {
        let back_off = options.retry_first;
        let actor = Self {
            projecting: Some(projecting),
            follower: None,
            shared,
            options,
            paused: false,
            stop_by: None,
            pace: Pace::new(options.burst),
            rests_until: None,
            write_by: None,
            again: false,
            back_off,
            batch: options.batch_records as usize,
            timer: None,
            on_fatal: Some(on_fatal),
            ended: false,
        };
        actor.start()
    }

    /// Whatever there is to do now; arranges for the next step.
    fn step(&mut self, ctx: &mut Context<Self>) {
        if let Some(timer) = self.timer.take() {
            ctx.cancel_future(timer);
        }
        if self.time_is_up() {
            return self.end(ctx);
        }
        if let Some(left) = self.rests_for() {
            return self.later(left, ctx);
        }
        let Some(projecting) = &mut self.projecting else { return };
        let Some(follower) = &mut self.follower else { return self.open(ctx) };
        if !self.again
            && let Err(error) = gather(projecting, follower, self.batch)
        {
            return self.trouble(error.into(), ctx);
        }
        let stopping = self.stop_by.is_some();
        let Some(oldest) = projecting.oldest() else {
            // The store answered and is up to date; while rows wait, only one that was written tells that they get through.
            self.shared.note_attempt(true);
            self.write_by = None;
            if stopping && follower.next_lsn() > self.shared.control.durable() {
                return self.end(ctx);
            }
            return self.later(NAP, ctx);
        };
        self.shared.metrics.oldest_pending.store(oldest, Ordering::Relaxed);
        if self.paused {
            if stopping {
                self.end(ctx);
            }
            return;
        }
        let now = Instant::now();
        let write_by = *self.write_by.get_or_insert(now + self.options.batch_wait);
        let full = projecting.waiting() >= self.batch;
        if full || stopping || self.again || now >= write_by {
            self.write(ctx);
        } else {
            self.later((write_by - now).min(NAP), ctx);
        }
    }

    fn later(&mut self, wait: Duration, ctx: &mut Context<Self>) {
        self.timer = Some(ctx.notify_later(Step, wait));
    }

    /// What is left of the rest; a stop ends it.
    fn rests_for(&mut self) -> Option<Duration> {
        let until = self.rests_until.filter(|_| self.stop_by.is_none());
        let left = until.map(|until| until.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero());
        if left.is_none() {
            self.rests_until = None;
        }
        left
    }

    fn open(&mut self, ctx: &mut Context<Self>) {
        let Some(mut projecting) = self.projecting.take() else { return };
        let durable = self.shared.control.durable();
        let call = async move {
            let at = projecting.open(durable).await;
            (projecting, at)
        };
        ctx.spawn(call.into_actor(self).map(|(projecting, at), this, ctx| {
            this.projecting = Some(projecting);
            match at.and_then(|at| this.follow(at)) {
                Ok(()) => this.step(ctx),
                Err(trouble) => this.trouble(trouble, ctx),
            }
        }));
    }

    fn follow(&mut self, checkpoint: Option<Checkpoint>) -> Result<(), Trouble> {
        let at = checkpoint.map_or(Lsn::ZERO, |c| c.lsn);
        if let Some(checkpoint) = checkpoint {
            self.confirm(&checkpoint)?;
        }
        self.follower = Some(self.shared.control.follower(at.next())?);
        self.shared.metrics.persisted.store(at.0, Ordering::Release);
        self.shared.confirmed.store(true, Ordering::Release);
        self.shared.tell();
        Ok(())
    }

    /// Compares the checkpoint with the journal's own record.
    fn confirm(&self, checkpoint: &Checkpoint) -> Result<(), PersistError> {
        let mut there = match self.shared.control.follower(checkpoint.lsn) {
            // Without an archive it may be gone; then there is nothing to compare with.
            Err(JournalError::Gone { .. }) => return Ok(()),
            other => other?,
        };
        let batch = there.next_batch(Duration::ZERO)?;
        let record = batch.as_ref().and_then(|batch| batch.records().next());
        record.map_or(Ok(()), |(_, bytes)| Projecting::confirm(checkpoint, bytes))
    }

    fn write(&mut self, ctx: &mut Context<Self>) {
        let Some(mut projecting) = self.projecting.take() else { return };
        let (begun, most) = (Instant::now(), self.batch);
        let call = async move {
            let outcome = projecting.write(most).await;
            (projecting, outcome)
        };
        ctx.spawn(call.into_actor(self).map(move |(projecting, outcome), this, ctx| {
            this.projecting = Some(projecting);
            match outcome {
                Ok(written) => {
                    this.note(&written, most, begun.elapsed());
                    this.step(ctx);
                }
                Err(trouble) => this.trouble(trouble, ctx),
            }
        }));
    }

    /// A batch of at most so many records was written.
    fn note(&mut self, written: &Written, most: usize, took: Duration) {
        // Slowly: on a slow line each attempt at too much costs the whole deadline.
        self.batch = (self.batch + self.batch / 8 + 1).min(self.options.batch_records as usize);
        (self.again, self.write_by, self.back_off) = (false, None, self.options.retry_first);
        self.shared.note_attempt(true);
        let metrics = &self.shared.metrics;
        metrics.batches.fetch_add(1, Ordering::Relaxed);
        metrics.records.fetch_add(written.records as u64, Ordering::Relaxed);
        metrics.rows.fetch_add(written.rows as u64, Ordering::Relaxed);
        metrics.batch_micros.record(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        metrics.batch_rows.record(written.rows as u64);
        metrics.written.push(WrittenBatch { to: written.to.lsn, rows: written.rows, at: Instant::now(), took });
        let (at, durable) = (Instant::now(), self.shared.control.durable());
        let batch = Batch { at, durable, records: written.records, took, full: written.records >= most };
        // Segments that only the store keeps from being used again leave no time to rest.
        let rest = self.pace.rest(batch, self.shared.control.shortage().is_none());
        self.rests_until = Some(at + rest).filter(|_| !rest.is_zero());
        metrics.rest_micros.fetch_add(u64::try_from(rest.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        let behind = durable > written.to.lsn;
        metrics.oldest_pending.store(if behind { written.to.time } else { 0 }, Ordering::Relaxed);
        metrics.persisted.store(written.to.lsn.0, Ordering::Release);
        self.shared.tell();
    }

    fn trouble(&mut self, trouble: Trouble, ctx: &mut Context<Self>) {
        match trouble {
            // Too many open files, say: what was read may be half a record, and the next attempt may find all of it.
            Trouble::Fatal(PersistError::Journal(error @ JournalError::Io { .. })) => self.reopen(&error, ctx),
            Trouble::Fatal(error) => self.fail(&error, ctx),
            Trouble::Store(error) => self.try_again(&error, ctx),
            Trouble::Moved { left, found } => {
                self.reopen(&format!("the store was left at {left} and is at {found}"), ctx);
            }
        }
    }

    /// Begins anew from where the store is.
    fn reopen(&mut self, why: &dyn fmt::Display, ctx: &mut Context<Self>) {
        (self.follower, self.again, self.write_by) = (None, false, None);
        self.shared.note_attempt(false);
        self.shared.metrics.errors.fetch_add(1, Ordering::Relaxed);
        self.shared.metrics.reopened.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(%why, retry_in = ?self.back_off, "the persister begins anew from the store's checkpoint");
        self.wait_longer(ctx);
    }

    fn try_again(&mut self, error: &StoreError, ctx: &mut Context<Self>) {
        let tried = self.projecting.as_ref().map_or(0, Projecting::waiting).min(self.batch);
        if error.is_slow() && tried > 1 {
            // What is too much for a slow line would be too much for ever.
            self.batch = tried / 2;
            return self.reopen(error, ctx);
        }
        self.again = self.follower.is_some();
        self.shared.note_attempt(false);
        self.shared.metrics.errors.fetch_add(1, Ordering::Relaxed);
        let pause = self.back_off;
        tracing::warn!(%error, retry_in = ?pause, "the store did not take a batch; the exchange goes on without it");
        self.wait_longer(ctx);
    }

    /// Pauses, each time twice as long.
    fn wait_longer(&mut self, ctx: &mut Context<Self>) {
        let pause = self.back_off;
        self.back_off = (pause * 2).min(self.options.retry_most);
        self.later(pause, ctx);
    }

    fn time_is_up(&self) -> bool {
        self.stop_by.is_some_and(|by| by <= Instant::now())
    }

    fn fail(&mut self, error: &PersistError, ctx: &mut Context<Self>) {
        self.tell_failure(error);
        self.end(ctx);
    }

    fn tell_failure(&mut self, error: &PersistError) {
        tracing::error!(%error, "the persister stopped");
        self.shared.failed.store(true, Ordering::Release);
        self.shared.tell();
        if let Some(on_fatal) = self.on_fatal.take() {
            on_fatal(error);
        }
    }

    fn end(&mut self, ctx: &mut Context<Self>) {
        self.ended = true;
        ctx.stop();
    }
}

/// Reads what is durable, up to a batch.
fn gather(projecting: &mut Projecting, follower: &mut Follower, most: usize) -> Result<(), PersistError> {
    while projecting.waiting() < most {
        let Some(batch) = follower.next_batch(Duration::ZERO)? else { break };
        projecting.push(&batch)?;
    }
    Ok(())
}

impl Actor for PersisterActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.notify(Step);
    }
}

impl Drop for PersisterActor {
    fn drop(&mut self) {
        if !self.ended {
            self.tell_failure(&PersistError::Thread("it panicked".to_owned()));
        }
        if let Some(system) = System::try_current() {
            system.stop();
        }
    }
}

impl Handler<Step> for PersisterActor {
    type Result = ();

    fn handle(&mut self, _: Step, ctx: &mut Self::Context) {
        self.step(ctx);
    }
}

impl Handler<Pause> for PersisterActor {
    type Result = ();

    fn handle(&mut self, Pause(paused): Pause, ctx: &mut Self::Context) {
        self.paused = paused;
        self.step(ctx);
    }
}

impl Handler<Stop> for PersisterActor {
    type Result = ();

    fn handle(&mut self, Stop(flush): Stop, ctx: &mut Self::Context) {
        self.stop_by = Some(Instant::now() + flush);
        // A store that does not answer does not keep it from ending; the next start goes on from the checkpoint.
        ctx.notify_later(Step, flush);
        self.step(ctx);
    }
}
