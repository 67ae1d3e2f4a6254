//! Spot orders (`spec/domain.md` 1.9).
//!
//! Owns: texts to terms, and pages of orders and trades. Never does: match, or judge a balance. Invariants: what is in
//! memory goes before what the store says of it; nothing is left out between the two without a word. Known limits: what an
//! account forgot is answered "later" while the store is away, or so far behind that it may not have it yet.

use super::{Call, Outcome, key_digest, rows};
use crate::catalog::{Catalog, MarketInfo};
use crate::edge::{BadNumber, lots, ticks};
use crate::http::envelope::Answer;
use crate::http::errors::{Code, Failure};
use crate::http::params::Params;
use crate::market::board::{Boards, read};
use crate::time::now_ns;
use crate::trail::Passed;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use xng_core::account::{
    AccountCommand, AccountView, Answer as KnownAnswer, Fill, Order, OrderName, SpotCommand, recent::RECENT,
};
use xng_core::entity::{Command, Reply, TimeNs};
use xng_core::ids::{AccountId, AssetId, ClientOrderId, OrderId, RequestKey, TradeId};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_core::spot::{NewOrder, OrderAck, OrderKind, OrderStatus, Side, Stp, Terms, Tif};
use xng_persistence::store::{FillFilter, OrderFilter, Slice, StoreError};

const PPM: i128 = 1_000_000;

fn market(call: &Call, catalog: &Catalog) -> Result<MarketInfo, Failure> {
    let base = AssetId(call.params.need_integer("currency_id")?);
    let quote = AssetId(call.params.need_integer("legal_id")?);
    catalog.by_pair(base, quote).cloned().ok_or_else(|| Failure::text(Code::NotFound, "unknown_pair"))
}

fn step_failure(field: &'static str, bad: BadNumber, step: Amount) -> Failure {
    match bad {
        BadNumber::Shape => Failure::field(field, "not a plain decimal number"),
        BadNumber::Range => Failure::field(field, "out of range"),
        BadNumber::Step if field == "target_price" => Failure::text(Code::Limit, "filter_tick").with("step", step),
        BadNumber::Step => Failure::text(Code::Limit, "filter_step").with("step", step),
    }
}

/// What was asked for, in the market's units.
struct Wish {
    side: Side,
    kind: OrderKind,
    tif: Tif,
    ticks: Ticks,
    lots: Lots,
    budget: Amount,
}

fn kind(p: &Params, price: Amount) -> Result<OrderKind, Failure> {
    match p.get("order_type") {
        Some("limit") => Ok(OrderKind::Limit),
        Some("market") => Ok(OrderKind::Market),
        Some(_) => Err(Failure::field("order_type", "limit or market")),
        None if price.is_zero() => Ok(OrderKind::Market),
        None => Ok(OrderKind::Limit),
    }
}

fn wish(p: &Params, info: &MarketInfo) -> Result<Wish, Failure> {
    let side = match p.need_integer::<u8>("type")? {
        1 => Side::Buy,
        2 => Side::Sell,
        _ => return Err(Failure::field("type", "1 or 2")),
    };
    let price = p.amount("target_price")?.unwrap_or_default();
    if price.is_negative() {
        return Err(Failure::field("target_price", "negative"));
    }
    let kind = kind(p, price)?;
    let tif = match p.get("tif") {
        None | Some("GTC") => Tif::Gtc,
        Some("IOC") => Tif::Ioc,
        Some("FOK") => Tif::Fok,
        Some("POST_ONLY") => Tif::PostOnly,
        Some(_) => return Err(Failure::field("tif", "GTC, IOC, FOK or POST_ONLY")),
    };
    let params = &info.params;
    let ticks = match kind {
        OrderKind::Market => Ticks::ZERO,
        OrderKind::Limit if price.is_zero() => return Err(Failure::field("target_price", "missing")),
        OrderKind::Limit => ticks(price, params).map_err(|bad| step_failure("target_price", bad, params.tick))?,
    };
    let by_quote = kind == OrderKind::Market && p.get("quote_amount").is_some();
    let (amount, budget) = if by_quote {
        (Lots::ZERO, p.need_positive("quote_amount")?)
    } else {
        let amount = p.need_positive("amount")?;
        let lots = lots(amount, params).map_err(|bad| step_failure("amount", bad, params.step))?;
        (lots, Amount::ZERO)
    };
    Ok(Wish { side, kind, tif: if kind == OrderKind::Market { Tif::Gtc } else { tif }, ticks, lots: amount, budget })
}

