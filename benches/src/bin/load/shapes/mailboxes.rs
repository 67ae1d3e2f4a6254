//! Every entity an ordinary actix actor: a context and a mailbox of its own, a `do_send` for each message.
//!
//! Owns: the actors and their thread. Never does: reach into another's state. Invariants: each mailbox is in order, so an
//! account applies records in the order of their LSNs; an order is done when its record is durable.
//! Known limits: a command may be decided before the record of the last one reached everybody, which the cell forbids:
//! this is a shape to compare with, not one to trade on.

use super::Shape;
use super::direct::{self, MARKET};
use super::tail::{ADMIT, Tail};
use crate::Failure;
use crate::engine::NO_ANSWER;
use crate::recorder::Recorder;
use actix::{Actor, Addr, Context, Handler, Message, System};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::Notify;
use xng_benches::{Dice, Size, opening, order};
use xng_core::account::Account;
use xng_core::entity::{Applied, Ask, Command, Decision, Entity, Listed};
use xng_core::ids::{AccountId, EntityId, HoldId};
use xng_core::journal::Lsn;
use xng_core::record::{Record, Role};
use xng_core::spot::Market;

/// A command. When it began, if somebody waits for its answer; what its owner holds for it.
struct Decide<E: Entity> {
    command: E::Command,
    begun: Option<Instant>,
    held: Option<(AccountId, HoldId)>,
}

impl<E: Entity> Message for Decide<E> {
    type Result = ();
}

/// What happened, and what need not be held any more.
struct Happened {
    lsn: Lsn,
    record: Arc<Record>,
    role: Role,
    held: Option<HoldId>,
}

impl Message for Happened {
    type Result = ();
}

/// An actor with its entity.
struct Owner<E: Entity> {
    id: E::Id,
    entity: E,
    hub: Rc<Hub>,
}

impl<E: Entity<Id: Unpin>> Actor for Owner<E> {
    type Context = Context<Self>;
}

/// What all actors of the thread reach.
struct Hub {
    tail: RefCell<Tail>,
    accounts: OnceCell<Vec<Addr<Owner<Account>>>>,
    market: OnceCell<Addr<Owner<Market>>>,
    /// The first decision that was none of those that orders bring.
    wrong: RefCell<Option<String>>,
}

impl Hub {
    fn account(&self, id: AccountId) -> &Addr<Owner<Account>> {
        &self.accounts.get().expect("they begin before the first command")[direct::place(id)]
    }

    fn send(&self, command: Command, begun: Option<Instant>, held: Option<(AccountId, HoldId)>) {
        match command {
            Command::Account(id, command) => self.account(id).do_send(Decide { command, begun, held }),
            Command::Market(_, command) => {
                self.market.get().expect("it begins before the first command").do_send(Decide { command, begun, held });
            }
            other @ (Command::Registry(..)
            | Command::Price(..)
            | Command::Contract(..)
            | Command::Seconds(..)
            | Command::Trader(..)
            | Command::Calendar(..)
            | Command::Chain(..)
            | Command::Campaign(..)
            | Command::Round(..)) => {
                self.went_wrong(format!("no actor for {other:?}"));
            }
        }
    }

    fn went_wrong(&self, what: String) {
        self.wrong.borrow_mut().get_or_insert(what);
    }
}

impl<E: Listed<Id: Unpin>> Handler<Decide<E>> for Owner<E> {
    type Result = ();

    fn handle(&mut self, message: Decide<E>, _: &mut Context<Self>) {
        let Decide { command, begun, mut held } = message;
        let (ctx, own) = (self.hub.tail.borrow_mut().ctx(), E::address(self.id));
        match (self.entity.decide(&command, &ctx), own) {
            (Decision::Fact(fact), _) => {
                let (lsn, record) = self.hub.tail.borrow_mut().record(own, fact);
                let record = Arc::new(record);
                record.fact.parties(own, |party, role| match party.account() {
                    _ if party == own => self.entity.evolve(Applied { lsn, record: &record }, role),
                    Some(id) => {
                        let held = held.take_if(|(holder, _)| *holder == id).map(|(_, hold)| hold);
                        self.hub.account(id).do_send(Happened { lsn, record: record.clone(), role, held });
                    }
                    None => self.hub.went_wrong(format!("no actor for {party}")),
                });
                if let Some(begun) = begun {
                    self.hub.tail.borrow_mut().park(begun);
                }
            }
            (Decision::Ask(ask), EntityId::Account(id)) => {
                let Ask { command, hold: request } = *ask;
                let hold = self.hub.tail.borrow_mut().hold();
                self.entity.place_hold(hold, request, None);
                self.hub.send(command, begun, Some((id, hold)));
            }
            (other, _) => self.hub.went_wrong(format!("decided {other:?}")),
        }
        if held.is_some() {
            self.hub.went_wrong("a record does not name who held money for it".into());
        }
    }
}

impl Handler<Happened> for Owner<Account> {
    type Result = ();

