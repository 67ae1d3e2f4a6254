//! The engine in this process: the cell with its actors on a thread of its own, its journal on disk.
//!
//! Owns: how it is put together, alone or as the exchange puts it together, and the end of both. Never does: measure.
//! Invariants: answers are durable ones; the data folder is gone afterwards. Known limits: the thread of a cell ends
//! with the process.

use crate::Failure;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;
use xng_benches::{Size, opening};
use xng_cell::{Cell, Clock, Egress, Envelope, Ingress, Ticket, World};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::journal::Lsn;
use xng_core::record::{Cause, Origin};
use xng_gateway::config::Config;
use xng_gateway::startup::exchange::Exchange;
use xng_persistence::journal::{Hooks, JournalControl, JournalWriter, Options, RealStorage, Started, recover};
use xng_persistence::store::PersisterHandle;
use xng_runtime::clock::SlewedClock;
use xng_runtime::crash::CrashFile;
use xng_runtime::{CellHandle, thread};

/// What is told at the beginning is under way this often at once.
pub(crate) const OPENING_IN_FLIGHT: usize = 1_024;
/// How long the persister may take for the accounts before somebody is told.
const CAUGHT_UP_WITHIN: Duration = Duration::from_secs(600);

/// A running engine with accounts that have money.
pub(crate) struct Engine {
    /// The way in.
    pub(crate) handle: CellHandle,
    /// Its journal.
    pub(crate) journal: JournalControl,
    /// The persister, when there is one.
    pub(crate) persister: Option<PersisterHandle>,
    end: Option<End>,
    _folder: TempDir,
}

enum End {
    Writer(JournalWriter),
    Exchange(oneshot::Sender<()>, std::thread::JoinHandle<()>),
}

impl Engine {
    /// The cell and its journal, nothing else.
    pub(crate) fn alone(size: Size) -> Result<Engine, Failure> {
        Engine::with_clock(size, SlewedClock::at_the_wall)
    }

    /// The same with another clock.
    pub(crate) fn with_clock<C: Clock + Unpin + 'static>(
        size: Size,
        clock: impl FnOnce() -> C + Send + 'static,
    ) -> Result<Engine, Failure> {
        let folder = tempfile::tempdir()?;
        let storage = Arc::new(RealStorage::open(folder.path())?);
        let handle = CellHandle::new();
        let waker = handle.clone();
        let (tx, rx) = std::sync::mpsc::channel();
        let crash = CrashFile::new(folder.path().join("crashes.tsv"));
        thread::start(&handle, crash, move || -> Result<_, std::io::Error> {
            let recovered = recover(storage, Options::new(0), Lsn::ZERO).map_err(std::io::Error::other)?;
            let started = recovered.start(Hooks::new(move |_| waker.wake())).map_err(std::io::Error::other)?;
            let Started { handle: journal, control, writer } = started;
            // The receiver waits right below.
            drop(tx.send((control, writer)));
            Ok(Cell::new(World::default(), journal, clock()))
        })?;
        let (journal, writer) = rx.recv()?;
        let end = Some(End::Writer(writer));
        Engine { handle, journal, persister: None, end, _folder: folder }.opened(size)
    }

    /// The whole exchange but its HTTP server, feeds and house: market view, persister into SQLite, snapshots, health.
    pub(crate) fn beside(size: Size, config: &Path) -> Result<Engine, Failure> {
        let folder = tempfile::tempdir()?;
        let mut config = Config::load(config)?;
        config.server.data_dir = folder.path().join("data");
        let (tx, rx) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        // What it opens lives on the runtime that opened it.
        let run = move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
            tokio::task::LocalSet::new().block_on(&runtime, async move {
                match Exchange::start(config, Arc::default()).await {
                    Err(error) => drop(tx.send(Err(error.to_string()))),
                    Ok(mut exchange) => {
                        let parts = (exchange.cell.clone(), exchange.journal.clone(), exchange.persister.clone());
                        drop(tx.send(Ok(parts)));
                        // Whoever asked may be gone: then it ends as well.
                        drop(stopped.await);
                        exchange.shut_down(Duration::ZERO);
                    }
                }
            });
        };
        let running = std::thread::Builder::new().name("exchange".into()).spawn(run)?;
        let (handle, journal, persister) = rx.recv()??;
        let end = Some(End::Exchange(stop, running));
        let engine = Engine { handle, journal, persister: Some(persister), end, _folder: folder }.opened(size)?;
        if let Some(persister) = &engine.persister {
            let lsn = engine.journal.durable();
            if !persister.wait_for(lsn, CAUGHT_UP_WITHIN) {
                return Err("the persister does not follow".into());
            }
        }
        Ok(engine)
    }

    /// Lists the markets and gives the accounts their money.
    fn opened(self, size: Size) -> Result<Engine, Failure> {
        let mut commands = opening(size);
        let mut refused = None;
        let port = Port::open(&self.handle);
        port.keep_in_flight(
            OPENING_IN_FLIGHT,
            |_| commands.next(),
            |_, reply| {
                if !matches!(reply, Reply::Accepted(Accepted::Done)) {
                    refused = Some(format!("an opening command was answered {reply:?}"));
                }
            },
        )?;
        match refused {
            Some(why) => Err(why.into()),
            None => Ok(self),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        match self.end.take() {
            Some(End::Writer(writer)) => writer.shutdown(),
            Some(End::Exchange(stop, running)) => {
                // An exchange that ended hears nothing any more.
                let _ = stop.send(());
                // It says itself what went wrong.
                drop(running.join());
            }
            None => {}
        }
    }
}