/// What the account must hold, by parameters and prices known here; the market checks it again.
fn terms(boards: &Boards, info: &MarketInfo, w: &Wish) -> Result<Terms, Failure> {
    let p = &info.params;
    let (amount, capped) = match (w.kind, w.side) {
        (OrderKind::Limit, side) => (p.lock(side, w.ticks, w.lots), false),
        (OrderKind::Market, Side::Sell) if !w.lots.is_zero() => (p.base_amount(w.lots), false),
        // A sale by quote amount may take all that there is; what it does not sell stays.
        (OrderKind::Market, Side::Sell) => (xng_core::money::MAX_AMOUNT, true),
        (OrderKind::Market, Side::Buy) if w.lots.is_zero() => (w.budget, false),
        (OrderKind::Market, Side::Buy) => {
            let board = boards.get(p.market).ok_or(Code::MarketClosed)?;
            let best = read(&board).depth.best(Side::Sell).ok_or(Code::MarketClosed)?.0;
            let worst = i128::from(best.0) * (PPM + i128::from(p.protection_ppm)) / PPM + 1;
            let worst = Ticks(i64::try_from(worst).map_err(|_| Code::MarketClosed)?);
            (p.notional(worst, w.lots), true)
        }
    };
    Ok(Terms { version: p.version, asset: p.locked_asset(w.side), amount, capped })
}

/// `POST /coin/trade`.
pub async fn place(call: Call) -> Outcome {
    let session = call.session().await?;
    let catalog = call.app.shared.listed();
    let info = market(&call, &catalog)?;
    let key = call.request_key()?;
    let order = match new_order(&call.params, &info, &call.app.shared.boards) {
        Ok(order) => order,
        // What was accepted once is told again, whatever the market has become since.
        Err(failure) => return answered_before(&call, session.account, &info, key).await.unwrap_or(Err(failure)),
    };
    let kind = order.kind;
    let command = Command::Account(session.account, AccountCommand::Spot(SpotCommand::Place(order)));
    let handed = Instant::now();
    let reply = call.ask_alone(session.account, key, command).await;
    let answered = Instant::now();
    call.app.shared.meters.orders.count(kind, &reply, answered - handed);
    let ack = if let Ok(Reply::Placed(ack)) = &reply { Some((ack.order, ack.time)) } else { None };
    let outcome = placed(&call, &info, kind, reply?);
    if let Some((order, decided)) = ack {
        let (received, replied) = (call.began, Instant::now());
        call.app.shared.health.trail.passed(Passed { order, decided, received, handed, answered, replied });
    }
    outcome
}

/// The answer to an earlier request with this key and body, if there was one.
async fn answered_before(
    call: &Call,
    account: AccountId,
    info: &MarketInfo,
    key: Option<RequestKey>,
) -> Option<Outcome> {
    // The account looks at the key before it looks at what is asked.
    let ask = Command::Account(account, AccountCommand::View { latest: false });
    let reply = call.app.client.call(Origin::User, Some(key?), ask).await.ok()?;
    let price = call.params.amount("target_price").ok().flatten().unwrap_or_default();
    match reply {
        Reply::Account(_) => None,
        known => Some(placed(call, info, kind(&call.params, price).ok()?, known)),
    }
}

/// What the account is asked for, checked as far as can be known here; a market purchase needs a best ask on its board.
pub fn new_order(p: &Params, info: &MarketInfo, boards: &Boards) -> Result<NewOrder, Failure> {
    let w = wish(p, info)?;
    let client_id = match p.get("client_id") {
        Some(text) => {
            let parsed = ClientOrderId::parse(text);
            Some(parsed.ok_or_else(|| Failure::field("client_id", "1 to 36 of A-Z a-z 0-9 . : / _ -"))?)
        }
        None => None,
    };
    Ok(NewOrder {
        market: info.params.market,
        side: w.side,
        kind: w.kind,
        tif: w.tif,
        stp: Stp::ExpireTaker,
        ticks: w.ticks,
        lots: w.lots,
        budget: w.budget,
        iceberg: Lots::ZERO,
        client_id,
        terms: terms(boards, info, &w)?,
    })
}

