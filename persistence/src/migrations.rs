//! Schemas: their steps, and which of them a database has.
//!
//! Owns: what SQLite and Postgres have in common in this.
//! Never does: connect; run a step, the migrator does.
//! Invariants: a database that a newer release wrote is never touched; who only reads takes this build's schema or none.
//! Known limits: a schema is told by its highest step.

use sqlx::migrate::{MigrateError, Migration, MigrationType};

/// Steps of a schema, oldest first: version, name, SQL. A step that was released never changes.
pub(crate) type Migrations = &'static [(i64, &'static str, &'static str)];

// The lists of steps, made by `build.rs` of what lies in `migrations`.
include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// The migrator's own list of what was done.
pub(crate) const APPLIED: &str = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations";

/// As the migrator takes them.
pub(crate) fn migrations(steps: Migrations) -> Vec<Migration> {
    let step = |&(version, name, sql): &(i64, &'static str, &'static str)| {
        let sql = sqlx::SqlSafeStr::into_sql_str(sql);
        Migration::new(version, name.into(), MigrationType::Simple, sql, false)
    };
    steps.iter().map(step).collect()
}

/// The schema that this build writes.
fn ours(steps: Migrations) -> i64 {
    steps.last().map_or(0, |newest| newest.0)
}

/// Refuses what a newer release has migrated. `found` is 0 where there is no schema yet.
pub(crate) fn refuse_newer(place: &str, found: i64, steps: Migrations) -> Result<(), MigrateError> {
    let ours = ours(steps);
    if found <= ours {
        return Ok(());
    }
    let what = format!("{place} has schema {found}, this build knows up to {ours}: a newer release wrote it");
    Err(MigrateError::Source(what.into()))
}

/// Whether a reader finds this build's tables; false where there are none at all.
pub(crate) fn is_readable(place: &str, found: i64, steps: Migrations) -> Result<bool, MigrateError> {
    refuse_newer(place, found, steps)?;
    let ours = ours(steps);
    if found == 0 || found == ours {
        return Ok(found == ours);
    }
    let what =
        format!("{place} has schema {found}, this build reads {ours}: a start of this release brings it up to date");
    Err(MigrateError::Source(what.into()))
}
