//! The newest anchor of the office's audit: how far it reached, as the journal has it, and whether it still is what was written.
//!
//! Owns: the newest anchor, the comparison with it, when another one is due. Never does: change the audit; write an anchor
//! (`backoffice/anchoring.rs`). Invariants: it is the journal's. Known limits: what came after the newest anchor can be cut off unseen;
//! older anchors are compared by `exchange audit` alone. Rules: `docs/back-office.md "The audit"`.

use crate::common::time::{Ms, ms, now_ms};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xng_core::entity::TimeNs;
use xng_core::record::Fact;
use xng_core::registry::{AuditAnchored, RegistryFact};
use xng_persistence::office::{Office, OfficeError};

/// It is anchored when it has so many rows more, …
const EVERY_ROWS: u64 = 1_000;
/// … or any, after so long.
const EVERY_MS: Ms = 24 * 3_600_000;

/// The newest anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Rows of the audit.
    pub rows: u64,
    /// The hash of the last of them.
    pub head: [u8; 32],
    /// When it was written.
    pub at_ms: Ms,
}

#[derive(Debug, Default)]
struct State {
    newest: Option<Anchor>,
    /// Its row is another one, or is gone.
    differs: bool,
    /// Rows do not continue each other.
    discontinued: bool,
    /// When all rows were looked through last.
    checked_ms: Ms,
}

/// See the module's header.
#[derive(Debug, Default)]
pub struct AuditAnchor(Mutex<State>);

impl AuditAnchor {
    /// As recovery found it.
    #[must_use]
    pub fn recovered(newest: Option<&(AuditAnchored, TimeNs)>) -> AuditAnchor {
        let newest = newest.map(|(f, time)| Anchor { rows: f.rows, head: f.head, at_ms: ms(*time) });
        AuditAnchor(Mutex::new(State { newest, ..State::default() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows a durable fact.
    pub fn follow(&self, fact: &Fact) {
        if let Fact::Registry(RegistryFact::AuditAnchored(f)) = fact {
            let mut state = self.state();
            state.newest = Some(Anchor { rows: f.rows, head: f.head, at_ms: now_ms() });
            (state.differs, state.discontinued) = (false, false);
        }
    }

    /// The newest one.
    #[must_use]
    pub fn newest(&self) -> Option<Anchor> {
        self.state().newest.clone()
    }

    /// Whether the audit was not what the newest one says, or its rows did not continue each other, when that was last looked up.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        let state = self.state();
        state.differs || state.discontinued
    }

    /// Whether all rows are to be looked through: at a start, and once a day.
    pub(crate) fn wants_check(&self, now: Ms) -> bool {
        now - self.state().checked_ms >= EVERY_MS
    }

    /// Notes whether rows continue each other; `all` of them, or those after the newest anchor.
    pub(crate) fn looked_through(&self, continues: bool, all: Option<Ms>) {
        let mut state = self.state();
        // Those after the anchor say nothing of those before it.
        state.discontinued = !continues || state.discontinued && all.is_none();
        state.checked_ms = all.unwrap_or(state.checked_ms);
    }

    /// Compares the audit with the newest anchor: that anchor, and whether its row is what it says.
    ///
    /// # Errors
    /// The office did not answer.
    pub async fn compare(&self, office: &Office) -> Result<Option<(Anchor, bool)>, OfficeError> {
        let Some(anchor) = self.newest() else { return Ok(None) };
        let holds = match office.audit_from(anchor.rows, 1).await {
            Ok(rows) => rows.first().is_some_and(|row| (row.id, row.hash) == (anchor.rows, anchor.head)),
            // A row that nobody can read is not what was anchored.
            Err(OfficeError::Row { .. }) => false,
            Err(error) => return Err(error),
        };
        let mut state = self.state();
        // When another one came meanwhile, that is looked up the next time.
        if state.newest.as_ref() == Some(&anchor) {
            state.differs = !holds;
        }
        drop(state);
        Ok(Some((anchor, holds)))
    }
}

/// Whether the audit, of so many rows, is to be anchored.
pub(crate) fn is_due(newest: Option<&Anchor>, rows: u64, now: Ms) -> bool {
    newest.is_none_or(|last| rows > last.rows && (rows - last.rows >= EVERY_ROWS || now - last.at_ms >= EVERY_MS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_persistence::office::AuditEntry;

    fn anchored(rows: u64, head: [u8; 32]) -> Fact {
        AuditAnchored { rows, head, accepted_by: None }.into()
    }

    #[test]
    fn it_is_due_after_a_thousand_rows_or_a_day_and_at_the_first_row() {
        let last = |rows| Anchor { rows, head: [1; 32], at_ms: 5_000 };
        assert!(is_due(None, 1, 0));
        for (rows, now, due) in [
            (11, 5_000, false),
            (1_009, 5_000, false),
            (1_010, 5_000, true),
            (11, 5_000 + EVERY_MS - 1, false),
            (11, 5_000 + EVERY_MS, true),
            (10, 5_000 + EVERY_MS, false),
        ] {
            assert_eq!(is_due(Some(&last(10)), rows, now), due, "{rows} rows at {now}");
        }
    }

    #[tokio::test]
    async fn an_audit_that_lacks_rows_or_has_others_does_not_hold() {
        let folder = tempfile::tempdir().unwrap();
        let office = Office::open(&folder.path().join("office.db")).await.unwrap();
        let entry = AuditEntry {
            actor: "ann".into(),
            action: "look".into(),
            subject: "user:1".into(),
            detail: "{}".into(),
            ip: String::new(),
        };
        let first = office.append_audit(&entry, 1).await.unwrap();
        let last = office.append_audit(&entry, 2).await.unwrap();
        let anchor = AuditAnchor::default();
        assert_eq!(anchor.compare(&office).await.unwrap(), None);
        for (rows, head, holds) in [
            (last.id, last.hash, true),
            (last.id + 1, last.hash, false),
            (last.id, first.hash, false),
            (first.id, first.hash, true),
        ] {
            anchor.follow(&anchored(rows, head));
            let compared = anchor.compare(&office).await.unwrap().map(|(anchor, holds)| (anchor.rows, holds));
            assert_eq!((compared, anchor.is_broken()), (Some((rows, holds)), !holds));
        }
        // What another comparison finds does not mend rows that do not continue each other.
        assert!(anchor.wants_check(EVERY_MS));
        anchor.looked_through(false, Some(EVERY_MS));
        anchor.compare(&office).await.unwrap();
        anchor.looked_through(true, None);
        assert!(anchor.is_broken() && !anchor.wants_check(EVERY_MS + 1));
        anchor.looked_through(true, Some(2 * EVERY_MS));
        assert!(!anchor.is_broken());
    }
}
