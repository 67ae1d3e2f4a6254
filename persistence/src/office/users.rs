//! Users: their contacts, password hashes and profiles.
//!
//! Owns: the table `users`.
//! Never does: hash or compare passwords (it gets PHC strings); open what is sealed; know balances or levels.
//! Invariants: an email is one user's whatever its case; registering (code, user, place in the invitation tree) is one
//! write; ids begin at 100,001 and are never given twice.
//! Known limits: the path of inviters grows with the depth of the tree; the profile is read, and no call of this release changes
//! it.
//! Rules: `docs/rules/authentication.md "Registration"`.

use sqlx::{Sqlite, SqliteConnection, query::Query, sqlite::SqliteArguments, sqlite::SqliteRow};
use xng_core::ids::AccountId;

use super::{
    AuditEntry, CodeCheck, CodeClaim, CodeUse, Fields, Office, OfficeError, PAUSE_MS, TokenHash,
    api_keys::suspend_trading, audit::append, codes::check, pauses::pause, sessions::revoke_all,
};

/// What an extension code is made of.
const CODE_ALPHABET: &[u8; 34] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789";
const CODE_LEN: u32 = 6;
/// Attempts to find an extension code that is free; with millions of users the first one nearly always is.
const CODE_ATTEMPTS: u32 = 64;

/// A phone number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone {
    /// Country code, digits only (`86`).
    pub area_code: String,
    /// The number without it, digits only.
    pub number: String,
}

/// What somebody logs in with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    /// By mail address, in any case.
    Email(String),
    /// By phone.
    Phone(Phone),
}

/// A user.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// The id, which is the account's too.
    pub id: AccountId,
    /// Mail address, lower case.
    pub email: Option<String>,
    /// Phone.
    pub phone: Option<Phone>,
    /// PHC string.
    pub password_hash: String,
    /// PHC string, once it was set.
    pub pay_password_hash: Option<String>,
    /// What others see.
    pub nickname: String,
    /// What they say about themselves.
    pub signature: String,
    /// File of the picture; empty: none.
    pub avatar: String,
    /// With which they invite.
    pub extension_code: String,
    /// Who invited them.
    pub inviter: Option<AccountId>,
    /// The inviter's inviters and then the inviter.
    pub parents: Vec<AccountId>,
    /// When they registered, milliseconds since the epoch.
    pub created_ms: u64,
    /// In which language they are written to, that of the last login; empty before the first.
    pub lang: String,
    /// The anti-phishing text of their mails, sealed.
    pub mail_phrase: Option<Vec<u8>>,
}

impl std::fmt::Debug for User {
    /// Without the hashes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("User").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The hashes that a password was compared with: what it allows may come after a reset of the password, and is not done then.
/// Without a second factor it is also worth nothing once the user has one.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordProof {
    login: String,
    pay: Option<String>,
    with_factor: bool,
}

impl std::fmt::Debug for PasswordProof {
    /// Without the hashes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PasswordProof").finish_non_exhaustive()
    }
}

impl User {
    /// What the user's passwords prove once one of them was found right.
    #[must_use]
    pub fn password_proof(&self) -> PasswordProof {
        let (login, pay) = (self.password_hash.clone(), self.pay_password_hash.clone());
        PasswordProof { login, pay, with_factor: false }
    }
}

impl PasswordProof {
    /// The user proved a second factor, too.
    #[must_use]
    pub fn with_factor(self) -> PasswordProof {
        PasswordProof { with_factor: true, ..self }
    }

    /// Whether the user still has these passwords, within the caller's transaction.
    pub(super) async fn holds(&self, connection: &mut SqliteConnection, user: AccountId) -> Result<bool, OfficeError> {
        sqlx::query(
            "SELECT 1 FROM users WHERE id = ?1 AND password_hash = ?2 AND pay_password_hash IS ?3
             AND (?4 OR NOT EXISTS (SELECT 1 FROM factors WHERE user = ?1 AND confirmed = 1))",
        )
        .bind(user.0.cast_signed())
        .bind(&self.login)
        .bind(&self.pay)
        .bind(self.with_factor)
        .fetch_optional(connection)
        .await
        .map(|row| row.is_some())
        .map_err(OfficeError::database("compare passwords"))
    }
}

