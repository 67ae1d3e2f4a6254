//! An account's orders and fills: what its actor remembers, and older ones from the store.
//!
//! Owns: how the two are joined. Never does: show a row. Invariants: what is in memory goes before what the store says of
//! it; nothing is left out between the two without a word. Known limits: what an account forgot is answered "later" while
//! the store is away, or so far behind that it may not have it yet.

use crate::app::App;
use crate::http::errors::{Code, Failure};
use crate::time::now_ns;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use xng_core::account::{AccountCommand, AccountView, Fill, LISTS, Order, recent::RECENT};
use xng_core::entity::{Command, Reply, TimeNs};
use xng_core::ids::{AccountId, ClientOrderId, MarketId, OrderId, PreventedId, TradeId};
use xng_core::record::Origin;
use xng_core::spot::facts::OrderList;
use xng_core::spot::prevention::PreventedMatch;
use xng_persistence::store::{FillFilter, OrderFilter, PreventedFilter, Slice, StoreError, StoredAmendment};

/// The account as its actor sees it, everything acknowledged included; with its `latest` done orders and fills or
/// without.
pub async fn view(app: &App, account: AccountId, latest: bool) -> Result<Box<AccountView>, Failure> {
    let command = Command::Account(account, AccountCommand::View { latest });
    match app.client.call(Origin::User, None, command).await? {
        Reply::Account(view) => Ok(view),
        Reply::Rejected(reject) => Err(reject.into()),
        other => unreachable!("a view is answered by a view, not {other:?}"),
    }
}

/// One order with its fills, of those that the account remembers.
///
/// # Errors
/// When the exchange does not answer.
pub async fn look(app: &App, account: AccountId, order: OrderId) -> Result<Box<AccountView>, Failure> {
    let command = Command::Account(account, AccountCommand::Look(order));
    match app.client.call(Origin::User, None, command).await? {
        Reply::Account(view) => Ok(view),
        Reply::Rejected(reject) => Err(reject.into()),
        other => unreachable!("a look is answered by a view, not {other:?}"),
    }
}

/// The store is taken to be behind by as much at least, while anything waits to be written.
const JUST_WRITTEN: Duration = Duration::from_secs(1);