fn placed(call: &Call, info: &MarketInfo, kind: OrderKind, reply: Reply) -> Outcome {
    match reply {
        Reply::Placed(ack) => Ok(call.said("order_placed").and(ack_row(&ack, info, kind))),
        Reply::Known(KnownAnswer::Placed(ack)) => {
            let mut data = ack_row(&ack, info, kind);
            data["repeated"] = true.into();
            Ok(call.said("order_placed").and(data))
        }
        Reply::Known(KnownAnswer::Canceled(_) | KnownAnswer::Arranged(_) | KnownAnswer::Done) => {
            Err(Code::Repeated.into())
        }
        Reply::Rejected(reject) => Err(refusal(reject, info)),
        other => unreachable!("an order is placed or refused, not {other:?}"),
    }
}

/// What became of an order at once.
fn ack_row(ack: &OrderAck, info: &MarketInfo, kind: OrderKind) -> Value {
    json!({
        "id": ack.order.0, "order_no": ack.order.0.to_string(),
        "filled_amount": info.params.base_amount(ack.filled).to_string(),
        "filled_total": ack.spent.to_string(), "status": rows::status_number(ack.status, kind, ack.filled),
    })
}

/// A refusal with the market's limits in its text.
fn refusal(reject: Reject, info: &MarketInfo) -> Failure {
    let p = &info.params;
    let failure = Failure::from(reject);
    match reject {
        Reject::BelowMinAmount => failure.with("min", p.base_amount(p.min_lots)),
        Reject::AboveMaxAmount => failure.with("max", p.base_amount(p.max_lots)),
        Reject::BelowMinNotional => failure.with("min", p.min_notional),
        Reject::OutsidePriceBand => failure.with("percent", Amount(i128::from(p.band_ppm) * 10_000)),
        Reject::TooManyOrders => failure.with("max", p.max_open_orders),
        _ => failure,
    }
}

/// The order of a request that was accepted before, as it is now. The request keys know it longer than the account's
/// memory, and the store may lag: then its ids are all that is told.
async fn known_order(call: &Call, account: AccountId, id: OrderId) -> Value {
    let mut row = match find_order(call, account, id).await {
        Ok(order) => rows::order(account, &order, &call.app.shared.listed()),
        Err(_) => json!({ "id": id.0, "order_no": id.0.to_string() }),
    };
    row["repeated"] = true.into();
    row
}

/// The store is taken to be behind by as much at least, while anything waits to be written.
const JUST_WRITTEN: Duration = Duration::from_secs(1);

/// Whether what an account forgot may not be written yet; the oldest that it remembers is of `oldest`.
fn is_behind(call: &Call, oldest: Option<TimeNs>) -> bool {
    let persister = &call.app.shared.persister;
    if persister.lag_records() == 0 {
        return false;
    }
    // Until the store has said where it is, nobody knows how far behind it is.
    if !persister.has_confirmed() {
        return true;
    }
    let now = now_ns();
    let behind = persister.lag(now).max(JUST_WRITTEN).as_nanos();
    oldest.is_none_or(|oldest| u128::from(oldest) + behind >= u128::from(now))
}

fn later() -> Failure {
    Failure::text(Code::Busy, "history_later")
}

/// What the store says; who asked is told to come again later when it does not answer.
fn answered<T>(answer: Result<T, StoreError>) -> Result<T, Failure> {
    answer.map_err(|error| {
        tracing::warn!(%error, "the store did not answer");
        later()
    })
}

/// An order of this account, from memory or the store; another's is as unknown as none.
async fn find_order(call: &Call, account: AccountId, id: OrderId) -> Result<Order, Failure> {
    let view = call.view(account, true).await?;
    if let Some(order) = view.open.iter().chain(&view.done).find(|o| o.order == id) {
        return Ok(*order);
    }
    // Before the store is asked: what is written meanwhile is not in its answer.
    let behind = forgets_orders(&view) && is_behind(call, oldest_done(&view));
    match answered(call.app.shared.store.order(id).await)? {
        // All that is open is in memory: the row is older than the order's end.
        Some(stored) if stored.account == account && stored.order.status.is_open() => Err(later()),
        Some(stored) if stored.account == account => Ok(stored.order),
        None if behind => Err(later()),
        _ => Err(Code::NotFound.into()),
    }
}

