//! Where a user is logged in (`docs/rules/authentication.md "Sessions"`).
//!
//! Owns: reading these calls. Never does: begin a session, `auth` does. Invariants: a user sees and ends own sessions alone. Known limits:
//! none.

use super::call::{Call, CallResult};
use crate::api::auth::SessionRow;
use crate::api::http::envelope::Answer;
use crate::common::time::ts;
use serde_json::json;

/// `GET /user/sessions`: where the user is logged in.
pub async fn list(call: Call) -> CallResult {
    let session = call.session().await?;
    let rows = call.app.shared.auth.sessions(session.account).await?;
    let row = |s: SessionRow| {
        json!({
            "id": s.number, "ip": s.ip, "agent": s.agent, "created_at": ts(s.created_ms), "created_at_ms": s.created_ms,
            "last_seen": ts(s.seen_ms), "last_seen_ms": s.seen_ms, "current": s.id == session.id,
        })
    };
    Ok(Answer::ok(rows.into_iter().map(row).collect()))
}

/// `POST /user/sessions/revoke`: ends one of the user's sessions.
pub async fn revoke(call: Call) -> CallResult {
    let session = call.session().await?;
    call.app.shared.auth.revoke(session.account, call.params.need_integer("id")?, call.ip).await?;
    Ok(call.said("done"))
}
