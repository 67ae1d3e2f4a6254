//! Keys of the programmatic API.
//!
//! Owns: the table `api_keys`.
//! Never does: open or seal a secret; check a signature.
//! Invariants: a key's name is unique; nobody has more keys than the caller allows; keys go with their user; what a
//! password was asked for is done only while the user still has that password.
//! Known limits: when a key was last used is written now and then, not at each use.
//! Rules: `docs/rules/authentication.md "API keys"`.

use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Sqlite, SqliteConnection};
use xng_core::ids::AccountId;

use super::users::PasswordProof;
use super::{Fields, Office, OfficeError};

/// How a key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyKind {
    /// By a secret that both sides have.
    Hmac,
    /// By a key pair; the private half is the user's alone.
    Ed25519,
}

/// A key that is to be kept.
#[derive(Clone)]
pub struct NewApiKey {
    /// Whose.
    pub user: AccountId,
    /// What the user calls it.
    pub label: String,
    /// How it signs.
    pub kind: ApiKeyKind,
    /// What requests name it by.
    pub name: String,
    /// The sealed secret, or the public key.
    pub secret: Vec<u8>,
    /// What it may do, as bits.
    pub scopes: u8,
    /// From where it works, comma-separated; empty: from anywhere.
    pub networks: String,
}

impl std::fmt::Debug for NewApiKey {
    /// Without the secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewApiKey").field("user", &self.user).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// A key that is kept.
#[derive(Clone, Debug)]
pub struct StoredApiKey {
    /// Its id.
    pub id: u64,
    /// What it is.
    pub key: NewApiKey,
    /// When it was made, milliseconds since the epoch.
    pub created_ms: u64,
    /// When it was last used, within a minute.
    pub used_ms: Option<u64>,
    /// The user's password was reset since, and the user has not confirmed it yet.
    pub suspended: bool,
}

/// What came of something that a password was asked for.
#[derive(Clone, Debug)]
pub enum Proven<T> {
    /// The user's passwords are not those any more that were looked at: nothing was done.
    Stale,
    /// It was done, unless there was nothing to do it to, or no room.
    Done(Option<T>),
}

/// The bit of [`NewApiKey::scopes`] by which a key may trade.
pub const TRADES: u8 = 2;

impl Office {
    /// Keeps a key when its user has fewer than `most`; its id, or `None` when there are as many.
    pub async fn add_api_key(
        &self,
        new: &NewApiKey,
        proof: &PasswordProof,
        most: u32,
        now_ms: u64,
    ) -> Result<Proven<u64>, OfficeError> {
        let failed = "add an API key";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        if !proof.holds(&mut transaction, new.user).await? {
            return Ok(Proven::Stale);
        }
        let added = sqlx::query(
            "INSERT INTO api_keys (user, label, kind, name, secret, scopes, networks, created_ms)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE (SELECT count(*) FROM api_keys WHERE user = ?1) < ?9",
        )
        .bind(new.user.0.cast_signed())
        .bind(&new.label)
        .bind(kind_number(new.kind))
        .bind(&new.name)
        .bind(&new.secret)
        .bind(new.scopes)
        .bind(&new.networks)
        .bind(now_ms.cast_signed())
        .bind(most)
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(Proven::Done((added.rows_affected() == 1).then(|| added.last_insert_rowid().cast_unsigned())))
    }