/// Who remembers fewer than it may has forgotten nothing.
fn forgets_orders(view: &AccountView) -> bool {
    view.done.len() >= RECENT
}

/// When the oldest remembered order ended: whatever was forgotten ended before it.
fn oldest_done(view: &AccountView) -> Option<TimeNs> {
    view.done.first().map(|o| o.updated)
}

/// `PUT /coin/trade`, `POST /coin/cancel`.
pub async fn cancel(call: Call) -> Outcome {
    let session = call.session().await?;
    let name = match call.params.get("client_id").filter(|_| call.params.get("id").is_none()) {
        Some(text) => OrderName::Client(ClientOrderId::parse(text).ok_or(Code::NotFound)?),
        None => OrderName::Id(OrderId(call.params.need_integer("id")?)),
    };
    let key = call.request_key()?;
    let command = Command::Account(session.account, AccountCommand::Spot(SpotCommand::Cancel(name)));
    match call.app.client.call(Origin::User, key, command).await? {
        Reply::Canceled(ids) => {
            let ids: Vec<u64> = ids.iter().map(|o| o.0).collect();
            Ok(call.said("order_canceled").and(json!({ "ids": ids })))
        }
        Reply::Known(KnownAnswer::Canceled(ids)) => {
            let ids: Vec<u64> = ids.iter().map(|o| o.0).collect();
            Ok(call.said("order_canceled").and(json!({ "ids": ids, "repeated": true })))
        }
        Reply::Known(KnownAnswer::Placed(_) | KnownAnswer::Arranged(_) | KnownAnswer::Done) => {
            Err(Code::Repeated.into())
        }
        Reply::Rejected(Reject::UnknownOrder) => Err(older(&call, session.account, name).await),
        Reply::Rejected(reject) => Err(reject.into()),
        other => unreachable!("a cancel is done or refused, not {other:?}"),
    }
}

/// Why an order that the account no longer remembers cannot be cancelled.
async fn older(call: &Call, account: AccountId, name: OrderName) -> Failure {
    let OrderName::Id(id) = name else { return Code::NotFound.into() };
    match find_order(call, account, id).await {
        Ok(_) => Code::State.into(),
        Err(failure) => failure,
    }
}

/// `POST /coin/cancel_all`: of one market, or of all.
pub async fn cancel_all(call: Call) -> Outcome {
    let session = call.session().await?;
    let catalog = call.app.shared.listed();
    let some = call.params.get("currency_id").is_some() || call.params.get("legal_id").is_some();
    let only = if some { Some(market(&call, &catalog)?.params.market) } else { None };
    let view = call.view(session.account, false).await?;
    let mut markets: Vec<_> = view.open.iter().map(|o| o.units.market).collect();
    markets.sort_unstable();
    markets.dedup();
    let mut canceled: Vec<u64> = Vec::new();
    for market in markets.into_iter().filter(|m| only.is_none_or(|only| only == *m)) {
        let command = Command::Account(session.account, AccountCommand::Spot(SpotCommand::CancelAll(market)));
        match call.app.client.call(Origin::User, None, command).await? {
            Reply::Canceled(ids) => canceled.extend(ids.iter().map(|o| o.0)),
            // Filled meanwhile.
            Reply::Rejected(Reject::OrderDone) => {}
            Reply::Rejected(reject) => return Err(reject.into()),
            other => unreachable!("a cancel is done or refused, not {other:?}"),
        }
    }
    Ok(call.said("orders_canceled").and(json!({ "ids": canceled })))
}

fn order_filter(call: &Call, account: AccountId) -> Result<OrderFilter, Failure> {
    let mut filter = OrderFilter::of(account);
    filter.base = call.params.integer("currency_id")?.filter(|id| *id != 0).map(AssetId);
    filter.quote = call.params.integer("legal_id")?.filter(|id| *id != 0).map(AssetId);
    filter.side = match call.params.integer::<u8>("type")? {
        None | Some(0) => None,
        Some(1) => Some(Side::Buy),
        Some(2) => Some(Side::Sell),
        Some(_) => return Err(Failure::field("type", "1 or 2")),
    };
    match call.params.integer::<i8>("status")? {
        None | Some(0 | -1) => {}
        Some(1) => filter.statuses = vec![OrderStatus::Open, OrderStatus::Partial],
        Some(2) => filter.complete = Some(true),
        Some(3) => {
            filter.statuses = vec![OrderStatus::Canceled, OrderStatus::Expired, OrderStatus::ExpiredInMatch];
            filter.complete = Some(false);
        }
        Some(4) => filter.statuses = vec![OrderStatus::Partial],
        Some(_) => return Err(Failure::field("status", "1 to 4")),
    }
    Ok(filter)
}

