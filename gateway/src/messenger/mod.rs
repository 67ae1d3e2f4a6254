//! Messages to users: codes and notices by mail and as texts to phones. Whoever causes a message writes it into the office's outbox;
//! [`notices`] writes those about rows of the audit. The [`worker`] has them sent by the [`way`] of their channel: the mail server (`smtp`)
//! or the hook for texts (`hook`). In a demo a channel without a way is shown in the dev mailbox; otherwise it takes nothing.
//!
//! Owns: which channels there are, where codes by text go and how many, sealing of texts, what is counted of messages. Never does:
//! decide who is told what. Invariants: a text is sealed before it is kept, and shown by the dev mailbox alone.
//! Known limits: one mail server, one hook; codes by text are counted in memory. Rules: `docs/rules/authentication.md "Outbox"`.

mod hook;
mod letter;
mod notices;
pub mod settings;
mod smtp;
mod way;
pub mod worker;

use crate::api::auth::rules::Contact;
use crate::api::auth::sealing::Sealer;
use crate::api::http::i18n::{Lang, Messages};
use crate::api::http::limits::Buckets;
use crate::config::{Config, ConfigError};
use hook::Hook;
use letter::with_phrase;
pub use letter::{Letter, audit_text_keys};
use serde_json::{Value, json};
use settings::SmsSettings;
use smtp::Smtp;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::Notify;
use way::Way;
use xng_core::ids::AccountId;
use xng_persistence::office::{Channel, NewMessage, Office, OfficeError, User};

/// Besides the codes by text of an hour, a quarter as many for who is logged in or asks from where they log in.
const KEPT_PART: u32 = 4;
const HOUR: Duration = Duration::from_secs(3_600);
/// Messages that the dev mailbox tells at a time.
const SHOWN: u32 = 50;

/// What is counted of a channel since the start, and what waited when it was last looked.
#[derive(Debug, Default)]
pub struct Figures {
    /// Messages that were sent.
    pub sent: AtomicU64,
    /// Messages that were not and will not be.
    pub failed: AtomicU64,
    /// Attempts after which another one was to come.
    pub retried: AtomicU64,
    /// Messages that wait.
    pub waiting: AtomicU64,
    /// When the oldest of them was written, milliseconds since the epoch; 0 without any.
    pub oldest_ms: AtomicU64,
}

/// Where messages of a channel go.
#[derive(Debug)]
enum Exit {
    /// They leave.
    Way(Arc<dyn Way>),
    /// They are shown.
    DevMailbox,
    /// None are taken.
    Closed,
}

#[derive(Debug)]
struct Lane {
    exit: Exit,
    figures: Figures,
    /// Told when something may be waiting.
    news: Notify,
}

impl Lane {
    fn new(way: Option<Arc<dyn Way>>, dev_mailbox: bool) -> Lane {
        let otherwise = if dev_mailbox { Exit::DevMailbox } else { Exit::Closed };
        Lane { exit: way.map_or(otherwise, Exit::Way), figures: Figures::default(), news: Notify::new() }
    }
}

/// A code that may be written, with where it was taken from.
#[derive(Debug, Clone, Copy)]
pub struct Taken<'a>(Option<&'a Buckets<()>>);

impl Taken<'_> {
    /// It was not written.
    pub fn give_back(self) {
        if let Some(from) = self.0 {
            from.give(&());
        }
    }
}

/// Messages to users. See the module's header.
#[derive(Debug)]
pub struct Messenger {
    office: Arc<Office>,
    sealer: Arc<Sealer>,
    texts: Messages,
    mail: Lane,
    sms: Lane,
    sms_settings: SmsSettings,
    /// Codes by text that may still be written: each costs money, whoever asks for it. What is kept for who is known is apart.
    sms_left: Buckets<()>,
    sms_kept: Buckets<()>,
}

impl Messenger {
    /// The channels of the settings, whose secrets are read from their files. Nothing is sent before a worker runs.
    pub(crate) fn open(config: &Config, office: &Arc<Office>, sealer: &Arc<Sealer>) -> Result<Messenger, ConfigError> {
        let (mail, sms) = (&config.mail, &config.sms);
        let conflict = ConfigError::Conflict;
        let mail_way: Option<Arc<dyn Way>> = if mail.is_on() {
            let has_login = !mail.user.is_empty();
            let password = if has_login { Some(secret("mail.password_file", &mail.password_file)?) } else { None };
            Some(Arc::new(Smtp::new(mail, password).map_err(conflict)?))
        } else {
            None
        };
        let sms_way: Option<Arc<dyn Way>> = if sms.is_on() {
            let secret = secret("sms.secret_file", &sms.secret_file)?;
            Some(Arc::new(Hook::new(sms, &secret, &config.site.site_name).map_err(conflict)?))
        } else {
            None
        };
        Ok(Messenger {
            office: office.clone(),
            sealer: sealer.clone(),
            texts: Messages::load(&config.files.locales)?,
            mail: Lane::new(mail_way, config.auth.dev_mailbox),
            sms: Lane::new(sms_way, config.auth.dev_mailbox),
            sms_settings: sms.clone(),
            sms_left: Buckets::new(sms.most_an_hour, HOUR),
            sms_kept: Buckets::new(sms.most_an_hour / KEPT_PART, HOUR),
        })
    }

