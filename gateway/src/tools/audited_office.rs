//! The office's audit beside its anchors in the journal, for `exchange audit`.
//!
//! Owns: this comparison. Never does: change the office. Invariants: an anchor that somebody accepted stands for all before it. Known
//! limits: rows after the newest anchor are compared with each other alone. Rules: `docs/back-office.md "The audit"`.

use super::data_folder::runtime;
use super::error::ToolError;
use std::path::Path;
use xng_core::journal::Lsn;
use xng_core::registry::AuditAnchored;
use xng_persistence::office::{Office, OfficeError};

/// Anchors, with the records that they are in.
#[derive(Debug, Default)]
pub(super) struct Anchors(Vec<(Lsn, AuditAnchored)>);

impl Anchors {
    pub(super) fn add(&mut self, lsn: Lsn, anchor: &AuditAnchored) {
        if anchor.accepted_by.is_some() {
            self.0.clear();
        }
        self.0.push((lsn, anchor.clone()));
    }

    /// How many anchors the office's audit holds to, since one was accepted.
    ///
    /// # Errors
    /// A row is not what an anchor says, or does not continue the one before it; there is no office.
    pub(super) fn compare(&self, data: &Path) -> Result<u64, ToolError> {
        if self.0.is_empty() {
            return Ok(0);
        }
        let runtime = runtime()?;
        let office = runtime.block_on(Office::open_to_read(&data.join("office.db")))?;
        let office =
            office.ok_or_else(|| ToolError::Found("the journal anchors an audit, and there is no office".into()))?;
        let found = |error| match error {
            OfficeError::AuditBroken { .. } | OfficeError::Row { .. } => ToolError::Found(error.to_string()),
            OfficeError::Database { .. } | OfficeError::Migration(_) => error.into(),
        };
        for (lsn, anchor) in &self.0 {
            let row = runtime.block_on(office.audit_from(anchor.rows, 1)).map_err(found)?.pop();
            if row.is_none_or(|row| (row.id, row.hash) != (anchor.rows, anchor.head)) {
                return Err(ToolError::Found(format!(
                    "row {} of the office's audit is not what record {lsn} says: it was cut off or written anew",
                    anchor.rows
                )));
            }
        }
        runtime.block_on(office.verify_audit()).map_err(found)?;
        Ok(self.0.len() as u64)
    }
}
