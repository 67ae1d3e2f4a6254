//! Authentication: registration, verification codes, logins, second factors, sessions, API keys. The data are in the office
//! database; sessions are cached here, so that logged-in users keep trading while that database is unavailable.
//!
//! Owns: registration, login, passwords, favourites; `sessions`, `codes`, `second_factor`, `pay_password`, `address_book` and
//! `api_keys` own the rest.
//! Never does: store a secret in plain text (tokens and codes are hashed, passwords use Argon2id, API secrets are encrypted);
//! reveal whether an account exists.
//! Invariants: an unknown account and a wrong password get the same answer after the same work; an attempt is counted before it is
//! checked; no user can lock out another (`login_limits`).
//! Known limits: failed logins and codes are counted in memory and forgotten at a restart.
//! Rules: `docs/rules/authentication.md`.

pub mod address_book;
pub mod api_keys;
pub mod cards;
pub mod challenges;
mod codes;
mod contacts;
mod hasher;
mod key_changes;
pub mod locked;
pub(crate) mod login_limits;
mod mail_phrase;
mod messages;
mod office;
pub mod passkeys;
mod pay_password;
pub mod rules;
pub mod sealing;
pub mod second_factor;
pub mod secrets;
mod session;
mod sessions;
pub mod signatures;
mod totp;
pub mod verification;
mod visitors;

use crate::api::http::errors::{Code, Failure};
use crate::api::http::limits::{Buckets, network};
use crate::common::passkeys::Site;
use crate::common::time::{Ms, now_ms};
use crate::config::{self, Config, Profile};
use crate::messenger::{Letter, Messenger};
use crate::redis::Hot;
use crate::startup::start_error::StartError;
use api_keys::ApiKeys;
use challenges::Challenges;
pub use codes::Asker;
pub(crate) use contacts::NOTICE_MS;
use dashmap::DashMap;
use hasher::Hasher;
use locked::LockedAccounts;
use login_limits::{LoginLimits, Place, Trial};
use office::{away, login_of, now};
use rules::Contact;
use sealing::{CodeHasher, Sealer};
use second_factor::Method;
use secrets::digest;
use serde_json::{Value, json};
use session::Cached;
pub use session::{Kick, LoginFrom, Session, SessionRow};
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::broadcast;
use xng_core::ids::{AccountId, AssetId, MarketId};
pub use xng_persistence::office::Purpose;

use xng_persistence::office::{
    ApplicationState, AuditEntry, CodeCheck, CodeClaim, CodeUse, NewSession, Office, Registration, TokenHash,
    TraderApplication, User, Watching,
};

/// Pairs on one watchlist.
const FAVOURITES: u32 = 100;
/// So long a halt waits for its row of the audit.
const HALT_WAITS: Duration = Duration::from_secs(1);
/// Wrong codes of a second factor of one account …
const WRONG_FACTORS: u32 = 10;
/// … within this time; as many for each address where its user logged in of late.
const WRONG_FACTORS_WITHIN: Duration = Duration::from_secs(3_600);
/// Codes to contacts that may be somebody else's, of one user in a day; and documents that one user sends in.
const FOREIGN_SENDS: u32 = 10;
const DOCUMENTS: u32 = 10;
const DAY: Duration = Duration::from_secs(86_400);

/// A user as calls show them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct UserInfo {
    pub email: Option<String>,
    pub phone: Option<String>,
    pub area_code: String,
    pub nickname: String,
    pub signature: String,
    pub avatar: String,
    pub extension_code: String,
    pub has_pay_password: bool,
    pub invited: u64,
    pub created_ms: Ms,
}

/// A user's wish to become a trader.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Application {
    /// 0 none, 1 applied, 2 approved, 3 refused.
    pub state: u8,
    /// What they say of themselves.
    pub intro: String,
    /// Of whoever decided.
    pub reason: String,
}

