//! Parameters of markets: ticks, lots, limits and fees, changed by two people at a time that they name.
//!
//! Owns: these calls. Never does: set a price or a state. Invariants: who approves signs every value before and after; what was
//! proposed of one version changes no other one; an approved change is taken back before it is in force. Known limits: markets of
//! spot and stocks alone; tick and step change on an empty book only. Rules: `docs/back-office.md "Parameters"`.

mod preview;
mod proposal;
mod taking_effect;

use super::asking::{Answer, Ask, Refusal, Signed, Why, now, reason, refused};
use super::cases;
use super::reports::alone;
use super::roles::{ChangeParameters, Needs, SeeParameters};
use crate::custody::review::NO_ANSWER;
use crate::market::board::read;
use crate::market::catalog::MarketInfo;
use actix_web::HttpResponse;
use preview::{Preview, preview};
use proposal::{PARAMETERS, Params, Proposal};
use serde::Deserialize;
use serde_json::{Value, json};
pub(crate) use taking_effect::tend;
use taking_effect::{TAKEN_BACK, carry_out};
use xng_core::spot::MarketParams;
use xng_persistence::office::{CaseState, NewCase, StaffCase};

/// How long ahead a change may be set.
const AHEAD_MS: u64 = 30 * 86_400_000;
/// A preview looks at the orders of this time.
const LAST_DAY_MS: u64 = 86_400_000;

/// `GET /admin/api/parameters`: parameters of all markets, and what is proposed, approved and done.
pub(super) async fn list(ask: Ask<SeeParameters>) -> Answer {
    let (office, shared) = (&ask.desk.office, &ask.desk.shared);
    let outcomes = office.case_outcomes(PARAMETERS, cases::MOST).await?;
    let cases = cases::listed(office, PARAMETERS, |case, told| {
        // What it is about is told field by field.
        told["subject"] = Proposal::of_subject(&case.subject).map_or(Value::Null, |p| p.symbol.into());
        told["terms"] = Proposal::of_subject(&case.subject).map_or(Value::Null, |p| {
            json!({ "market": p.market, "symbol": p.symbol, "version": p.version, "effective_ms": p.effective_ms,
                "changes": p.changes() })
        });
        let outcome = outcomes.get(&case.id);
        told["outcome"] = outcome.map(|one| one.outcome.clone()).into();
        told["outcome_ms"] = outcome.map(|one| one.at_ms).into();
    })
    .await?;
    let catalog = shared.listed();
    let row = |info: &MarketInfo| {
        let p = &info.params;
        json!({ "id": p.market.0, "symbol": p.symbol, "kind": if p.stock.is_some() { "stock" } else { "spot" },
            "base": info.base, "quote": info.quote, "state": format!("{:?}", info.state), "version": p.version,
            "params": Params::of(p) })
    };
    let markets: Vec<Value> = catalog.markets.values().map(row).collect();
    Ok(HttpResponse::Ok().json(json!({ "markets": markets, "cases": cases, "now_ms": now(), "me": ask.me.signs() })))
}

/// The market in the address.
fn market<P, B>(ask: &Ask<P, B>) -> Result<MarketInfo, Refusal> {
    let id = ask.number()?;
    let listed = ask.desk.shared.listed();
    let found = listed.markets.values().find(|info| u64::from(info.params.market.0) == id);
    found.cloned().ok_or_else(|| refused(404, "There is no such market."))
}

/// The market's parameters with these in their places, and a tick that its price fits.
fn fitting<P, B>(ask: &Ask<P, B>, info: &MarketInfo, params: &Params) -> Result<MarketParams, Refusal> {
    let new = params.on(&info.params)?;
    let board = ask.desk.shared.boards.get(info.params.market);
    if let Some(price) = board.and_then(|board| read(&board).last_price())
        && new.tick != info.params.tick
    {
        params.fits_price(price)?;
    }
    Ok(new)
}

/// What new parameters mean for the orders of the last day.
async fn previewed<P: Needs, B>(ask: &Ask<P, B>, info: &MarketInfo, new: &MarketParams) -> Result<Preview, Refusal> {
    let _alone = alone(ask).await?;
    let since_ms = now().saturating_sub(LAST_DAY_MS);
    preview(&ask.desk.shared.store, info, new, since_ms).await
}

#[derive(Deserialize)]
pub(super) struct Wanted {
    params: Params,
}

/// `POST /admin/api/parameters/{id}/preview`: what they would have meant for the last day.
pub(super) async fn preview_of_market(ask: Ask<ChangeParameters, Wanted>) -> Answer {
    let info = market(&ask)?;
    let new = fitting(&ask, &info, &ask.asked.params)?;
    Ok(HttpResponse::Ok().json(previewed(&ask, &info, &new).await?))
}

#[derive(Deserialize)]
pub(super) struct New {
    params: Params,
    effective_ms: Option<u64>,
    reason: String,
}

