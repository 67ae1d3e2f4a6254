//! Mails about what was done to a user's account: the audit says it, whoever did it.
//!
//! Owns: following the audit. Never does: decide what is told, the office's list does. Invariants: the mails of some rows and the mark
//! behind them are one write, so each row is told once, also after a crash; what is older than a day is not told any more, nor what
//! happens where mails go nowhere.
//! Known limits: it looks once a second. A user without a mail address is told in the app alone.
//! Rules: `docs/rules/authentication.md "Outbox"`.

use super::{Letter, Messenger};
use crate::api::auth::NOTICE_MS;
use crate::api::auth::rules::Contact;
use crate::api::http::i18n::Lang;
use crate::common::time::now_ms;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use xng_persistence::office::{NewMessage, OfficeError, ToMail};

const LOOKS: Duration = Duration::from_secs(1);

/// Follows the audit until `stopping` says so.
pub(super) async fn follow(messenger: Arc<Messenger>, mut stopping: watch::Receiver<bool>) {
    let mut is_away = false;
    loop {
        let told = messenger.tell().await;
        if let (Err(error), false) = (&told, is_away) {
            tracing::warn!(%error, "mails about accounts wait for the office database");
        }
        is_away = told.is_err();
        if matches!(told, Ok(true)) && !*stopping.borrow() {
            continue;
        }
        tokio::select! {
            stops = stopping.wait_for(|stops| *stops) => {
                drop(stops);
                return;
            }
            () = tokio::time::sleep(LOOKS) => {}
        }
    }
}

impl Messenger {
    /// Tells of the next rows of the audit; whether there were any.
    async fn tell(&self) -> Result<bool, OfficeError> {
        let (before, upto, rows) = self.office.audit_to_mail().await?;
        if upto == before {
            return Ok(false);
        }
        let mut mails = Vec::new();
        for row in &rows {
            match self.about(row).await {
                Ok(mail) => mails.extend(mail),
                Err(error @ OfficeError::Database { .. }) => return Err(error),
                // One user's row keeps nobody else from being told.
                Err(error) => tracing::error!(%error, user = row.user.0, "a user is not told by mail"),
            }
        }
        let now = now_ms().cast_unsigned();
        if self.office.mail_audit((before, upto), &mails, now).await? && !mails.is_empty() {
            self.mail.news.notify_one();
        }
        Ok(true)
    }

    async fn about(&self, row: &ToMail) -> Result<Option<NewMessage>, OfficeError> {
        let expires_ms = row.at_ms + NOTICE_MS;
        let user = self.office.user(row.user).await?.filter(|_| now_ms().cast_unsigned() < expires_ms);
        let Some((user, mail)) = user.and_then(|user| user.email.clone().map(|mail| (user, Contact::Email(mail))))
        else {
            return Ok(None);
        };
        let letter = Letter::Done(&row.action, &row.ip);
        Ok(self.write((&mail, Some(&user)), letter, Lang::parse(&user.lang), expires_ms))
    }
}
