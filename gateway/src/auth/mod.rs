//! Who is who: registration, codes, logins, sessions. Paperwork lies in the office database; sessions are cached here,
//! so that who is logged in trades on while that database is away.
//!
//! Never does: keep a secret in the clear (tokens and codes are hashed, passwords go through Argon2id); tell whether an
//! account exists.
//! Rules: `spec/domain.md` 1.2, 3.2; `design/reliability.md` section 4 rows 1 to 9.

mod hasher;
pub mod rules;
pub mod secrets;

use crate::config::{self, Config, Profile};
use crate::exchange::StartError;
use crate::hot::{Hot, HotSession};
use crate::http::errors::{Code, Failure};
use crate::http::i18n::{Lang, Messages};
use crate::http::limits::{Buckets, network};
use crate::time::{Ms, now_ms};
use dashmap::DashMap;
use hasher::Hasher;
use rules::Contact;
use secrets::digest;
use std::net::IpAddr;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::broadcast;
use xng_core::ids::{AccountId, AssetId, MarketId};
pub use xng_persistence::office::Purpose;
use xng_persistence::office::{
    self, AuditEntry, CodeCheck, CodeClaim, CodeUse, Login, NewSession, Office, OfficeError, Phone, Registration,
    SendCheck, SendLimits, TokenHash, UserStatus, Watching,
};

/// A code is good for this long, and once verified again for this long.
const CODE_MS: u64 = 600_000;
/// Failed logins of one account within [`FAILED_WITHIN`] …
const FAILED_LOGINS: u32 = 5;
/// … lock its logins for as long.
const FAILED_WITHIN: Duration = Duration::from_secs(900);
/// Logins from one network within [`FAILED_WITHIN`].
const LOGINS_BY_NETWORK: u32 = 300;
/// A session's end moves on when it was last moved this long ago.
const TOUCH_MS: Ms = 300_000;
/// Pairs on one watchlist.
const FAVOURITES: u32 = 100;

/// A session that is alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    /// Hash of its token.
    pub id: TokenHash,
    /// Whose.
    pub account: AccountId,
}

/// A token that died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kick {
    /// Hash of the token.
    pub session: TokenHash,
    /// `logout`, `expired` or `locked`.
    pub reason: &'static str,
}

/// A session as its user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// Hash of its token.
    pub id: TokenHash,
    /// What the user names it by.
    pub number: u64,
    /// Where from.
    pub ip: String,
    /// Since when.
    pub created_ms: Ms,
    /// Last seen.
    pub seen_ms: Ms,
}

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

#[derive(Debug, Clone, Copy)]
struct Cached {
    account: AccountId,
    created_ms: Ms,
    expires_ms: Ms,
    touched_ms: Ms,
}

impl Cached {
    fn hot(&self) -> HotSession {
        let Cached { account, created_ms, expires_ms, .. } = *self;
        HotSession { account: account.0, created_ms, expires_ms }
    }
}

/// The desk for all of this.
#[derive(Debug)]
pub struct Auth {
    office: Office,
    hasher: Hasher,
    sessions: DashMap<TokenHash, Cached>,
    /// Sessions that ended so far: tells whether one may have ended while the database was read.
    ended: AtomicU64,
    kicks: broadcast::Sender<Kick>,
    failures: Buckets<String>,
    locked: DashMap<String, Ms>,
    networks: Buckets<IpAddr>,
    settings: config::Auth,
    demo: bool,
    mails: Messages,
    hot: OnceLock<Hot>,
}

fn away(error: OfficeError) -> Failure {
    tracing::warn!(%error, "the office database did not answer");
    Failure::text(Code::Busy, "login_later")
}

fn now() -> u64 {
    now_ms() as u64
}

fn login_of(contact: &Contact) -> Login {
    match contact {
        Contact::Email(address) => Login::Email(address.clone()),
        Contact::Phone { area, number } => Login::Phone(Phone { area_code: area.clone(), number: number.clone() }),
    }
}

