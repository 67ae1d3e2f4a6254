//! Calls of contracts' books (`docs/rules/app-calls.md "Contracts' books"`): what places and ends orders, and changes how an
//! account trades.
//!
//! Owns: texts to commands, and what a refusal is told as. Never does: decide; look at what belongs to somebody else. Invariants:
//! filters are those of programs (`crate::orders::leg_placing`). Known limits: orders are not amended; the position mode is
//! changed, and a trailing order placed, by program.

mod pages;
mod preview;
pub(crate) mod rows;
mod table;

use crate::api::app::call::{Call, CallResult};
use crate::api::http::errors::{Code, Failure};
use crate::api::http::params::Params;
use crate::orders::book_contract::Listed;
use crate::orders::leg_lookup;
use crate::orders::leg_placing::{self, Draft, LEAST_VALUE, Unfit, Wait};
use crate::orders::submission::submit;
use pages::{adl, book, funding, insurance, orders, positions};
use preview::preview;
use serde_json::{Value, json};
pub(super) use table::CALLS;
use xng_core::account::{AccountCommand, LegCommand, OrderName};
use xng_core::contract::book::order::LegSide;
use xng_core::contract::book::waiting::{MAX_CONDITIONALS, WorkingPrice};
use xng_core::contract::facts::MarginMode;
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId, ClientOrderId, OrderId};
use xng_core::money::Amount;
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_core::spot::{OrderKind, Side, Stp, Tif, TriggerKind};

/// The contract of a pair, when it has a book.
fn listed(call: &Call) -> Result<Listed, Failure> {
    let base = AssetId(call.params.need_integer("currency_id")?);
    let settle = AssetId(call.params.need_integer("legal_id")?);
    let of_pair = |listed: &Listed| (listed.face.params.base, listed.face.params.settle) == (base, settle);
    let found = Listed::all_of(&call.app.shared.contracts).into_iter().find(of_pair);
    found.ok_or_else(|| match call.app.shared.listed().by_pair(base, settle) {
        Some(_) => Failure::text(Code::MarketClosed, "lever_not_open"),
        None => Failure::text(Code::NotFound, "unknown_pair"),
    })
}

/// The contract of a pair when one is named, else all of them.
fn some_listed(call: &Call) -> Result<Vec<Listed>, Failure> {
    match call.params.integer::<u32>("currency_id")? {
        None | Some(0) => Ok(Listed::all_of(&call.app.shared.contracts)),
        Some(_) => Ok(vec![listed(call)?]),
    }
}

fn word<T: Copy>(
    p: &Params,
    name: &'static str,
    words: &[(&str, T)],
    none: Option<T>,
    says: &'static str,
) -> Result<T, Failure> {
    match p.get(name) {
        None => none.ok_or_else(|| Failure::field(name, "missing")),
        Some(text) => {
            let found = words.iter().find(|(word, _)| *word == text);
            found.map(|(_, value)| *value).ok_or_else(|| Failure::field(name, says))
        }
    }
}

fn flag(p: &Params, name: &'static str) -> Result<bool, Failure> {
    let words = [("1", true), ("0", false), ("true", true), ("false", false)];
    word(p, name, &words, Some(false), "0 or 1")
}

fn position_side(p: &Params) -> Result<LegSide, Failure> {
    let words = [("both", LegSide::Both), ("long", LegSide::Long), ("short", LegSide::Short)];
    word(p, "position_side", &words, Some(LegSide::Both), "both, long or short")
}

fn mode(p: &Params) -> Result<MarginMode, Failure> {
    let words = [("cross", MarginMode::Cross), ("isolated", MarginMode::Isolated)];
    word(p, "margin_mode", &words, None, "cross or isolated")
}

/// What an order waits for; none of one that is placed now.
fn wait(p: &Params) -> Result<Option<Wait>, Failure> {
    let kinds = [("stop_loss", TriggerKind::StopLoss), ("take_profit", TriggerKind::TakeProfit)];
    let workings = [("mark", WorkingPrice::Mark), ("last", WorkingPrice::Last)];
    if p.get("trigger").is_none() {
        let stray = ["trigger_price", "trigger_by", "close_position"].into_iter().any(|name| p.get(name).is_some());
        return if stray { Err(Failure::field("trigger", "missing")) } else { Ok(None) };
    }
    let kind = word(p, "trigger", &kinds, None, "stop_loss or take_profit")?;
    let price = Some(p.need_positive("trigger_price")?);
    let working = word(p, "trigger_by", &workings, Some(WorkingPrice::Mark), "mark or last")?;
    Ok(Some(Wait { kind, price, trail_bips: 0, working, closes: flag(p, "close_position")? }))
}

