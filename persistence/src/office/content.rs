//! Articles that people of the office write: versions, who wrote and who approved them.
//!
//! Owns: the table `article_versions`. Never does: clean HTML; decide what is shown now. Invariants: what was approved is never
//! changed, only withdrawn or followed by another version; nobody approves their own; each step is one write with its row of the audit.
//! Known limits: texts are read whole. Rules: `docs/back-office.md "Content"`.

use sqlx::{SqliteConnection, sqlite::SqliteRow};

use super::{AuditEntry, Fields, Office, OfficeError, audit::append};

/// Articles of the office have numbers from this one on; those of files are below.
pub const FIRST_ARTICLE: u64 = 1_001;

/// How far a version came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionState {
    /// Its author writes.
    Draft = 1,
    /// Another person has to look.
    Review = 2,
    /// It is shown from its time on.
    Approved = 3,
    /// Another person refused it.
    Refused = 4,
    /// It was approved, and is taken back.
    Withdrawn = 5,
}

impl VersionState {
    /// All of them.
    pub const ALL: [VersionState; 5] = [Self::Draft, Self::Review, Self::Approved, Self::Refused, Self::Withdrawn];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Review => "review",
            Self::Approved => "approved",
            Self::Refused => "refused",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// What somebody writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewVersion {
    /// Of which article; none of a new one.
    pub article: Option<u64>,
    /// Its category.
    pub category: u32,
    /// Order in lists.
    pub sorts: i64,
    /// Picture.
    pub cover: String,
    /// Where a banner leads.
    pub url: String,
    /// Texts by language, JSON.
    pub texts: String,
    /// From when on it is shown, milliseconds since the epoch.
    pub publish_ms: u64,
    /// Who writes.
    pub author: u64,
}

/// A version of an article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleVersion {
    /// Its number.
    pub id: u64,
    /// What was written.
    pub written: NewVersion,
    /// Of which article.
    pub article: u64,
    /// How far it came.
    pub state: VersionState,
    /// When it was written last.
    pub created_ms: u64,
    /// Who decided.
    pub decided_by: Option<u64>,
    /// When.
    pub decided_ms: Option<u64>,
    /// What they said.
    pub note: String,
}

/// A step of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionStep {
    /// Which version.
    pub id: u64,
    /// Where it goes.
    pub to: VersionState,
    /// Who takes it.
    pub by: u64,
    /// What they say.
    pub note: String,
}

const READING: &str = "read articles";
const WRITING: &str = "write an article";