fn claim(purpose: Purpose, contact: &Contact, code: &str) -> CodeClaim {
    let destination = contact.key();
    // Hashed with what it is for: a code proves nothing anywhere else.
    let hash = digest(&format!("{}:{destination}:{code}", purpose.name()));
    CodeClaim { purpose, destination, hash }
}

impl Auth {
    /// Opens the office database and starts the hashing threads.
    pub async fn open(path: &Path, config: &Config) -> Result<Auth, StartError> {
        let office = Office::open(path).await?;
        Ok(Auth {
            office,
            hasher: Hasher::start(&config.auth).map_err(StartError::Hasher)?,
            sessions: DashMap::new(),
            ended: AtomicU64::new(0),
            kicks: broadcast::channel(1_024).0,
            failures: Buckets::new(FAILED_LOGINS, FAILED_WITHIN),
            locked: DashMap::new(),
            networks: Buckets::new(LOGINS_BY_NETWORK, FAILED_WITHIN),
            settings: config.auth.clone(),
            demo: config.profile == Profile::Demo,
            mails: Messages::load(&config.files.locales)?,
            hot: OnceLock::new(),
        })
    }

    /// Shows live sessions to other gateways from now on.
    pub fn share_sessions(&self, hot: Hot) {
        let again = self.hot.set(hot);
        debug_assert!(again.is_ok(), "there is one Redis");
    }

    /// All live sessions, as other gateways see them.
    #[must_use]
    pub fn hot_sessions(&self) -> Vec<(TokenHash, HotSession)> {
        self.sessions.iter().map(|session| (*session.key(), session.hot())).collect()
    }

    /// New users get ids above `taken`, the highest account that the journal knows: this database may be older than the
    /// journal, restored from a backup.
    pub async fn raise_ids(&self, taken: AccountId) -> Result<(), StartError> {
        Ok(self.office.raise_ids(taken).await?)
    }

    /// Hears of every token that dies.
    #[must_use]
    pub fn kicks(&self) -> broadcast::Receiver<Kick> {
        self.kicks.subscribe()
    }

    fn idle_ms(&self) -> Ms {
        Ms::from(self.settings.session_idle_hours) * 3_600_000
    }

    fn absolute_ms(&self) -> Ms {
        Ms::from(self.settings.session_absolute_hours) * 3_600_000
    }

    /// The session of a token, or 999.
    pub async fn session(&self, token: &str) -> Result<Session, Failure> {
        let id = digest(token);
        let now = now_ms();
        let cached = match self.sessions.get(&id).map(|c| *c) {
            Some(cached) => cached,
            None => self.find_session(id).await?,
        };
        if now >= cached.expires_ms || now >= cached.created_ms + self.absolute_ms() {
            self.forget(&id, "expired");
            return Err(Code::NeedsLogin.into());
        }
        if now - cached.touched_ms > TOUCH_MS && !self.touch(id, now).await {
            return Err(Code::NeedsLogin.into());
        }
        Ok(Session { id, account: cached.account })
    }

    /// Whether a session that was alive has not ended since.
    #[must_use]
    pub fn is_alive(&self, id: &TokenHash) -> bool {
        self.sessions.contains_key(id)
    }

    async fn find_session(&self, id: TokenHash) -> Result<Cached, Failure> {
        loop {
            let ended = self.ended.load(Ordering::SeqCst);
            let cached = self.read_session(id).await?;
            self.sessions.insert(id, cached);
            // It may have ended between the reading and the keeping: then what was kept is not to be trusted.
            if self.ended.load(Ordering::SeqCst) == ended {
                self.show(id, &cached);
                return Ok(cached);
            }
            self.sessions.remove(&id);
        }
    }

    fn show(&self, id: TokenHash, session: &Cached) {
        if let Some(hot) = self.hot.get() {
            hot.session_seen(id, session.hot());
        }
    }

