//! Anchoring the office's audit: how far it reaches is written into the journal, where nobody changes it.
//!
//! Owns: the work once a minute; the acceptance of an audit whose anchor does not hold. Never does: change a row. Invariants: nothing is
//! anchored that does not continue the newest anchor, unless somebody accepts it. Known limits: rows of the last hour can be cut off
//! unseen; one person with the key of the data folder accepts. Rules: `docs/back-office.md "The audit"`.

use crate::app::Shared;
use crate::audit_anchor::is_due;
use crate::common::time::{Ms, now_ms};
use crate::custody::review::{NO_ANSWER, NO_AUDIT, NotDone};
use serde_json::json;
use xng_core::entity::{Command, Reply};
use xng_core::registry::{AuditAnchored, RegistryCommand};
use xng_core::reject::Reject;
use xng_persistence::office::{AuditEntry, AuditRow, OfficeError};

/// Younger rows are anchored later: a backup copies the office first and the journal last, and takes less long.
const SETTLED_MS: Ms = 3_600_000;

/// Once a minute: compares the audit with the newest anchor, and anchors it when that is due.
pub async fn tend(shared: &Shared) {
    let was_broken = shared.audit_anchor.is_broken();
    match due(shared).await {
        Ok(Some(row)) => {
            if let Err((_, why)) = write(shared, row, None).await {
                tracing::warn!(why, "the audit is anchored later");
            }
        }
        Ok(None) if shared.audit_anchor.is_broken() && !was_broken => {
            let rows = shared.audit_anchor.newest().map(|anchor| anchor.rows);
            tracing::error!(rows, "the audit is not what the journal says of it: rows were cut off or written anew");
        }
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "the audit was not compared with its anchor"),
    }
}

/// The row to be anchored, if that is due and it continues what was anchored before.
async fn due(shared: &Shared) -> Result<Option<AuditRow>, OfficeError> {
    let (office, now, anchor) = (shared.auth.office(), now_ms(), &shared.audit_anchor);
    let compared = anchor.compare(&office).await?;
    if anchor.wants_check(now) {
        let continues = continues(office.verify_audit().await)?;
        anchor.looked_through(continues, Some(now));
    }
    if anchor.is_broken() {
        return Ok(None);
    }
    let newest = compared.map(|(anchor, _)| anchor);
    let Some(row) = office.audit_row_until((now - SETTLED_MS).cast_unsigned()).await? else { return Ok(None) };
    if !is_due(newest.as_ref(), row.id, now) {
        return Ok(None);
    }
    let (rows, head) = newest.map_or((0, [0; 32]), |anchor| (anchor.rows, anchor.head));
    let continues = continues(office.verify_audit_after(rows, head).await)?;
    anchor.looked_through(continues, None);
    Ok(Some(row).filter(|_| continues))
}

/// Whether rows continue each other.
fn continues(verified: Result<(u64, [u8; 32]), OfficeError>) -> Result<bool, OfficeError> {
    match verified {
        Ok(_) => Ok(true),
        Err(OfficeError::AuditBroken { .. } | OfficeError::Row { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

async fn write(shared: &Shared, row: AuditRow, accepted_by: Option<String>) -> Result<(), NotDone> {
    let anchor = AuditAnchored { rows: row.id, head: row.hash, accepted_by };
    match shared.operators.ask(Command::Registry((), RegistryCommand::AnchorAudit(anchor))).await {
        Some(Reply::Accepted(_) | Reply::Rejected(Reject::AlreadyExists)) => Ok(()),
        Some(other) => Err((409, format!("refused: {other:?}"))),
        None => Err((503, NO_ANSWER.into())),
    }
}

/// Takes an audit that is not what the journal says for right, by somebody's word, which is its newest row; how many rows that are.
///
/// # Errors
/// It is what the journal says, its rows do not continue each other, or something did not answer.
pub async fn accept(shared: &Shared, by: &str, reason: &str) -> Result<u64, NotDone> {
    let (office, now) = (shared.auth.office(), now_ms().cast_unsigned());
    let away = |_| (503, NO_AUDIT.to_owned());
    shared.audit_anchor.compare(&office).await.map_err(away)?;
    if !shared.audit_anchor.is_broken() {
        return Err((409, "the audit is what the journal says".into()));
    }
    office.verify_audit().await.map_err(|error| match error {
        OfficeError::AuditBroken { .. } | OfficeError::Row { .. } => (409, error.to_string()),
        OfficeError::Database { .. } | OfficeError::Migration(_) => away(error),
    })?;
    let detail = json!({ "reason": reason }).to_string();
    let (actor, action, subject) = (by.to_owned(), "accept audit".to_owned(), "audit".to_owned());
    let entry = AuditEntry { actor, action, subject, detail, ip: String::new() };
    let row = office.append_audit(&entry, now).await.map_err(away)?;
    let rows = row.id;
    write(shared, row, Some(by.to_owned())).await?;
    Ok(rows)
}