/// An order as it is asked for, and what it waits for.
fn draft(p: &Params) -> Result<(Draft, Option<Wait>), Failure> {
    let wait = wait(p)?;
    let closes = wait.is_some_and(|wait| wait.closes);
    let side = match p.need_integer::<u8>("type")? {
        1 => Side::Buy,
        2 => Side::Sell,
        _ => return Err(Failure::field("type", "1 or 2")),
    };
    let kinds = [("limit", OrderKind::Limit), ("market", OrderKind::Market)];
    let kind = word(p, "order_type", &kinds, None, "limit or market")?;
    if closes && kind != OrderKind::Market {
        return Err(Failure::field("order_type", "market with close_position"));
    }
    let quantity = match (closes, p.get("amount")) {
        (true, None) => None,
        (true, Some(_)) => return Err(Failure::field("amount", "not with close_position")),
        (false, _) => Some(p.need_positive("amount")?),
    };
    let tifs = [("GTC", Tif::Gtc), ("IOC", Tif::Ioc), ("FOK", Tif::Fok), ("POST_ONLY", Tif::PostOnly)];
    let tif = word(p, "tif", &tifs, Some(Tif::Gtc), "GTC, IOC, FOK or POST_ONLY")?;
    let price = match kind {
        OrderKind::Market => None,
        OrderKind::Limit => Some(p.need_positive("target_price")?),
    };
    let client_id = match p.get("client_id") {
        Some(text) => {
            let parsed = ClientOrderId::parse(text);
            Some(parsed.ok_or_else(|| Failure::field("client_id", "1 to 36 of A-Z a-z 0-9 . : / _ -"))?)
        }
        None => None,
    };
    let draft = Draft {
        side,
        leg: position_side(p)?,
        kind,
        tif: if kind == OrderKind::Market { Tif::Gtc } else { tif },
        stp: Stp::ExpireTaker,
        quantity,
        price,
        waits: wait.is_some(),
        reduce_only: closes || flag(p, "reduce_only")?,
        client_id,
    };
    Ok((draft, wait))
}

/// A filter that an order does not pass, with its limit in the text.
fn unfit(why: Unfit, listed: &Listed) -> Failure {
    let limit = |key| Failure::text(Code::Limit, key);
    let (least, most) = listed.book.lots;
    match why {
        Unfit::Tick => limit("filter_tick").with("step", listed.face.params.tick),
        Unfit::Lot => limit("filter_step").with("step", listed.face.params.lot),
        Unfit::TooSmall => limit("filter_min_amount").with("min", listed.lots(least)),
        Unfit::TooLarge => limit("filter_max_amount").with("max", listed.lots(most)),
        Unfit::Above(_) | Unfit::Below(_) => {
            limit("filter_price_band").with("percent", Amount(i128::from(listed.book.band_ppm) * 10_000))
        }
        Unfit::Value => limit("filter_min_notional").with("min", LEAST_VALUE),
    }
}

/// A refusal with the contract's limits in its text.
fn refusal(reject: Reject, listed: &Listed) -> Failure {
    let state = |key| Failure::text(Code::State, key);
    let most = Failure::text(Code::Limit, "filter_max_orders").with("max", listed.book.max_open_orders);
    let most_waiting = Failure::text(Code::Limit, "filter_max_triggers").with("max", MAX_CONDITIONALS);
    let told = [
        (Reject::BelowMinAmount, unfit(Unfit::TooSmall, listed)),
        (Reject::AboveMaxAmount, unfit(Unfit::TooLarge, listed)),
        (Reject::OutsidePriceBand, unfit(Unfit::Above(Amount::ZERO), listed)),
        (Reject::TooManyOrders, most),
        (Reject::TooManyTriggers, most_waiting),
        (Reject::ReduceOnly, state("contract_nothing_to_close")),
        (Reject::PositionOpen, state("contract_position_open")),
        (Reject::Liquidating, state("contract_liquidating")),
        (Reject::PositionModeMismatch, Failure::text(Code::Parameter, "contract_position_side")),
    ];
    let found = told.into_iter().find(|(of, _)| *of == reject);
    found.map_or_else(|| reject.into(), |(_, failure)| failure)
}

/// `POST /contract/order`.
pub async fn order(call: Call) -> CallResult {
    let session = call.session().await?;
    let listed = listed(&call)?;
    let (draft, wait) = draft(&call.params)?;
    let wanted = leg_placing::fitted(&draft, &listed).map_err(|why| unfit(why, &listed))?;
    let condition = wait.map(|wait| leg_placing::condition(&wait, &listed)).transpose();
    let condition = condition.map_err(|why| unfit(why, &listed))?;
    let key = call.request_key()?;
    let meets = condition.is_none() && wanted.kind == OrderKind::Market;
    if meets && !leg_placing::meets_somebody(&call.app.shared, &listed, wanted.side).await {
        return Err(Failure::text(Code::MarketClosed, "contract_nobody"));
    }
    let command = Command::Account(session.account, AccountCommand::Legs(leg_placing::command(wanted, condition)));
    let ask = call.call_exclusively(session.account, key, command);
    submit(&call.app.shared, wanted.kind, call.began, ask, |reply| match reply? {
        Reply::Accepted(Accepted::Placed(ack)) => {
            let row =
                rows::order(&leg_placing::at_once((&wanted, condition), &ack, &listed), &call.app.shared.listed());
            Ok(call.said("order_placed").and(row))
        }
        Reply::Known(Accepted::Placed(ack)) => {
            let mut row =
                rows::order(&leg_placing::at_once((&wanted, condition), &ack, &listed), &call.app.shared.listed());
            row["repeated"] = true.into();
            Ok(call.said("order_placed").and(row))
        }
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => Err(refusal(reject, &listed)),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("an order is placed or refused, not {other:?}")
        }
    })
    .await
}