/// Somebody who registers.
#[derive(Debug)]
pub struct NewUser {
    /// What they will log in with.
    pub contact: Contact,
    /// Their password, checked.
    pub password: String,
    /// Whose invitation code they have.
    pub inviter: Option<String>,
}

/// Users and what proves who somebody is.
#[derive(Debug)]
pub struct Auth {
    office: Arc<Office>,
    hasher: Hasher,
    code_hasher: CodeHasher,
    sessions: DashMap<TokenHash, Cached>,
    /// Sessions that ended so far: tells whether one may have ended while the database was read.
    ended: AtomicU64,
    kicks: broadcast::Sender<Kick>,
    login_limits: LoginLimits,
    challenges: Challenges,
    factor_tries: Buckets<(AccountId, Option<IpAddr>, bool)>,
    /// Codes to contacts that a user does not have yet, and documents: each may be somebody else's.
    foreign_sends: Buckets<AccountId>,
    documents: Buckets<AccountId>,
    settings: config::Auth,
    /// So long a new address waits before it is paid, milliseconds.
    address_wait_ms: u64,
    /// The site that passkeys are for; none where there are none.
    site: Option<Site>,
    demo: bool,
    hot: OnceLock<Hot>,
    locked: LockedAccounts,
    /// What users are told by mail and by phone.
    pub messenger: Arc<Messenger>,
    /// Keys of the programmatic API.
    pub keys: ApiKeys,
}

impl Auth {
    /// Opens the office database of a data folder and starts the hashing threads.
    pub async fn open(data_dir: &Path, config: &Config) -> Result<Auth, StartError> {
        let office = Arc::new(Office::open(&data_dir.join("office.db")).await?);
        let locked = LockedAccounts::default();
        locked.add(office.locked_before().await?);
        let sealer = Arc::new(Sealer::open(data_dir)?);
        let code_hasher = sealer.code_hasher();
        let messenger = Arc::new(Messenger::open(config, &office, &sealer)?);
        let keys = ApiKeys::open(&office, sealer, locked.clone()).await?;
        let hasher = Hasher::start(&config.auth, &office.password_costs().await?).map_err(StartError::Hasher)?;
        Ok(Auth {
            keys,
            office,
            hasher,
            code_hasher,
            sessions: DashMap::new(),
            ended: AtomicU64::new(0),
            kicks: broadcast::channel(1_024).0,
            login_limits: LoginLimits::default(),
            challenges: Challenges::default(),
            factor_tries: Buckets::new(WRONG_FACTORS, WRONG_FACTORS_WITHIN),
            foreign_sends: Buckets::new(FOREIGN_SENDS, DAY),
            documents: Buckets::new(DOCUMENTS, DAY),
            settings: config.auth.clone(),
            address_wait_ms: 1_000 * config.withdrawals.new_address_wait_s,
            site: config.passkey_site(),
            demo: config.profile == Profile::Demo,
            hot: OnceLock::new(),
            locked,
            messenger,
        })
    }

    /// The office database, for who has a desk of their own.
    #[must_use]
    pub fn office(&self) -> Arc<Office> {
        self.office.clone()
    }

    /// The PHC string of a password of the staff.
    pub(crate) async fn hash_password(&self, password: &str) -> Result<String, Failure> {
        self.hasher.hash(password).await
    }

    /// Whether a password is the expected one; nobody's costs the same work.
    pub(crate) async fn is_password(&self, password: &str, expected: Option<&str>) -> Result<bool, Failure> {
        self.hasher.verify(password, expected).await
    }

    /// The account of a user whom a contact names.
    pub(crate) async fn account_of(&self, contact: &Contact) -> Result<Option<AccountId>, Failure> {
        Ok(self.named(Some(contact)).await?.map(|user| user.id))
    }

    /// New users get ids above `taken`, the highest account that the journal knows: this database may be older than the
    /// journal, restored from a backup.
    pub async fn raise_ids(&self, taken: AccountId) -> Result<(), StartError> {
        Ok(self.office.raise_ids(taken).await?)
    }

