//! Keys of the programmatic API: who a request is from, and what its key may do.
//!
//! Owns: live keys in memory, their making and ending, who hears of it.
//! Never does: tell a secret twice; ask the database for a request.
//! Invariants: memory and database change together, one change after the other, so a key that was removed never comes back;
//! a change holds for the next request, and open connections hear of it; a password that was reset meanwhile changes nothing.
//! Known limits: when a key was last used is written once a minute.
//! Rules: `docs/rules/authentication.md "API keys"`.

use super::locked::LockedAccounts;
use super::sealing::Sealer;
use super::signatures::Verifier;
use crate::api::http::errors::Failure;
use crate::api::http::limits::Buckets;
use crate::common::time::{Ms, now_ms};
use dashmap::DashMap;
use ipnet::IpNet;
use ring::hmac;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard, broadcast};
use xng_core::ids::AccountId;
use xng_persistence::office::{ApiKeyKind, Office, StoredApiKey, TRADES};

/// Keys of one user at most.
pub(super) const MOST_KEYS: u32 = 30;
/// Networks of one key at most.
const MOST_NETWORKS: usize = 30;
/// Characters of a label at most.
const MOST_LABEL: usize = 64;
/// Characters of a key's name and of a shared secret.
pub(super) const NAME_CHARS: usize = 64;
/// Wrong passwords of one user within [`WRONG_WITHIN`].
const WRONG_PASSWORDS: u32 = 5;
const WRONG_WITHIN: Duration = Duration::from_secs(900);

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scopes {
    /// Balances, orders, fills, private events.
    pub read: bool,
    /// Placing and cancelling orders.
    pub trade: bool,
}

impl Scopes {
    /// Reads `read`, `trade` or both, comma-separated.
    #[must_use]
    pub fn parse(text: &str) -> Option<Scopes> {
        let mut scopes = Scopes { read: false, trade: false };
        for name in text.split(',').map(str::trim) {
            match name {
                "read" => scopes.read = true,
                "trade" => scopes.trade = true,
                _ => return None,
            }
        }
        Some(scopes)
    }

    /// The names of what it has.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        [(self.read, "read"), (self.trade, "trade")].iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect()
    }

    pub(super) fn bits(self) -> u8 {
        u8::from(self.read) | if self.trade { TRADES } else { 0 }
    }

    fn of_bits(bits: u8) -> Scopes {
        Scopes { read: bits & 1 != 0, trade: bits & TRADES != 0 }
    }
}

/// Reads addresses and networks, comma-separated; empty: from anywhere.
///
/// # Errors
/// A parameter error when one is neither, or there are too many.
pub fn networks(text: &str) -> Result<Vec<IpNet>, Failure> {
    let one = |name: &str| name.parse::<IpNet>().ok().or_else(|| name.parse::<IpAddr>().ok().map(IpNet::from));
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let list: Option<Vec<IpNet>> = names.map(|name| one(name).map(|network| network.trunc())).collect();
    let list = list.ok_or_else(|| Failure::field("ips", "not addresses or networks"))?;
    if list.len() > MOST_NETWORKS { Err(Failure::field("ips", "too many")) } else { Ok(list) }
}

pub(super) fn names_of(networks: &[IpNet]) -> String {
    networks.iter().map(IpNet::to_string).collect::<Vec<_>>().join(",")
}

/// A live key.
#[derive(Debug)]
pub struct ApiKey {
    /// Its id.
    pub id: u64,
    /// Whose.
    pub account: AccountId,
    /// What requests name it by.
    pub name: String,
    /// What it may do.
    pub scopes: Scopes,
    /// What checks its signatures.
    pub verifier: Verifier,
    /// When it was made.
    pub created_ms: Ms,
    networks: Vec<IpNet>,
    /// When it was last used, and when that was last written.
    used_ms: AtomicI64,
    noted_ms: AtomicI64,
}

impl ApiKey {
    /// Whether it works from some addresses alone.
    #[must_use]
    pub fn is_restricted(&self) -> bool {
        !self.networks.is_empty()
    }

    /// Whether it works from an address.
    #[must_use]
    pub fn works_from(&self, ip: IpAddr) -> bool {
        self.networks.is_empty() || self.networks.iter().any(|network| network.contains(&ip))
    }
}

/// A key that ended or may do something else now: who holds it open looks it up again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyChange {
    /// The key's name.
    pub name: String,
    /// Whose it is.
    pub account: AccountId,
}

/// What a user says of a key.
#[derive(Debug, Clone)]
pub struct KeyTerms {
    /// What the user calls it.
    pub label: String,
    /// What it may do.
    pub scopes: Scopes,
    /// From where it works; empty: from anywhere.
    pub networks: Vec<IpNet>,
}

impl KeyTerms {
    /// Checks a label.
    ///
    /// # Errors
    /// A parameter error when it is empty, too long or holds what is not shown.
    pub fn label(text: &str) -> Result<String, Failure> {
        let shown = !text.chars().any(char::is_control) && text.chars().count() <= MOST_LABEL;
        if shown && !text.trim().is_empty() {
            Ok(text.trim().to_owned())
        } else {
            Err(Failure::field("label", "1 to 64 characters"))
        }
    }
}

