//! From what a reviewer decided to the account's tier, which is the engine's.
//!
//! Owns: telling the engine. Never does: decide. Invariants: the office has the decision before the engine is told, and the engine is told
//! again until the account has the tier: neither a crash nor a busy engine loses a decision. What is taken back falls in the engine first,
//! then in the office's rows. Where the owner lives comes with the document, and orders that are barred there are cancelled. Known limits:
//! of revocations the newest 100 are looked through. Rules: `docs/rules/verification.md`.

use super::asking::now;
use crate::app::Shared;
use crate::barred_orders;
use crate::common::areas;
use std::collections::BTreeMap;
use xng_core::account::{AccountCommand, Tier};
use xng_core::entity::{Command, Reply, View};
use xng_core::ids::AccountId;
use xng_core::region::Country;
use xng_core::reject::Reject;
use xng_persistence::office::{CaseState, OfficeError, StaffCase, Verification, VerificationState, signature_name};

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

/// Sets an account's tier, and where its owner lives if a document says so.
pub(super) async fn set(
    shared: &Shared,
    account: AccountId,
    (tier, country): (Tier, Option<Country>),
    case: u64,
    by: Vec<String>,
) -> Set {
    let command = AccountCommand::SetTier { tier, case, by, country };
    match shared.operators.ask(Command::Account(account, command)).await {
        Some(Reply::Accepted(_) | Reply::Rejected(Reject::AlreadyExists)) => {
            let cancelled = country.is_none() || barred_orders::cancel_of(shared, account).await.is_some();
            if cancelled { Set::Done } else { Set::NotNow }
        }
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

/// The kind of cases by which two people take a tier back.
pub(super) const REVOKE: &str = "revoke verification";
/// Cases that are looked through for what was approved and is not done.
const CASES: u32 = 100;

/// A tier that an account may be taken back to.
pub(super) fn lower_tier(name: &str) -> Option<Tier> {
    match name {
        "unverified" => Some(Tier::Unverified),
        "basic" => Some(Tier::Basic),
        _ => None,
    }
}

/// The account and the tier that a case's subject names.
pub(super) fn subject_of(subject: &str) -> Option<(AccountId, Tier)> {
    let (account, tier) = subject.strip_prefix("account:")?.split_once(':')?;
    Some((AccountId(account.parse().ok()?), lower_tier(tier)?))
}

/// Takes a tier back as two people decided, the engine first; whether it is done.
pub(super) async fn revoke(shared: &Shared, case: &StaffCase, by: Vec<String>) -> Result<bool, OfficeError> {
    let Some((account, tier)) = subject_of(&case.subject) else { return Ok(true) };
    let view = shared.operators.ask(Command::Account(account, AccountCommand::View)).await;
    let has = match view {
        Some(Reply::View(View::Account(view))) => view.tier,
        Some(_) => Tier::Unverified,
        None => return Ok(false),
    };
    if has > tier && set(shared, account, (tier, None), case.id, by).await != Set::Done {
        return Ok(false);
    }
    // Rows that stand are what the exchange goes on by when it stopped before this.
    shared.auth.office().revoke_verifications(account, tier as u8, now()).await?;
    Ok(true)
}

/// Cases that two people approved, the newest first, with the names of both.
async fn approved(shared: &Shared) -> Result<Vec<(StaffCase, Vec<String>)>, OfficeError> {
    let office = shared.auth.office();
    let names: BTreeMap<u64, String> = office.all_staff().await?.into_iter().map(|one| (one.id, one.name)).collect();
    let both = |case: &StaffCase| {
        let ids = [Some(case.proposed_by), case.decided_by].into_iter().flatten();
        ids.filter_map(|id| names.get(&id).map(|name| signature_name(id, name))).collect()
    };
    let cases = office.cases(REVOKE, CASES, now()).await?;
    let cases = cases.into_iter().filter(|case| case.state == CaseState::Approved);
    let named = |case: StaffCase| {
        let by = both(&case);
        (case, by)
    };
    Ok(cases.map(named).collect())
}

/// Takes back what was approved while the exchange did not answer, or before it stopped: what was sent in before the decision stands.
async fn revoke_all(shared: &Shared) -> Result<(), OfficeError> {
    for (case, by) in approved(shared).await? {
        let Some((account, tier)) = subject_of(&case.subject) else { continue };
        let decided = case.decided_ms.unwrap_or_default();
        let stands = |one: &Verification| {
            one.level > tier as u8 && one.state != VerificationState::Failed && one.submitted_ms < decided
        };
        if shared.auth.office().verifications_of(account).await?.iter().any(stands) {
            revoke(shared, &case, by).await?;
        }
    }
    Ok(())
}

/// The newest decision of two people about an account, done once more.
async fn revoke_again(shared: &Shared, account: AccountId) -> Result<(), OfficeError> {
    let all = approved(shared).await?;
    let found = all.into_iter().find(|(case, _)| subject_of(&case.subject).is_some_and(|(of, _)| of == account));
    match found {
        Some((case, by)) => revoke(shared, &case, by).await.map(drop),
        None => Ok(()),
    }
}

/// Sets the tier of what passed; whether the account has it now.
pub(super) async fn settle(shared: &Shared, passed: &Verification, by: String) -> bool {
    let tier = if passed.level >= Tier::Advanced as u8 { Tier::Advanced } else { Tier::Basic };
    let office = shared.auth.office();
    // Documents that were sent in before countries mattered have a dialling code alone.
    let region = passed.region.as_deref().or_else(|| passed.country.as_deref().and_then(areas::only_with));
    let country = region.and_then(Country::parse);
    let outcome = set(shared, passed.user, (tier, country), passed.id, vec![by]).await;
    let noted = match outcome {
        Set::Done => match office.verification_done(passed.id).await {
            // Two people took it back while the engine was asked.
            Ok(false) => revoke_again(shared, passed.user).await,
            noted => noted.map(drop),
        },
        Set::Revoked => office.revoke_verifications(passed.user, Tier::Basic as u8, now()).await,
        Set::NotNow => return false,
    };
    // The engine says the same again when this is lost.
    if let Err(error) = noted {
        tracing::warn!(%error, verification = passed.id, "what became of a verification is noted later");
    }
    outcome == Set::Done
}

/// Does what was decided while the exchange did not answer, or before it stopped: first what two people took back.
pub async fn settle_all(shared: &Shared) {
    if let Err(error) = revoke_all(shared).await {
        tracing::warn!(%error, "what was taken back was not looked for");
    }
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
