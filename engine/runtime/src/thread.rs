//! The cell's thread: an actix arbiter on which one actor drives the cell and all entities' actors live.
//!
//! Batches come in over a lock-free queue; a wake message goes to the driver only while it sleeps. Answers leave as one
//! batch a gateway thread.
//!
//! Owns: the queue in, the ports out, the driver. Never does: wait for the journal or for a gateway. Invariants: the
//! driver sleeps only when nothing waits; a panic stops the process with the command in hand on record. Known
//! limits: one thread; what is queued is bounded by credits, not here.

use crate::clock::wall_ns;
use crate::crash::CrashFile;
use crate::meter::{ActorMeters, Meter, Queued};
use crate::shell::{ActorHost, Actors, Observe, Tell};
use actix::{Actor, Addr, AsyncContext, Context, Handler, Message, Recipient, SpawnHandle, System};
use crossbeam::queue::SegQueue;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Wake, Waker};
use std::time::Duration;
use tokio::sync::mpsc;
use xng_cell::cell::ADMIT;
use xng_cell::{Cell, CellCounters, Clock, Egress, Ingress, PortId, Visitor, World};
use xng_core::entity::{Listed, TimeNs};
use xng_core::ids::EntityId;
use xng_core::journal::Journal;

/// Turns in one go before other tasks of the arbiter may run.
const TURNS: usize = 64;
/// The driver looks at its timers at least this often.
const IDLE_NS: TimeNs = 1_000_000_000;

/// Batches of one port.
pub type PortReceiver = mpsc::UnboundedReceiver<Vec<Egress>>;
type PortSender = mpsc::UnboundedSender<Vec<Egress>>;

/// What the outside shares with the driver.
#[derive(Default)]
struct PublishedState {
    ingress: SegQueue<Queued>,
    meters: Arc<ActorMeters>,
    awake: AtomicBool,
    ports: Mutex<BTreeMap<PortId, PortSender>>,
    ports_version: AtomicU64,
    mail: SegQueue<EntityId>,
    jobs: SegQueue<Job>,
    driver: Mutex<Option<Addr<WakeProxy>>>,
    stats: Mutex<CellStats>,
}

type Job = Box<dyn FnOnce(&mut World<Actors>) + Send>;

/// What operators see of a cell.
#[derive(Debug, Default, Clone, Copy)]
pub struct CellStats {
    /// Counters since the start.
    pub counters: CellCounters,
    /// Items in the run queue.
    pub queued: usize,
    /// Answers at the gate.
    pub gated: usize,
    /// Entities alive.
    pub entities: u64,
    /// Position of the last record.
    pub lsn: u64,
}

/// The way into a cell from any thread.
#[derive(Clone)]
pub struct CellHandle(Arc<PublishedState>);

impl fmt::Debug for CellHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CellHandle({} waiting)", self.0.ingress.len())
    }
}

impl PublishedState {
    fn queue(&self, item: Ingress) {
        self.meters.count_sent(&item);
        self.ingress.push(Queued::new(item));
    }

    fn wake(&self) {
        if !self.awake.swap(true, Ordering::AcqRel) {
            let driver = self.driver.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(driver) = driver.as_ref() {
                driver.do_send(WakeUp);
            }
        }
    }
}

impl CellHandle {
    /// A handle to a cell that does not run yet; what is sent waits.
    #[must_use]
    pub fn new() -> CellHandle {
        CellHandle(Arc::new(PublishedState::default()))
    }

    /// Sends one item.
    pub fn send(&self, item: Ingress) {
        self.0.queue(item);
        self.0.wake();
    }

    /// Sends many with one wake.
    pub fn send_all(&self, items: impl IntoIterator<Item = Ingress>) {
        for item in items {
            self.0.queue(item);
        }
        self.0.wake();
    }

    /// Wakes the driver: the journal calls this when its durable LSN grew.
    pub fn wake(&self) {
        self.0.wake();
    }

