//! From what a reviewer decided to the account's tier, which is the engine's.
//!
//! Owns: telling the engine. Never does: decide. Invariants: the office's row is there before the engine is told, and is told again until
//! the account has the tier: neither a crash nor a busy engine loses a decision. Known limits: none. Rules: `docs/rules/verification.md`.

use crate::app::Shared;
use crate::common::time::now_ms;
use xng_core::account::{AccountCommand, Tier};
use xng_core::entity::{Command, Reply, View};
use xng_core::ids::AccountId;
use xng_core::reject::Reject;
use xng_persistence::office::{Verification, signature_name};

/// What came of setting a tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Set {
    /// The account has it, or a higher one.
    Done,
    /// The tier below it was revoked meanwhile.
    Revoked,
    /// The engine did not answer, or refused.
    NotNow,
}

/// Sets an account's tier.
pub(super) async fn set(shared: &Shared, account: AccountId, tier: Tier, case: u64, by: Vec<String>) -> Set {
    let command = AccountCommand::SetTier { tier, case, by };
    match shared.operators.ask(Command::Account(account, command)).await {
        Some(Reply::Accepted(_) | Reply::Rejected(Reject::AlreadyExists)) => Set::Done,
        Some(Reply::Rejected(Reject::Unverified)) => Set::Revoked,
        // It has a higher one: nobody takes that back alone.
        Some(Reply::Rejected(Reject::NotTwoPeople)) => {
            let view = shared.operators.ask(Command::Account(account, AccountCommand::View)).await;
            let has = matches!(view, Some(Reply::View(View::Account(view))) if view.tier >= tier);
            if has { Set::Done } else { Set::NotNow }
        }
        Some(other) => {
            tracing::error!(account = account.0, ?other, "a tier was not taken");
            Set::NotNow
        }
        None => Set::NotNow,
    }
}

/// Sets the tier of what passed; whether the account has it now.
pub(super) async fn settle(shared: &Shared, passed: &Verification, by: String) -> bool {
    let tier = if passed.level >= Tier::Advanced as u8 { Tier::Advanced } else { Tier::Basic };
    let office = shared.auth.office();
    let outcome = set(shared, passed.user, tier, passed.id, vec![by]).await;
    let noted = match outcome {
        Set::Done => office.verification_done(passed.id).await,
        Set::Revoked => office.revoke_verifications(passed.user, Tier::Basic as u8, now_ms().cast_unsigned()).await,
        Set::NotNow => return false,
    };
    // The engine says the same again when this is lost.
    if let Err(error) = noted {
        tracing::warn!(%error, verification = passed.id, "what became of a verification is noted later");
    }
    outcome == Set::Done
}

/// Sets the tiers of all that passed while the exchange did not answer, or before it stopped.
pub async fn settle_all(shared: &Shared) {
    match shared.auth.office().verifications_to_do().await {
        Ok(all) => {
            for (passed, name) in all {
                let by = signature_name(passed.decided_by.unwrap_or_default(), &name);
                settle(shared, &passed, by).await;
            }
        }
        Err(error) => tracing::warn!(%error, "what passed was not looked for"),
    }
}