/// Somebody who wants to register.
#[derive(Clone)]
pub struct NewUser {
    /// What they will log in with.
    pub login: Login,
    /// PHC string.
    pub password_hash: String,
    /// What others see.
    pub nickname: String,
    /// Extension code of who invited them.
    pub inviter_code: Option<String>,
    /// The code that proves the address; `None` for users whom the exchange makes itself.
    pub proof: Option<CodeClaim>,
}

impl std::fmt::Debug for NewUser {
    /// Without the hash.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewUser").field("inviter_code", &self.inviter_code).finish_non_exhaustive()
    }
}

/// What a reset of a password, or a lock, ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Tokens that are dead now.
    pub sessions: Vec<TokenHash>,
    /// Names of the API keys that are suspended now.
    pub keys: Vec<String>,
}

/// What came of setting a pay password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaySetting {
    /// It is set, and the code used up.
    Set {
        /// There was one before, so that withdrawals pause.
        replaced: bool,
    },
    /// None of the codes is right.
    BadCode,
    /// The login password is not the one any more that it was compared with: nothing was done.
    Stale,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Registration {
    /// There they are.
    Done(Box<User>),
    /// The address or phone has an account.
    Taken,
    /// Nobody has this extension code.
    UnknownInviter,
    /// The code is not right.
    Code(CodeCheck),
}

impl Office {
    /// Uses up the proof and makes the user, or neither.
    pub async fn register(&self, new: &NewUser, now_ms: u64) -> Result<Registration, OfficeError> {
        let failed = "register a user";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        if let Some(proof) = &new.proof {
            let outcome = check(&mut transaction, proof, CodeUse::Consume, now_ms).await?;
            if outcome != CodeCheck::Right {
                // A wrong attempt counts, so this part stays.
                transaction.commit().await.map_err(OfficeError::database(failed))?;
                return Ok(Registration::Code(outcome));
            }
        }
        let inviter = match &new.inviter_code {
            None => None,
            Some(code) => match find_by_code(&mut transaction, code).await? {
                Some(inviter) => Some(inviter),
                None => return Ok(Registration::UnknownInviter),
            },
        };
        let Some(user) = insert(&mut transaction, new, inviter.as_ref(), now_ms).await? else {
            return Ok(Registration::Taken);
        };
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(Registration::Done(Box::new(user)))
    }

    /// From now on new users get ids above `taken`. An older backup of this file knows nothing of accounts that were made
    /// after it, and nobody may get the id, and with it the money, of somebody else.
    pub async fn raise_ids(&self, taken: AccountId) -> Result<(), OfficeError> {
        let failed = "raise the ids of users";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let connection = writer.connection().map_err(OfficeError::database(failed))?;
        sqlx::query("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'users'")
            .bind(taken.0.cast_signed())
            .execute(connection)
            .await
            .map(drop)
            .map_err(OfficeError::database(failed))
    }

    /// A user by id.
    pub async fn user(&self, id: AccountId) -> Result<Option<User>, OfficeError> {
        self.find(sqlx::query("SELECT * FROM users WHERE id = ?").bind(id.0.cast_signed())).await
    }