    /// A new port: answers and events for it arrive in batches.
    #[must_use]
    pub fn open_port(&self) -> (PortId, PortReceiver) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut ports = self.0.ports.lock().unwrap_or_else(PoisonError::into_inner);
        let next = ports.last_key_value().map_or(0, |(id, _)| id.0 + 1);
        ports.insert(PortId(next), sender);
        self.0.ports_version.fetch_add(1, Ordering::Release);
        (PortId(next), receiver)
    }

    /// Runs `job` on the cell's thread between two turns: reads of the whole state (books at start, audits).
    pub fn with_world<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut World<Actors>) -> T + Send + 'static,
    ) -> crossbeam::channel::Receiver<T> {
        let (tx, rx) = crossbeam::channel::bounded(1);
        self.0.jobs.push(Box::new(move |world| {
            // The asker may have given up; then nobody wants the answer.
            let _ = tx.send(job(world));
        }));
        self.0.wake();
        rx
    }

    /// What is measured of the actors.
    #[must_use]
    pub fn meters(&self) -> &ActorMeters {
        &self.0.meters
    }

    /// Items on their way into the cell.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.0.ingress.len()
    }

    /// Counters as of the last turn.
    #[must_use]
    pub fn stats(&self) -> CellStats {
        *self.0.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The address of an entity's actor, if anything ever named the entity; its mailbox comes into being with it and is
    /// looked after from now on.
    #[must_use]
    pub fn address(&self, entity: EntityId) -> crossbeam::channel::Receiver<Option<Address>> {
        let shared = Arc::downgrade(&self.0);
        self.with_world(move |world| {
            let mut finder = FindAddress(None);
            world.visit(entity, &mut finder);
            if let Some(shared) = shared.upgrade() {
                shared.mail.push(entity);
            }
            finder.0
        })
    }
}

/// An actor's address, whatever kind of entity it owns.
#[derive(Debug, Clone)]
pub struct Address {
    /// For looking at it.
    pub observe: Recipient<Observe>,
    /// For commands by mail.
    pub tell: Recipient<Tell>,
}

struct FindAddress(Option<Address>);

impl Visitor<Actors> for FindAddress {
    fn visit<E: Listed>(&mut self, host: &mut ActorHost<E>) {
        let address = host.address();
        self.0 = Some(Address { observe: address.clone().recipient(), tell: address.recipient() });
    }
}

impl Default for CellHandle {
    fn default() -> Self {
        CellHandle::new()
    }
}

struct WakeUp;
impl Message for WakeUp {
    type Result = ();
}

/// The driver without its type parameters, so that anybody can wake it.
struct WakeProxy(Box<dyn Fn()>);
impl Actor for WakeProxy {
    type Context = Context<Self>;
}
impl Handler<WakeUp> for WakeProxy {
    type Result = ();
    fn handle(&mut self, _: WakeUp, _: &mut Self::Context) {
        (self.0)();
    }
}

struct MailWaker {
    shared: Arc<PublishedState>,
    entity: EntityId,
}

impl Wake for MailWaker {
    fn wake(self: Arc<Self>) {
        self.shared.mail.push(self.entity);
        self.shared.wake();
    }
}

struct ReadMail {
    waker: Waker,
    forwarded: Vec<Ingress>,
}

impl Visitor<Actors> for ReadMail {
    fn visit<E: Listed>(&mut self, host: &mut ActorHost<E>) {
        self.forwarded.extend(host.read_mail(&mut task::Context::from_waker(&self.waker)));
    }
}

/// The actor that drives one cell.
struct Driver<J: Journal, C: Clock> {
    cell: Cell<Actors, J, C>,
    shared: Arc<PublishedState>,
    ports: Vec<Option<(PortSender, Vec<Egress>)>>,
    ports_version: u64,
    crash: CrashFile,
    timer: Option<SpawnHandle>,
    meter: Meter,
    /// What was missed while the process was down is made up for.
    caught_up: bool,
}

impl<J: Journal + Unpin + 'static, C: Clock + Unpin + 'static> Actor for Driver<J, C> {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        let me = ctx.address();
        let proxy = WakeProxy(Box::new(move || me.do_send(WakeUp))).start();
        *self.shared.driver.lock().unwrap_or_else(PoisonError::into_inner) = Some(proxy);
        self.shared.awake.store(true, Ordering::Release);
        ctx.notify(WakeUp);
    }
}

impl<J: Journal + Unpin + 'static, C: Clock + Unpin + 'static> Handler<WakeUp> for Driver<J, C> {
    type Result = ();

    fn handle(&mut self, _: WakeUp, ctx: &mut Self::Context) {
        for _ in 0..TURNS {
            if !self.turn() {
                // Asleep first, then one more look: what came in between either is seen now or wakes again.
                self.shared.awake.store(false, Ordering::Release);
                if !self.turn() {
                    self.publish_stats();
                    self.sleep(ctx);
                    return;
                }
                self.shared.awake.store(true, Ordering::Release);
            }
        }
        self.publish_stats();
        ctx.notify(WakeUp);
    }
}

impl<J: Journal + Unpin + 'static, C: Clock + Unpin + 'static> Driver<J, C> {
    fn turn(&mut self) -> bool {
        match catch_unwind(AssertUnwindSafe(|| self.turn_inner())) {
            Ok(worked) => worked,
            Err(_) => {
                // Fail stop: what an entity left half done must not be seen; recovery is replay.
                self.crash.record(self.cell.in_hand(), wall_ns() / 1_000_000_000);
                std::process::abort();
            }
        }
    }

