//! Verification codes, and the limits on sending them.
//!
//! Owns: the tables `codes` and `sends`.
//! Never does: make a code, send it, or keep it: it gets SHA-256 hashes.
//! Invariants: wrong attempts count even when many come at once; a code is used at most once; a code of one purpose or
//! destination is none for another.
//! Known limits: one code of a purpose and destination at a time; a new one makes the old one worthless.
//! Rules: `docs/rules/authentication.md "Verification codes"`.

use sqlx::SqliteConnection;

use super::{Fields, Office, OfficeError};

/// Wrong attempts after which a code is void.
const MOST_ATTEMPTS: u32 = 5;
/// How long sends are remembered; no limit looks further back.
const SENDS_KEPT_MS: u64 = 2 * 24 * 3_600_000;

const SENT: i64 = 0;
const VERIFIED: i64 = 1;
const USED: i64 = 2;
const VOID: i64 = 3;

/// What a code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// To register.
    Register,
    /// To set a forgotten password.
    Forget,
    /// To set the pay password.
    Pay,
    /// To bind an address.
    Bind,
    /// To withdraw.
    Withdraw,
    /// To bind a phone.
    BindMobile,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Register, Self::Forget, Self::Pay, Self::Bind, Self::Withdraw, Self::BindMobile];

    /// The name that calls and the table use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Forget => "forget",
            Self::Pay => "pay",
            Self::Bind => "bind",
            Self::Withdraw => "withdraw",
            Self::BindMobile => "bind_mobile",
        }
    }

    /// Reads a call's name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.name() == name)
    }
}

/// A code that somebody claims to have received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeClaim {
    /// What for.
    pub purpose: Purpose,
    /// To which address or phone, in the form in which it was stored.
    pub destination: String,
    /// SHA-256 of the code.
    pub hash: [u8; 32],
}

/// What a right code is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeUse {
    /// It stays usable, for at least so many milliseconds more.
    Verify {
        /// Milliseconds from now.
        for_ms: u64,
    },
    /// It is used up.
    Consume,
}

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeCheck {
    /// It is right.
    Right,
    /// It is wrong.
    Wrong {
        /// Attempts that are left.
        left: u32,
    },
    /// There is no usable code: never sent, expired, used, or void.
    None,
}

/// Limits on sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendLimits {
    /// Milliseconds between two sends to one destination.
    pub again_after_ms: u64,
    /// Sends to one destination within a day.
    pub a_day: u32,
    /// Sends for one network address within an hour.
    pub an_hour_by_ip: u32,
}

impl Default for SendLimits {
    /// One a minute, 10 a day, 30 an hour for one network address.
    fn default() -> Self {
        Self { again_after_ms: 60_000, a_day: 10, an_hour_by_ip: 30 }
    }
}

/// Whether something may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendCheck {
    /// It may, and was counted.
    Allowed,
    /// Not before so many milliseconds have passed.
    Wait {
        /// Milliseconds from now.
        ms: u64,
    },
}

impl Office {
    /// Keeps the hash of a code that is about to be sent; an earlier one is worthless from now on.
    pub async fn put_code(&self, claim: &CodeClaim, now_ms: u64, ttl_ms: u64) -> Result<(), OfficeError> {
        let failed = "store a code";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        sqlx::query(
            "INSERT INTO codes (purpose, destination, code_hash, created_ms, expires_ms, attempts, state)
             VALUES (?, ?, ?, ?, ?, 0, ?)
             ON CONFLICT (purpose, destination) DO UPDATE SET code_hash = excluded.code_hash,
             created_ms = excluded.created_ms, expires_ms = excluded.expires_ms, attempts = 0, state = excluded.state",
        )
        .bind(claim.purpose.name())
        .bind(&claim.destination)
        .bind(claim.hash.as_slice())
        .bind(now_ms.cast_signed())
        .bind((now_ms + ttl_ms).cast_signed())
        .bind(SENT)
        .execute(writer.connection().map_err(OfficeError::database(failed))?)
        .await
        .map_err(OfficeError::database(failed))?;
        Ok(())
    }

    /// Which of `purposes` the newest code that was sent to a destination is for.
    pub async fn newest_purpose(
        &self,
        destination: &str,
        purposes: &[Purpose],
    ) -> Result<Option<Purpose>, OfficeError> {
        let names: Vec<String> =
            sqlx::query_scalar("SELECT purpose FROM codes WHERE destination = ? ORDER BY created_ms DESC")
                .bind(destination)
                .fetch_all(self.database.readers())
                .await
                .map_err(OfficeError::database("find a code"))?;
        Ok(names.iter().filter_map(|name| Purpose::parse(name)).find(|purpose| purposes.contains(purpose)))
    }

