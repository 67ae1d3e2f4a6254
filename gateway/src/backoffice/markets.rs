//! Markets and contracts: whether they are open, what the house holds, halts and cancel-only, and what two people decide about them.
//!
//! Owns: these calls. Never does: set a price, a quote or a mark. Invariants: one person halts or sets to cancel-only at once, two people
//! let it go on, and the journal names both; who decides signs what they read. Known limits: what was approved while the exchange did not
//! answer is proposed anew; the house's position in a contract is that of its last quotes. Rules: `docs/back-office.md "Markets"`.

use super::asking::{Answer, Ask, Refusal, Signed, Why, now, reason, refused};
use super::cases;
use super::roles::{HaltMarkets, ResumeMarkets, SeeMarkets};
use crate::app::Shared;
use crate::common::time::now_ms;
use crate::custody::review::NO_ANSWER;
use crate::market::board::read;
use crate::observe::ops::snapshot;
use actix_web::HttpResponse;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xng_core::account::AccountCommand;
use xng_core::contract::ContractCommand;
use xng_core::entity::{Command, Reply, View};
use xng_core::fraction::Fraction;
use xng_core::ids::{AccountId, AssetId, MarketId, Wallet};
use xng_core::market::{MarketState, StateReason};
use xng_core::money::Amount;
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_core::spot::MarketCommand;
use xng_persistence::office::{AuditFilter, NewCase};

/// The kind of these cases.
const RESUME: &str = "resume market";
/// As the audit names a halt, whoever asked for it.
pub(crate) const HALT: &str = "halt market";
/// The same of cancel-only.
pub(crate) const CANCEL_ONLY: &str = "set market to cancel-only";

/// A market of spot or stocks, or a contract.
pub(crate) struct Listed {
    pub(super) id: MarketId,
    pub(crate) is_contract: bool,
    pub(crate) symbol: String,
    pub(crate) state: MarketState,
    /// A person or the operator's tool set it so.
    pub(crate) by_operator: bool,
}

impl Listed {
    /// Halted, or set to cancel-only by a person or the operator's tool: it stays so until two people decide.
    fn is_closed(&self) -> bool {
        self.state == MarketState::Halt || self.state == MarketState::CancelOnly && self.by_operator
    }

    /// As cases and the audit name it: `market:BTCUSDT`, `contract:BTCUSDT`.
    pub(crate) fn subject(&self) -> String {
        format!("{}:{}", if self.is_contract { "contract" } else { "market" }, self.symbol)
    }

    pub(crate) fn command(&self, state: MarketState) -> Command {
        if self.is_contract {
            Command::Contract(self.id, ContractCommand::SetState(state))
        } else {
            Command::Market(self.id, MarketCommand::SetState(state))
        }
    }
}

fn is_by_operator(reason: StateReason) -> bool {
    reason == StateReason::Operator
}

/// All of them.
pub(crate) fn listed(shared: &Shared) -> Vec<Listed> {
    let (catalog, board) = (shared.listed(), shared.contracts.now());
    let markets = catalog.markets.iter().map(|(id, info)| {
        let symbol = info.params.symbol.clone();
        Listed { id: *id, is_contract: false, symbol, state: info.state, by_operator: is_by_operator(info.reason) }
    });
    let contracts = board.contracts().map(|(id, face)| {
        let symbol = face.params.symbol.clone();
        Listed { id, is_contract: true, symbol, state: face.state, by_operator: is_by_operator(face.reason) }
    });
    markets.chain(contracts).collect()
}

/// What the house has in its spot wallet, in quotes or not; none when the exchange does not answer.
async fn of_the_house(shared: &Shared) -> Option<BTreeMap<AssetId, Amount>> {
    // Nobody's halt waits for the looks of all pages.
    if shared.health.cell.is_stuck() {
        return None;
    }
    let command = Command::Account(AccountId::HOUSE, AccountCommand::View);
    let Some(Reply::View(View::Account(view))) = shared.operators.ask(command).await else { return None };
    let spot = view.balances.iter().filter(|b| b.wallet == Wallet::Spot);
    Some(spot.map(|b| (b.asset, b.available + b.locked)).collect())
}

fn named(mut row: Value, info: &Listed) -> Value {
    row["id"] = info.id.0.into();
    row["subject"] = info.subject().into();
    row["by_operator"] = info.by_operator.into();
    row
}

/// `GET /admin/api/markets`: markets and contracts with the house's part in them, the funds behind contracts, and cases.
pub(super) async fn list(ask: Ask<SeeMarkets>) -> Answer {
    let cases = cases::listed(&ask.desk.office, RESUME, |_, _| {}).await?;
    let (shared, now) = (&ask.desk.shared, now_ms());
    let (contracts, has) = (snapshot::contracts(shared), of_the_house(shared).await);
    let of_contracts = contracts["list"].as_array().map_or(&[][..], Vec::as_slice);
    let (mut markets, mut futures) = (Vec::new(), Vec::new());
    for info in listed(shared) {
        if info.is_contract {
            let row = of_contracts.iter().find(|row| row["symbol"] == info.symbol.as_str());
            futures.extend(row.map(|row| named(row.clone(), &info)));
        } else if let Some(board) = shared.boards.get(info.id) {
            let board = read(&board);
            let mut row = named(snapshot::market(shared, &board, now), &info);
            let has = has.as_ref().map(|has| has.get(&board.params.base).copied().unwrap_or_default());
            let worth = |price| Some(Fraction::value(price, has?).round8().to_string());
            row["house_has"] = has.map(|amount| amount.to_string()).into();
            row["worth"] = board.last_price().and_then(worth).into();
            row["quote"] = shared.listed().asset_name(board.params.quote).into();
            row["is_stock"] = board.params.stock.is_some().into();
            markets.push(row);
        }
    }
    Ok(HttpResponse::Ok().json(json!({ "markets": markets, "contracts": futures, "funds": contracts["funds"],
        "cases": cases, "me": ask.me.signs() })))
}

