//! What people see of withdrawals before they decide, and how their votes reach the chain.
//!
//! Owns: these forms, the checks before a vote. Never does: pay; know who may vote. Invariants: nobody agrees while the owner is paused
//! or may not act. Known limits: none.

use super::settings::txid_text;
use crate::app::Shared;
use crate::common::time::{ms, now_ms};
use crate::observe::render_chain::flag_names;
use serde_json::{Value, json};
use std::time::Duration;
use xng_core::account::AccountCommand;
use xng_core::account::facts::AccountStatus;
use xng_core::chain::withdrawal_facts::Vote;
use xng_core::chain::{Chain, ChainCommand, OpenWithdrawal, WithdrawalId, WithdrawalState};
use xng_core::entity::{Command, Reply, View};
use xng_core::reject::Reject;

/// Why something was not done: a status as HTTP has it, and a word.
pub(crate) type NotDone = (u16, String);

/// Nothing was done: the decision could not be noted.
pub(crate) const NO_AUDIT: &str = "the office database does not answer: nothing was done";
/// What was shown is not so any more.
pub(crate) const CHANGED: &str = "It changed meanwhile: look again before you sign.";
/// Nobody knows whether it was done.
pub(crate) const NO_ANSWER: &str = "the exchange did not answer: look before you try again";

/// How often, and how far apart, it is looked whether a vote is shown: for two seconds.
const SHOWN_LOOKS: u32 = 200;
const SHOWN_PAUSE: Duration = Duration::from_millis(10);

/// A withdrawal's state by name.
pub(crate) fn state_name(state: WithdrawalState) -> &'static str {
    match state {
        WithdrawalState::Pending => "pending",
        WithdrawalState::Approved => "approved",
        WithdrawalState::Planned(_) => "planned",
        WithdrawalState::Signed(_) => "signed",
    }
}

/// An open withdrawal as people see it.
pub(crate) fn row(chain: &Chain, open: &OpenWithdrawal) -> Value {
    let w = &open.withdrawal;
    json!({ "withdrawal": w.withdrawal.0, "account": w.account.0, "asset": w.asset.0, "number": w.number.to_string(),
        "fee": w.fee.to_string(), "address": w.address, "inside": w.inside.map(|account| account.0),
        "flags": flag_names(w.flags), "needed": w.needed, "agreed": open.voters,
        "failed": chain.failed_transaction(w.withdrawal).map(|txid| txid_text(w.withdrawal.chain(), txid)),
        "state": state_name(chain.withdrawal_state(open)), "plan": open.plan.map(|plan| plan.0),
        "requested_ms": ms(open.requested) })
}

/// Open withdrawals of all chains, the oldest first.
pub(crate) fn open_rows(shared: &Shared) -> Vec<Value> {
    let chains = &shared.chains;
    let of_chain = |chain: &Chain| chain.open_withdrawals().map(|open| row(chain, open)).collect::<Vec<Value>>();
    let ids = chains.all().into_iter().map(|status| status.params.chain);
    ids.filter_map(|id| chains.look(id, of_chain)).flatten().collect()
}

/// Whether the owner's account is paused or may not act, in which case nobody agrees.
pub(crate) async fn stops(shared: &Shared, withdrawal: WithdrawalId) -> Result<(), NotDone> {
    let owner = |chain: &Chain| {
        let open = chain.withdrawal(withdrawal)?;
        Some((open.withdrawal.account, open.withdrawal.number, chain.terms(open.withdrawal.asset).cloned()))
    };
    let Some((account, number, terms)) = shared.chains.look(withdrawal.chain(), owner).flatten() else { return Ok(()) };
    let paused = shared.auth.withdrawals_paused_until(account).await.map_err(|_| (503, NO_AUDIT.to_owned()))?;
    if paused.cast_signed() > now_ms() {
        return Err((409, format!("withdrawals of account {account} are paused after a security change")));
    }
    match shared.operators.ask(Command::Account(account, AccountCommand::View)).await {
        // What was asked for before its tier was taken back.
        Some(Reply::View(View::Account(view))) if terms.is_some_and(|terms| number > terms.limit(view.tier)) => {
            Err((409, format!("account {account} may not withdraw so much any more: its verification was revoked")))
        }
        Some(Reply::View(View::Account(view))) if view.status == AccountStatus::Active => Ok(()),
        Some(_) => Err((409, format!("account {account} may not act"))),
        None => Err((503, NO_ANSWER.to_owned())),
    }
}

/// Waits until what is shown has the vote, so that who voted sees it at the next look; not for ever.
async fn shown(shared: &Shared, withdrawal: WithdrawalId, who: &str, agrees: bool) {
    let waits = |chain: &Chain| {
        chain.withdrawal(withdrawal).is_some_and(|open| !agrees || !open.voters.iter().any(|voter| voter == who))
    };
    for _ in 0..SHOWN_LOOKS {
        if shared.chains.look(withdrawal.chain(), waits) != Some(true) {
            return;
        }
        tokio::time::sleep(SHOWN_PAUSE).await;
    }
}

/// Votes; who decides and why is in the audit already. `seen` is how many had agreed by what the voter was shown, which is as
/// old as the last durable record that was folded here.
pub(crate) async fn vote(
    shared: &Shared,
    (withdrawal, seen): (WithdrawalId, Option<u32>),
    vote: Vote,
    agrees: bool,
) -> Result<(), NotDone> {
    let who = vote.who.clone();
    let command = ChainCommand::Vote { withdrawal, vote, agrees, seen };
    let not = |status: u16, why: &str| Err((status, why.to_owned()));
    match shared.operators.ask(Command::Chain(withdrawal.chain(), command)).await {
        Some(Reply::Accepted(_)) => {
            shown(shared, withdrawal, &who, agrees).await;
            Ok(())
        }
        Some(Reply::Rejected(Reject::UnknownWithdrawal | Reject::UnknownChain)) => {
            not(404, "there is no such withdrawal")
        }
        Some(Reply::Rejected(Reject::WithdrawalDone)) => not(409, "it is decided already"),
        Some(Reply::Rejected(Reject::NotTwoPeople)) => not(409, "the same person agreed before"),
        Some(Reply::Rejected(Reject::VotedMeanwhile)) => not(409, CHANGED),
        Some(Reply::Rejected(Reject::BadParameters)) => {
            not(400, "a name has letters from a to z, digits and . _ - @ +; a reason has no line breaks")
        }
        Some(other) => Err((409, format!("refused: {other:?}"))),
        None => not(503, NO_ANSWER),
    }
}