    fn turn_inner(&mut self) -> bool {
        let mut worked = false;
        if !self.caught_up {
            // What was missed first; commands wait in their queue meanwhile.
            self.caught_up = self.cell.catch_up();
            if !self.caught_up {
                return true;
            }
            worked = true;
        }
        for _ in 0..ADMIT {
            let Some(queued) = self.shared.ingress.pop() else { break };
            self.meter.takes(&queued);
            self.cell.admit(queued.item);
            worked = true;
        }
        while let Some(job) = self.shared.jobs.pop() {
            job(self.cell.world_mut());
            worked = true;
        }
        while let Some(entity) = self.shared.mail.pop() {
            self.read_mail(entity);
            worked = true;
        }
        self.learn_ports();
        let ports = &mut self.ports;
        worked |= self.cell.turn_with_probe(&mut self.meter, |PortId(port), egress| {
            if let Some(Some((_, batch))) = ports.get_mut(usize::from(port)) {
                batch.push(egress);
            }
        });
        self.meter.turned(self.cell.queued() == 0, self.cell.latest());
        for port in &mut self.ports {
            let Some((sender, batch)) = port else { continue };
            if !batch.is_empty() && sender.send(std::mem::take(batch)).is_err() {
                *port = None;
            }
        }
        self.cell.rehash_incrementally();
        worked
    }

    fn read_mail(&mut self, entity: EntityId) {
        let waker = Waker::from(Arc::new(MailWaker { shared: self.shared.clone(), entity }));
        let mut reader = ReadMail { waker, forwarded: Vec::new() };
        self.cell.world_mut().visit(entity, &mut reader);
        for item in reader.forwarded {
            self.cell.admit(item);
        }
    }

    fn learn_ports(&mut self) {
        let version = self.shared.ports_version.load(Ordering::Acquire);
        if version == self.ports_version {
            return;
        }
        self.ports_version = version;
        let known = self.shared.ports.lock().unwrap_or_else(PoisonError::into_inner);
        for (PortId(id), sender) in known.iter() {
            let at = usize::from(*id);
            if self.ports.len() <= at {
                self.ports.resize_with(at + 1, || None);
                self.ports[at] = Some((sender.clone(), Vec::new()));
            }
        }
    }

    fn publish_stats(&mut self) {
        let stats = CellStats {
            counters: self.cell.counters(),
            queued: self.cell.queued(),
            gated: self.cell.gated(),
            entities: self.cell.world().entities(),
            lsn: self.cell.world().lsn().0,
        };
        self.shared.meters.count_instances(self.cell.world().entities_by_kind());
        *self.shared.stats.lock().unwrap_or_else(PoisonError::into_inner) = stats;
    }

    fn sleep(&mut self, ctx: &mut Context<Self>) {
        let now = self.cell.clock().now();
        let wait = self.cell.next_deadline().map_or(IDLE_NS, |at| at.saturating_sub(now).min(IDLE_NS));
        if let Some(old) = self.timer.take() {
            ctx.cancel_future(old);
        }
        self.timer = Some(ctx.notify_later(WakeUp, Duration::from_nanos(wait.max(1_000_000))));
    }
}

/// Starts a cell's thread; `handle` reaches it from now on. `make` builds the cell on that thread (recovery included);
/// its error is returned. The thread ends with the process.
pub fn start<J, C, E>(
    handle: &CellHandle,
    crash: CrashFile,
    make: impl FnOnce() -> Result<Cell<Actors, J, C>, E> + Send + 'static,
) -> Result<(), E>
where
    J: Journal + Unpin + 'static,
    C: Clock + Unpin + 'static,
    E: Send + From<std::io::Error> + 'static,
{
    let shared = handle.0.clone();
    let (tx, rx) = crossbeam::channel::bounded(1);
    let run = move || {
        let cell = match make() {
            Ok(cell) => cell,
            Err(error) => return drop(tx.send(Err(error))),
        };
        let system = System::new();
        system.block_on(async move {
            let meter = Meter::new(shared.meters.clone());
            Driver { cell, shared, ports: Vec::new(), ports_version: 0, crash, timer: None, meter, caught_up: false }
                .start();
        });
        drop(tx.send(Ok(())));
        if let Err(error) = system.run() {
            tracing::error!(%error, "the cell's arbiter ended");
        }
        // Nobody stops this arbiter; without it nothing can be acknowledged.
        std::process::abort();
    };
    std::thread::Builder::new().name("cell".into()).spawn(run)?;
    rx.recv().unwrap_or_else(|_| Err(std::io::Error::other("the cell's thread ended at its start").into()))
}