    /// A user's keys, oldest first.
    pub async fn api_keys(&self, user: AccountId) -> Result<Vec<StoredApiKey>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM api_keys WHERE user = ? ORDER BY id")
            .bind(user.0.cast_signed())
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("list API keys"))?;
        rows.iter().map(key_fields).collect()
    }

    /// All keys of users, but the suspended ones.
    pub async fn live_api_keys(&self) -> Result<Vec<StoredApiKey>, OfficeError> {
        let live = "SELECT * FROM api_keys WHERE suspended = 0 AND user IN (SELECT id FROM users)";
        let rows = sqlx::query(live)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("read API keys"))?;
        rows.iter().map(key_fields).collect()
    }

    /// Lets a suspended key of a user work again; the key, or `None` when the user has no such one.
    pub async fn confirm_api_key(
        &self,
        user: AccountId,
        id: u64,
        proof: &PasswordProof,
    ) -> Result<Proven<StoredApiKey>, OfficeError> {
        let confirm = sqlx::query("UPDATE api_keys SET suspended = 0 WHERE user = ? AND id = ? RETURNING *");
        let confirm = confirm.bind(user.0.cast_signed()).bind(id.cast_signed());
        self.proven(user, proof, confirm, "confirm an API key").await
    }

    /// Changes what may be changed of a user's key; the key as it is now, or `None` when there is no such one.
    pub async fn change_api_key(
        &self,
        user: AccountId,
        id: u64,
        proof: &PasswordProof,
        (label, scopes, networks): (&str, u8, &str),
    ) -> Result<Proven<StoredApiKey>, OfficeError> {
        let change = sqlx::query(
            "UPDATE api_keys SET label = ?, scopes = ?, networks = ? WHERE user = ? AND id = ? RETURNING *",
        );
        let change = change.bind(label.to_owned()).bind(scopes).bind(networks.to_owned());
        let change = change.bind(user.0.cast_signed()).bind(id.cast_signed());
        self.proven(user, proof, change, "change an API key").await
    }

    /// Removes a user's key; the key, or `None` when there is no such one.
    pub async fn remove_api_key(
        &self,
        user: AccountId,
        id: u64,
        proof: &PasswordProof,
    ) -> Result<Proven<StoredApiKey>, OfficeError> {
        let remove = sqlx::query("DELETE FROM api_keys WHERE user = ? AND id = ? RETURNING *");
        let remove = remove.bind(user.0.cast_signed()).bind(id.cast_signed());
        self.proven(user, proof, remove, "remove an API key").await
    }

    /// Does something to one key of a user while the proof holds.
    async fn proven(
        &self,
        user: AccountId,
        proof: &PasswordProof,
        statement: Query<'_, Sqlite, SqliteArguments>,
        failed: &'static str,
    ) -> Result<Proven<StoredApiKey>, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        if !proof.holds(&mut transaction, user).await? {
            return Ok(Proven::Stale);
        }
        let row = statement.fetch_optional(&mut *transaction).await.map_err(OfficeError::database(failed))?;
        let key = row.as_ref().map(key_fields).transpose()?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(Proven::Done(key))
    }

    /// Notes when keys, named by id, were last used.
    pub async fn api_keys_used(&self, used: &[(u64, u64)]) -> Result<(), OfficeError> {
        let failed = "note the use of API keys";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        for (id, used_ms) in used {
            sqlx::query("UPDATE api_keys SET used_ms = ? WHERE id = ?")
                .bind(used_ms.cast_signed())
                .bind(id.cast_signed())
                .execute(&mut *transaction)
                .await
                .map_err(OfficeError::database(failed))?;
        }
        transaction.commit().await.map_err(OfficeError::database(failed))
    }
}

/// Suspends a user's keys that may trade within the caller's transaction; their names.
pub(super) async fn suspend_trading(
    connection: &mut SqliteConnection,
    user: AccountId,
) -> Result<Vec<String>, OfficeError> {
    sqlx::query_scalar("UPDATE api_keys SET suspended = 1 WHERE user = ? AND (scopes & ?) != 0 RETURNING name")
        .bind(user.0.cast_signed())
        .bind(TRADES)
        .fetch_all(connection)
        .await
        .map_err(OfficeError::database("suspend API keys"))
}

fn kind_number(kind: ApiKeyKind) -> i64 {
    match kind {
        ApiKeyKind::Hmac => 0,
        ApiKeyKind::Ed25519 => 1,
    }
}

fn key_fields(row: &SqliteRow) -> Result<StoredApiKey, OfficeError> {
    let f = Fields { row, table: "api_keys" };
    let kind = match f.get::<i64>("kind")? {
        0 => ApiKeyKind::Hmac,
        1 => ApiKeyKind::Ed25519,
        other => return Err(f.strange("kind", other.to_string())),
    };
    Ok(StoredApiKey {
        id: f.id("id")?,
        key: NewApiKey {
            user: AccountId(f.id("user")?),
            label: f.get("label")?,
            kind,
            name: f.get("name")?,
            secret: f.get("secret")?,
            scopes: f.small("scopes")?,
            networks: f.get("networks")?,
        },
        created_ms: f.id("created_ms")?,
        used_ms: f.get::<Option<i64>>("used_ms")?.map(i64::cast_unsigned),
        suspended: f.get::<i64>("suspended")? != 0,
    })
}