/// Whether what an account forgot may not be written yet; the oldest that it remembers is of `oldest`.
fn is_behind(app: &App, oldest: Option<TimeNs>) -> bool {
    let persister = &app.shared.persister;
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
pub async fn find_order(app: &App, account: AccountId, id: OrderId) -> Result<Order, Failure> {
    let seen = look(app, account, id).await?;
    if let Some(order) = seen.open.iter().chain(&seen.done).find(|o| o.order == id) {
        return Ok(*order);
    }
    let view = view(app, account, true).await?;
    // Before the store is asked: what is written meanwhile is not in its answer.
    let behind = may_lack_orders(app, &view);
    match answered(app.shared.store.order(id).await)? {
        // All that is open is in memory: the row is older than the order's end.
        Some(stored) if stored.account == account && stored.order.status.is_open() => Err(later()),
        Some(stored) if stored.account == account => Ok(stored.order),
        None if behind => Err(later()),
        _ => Err(Code::NotFound.into()),
    }
}

/// Whether an order that is neither open nor remembered is over, as one of this account's: what the account forgot is over
/// whatever the store says, so while the store is behind or away the answer is yes, also of an order that never was.
///
/// # Errors
/// When the exchange does not answer.
pub async fn is_over(app: &App, account: AccountId, id: OrderId) -> Result<bool, Failure> {
    let view = view(app, account, true).await?;
    let behind = may_lack_orders(app, &view);
    Ok(match answered(app.shared.store.order(id).await) {
        Ok(Some(stored)) => stored.account == account,
        Ok(None) => behind,
        Err(_) => forgets_orders(&view),
    })
}

/// Orders of an account, all of which there are, from memory and in few questions to the store.
///
/// # Errors
/// Busy, "later", when one of them is not to be had.
pub async fn find_orders(app: &App, account: AccountId, ids: &[OrderId]) -> Result<BTreeMap<OrderId, Order>, Failure> {
    let view = view(app, account, true).await?;
    let wanted: BTreeSet<OrderId> = ids.iter().copied().collect();
    let remembered = view.open.iter().chain(&view.done).filter(|o| wanted.contains(&o.order));
    let mut found: BTreeMap<OrderId, Order> = remembered.map(|o| (o.order, *o)).collect();
    let mut filter = OrderFilter::of(account);
    let forgotten: Vec<OrderId> = wanted.into_iter().filter(|id| !found.contains_key(id)).collect();
    for ids in forgotten.chunks(DEEP as usize) {
        filter.ids = ids.to_vec();
        let stored = answered(app.shared.store.orders(&filter, Slice::Newest, ids.len() as u32).await)?;
        // All that is open is in memory: such a row is older than the order's end.
        if stored.len() < ids.len() || stored.iter().any(|o| o.status.is_open()) {
            return Err(later());
        }
        found.extend(stored.into_iter().map(|o| (o.order, o)));
    }
    Ok(found)
}

/// Whether the store may not have yet what the account forgot.
fn may_lack_orders(app: &App, view: &AccountView) -> bool {
    forgets_orders(view) && is_behind(app, oldest_done(view))
}

/// Who remembers fewer than it may has forgotten nothing.
fn forgets_orders(view: &AccountView) -> bool {
    view.done.len() >= RECENT
}

/// When the oldest remembered order ended: whatever was forgotten ended before it.
fn oldest_done(view: &AccountView) -> Option<TimeNs> {
    view.done.first().map(|o| o.updated)
}

/// Rows of the store that one call reads at most.
pub const DEEP: u64 = 1_000;

/// Orders, newest first: the account's own memory first, older ones from the store.
pub async fn merged_orders(
    app: &App,
    view: &AccountView,
    mut filter: OrderFilter,
    (number, limit): (u64, u64),
) -> Result<Vec<Order>, Failure> {
    let reach = number * limit;
    // All that is open is in memory: what the store says of it is older, or newer than the rest of the answer.
    let open_only = !filter.statuses.is_empty() && filter.statuses.iter().all(|status| status.is_open());
    let remembered = view.open.iter().chain(view.done.iter().filter(|_| !open_only));
    let mut all: Vec<Order> = remembered.filter(|o| filter.lets_through(o)).copied().collect();
    all.sort_unstable_by_key(newest_order);
    if open_only || !forgets_orders(view) {
        return Ok(page(all, number, limit));
    }
    // What was forgotten began before the oldest that is remembered ended, so what began later needs no store.
    let certain = all.iter().filter(|o| Some(o.created) > oldest_done(view)).count() as u64;
    if certain >= reach {
        return Ok(page(all, number, limit));
    }
    if is_behind(app, oldest_done(view)) {
        return Err(later());
    }
    // The store is asked later than the account: what came meanwhile does not belong into this answer.
    let seen = view.open.iter().chain(&view.done).map(|o| o.updated).max().unwrap_or_default();
    filter.until = Some(seen + 1);
    let store = &app.shared.store;
    if reach > DEEP {
        // Rows alone: all of them have to be there.
        if is_behind(app, Some(seen)) {
            return Err(later());
        }
        return answered(store.orders(&filter, Slice::Skip((number - 1) * limit), limit as u32).await);
    }
    let stored = answered(store.orders(&filter, Slice::Newest, reach as u32).await)?;
    let known: BTreeSet<OrderId> = view.open.iter().chain(&view.done).map(|o| o.order).collect();
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

/// Fills of the account on one market or all, newest first.
pub async fn merged_fills(
    app: &App,
    view: &AccountView,
    filter: &FillFilter,
    (number, limit): (u64, u64),
) -> Result<Vec<Fill>, Failure> {
    let mine = view.fills.iter().filter(|f| filter.lets_through(f));
    let mut all: Vec<Fill> = mine.copied().collect();
    all.sort_unstable_by_key(newest_fill);
    let reach = number * limit;
    if view.fills.len() < RECENT || all.len() as u64 >= reach {
        return Ok(page(all, number, limit));
    }
    if is_behind(app, view.fills.first().map(|f| f.time)) {
        return Err(later());
    }
    with_stored_fills(app, filter, reach, &mut all).await?;
    Ok(page(all, number, limit))
}

/// All fills of an order, newest first; the newest [`DEEP`] when there are more.
pub async fn fills_of(app: &App, view: &AccountView, order: &Order) -> Result<Vec<Fill>, Failure> {
    let missing = |fills: &[Fill]| fills.iter().map(|f| f.lots.0).sum::<i64>() < order.filled.0;
    let mut all: Vec<Fill> = view.fills.iter().filter(|f| f.order == order.order).copied().collect();
    all.sort_unstable_by_key(newest_fill);
    if missing(&all) {
        if view.fills.len() >= RECENT && is_behind(app, view.fills.first().map(|f| f.time)) {
            return Err(later());
        }
        let mut filter = FillFilter::of(view.account);
        filter.order = Some(order.order);
        with_stored_fills(app, &filter, DEEP, &mut all).await?;
        if missing(&all) && (all.len() as u64) < DEEP {
            return Err(later());
        }
        all.truncate(DEEP as usize);
    }
    Ok(all)
}

/// Adds what the store has of them.
async fn with_stored_fills(app: &App, filter: &FillFilter, most: u64, all: &mut Vec<Fill>) -> Result<(), Failure> {
    let stored = answered(app.shared.store.fills(filter, Slice::Newest, most as u32).await)?;
    let known: BTreeSet<_> = all.iter().map(|f| (f.trade, f.maker)).collect();
    all.extend(stored.into_iter().map(|s| s.fill).filter(|f| !known.contains(&(f.trade, f.maker))));
    all.sort_unstable_by_key(newest_fill);
    Ok(())
}

fn newest_fill(f: &Fill) -> std::cmp::Reverse<(TimeNs, TradeId)> {
    std::cmp::Reverse((f.time, f.trade))
}

/// Orders of an account and one market, oldest first: the first of those that the filter lets through, or the last.
///
/// # Errors
/// Busy, "later", when what was forgotten is not to be had.
pub async fn orders_of(app: &App, filter: &OrderFilter, oldest: bool, limit: usize) -> Result<Vec<Order>, Failure> {
    let view = view(app, filter.account, true).await?;
    let remembered = view.open.iter().chain(&view.done).filter(|o| filter.lets_through(o));
    let mut all: Vec<Order> = remembered.copied().collect();
    // What was forgotten began before the oldest that is remembered ended.
    let certain = all.iter().filter(|o| Some(o.created) > oldest_done(&view)).count();
    if forgets_orders(&view) && (oldest || certain < limit) {
        if is_behind(app, oldest_done(&view)) {
            return Err(later());
        }
        let slice = if oldest { Slice::Oldest } else { Slice::Newest };
        let stored = answered(app.shared.store.orders(filter, slice, limit as u32).await)?;
        let known: BTreeSet<OrderId> = view.open.iter().chain(&view.done).map(|o| o.order).collect();
        all.extend(stored.into_iter().filter(|o| !known.contains(&o.order) && !o.status.is_open()));
    }
    // Ids of a market follow its time.
    all.sort_unstable_by_key(|o| o.order);
    let skip = if oldest { 0 } else { all.len().saturating_sub(limit) };
    Ok(all.into_iter().skip(skip).take(limit).collect())
}

/// Fills of an account and one market, oldest first: the first of those that the filter lets through, or the last.
///
/// # Errors
/// Busy, "later", when what was forgotten is not to be had.
pub async fn fills_between(app: &App, filter: &FillFilter, oldest: bool, limit: usize) -> Result<Vec<Fill>, Failure> {
    let view = view(app, filter.account, true).await?;
    let mut all: Vec<Fill> = view.fills.iter().filter(|f| filter.lets_through(f)).copied().collect();
    if view.fills.len() >= RECENT && (oldest || all.len() < limit) {
        if is_behind(app, view.fills.first().map(|f| f.time)) {
            return Err(later());
        }
        let slice = if oldest { Slice::Oldest } else { Slice::Newest };
        let stored = answered(app.shared.store.fills(filter, slice, limit as u32).await)?;
        let known: BTreeSet<(TradeId, bool)> = all.iter().map(|f| (f.trade, f.maker)).collect();
        all.extend(stored.into_iter().map(|s| s.fill).filter(|f| !known.contains(&(f.trade, f.maker))));
    }
    all.sort_unstable_by_key(|f| (f.trade, f.maker));
    let skip = if oldest { 0 } else { all.len().saturating_sub(limit) };
    Ok(all.into_iter().skip(skip).take(limit).collect())
}

/// Prevented matches of an account, by their ids, the first of those that the filter lets through.
///
/// # Errors
/// Busy, "later", when what was forgotten is not to be had.
pub async fn prevented_from(app: &App, filter: &PreventedFilter, limit: usize) -> Result<Vec<PreventedMatch>, Failure> {
    let view = view(app, filter.account, true).await?;
    let mine = view.prevented.iter().filter(|m| filter.lets_through(m));
    let mut all: BTreeMap<PreventedId, PreventedMatch> = mine.map(|m| (m.id, *m)).collect();
    if view.prevented.len() >= RECENT {
        if is_behind(app, view.prevented.first().map(|m| m.time)) {
            return Err(later());
        }
        let stored = answered(app.shared.store.prevented(filter, limit as u32).await)?;
        all.extend(stored.into_iter().map(|row| (row.prevented.id, row.prevented)));
    }
    Ok(all.into_values().take(limit).collect())
}

/// How long somebody waits for the store to have what there is now.
const WRITTEN_WITHIN: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Waits until the store has all that is durable now.
async fn written(app: &App) -> Result<(), Failure> {
    let persister = &app.shared.persister;
    let wanted = persister.durable().0;
    let follows = async {
        while !persister.has_confirmed() || persister.persisted().0 < wanted {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    tokio::time::timeout(WRITTEN_WITHIN, follows).await.map_err(|_| later())
}

/// What was changed of an order from a time on, oldest first. Only the store knows: it is waited for.
///
/// # Errors
/// Busy, "later", when it does not come to what happened last.
pub async fn amendments_of(
    app: &App,
    order: OrderId,
    from: TimeNs,
    limit: usize,
) -> Result<Vec<StoredAmendment>, Failure> {
    written(app).await?;
    answered(app.shared.store.amendments(order, from, limit as u32).await)
}

/// The newest order of a client order id on a market, open or done.
///
/// # Errors
/// Not found; busy, "later", when what was forgotten is not to be had.
pub async fn find_named(
    app: &App,
    account: AccountId,
    market: MarketId,
    name: ClientOrderId,
) -> Result<Order, Failure> {
    let mut filter = OrderFilter::of(account);
    (filter.market, filter.name) = (Some(market), Some(name));
    let newest = orders_of(app, &filter, false, 1).await?;
    newest.first().copied().ok_or(Code::NotFound.into())
}

/// An account's lists of orders, oldest first, and when they were taken; the newest [`DEEP`] of those that it forgot.
///
/// # Errors
/// Busy, "later", when what was forgotten is not to be had.
pub async fn lists_of(app: &App, account: AccountId) -> Result<Vec<(OrderList, TimeNs)>, Failure> {
    let view = view(app, account, true).await?;
    let order = |id| view.open.iter().chain(&view.done).find(|o| o.order == id);
    let created = |list: &OrderList| list.orders.iter().find_map(|id| order(*id)).map(|o| o.created);
    let mut all: BTreeMap<OrderId, (OrderList, Option<TimeNs>)> =
        view.lists.iter().map(|list| (list.list, (list.clone(), created(list)))).collect();
    // What was forgotten was taken before the newest; not before the oldest that is over, which may have lasted longer.
    let forgets = view.lists.len() >= LISTS;
    if forgets && is_behind(app, view.lists.last().and_then(created)) {
        return Err(later());
    }
    if forgets || all.values().any(|(_, created)| created.is_none()) {
        let stored = answered(app.shared.store.lists(account, Slice::Newest, DEEP as u32).await)?;
        all.extend(stored.into_iter().map(|row| (row.list.list, (row.list, Some(row.created)))));
    }
    let timed = |(list, created): (OrderList, Option<TimeNs>)| created.map(|created| (list, created)).ok_or_else(later);
    let mut lists = all.into_values().map(timed).collect::<Result<Vec<(OrderList, TimeNs)>, Failure>>()?;
    lists.sort_by_key(|(list, created)| (*created, list.list));
    Ok(lists)
}