/// A key as its user sees it.
#[derive(Debug, Clone)]
pub struct KeyRow {
    /// Its id.
    pub id: u64,
    /// What requests name it by.
    pub name: String,
    /// How it signs.
    pub kind: ApiKeyKind,
    /// What the user said of it.
    pub terms: KeyTerms,
    /// When it was made.
    pub created_ms: Ms,
    /// When it was last used, within a minute.
    pub used_ms: Option<Ms>,
    /// It works again when its user confirms it.
    pub suspended: bool,
}

/// All API keys.
#[derive(Debug)]
pub struct ApiKeys {
    pub(super) sealer: Arc<Sealer>,
    pub(super) live: DashMap<String, Arc<ApiKey>>,
    changes: broadcast::Sender<KeyChange>,
    locked: LockedAccounts,
    /// Held from the writing of a change until memory has it.
    changing: Mutex<()>,
    pub(super) wrong: Buckets<AccountId>,
}

impl ApiKeys {
    pub(super) async fn open(
        office: &Office,
        sealer: Arc<Sealer>,
        locked: LockedAccounts,
    ) -> Result<ApiKeys, xng_persistence::office::OfficeError> {
        let wrong = Buckets::new(WRONG_PASSWORDS, WRONG_WITHIN);
        let (live, changes) = (DashMap::new(), broadcast::channel(1_024).0);
        let keys = ApiKeys { sealer, live, changes, locked, changing: Mutex::new(()), wrong };
        office.live_api_keys().await?.into_iter().for_each(|stored| keys.keep(stored));
        Ok(keys)
    }

    /// The live key of a name, of somebody who may act.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Arc<ApiKey>> {
        self.live.get(name).map(|key| key.value().clone()).filter(|key| !self.locked.contains(key.account))
    }

    /// Whether a key is live and may read: what listens by it goes on.
    #[must_use]
    pub fn reads(&self, name: &str) -> bool {
        self.find(name).is_some_and(|key| key.scopes.read)
    }

    /// Notes that a key was used.
    pub fn used(&self, key: &ApiKey) {
        key.used_ms.store(now_ms(), Ordering::Relaxed);
    }

    /// Hears of every key that ends or changes.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<KeyChange> {
        self.changes.subscribe()
    }

    /// A key whose secret cannot be opened is of no use, and nobody else's loss.
    pub(super) fn keep(&self, stored: StoredApiKey) {
        let StoredApiKey { id, key, created_ms, used_ms, suspended } = stored;
        if suspended {
            return;
        }
        let opened = match key.kind {
            ApiKeyKind::Hmac => self.sealer.open_sealed(&owner(key.user, &key.name), &key.secret),
            ApiKeyKind::Ed25519 => Some(key.secret),
        };
        let verifier = opened.and_then(|secret| match key.kind {
            ApiKeyKind::Hmac => Some(Verifier::Hmac(hmac::Key::new(hmac::HMAC_SHA256, &secret))),
            ApiKeyKind::Ed25519 => secret.try_into().ok().map(Verifier::Ed25519),
        });
        let (Some(verifier), Ok(networks)) = (verifier, networks(&key.networks)) else {
            tracing::error!(
                id,
                user = key.user.0,
                "an API key cannot be opened with the key in {}",
                super::sealing::FILE
            );
            return;
        };
        let used = AtomicI64::new(used_ms.map_or(0, |ms| ms as Ms));
        let noted_ms = AtomicI64::new(used.load(Ordering::Relaxed));
        let (account, scopes) = (key.user, Scopes::of_bits(key.scopes));
        let (name, created_ms) = (key.name, created_ms as Ms);
        let live = ApiKey { id, account, name, scopes, verifier, created_ms, networks, used_ms: used, noted_ms };
        self.live.insert(live.name.clone(), Arc::new(live));
    }

    pub(super) fn tell(&self, name: String, account: AccountId) {
        // Nobody listens while no worker runs.
        drop(self.changes.send(KeyChange { name, account }));
    }

    /// Held from the writing of a change until memory has it.
    pub(super) async fn changing(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().await
    }

    /// Ends all keys of an account.
    pub(super) fn end_all(&self, account: AccountId) {
        let theirs = self.live.iter().filter(|key| key.account == account).map(|key| key.key().clone());
        let theirs: Vec<String> = theirs.collect();
        theirs.iter().for_each(|name| self.end(name));
    }

    pub(super) fn end(&self, name: &str) {
        if let Some((name, key)) = self.live.remove(name) {
            self.tell(name, key.account);
        }
    }
}

/// For whom a secret is sealed.
pub(super) fn owner(user: AccountId, name: &str) -> String {
    format!("{}:{name}", user.0)
}

pub(super) fn row_of(stored: StoredApiKey) -> Result<KeyRow, Failure> {
    let StoredApiKey { id, key, created_ms, used_ms, suspended } = stored;
    let terms = KeyTerms { label: key.label, scopes: Scopes::of_bits(key.scopes), networks: networks(&key.networks)? };
    let used_ms = used_ms.map(|ms| ms as Ms);
    Ok(KeyRow { id, name: key.name, kind: key.kind, terms, created_ms: created_ms as Ms, used_ms, suspended })
}

/// A key's id and when it was used, if that is not written yet.
pub(super) fn used_since(key: &ApiKey) -> Option<(u64, u64)> {
    let used = key.used_ms.load(Ordering::Relaxed);
    (key.noted_ms.swap(used, Ordering::Relaxed) != used).then_some((key.id, used as u64))
}

#[cfg(test)]
mod tests;
