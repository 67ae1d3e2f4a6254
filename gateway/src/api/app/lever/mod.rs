//! Calls of contracts (`docs/rules/app-calls.md "Contracts"`): what opens, closes and changes tickets.
//!
//! Owns: texts to commands, and what a refusal is told as. Never does: name a price; decide. Invariants: what was accepted once is
//! told again. Known limits: the amounts in the text of an insufficient balance are those of the index that this gateway knows.

mod pages;
pub(crate) mod rows;
mod table;

use crate::api::app::call::{Call, CallResult};
use crate::api::http::errors::{Code, Failure};
use crate::api::http::params::Params;
use crate::market::contracts::by_pair;
use crate::orders::tickets::has_ended;
use pages::{deal, deal_all, my_trade};
use serde_json::json;
pub(super) use table::{CALLS, TICKET};
use xng_core::account::contract::MAX_TICKETS;
use xng_core::account::{AccountCommand, OpenTicket, Ticket, TicketCommand};
use xng_core::board::{Board, ContractFace};
use xng_core::contract::brackets::initial_margin;
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::contract::tickets::{HUNDREDTHS, Stops, TicketId, offered_price};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::fraction::Fraction;
use xng_core::ids::{AccountId, AssetId, MarketId};
use xng_core::money::{Amount, Lots, ONE};
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_core::spot::MarketState;

/// The contract of a pair.
fn contract<'b>(call: &Call, board: &'b Board) -> Result<(MarketId, &'b ContractFace), Failure> {
    let base = AssetId(call.params.need_integer("currency_id")?);
    let settle = AssetId(call.params.need_integer("legal_id")?);
    by_pair(board, base, settle).ok_or_else(|| match call.app.shared.listed().by_pair(base, settle) {
        Some(_) => Failure::text(Code::MarketClosed, "lever_not_open"),
        None => Failure::text(Code::NotFound, "unknown_pair"),
    })
}

/// The contract of a pair, when one is named.
fn some_contract(call: &Call, board: &Board) -> Result<Option<MarketId>, Failure> {
    match call.params.integer::<u32>("currency_id")? {
        None | Some(0) => Ok(None),
        Some(_) => contract(call, board).map(|(id, _)| Some(id)),
    }
}

fn direction(p: &Params) -> Result<Direction, Failure> {
    match p.need_integer::<u8>("type")? {
        1 => Ok(Direction::Long),
        2 => Ok(Direction::Short),
        _ => Err(Failure::field("type", "1 or 2")),
    }
}

fn mode(p: &Params) -> Result<MarginMode, Failure> {
    match p.get("margin_mode") {
        None | Some("cross") => Ok(MarginMode::Cross),
        Some("isolated") => Ok(MarginMode::Isolated),
        Some(_) => Err(Failure::field("margin_mode", "cross or isolated")),
    }
}

/// A price that may be left out, also as 0.
fn stop(p: &Params, name: &'static str) -> Result<Option<Amount>, Failure> {
    match p.amount(name)? {
        Some(price) if price.is_negative() => Err(Failure::field(name, "negative")),
        price => Ok(price.filter(|price| price.is_positive())),
    }
}

fn stops(p: &Params) -> Result<Stops, Failure> {
    Ok(Stops { take_profit: stop(p, "target_profit_price")?, stop_loss: stop(p, "stop_loss_price")? })
}

/// Whole lots, in hundredths. More than fit into a number are as many as do: above every limit.
fn lots(p: &Params) -> Result<Lots, Failure> {
    let share = p.amount("share")?.ok_or_else(|| Failure::field("share", "missing"))?;
    if share.is_negative() || share.0 % ONE != 0 {
        return Err(Failure::text(Code::Parameter, "lever_whole_lots"));
    }
    Ok(Lots(i64::try_from(share.0 / ONE * i128::from(HUNDREDTHS)).unwrap_or(i64::MAX / HUNDREDTHS * HUNDREDTHS)))
}

/// The index at which a limit ticket is opened.
fn target(p: &Params) -> Result<Option<Amount>, Failure> {
    match p.need_integer::<u8>("status")? {
        1 => Ok(None),
        0 => match p.amount("target_price")? {
            Some(price) if price.is_positive() => Ok(Some(price)),
            Some(_) | None => Err(Failure::text(Code::Parameter, "lever_limit_price")),
        },
        _ => Err(Failure::field("status", "0 or 1")),
    }
}