    /// While the office's database is away, who was seen of late goes on.
    async fn seen_of_late(&self, id: TokenHash, error: OfficeError) -> Result<Cached, Failure> {
        let found = match self.hot.get() {
            Some(hot) => hot.find_session(&id).await,
            None => None,
        };
        let HotSession { account, created_ms, expires_ms } = found.ok_or_else(|| away(error))?;
        Ok(Cached { account: AccountId(account), created_ms, expires_ms, touched_ms: now_ms() })
    }

    async fn read_session(&self, id: TokenHash) -> Result<Cached, Failure> {
        let found = match self.office.session(&id, now()).await {
            Ok(found) => found.ok_or(Code::NeedsLogin)?,
            Err(error) => return self.seen_of_late(id, error).await,
        };
        let user = self.office.user(found.user).await.map_err(away)?.ok_or(Code::NeedsLogin)?;
        if user.status == UserStatus::Locked {
            return Err(Code::NeedsLogin.into());
        }
        Ok(Cached {
            account: found.user,
            created_ms: found.created_ms as Ms,
            expires_ms: found.expires_ms as Ms,
            touched_ms: found.last_seen_ms as Ms,
        })
    }

    /// Moves a session's end on; false when it has ended. Without the database it goes on as it is.
    async fn touch(&self, id: TokenHash, now: Ms) -> bool {
        let expires_ms = now + self.idle_ms();
        match self.office.touch_session(&id, now as u64, expires_ms as u64).await {
            Ok(true) => {
                // Only if it is still kept here: it may have ended meanwhile, which the next call finds out.
                if let Some(mut session) = self.sessions.get_mut(&id) {
                    (session.expires_ms, session.touched_ms) = (expires_ms, now);
                    self.show(id, &session);
                }
                true
            }
            Ok(false) => {
                self.forget(&id, "expired");
                false
            }
            Err(error) => {
                tracing::warn!(%error, "a session was not touched");
                true
            }
        }
    }

    /// Forgets sessions that ended and limits that no longer limit anybody.
    pub fn sweep(&self) {
        let now = now_ms();
        let is_over = |s: &Cached| now >= s.expires_ms || now >= s.created_ms + self.absolute_ms();
        let over = self.sessions.iter().filter(|s| is_over(s.value())).map(|s| *s.key());
        let over: Vec<TokenHash> = over.collect();
        over.iter().for_each(|id| self.forget(id, "expired"));
        self.locked.retain(|_, until| now < *until);
        self.failures.sweep();
        self.networks.sweep();
    }

    fn forget(&self, id: &TokenHash, reason: &'static str) {
        self.ended.fetch_add(1, Ordering::SeqCst);
        self.sessions.remove(id);
        if let Some(hot) = self.hot.get() {
            hot.session_ended(*id);
        }
        // Nobody listens while no worker runs.
        drop(self.kicks.send(Kick { session: *id, reason }));
    }

    /// Sends a code, or a notice when a code would tell whether the account exists.
    pub async fn send_code(&self, purpose: Purpose, contact: &Contact, ip: IpAddr) -> Result<(), Failure> {
        let destination = contact.key();
        let from = network(ip).to_string();
        let limits = SendLimits::default();
        let reserve = self.office.reserve_send(purpose, &destination, &from, &limits, now());
        if let SendCheck::Wait { .. } = reserve.await.map_err(away)? {
            return Err(Code::TooMany.into());
        }
        let known = self.office.find_login(&login_of(contact)).await.map_err(away)?.is_some();
        let code = secrets::code();
        let (subject, body) = match (purpose, known) {
            (Purpose::Register, true) => ("mail_exists_title", "mail_exists_text"),
            (Purpose::Register, false) | (_, true) => {
                self.office.put_code(&claim(purpose, contact, &code), now(), CODE_MS).await.map_err(away)?;
                ("mail_code_title", "mail_code_text")
            }
            (_, false) => ("mail_unknown_title", "mail_unknown_text"),
        };
        self.send(contact, subject, body, &code).await
    }

