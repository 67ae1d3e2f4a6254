//! `leverage`, `marginType`, `positionMargin`, `positionSide/dual`, `multiAssetsMargin`: how an account trades contracts.
//!
//! Owns: these calls. Never does: judge whether a change is possible; the account does. Invariants: what is told is what holds
//! from now on. Known limits: an account has one margin asset a contract.

use super::account::number;
use super::errors::refused;
use super::listed::Listed;
use super::queries::{end_of, history, is_inside, seen};
use super::request::leg_of;
use crate::api::binance::errors::ApiError;
use crate::api::binance::orders::rows::eight;
use crate::api::binance::request::{ApiResult, Request};
use serde_json::{Value, json};
use xng_core::account::{AccountCommand, LegCommand};
use xng_core::contract::facts::MarginMode;
use xng_core::entity::{Command, Reply};
use xng_core::record::Origin;
use xng_core::reject::Reject;

const ROWS: usize = 500;

async fn change(request: &Request, command: LegCommand) -> Result<Result<(), Reject>, ApiError> {
    request.still_fresh()?;
    let command = Command::Account(request.account()?, AccountCommand::Legs(command));
    match request.app.client.call(Origin::Api, None, command).await? {
        Reply::Accepted(_) | Reply::Known(_) => Ok(Ok(())),
        Reply::Rejected(reject) => Ok(Err(reject)),
        Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy => Err(ApiError::busy()),
    }
}

fn done() -> ApiResult {
    Ok(json!({ "code": 200, "msg": "success" }).into())
}

/// `POST leverage`.
pub async fn leverage(request: Request) -> ApiResult {
    let listed = Listed::named(&request)?;
    let wanted = request.args.whole("leverage").ok_or_else(|| ApiError::missing("leverage"))?;
    let invalid = || ApiError::bad(-4028, format!("Leverage {wanted} is not valid"));
    let multiple = u16::try_from(wanted).ok().filter(|multiple| *multiple > 0).ok_or_else(invalid)?;
    // The margin type stays as it is then: both may be changed at once.
    let terms = LegCommand::SetTerms { contract: listed.id, multiple: Some(multiple), mode: None };
    match change(&request, terms).await? {
        Ok(()) | Err(Reject::AlreadyExists) => {}
        Err(Reject::BadMultiple) => return Err(invalid()),
        Err(Reject::PositionOpen) => {
            let msg = "Leverage reduction is not supported in Isolated Margin Mode with open positions.";
            return Err(ApiError::bad(-4161, msg));
        }
        Err(reject) => return Err(refused(reject)),
    }
    let most = listed.most_value(multiple);
    Ok(json!({ "symbol": listed.symbol(), "leverage": multiple, "maxNotionalValue": eight(most) }).into())
}

/// `POST marginType`.
pub async fn margin_type(request: Request) -> ApiResult {
    let listed = Listed::named(&request)?;
    let mode = if request.args.need("marginType")? == "ISOLATED" { MarginMode::Isolated } else { MarginMode::Cross };
    let (_, legs) = seen(&request).await?;
    let terms = listed.terms(&legs);
    if terms.mode == mode {
        return Err(ApiError::bad(-4046, "No need to change margin type."));
    }
    let change_mode = LegCommand::SetTerms { contract: listed.id, multiple: None, mode: Some(mode) };
    match change(&request, change_mode).await? {
        Ok(()) => done(),
        Err(Reject::AlreadyExists) => Err(ApiError::bad(-4046, "No need to change margin type.")),
        Err(Reject::PositionOpen) if legs.legs.iter().all(|own| own.units.contract != listed.id) => {
            Err(ApiError::bad(-4047, "Margin type cannot be changed if there exists open orders."))
        }
        Err(reject) => Err(refused(reject)),
    }
}

/// `POST positionMargin`.
pub async fn position_margin(request: Request) -> ApiResult {
    let (args, listed) = (&request.args, Listed::named(&request)?);
    let amount = args.amount("amount").ok_or_else(|| ApiError::missing("amount"))?;
    if !amount.is_positive() {
        return Err(ApiError::bad(-4055, "Amount must be positive."));
    }
    let adds = match args.whole("type") {
        Some(1) => true,
        Some(2) => false,
        _ => return Err(ApiError::data("type")),
    };
    let leg = leg_of(args.text("positionSide"));
    let (_, legs) = seen(&request).await?;
    let own = legs.legs.iter().find(|own| own.units.contract == listed.id && own.side == leg);
    if own.is_none() {
        return Err(ApiError::bad(-4054, "Cannot add position margin: position is 0."));
    }
    let moved = LegCommand::MoveMargin { contract: listed.id, leg, amount: if adds { amount } else { -amount } };
    match change(&request, moved).await? {
        Ok(()) => {}
        Err(Reject::InsufficientBalance) => return Err(ApiError::bad(-4050, "Cross balance insufficient.")),
        Err(Reject::MarginInsufficient) => return Err(ApiError::bad(-4051, "Isolated balance insufficient.")),
        Err(reject) => return Err(refused(reject)),
    }
    let kind = if adds { 1 } else { 2 };
    let msg = "Successfully modify position margin.";
    Ok(json!({ "code": 200, "msg": msg, "amount": number(amount), "type": kind }).into())
}

