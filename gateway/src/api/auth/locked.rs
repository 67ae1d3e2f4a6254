//! Which accounts may not act: the gateway's view of what the journal says.
//!
//! Owns: the view, and what it means for sessions and API keys; asking for the lock of one's own account. Never does: lock an account;
//! its entity does. Invariants: a locked account has no session and no live key from the moment in which its fact is durable; what was
//! open before is not open after it is unlocked. Known limits: keys come back with the next review, within a minute; who stopped between
//! a lock and its row of the audit is told of it by no mail.

use super::Auth;
use super::office::{away, now};
use crate::api::http::errors::{Code, Failure};
use crate::market_maker::is_there;
use dashmap::DashSet;
use std::net::IpAddr;
use std::sync::Arc;
use xng_core::account::facts::AccountStatus;
use xng_core::account::{AccountCommand, Property};
use xng_core::entity::{Command, Reply};
use xng_core::ids::AccountId;
use xng_core::record::{Fact, Origin};
use xng_core::reject::Reject;
use xng_runtime::Client;

/// Accounts that may not act.
#[derive(Debug, Clone, Default)]
pub struct LockedAccounts(Arc<DashSet<AccountId>>);

impl LockedAccounts {
    /// Whether an account is locked.
    #[must_use]
    pub fn contains(&self, account: AccountId) -> bool {
        self.0.contains(&account)
    }

    /// What recovery found.
    pub fn add(&self, accounts: impl IntoIterator<Item = AccountId>) {
        for account in accounts {
            self.0.insert(account);
        }
    }

    /// Follows a durable fact; the account that it locks.
    fn follow(&self, fact: &Fact) -> Option<AccountId> {
        let (account, status) = fact.account_status()?;
        match status {
            AccountStatus::Locked => {
                self.0.insert(account);
                Some(account)
            }
            AccountStatus::Active => {
                self.0.remove(&account);
                None
            }
        }
    }
}

impl Auth {
    /// The accounts that may not act.
    #[must_use]
    pub fn locked(&self) -> &LockedAccounts {
        &self.locked
    }

    /// Hears of a durable fact: who is locked has no session and no key any more.
    pub fn follow(&self, fact: &Fact) {
        if let Some(account) = self.locked.follow(fact) {
            self.forget_all(account, "locked");
            self.keys.end_all(account);
        }
    }

    /// Locks an account at its own user's word: all sessions and keys end.
    ///
    /// # Errors
    /// When the exchange does not answer: it may be locked all the same.
    pub async fn lock_own(&self, client: &Client, account: AccountId, ip: IpAddr) -> Result<(), Failure> {
        let lock = AccountCommand::Set(Property::Status(AccountStatus::Locked));
        match client.call(Origin::User, None, Command::Account(account, lock)).await? {
            Reply::Accepted(_) | Reply::Known(_) => self.audit(account, "lock account", ip).await,
            Reply::Rejected(Reject::AlreadyExists) => {}
            Reply::Rejected(reject) => return Err(reject.into()),
            Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy => return Err(Code::Busy.into()),
        }
        // When this fails it is done before the account is unlocked.
        self.close_access(account).await
    }

    /// Ends what opened a locked account, so that whoever had it has nothing after the account is unlocked.
    ///
    /// # Errors
    /// When the office database does not answer.
    pub async fn close_access(&self, account: AccountId) -> Result<(), Failure> {
        let suspending = self.keys.changing().await;
        let ended = self.office.close_access(account, now()).await.map_err(away)?;
        ended.keys.iter().for_each(|name| self.keys.end(name));
        drop(suspending);
        ended.sessions.iter().for_each(|id| self.forget(id, "locked"));
        Ok(())
    }

    /// Users whom an earlier release had locked in its own database are locked in the journal.
    ///
    /// # Errors
    /// When the database or the exchange does not answer.
    pub async fn move_locks(&self, client: &Client) -> Result<(), Failure> {
        for user in self.office.locked_before().await.map_err(away)? {
            let command = AccountCommand::Set(Property::Status(AccountStatus::Locked));
            let reply = client.call(Origin::System, None, Command::Account(user, command)).await?;
            if !is_there(&reply) {
                tracing::error!(user = user.0, ?reply, "a lock of an earlier release is not in the journal");
                continue;
            }
            self.office.lock_moved(user).await.map_err(away)?;
            tracing::info!(user = user.0, "a lock of an earlier release is in the journal now");
        }
        Ok(())
    }
}
