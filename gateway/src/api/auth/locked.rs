//! Which accounts may not act: the gateway's view of what the journal says.
//!
//! Owns: the view, and what it means for sessions and API keys. Never does: lock an account; its entity does. Invariants: a
//! locked account has no session and no live key from the moment in which its fact is durable. Known limits: keys come back
//! with the next review, within a minute.

use super::Auth;
use super::office::away;
use crate::api::http::errors::Failure;
use crate::market_maker::is_there;
use dashmap::DashSet;
use std::sync::Arc;
use xng_core::account::facts::AccountStatus;
use xng_core::account::{AccountCommand, Property};
use xng_core::entity::Command;
use xng_core::ids::AccountId;
use xng_core::record::{Fact, Origin};
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
