//! Commands of operators, from threads that have no port of their own to the cell.
//!
//! Owns: the way there and back. Never does: decide who may. Invariants: an answer comes once, or none when the
//! exchange stops, is too busy or does not answer in time: what became of it is then not known.
//! Known limits: one thread hands them over, one after the other.

use std::sync::{Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};
use xng_core::entity::{Command, Reply};
use xng_core::record::Origin;
use xng_runtime::Client;

type Asked = (Origin, Command, oneshot::Sender<Reply>);

/// Where they are handed in.
#[derive(Debug)]
pub struct Operators {
    sender: mpsc::UnboundedSender<Asked>,
    receiver: Mutex<Option<mpsc::UnboundedReceiver<Asked>>>,
}

impl Default for Operators {
    fn default() -> Operators {
        let (sender, receiver) = mpsc::unbounded_channel();
        Operators { sender, receiver: Mutex::new(Some(receiver)) }
    }
}

impl Operators {
    /// Asks the exchange; none when nobody answers.
    pub async fn ask(&self, command: Command) -> Option<Reply> {
        self.ask_as(Origin::Admin, command).await
    }

    /// As [`Self::ask`], saying who is behind it.
    pub async fn ask_as(&self, origin: Origin, command: Command) -> Option<Reply> {
        let (answer, reply) = oneshot::channel();
        self.sender.send((origin, command, answer)).ok()?;
        reply.await.ok()
    }

    /// Hands them over from now on, within a `LocalSet`.
    pub(crate) fn serve(&self, client: Client) {
        let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut receiver) = receiver else { return };
        tokio::task::spawn_local(async move {
            while let Some((origin, command, answer)) = receiver.recv().await {
                // Without an answer the sender is dropped, which says so.
                if let Ok(reply) = client.call(origin, None, command).await {
                    drop(answer.send(reply));
                }
            }
        });
    }
}