    /// Writes what was done into the audit. What is done stands: without the database it could not have been done.
    async fn audit(&self, user: AccountId, action: &str, ip: IpAddr) {
        self.audit_about(user, action, &json!({}), ip).await;
    }

    /// As [`Self::audit`], with what it was done to.
    async fn audit_about(&self, user: AccountId, action: &str, detail: &Value, ip: IpAddr) {
        let entry = AuditEntry {
            actor: format!("user:{}", user.0),
            action: action.to_owned(),
            subject: format!("user:{}", user.0),
            detail: detail.to_string(),
            ip: ip.to_string(),
        };
        if let Err(error) = self.office.append_audit(&entry, now()).await {
            tracing::error!(%error, action, "the audit lacks an entry");
        }
    }

    /// Counts a file against its user's quota of bytes.
    pub async fn reserve_upload(&self, user: AccountId, bytes: u64, limit: u64) -> Result<(), Failure> {
        let fits = self.office.reserve_upload(user, bytes, limit).await.map_err(away)?;
        if fits { Ok(()) } else { Err(Code::Limit.into()) }
    }

    /// Makes a user; the code is used up in the same write.
    pub async fn register(&self, new: NewUser, code: &str, ip: IpAddr) -> Result<AccountId, Failure> {
        let proof = self.claim(Purpose::Register, &new.contact, Asker { ip, session: None }, code);
        // The code first: hashing a password is dear, and a stranger without a code must not make us do it.
        let checked = self.office.check_code(&proof, CodeUse::Verify { for_ms: 0 }, now()).await.map_err(away)?;
        if checked != CodeCheck::Right {
            return Err(Code::BadCode.into());
        }
        let user = self.make_user(new, Some(proof)).await?;
        self.audit(user, "register", ip).await;
        Ok(user)
    }

    async fn make_user(&self, new: NewUser, proof: Option<CodeClaim>) -> Result<AccountId, Failure> {
        let user = xng_persistence::office::NewUser {
            login: login_of(&new.contact),
            password_hash: self.hasher.hash(&new.password).await?,
            nickname: String::new(),
            inviter_code: new.inviter,
            proof,
        };
        match self.office.register(&user, now()).await.map_err(away)? {
            Registration::Done(user) => Ok(user.id),
            Registration::Taken => Err(Failure::text(Code::Exists, "account_exists")),
            Registration::UnknownInviter => Err(Failure::text(Code::Parameter, "invitation_needed")),
            Registration::Code(_) => Err(Code::BadCode.into()),
        }
    }

    /// Logs in: a token and whose it is. One answer for an unknown account and a wrong password, after the same work.
    ///
    /// # Errors
    /// 1009, 1018 and 1007 as the rules have it; 1021 with a challenge once the password was right and a second factor is asked
    /// for.
    pub async fn login(
        &self,
        name: &str,
        contact: Option<Contact>,
        password: &str,
        from: LoginFrom<'_>,
    ) -> Result<(String, AccountId), Failure> {
        let ip = from.ip;
        let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let contact = contact.or_else(|| (self.demo && plain).then(|| demo_contact(name)));
        let key = contact.as_ref().map_or_else(|| name.chars().take(64).collect(), Contact::key);
        if !self.login_limits.admits(ip) {
            return Err(Code::TooMany.into());
        }
        let place = Place::new(key, ip);
        let address = place.address().to_string();
        let user = self.named(contact.as_ref()).await?;
        // Looked up of nobody too: the time tells nothing.
        let id = user.as_ref().map_or(AccountId(0), |user| user.id);
        let is_known = self.office.knows_address(id, &address, now()).await.map_err(away)?;
        let trial = self.login_limits.begin(&place);
        if trial == Trial::Refused {
            return Err(Code::TooMany.into());
        }
        let expected = user.as_ref().map(|user| user.password_hash.as_str());
        let is_right = self.hasher.verify(password, expected).await;
        let opens = is_right.as_ref().map(|is_right| *is_right && (trial == Trial::Open || is_known));
        // Only what opens nothing stays counted: a busy moment is nobody's guess.
        if !matches!(opens, Ok(false)) {
            self.login_limits.give_back(&place, trial);
        }
        let user = user.filter(|_| matches!(opens, Ok(true)));
        is_right?;
        let user = user.ok_or(if trial == Trial::Open { Code::BadLogin } else { Code::TooMany })?;
        if self.locked.contains(user.id) {
            return Err(Code::AccountLocked.into());
        }
        if let Some(second) = self.second_step(&user, password, ip).await? {
            return Err(second);
        }
        // The password may have been changed since it was looked at; then it opens nothing any more.
        let opened = self.open_session((&user, &user.password_hash), false, from).await?;
        let token = opened.ok_or(Code::BadLogin)?;
        self.renew_hash(&user, password).await;
        Ok((token, user.id))
    }

