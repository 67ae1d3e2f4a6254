//! Chains: how far each was read, what came in, halts, and what two people decide about them.
//!
//! Owns: these calls. Never does: credit anything. Invariants: one person halts at once, two people let it go
//! on; who decides signs what they read. Known limits: what was approved while the exchange did not answer is proposed anew.

use super::asking::{Answer, Ask, Refusal, Signed, Why, now, reason, refused};
use super::cases;
use super::roles::{CheckReserves, HaltChains, ResumeChains, SeeChains};
use crate::api::app::deposit::kind;
use crate::app::Shared;
use crate::common::time::{ms, now_ms};
use crate::custody::chains::{AssetStatus, ChainStatus, ReserveSeen};
use crate::custody::review::{NO_ANSWER, NotDone};
use crate::custody::settings::txid_text;
use actix_web::HttpResponse;
use serde_json::{Value, json};
use xng_core::chain::{ChainCommand, ChainId};
use xng_core::entity::{Command, Reply};
use xng_core::reject::Reject;
use xng_persistence::office::NewCase;
use xng_persistence::store::{ChainDeposits, Slice, StoredDeposit};

/// The kind of these cases.
const RESUME: &str = "resume chain";
/// Deposits of a chain that are told.
const DEPOSITS: u32 = 100;

fn reserve(seen: ReserveSeen) -> Value {
    let ReserveSeen { fact, at_ms } = seen;
    json!({ "height": fact.height, "held_units": fact.held.0.to_string(), "found_units": fact.found.0.to_string(),
        "besides_units": fact.besides.0.to_string(), "at_ms": at_ms })
}

/// A chain as people see it.
pub(super) fn row(shared: &Shared, chain: &ChainStatus) -> Value {
    let counts = chain.withdrawals;
    let asset = |asset: &AssetStatus| {
        json!({ "asset_name": shared.listed().asset_name(asset.form.asset), "decimals": asset.form.decimals,
            "held_units": asset.held.0.to_string(), "reserve": asset.reserve.map(reserve) })
    };
    let paying = shared.chains.paying(chain.params.chain).map(|of| {
        let holds = of.holds.iter().map(|(asset, units)| {
            json!({ "asset_name": shared.listed().asset_name(asset.asset), "decimals": asset.decimals,
                "units": units.0.to_string() })
        });
        json!({ "address": of.address, "holds": holds.collect::<Vec<Value>>() })
    });
    json!({ "chain": chain.params.chain.0, "paying": paying, "name": chain.params.name, "halted": chain.halted.map(|why| format!("{why:?}")),
        "height": chain.cursor.map(|cursor| cursor.height), "node_height": chain.node.map(|node| node.tip),
        "seen_ms": chain.node.map(|node| node.seen_ms), "is_read": chain.is_read(now_ms()),
        "confirmations": chain.params.confirmations, "addresses": chain.addresses,
        "assets": chain.assets.iter().map(asset).collect::<Vec<Value>>(), "trouble": chain.trouble,
        "withdrawals_trouble": chain.unpaid,
        "check_wanted": chain.check_wanted, "check_trouble": chain.check_failed,
        "credited": chain.credited, "paid": chain.paid, "pending": counts.pending, "approved": counts.approved })
}

/// A deposit, with the confirmations that it has by now.
fn deposit_row(shared: &Shared, chain: &ChainStatus, d: &StoredDeposit) -> Value {
    let above = chain.node.and_then(|node| (node.tip + 1).checked_sub(d.height)).filter(|_| d.height > 0);
    json!({ "id": format!("{}-{}", d.lsn.0, d.n), "chain": chain.params.name, "account": d.account.0,
        "asset_name": shared.listed().asset_name(d.asset), "amount": d.amount.to_string(), "kind": kind(d.kind),
        "height": d.height, "confirmations": above, "txid": d.output.map(|(at, _)| txid_text(d.chain, at.txid)),
        "at_ms": ms(d.time) })
}

/// `GET /admin/api/chains`: chains, and cases about them.
pub(super) async fn list(ask: Ask<SeeChains>) -> Answer {
    let office = &ask.desk.office;
    let cases = cases::listed(office, RESUME, |_, _| {}).await?;
    let shared = &ask.desk.shared;
    let (mut chains, mut deposits) = (Vec::new(), Vec::new());
    for chain in shared.chains.all() {
        chains.push(row(shared, &chain));
        let found = shared.store.page(&ChainDeposits(chain.params.chain), Slice::Newest, DEPOSITS).await;
        let found = found.unwrap_or_else(|error| {
            tracing::warn!(%error, "the store did not answer");
            Vec::new()
        });
        deposits.extend(found.iter().map(|deposit| deposit_row(shared, &chain, deposit)));
    }
    Ok(HttpResponse::Ok().json(json!({ "chains": chains, "deposits": deposits, "cases": cases, "now_ms": now_ms(),
        "me": ask.me.signs() })))
}