    /// Users by number, those after one.
    pub async fn users_after(&self, last: AccountId, limit: u32) -> Result<Vec<AccountId>, OfficeError> {
        let query = sqlx::query_scalar("SELECT id FROM users WHERE id > ? ORDER BY id LIMIT ?");
        let rows: Vec<i64> = query
            .bind(last.0.cast_signed())
            .bind(limit)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("read users"))?;
        Ok(rows.into_iter().map(|id| AccountId(id.cast_unsigned())).collect())
    }

    /// A user by what they log in with.
    pub async fn find_login(&self, login: &Login) -> Result<Option<User>, OfficeError> {
        match login {
            Login::Email(email) => {
                self.find(sqlx::query("SELECT * FROM users WHERE email = ?").bind(email.to_lowercase())).await
            }
            Login::Phone(phone) => {
                let query = sqlx::query("SELECT * FROM users WHERE area_code = ? AND phone = ?");
                self.find(query.bind(phone.area_code.clone()).bind(phone.number.clone())).await
            }
        }
    }

    /// Whom a user has invited directly: how many, and the newest of them.
    pub async fn invited(&self, inviter: AccountId, limit: u32) -> Result<(u64, Vec<User>), OfficeError> {
        let failed = "read invited users";
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM users WHERE inviter = ?")
            .bind(inviter.0.cast_signed())
            .fetch_one(self.database.readers())
            .await
            .map_err(OfficeError::database(failed))?;
        let rows = sqlx::query("SELECT * FROM users WHERE inviter = ? ORDER BY id DESC LIMIT ?")
            .bind(inviter.0.cast_signed())
            .bind(limit)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database(failed))?;
        let users: Result<Vec<User>, OfficeError> = rows.iter().map(user_fields).collect();
        Ok((count.cast_unsigned(), users?))
    }

    /// Sets a new password of somebody who did not know the old one: ends all sessions, suspends the keys that may trade,
    /// forgets from where the old one was used and pauses withdrawals, in one write with the row of the audit.
    pub async fn reset_password(
        &self,
        id: AccountId,
        hash: &str,
        with_factor: bool,
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<Option<Ended>, OfficeError> {
        let failed = "reset a password";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let set = sqlx::query(
            "UPDATE users SET password_hash = ?1 WHERE id = ?2
             AND (?3 OR NOT EXISTS (SELECT 1 FROM factors WHERE user = ?2 AND confirmed = 1))",
        );
        let set = set.bind(hash).bind(id.0.cast_signed()).bind(with_factor).execute(&mut *transaction).await;
        if set.map_err(OfficeError::database(failed))?.rows_affected() == 0 {
            return Ok(None);
        }
        let sessions = revoke_all(&mut transaction, id).await?;
        let keys = suspend_trading(&mut transaction, id).await?;
        sqlx::query("DELETE FROM known_addresses WHERE user = ?")
            .bind(id.0.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        pause(&mut transaction, id, now_ms + PAUSE_MS).await?;
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(Some(Ended { sessions, keys }))
    }

    /// Ends what opens an account that is locked: all sessions; the keys that may trade are suspended, and withdrawals pause. Whoever
    /// made somebody lock the account has none of these after it is unlocked.
    pub async fn close_access(&self, user: AccountId, now_ms: u64) -> Result<Ended, OfficeError> {
        let failed = "end the sessions of a locked account";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let sessions = revoke_all(&mut transaction, user).await?;
        let keys = suspend_trading(&mut transaction, user).await?;
        pause(&mut transaction, user, now_ms + PAUSE_MS).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(Ended { sessions, keys })
    }

    /// Sets a pay password by one of the codes that were sent to the user's own contacts, which is used up, while the hash of
    /// the login password is still `login`. One that takes the place of another pauses withdrawals.
    pub async fn set_pay_password(
        &self,
        (id, login): (AccountId, &str),
        hash: &str,
        codes: &[CodeClaim],
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<PaySetting, OfficeError> {
        let failed = "set a pay password";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let mut is_right = false;
        for claim in codes {
            is_right = is_right || check(&mut transaction, claim, CodeUse::Consume, now_ms).await? == CodeCheck::Right;
        }
        if !is_right {
            // A wrong attempt counts, so this part stays.
            transaction.commit().await.map_err(OfficeError::database(failed))?;
            return Ok(PaySetting::BadCode);
        }
        let before: Option<Option<String>> =
            sqlx::query_scalar("SELECT pay_password_hash FROM users WHERE id = ? AND password_hash = ?")
                .bind(id.0.cast_signed())
                .bind(login)
                .fetch_optional(&mut *transaction)
                .await
                .map_err(OfficeError::database(failed))?;
        let Some(before) = before else { return Ok(PaySetting::Stale) };
        sqlx::query("UPDATE users SET pay_password_hash = ? WHERE id = ?")
            .bind(hash)
            .bind(id.0.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        let replaced = before.is_some();
        if replaced {
            pause(&mut transaction, id, now_ms + PAUSE_MS).await?;
        }
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(PaySetting::Set { replaced })
    }

    /// Whether a user still has the passwords, and no factor besides, of which something was proved.
    pub async fn proof_holds(&self, user: AccountId, proof: &PasswordProof) -> Result<bool, OfficeError> {
        let failed = "look at a proof";
        let mut reader = self.database.readers().acquire().await.map_err(OfficeError::database(failed))?;
        proof.holds(&mut reader, user).await
    }

    /// Replaces the hash of a password that stays the same, after its cost was raised. Sessions stay. False when the
    /// old hash is not the present one.
    pub async fn rehash_password(&self, id: AccountId, old: &str, hash: &str) -> Result<bool, OfficeError> {
        let failed = "renew a password's hash";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let update = sqlx::query("UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?");
        let update = update.bind(hash).bind(id.0.cast_signed()).bind(old);
        let connection = writer.connection().map_err(OfficeError::database(failed))?;
        let updated = update.execute(connection).await.map_err(OfficeError::database(failed))?;
        Ok(updated.rows_affected() > 0)
    }

    /// One hash of each cost that passwords were hashed at: algorithm, version and parameters.
    pub async fn password_costs(&self) -> Result<Vec<String>, OfficeError> {
        let hashes: Vec<String> = sqlx::query_scalar(
            // What differs is in front of salt and hash, which are as long in all hashes of one cost.
            "SELECT max(password_hash) FROM (SELECT password_hash FROM users UNION ALL
             SELECT password_hash FROM staff WHERE password_hash IS NOT NULL)
             GROUP BY substr(password_hash, 1, length(password_hash) - 66)",
        )
        .fetch_all(self.database.readers())
        .await
        .map_err(OfficeError::database("read what passwords cost"))?;
        Ok(hashes)
    }

    /// Users whom an earlier release had locked here; the journal says now who is locked.
    pub async fn locked_before(&self) -> Result<Vec<AccountId>, OfficeError> {
        let failed = "read who was locked";
        let rows = sqlx::query("SELECT id FROM users WHERE status = 1 ORDER BY id").fetch_all(self.database.readers());
        let rows = rows.await.map_err(OfficeError::database(failed))?;
        rows.iter().map(|row| Ok(AccountId(Fields { row, table: "users" }.id("id")?))).collect()
    }

    /// Sets the anti-phishing text of a user's mails, or removes it; false when the proof does not hold any more.
    pub async fn set_mail_phrase(
        &self,
        (user, sealed): (AccountId, Option<&[u8]>),
        proof: &PasswordProof,
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<bool, OfficeError> {
        let failed = "set an anti-phishing text";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        if !proof.holds(&mut transaction, user).await? {
            return Ok(false);
        }
        sqlx::query("UPDATE users SET mail_phrase = ? WHERE id = ?")
            .bind(sealed)
            .bind(user.0.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(true)
    }

    /// The journal has the lock of a user of [`Office::locked_before`].
    pub async fn lock_moved(&self, user: AccountId) -> Result<(), OfficeError> {
        let failed = "move a lock";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let moved = sqlx::query("UPDATE users SET status = 0 WHERE id = ?").bind(user.0.cast_signed());
        let connection = writer.connection().map_err(OfficeError::database(failed))?;
        moved.execute(connection).await.map(drop).map_err(OfficeError::database(failed))
    }

    async fn find(&self, query: Query<'_, Sqlite, SqliteArguments>) -> Result<Option<User>, OfficeError> {
        let row = query.fetch_optional(self.database.readers()).await.map_err(OfficeError::database("read a user"))?;
        row.as_ref().map(user_fields).transpose()
    }
}

async fn find_by_code(connection: &mut SqliteConnection, code: &str) -> Result<Option<User>, OfficeError> {
    let row = sqlx::query("SELECT * FROM users WHERE extension_code = ?")
        .bind(code)
        .fetch_optional(connection)
        .await
        .map_err(OfficeError::database("find an inviter"))?;
    row.as_ref().map(user_fields).transpose()
}

/// Inserts the user; `None` when the address is taken.
async fn insert(
    connection: &mut SqliteConnection,
    new: &NewUser,
    inviter: Option<&User>,
    now_ms: u64,
) -> Result<Option<User>, OfficeError> {
    let failed = "register a user";
    let (email, phone) = match &new.login {
        Login::Email(email) => (Some(email.to_lowercase()), None),
        Login::Phone(phone) => (None, Some(phone)),
    };
    let parents = inviter.map_or_else(|| "/".to_owned(), path_below);
    for _ in 0..CODE_ATTEMPTS {
        let code = extension_code().map_err(OfficeError::database(failed))?;
        let row = sqlx::query(
            "INSERT INTO users (email, area_code, phone, password_hash, nickname, signature, avatar, extension_code,
             inviter, parents, status, created_ms) VALUES (?, ?, ?, ?, ?, '', '', ?, ?, ?, 0, ?) RETURNING *",
        )
        .bind(&email)
        .bind(phone.map(|p| &p.area_code))
        .bind(phone.map(|p| &p.number))
        .bind(&new.password_hash)
        .bind(&new.nickname)
        .bind(code)
        .bind(inviter.map(|inviter| inviter.id.0.cast_signed()))
        .bind(&parents)
        .bind(now_ms.cast_signed())
        .fetch_one(&mut *connection)
        .await;
        match row {
            Ok(row) => return user_fields(&row).map(Some),
            Err(e) if violates(&e, "users.extension_code") => {}
            Err(e) if is_taken(&e) => return Ok(None),
            Err(e) => return Err(OfficeError::database(failed)(e)),
        }
    }
    Err(OfficeError::database(failed)(sqlx::Error::Protocol("no extension code is free".to_owned())))
}

fn path_below(inviter: &User) -> String {
    let parents: String = inviter.parents.iter().map(|id| format!("/{id}")).collect();
    format!("{parents}/{}/", inviter.id)
}

fn extension_code() -> Result<String, sqlx::Error> {
    let mut dice = getrandom::u64().map_err(|e| sqlx::Error::Io(e.into()))?;
    let radix = CODE_ALPHABET.len() as u64;
    let letters = (0..CODE_LEN).map(|_| {
        let letter = CODE_ALPHABET[(dice % radix) as usize];
        dice /= radix;
        char::from(letter)
    });
    Ok(letters.collect())
}

fn is_taken(error: &sqlx::Error) -> bool {
    violates(error, "users.email") || violates(error, "users.phone")
}

fn violates(error: &sqlx::Error, column: &str) -> bool {
    error.as_database_error().is_some_and(|e| e.is_unique_violation() && e.message().contains(column))
}

fn user_fields(row: &SqliteRow) -> Result<User, OfficeError> {
    let f = Fields { row, table: "users" };
    let phone = match (f.get::<Option<String>>("area_code")?, f.get::<Option<String>>("phone")?) {
        (Some(area_code), Some(number)) => Some(Phone { area_code, number }),
        (_, _) => None,
    };
    let path: String = f.get("parents")?;
    let parents: Result<Vec<AccountId>, _> =
        path.split('/').filter(|id| !id.is_empty()).map(|id| id.parse().map(AccountId)).collect();
    Ok(User {
        id: AccountId(f.id("id")?),
        email: f.get("email")?,
        phone,
        password_hash: f.get("password_hash")?,
        pay_password_hash: f.get("pay_password_hash")?,
        nickname: f.get("nickname")?,
        signature: f.get("signature")?,
        avatar: f.get("avatar")?,
        extension_code: f.get("extension_code")?,
        inviter: f.get::<Option<i64>>("inviter")?.map(|id| AccountId(id.cast_unsigned())),
        parents: parents.map_err(|_| f.strange("parents", path.clone()))?,
        created_ms: f.id("created_ms")?,
        lang: f.get("lang")?,
        mail_phrase: f.get("mail_phrase")?,
    })
}