    fn handle(&mut self, message: Happened, _: &mut Context<Self>) {
        let Happened { lsn, record, role, held } = message;
        if let Some(held) = held {
            self.entity.release_hold(held);
        }
        self.entity.evolve(Applied { lsn, record: &record }, role);
    }
}

struct Turn {
    dice: Dice,
    in_flight: usize,
    recorder: Arc<Recorder>,
    done: mpsc::Sender<Result<(), String>>,
}

/// The thread of the actors.
pub(super) struct Mailboxes {
    turns: Option<mpsc::Sender<Turn>>,
    thread: Option<JoinHandle<()>>,
}

impl Mailboxes {
    /// Accounts with money.
    pub(super) fn start(size: Size) -> Result<Mailboxes, Failure> {
        let (turns, next) = mpsc::channel::<Turn>();
        let synced = Arc::new(Notify::new());
        let waker = synced.clone();
        let tail = Tail::start(move || waker.notify_one())?;
        let (begun, begins) = mpsc::channel();
        let run = move || {
            System::new().block_on(async move {
                let hub = begin(tail, size);
                let opened = settle(&hub, &synced).await;
                // Whoever is gone wants no turns either: then the loop below ends at once.
                drop(begun.send(opened));
                // Nothing else is done on this thread between two turns.
                while let Ok(turn) = next.recv() {
                    let result = one(&hub, &synced, size, turn.dice, turn.in_flight, &turn.recorder).await;
                    drop(turn.done.send(result));
                }
            });
        };
        let thread = std::thread::Builder::new().name("mailboxes".into()).spawn(run)?;
        begins.recv()??;
        Ok(Mailboxes { turns: Some(turns), thread: Some(thread) })
    }
}

impl Drop for Mailboxes {
    /// The journal's folder goes with the thread, which must end before the process does.
    fn drop(&mut self) {
        drop(self.turns.take());
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Starts the actors and tells them who has what.
fn begin(tail: Tail, size: Size) -> Rc<Hub> {
    let (accounts, market, wrong) = (OnceCell::new(), OnceCell::new(), RefCell::new(None));
    let hub = Rc::new(Hub { tail: RefCell::new(tail), accounts, market, wrong });
    let started =
        direct::accounts(size).map(|entity| Owner { id: entity.id(), entity, hub: hub.clone() }.start()).collect();
    let market = Owner { id: MARKET, entity: Market::blank(MARKET), hub: hub.clone() }.start();
    let set = hub.accounts.set(started).is_ok() && hub.market.set(market).is_ok();
    debug_assert!(set, "they are set once");
    opening(size).for_each(|command| hub.send(command, None, None));
    hub
}

/// Waits until everything that was told is durable.
async fn settle(hub: &Rc<Hub>, synced: &Notify) -> Result<(), String> {
    let recorded = |hub: &Hub| hub.tail.borrow().lsn();
    let mut last = None;
    // A mailbox is emptied whenever its actor is polled: who recorded nothing between two looks has nothing left.
    while last != Some(recorded(hub)) {
        last = Some(recorded(hub));
        tokio::task::yield_now().await;
    }
    hub.tail.borrow_mut().hand_over();
    while !hub.tail.borrow().is_durable() {
        wait(synced).await?;
    }
    hub.wrong.borrow_mut().take().map_or(Ok(()), Err)
}

async fn wait(synced: &Notify) -> Result<(), String> {
    tokio::time::timeout(NO_ANSWER, synced.notified()).await.map_err(|_| "the disk stands still".into())
}

async fn one(
    hub: &Rc<Hub>,
    synced: &Notify,
    size: Size,
    mut dice: Dice,
    in_flight: usize,
    recorder: &Recorder,
) -> Result<(), String> {
    let mut open = 0;
    loop {
        let begun = Instant::now();
        let ended = begun >= recorder.ends();
        let more = if ended { 0 } else { ADMIT.min(in_flight - open) };
        for _ in 0..more {
            hub.send(order(&mut dice, size), Some(begun), None);
        }
        open += more;
        tokio::task::yield_now().await;
        let (done, waiting) = {
            let mut tail = hub.tail.borrow_mut();
            tail.hand_over();
            (tail.open(recorder), tail.waiting())
        };
        open -= done;
        if let Some(wrong) = hub.wrong.borrow_mut().take() {
            return Err(wrong);
        }
        match (done, more) {
            _ if ended && open == 0 => return Ok(()),
            (0, 0) if open == waiting => wait(synced).await?,
            _ => {}
        }
    }
}

impl Shape for Mailboxes {
    fn name(&self) -> &'static str {
        "actix actors with mailboxes"
    }

    fn run(&mut self, dice: Dice, in_flight: usize, recorder: &Arc<Recorder>) -> Result<(), Failure> {
        let (done, wait) = mpsc::channel();
        let turns = self.turns.as_ref().ok_or("the thread has ended")?;
        turns.send(Turn { dice, in_flight, recorder: recorder.clone(), done })?;
        Ok(wait.recv()??)
    }
}