fn lets_through(filter: &OrderFilter, o: &Order) -> bool {
    filter.base.is_none_or(|base| o.units.base == base)
        && filter.quote.is_none_or(|quote| o.units.quote == quote)
        && filter.side.is_none_or(|side| o.side == side)
        && (filter.statuses.is_empty() || filter.statuses.contains(&o.status))
        && filter.complete.is_none_or(|complete| o.is_complete() == complete)
}

/// Rows of the store that one call reads at most.
const DEEP: u64 = 1_000;

/// Orders, newest first: the account's own memory first, older ones from the store.
async fn merged_orders(call: &Call, view: &AccountView, number: u64, limit: u64) -> Result<Vec<Order>, Failure> {
    let mut filter = order_filter(call, view.account)?;
    let reach = number * limit;
    // All that is open is in memory: what the store says of it is older, or newer than the rest of the answer.
    let open_only = !filter.statuses.is_empty() && filter.statuses.iter().all(|status| status.is_open());
    let remembered = view.open.iter().chain(view.done.iter().filter(|_| !open_only));
    let mut all: Vec<Order> = remembered.filter(|o| lets_through(&filter, o)).copied().collect();
    all.sort_unstable_by_key(newest_order);
    if open_only || !forgets_orders(view) {
        return Ok(page(all, number, limit));
    }
    // What was forgotten began before the oldest that is remembered ended, so what began later needs no store.
    let certain = all.iter().filter(|o| Some(o.created) > oldest_done(view)).count() as u64;
    if certain >= reach {
        return Ok(page(all, number, limit));
    }
    if is_behind(call, oldest_done(view)) {
        return Err(later());
    }
    // The store is asked later than the account: what came meanwhile does not belong into this answer.
    let seen = view.open.iter().chain(&view.done).map(|o| o.updated).max().unwrap_or_default();
    filter.until = Some(seen + 1);
    let store = &call.app.shared.store;
    if reach > DEEP {
        // Rows alone: all of them have to be there.
        if is_behind(call, Some(seen)) {
            return Err(later());
        }
        return answered(store.orders(&filter, Slice::Skip((number - 1) * limit), limit as u32).await);
    }
    let stored = answered(store.orders(&filter, Slice::Newest, reach as u32).await)?;
    let known: std::collections::BTreeSet<OrderId> = view.open.iter().chain(&view.done).map(|o| o.order).collect();
    let older = |o: &Order| !known.contains(&o.order) && !o.status.is_open();
    all.extend(stored.into_iter().filter(older));
    all.sort_unstable_by_key(newest_order);
    Ok(page(all, number, limit))
}

fn newest_order(o: &Order) -> std::cmp::Reverse<(TimeNs, OrderId)> {
    std::cmp::Reverse((o.created, o.order))
}

fn page<T>(all: Vec<T>, number: u64, limit: u64) -> Vec<T> {
    all.into_iter().skip(((number - 1) * limit) as usize).take(limit as usize).collect()
}

/// `GET /coin/list`: a bare array.
pub async fn orders(call: Call) -> Outcome {
    let session = call.session().await?;
    let (number, limit) = call.params.paging(10)?;
    order_filter(&call, session.account)?;
    let view = call.view(session.account, true).await?;
    let orders = merged_orders(&call, &view, number, limit).await?;
    let catalog = call.app.shared.listed();
    let mut answer = Answer::ok(orders.iter().map(|o| rows::order(session.account, o, &catalog)).collect());
    answer.extra.insert("seq".into(), view.seq.into());
    Ok(answer)
}

/// Fills of the account on one market or all, newest first.
async fn merged_fills(
    call: &Call,
    view: &AccountView,
    filter: &FillFilter,
    number: u64,
    limit: u64,
) -> Result<Vec<Fill>, Failure> {
    let mine = view.fills.iter().filter(|f| filter.market.is_none_or(|m| f.units.market == m));
    let mut all: Vec<Fill> = mine.copied().collect();
    all.sort_unstable_by_key(newest_fill);
    let reach = number * limit;
    if view.fills.len() < RECENT || all.len() as u64 >= reach {
        return Ok(page(all, number, limit));
    }
    if is_behind(call, view.fills.first().map(|f| f.time)) {
        return Err(later());
    }
    with_stored_fills(call, filter, reach, &mut all).await?;
    Ok(page(all, number, limit))
}