    /// Checks a claim and counts it when it is wrong.
    pub async fn check_code(&self, claim: &CodeClaim, usage: CodeUse, now_ms: u64) -> Result<CodeCheck, OfficeError> {
        let failed = "check a code";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let outcome = check(&mut transaction, claim, usage, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(outcome)
    }

    /// Counts a send, or says how long to wait.
    pub async fn reserve_send(
        &self,
        purpose: Purpose,
        destination: &str,
        ip: &str,
        limits: &SendLimits,
        now_ms: u64,
    ) -> Result<SendCheck, OfficeError> {
        let failed = "count a send";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let to = Look { column: "destination", value: destination };
        let from = Look { column: "ip", value: ip };
        let waits = [
            wait(&mut transaction, to, 1, limits.again_after_ms, now_ms).await,
            wait(&mut transaction, to, limits.a_day, 24 * 3_600_000, now_ms).await,
            wait(&mut transaction, from, limits.an_hour_by_ip, 3_600_000, now_ms).await,
        ];
        let mut longest = 0;
        for wait in waits {
            longest = longest.max(wait.map_err(OfficeError::database(failed))?);
        }
        if longest > 0 {
            return Ok(SendCheck::Wait { ms: longest });
        }
        note_send(&mut transaction, purpose, destination, ip, now_ms).await.map_err(OfficeError::database(failed))?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(SendCheck::Allowed)
    }
}

/// As [`Office::check_code`], within a transaction that the caller commits: also when the claim is wrong, or the attempt
/// would not count.
pub(super) async fn check(
    connection: &mut SqliteConnection,
    claim: &CodeClaim,
    usage: CodeUse,
    now_ms: u64,
) -> Result<CodeCheck, OfficeError> {
    let failed = "check a code";
    let row = sqlx::query("SELECT * FROM codes WHERE purpose = ? AND destination = ?")
        .bind(claim.purpose.name())
        .bind(&claim.destination)
        .fetch_optional(&mut *connection)
        .await
        .map_err(OfficeError::database(failed))?;
    let Some(row) = row else { return Ok(CodeCheck::None) };
    let fields = Fields { row: &row, table: "codes" };
    let usable = matches!(fields.get::<i64>("state")?, SENT | VERIFIED) && fields.id("expires_ms")? > now_ms;
    if !usable {
        return Ok(CodeCheck::None);
    }
    let mut attempts: u32 = fields.small("attempts")?;
    let mut expires = fields.id("expires_ms")?;
    let (state, outcome) = if equal(&fields.hash("code_hash")?, &claim.hash) {
        match usage {
            CodeUse::Consume => (USED, CodeCheck::Right),
            CodeUse::Verify { for_ms } => {
                expires = expires.max(now_ms + for_ms);
                (VERIFIED, CodeCheck::Right)
            }
        }
    } else {
        attempts += 1;
        let left = MOST_ATTEMPTS.saturating_sub(attempts);
        (if left == 0 { VOID } else { fields.get("state")? }, CodeCheck::Wrong { left })
    };
    sqlx::query("UPDATE codes SET state = ?, attempts = ?, expires_ms = ? WHERE purpose = ? AND destination = ?")
        .bind(state)
        .bind(attempts)
        .bind(expires.cast_signed())
        .bind(claim.purpose.name())
        .bind(&claim.destination)
        .execute(connection)
        .await
        .map_err(OfficeError::database(failed))?;
    Ok(outcome)
}

/// Compares without telling by its duration where the first difference is.
fn equal(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.iter().zip(b).fold(0, |differences, (x, y)| differences | (x ^ y)) == 0
}

/// Which sends are counted.
#[derive(Clone, Copy)]
struct Look<'a> {
    column: &'static str,
    value: &'a str,
}

/// Milliseconds until one more of `most` within `window_ms` is free.
async fn wait(
    connection: &mut SqliteConnection,
    look: Look<'_>,
    most: u32,
    window_ms: u64,
    now_ms: u64,
) -> Result<u64, sqlx::Error> {
    let sql = match look.column {
        "ip" => "SELECT sent_ms FROM sends WHERE ip = ? AND sent_ms > ? ORDER BY sent_ms DESC LIMIT 1 OFFSET ?",
        _ => "SELECT sent_ms FROM sends WHERE destination = ? AND sent_ms > ? ORDER BY sent_ms DESC LIMIT 1 OFFSET ?",
    };
    // The oldest of the last `most` sends frees its place when it leaves the window.
    let oldest: Option<i64> = sqlx::query_scalar(sql)
        .bind(look.value)
        .bind(now_ms.saturating_sub(window_ms).cast_signed())
        .bind(most.saturating_sub(1))
        .fetch_optional(connection)
        .await?;
    Ok(oldest.map_or(0, |sent| (sent.cast_unsigned() + window_ms).saturating_sub(now_ms)))
}

async fn note_send(
    connection: &mut SqliteConnection,
    purpose: Purpose,
    destination: &str,
    ip: &str,
    now_ms: u64,
) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO sends (purpose, destination, ip, sent_ms) VALUES (?, ?, ?, ?)")
        .bind(purpose.name())
        .bind(destination)
        .bind(ip)
        .bind(now_ms.cast_signed())
        .execute(&mut *connection)
        .await?;
    sqlx::query("DELETE FROM sends WHERE sent_ms < ?")
        .bind(now_ms.saturating_sub(SENDS_KEPT_MS).cast_signed())
        .execute(connection)
        .await?;
    Ok(())
}
