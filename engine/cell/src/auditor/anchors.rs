//! Anchors of the office's audit, as the auditor sees them.
//!
//! Owns: the newest anchor. Never does: use the engine's rules; read the office. Invariants checked: without somebody's word each one has
//! more rows than the one before; the registry has the newest. Known limits: whether the audit is what an anchor says, `exchange audit`
//! looks up.

use super::{Auditor, Finding};
use crate::hosting::Hosting;
use crate::world::World;
use xng_core::registry::AuditAnchored;

/// The newest anchor.
#[derive(Debug, Clone, Default)]
pub(super) struct Anchors(Option<AuditAnchored>);

impl Anchors {
    pub(super) fn add(&mut self, anchor: &AuditAnchored) -> Result<(), String> {
        let grew = self.0.as_ref().is_none_or(|last| anchor.rows > last.rows);
        if anchor.rows == 0 || !grew && anchor.accepted_by.as_ref().is_none_or(String::is_empty) {
            return Err(format!("anchors {} rows of the audit after {:?}", anchor.rows, self.0));
        }
        self.0 = Some(anchor.clone());
        Ok(())
    }
}

impl Auditor {
    /// The registry has the newest anchor.
    pub(super) fn agrees_on_anchors<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        let has = world.registry().get(()).and_then(|registry| registry.anchor()).map(|(anchor, _)| anchor);
        let known = self.anchors.0.as_ref();
        if has == known { Ok(()) } else { Err(format!("the registry's anchor is {has:?}, its records say {known:?}")) }
    }
}