    async fn send(&self, contact: &Contact, subject: &str, body: &str, code: &str) -> Result<(), Failure> {
        if !self.settings.dev_mailbox {
            return Err(Code::UnderDevelopment.into());
        }
        let channel = match contact {
            Contact::Email(_) => "mail",
            Contact::Phone { .. } => "sms",
        };
        let text = |key: &str| self.mails.text(Lang::En, key, &[("code", code.to_owned())]);
        let (to, subject, body) = (contact.key(), text(subject), text(body));
        self.office.put_mail(channel, &to, &subject, &body, now()).await.map(drop).map_err(away)
    }

    /// The dev mailbox, newest first; of one destination when `to` is not empty.
    pub async fn mailbox(&self, to: &str) -> Result<Vec<serde_json::Value>, Failure> {
        let mails = self.office.mails((!to.is_empty()).then_some(to), 50).await.map_err(away)?;
        let row = |m: office::Mail| {
            serde_json::json!({
                "id": m.id, "channel": m.channel, "to": m.destination, "subject": m.subject, "text": m.body,
                "created_ms": m.created_ms,
            })
        };
        Ok(mails.into_iter().map(row).collect())
    }

    /// Checks a code without using it up; it stays good for ten minutes more. Without a purpose it is tried as what the
    /// newest code to that address was sent for, so that a wrong guess counts once.
    pub async fn check_code(&self, purpose: Option<Purpose>, contact: &Contact, code: &str) -> Result<(), Failure> {
        let purpose = match purpose {
            Some(purpose) => purpose,
            None => {
                let key = contact.key();
                let newest = self.office.newest_purpose(&key, &[Purpose::Register, Purpose::Forget]);
                newest.await.map_err(away)?.ok_or(Code::BadCode)?
            }
        };
        let usage = CodeUse::Verify { for_ms: CODE_MS };
        let checked = self.office.check_code(&claim(purpose, contact, code), usage, now()).await;
        if checked.map_err(away)? == CodeCheck::Right { Ok(()) } else { Err(Code::BadCode.into()) }
    }

