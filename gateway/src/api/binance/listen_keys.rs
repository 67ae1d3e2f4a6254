//! Listen keys: names under which a program's private stream is asked for without a signature.
//!
//! Owns: who a key is for and until when. Never does: send. Invariants: an account has one key a venue at a time; asking again gives
//! the same one and makes it live longer. Known limits: gone with the process; clients ask for a new one then.
//! Rules: `docs/rules/program-api.md "Listen keys"`.

use super::call::Venue;
use crate::api::auth::secrets::alphanumeric;
use crate::common::time::{Ms, now_ms};
use dashmap::DashMap;
use xng_core::ids::AccountId;

/// So long a key lives without being asked for again.
const LISTEN_KEY_LIFETIME: Ms = 60 * 60 * 1_000;
const LENGTH: usize = 60;

/// A live key's side of things.
#[derive(Debug, Clone)]
struct Live {
    account: AccountId,
    venue: Venue,
    /// The API key with which it was asked for: it ends with it.
    by: String,
    until: Ms,
}

/// See the module's header.
#[derive(Debug, Default)]
pub struct ListenKeys {
    live: DashMap<String, Live>,
    of: DashMap<(AccountId, Venue), String>,
}

impl ListenKeys {
    /// The account's key, made now or made to live longer; one that another API key asked for is made anew when that one is
    /// not good any more.
    pub fn start(&self, account: AccountId, venue: Venue, by: &str, is_good: impl Fn(&str) -> bool) -> String {
        let mut key = self.of.entry((account, venue)).or_insert_with(|| alphanumeric(LENGTH));
        self.live.remove_if(&*key, |_, live| !is_good(&live.by));
        if !self.extend(account, &key) {
            *key = alphanumeric(LENGTH);
            let live = Live { account, venue, by: by.to_owned(), until: now_ms() + LISTEN_KEY_LIFETIME };
            self.live.insert(key.clone(), live);
        }
        key.clone()
    }

    /// Makes it live longer; false when it is not a live key of this account.
    pub fn extend(&self, account: AccountId, key: &str) -> bool {
        let Some(mut live) = self.live.get_mut(key) else { return false };
        let is_live = live.account == account && live.until > now_ms();
        if is_live {
            live.until = now_ms() + LISTEN_KEY_LIFETIME;
        }
        is_live
    }

    /// The account's key, if it lives.
    #[must_use]
    pub fn of(&self, account: AccountId, venue: Venue) -> Option<String> {
        let key = self.of.get(&(account, venue))?;
        self.find(&key).map(|_| key.clone())
    }

    /// How many live.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// None lives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Ends it; false when it is not a live key of this account.
    pub fn end(&self, account: AccountId, key: &str) -> bool {
        self.live.remove_if(key, |_, live| live.account == account && live.until > now_ms()).is_some()
    }

    /// Whose a live key is, and the API key behind it.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<(AccountId, String)> {
        self.find_of(key).map(|(account, by, _)| (account, by))
    }

    /// The same, and of what the key tells.
    #[must_use]
    pub fn find_of(&self, key: &str) -> Option<(AccountId, String, Venue)> {
        let live = self.live.get(key).filter(|live| live.until > now_ms())?;
        Some((live.account, live.by.clone(), live.venue))
    }

    /// Forgets the dead.
    pub fn sweep(&self) {
        let now = now_ms();
        self.live.retain(|_, live| live.until > now);
        self.of.retain(|_, key| self.live.contains_key(key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_one_key_until_it_ends() {
        let keys = ListenKeys::default();
        let (alice, bob) = (AccountId(100_001), AccountId(100_002));
        let key = keys.start(alice, Venue::Spot, "api", |_| true);
        assert_eq!((key.len(), keys.start(alice, Venue::Spot, "api", |_| true)), (LENGTH, key.clone()));
        assert_ne!(keys.start(bob, Venue::Spot, "other", |_| true), key);
        assert_eq!(keys.find(&key), Some((alice, "api".to_owned())));
        assert!(keys.extend(alice, &key) && !keys.extend(bob, &key) && !keys.end(bob, &key));
        assert!(keys.end(alice, &key) && !keys.end(alice, &key) && !keys.extend(alice, &key));
        assert_eq!(keys.find(&key), None);
        keys.sweep();
        assert_ne!(keys.start(alice, Venue::Spot, "api", |_| true), key);
    }

    #[test]
    fn a_key_does_not_outlive_the_one_that_asked_for_it() {
        let (keys, alice) = (ListenKeys::default(), AccountId(100_001));
        let key = keys.start(alice, Venue::Spot, "gone", |_| true);
        let next = keys.start(alice, Venue::Spot, "api", |by| by != "gone");
        assert_ne!(next, key);
        assert_eq!((keys.find(&key), keys.find(&next)), (None, Some((alice, "api".to_owned()))));
    }

    #[test]
    fn futures_have_a_key_of_their_own() {
        let (keys, alice) = (ListenKeys::default(), AccountId(100_001));
        let [spot, futures] = [Venue::Spot, Venue::Futures].map(|venue| keys.start(alice, venue, "api", |_| true));
        assert_ne!(spot, futures);
        assert_eq!(keys.find_of(&futures), Some((alice, "api".to_owned(), Venue::Futures)));
        assert!(keys.end(alice, &spot));
        assert_eq!((keys.of(alice, Venue::Spot), keys.of(alice, Venue::Futures)), (None, Some(futures)));
    }

    #[test]
    fn a_key_dies_of_age() {
        let keys = ListenKeys::default();
        let key = keys.start(AccountId(100_001), Venue::Spot, "api", |_| true);
        keys.live.get_mut(&key).unwrap().until = now_ms();
        assert!(keys.find(&key).is_none() && !keys.extend(AccountId(100_001), &key));
        assert_ne!(keys.start(AccountId(100_001), Venue::Spot, "api", |_| true), key);
    }
}