/// The way in and out that a gateway thread has.
pub(crate) struct Port {
    handle: CellHandle,
    id: xng_cell::PortId,
    inbox: thread::PortReceiver,
}

/// A command whose answer names `token`.
fn ingress(port: xng_cell::PortId, token: u64, (cause, command): (Cause, Command)) -> Ingress {
    let ticket = Some(Ticket { port, token });
    Ingress::Command(Envelope { ticket, origin: Origin::Api, cause, command })
}

/// Sends commands of one port from any thread.
pub(crate) struct Sender {
    handle: CellHandle,
    id: xng_cell::PortId,
}

impl Sender {
    /// Sends commands with their numbers, with one wake.
    pub(crate) fn send(&self, commands: impl Iterator<Item = (u64, Command)>) {
        self.send_caused(commands.map(|(token, command)| (token, (Cause::Request, command))));
    }

    fn send_caused(&self, commands: impl Iterator<Item = (u64, (Cause, Command))>) {
        self.handle.send_all(commands.map(|(token, command)| ingress(self.id, token, command)));
    }
}

impl Port {
    /// A new one.
    pub(crate) fn open(handle: &CellHandle) -> Port {
        let (id, inbox) = handle.open_port();
        Port { handle: handle.clone(), id, inbox }
    }

    /// Its other half.
    pub(crate) fn sender(&self) -> Sender {
        Sender { handle: self.handle.clone(), id: self.id }
    }

    /// Waits as a gateway thread does for the next answers; none when `within` has passed.
    pub(crate) async fn answers(&mut self, within: Duration) -> Option<Vec<(u64, Reply)>> {
        let batch = tokio::time::timeout(within, self.inbox.recv()).await.ok().flatten()?;
        let replies = batch.into_iter().filter_map(|egress| match egress {
            Egress::Reply(token, reply) => Some((token, reply)),
            Egress::Event(_) => None,
        });
        Some(replies.collect())
    }

    /// Keeps so many commands under way until there is none left, and waits for the last answer. Numbers are those of
    /// places: below `in_flight`, each used again once it was answered. Gives what was never answered.
    pub(crate) fn keep_in_flight(
        self,
        in_flight: usize,
        mut next: impl FnMut(u64) -> Option<Command>,
        answered: impl FnMut(u64, Reply),
    ) -> Result<usize, Failure> {
        self.keep_caused_in_flight(in_flight, |place| next(place).map(|command| (Cause::Request, command)), answered)
    }

    /// The same with the cause of each.
    pub(crate) fn keep_caused_in_flight(
        mut self,
        in_flight: usize,
        mut next: impl FnMut(u64) -> Option<(Cause, Command)>,
        mut answered: impl FnMut(u64, Reply),
    ) -> Result<usize, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let sender = self.sender();
        runtime.block_on(async move {
            let first: Vec<(u64, (Cause, Command))> =
                (0..in_flight as u64).map_while(|place| next(place).map(|c| (place, c))).collect();
            let mut open = first.len();
            sender.send_caused(first.into_iter());
            while open > 0 {
                let Some(replies) = self.answers(NO_ANSWER).await else { return Ok(open) };
                let mut more = Vec::with_capacity(replies.len());
                for (place, reply) in replies {
                    answered(place, reply);
                    open -= 1;
                    more.extend(next(place).map(|c| (place, c)));
                }
                open += more.len();
                sender.send_caused(more.into_iter());
            }
            Ok(0)
        })
    }
}

/// An answer that takes longer is none.
pub(crate) const NO_ANSWER: Duration = Duration::from_secs(10);