    /// Begins a session of a user while the hash of the password is still `verified`: its token. Who has not logged in from this
    /// address of late, but from others, is told by mail.
    async fn open_session(
        &self,
        (user, verified): (&User, &str),
        with_factor: bool,
        LoginFrom { ip, lang, agent }: LoginFrom<'_>,
    ) -> Result<Option<String>, Failure> {
        let token = secrets::token();
        let expires_ms = (now_ms() + self.idle_ms()) as u64;
        let (address, ip_text) = (network(ip.to_canonical()).to_string(), ip.to_string());
        let (hash, agent) = (digest(&token), agent.to_owned());
        let mail = user.email.clone().map(Contact::Email);
        let letter = Letter::LoginElsewhere(&ip_text);
        let (to, until) = (mail.as_ref(), now() + NOTICE_MS);
        let notice = to.and_then(|to| self.messenger.write((to, Some(user)), letter, lang, until));
        let (user, lang) = (user.id, lang.name().to_owned());
        let new = NewSession { token: hash, user, expires_ms, ip: ip_text, address, agent, with_factor, lang, notice };
        let begun = self.office.begin_session(&new, verified, self.settings.sessions_per_user, now());
        let Some(ended) = begun.await.map_err(away)? else { return Ok(None) };
        ended.iter().for_each(|id| self.forget(id, "expired"));
        mail.iter().for_each(|to| self.messenger.wake(to));
        self.audit(user, "login", ip).await;
        Ok(Some(token))
    }

    async fn named(&self, contact: Option<&Contact>) -> Result<Option<User>, Failure> {
        match contact {
            Some(contact) => self.office.find_login(&login_of(contact)).await.map_err(away),
            None => Ok(None),
        }
    }

    /// A password that was hashed at another cost than today's is hashed anew, now that it is known. A later login tries
    /// again if this one cannot. The new hash, if there is one.
    async fn renew_hash(&self, user: &User, password: &str) -> Option<String> {
        if !self.hasher.is_outdated(&user.password_hash) {
            return None;
        }
        let hash = self.hasher.hash(password).await.ok()?;
        let renewed = self.office.rehash_password(user.id, &user.password_hash, &hash).await;
        let renewed = renewed.inspect_err(|error| tracing::warn!(%error, "a password keeps its old hash")).ok()?;
        // Two logins at once: the other one's is kept.
        renewed.then_some(hash)
    }

