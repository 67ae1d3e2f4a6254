//! The client of a gateway thread: it sends commands to the cell and delivers each answer to its waiting call.
//!
//! One client per thread, not shared between threads: its table of waiting calls needs no lock. Answers arrive in
//! batches, one wake each.
//!
//! Owns: the table of calls that wait on this thread. Never does: cross a thread; retry. Invariants: every call
//! ends: with its answer, busy, or the end of the cell. Known limits: the answer to a dropped call is discarded;
//! its command stands.

use crate::thread::CellHandle;
use std::cell::{Cell as StdCell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use xng_cell::credits::{Credit, Credits};
use xng_cell::{Change, Egress, Envelope, Ingress, PortId, Ticket};
use xng_core::entity::{Command, CommandClass, Reply};
use xng_core::ids::{AccountId, RequestKey};
use xng_core::record::{Cause, Origin};

/// Why a command has no answer. Infrastructure, not business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Fault {
    /// The exchange is full; nothing happened, try again.
    #[error("the exchange is busy, try again")]
    Busy,
    /// No answer came in time; what happened is unknown until asked by request key.
    #[error("no answer in time")]
    Timeout,
}

/// Without its pump a client answers nobody any more: a panic there ends the process, as one in an entity does.
struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            tracing::error!("a client's pump panicked; the process stops");
            std::process::abort();
        }
    }
}

struct Waiting {
    answer: oneshot::Sender<Reply>,
    _credit: Credit,
}

struct Inner {
    handle: CellHandle,
    port: PortId,
    next: StdCell<u64>,
    waiting: RefCell<HashMap<u64, Waiting>>,
    admission: Admission,
}

/// The client of one thread.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({:?})", self.0.port)
    }
}

/// Credits of all clients of a process.
#[derive(Debug, Clone)]
pub struct Admission {
    /// For everything but cancels.
    pub orders: Credits,
    /// For cancels, so that they get through when orders do not.
    pub cancels: Credits,
    /// For reads, so that neither waits for them.
    pub reads: Credits,
}

impl Admission {
    /// Pools of `orders` and `cancels` commands in flight; reads get as many as orders.
    #[must_use]
    pub fn new(orders: u32, cancels: u32) -> Admission {
        Admission { orders: Credits::new(orders), cancels: Credits::new(cancels), reads: Credits::new(orders) }
    }

    fn pool(&self, class: CommandClass) -> &Credits {
        match class {
            CommandClass::Consumes => &self.orders,
            CommandClass::Releases => &self.cancels,
            CommandClass::ReadOnly => &self.reads,
        }
    }
}

/// An answer that takes longer than this is told as a timeout; the credit stays taken until it comes.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

impl Client {
    /// Opens a port and answers from a local task; events of watched accounts go to `events`. Call it inside of a
    /// `LocalSet` or arbiter.
    #[must_use]
    pub fn start(handle: &CellHandle, admission: &Admission, events: mpsc::UnboundedSender<Change>) -> Client {
        let (port, mut inbox) = handle.open_port();
        let client = Client(Rc::new(Inner {
            handle: handle.clone(),
            port,
            next: StdCell::new(0),
            waiting: RefCell::default(),
            admission: admission.clone(),
        }));
        let inner = client.0.clone();
        tokio::task::spawn_local(async move {
            let _guard = AbortOnPanic;
            while let Some(batch) = inbox.recv().await {
                for egress in batch {
                    match egress {
                        Egress::Reply(token, reply) => {
                            let waiting = inner.waiting.borrow_mut().remove(&token);
                            // Whoever asked may have gone; the answer stands all the same.
                            drop(waiting.map(|w| w.answer.send(reply)));
                        }
                        // Without listeners nobody watches.
                        Egress::Event(change) => drop(events.send(*change)),
                    }
                }
            }
        });
        client
    }

    /// Sends a command and waits for its answer.
    pub async fn call(&self, origin: Origin, request: Option<RequestKey>, command: Command) -> Result<Reply, Fault> {
        self.call_noted(origin, request, command, |_| {}).await
    }

    /// The same; `note` learns the command's ticket before it is sent, by which events name what asked for them.
    pub async fn call_noted(
        &self,
        origin: Origin,
        request: Option<RequestKey>,
        command: Command,
        note: impl FnOnce(Ticket),
    ) -> Result<Reply, Fault> {
        let credit = self.0.admission.pool(command.class()).take().ok_or(Fault::Busy)?;
        let token = self.0.next.get();
        self.0.next.set(token + 1);
        let (answer, receiver) = oneshot::channel();
        self.0.waiting.borrow_mut().insert(token, Waiting { answer, _credit: credit });
        let ticket = Ticket { port: self.0.port, token };
        note(ticket);
        self.0.handle.send(Ingress::Command(Envelope {
            ticket: Some(ticket),
            origin,
            cause: Cause::of(request),
            command,
        }));
        match tokio::time::timeout(ANSWER_WITHIN, receiver).await {
            Ok(Ok(Reply::Busy)) => Err(Fault::Busy),
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(_)) | Err(_) => Err(Fault::Timeout),
        }
    }

    /// Sends commands that nobody waits for, with one wake.
    pub fn tell_all(&self, origin: Origin, commands: impl IntoIterator<Item = Command>) {
        let envelope = |command| Ingress::Command(Envelope { ticket: None, origin, cause: Cause::Request, command });
        self.0.handle.send_all(commands.into_iter().map(envelope));
    }

    /// Wants every change of an account from now on.
    pub fn watch(&self, account: AccountId) {
        self.0.handle.send(Ingress::Watch(account, self.0.port));
    }

    /// No longer.
    pub fn unwatch(&self, account: AccountId) {
        self.0.handle.send(Ingress::Unwatch(account, self.0.port));
    }
}