    /// Writes what was done into the audit. What is done stands: without the database it could not have been done.
    async fn audit(&self, user: AccountId, action: &str, ip: IpAddr) {
        let entry = AuditEntry {
            actor: format!("user:{}", user.0),
            action: action.to_owned(),
            subject: format!("user:{}", user.0),
            detail: "{}".to_owned(),
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
        let proof = claim(Purpose::Register, &new.contact, code);
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
        let user = office::NewUser {
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
    pub async fn login(
        &self,
        name: &str,
        contact: Option<Contact>,
        password: &str,
        ip: IpAddr,
    ) -> Result<(String, AccountId), Failure> {
        let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let contact = contact.or_else(|| (self.demo && plain).then(|| demo_contact(name)));
        let key = contact.as_ref().map_or_else(|| name.chars().take(64).collect(), Contact::key);
        if self.locked.get(&key).is_some_and(|until| *until > now_ms()) || !self.networks.take(network(ip)) {
            return Err(Code::TooMany.into());
        }
        // Counted before the password is tried, so that guesses at the same moment count too; given back when it is right.
        if !self.failures.take(key.clone()) {
            self.locked.insert(key, now_ms() + FAILED_WITHIN.as_millis() as Ms);
            return Err(Code::TooMany.into());
        }
        // Only a wrong password stays counted: a database that is away or a busy moment is nobody's guess.
        let user = match self.by_password(contact.as_ref(), password).await {
            Ok(user) => user.ok_or(Code::BadLogin)?,
            Err(failure) => {
                self.failures.give(&key);
                return Err(failure);
            }
        };
        self.failures.give(&key);
        if user.status == UserStatus::Locked {
            return Err(Code::AccountLocked.into());
        }
        let token = secrets::token();
        let expires_ms = (now_ms() + self.idle_ms()) as u64;
        let (hash, from) = (digest(&token), ip.to_string());
        let new = NewSession { token: hash, user: user.id, expires_ms, ip: from, agent: String::new() };
        let begun = self.office.begin_session(&new, &user.password_hash, self.settings.sessions_per_user, now());
        // The password may have been changed since it was looked at; then it opens nothing any more.
        let ended = begun.await.map_err(away)?.ok_or(Code::BadLogin)?;
        ended.iter().for_each(|id| self.forget(id, "expired"));
        self.audit(user.id, "login", ip).await;
        self.renew_hash(&user, password).await;
        Ok((token, user.id))
    }

    /// The user whose password it is; none when there is no such user or it is another's, after the same work.
    async fn by_password(&self, contact: Option<&Contact>, password: &str) -> Result<Option<office::User>, Failure> {
        let user = match contact {
            Some(contact) => self.office.find_login(&login_of(contact)).await.map_err(away)?,
            None => None,
        };
        let good = self.hasher.verify(password, user.as_ref().map(|u| u.password_hash.as_str())).await?;
        Ok(user.filter(|_| good))
    }

    /// A password that was hashed at another cost than today's is hashed anew, now that it is known. A later login tries
    /// again if this one cannot.
    async fn renew_hash(&self, user: &office::User, password: &str) {
        if !self.hasher.is_outdated(&user.password_hash) {
            return;
        }
        let Ok(hash) = self.hasher.hash(password).await else { return };
        if let Err(error) = self.office.rehash_password(user.id, &user.password_hash, &hash).await {
            tracing::warn!(%error, "a password keeps its old hash");
        }
    }

    /// A new password by a code that is used up; all sessions end. The code is verified before the hash is made, which is
    /// dear, and used up after it, which may be refused for now: a busy moment costs nobody their code.
    pub async fn reset_password(
        &self,
        contact: &Contact,
        code: &str,
        password: &str,
        ip: IpAddr,
    ) -> Result<(), Failure> {
        let claim = claim(Purpose::Forget, contact, code);
        let checked = self.office.check_code(&claim, CodeUse::Verify { for_ms: 0 }, now()).await.map_err(away)?;
        let user = self.office.find_login(&login_of(contact)).await.map_err(away)?;
        let (CodeCheck::Right, Some(user)) = (checked, user) else { return Err(Code::BadCode.into()) };
        let hash = self.hasher.hash(password).await?;
        let used = self.office.check_code(&claim, CodeUse::Consume, now()).await.map_err(away)?;
        if used != CodeCheck::Right {
            return Err(Code::BadCode.into());
        }
        self.audit(user.id, "reset password", ip).await;
        let ended = self.office.set_password(user.id, &hash, None).await.map_err(away)?;
        ended.iter().for_each(|id| self.forget(id, "expired"));
        Ok(())
    }

    /// Ends a session; an unknown token is fine.
    pub async fn logout(&self, token: &str, ip: IpAddr) -> Result<(), Failure> {
        let id = digest(token);
        let whose = self.office.session(&id, now()).await.map_err(away)?.map(|session| session.user);
        self.office.end_session(&id).await.map_err(away)?;
        // A token that nobody has ends nothing, and tells nobody.
        if whose.is_some() || self.sessions.contains_key(&id) {
            self.forget(&id, "logout");
        }
        if let Some(user) = whose {
            self.audit(user, "logout", ip).await;
        }
        Ok(())
    }

    /// A user's sessions.
    pub async fn sessions(&self, account: AccountId) -> Result<Vec<SessionRow>, Failure> {
        let rows = self.office.sessions(account, now()).await.map_err(away)?;
        let row = |s: office::Session| SessionRow {
            id: s.token,
            number: s.id,
            ip: s.ip,
            created_ms: s.created_ms as Ms,
            seen_ms: s.last_seen_ms as Ms,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Ends one of a user's own sessions.
    pub async fn revoke(&self, account: AccountId, number: u64, ip: IpAddr) -> Result<(), Failure> {
        let ended = self.office.revoke_session(account, number).await.map_err(away)?;
        self.forget(&ended.ok_or(Code::NotFound)?, "logout");
        self.audit(account, "revoke session", ip).await;
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

/// A demo user logs in by name or by this address, which belongs to nobody.
fn demo_contact(name: &str) -> Contact {
    Contact::Email(format!("{name}@example.com"))
}
