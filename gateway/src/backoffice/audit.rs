//! The audit as the staff sees it.
//!
//! Owns: these calls. Never does: change a row. Invariants: what is taken away is in the audit itself. Known limits: neither the chain of
//! hashes nor the journal tell that rows after the newest anchor were cut off: compare the newest hash with the one of an earlier check.

use super::asking::{Answer, Ask, Refusal, refused};
use super::roles::{ExportAudit, SeeAudit};
use crate::api::auth::secrets::hex;
use crate::audit_anchor::Anchor;
use crate::common::time::now_ms;
use actix_web::HttpResponse;
use actix_web::http::header;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::SemaphorePermit;
use xng_persistence::office::{AuditFilter, AuditRow, OfficeError};

/// Rows of a page, and of a file.
const PAGE: u32 = 100;
const FILE_ROWS: u32 = 100_000;
/// Letters of a word that rows are looked for by.
const MOST_LETTERS: usize = 200;

/// A row.
pub(super) fn row(row: &AuditRow) -> Value {
    let detail: Value = serde_json::from_str(&row.entry.detail).unwrap_or_else(|_| row.entry.detail.as_str().into());
    json!({ "id": row.id, "at_ms": row.created_ms, "actor": row.entry.actor, "action": row.entry.action,
        "subject": row.entry.subject, "detail": detail, "ip": row.entry.ip, "hash": hex(&row.hash) })
}

#[derive(Deserialize)]
pub(super) struct Wanted {
    before: Option<u64>,
    #[serde(default)]
    actor: String,
    #[serde(default)]
    action: String,
    #[serde(default)]
    subject: String,
}

impl Wanted {
    fn filter(&self) -> Result<AuditFilter, Refusal> {
        let all = [&self.actor, &self.action, &self.subject].map(|text| text.trim().to_owned());
        if all.iter().any(|text| text.chars().count() > MOST_LETTERS) {
            return Err(refused(400, "A word to look for has at most 200 letters."));
        }
        let [actor, action, subject] = all;
        Ok(AuditFilter { before: self.before, actor, action, subject })
    }
}

/// Nobody else reads all of it meanwhile.
fn alone<P, B>(ask: &Ask<P, B>) -> Result<SemaphorePermit<'_>, Refusal> {
    let other = || refused(429, "The audit is being read by somebody else. Try again in a moment.");
    ask.desk.reading.try_acquire().map_err(|_| other())
}

/// `GET /admin/api/audit`: the newest rows before one, of those that are wanted.
pub(super) async fn list(ask: Ask<SeeAudit, Wanted>) -> Answer {
    let rows = ask.desk.office.audit(&ask.asked.filter()?, PAGE).await?;
    let next = (rows.len() == PAGE as usize).then(|| rows.last().map(|row| row.id)).flatten();
    let rows: Vec<Value> = rows.iter().map(row).collect();
    Ok(HttpResponse::Ok().json(json!({ "rows": rows, "next": next })))
}

/// `GET /admin/api/audit/check`: whether each row continues the chain, and whether the journal's newest anchor holds.
pub(super) async fn check(ask: Ask<SeeAudit>) -> Answer {
    let _alone = alone(&ask)?;
    let compared = ask.desk.shared.audit_anchor.compare(&ask.desk.office).await?;
    let told = |(anchor, holds): (Anchor, bool)| json!({ "rows": anchor.rows, "at_ms": anchor.at_ms, "holds": holds });
    let anchor = compared.map(told);
    let said = match ask.desk.office.verify_audit().await {
        Ok((rows, newest)) => json!({ "rows": rows, "newest": hex(&newest), "broken": null, "anchor": anchor }),
        Err(OfficeError::AuditBroken { id }) => json!({ "rows": null, "newest": null, "broken": id, "anchor": anchor }),
        Err(error @ (OfficeError::Database { .. } | OfficeError::Migration(_) | OfficeError::Row { .. })) => {
            return Err(error.into());
        }
    };
    Ok(HttpResponse::Ok().json(said))
}

/// `GET /admin/api/audit.csv`: the rows that are wanted, the newest first; that they were taken is a row itself.
pub(super) async fn export(ask: Ask<ExportAudit, Wanted>) -> Answer {
    let (_alone, filter) = (alone(&ask)?, ask.asked.filter()?);
    let detail = json!({ "actor": ask.asked.actor, "action": ask.asked.action, "subject": ask.asked.subject });
    let audit = ask.entry("export audit", "audit".into(), &detail);
    ask.desk.office.append_audit(&audit, now_ms().cast_unsigned()).await?;
    let rows = ask.desk.office.audit(&filter, FILE_ROWS).await?;
    let mut table = csv::Writer::from_writer(Vec::new());
    let head = ["id", "created_ms", "actor", "action", "subject", "detail", "ip", "hash"].map(str::to_owned);
    let lines = std::iter::once(head).chain(rows.iter().map(|row| {
        let entry = &row.entry;
        let texts = [&entry.actor, &entry.action, &entry.subject, &entry.detail, &entry.ip]
            .map(|text| xng_export::without_formula(text));
        let [actor, action, subject, detail, ip] = texts;
        [row.id.to_string(), row.created_ms.to_string(), actor, action, subject, detail, ip, hex(&row.hash)]
    }));
    for line in lines {
        table.write_record(&line).expect("memory takes it");
    }
    let made = table.into_inner().expect("memory takes it");
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"audit.csv\""))
        .body(made))
}