impl Office {
    /// Writes a draft: a new version, or what its author has written again of one that is still a draft.
    ///
    /// Gives the version's number; none when `again` is no draft of this author.
    pub async fn write_article(
        &self,
        new: &NewVersion,
        again: Option<u64>,
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<Option<u64>, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(WRITING))?;
        let id = match again {
            Some(id) => {
                let changed = sqlx::query(
                    "UPDATE article_versions SET category = ?, sorts = ?, cover = ?, url = ?, texts = ?, publish_ms = ?,
                     created_ms = ? WHERE id = ? AND author = ? AND state = 1",
                )
                .bind(new.category)
                .bind(new.sorts)
                .bind(&new.cover)
                .bind(&new.url)
                .bind(&new.texts)
                .bind(new.publish_ms.cast_signed())
                .bind(now_ms.cast_signed())
                .bind(id.cast_signed())
                .bind(new.author.cast_signed())
                .execute(&mut *transaction)
                .await
                .map_err(OfficeError::database(WRITING))?;
                (changed.rows_affected() == 1).then_some(id)
            }
            None => Some(insert(&mut transaction, new, now_ms).await?),
        };
        if id.is_some() {
            append(&mut transaction, audit, now_ms).await?;
            transaction.commit().await.map_err(OfficeError::database(WRITING))?;
        }
        Ok(id)
    }

    /// Takes a step; false, and nothing is done, when the version does not stand where it begins, or the person may not take it:
    /// a draft goes to review by its author, another person approves or refuses, and who writes here withdraws what was approved. What
    /// is approved is shown from now on, unless its time is later.
    pub async fn step_article(
        &self,
        step: &VersionStep,
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<bool, OfficeError> {
        let who = match step.to {
            VersionState::Draft => return Ok(false),
            VersionState::Review => "state = 1 AND author = ?1",
            VersionState::Approved | VersionState::Refused => "state = 2 AND author <> ?1",
            VersionState::Withdrawn => "state = 3 AND ?1 = ?1",
        };
        let query = format!(
            "UPDATE article_versions SET state = ?2, note = ?3,
             publish_ms = CASE WHEN ?2 = 3 THEN max(publish_ms, ?4) ELSE publish_ms END,
             decided_by = CASE WHEN ?2 = 2 THEN NULL ELSE ?1 END, decided_ms = CASE WHEN ?2 = 2 THEN NULL ELSE ?4 END
             WHERE id = ?5 AND {who}"
        );
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(WRITING))?;
        let changed = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(step.by.cast_signed())
            .bind(step.to as u8)
            .bind(&step.note)
            .bind(now_ms.cast_signed())
            .bind(step.id.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(WRITING))?;
        if changed.rows_affected() != 1 {
            return Ok(false);
        }
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(WRITING))?;
        Ok(true)
    }

    /// One version.
    pub async fn article_version(&self, id: u64) -> Result<Option<ArticleVersion>, OfficeError> {
        let row = sqlx::query("SELECT * FROM article_versions WHERE id = ?")
            .bind(id.cast_signed())
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database(READING))?;
        row.as_ref().map(version).transpose()
    }

    /// Versions, the newest first; of one article only, when there is one.
    pub async fn article_versions(&self, article: Option<u64>, limit: u32) -> Result<Vec<ArticleVersion>, OfficeError> {
        let rows =
            sqlx::query("SELECT * FROM article_versions WHERE ?1 IS NULL OR article = ?1 ORDER BY id DESC LIMIT ?2")
                .bind(article.map(u64::cast_signed))
                .bind(limit)
                .fetch_all(self.database.readers())
                .await
                .map_err(OfficeError::database(READING))?;
        rows.iter().map(version).collect()
    }

    /// All versions that were ever approved, the oldest first: what is shown, is in them.
    pub async fn approved_articles(&self) -> Result<Vec<ArticleVersion>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM article_versions WHERE state IN (3, 5) ORDER BY id")
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database(READING))?;
        rows.iter().map(version).collect()
    }
}

async fn insert(connection: &mut SqliteConnection, new: &NewVersion, now_ms: u64) -> Result<u64, OfficeError> {
    let article = match new.article {
        Some(article) => article,
        None => {
            let last: Option<i64> = sqlx::query_scalar("SELECT max(article) FROM article_versions")
                .fetch_one(&mut *connection)
                .await
                .map_err(OfficeError::database(WRITING))?;
            (last.unwrap_or_default().cast_unsigned() + 1).max(FIRST_ARTICLE)
        }
    };
    let id: i64 = sqlx::query_scalar(
        "INSERT INTO article_versions
         (article, category, sorts, cover, url, texts, publish_ms, state, author, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?) RETURNING id",
    )
    .bind(article.cast_signed())
    .bind(new.category)
    .bind(new.sorts)
    .bind(&new.cover)
    .bind(&new.url)
    .bind(&new.texts)
    .bind(new.publish_ms.cast_signed())
    .bind(new.author.cast_signed())
    .bind(now_ms.cast_signed())
    .fetch_one(connection)
    .await
    .map_err(OfficeError::database(WRITING))?;
    Ok(id.cast_unsigned())
}

fn version(row: &SqliteRow) -> Result<ArticleVersion, OfficeError> {
    let f = Fields { row, table: "article_versions" };
    let state: u8 = f.small("state")?;
    let state = VersionState::ALL.into_iter().find(|known| *known as u8 == state);
    let article = f.id("article")?;
    let maybe = |column| Ok::<_, OfficeError>(f.get::<Option<i64>>(column)?.map(i64::cast_unsigned));
    Ok(ArticleVersion {
        id: f.id("id")?,
        written: NewVersion {
            article: Some(article),
            category: f.small("category")?,
            sorts: f.get("sorts")?,
            cover: f.get("cover")?,
            url: f.get("url")?,
            texts: f.get("texts")?,
            publish_ms: f.id("publish_ms")?,
            author: f.id("author")?,
        },
        article,
        state: state.ok_or_else(|| f.strange("state", "?".to_owned()))?,
        created_ms: f.id("created_ms")?,
        decided_by: maybe("decided_by")?,
        decided_ms: maybe("decided_ms")?,
        note: f.get("note")?,
    })
}
