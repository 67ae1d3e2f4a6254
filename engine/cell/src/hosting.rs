//! Hosts of entities: an actor in the server, a plain value in folds and simulations. The cell runs the same code over both.
//!
//! Owns: the two traits, and the plain host.
//! Never does: name actix.
//! Invariants: a host does not change what its entity decides.
//! Known limits: a host lives on its cell's thread.

use xng_core::entity::{Ctx, Decision, Entity};

/// A family of hosts, one for each kind of entity.
pub trait Hosting {
    /// What an `E` lives in.
    type Host<E: Entity>: Host<E> + Send;
}

/// Holds one entity and nobody else touches it.
pub trait Host<E: Entity> {
    /// Takes an entity in.
    fn new(id: E::Id, entity: E) -> Self;
    /// Reads it.
    fn entity(&self) -> &E;
    /// Applies facts and holds to it.
    fn entity_mut(&mut self) -> &mut E;
    /// Hands a command to it.
    fn decide(&mut self, command: &E::Command, ctx: &Ctx<'_>) -> Decision;
}

/// Entities without any host around them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

/// The host that is none.
#[derive(Debug)]
pub struct Bare<E>(E);

impl Hosting for Plain {
    type Host<E: Entity> = Bare<E>;
}

impl<E: Entity> Host<E> for Bare<E> {
    fn new(_id: E::Id, entity: E) -> Self {
        Bare(entity)
    }
    fn entity(&self) -> &E {
        &self.0
    }
    fn entity_mut(&mut self) -> &mut E {
        &mut self.0
    }
    fn decide(&mut self, command: &E::Command, ctx: &Ctx<'_>) -> Decision {
        self.0.decide(command, ctx)
    }
}