/// `POST /admin/api/parameters/{id}/propose`: another person has to agree.
pub(super) async fn propose(ask: Ask<ChangeParameters, New>) -> Answer {
    // One proposal is made at a time, so that no market has two.
    let _one = ask.desk.shared.changing_parameters.lock().await;
    let (info, why, now) = (market(&ask)?, reason(&ask.asked.reason)?, now());
    let new = fitting(&ask, &info, &ask.asked.params)?;
    if ask.asked.effective_ms.is_some_and(|at| at <= now || at > now + AHEAD_MS) {
        return Err(refused(400, "A change takes effect within the next 30 days."));
    }
    let proposal = Proposal::new(&info, &new, ask.asked.effective_ms);
    if proposal.changes().is_empty() {
        return Err(refused(400, "Nothing is changed."));
    }
    let of_market = |case: &StaffCase| Proposal::of_subject(&case.subject).is_some_and(|p| p.market == proposal.market);
    let open = ask.desk.office.cases(PARAMETERS, cases::MOST, now).await?;
    let waiting = ask.desk.office.cases_without_outcome(PARAMETERS, now).await?;
    let mut open = open.iter().filter(|case| case.state == CaseState::Proposed).chain(&waiting);
    if open.any(of_market) {
        return Err(refused(409, "Another change of this market is proposed, or waits for its time."));
    }
    let audit = ask.entry("propose to change parameters", proposal.subject(), &json!({ "reason": why }));
    let case = NewCase { kind: PARAMETERS.into(), subject: proposal.subject(), by: ask.me.id, reason: why };
    match ask.desk.office.propose(&case, &audit, now).await? {
        Some(case) => Ok(HttpResponse::Ok().json(json!({ "case": case }))),
        None => Err(refused(409, "This is proposed already.")),
    }
}

/// The case in the address, and what it proposes.
async fn case<P, B>(ask: &Ask<P, B>) -> Result<(StaffCase, Proposal), Refusal> {
    let case = ask.desk.office.case(ask.number()?, now()).await?;
    let case = case.filter(|case| case.kind == PARAMETERS).ok_or_else(|| refused(404, "There is no such case."))?;
    let proposal = Proposal::of_subject(&case.subject);
    let proposal = proposal.ok_or_else(|| refused(409, "Its terms cannot be read: propose it anew."))?;
    Ok((case, proposal))
}

/// `GET /admin/api/parameter-cases/{id}/preview`: what is proposed, looked at now.
pub(super) async fn preview_of_case(ask: Ask<SeeParameters>) -> Answer {
    let (_, proposal) = case(&ask).await?;
    let listed = ask.desk.shared.listed();
    let info = listed.markets.get(&proposal.id()).ok_or_else(|| refused(404, "There is no such market."))?;
    let new = proposal.on(&info.params)?;
    Ok(HttpResponse::Ok().json(previewed(&ask, info, &new).await?))
}

/// Nobody signs for values that are not those in force any more.
async fn is_of_this_version<B>(ask: &Ask<ChangeParameters, B>, approves: bool) -> Result<(), Refusal> {
    if !approves {
        return Ok(());
    }
    let (_, proposal) = case(ask).await?;
    let listed = ask.desk.shared.listed();
    let version = listed.markets.get(&proposal.id()).map(|info| info.params.version);
    if version == Some(proposal.version) {
        return Ok(());
    }
    Err(refused(409, "Other parameters came into force since this was proposed: refuse it, and propose anew."))
}

/// `POST /admin/api/parameter-cases/{id}/decide/begin`: what is to be signed.
pub(super) async fn begin_decision(ask: Ask<ChangeParameters, cases::Decision>) -> Answer {
    is_of_this_version(&ask, ask.asked.approves).await?;
    cases::begin(&ask, PARAMETERS).await
}

/// `POST /admin/api/parameter-cases/{id}/decide`: the signature; what is due takes effect.
pub(super) async fn decide(ask: Ask<ChangeParameters, Signed>) -> Answer {
    let decided = cases::decide(&ask, PARAMETERS).await?;
    if !decided.approves {
        return Ok(HttpResponse::Ok().json(json!({ "done": decided.action })));
    }
    let (case, proposal) = case(&ask).await?;
    let outcome = carry_out(&ask.desk.shared, &case).await?;
    match outcome {
        Some(outcome) if outcome == taking_effect::IN_FORCE => Ok(HttpResponse::Ok().json(json!({ "done": outcome }))),
        Some(outcome) => Err(refused(409, outcome)),
        None if proposal.effective_ms.is_some_and(|at| at > now()) => {
            Ok(HttpResponse::Ok().json(json!({ "done": decided.action })))
        }
        // It is tried again each minute.
        None => Err(refused(503, NO_ANSWER)),
    }
}

/// `POST /admin/api/parameter-cases/{id}/take-back`: an approved change that is not in force yet is taken back by one person.
pub(super) async fn take_back(ask: Ask<ChangeParameters, Why>) -> Answer {
    // It does not take effect meanwhile.
    let _one = ask.desk.shared.changing_parameters.lock().await;
    let ((case, proposal), why) = (case(&ask).await?, reason(&ask.asked.reason)?);
    let listed = ask.desk.shared.listed();
    let is_made = listed.markets.get(&proposal.id()).is_some_and(|info| proposal.made(&info.params));
    if case.state != CaseState::Approved || is_made {
        return Err(refused(409, "Only what is approved and not in force yet is taken back."));
    }
    let audit = ask.entry("take back parameters", case.subject.clone(), &json!({ "case": case.id, "reason": why }));
    if !ask.desk.office.end_case(case.id, TAKEN_BACK, &audit, now()).await? {
        return Err(refused(409, "It has taken effect, or was taken back."));
    }
    Ok(HttpResponse::Ok().json(json!({ "done": TAKEN_BACK })))
}