fn chain<P, B>(ask: &Ask<P, B>) -> Result<ChainStatus, Refusal> {
    let id = u16::try_from(ask.number()?).ok().map(ChainId);
    id.and_then(|id| ask.desk.shared.chains.status(id)).ok_or_else(|| refused(404, "There is no such chain."))
}

async fn order<P, B>(ask: &Ask<P, B>, chain: ChainId, command: ChainCommand) -> Result<(), NotDone> {
    match ask.desk.shared.operators.ask(Command::Chain(chain, command)).await {
        Some(Reply::Accepted(_)) => Ok(()),
        Some(Reply::Rejected(Reject::ChainClosed)) => Err((409, "It is halted already.".into())),
        Some(other) => Err((409, format!("refused: {other:?}"))),
        None => Err((503, NO_ANSWER.into())),
    }
}

/// `POST /admin/api/chains/{id}/halt`: at once, by one person.
pub(super) async fn halt(ask: Ask<HaltChains, Why>) -> Answer {
    let (chain, reason) = (chain(&ask)?, reason(&ask.asked.reason)?);
    let subject = format!("chain:{}", chain.params.chain.0);
    let audit = ask.entry("halt chain", subject, &json!({ "reason": reason }));
    ask.desk.auth().note_a_halt(audit).await;
    let done = order(&ask, chain.params.chain, ChainCommand::Halt).await;
    done.map_err(|(status, why)| refused(status, why))?;
    Ok(HttpResponse::Ok().json(json!({ "done": "halted" })))
}

/// `POST /admin/api/chains/{id}/check`: its coins are looked up at the node, soon.
pub(super) async fn check(ask: Ask<CheckReserves>) -> Answer {
    let chain = chain(&ask)?;
    if chain.halted.is_some() {
        return Err(refused(409, "It is halted: its coins are looked up once it goes on."));
    }
    let subject = format!("chain:{}", chain.params.chain.0);
    let audit = ask.entry("check reserve", subject, &json!({}));
    if !ask.desk.shared.chains.has_node(chain.params.chain) {
        return Err(refused(409, "The settings do not name it: nobody asks its node."));
    }
    ask.desk.office.append_audit(&audit, now()).await?;
    ask.desk.shared.chains.want_check(chain.params.chain);
    Ok(HttpResponse::Ok().json(json!({ "done": "asked" })))
}

/// `POST /admin/api/chains/{id}/propose-resume`: another person has to agree.
pub(super) async fn propose_resume(ask: Ask<ResumeChains, Why>) -> Answer {
    let (chain, reason) = (chain(&ask)?, reason(&ask.asked.reason)?);
    if chain.halted.is_none() {
        return Err(refused(409, "It is not halted."));
    }
    let subject = format!("chain:{}", chain.params.chain.0);
    let audit = ask.entry("propose to resume chain", subject.clone(), &json!({ "reason": reason }));
    let new = NewCase { kind: RESUME.into(), subject, by: ask.me.id, reason };
    match ask.desk.office.propose(&new, &audit, now()).await? {
        Some(case) => Ok(HttpResponse::Ok().json(json!({ "case": case }))),
        None => Err(refused(409, "This is proposed already.")),
    }
}

/// `POST /admin/api/cases/{id}/decide/begin`: what is to be signed.
pub(super) async fn begin_decision(ask: Ask<ResumeChains, cases::Decision>) -> Answer {
    cases::begin(&ask, RESUME).await
}

/// `POST /admin/api/cases/{id}/decide`: the signature; what was decided is done.
pub(super) async fn decide(ask: Ask<ResumeChains, Signed>) -> Answer {
    let decided = cases::decide(&ask, RESUME).await?;
    if decided.approves {
        let number = decided.case.subject.strip_prefix("chain:").and_then(|id| id.parse().ok()).map(ChainId);
        let chain = number.ok_or_else(|| refused(404, "There is no such chain."))?;
        order(&ask, chain, ChainCommand::Resume).await.map_err(|(status, why)| refused(status, why))?;
    }
    Ok(HttpResponse::Ok().json(json!({ "done": decided.action })))
}
