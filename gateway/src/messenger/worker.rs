//! Who has messages sent: takes what is due from the outbox, a few at a time, and notes what became of each attempt.
//!
//! Owns: the thread of the messenger, on which `notices` runs too, how many attempts are made at once and how long after one the next is
//! made. Never does: write a message; hold up a stop. Invariants: an attempt is counted before it is made, so that a message is sent at
//! least once, and no message is in two attempts at once; a channel that is away holds up no other.
//! Known limits: after a crash a message that was just sent is sent again, under the same id; one process sends.

use super::notices;
use super::way::{Outgoing, Unsent, Way};
use super::{Exit, Figures, Messenger};
use crate::common::critical_task;
use crate::common::time::now_ms;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use xng_persistence::office::{Attempt, Channel, DueMessage, OfficeError};

/// Attempts of a channel at once.
const AT_ONCE: usize = 4;
/// Seconds after each attempt until the next one; after the last of them again and again, until the message expires.
const WAITS_S: [u64; 7] = [5, 15, 60, 120, 300, 600, 3_600];
/// How often it is looked for what is due while something waits, and while nothing is known to.
const LOOKS: Duration = Duration::from_secs(1);
const IDLE_LOOKS: Duration = Duration::from_secs(60);

/// An attempt that is over.
struct Tried {
    id: u64,
    attempts: u32,
    expires_ms: u64,
    end: Result<(), Unsent>,
}

/// Sends the messages of one channel.
struct Sender {
    messenger: Arc<Messenger>,
    channel: Channel,
    way: Arc<dyn Way>,
    /// Messages that are being sent.
    under_way: BTreeSet<u64>,
    tries: JoinSet<Tried>,
}