/// Hands over what ends orders or changes terms; what was done, and whether it was done before.
async fn change(call: &Call, account: AccountId, command: LegCommand) -> Result<Result<Accepted, Reject>, Failure> {
    let key = call.request_key()?;
    let command = Command::Account(account, AccountCommand::Legs(command));
    match call.app.client.call(Origin::User, key, command).await? {
        Reply::Accepted(accepted) | Reply::Known(accepted) => Ok(Ok(accepted)),
        Reply::Rejected(reject) => Ok(Err(reject)),
        other @ (Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("it is done or refused, not {other:?}")
        }
    }
}

fn ids_of(accepted: Accepted) -> Vec<u64> {
    match accepted {
        Accepted::Canceled(ids) => ids.into_iter().map(|id| id.0).collect(),
        Accepted::Placed(_)
        | Accepted::GroupPlaced(_)
        | Accepted::Ticket(_)
        | Accepted::Option(_)
        | Accepted::Address(_)
        | Accepted::Withdrawal(_)
        | Accepted::Done => Vec::new(),
    }
}

fn ended(call: &Call, text: &str, ids: &[u64]) -> CallResult {
    Ok(call.said(text).and(json!({ "ids": ids })))
}

/// `POST /contract/cancel`: an order by its id.
pub async fn cancel(call: Call) -> CallResult {
    let session = call.session().await?;
    let id = OrderId(call.params.need_integer("id")?);
    match change(&call, session.account, LegCommand::Cancel(OrderName::Id(id))).await? {
        Ok(accepted) => ended(&call, "order_canceled", &ids_of(accepted)),
        // One that was theirs and is over is another thing than one that never was.
        Err(Reject::UnknownOrder) => match leg_lookup::done_order(&call.app, session.account, id).await? {
            Some(_) => Err(Code::State.into()),
            None => Err(Code::NotFound.into()),
        },
        Err(reject) => Err(reject.into()),
    }
}

/// `POST /contract/cancel_all`: all open orders of one contract, those that wait for a price among them.
pub async fn cancel_all(call: Call) -> CallResult {
    let session = call.session().await?;
    let listed = listed(&call)?;
    let mut ids = Vec::new();
    for command in [LegCommand::CancelAll(listed.id), LegCommand::CancelConditionals(listed.id)] {
        match change(&call, session.account, command).await? {
            Ok(accepted) => ids.extend(ids_of(accepted)),
            Err(reject) => return Err(refusal(reject, &listed)),
        }
    }
    ended(&call, "orders_canceled", &ids)
}

fn terms_row(multiple: u16, mode: MarginMode) -> Value {
    json!({ "multiple": multiple, "margin_mode": rows::mode_name(mode) })
}

/// `POST /contract/terms`: multiple and margin mode of one contract.
pub async fn terms(call: Call) -> CallResult {
    let session = call.session().await?;
    let listed = listed(&call)?;
    let too_large = || Failure::text(Code::Parameter, "bad_multiple");
    let multiple: u64 = call.params.need_integer("multiple")?;
    let multiple = u16::try_from(multiple).ok().filter(|multiple| *multiple > 0).ok_or_else(too_large)?;
    let mode = mode(&call.params)?;
    let command = LegCommand::SetTerms { contract: listed.id, multiple: Some(multiple), mode: Some(mode) };
    match change(&call, session.account, command).await? {
        Ok(_) | Err(Reject::AlreadyExists) => Ok(call.said("contract_terms_set").and(terms_row(multiple, mode))),
        Err(reject) => Err(refusal(reject, &listed)),
    }
}

/// `POST /contract/margin`: puts margin into an isolated position, or takes it out.
pub async fn margin(call: Call) -> CallResult {
    let session = call.session().await?;
    let listed = listed(&call)?;
    let amount = call.params.need_positive("amount")?;
    let amount = match call.params.need_integer::<u8>("type")? {
        1 => amount,
        2 => -amount,
        _ => return Err(Failure::field("type", "1 or 2")),
    };
    let command = LegCommand::MoveMargin { contract: listed.id, leg: position_side(&call.params)?, amount };
    match change(&call, session.account, command).await? {
        Ok(_) => Ok(call.said("contract_margin_moved").and(json!({ "amount": amount.to_string() }))),
        Err(reject) => Err(refusal(reject, &listed)),
    }
}
