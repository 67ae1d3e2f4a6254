//! Verification codes, and the limits on sending them.
//!
//! Owns: the tables `codes` and `sends`.
//! Never does: make a code, send it, or keep it: it gets hashes.
//! Invariants: wrong attempts count even when many come at once; a code is used at most once; a code of one purpose or
//! destination is none for another; what others ask for or guess neither replaces a code nor spends its owner's attempts.
//! Known limits: one code of a purpose, destination and asker at a time; a new one makes the old one worthless.
//! Rules: `docs/rules/authentication.md "Verification codes"`.

use sqlx::SqliteConnection;

use super::{Fields, NewMessage, Office, OfficeError, outbox::put};

/// Wrong attempts of who asked for a code, after which it is void.
const MOST_ATTEMPTS: u32 = 5;
/// Wrong attempts of all others, after which it is good for who asked alone.
const MOST_BY_STRANGERS: u32 = 3;
/// How long sends are remembered; no limit looks further back.
const SENDS_KEPT_MS: u64 = 2 * DAY_MS;
const DAY_MS: u64 = 24 * 3_600_000;

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
    /// To give up a contact for another: sent to the old one.
    Bind,
    /// To withdraw.
    Withdraw,
    /// To have another contact: sent to the new one.
    BindNew,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Register, Self::Forget, Self::Pay, Self::Bind, Self::Withdraw, Self::BindNew];

    /// The name that calls and the table use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Forget => "forget",
            Self::Pay => "pay",
            Self::Bind => "bind",
            Self::Withdraw => "withdraw",
            Self::BindNew => "bind_new",
        }
    }

    /// Whether only a user who is logged in has use for a code, and only within the session that asked for it.
    #[must_use]
    pub fn needs_login(self) -> bool {
        match self {
            Self::Register | Self::Forget => false,
            Self::Pay | Self::Bind | Self::Withdraw | Self::BindNew => true,
        }
    }

    /// With which others its sends are counted: what strangers ask for uses up none of a user's.
    fn class(self) -> u8 {
        match self {
            Self::Register | Self::Forget => 0,
            Self::Pay | Self::Bind | Self::Withdraw => 1,
            // To a contact that may be anybody's.
            Self::BindNew => 2,
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
    /// Who asked for it, or says that they have received it.
    pub asker: String,
    /// Hash of the code.
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

/// Limits on sending. Sends to one destination are counted apart for purposes that need a login, for those that do not, and for
/// a contact that is to be bound: strangers use up none of a user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendLimits {
    /// Milliseconds between two sends to one destination for one network address.
    pub again_after_ms: u64,
    /// Sends to one destination within a day.
    pub a_day: u32,
    /// As many of these are for one network address at most.
    pub a_day_by_ip: u32,
    /// Sends for one network address within an hour.
    pub an_hour_by_ip: u32,
}

impl Default for SendLimits {
    /// One a minute, 10 a day of which 5 for one network address, 30 an hour for one network address.
    fn default() -> Self {
        Self { again_after_ms: 60_000, a_day: 10, a_day_by_ip: 5, an_hour_by_ip: 30 }
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
    /// Keeps the hash of a code, and the message that tells it or what is told in its place; an earlier one of the same asker is
    /// worthless from now on.
    pub async fn put_code(
        &self,
        claim: &CodeClaim,
        message: &NewMessage,
        now_ms: u64,
        ttl_ms: u64,
    ) -> Result<(), OfficeError> {
        let failed = "store a code";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        sqlx::query("DELETE FROM codes WHERE expires_ms <= ?")
            .bind(now_ms.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        sqlx::query(
            "INSERT OR REPLACE INTO codes
             (purpose, destination, asker, code_hash, created_ms, expires_ms, attempts, strangers, state)
             VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?)",
        )
        .bind(claim.purpose.name())
        .bind(&claim.destination)
        .bind(&claim.asker)
        .bind(claim.hash.as_slice())
        .bind(now_ms.cast_signed())
        .bind((now_ms + ttl_ms).cast_signed())
        .bind(SENT)
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        put(&mut transaction, message, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))
    }

    /// Which of `purposes` the newest code to a destination that may still prove something is for; of those that `asker` asked
    /// for, if there are any.
    pub async fn newest_purpose(
        &self,
        destination: &str,
        asker: &str,
        purposes: &[Purpose],
        now_ms: u64,
    ) -> Result<Option<Purpose>, OfficeError> {
        let names: Vec<String> = sqlx::query_scalar(
            "SELECT purpose FROM codes WHERE destination = ? AND expires_ms > ? AND state IN (?, ?)
             ORDER BY asker <> ?, created_ms DESC",
        )
        .bind(destination)
        .bind(now_ms.cast_signed())
        .bind(SENT)
        .bind(VERIFIED)
        .bind(asker)
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
        let class = purpose.class();
        let (to, from) = (Sends::To(destination, class), Sends::For(ip));
        let both = Sends::Between(destination, class, ip);
        let waits = [
            wait(&mut transaction, both, 1, limits.again_after_ms, now_ms).await,
            wait(&mut transaction, both, limits.a_day_by_ip, DAY_MS, now_ms).await,
            wait(&mut transaction, to, limits.a_day, DAY_MS, now_ms).await,
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

/// A code that may still prove something.
struct Usable {
    asker: String,
    hash: [u8; 32],
    expires_ms: u64,
    attempts: u32,
    strangers: u32,
}

/// As [`Office::check_code`], within a transaction that the caller commits: also when the claim is wrong, or the attempt
/// would not count.
///
/// Who asked for a code is compared with that one, and spends attempts of their own. Who asked for none is compared with all
/// when no login is needed, since an address may change in between; they have a few attempts together, which leave the
/// owner's as they are.
pub(super) async fn check(
    connection: &mut SqliteConnection,
    claim: &CodeClaim,
    usage: CodeUse,
    now_ms: u64,
) -> Result<CodeCheck, OfficeError> {
    let mut tried = usable(connection, claim, now_ms).await?;
    let is_own = tried.iter().any(|code| code.asker == claim.asker);
    tried.retain(|code| match is_own {
        true => code.asker == claim.asker,
        false => !claim.purpose.needs_login() && code.strangers < MOST_BY_STRANGERS,
    });
    if let Some(right) = tried.iter().find(|code| equal(&code.hash, &claim.hash)) {
        accept(connection, claim, right, usage, now_ms).await?;
        return Ok(CodeCheck::Right);
    }
    let mut outcome = CodeCheck::None;
    for code in tried {
        let (attempts, strangers) = (code.attempts + u32::from(is_own), code.strangers + u32::from(!is_own));
        let left = if is_own { MOST_ATTEMPTS - attempts } else { MOST_BY_STRANGERS - strangers };
        outcome = CodeCheck::Wrong { left };
        sqlx::query(
            "UPDATE codes SET attempts = ?, strangers = ?, state = iif(?, ?, state)
             WHERE purpose = ? AND destination = ? AND asker = ?",
        )
        .bind(attempts)
        .bind(strangers)
        .bind(attempts >= MOST_ATTEMPTS)
        .bind(VOID)
        .bind(claim.purpose.name())
        .bind(&claim.destination)
        .bind(&code.asker)
        .execute(&mut *connection)
        .await
        .map_err(OfficeError::database(FAILED))?;
    }
    Ok(outcome)
}

const FAILED: &str = "check a code";

/// The codes of a purpose and destination that are neither expired, used nor void; the newest first.
async fn usable(connection: &mut SqliteConnection, claim: &CodeClaim, now_ms: u64) -> Result<Vec<Usable>, OfficeError> {
    let rows = sqlx::query(
        "SELECT * FROM codes WHERE purpose = ? AND destination = ? AND expires_ms > ? AND state IN (?, ?)
         ORDER BY created_ms DESC",
    )
    .bind(claim.purpose.name())
    .bind(&claim.destination)
    .bind(now_ms.cast_signed())
    .bind(SENT)
    .bind(VERIFIED)
    .fetch_all(connection)
    .await
    .map_err(OfficeError::database(FAILED))?;
    let read = |row| {
        let fields = Fields { row, table: "codes" };
        Ok(Usable {
            asker: fields.get("asker")?,
            hash: fields.hash("code_hash")?,
            expires_ms: fields.id("expires_ms")?,
            attempts: fields.small("attempts")?,
            strangers: fields.small("strangers")?,
        })
    };
    rows.iter().map(read).collect()
}

/// A code that is used up takes with it all others of its purpose and destination.
async fn accept(
    connection: &mut SqliteConnection,
    claim: &CodeClaim,
    right: &Usable,
    usage: CodeUse,
    now_ms: u64,
) -> Result<(), OfficeError> {
    let (state, expires_ms, asker) = match usage {
        CodeUse::Consume => (USED, right.expires_ms, None),
        CodeUse::Verify { for_ms } => (VERIFIED, right.expires_ms.max(now_ms + for_ms), Some(&right.asker)),
    };
    sqlx::query(
        "UPDATE codes SET state = ?, expires_ms = ? WHERE purpose = ? AND destination = ? AND asker = coalesce(?, asker)",
    )
    .bind(state)
    .bind(expires_ms.cast_signed())
    .bind(claim.purpose.name())
    .bind(&claim.destination)
    .bind(asker)
    .execute(connection)
    .await
    .map(drop)
    .map_err(OfficeError::database(FAILED))
}

/// Compares without telling by its duration where the first difference is.
fn equal(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.iter().zip(b).fold(0, |differences, (x, y)| differences | (x ^ y)) == 0
}

/// Which sends are counted: by destination and class of the purpose, by network address, by all of these.
#[derive(Clone, Copy)]
enum Sends<'a> {
    To(&'a str, u8),
    For(&'a str),
    Between(&'a str, u8, &'a str),
}

/// Milliseconds until one more of `most` within `window_ms` is free.
async fn wait(
    connection: &mut SqliteConnection,
    sends: Sends<'_>,
    most: u32,
    window_ms: u64,
    now_ms: u64,
) -> Result<u64, sqlx::Error> {
    let query = match sends {
        Sends::To(destination, class) => sqlx::query_scalar(
            "SELECT sent_ms FROM sends WHERE destination = ?
             AND CASE WHEN purpose IN ('register', 'forget') THEN 0 WHEN purpose = 'bind_new' THEN 2 ELSE 1 END = ?
             AND sent_ms > ? ORDER BY sent_ms DESC LIMIT 1 OFFSET ?",
        )
        .bind(destination)
        .bind(class),
        Sends::For(ip) => sqlx::query_scalar(
            "SELECT sent_ms FROM sends WHERE ip = ? AND sent_ms > ? ORDER BY sent_ms DESC LIMIT 1 OFFSET ?",
        )
        .bind(ip),
        Sends::Between(destination, class, ip) => sqlx::query_scalar(
            "SELECT sent_ms FROM sends WHERE destination = ?
             AND CASE WHEN purpose IN ('register', 'forget') THEN 0 WHEN purpose = 'bind_new' THEN 2 ELSE 1 END = ?
             AND ip = ? AND sent_ms > ? ORDER BY sent_ms DESC LIMIT 1 OFFSET ?",
        )
        .bind(destination)
        .bind(class)
        .bind(ip),
    };
    // The oldest of the last `most` sends frees its place when it leaves the window.
    let oldest: Option<i64> = query
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