fn found<P, B>(ask: &Ask<P, B>) -> Result<Listed, Refusal> {
    let id = ask.number()?;
    let mut all = listed(&ask.desk.shared).into_iter();
    all.find(|one| u64::from(one.id.0) == id).ok_or_else(|| refused(404, "There is no such market."))
}

async fn set<P, B>(ask: &Ask<P, B>, listed: &Listed, state: MarketState, by: Origin) -> Result<(), Refusal> {
    match ask.desk.shared.operators.ask_as(by, listed.command(state)).await {
        Some(Reply::Accepted(_)) => Ok(()),
        Some(Reply::Rejected(Reject::AlreadyExists)) => Err(refused(409, "It is so already.")),
        Some(other) => Err(refused(409, format!("refused: {other:?}"))),
        None => Err(refused(503, NO_ANSWER)),
    }
}

/// `POST /admin/api/markets/{id}/halt`: at once, by one person.
pub(super) async fn halt(ask: Ask<HaltMarkets, Why>) -> Answer {
    let (market, reason) = (found(&ask)?, reason(&ask.asked.reason)?);
    let audit = ask.entry(HALT, market.subject(), &json!({ "reason": reason }));
    ask.desk.auth().note_a_halt(audit).await;
    // What the page shows may be a moment old: the market itself says whether it is halted already.
    set(&ask, &market, MarketState::Halt, Origin::Admin).await?;
    Ok(HttpResponse::Ok().json(json!({ "done": "halted" })))
}

/// `POST /admin/api/markets/{id}/cancel-only`: at once, by one person; of a market that is halted two people decide.
pub(super) async fn set_cancel_only(ask: Ask<HaltMarkets, Why>) -> Answer {
    let (market, reason) = (found(&ask)?, reason(&ask.asked.reason)?);
    if market.state == MarketState::Halt {
        return Err(refused(409, "It is halted: two people let it go on."));
    }
    let audit = ask.entry(CANCEL_ONLY, market.subject(), &json!({ "reason": reason }));
    ask.desk.auth().note_a_halt(audit).await;
    set(&ask, &market, MarketState::CancelOnly, Origin::Admin).await?;
    Ok(HttpResponse::Ok().json(json!({ "done": "cancel-only" })))
}

/// `POST /admin/api/markets/{id}/propose-resume`: another person has to agree.
pub(super) async fn propose_resume(ask: Ask<ResumeMarkets, Why>) -> Answer {
    let (market, reason) = (found(&ask)?, reason(&ask.asked.reason)?);
    if !market.is_closed() {
        return Err(refused(409, "It is neither halted nor set to cancel-only."));
    }
    let subject = market.subject();
    let audit = ask.entry("propose to resume market", subject.clone(), &json!({ "reason": reason }));
    let new = NewCase { kind: RESUME.into(), subject, by: ask.me.id, reason };
    match ask.desk.office.propose(&new, &audit, now()).await? {
        Some(case) => Ok(HttpResponse::Ok().json(json!({ "case": case }))),
        None => Err(refused(409, "This is proposed already.")),
    }
}

/// Nobody lets a market go on by what was proposed before it was closed again.
async fn is_of_this_halt<B>(ask: &Ask<ResumeMarkets, B>, approves: bool) -> Result<(), Refusal> {
    let case = ask.desk.office.case(ask.number()?, now()).await?;
    let Some(case) = case.filter(|case| approves && case.kind == RESUME) else { return Ok(()) };
    for action in [HALT, CANCEL_ONLY] {
        let halts = AuditFilter { action: action.into(), subject: case.subject.clone(), ..AuditFilter::default() };
        let last = ask.desk.office.audit(&halts, 1).await?.pop();
        if last.is_some_and(|row| row.created_ms > case.proposed_ms) {
            return Err(refused(409, "It was closed again since this was proposed: refuse it, and propose anew."));
        }
    }
    Ok(())
}

/// `POST /admin/api/market-cases/{id}/decide/begin`: what is to be signed.
pub(super) async fn begin_decision(ask: Ask<ResumeMarkets, cases::Decision>) -> Answer {
    is_of_this_halt(&ask, ask.asked.approves).await?;
    cases::begin(&ask, RESUME).await
}

/// `POST /admin/api/market-cases/{id}/decide`: the signature; what was decided is done.
pub(super) async fn decide(ask: Ask<ResumeMarkets, Signed>) -> Answer {
    let decided = cases::decide(&ask, RESUME).await?;
    if decided.approves {
        is_of_this_halt(&ask, true).await?;
        let mut all = listed(&ask.desk.shared).into_iter();
        let market = all.find(|one| one.subject() == decided.case.subject && one.is_closed());
        // An earlier approval may have been carried out although its answer was lost; to "resume" an open market would close it.
        let market = market.ok_or_else(|| refused(409, "It is neither halted nor set to cancel-only any more."))?;
        set(&ask, &market, MarketState::Trading, decided.origin(&ask.me)).await?;
    }
    Ok(HttpResponse::Ok().json(json!({ "done": decided.action })))
}