/// All fills of an order, newest first; the newest [`DEEP`] when there are more.
async fn fills_of(call: &Call, view: &AccountView, order: &Order) -> Result<Vec<Fill>, Failure> {
    let missing = |fills: &[Fill]| fills.iter().map(|f| f.lots.0).sum::<i64>() < order.filled.0;
    let mut all: Vec<Fill> = view.fills.iter().filter(|f| f.order == order.order).copied().collect();
    all.sort_unstable_by_key(newest_fill);
    if missing(&all) {
        if view.fills.len() >= RECENT && is_behind(call, view.fills.first().map(|f| f.time)) {
            return Err(later());
        }
        let mut filter = FillFilter::of(view.account);
        filter.order = Some(order.order);
        with_stored_fills(call, &filter, DEEP, &mut all).await?;
        if missing(&all) && (all.len() as u64) < DEEP {
            return Err(later());
        }
        all.truncate(DEEP as usize);
    }
    Ok(all)
}

/// Adds what the store has of them.
async fn with_stored_fills(call: &Call, filter: &FillFilter, most: u64, all: &mut Vec<Fill>) -> Result<(), Failure> {
    let stored = answered(call.app.shared.store.fills(filter, Slice::Newest, most as u32).await)?;
    let known: std::collections::BTreeSet<_> = all.iter().map(|f| (f.trade, f.maker)).collect();
    all.extend(stored.into_iter().map(|s| s.fill).filter(|f| !known.contains(&(f.trade, f.maker))));
    all.sort_unstable_by_key(newest_fill);
    Ok(())
}

fn newest_fill(f: &Fill) -> std::cmp::Reverse<(TimeNs, TradeId)> {
    std::cmp::Reverse((f.time, f.trade))
}

/// `GET /coin/trades`: own fills.
pub async fn trades(call: Call) -> Outcome {
    let session = call.session().await?;
    let (number, limit) = call.params.paging(10)?;
    if number * limit > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    let catalog = call.app.shared.listed();
    let mut filter = FillFilter::of(session.account);
    if call.params.get("currency_id").is_some() {
        filter.market = Some(market(&call, &catalog)?.params.market);
    }
    let view = call.view(session.account, true).await?;
    let fills = merged_fills(&call, &view, &filter, number, limit).await?;
    Ok(Answer::ok(fills.iter().map(|f| rows::fill(f, &catalog)).collect()))
}

/// `GET /coin/detail`: one order with its fills.
pub async fn detail(call: Call) -> Outcome {
    let session = call.session().await?;
    let id = OrderId(call.params.need_integer("id")?);
    let order = find_order(&call, session.account, id).await?;
    let view = call.view(session.account, true).await?;
    let fills = fills_of(&call, &view, &order).await?;
    let catalog = call.app.shared.listed();
    let mut row = rows::order(session.account, &order, &catalog);
    row["fills"] = fills.iter().map(|f| rows::fill(f, &catalog)).collect();
    Ok(Answer::ok(row))
}

/// `GET /coin/request`: what became of a request whose answer was lost.
pub async fn request(call: Call) -> Outcome {
    let session = call.session().await?;
    let key = call.params.need("key")?;
    if key.len() > 64 {
        return Err(Failure::field("key", "at most 64 characters"));
    }
    let ask = Command::Account(session.account, AccountCommand::Request(key_digest(key)));
    let told = match call.app.client.call(Origin::User, None, ask).await? {
        Reply::Known(answer) => {
            // A refused request leaves nothing behind, so what is known was accepted.
            let data = match answer {
                KnownAnswer::Placed(ack) => known_order(&call, session.account, ack.order).await,
                KnownAnswer::Canceled(_) | KnownAnswer::Arranged(_) | KnownAnswer::Done => Value::Null,
            };
            json!({ "status": "done", "data": data })
        }
        Reply::Rejected(Reject::RequestInFlight) => json!({ "status": "pending", "data": null }),
        _ => json!({ "status": "unknown", "data": null }),
    };
    Ok(Answer::ok(told))
}
