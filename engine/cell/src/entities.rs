//! Every entity of a cell, a table a kind.
//!
//! Owns: the tables. Never does: know what a kind means; the list of kinds is in `xng-core`.
//! Invariants: each id is in the table of its kind. Known limits: none.

use crate::arena::{Arena, Slot};
use crate::deadlines::Registered;
use crate::hosting::Hosting;
use crate::world::World;
use std::fmt;
use xng_core::codec::{DecodeError, Reader, Wire};
use xng_core::entity::{Command, Ctx, Decision, Entity, Listed};
use xng_core::ids::EntityId;

/// Works on one slot, whatever kind of entity lives in it.
pub(crate) trait OnSlot<H: Hosting> {
    /// What comes of it.
    type Out;
    /// Called with the entity's slot.
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) -> Self::Out;
}

fn recovered<E: Listed>(id: E::Id) -> Option<Command> {
    E::recovered().map(|command| E::command(id, command))
}

fn saved<E: Listed>(id: E::Id, entity: &E) -> (Vec<u8>, Vec<u8>) {
    let (mut key, mut value) = (Vec::new(), Vec::new());
    E::address(id).put(&mut key);
    entity.save(&mut value);
    (key, value)
}

macro_rules! tables {
    ($($(#[$meta:meta])* $name:ident = $number:literal, $table:ident: $entity:ty;)*) => {
        /// The tables.
        pub(crate) struct Entities<H: Hosting> {
            $($(#[$meta])* pub(crate) $table: Arena<$entity, H>,)*
        }

        impl<H: Hosting> Default for Entities<H> {
            fn default() -> Self {
                Entities { $($table: Arena::default(),)* }
            }
        }

        impl<H: Hosting> Entities<H> {
            /// How many entities there are.
            pub(crate) fn len(&self) -> u64 {
                [$(self.$table.len() as u64),*].iter().sum()
            }

            /// How many of each kind, by its number.
            pub(crate) fn count(&self, counts: &mut [u64; Command::KIND_NUMBERS]) {
                $(counts[$number] = self.$table.len() as u64;)*
            }

            /// Lets the addressed entity decide.
            pub(crate) fn decide(&mut self, command: &Command, ctx: &Ctx<'_>) -> Decision {
                match command {
                    $(Command::$name(id, command) => self.$table.decide(*id, command, ctx),)*
                }
            }

            /// Works on an entity's slot; the entity comes into being with it.
            pub(crate) fn on_slot<W: OnSlot<H>>(&mut self, entity: EntityId, work: W) -> W::Out {
                match entity {
                    $(EntityId::$name(id) => work.on(self.$table.slot(id)),)*
                }
            }

            /// Goes through all entities.
            pub(crate) fn each(&mut self, mut visit: impl FnMut(&mut Self, EntityId)) {
                $(for id in self.$table.iter().map(|(id, _)| id).collect::<Vec<_>>() {
                    visit(self, EntityId::$name(id));
                })*
            }

            /// Works on an entity's slot, if it is there.
            pub(crate) fn on_existing<W: OnSlot<H>>(&mut self, entity: EntityId, work: W) -> Option<W::Out> {
                match entity {
                    $(EntityId::$name(id) => self.$table.existing(id).map(|slot| work.on(slot)),)*
                }
            }

            /// Takes an entity out for good; gives its hash as it is counted in the state hash, and its deadline.
            pub(crate) fn remove(&mut self, entity: EntityId) -> Option<(u64, Option<Registered>)> {
                match entity {
                    $(EntityId::$name(id) => self.$table.remove(id),)*
                }
            }

            /// Has the memory fetched that says where an entity's slot is.
            pub(crate) fn prefetch_index(&self, entity: EntityId) {
                match entity {
                    $(EntityId::$name(id) => self.$table.prefetch_index(id),)*
                }
            }

            /// Has the memory of an entity's slot fetched.
            pub(crate) fn prefetch(&self, entity: EntityId) {
                match entity {
                    $(EntityId::$name(id) => self.$table.prefetch(id),)*
                }
            }

            /// Has the memory fetched that an entity's slot points to.
            pub(crate) fn prefetch_within(&self, entity: EntityId) {
                match entity {
                    $(EntityId::$name(id) => self.$table.prefetch_within(id),)*
                }
            }

            /// Gives `tell` whom the decision about a command will probably name.
            pub(crate) fn likely_parties(&self, command: &Command, mut tell: impl FnMut(EntityId)) {
                match command {
                    $(Command::$name(id, command) => self.$table.likely_parties(*id, command, &mut tell),)*
                }
            }

            /// The commands that tell entities that the process started again.
            pub(crate) fn recovered(&self) -> Vec<Command> {
                let mut commands = Vec::new();
                $(commands.extend(self.$table.iter().filter_map(|(id, _)| recovered::<$entity>(id)));)*
                commands
            }

            /// Every entity, kind by kind, as key and bytes.
            pub(crate) fn save(&self) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
                let all = std::iter::empty();
                $(let all = all.chain(self.$table.iter().map(|(id, entity)| saved(id, entity)));)*
                all
            }

            /// Puts a saved entity into its table.
            pub(crate) fn load(&mut self, entity: EntityId, r: &mut Reader<'_>) -> Result<(), DecodeError> {
                match entity {
                    $(EntityId::$name(id) => self.$table.insert(id, <$entity as Entity>::load(id, r)?),)*
                };
                Ok(())
            }
        }
    };
}

xng_core::entities!(tables);

macro_rules! readers {
    ($($(#[$meta:meta])* $name:ident = $number:literal, $table:ident: $entity:ty;)*) => {
        impl<H: Hosting> World<H> {
            $($(#[$meta])*
            pub fn $table(&self) -> &Arena<$entity, H> {
                &self.entities.$table
            })*
        }
    };
}

xng_core::entities!(readers);

impl<H: Hosting> fmt::Debug for Entities<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} entities", self.len())
    }
}