/// The longest countdown, in milliseconds: a year.
const LONGEST_COUNTDOWN_MS: i64 = 365 * 86_400_000;
const NS_IN_MS: u64 = 1_000_000;

/// `POST countdownCancelAll`: all orders of a contract are cancelled after so long, unless this comes again; 0 ends it.
pub async fn countdown(request: Request) -> ApiResult {
    let listed = Listed::named(&request)?;
    let wanted = request.args.whole("countdownTime").ok_or_else(|| ApiError::missing("countdownTime"))?;
    let ms = u64::try_from(wanted).ok().filter(|_| wanted <= LONGEST_COUNTDOWN_MS);
    let ms = ms.ok_or_else(|| ApiError::data("countdownTime"))?;
    let set = LegCommand::Countdown { contract: listed.id, after: ms * NS_IN_MS };
    change(&request, set).await?.map_err(refused)?;
    Ok(json!({ "symbol": listed.symbol(), "countdownTime": ms.to_string() }).into())
}

/// `GET positionMargin/history`.
pub async fn margin_history(request: Request) -> ApiResult {
    let (args, listed) = (&request.args, Listed::named(&request)?);
    seen(&request).await?;
    let catalog = request.app.shared.listed();
    let kind = args.whole("type");
    let read = |history: &crate::orders::leg_history::LegHistory| {
        let here = history.margins().filter(|(time, f)| f.units.contract == listed.id && is_inside(args, *time));
        let rows = here.filter(|(_, f)| kind.is_none_or(|kind| (kind == 2) == f.amount.is_negative()));
        let row = |(time, f): &(u64, xng_core::contract::book::facts::LegMarginMoved)| {
            let taken = f.amount.is_negative();
            json!({
                "symbol": listed.symbol(), "type": if taken { 2 } else { 1 }, "deltaType": "USER_ADJUST",
                "amount": eight(f.amount), "asset": catalog.asset_name(f.units.settle),
                "time": request.unit.ns(*time), "positionSide": super::rows::leg_name(f.leg), "clientTranId": "",
            })
        };
        rows.map(row).collect::<Vec<Value>>()
    };
    let rows = history(&request, read)?.unwrap_or_default();
    Ok(Value::Array(end_of(args.has("startTime")).of(rows, args.limit(ROWS, ROWS))).into())
}

/// `POST positionSide/dual`.
pub async fn set_hedge(request: Request) -> ApiResult {
    let hedge = request.args.flag("dualSidePosition").ok_or_else(|| ApiError::missing("dualSidePosition"))?;
    let (_, legs) = seen(&request).await?;
    match change(&request, LegCommand::SetHedge(hedge)).await? {
        Ok(()) => done(),
        Err(Reject::AlreadyExists) => Err(ApiError::bad(-4059, "No need to change position side.")),
        Err(Reject::PositionOpen) if legs.legs.is_empty() => {
            Err(ApiError::bad(-4067, "Position side cannot be changed if there exists open orders."))
        }
        Err(Reject::PositionOpen) => {
            Err(ApiError::bad(-4068, "Position side cannot be changed if there exists position."))
        }
        Err(reject) => Err(refused(reject)),
    }
}

/// `GET positionSide/dual`.
pub async fn hedge(request: Request) -> ApiResult {
    let (_, legs) = seen(&request).await?;
    Ok(json!({ "dualSidePosition": legs.hedge }).into())
}

/// `GET multiAssetsMargin`: never.
pub fn multi_assets(_: &Request) -> ApiResult {
    Ok(json!({ "multiAssetsMargin": false }).into())
}

/// `POST multiAssetsMargin`: it stays off.
pub fn set_multi_assets(request: &Request) -> ApiResult {
    match request.args.flag("multiAssetsMargin") {
        Some(true) => Err(ApiError::bad(-4167, "Unable to adjust to Multi-Assets mode.")),
        _ => Err(ApiError::bad(-4171, "No need to change Multi-Assets mode.")),
    }
}
