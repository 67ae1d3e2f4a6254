//! The one shell: any entity as an actix actor.
//!
//! `Shell<E>` is an [`Actor`] whose context is light ([`CellCtx`], some dozens of bytes instead of a kilobyte): inside
//! the cell its handler is called directly, one message at a time; a mailbox is created only when a caller outside the
//! cell asks for an address. Futures cannot be spawned on it, which keeps handlers synchronous
//! (`docs/decisions.md "Actors do not await actors"`).
//!
//! Owns: the delivery of messages to entities as actors. Never does: know a product. Invariants: one
//! message at a time, none within another. Known limits: no futures on its context; an address costs a mailbox.

use actix::SpawnHandle;
use actix::dev::channel::channel;
use actix::dev::{Envelope as ActixEnvelope, Mailbox, ToEnvelope};
use actix::{Actor, ActorContext, ActorFuture, ActorState, Addr, AsyncContext, Handler, Message, MessageResult};
use std::cell::OnceCell;
use std::fmt;
use std::task;
use tokio::sync::oneshot;
use xng_cell::{Envelope, Host, Hosting, Ingress};
use xng_core::entity::{Ctx, Decision, Entity};

/// Mail that waits for one actor at most; only observers and tools send mail, orders come in batches.
const MAILBOX: usize = 64;

/// An entity as an actor.
pub struct Shell<E> {
    entity: E,
    handled: u64,
}

impl<E> fmt::Debug for Shell<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shell of {}, {} handled", std::any::type_name::<E>(), self.handled)
    }
}

impl<E: Entity> Actor for Shell<E> {
    type Context = CellCtx<E>;
}

/// A command, as the cell hands it to the actor that owns the state.
#[derive(Debug)]
pub struct Act<'a, E: Entity> {
    /// What is asked.
    pub command: &'a E::Command,
    /// Time, request key, origin.
    pub ctx: &'a Ctx<'a>,
}

impl<E: Entity> Message for Act<'_, E> {
    type Result = Decision;
}

impl<'a, E: Entity> Handler<Act<'a, E>> for Shell<E> {
    type Result = MessageResult<Act<'a, E>>;

    fn handle(&mut self, msg: Act<'a, E>, _ctx: &mut CellCtx<E>) -> Self::Result {
        self.handled += 1;
        MessageResult(self.entity.decide(msg.command, msg.ctx))
    }
}

/// Asks an actor for what can be seen of it from outside.
#[derive(Debug, Clone, Copy)]
pub struct Observe;

/// What can be seen of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observed {
    /// Commands that it handled since the start.
    pub handled: u64,
    /// Hash of its state.
    pub digest: u64,
}

impl Message for Observe {
    type Result = Observed;
}

impl<E: Entity> Handler<Observe> for Shell<E> {
    type Result = MessageResult<Observe>;

    fn handle(&mut self, _: Observe, _ctx: &mut CellCtx<E>) -> Self::Result {
        MessageResult(Observed { handled: self.handled, digest: self.entity.digest() })
    }
}

/// A command by mail: it joins the cell's queue like any other, the answer goes to the envelope's ticket.
#[derive(Debug, Clone)]
pub struct Tell(pub Envelope);

impl Message for Tell {
    type Result = ();
}

impl<E: Entity> Handler<Tell> for Shell<E> {
    type Result = ();

    fn handle(&mut self, Tell(envelope): Tell, ctx: &mut CellCtx<E>) {
        ctx.forwarded.push(Ingress::Command(envelope));
    }
}

/// The light context.
pub struct CellCtx<E: Entity> {
    mailbox: OnceCell<Box<Mailbox<Shell<E>>>>,
    forwarded: Vec<Ingress>,
    state: ActorState,
}

impl<E: Entity> fmt::Debug for CellCtx<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "context of {}", std::any::type_name::<E>())
    }
}

impl<E: Entity> ActorContext for CellCtx<E> {
    fn stop(&mut self) {
        self.state = ActorState::Stopping;
    }
    fn terminate(&mut self) {
        self.state = ActorState::Stopped;
    }
    fn state(&self) -> ActorState {
        self.state
    }
}

impl<E: Entity> AsyncContext<Shell<E>> for CellCtx<E> {
    fn address(&self) -> Addr<Shell<E>> {
        self.mailbox.get_or_init(|| Box::new(Mailbox::new(channel(MAILBOX).1))).address()
    }
    fn spawn<F>(&mut self, _fut: F) -> SpawnHandle
    where
        F: ActorFuture<Shell<E>, Output = ()> + 'static,
    {
        panic!("an entity's actor is synchronous; nothing is spawned on it");
    }
    fn wait<F>(&mut self, _fut: F)
    where
        F: ActorFuture<Shell<E>, Output = ()> + 'static,
    {
        panic!("an entity's actor is synchronous; it waits for nothing");
    }
    fn waiting(&self) -> bool {
        false
    }
    fn cancel_future(&mut self, _handle: SpawnHandle) -> bool {
        false
    }
}

impl<E, M> ToEnvelope<Shell<E>, M> for CellCtx<E>
where
    E: Entity,
    Shell<E>: Actor<Context = CellCtx<E>> + Handler<M>,
    M: Message + Send + 'static,
    M::Result: Send,
{
    fn pack(msg: M, tx: Option<oneshot::Sender<M::Result>>) -> ActixEnvelope<Shell<E>> {
        ActixEnvelope::new(msg, tx)
    }
}

/// Entities in shells.
#[derive(Debug, Clone, Copy)]
pub struct Actors;

/// One actor: shell and context.
pub struct ActorHost<E: Entity> {
    shell: Shell<E>,
    ctx: CellCtx<E>,
}

impl<E: Entity> fmt::Debug for ActorHost<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shell.fmt(f)
    }
}

impl Hosting for Actors {
    type Host<E: Entity> = ActorHost<E>;
}

impl<E: Entity> Host<E> for ActorHost<E> {
    fn new(_id: E::Id, entity: E) -> Self {
        let ctx = CellCtx { mailbox: OnceCell::new(), forwarded: Vec::new(), state: ActorState::Running };
        ActorHost { shell: Shell { entity, handled: 0 }, ctx }
    }
    fn entity(&self) -> &E {
        &self.shell.entity
    }
    fn entity_mut(&mut self) -> &mut E {
        &mut self.shell.entity
    }
    fn decide(&mut self, command: &E::Command, ctx: &Ctx<'_>) -> Decision {
        self.shell.handle(Act { command, ctx }, &mut self.ctx).0
    }
}

impl<E: Entity> ActorHost<E> {
    /// Its address; from now on its mailbox is looked after.
    pub fn address(&self) -> Addr<Shell<E>> {
        self.ctx.address()
    }

    /// Handles the mail that came; commands in it are returned for the cell's queue.
    pub fn read_mail(&mut self, cx: &mut task::Context<'_>) -> Vec<Ingress> {
        if let Some(mut mailbox) = self.ctx.mailbox.take() {
            mailbox.poll(&mut self.shell, &mut self.ctx, cx);
            let again = self.ctx.mailbox.set(mailbox);
            debug_assert!(again.is_ok(), "a handler made no second mailbox");
        }
        std::mem::take(&mut self.ctx.forwarded)
    }
}