/// Starts sending on all channels that have a way, and telling of what the audit says, until `stopping` says so. An attempt that is under
/// way then is given up.
///
/// # Errors
/// No thread to be had.
pub fn start(messenger: &Arc<Messenger>, stopping: &watch::Receiver<bool>) -> std::io::Result<()> {
    let mut senders: Vec<Sender> = Vec::new();
    for channel in Channel::ALL {
        if let Exit::Way(way) = &messenger.lane(channel).exit {
            let (messenger, way) = (messenger.clone(), way.clone());
            senders.push(Sender { messenger, channel, way, under_way: BTreeSet::new(), tries: JoinSet::new() });
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (messenger, stopping) = (messenger.clone(), stopping.clone());
    critical_task::spawn("messenger", move || {
        runtime.block_on(async move {
            let mut running = JoinSet::new();
            running.spawn(notices::follow(messenger, stopping.clone()));
            senders.into_iter().for_each(|sender| drop(running.spawn(sender.run(stopping.clone()))));
            while let Some(ended) = running.join_next().await {
                ended.expect("each goes on until the stop");
            }
        });
        // Not waited for: the other side may take long, and its word is worth nothing any more.
        runtime.shutdown_background();
    })
}

async fn told_to_stop(stopping: &mut watch::Receiver<bool>) {
    drop(stopping.wait_for(|stops| *stops).await);
}

fn now() -> u64 {
    now_ms().cast_unsigned()
}

/// When the next attempt is made, after so many.
fn next_ms(attempts: u32, now_ms: u64) -> u64 {
    let at = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    now_ms + 1_000 * WAITS_S[at.min(WAITS_S.len() - 1)]
}

impl Sender {
    async fn run(mut self, mut stopping: watch::Receiver<bool>) {
        loop {
            let pause = match self.round().await {
                Ok(true) => LOOKS,
                Ok(false) => IDLE_LOOKS,
                Err(error) => {
                    tracing::warn!(%error, channel = self.channel.name(), "messages wait for the office database");
                    LOOKS
                }
            };
            let messenger = self.messenger.clone();
            tokio::select! {
                Some(Ok(tried)) = self.tries.join_next() => {
                    if let Err(error) = self.note(tried).await {
                        tracing::warn!(%error, "what became of a message is not noted: it may be sent again");
                    }
                }
                () = told_to_stop(&mut stopping) => return,
                () = messenger.lane(self.channel).news.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    fn figures(&self) -> &Figures {
        self.messenger.figures(self.channel)
    }

    /// Begins what is due, as far as there is room; whether anything waits.
    async fn round(&mut self) -> Result<bool, OfficeError> {
        let office = self.messenger.office.clone();
        let expired = office.expire_messages(self.channel, now()).await?;
        self.figures().failed.fetch_add(expired, Ordering::Relaxed);
        let room = AT_ONCE.saturating_sub(self.under_way.len());
        if room > 0 {
            // What is under way may be due again by the clock.
            let due = office.due_messages(self.channel, now(), 2 * AT_ONCE as u32).await?;
            let fresh = due.into_iter().filter(|message| !self.under_way.contains(&message.id));
            for message in fresh.take(room).collect::<Vec<_>>() {
                self.begin(message).await?;
            }
        }
        let waiting = office.waiting_messages(self.channel).await?;
        self.figures().waiting.store(waiting.count, Ordering::Relaxed);
        self.figures().oldest_ms.store(waiting.oldest_ms, Ordering::Relaxed);
        Ok(waiting.count > 0)
    }

    async fn begin(&mut self, message: DueMessage) -> Result<(), OfficeError> {
        let attempts = message.attempts + 1;
        let office = &self.messenger.office;
        if !office.begin_attempt(message.id, now(), next_ms(attempts, now())).await? {
            return Ok(());
        }
        let (id, expires_ms) = (message.id, message.expires_ms);
        let text = self.messenger.text(&message.destination, &message.sealed);
        let way = self.way.clone();
        self.under_way.insert(id);
        self.tries.spawn_blocking(move || {
            let end = match text {
                Some(text) => {
                    let sent = catch_unwind(AssertUnwindSafe(|| way.send(&outgoing(message, text))));
                    sent.unwrap_or_else(|_| Err(Unsent::ForNow("the attempt panicked".into())))
                }
                None => Err(Unsent::ForEver("it was sealed under another office.key".into())),
            };
            Tried { id, attempts, expires_ms, end }
        });
        Ok(())
    }

    async fn note(&mut self, tried: Tried) -> Result<(), OfficeError> {
        let Tried { id, attempts, expires_ms, end } = tried;
        self.under_way.remove(&id);
        let (now, figures) = (now(), self.figures());
        let next_ms = next_ms(attempts, now);
        let (attempt, counted) = match end {
            Ok(()) => (Attempt::Sent, &figures.sent),
            Err(Unsent::ForEver(error)) => (Attempt::Failed { error }, &figures.failed),
            Err(Unsent::ForNow(error)) if next_ms >= expires_ms => (Attempt::Failed { error }, &figures.failed),
            Err(Unsent::ForNow(error)) => (Attempt::Later { error, next_ms }, &figures.retried),
        };
        match &attempt {
            Attempt::Sent => {}
            Attempt::Failed { error } => tracing::warn!(message = id, attempts, error, "a message is not sent"),
            Attempt::Later { error, .. } => tracing::info!(message = id, attempts, error, "a message is sent later"),
        }
        if self.messenger.office.end_attempt(id, &attempt, now).await? {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn outgoing(message: DueMessage, text: String) -> Outgoing {
    let DueMessage { id, destination, lang, subject, created_ms, expires_ms, .. } = message;
    Outgoing { id: format!("{id}.{created_ms}"), to: destination, lang, subject, text, created_ms, expires_ms }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_tried_less_and_less_often() {
        let waits: Vec<u64> = (1..=9).map(|attempts| (next_ms(attempts, 7) - 7) / 1_000).collect();
        assert_eq!(waits, [5, 15, 60, 120, 300, 600, 3_600, 3_600, 3_600]);
    }
}
