//! Spot orders that wait for a price, alone or beside one that rests (`/coin/stop`, `/coin/oco`).
//!
//! Owns: texts to terms of these. Never does: match, or judge a balance. Invariants: both calls answer as `/coin/trade` does,
//! with the list's id besides. Known limits: a trailing order of the app always trails from the next price on.

use super::{hand_over, market, refusal, step_failure};
use crate::api::app::call::{Call, CallResult};
use crate::api::app::rows;
use crate::api::http::errors::{Code, Failure};
use crate::api::http::params::Params;
use crate::common::decimal::{lots, ticks};
use crate::market::board::Boards;
use crate::market::catalog::MarketInfo;
use crate::orders::required_hold::waiting_terms;
use xng_core::account::SpotCommand;
use xng_core::entity::{Accepted, Reply};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::spot::{Leg, NewOrder, OrderGroup, OrderKind, Side, Stp, Terms, Tif, Trigger, TriggerKind};

fn price(p: &Params, name: &'static str, info: &MarketInfo) -> Result<Ticks, Failure> {
    match p.amount(name)? {
        None => Ok(Ticks::ZERO),
        Some(price) if price.is_zero() => Ok(Ticks::ZERO),
        Some(price) => {
            ticks(price, &info.params).map_err(|bad| step_failure(name, bad, ("filter_tick", info.params.tick)))
        }
    }
}

/// What both calls have: side, quantity, and an order at a price or, without one, at market.
fn order(p: &Params, info: &MarketInfo, ticks: Ticks, tif: Tif) -> Result<NewOrder, Failure> {
    let side = match p.need_integer::<u8>("type")? {
        1 => Side::Buy,
        2 => Side::Sell,
        _ => return Err(Failure::field("type", "1 or 2")),
    };
    let params = &info.params;
    let lots = lots(p.need_positive("amount")?, params)
        .map_err(|bad| step_failure("amount", bad, ("filter_step", params.step)))?;
    let kind = if ticks == Ticks::ZERO { OrderKind::Market } else { OrderKind::Limit };
    let (market, stp, budget, iceberg, client_id) = (params.market, Stp::ExpireTaker, Amount::ZERO, Lots::ZERO, None);
    let amount = params.lock(side, ticks, lots);
    let terms = Terms { version: params.version, asset: params.locked_asset(side), amount, capped: false };
    Ok(NewOrder { market, side, kind, tif, stp, ticks, lots, budget, iceberg, client_id, terms })
}

fn waits(boards: &Boards, info: &MarketInfo, order: NewOrder, trigger: Trigger) -> Leg {
    let terms = waiting_terms(boards, &info.params, &order, &trigger);
    Leg { order: NewOrder { terms, ..order }, trigger: Some(trigger) }
}

/// A percentage with two decimals as hundredths of a percent.
fn trail_bips(p: &Params) -> Result<u32, Failure> {
    let Some(percent) = p.amount("trail")?.filter(|percent| !percent.is_zero()) else { return Ok(0) };
    let bips = percent.0 / 1_000_000;
    let whole = percent.0 % 1_000_000 == 0;
    u32::try_from(bips).ok().filter(|_| whole).ok_or_else(|| Failure::field("trail", "percent with two decimals"))
}

fn stop_leg(p: &Params, info: &MarketInfo, boards: &Boards) -> Result<Leg, Failure> {
    let kind = match p.get("trigger") {
        Some("stop_loss") => TriggerKind::StopLoss,
        Some("take_profit") => TriggerKind::TakeProfit,
        _ => return Err(Failure::field("trigger", "stop_loss or take_profit")),
    };
    let trail_bips = trail_bips(p)?;
    let at = price(p, "trigger_price", info)?;
    let order = order(p, info, price(p, "target_price", info)?, Tif::Gtc)?;
    Ok(waits(boards, info, order, Trigger { kind, ticks: at, trail_bips }))
}

/// `POST /coin/stop`.
pub(super) async fn stop(call: Call) -> CallResult {
    let catalog = call.app.shared.listed();
    let info = market(&call, &catalog)?;
    let leg = stop_leg(&call.params, &info, &call.app.shared.boards)?;
    place_group(&call, &info, vec![leg]).await
}

/// `POST /coin/oco`.
pub(super) async fn oco(call: Call) -> CallResult {
    let catalog = call.app.shared.listed();
    let (info, p) = (market(&call, &catalog)?, &call.params);
    let target = price(p, "target_price", &info)?;
    if target == Ticks::ZERO {
        return Err(Failure::field("target_price", "missing"));
    }
    let resting = Leg { order: order(p, &info, target, Tif::PostOnly)?, trigger: None };
    let at = price(p, "trigger_price", &info)?;
    let stop = order(p, &info, price(p, "stop_price", &info)?, Tif::Gtc)?;
    let trigger = Trigger { kind: TriggerKind::StopLoss, ticks: at, trail_bips: 0 };
    let stop = waits(&call.app.shared.boards, &info, stop, trigger);
    place_group(&call, &info, vec![resting, stop]).await
}

async fn place_group(call: &Call, info: &MarketInfo, legs: Vec<Leg>) -> CallResult {
    let (session, key) = (call.session().await?, call.request_key()?);
    let terms = legs.iter().map(|leg| leg.order.terms).max_by_key(|terms| terms.amount).ok_or(Code::Parameter)?;
    let kind = legs.first().map_or(OrderKind::Limit, |leg| leg.order.kind);
    let group = OrderGroup { market: info.params.market, replaces: None, legs, pending: Vec::new(), list: None, terms };
    let command = SpotCommand::PlaceGroup(Box::new(group));
    let answer_to = |reply| match reply {
        Reply::Accepted(Accepted::GroupPlaced(acks)) => Ok(call.said("order_placed").and(rows::placed_group(&acks))),
        Reply::Known(Accepted::GroupPlaced(acks)) => Ok(call.said("order_placed").and(rows::repeated_group(&acks))),
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => Err(refusal(reject, info)),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("orders are placed or refused, not {other:?}")
        }
    };
    hand_over(call, session.account, key, (kind, command), answer_to).await
}