    fn lane(&self, channel: Channel) -> &Lane {
        match channel {
            Channel::Mail => &self.mail,
            Channel::Sms => &self.sms,
        }
    }

    /// What is counted of a channel.
    #[must_use]
    pub fn figures(&self, channel: Channel) -> &Figures {
        &self.lane(channel).figures
    }

    /// Whether messages to a contact go anywhere.
    #[must_use]
    pub fn reaches(&self, contact: &Contact) -> bool {
        let is_served = match contact {
            Contact::Email(_) => true,
            Contact::Phone { area, .. } => self.sms_settings.is_served(area),
        };
        is_served && !matches!(self.lane(channel_of(contact)).exit, Exit::Closed)
    }

    /// Takes one of the codes that may be written to contacts of this kind; none when none is left for now. Who `is_known` has some
    /// that nobody else uses up.
    #[must_use]
    pub fn take(&self, contact: &Contact, is_known: bool) -> Option<Taken<'_>> {
        if channel_of(contact) == Channel::Mail {
            return Some(Taken(None));
        }
        let kept = is_known.then_some(&self.sms_kept);
        let from = kept.into_iter().chain([&self.sms_left]).find(|left| left.take(()))?;
        Some(Taken(Some(from)))
    }

    /// A letter as it is put into the outbox; none where messages to the contact go nowhere. A mail to a `user` carries that user's
    /// anti-phishing text.
    #[must_use]
    pub fn write(
        &self,
        (contact, user): (&Contact, Option<&User>),
        letter: Letter<'_>,
        lang: Lang,
        expires_ms: u64,
    ) -> Option<NewMessage> {
        let (channel, destination) = (channel_of(contact), contact.key());
        let is_shown = match self.lane(channel).exit {
            Exit::Way(_) => false,
            Exit::DevMailbox => true,
            Exit::Closed => return None,
        };
        let (subject, text) = letter.words(&self.texts, lang);
        let text = match channel {
            Channel::Mail => with_phrase(&self.texts, lang, text, user.and_then(|user| self.phrase(user))),
            // Each part of a text to a phone costs money.
            Channel::Sms => text,
        };
        let sealed = self.sealer.seal(&owner(&destination), text.as_bytes());
        let lang = lang.name().to_owned();
        Some(NewMessage { channel, destination, lang, subject, sealed, is_shown, expires_ms })
    }

    /// The anti-phishing text of a user's mails.
    #[must_use]
    pub fn phrase(&self, user: &User) -> Option<String> {
        let sealed = user.mail_phrase.as_ref()?;
        String::from_utf8(self.sealer.open_sealed(&phrase_of(user.id), sealed)?).ok()
    }

    /// Such a text as it is kept.
    #[must_use]
    pub fn seal_phrase(&self, user: AccountId, phrase: &str) -> Vec<u8> {
        self.sealer.seal(&phrase_of(user), phrase.as_bytes())
    }

    /// Something was put into the outbox: it need not wait until somebody looks.
    pub fn wake(&self, contact: &Contact) {
        self.lane(channel_of(contact)).news.notify_one();
    }

    fn text(&self, destination: &str, sealed: &[u8]) -> Option<String> {
        String::from_utf8(self.sealer.open_sealed(&owner(destination), sealed)?).ok()
    }

    /// The dev mailbox, newest first; of one destination when `to` is not empty.
    pub async fn mailbox(&self, to: &str) -> Result<Vec<Value>, OfficeError> {
        let shown = self.office.shown_messages((!to.is_empty()).then_some(to), SHOWN).await?;
        let row = |m: xng_persistence::office::ShownMessage| {
            json!({
                "id": m.id, "channel": m.channel, "to": m.destination, "subject": m.subject,
                "text": self.text(&m.destination, &m.sealed), "created_ms": m.created_ms,
            })
        };
        Ok(shown.into_iter().map(row).collect())
    }
}

fn channel_of(contact: &Contact) -> Channel {
    match contact {
        Contact::Email(_) => Channel::Mail,
        Contact::Phone { .. } => Channel::Sms,
    }
}

/// What a text is sealed for.
fn owner(destination: &str) -> String {
    format!("message to {destination}")
}

/// What an anti-phishing text is sealed for.
fn phrase_of(user: AccountId) -> String {
    format!("mail phrase of {}", user.0)
}

/// What a file of a secret holds, without the end of its line.
fn secret(setting: &str, path: &Path) -> Result<String, ConfigError> {
    let failed =
        |message: String| ConfigError::File { path: path.to_owned(), message: format!("{setting}: {message}") };
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.is_empty() { Err(failed("it is empty".into())) } else { Ok(secret.to_owned()) }
}