    /// A new password by a code that is used up; all sessions end, and keys that may trade are of no use until the user
    /// confirms them: who has the mailbox need not have made them. The code is verified before the hash is made, which is
    /// dear, and used up after it, which may be refused for now: a busy moment costs nobody the code that was sent. A second factor
    /// that is in use is asked for besides (1022 without it), and spent before.
    pub async fn reset_password(
        &self,
        contact: &Contact,
        (code, second): (&str, Option<(Method, &str)>),
        password: &str,
        ip: IpAddr,
    ) -> Result<(), Failure> {
        let claim = self.claim(Purpose::Forget, contact, Asker { ip, session: None }, code);
        let checked = self.office.check_code(&claim, CodeUse::Verify { for_ms: 0 }, now()).await.map_err(away)?;
        let user = self.office.find_login(&login_of(contact)).await.map_err(away)?;
        let (CodeCheck::Right, Some(user)) = (checked, user) else { return Err(Code::BadCode.into()) };
        // Before the hash, which is dear: tries of a factor are few.
        let with_factor = self.spend_at_reset(user.id, second, ip).await?;
        let hash = self.hasher.hash(password).await?;
        let used = self.office.check_code(&claim, CodeUse::Consume, now()).await.map_err(away)?;
        if used != CodeCheck::Right {
            return Err(Code::BadCode.into());
        }
        let audit = second_factor::entry(user.id, "reset password", &json!({}), ip);
        let suspending = self.keys.changing().await;
        let ended = self.office.reset_password(user.id, &hash, with_factor, (&audit, now())).await.map_err(away)?;
        // A factor was confirmed meanwhile.
        let Some(ended) = ended else { return Err(Code::BadCode.into()) };
        ended.keys.iter().for_each(|name| self.keys.end(name));
        drop(suspending);
        ended.sessions.iter().for_each(|id| self.forget(id, "expired"));
        Ok(())
    }

    /// A user's own data.
    pub async fn user(&self, account: AccountId) -> Result<UserInfo, Failure> {
        let user = self.office.user(account).await.map_err(away)?.ok_or(Code::NotFound)?;
        let (invited, _) = self.office.invited(account, 0).await.map_err(away)?;
        Ok(UserInfo {
            email: user.email,
            phone: user.phone.as_ref().map(|p| p.number.clone()),
            area_code: user.phone.map(|p| p.area_code).unwrap_or_default(),
            nickname: if user.nickname.is_empty() { format!("User{}", user.id.0) } else { user.nickname },
            signature: user.signature,
            avatar: user.avatar,
            extension_code: user.extension_code,
            has_pay_password: user.pay_password_hash.is_some(),
            invited,
            created_ms: user.created_ms as Ms,
        })
    }

    /// Adds a pair to a user's favourites.
    pub async fn favourite_add(&self, user: AccountId, asset: AssetId, market: MarketId) -> Result<u64, Failure> {
        match self.office.watch(user, asset, market, FAVOURITES, now()).await.map_err(away)? {
            Watching::Added(id) => Ok(id),
            Watching::AlreadyThere => Err(Code::Exists.into()),
            Watching::Full => Err(Code::Limit.into()),
        }
    }

    /// Takes a pair off a user's favourites.
    pub async fn favourite_del(&self, user: AccountId, id: u64) -> Result<(), Failure> {
        if self.office.unwatch(user, id).await.map_err(away)? { Ok(()) } else { Err(Code::NotFound.into()) }
    }

    /// A user's favourites.
    pub async fn favourites(&self, user: AccountId) -> Result<Vec<(u64, AssetId, MarketId)>, Failure> {
        let list = self.office.watchlist(user).await.map_err(away)?;
        Ok(list.into_iter().map(|w| (w.id, w.asset, w.market)).collect())
    }

    /// What is known of a user's wish to become a trader.
    pub async fn trader_application(&self, user: AccountId) -> Result<Application, Failure> {
        let found = self.office.trader_application(user).await.map_err(away)?;
        Ok(found.map_or_else(Application::default, |found| Application {
            state: found.state as u8,
            intro: found.intro,
            reason: found.reason,
        }))
    }

    /// Takes an application, unless one waits; whether it did.
    pub async fn apply_as_trader(&self, user: AccountId, intro: &str) -> Result<bool, Failure> {
        self.office.apply_as_trader(user, intro, now()).await.map_err(away)
    }

