//! Admission: which commands the cell takes when the disk is full or slow.
//!
//! Owns: the decision by class of command, capacity of the journal and bytes that wait for the disk. Never does: count
//! commands under way; `credits.rs` does, at the gateway. Invariants: reads are always taken; cancels are taken longer than
//! commands that consume capacity. Known limits: commands already admitted are not taken back.
//! Rules: `docs/rules/reliability.md "Full disk"`.

use xng_core::entity::CommandClass;
use xng_core::journal::Capacity;

/// Bytes waiting for the disk beyond which new commands are answered "busy".
const MAX_PENDING_BYTES: u64 = 64 * 1_024 * 1_024;

/// Whether a command is answered "busy" now.
#[inline]
pub(crate) fn is_refused(class: CommandClass, capacity: Capacity, pending_bytes: u64) -> bool {
    let full = pending_bytes > MAX_PENDING_BYTES;
    match (class, capacity) {
        (CommandClass::ReadOnly, _) => false,
        (_, Capacity::Exhausted) | (CommandClass::Consumes, Capacity::Low) => true,
        (CommandClass::Consumes | CommandClass::Releases, Capacity::Plenty)
        | (CommandClass::Releases, Capacity::Low) => full,
    }
}