/// `POST /lever/submit`: a ticket at the index, or one that waits for its price.
pub async fn submit(call: Call) -> CallResult {
    let session = call.session().await?;
    let board = call.app.shared.contracts.now();
    let (contract, face) = contract(&call, &board)?;
    let p = &call.params;
    let wanted = OpenTicket {
        contract,
        version: face.params.version,
        direction: direction(p)?,
        mode: mode(p)?,
        lots: lots(p)?,
        multiple: p.need_integer("multiple").or_else(too_large)?,
        target: target(p)?,
        stops: stops(p)?,
    };
    let key = call.request_key()?;
    let command = Command::Account(session.account, AccountCommand::Tickets(TicketCommand::Open(wanted)));
    match call.call_exclusively(session.account, key, command).await? {
        Reply::Accepted(Accepted::Ticket(ticket)) => {
            let data = json!({ "id": ticket.0, "order_no": ticket.0.to_string() });
            Ok(call.said("lever_submitted").and(data))
        }
        Reply::Known(Accepted::Ticket(ticket)) => {
            let data = json!({ "id": ticket.0, "order_no": ticket.0.to_string(), "repeated": true });
            Ok(call.said("lever_submitted").and(data))
        }
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => {
            let level = call.view(session.account).await.map_or(0, |view| view.level);
            Err(refusal(&call, reject, &wanted, (face, level)))
        }
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("a ticket is opened or refused, not {other:?}")
        }
    }
}

/// A multiple with too many digits is as little to be had as any other that is not offered.
fn too_large(failure: Failure) -> Result<u16, Failure> {
    match &failure.field {
        Some((_, "out of range")) => Err(Failure::text(Code::Parameter, "bad_multiple")),
        Some(_) | None => Err(failure),
    }
}

/// A refusal with what was asked for in its text.
fn refusal(call: &Call, reject: Reject, wanted: &OpenTicket, (face, level): (&ContractFace, u8)) -> Failure {
    let (params, limit) = (&face.params, |key| Failure::text(Code::Limit, key));
    if reject == Reject::InsufficientBalance {
        return insufficient(call, wanted, (face, level));
    }
    if reject == Reject::PriceStale && face.state == MarketState::Halt {
        return Failure::text(Code::MarketClosed, "lever_not_open");
    }
    let at_index = match wanted.direction {
        Direction::Long => "lever_limit_buy",
        Direction::Short => "lever_limit_sell",
    };
    let told = [
        (Reject::BelowMinAmount, limit("lever_lots_low").with("min", params.tickets.lots.0.0)),
        (Reject::AboveMaxAmount, limit("lever_lots_high").with("max", params.tickets.lots.1.0)),
        (Reject::TooManyOrders, limit("lever_max_tickets").with("max", MAX_TICKETS)),
        (Reject::WouldTrigger, limit(at_index)),
        (Reject::BadPrice, limit("filter_tick").with("step", params.tick)),
        (Reject::BadTrigger, bad_stops(&wanted.stops, params.tick)),
    ];
    let found = told.into_iter().find(|(of, _)| *of == reject);
    found.map_or_else(|| reject.into(), |(_, failure)| failure)
}

/// What a ticket would have cost.
fn insufficient(call: &Call, wanted: &OpenTicket, (face, level): (&ContractFace, u8)) -> Failure {
    let params = &face.params;
    let reference = wanted.target.unwrap_or(face.index.0);
    let price = offered_price(wanted.direction, reference, params.tickets.spread_ppm, params.tick);
    let value = Fraction::value(price, params.base_of(wanted.lots));
    let (margin, fee) = (initial_margin(value, wanted.multiple), value.ppm(params.ticket_fee(level).0).round8());
    let coin = call.app.shared.listed().asset_name(params.settle);
    let failure = Failure::text(Code::Insufficient, "lever_insufficient");
    failure.with("coin", coin).with("min", margin + fee).with("fee", fee)
}

/// Why stops cannot be taken.
fn bad_stops(stops: &Stops, tick: Amount) -> Failure {
    let between = |stop: &Amount| stop.0 % tick.0 != 0;
    if stops.take_profit.iter().chain(&stops.stop_loss).any(between) {
        return Failure::text(Code::Limit, "filter_tick").with("step", tick);
    }
    Failure::text(Code::Limit, "lever_bad_stops")
}

/// Hands over what is done to one ticket; whether it was done before.
async fn change(
    call: &Call,
    account: AccountId,
    ticket: TicketId,
    command: TicketCommand,
) -> Result<Result<bool, Reject>, Failure> {
    let key = call.request_key()?;
    let command = Command::Account(account, AccountCommand::Tickets(command));
    match call.app.client.call(Origin::User, key, command).await? {
        Reply::Accepted(Accepted::Done) => Ok(Ok(false)),
        Reply::Known(Accepted::Done) => Ok(Ok(true)),
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(Reject::UnknownTicket) => Err(not_so(call, account, ticket).await),
        Reply::Rejected(reject) => Ok(Err(reject)),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("a ticket is changed or not, not {other:?}")
        }
    }
}