    /// Applications that wait, the oldest first.
    pub async fn waiting_traders(&self, limit: u32) -> Result<Vec<TraderApplication>, Failure> {
        self.office.waiting_traders(limit).await.map_err(away)
    }

    /// Writes into the audit what an operator is about to do; the subject is a user's number, or the name of a market or venue.
    pub async fn audit_operator(&self, by: &str, action: &str, subject: &str, reason: &str) -> Result<(), Failure> {
        let entry = of_operator(by, action, subject, reason);
        self.office.append_audit(&entry, now()).await.map(drop).map_err(away)
    }

    /// The same of a halt by the operator's tool: see [`Auth::note_a_halt`].
    pub async fn note_operators_halt(&self, by: &str, action: &str, subject: &str, reason: &str) {
        self.note_a_halt(of_operator(by, action, subject, reason)).await;
    }

    /// Writes a row of the audit about a halt, which waits for no database: after a second it goes on, and the row comes when it
    /// can. When the audit does not take it, the log has it.
    pub async fn note_a_halt(&self, entry: AuditEntry) {
        let office = self.office.clone();
        let noted = tokio::spawn(async move {
            if let Err(error) = office.append_audit(&entry, now()).await {
                let AuditEntry { actor, action, subject, detail, .. } = entry;
                tracing::error!(%error, actor, action, subject, detail, "a halt that the audit could not take");
            }
        });
        if tokio::time::timeout(HALT_WAITS, noted).await.is_err() {
            tracing::warn!("a halt goes before its row of the audit");
        }
    }

    /// Takes away the factors of a user who lost them, by an operator's word, and ends all sessions. False when there are none.
    pub async fn remove_factors(&self, account: AccountId, by: &str, reason: &str) -> Result<bool, Failure> {
        let entry = of_operator(by, "remove factors", &format!("user:{}", account.0), reason);
        let Some(ended) = self.office.remove_factors(account, &entry, now()).await.map_err(away)? else {
            return Ok(false);
        };
        ended.iter().for_each(|id| self.forget(id, "expired"));
        Ok(true)
    }

    /// Notes what an operator decided about an application.
    pub async fn decide_trader(&self, user: AccountId, approved: bool, reason: &str) -> Result<(), Failure> {
        let state = if approved { ApplicationState::Approved } else { ApplicationState::Refused };
        self.office.decide_trader(user, state, reason, now()).await.map_err(away)
    }

    /// The accounts of some of the demo's users.
    pub async fn demo_accounts(&self, names: &[String]) -> Result<Vec<AccountId>, Failure> {
        let mut accounts = Vec::new();
        for name in names.iter().filter(|_| self.demo) {
            let found = self.office.find_login(&login_of(&demo_contact(name))).await.map_err(away)?;
            accounts.extend(found.map(|user| user.id));
        }
        Ok(accounts)
    }

    /// Makes the demo's users; those that exist stay.
    pub async fn plant_demo_users(&self, config: &Config) -> Result<(), Failure> {
        for name in config.demo.users.iter().filter(|_| self.demo) {
            let contact = demo_contact(name);
            if self.office.find_login(&login_of(&contact)).await.map_err(away)?.is_some() {
                continue;
            }
            let new = NewUser { contact, password: config.demo.password.clone(), inviter: None };
            self.make_user(new, None).await?;
        }
        Ok(())
    }
}

/// A row of the audit about what an operator does with the tool.
fn of_operator(by: &str, action: &str, subject: &str, reason: &str) -> AuditEntry {
    let detail = serde_json::json!({ "reason": reason }).to_string();
    AuditEntry { actor: by.into(), action: action.into(), subject: subject.into(), detail, ip: String::new() }
}

/// A demo user logs in by name or by this address, which belongs to nobody.
fn demo_contact(name: &str) -> Contact {
    Contact::Email(format!("{name}@example.com"))
}
