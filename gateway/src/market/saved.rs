//! Entities in their saved forms, in which they go from recovery to the folds of the market view.
//!
//! Owns: the way there and back. Never does: decide. Invariants: what is loaded is what was saved. Known limits: none.

use std::collections::BTreeMap;
use xng_core::codec::{DecodeError, Reader};
use xng_core::entity::Entity;

/// An entity's id and its saved form.
pub type Saved<E> = (<E as Entity>::Id, Vec<u8>);

/// The saved forms of entities.
#[must_use]
pub fn save_all<'e, E: Entity>(entities: impl Iterator<Item = (E::Id, &'e E)>) -> Vec<Saved<E>> {
    let save = |(id, entity): (E::Id, &E)| {
        let mut bytes = Vec::new();
        entity.save(&mut bytes);
        (id, bytes)
    };
    entities.map(save).collect()
}

/// The entities of saved forms.
///
/// # Errors
/// A form that this build did not write.
pub fn load_all<E: Entity<Id: Ord>>(saved: &[Saved<E>]) -> Result<BTreeMap<E::Id, E>, DecodeError> {
    saved.iter().map(|(id, bytes)| Ok((*id, E::load(*id, &mut Reader::new(bytes))?))).collect()
}