/// Why nothing can be done to a ticket: it waits, is open or has ended; or there is none of this account.
async fn not_so(call: &Call, account: AccountId, ticket: TicketId) -> Failure {
    let view = match call.view(account).await {
        Ok(view) => view,
        Err(failure) => return failure,
    };
    if view.tickets.iter().any(|own| own.id() == ticket) {
        return Code::State.into();
    }
    match has_ended(&call.app, account, ticket, &view).await {
        Ok(true) => Code::State.into(),
        Ok(false) => Code::NotFound.into(),
        Err(failure) => failure,
    }
}

fn changed(call: &Call, text: &str, ticket: TicketId, repeated: bool) -> CallResult {
    let mut data = json!({ "id": ticket.0 });
    if repeated {
        data["repeated"] = true.into();
    }
    Ok(call.said(text).and(data))
}

/// `POST /lever/close`.
pub async fn close(call: Call) -> CallResult {
    let session = call.session().await?;
    let ticket = TicketId(call.params.need_integer("id")?);
    let done = change(&call, session.account, ticket, TicketCommand::Close(ticket)).await?;
    changed(&call, "lever_closed", ticket, done?)
}

/// `POST /lever/cancel`: a ticket that waits for its price.
pub async fn cancel(call: Call) -> CallResult {
    let session = call.session().await?;
    let ticket = TicketId(call.params.need_integer("id")?);
    let done = change(&call, session.account, ticket, TicketCommand::Cancel(ticket)).await?;
    changed(&call, "lever_canceled", ticket, done?)
}

/// `POST /lever/setstop`.
pub async fn set_stop(call: Call) -> CallResult {
    let session = call.session().await?;
    let ticket = TicketId(call.params.need_integer("id")?);
    let stops = stops(&call.params)?;
    match change(&call, session.account, ticket, TicketCommand::SetStops { ticket, stops }).await? {
        Ok(repeated) => changed(&call, "lever_stops_set", ticket, repeated),
        Err(Reject::BadTrigger) => {
            let (view, board) = (call.view(session.account).await?, call.app.shared.contracts.now());
            let own = view.tickets.iter().find(|own| own.id() == ticket);
            let tick = own.and_then(|own| board.contract(own.terms.contract)).map(|face| face.params.tick);
            Err(tick.map_or_else(|| Code::State.into(), |tick| bad_stops(&stops, tick)))
        }
        Err(reject) => Err(reject.into()),
    }
}

/// `POST /lever/batch_close`: all that are open, or those of one direction, of one contract or all.
pub async fn batch_close(call: Call) -> CallResult {
    let session = call.session().await?;
    let direction = match call.params.need_integer::<u8>("type")? {
        0 => None,
        1 => Some(Direction::Long),
        2 => Some(Direction::Short),
        _ => return Err(Failure::field("type", "0, 1 or 2")),
    };
    let contract = some_contract(&call, &call.app.shared.contracts.now())?;
    let view = call.view(session.account).await?;
    let of = |t: &&Ticket| {
        let terms = &t.terms;
        t.is_open()
            && contract.is_none_or(|contract| terms.contract == contract)
            && direction.is_none_or(|direction| terms.direction == direction)
    };
    let asked: Vec<TicketId> = view.tickets.iter().filter(of).map(Ticket::id).collect();
    let key = call.request_key()?;
    let command = TicketCommand::CloseAll { contract, direction };
    let command = Command::Account(session.account, AccountCommand::Tickets(command));
    match call.app.client.call(Origin::User, key, command).await? {
        Reply::Accepted(Accepted::Done) => {
            // Those whose index is not fresh stay.
            let after = call.view(session.account).await?;
            let stays = |id: &TicketId| after.tickets.iter().any(|ticket| ticket.id() == *id);
            let ids: Vec<u64> = asked.into_iter().filter(|id| !stays(id)).map(|id| id.0).collect();
            Ok(call.said("lever_batch").and(json!({ "ids": ids })))
        }
        Reply::Known(Accepted::Done) => Ok(call.said("lever_batch").and(json!({ "ids": [], "repeated": true }))),
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => Err(reject.into()),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("tickets are closed or not, not {other:?}")
        }
    }
}
