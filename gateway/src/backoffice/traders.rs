//! Traders whom others follow: who applied, who was approved, and how their followers fare.
//!
//! Owns: these calls, and how a decision about a trader is carried out, for the operator's tool too. Never does: set a figure, a share or
//! a follower. Invariants: a decision is in the audit before it is done; nobody decides about their own account. Known limits: figures
//! are as of the last hour, as users see them. Rules: `docs/rules/copy-trading.md "Becoming a trader"`.

use super::asking::{Answer, Ask, OWN, Why, reason, refused};
use super::roles::{DecideTraders, SeeTraders};
use crate::app::Shared;
use crate::common::time::now_ms;
use crate::custody::review::{NO_ANSWER, NotDone};
use actix_web::HttpResponse;
use serde_json::{Value, json};
use xng_core::account::{AccountCommand, CopyCommand};
use xng_core::copy::trader::TraderView;
use xng_core::entity::{Command, Reply};
use xng_core::ids::AccountId;
use xng_core::reject::Reject;
use xng_persistence::office::{ApplicationState, TraderApplication};

/// Applications that are told at once.
pub(crate) const MOST: u32 = 100;

/// The engine has what was decided, and the office's row does not say so.
const NO_MARK: &str = "the application could not be marked: do it again";

/// What is decided about a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TraderDecision {
    /// Others may follow.
    Approve,
    /// Others may not; the user reads why, and may apply again.
    Refuse,
    /// Nobody follows any more: all copies become own tickets.
    End,
}

impl TraderDecision {
    /// As paths and the audit name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TraderDecision::Approve => "approve",
            TraderDecision::Refuse => "refuse",
            TraderDecision::End => "end",
        }
    }

    /// What the account is asked, if anything.
    pub(crate) fn command(self, shared: &Shared, account: AccountId) -> Result<Option<CopyCommand>, NotDone> {
        match self {
            TraderDecision::Approve => match shared.listed().copy {
                Some(terms) => Ok(Some(CopyCommand::SetTrader(Some(terms)))),
                None => Err((409, "copy trading is off: [copy] is not in the settings".into())),
            },
            TraderDecision::End => Ok(Some(CopyCommand::SetTrader(None))),
            // An approval may have been carried out although the application could not be marked.
            TraderDecision::Refuse if shared.traders.figures().traders.contains_key(&account) => {
                Err((409, "this is a trader already: approve the application, or end the trader".into()))
            }
            TraderDecision::Refuse => Ok(None),
        }
    }
}

/// Does what was decided and is in the audit.
pub(crate) async fn carry_out(
    shared: &Shared,
    (account, decision): (AccountId, TraderDecision),
    command: Option<CopyCommand>,
    reason: &str,
) -> Result<(), NotDone> {
    if let Some(command) = command {
        match shared.operators.ask(Command::Account(account, AccountCommand::Copy(command))).await {
            // Done before, by the same decision whose application could not be marked.
            Some(Reply::Accepted(_) | Reply::Rejected(Reject::AlreadyExists)) => {}
            Some(Reply::Rejected(Reject::TraderFollows)) => {
                return Err((409, "the account follows traders itself: it must stop first".into()));
            }
            Some(other) => return Err((409, format!("refused: {other:?}"))),
            None => return Err((503, NO_ANSWER.into())),
        }
    }
    let marked = shared.auth.decide_trader(account, decision == TraderDecision::Approve, reason).await;
    marked.map_err(|_| match decision {
        TraderDecision::Refuse => (503, NO_MARK.to_owned()),
        TraderDecision::Approve | TraderDecision::End => (503, format!("done, but {NO_MARK}")),
    })
}

fn row(shared: &Shared, trader: &TraderView, followers: usize) -> Value {
    let statistics = &trader.statistics;
    json!({ "account": trader.trader.0, "followers": followers,
        "open_tickets": trader.open_tickets, "value": trader.value.to_string(), "closed": statistics.closed,
        "won": statistics.won, "profit": statistics.profit.to_string(), "drawdown": statistics.drawdown.to_string(),
        "copies": statistics.copies, "skips": statistics.skips,
        "share_ppm": trader.terms.map(|terms| terms.share_ppm),
        "asset": trader.terms.map(|terms| shared.listed().asset_name(terms.asset)) })
}

/// `GET /admin/api/traders`: who waits, the oldest first, and who was approved.
pub(super) async fn list(ask: Ask<SeeTraders>) -> Answer {
    let shared = &ask.desk.shared;
    let waiting = ask.desk.office.waiting_traders(MOST).await?;
    let application =
        |a: &TraderApplication| json!({ "account": a.user.0, "intro": a.intro, "applied_ms": a.applied_ms });
    let (figures, followers) = (shared.traders.figures(), shared.traders.follower_counts());
    let of = |trader: &TraderView| row(shared, trader, followers.get(&trader.trader).copied().unwrap_or_default());
    Ok(HttpResponse::Ok().json(json!({
        "waiting": waiting.iter().map(application).collect::<Vec<Value>>(),
        "traders": figures.traders.values().map(of).collect::<Vec<Value>>(),
        "as_of_ms": figures.time / 1_000_000, "is_on": shared.listed().copy.is_some(), "now_ms": now_ms(),
        "own": ask.me.account.map(|account| account.0),
    })))
}

async fn decide(ask: &Ask<DecideTraders, Why>, decision: TraderDecision) -> Answer {
    let (account, reason) = (AccountId(ask.number()?), reason(&ask.asked.reason)?);
    if ask.me.account == Some(account) {
        return Err(refused(409, OWN));
    }
    ask.desk.office.user(account).await?.ok_or_else(|| refused(404, "There is no such user."))?;
    let _one_at_a_time = ask.desk.shared.trader_decisions.lock().await;
    let waits =
        ask.desk.office.trader_application(account).await?.is_some_and(|a| a.state == ApplicationState::Applied);
    let is_trader = ask.desk.shared.traders.figures().traders.contains_key(&account);
    match decision {
        TraderDecision::Approve | TraderDecision::Refuse if !waits => {
            return Err(refused(409, "There is no application that waits."));
        }
        TraderDecision::End if !is_trader => return Err(refused(409, "This is no trader.")),
        TraderDecision::Approve | TraderDecision::Refuse | TraderDecision::End => {}
    }
    let not = |(status, why): NotDone| refused(status, why);
    let command = decision.command(&ask.desk.shared, account).map_err(not)?;
    let action = format!("{} trader", decision.name());
    let audit = ask.entry(&action, format!("user:{}", account.0), &json!({ "reason": reason }));
    ask.desk.office.append_audit(&audit, now_ms().cast_unsigned()).await?;
    carry_out(&ask.desk.shared, (account, decision), command, &reason).await.map_err(not)?;
    Ok(HttpResponse::Ok().json(json!({ "done": action })))
}

/// `POST /admin/api/traders/{id}/approve`: others may follow.
pub(super) async fn approve(ask: Ask<DecideTraders, Why>) -> Answer {
    decide(&ask, TraderDecision::Approve).await
}

/// `POST /admin/api/traders/{id}/refuse`: the user reads why.
pub(super) async fn refuse(ask: Ask<DecideTraders, Why>) -> Answer {
    decide(&ask, TraderDecision::Refuse).await
}

/// `POST /admin/api/traders/{id}/end`: nobody follows any more.
pub(super) async fn end(ask: Ask<DecideTraders, Why>) -> Answer {
    decide(&ask, TraderDecision::End).await
}
