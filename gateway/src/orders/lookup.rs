//! An account's orders and fills: what its actor has open, what the histories have of those that are done, and older ones
//! from the store.
//!
//! Owns: how the three are joined. Never does: show a row. Invariants: an account and its history are of one position; what
//! is in memory goes before what the store says of it; nothing is left out between the two without a word. Known limits:
//! what is not in memory is answered "later" while the store is away, or so far behind that it may not have it yet.

use crate::api::http::errors::{Code, Failure};
use crate::app::App;
use crate::orders::histories::Histories;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use xng_core::account::histories::{History, Page};
use xng_core::account::recent::Place;
use xng_core::account::{AccountCommand, AccountView, Fill, Order};
use xng_core::entity::{Command, Reply, TimeNs, View};
use xng_core::ids::{AccountId, ClientOrderId, MarketId, OrderId, PreventedId, TradeId};
use xng_core::journal::Lsn;
use xng_core::record::Origin;
use xng_core::spot::facts::OrderList;
use xng_core::spot::prevented_matches::PreventedMatch;
use xng_persistence::store::{
    AmendmentFilter, FillFilter, ListFilter, OrderCursor, OrderFilter, PersisterHandle, PreventedFilter, Slice,
    StoreError, StoredAmendment, StoredOrder,
};

async fn ask(app: &App, account: AccountId, command: AccountCommand) -> Result<Box<AccountView>, Failure> {
    match app.client.call(Origin::User, None, Command::Account(account, command)).await? {
        Reply::View(View::Account(view)) => Ok(view),
        Reply::Rejected(reject) => Err(reject.into()),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy) => {
            unreachable!("a view is answered by a view, not {other:?}")
        }
    }
}

/// The account as its actor sees it, everything acknowledged included.
///
/// # Errors
/// When the exchange does not answer.
pub async fn view(app: &App, account: AccountId) -> Result<Box<AccountView>, Failure> {
    ask(app, account, AccountCommand::View).await
}

/// An account and what became of its orders, both of one position.
#[derive(Debug)]
pub struct Seen {
    /// What it has open, and what it holds.
    pub account: Box<AccountView>,
    histories: Histories,
}

/// The account with its history.
///
/// # Errors
/// When the exchange does not answer; busy, "later", when the histories do not come to what the account says.
pub async fn seen(app: &App, account: AccountId) -> Result<Seen, Failure> {
    Seen::with(app, view(app, account).await?).await
}

/// The same of one order: open orders that are in no list with it are left out, and balances.
///
/// # Errors
/// As [`seen`].
pub async fn look(app: &App, account: AccountId, order: OrderId) -> Result<Seen, Failure> {
    Seen::with(app, ask(app, account, AccountCommand::ViewOrder(order)).await?).await
}

impl Seen {
    async fn with(app: &App, account: Box<AccountView>) -> Result<Seen, Failure> {
        let histories = app.shared.histories.clone();
        if histories.reach(account.last).await { Ok(Seen { account, histories }) } else { Err(later()) }
    }

    fn history<T>(&self, read: impl FnOnce(&History, Lsn) -> T) -> Result<T, Place> {
        let upto = self.account.last;
        self.histories.read(self.account.account, |history| read(history, upto))
    }

    fn page<T>(&self, read: impl FnOnce(&History, Lsn) -> Page<T>) -> Page<T> {
        self.history(read).unwrap_or_else(|reach| Page { entries: Vec::new(), reach })
    }

    /// Orders that are done, the latest, oldest first.
    #[must_use]
    pub fn done(&self) -> Page<Order> {
        self.page(History::done)
    }

    /// The latest fills, oldest first.
    #[must_use]
    pub fn fills(&self) -> Page<Fill> {
        self.page(History::fills)
    }

    /// The latest prevented matches, oldest first.
    #[must_use]
    pub fn prevented(&self) -> Page<PreventedMatch> {
        self.page(History::prevented)
    }

    /// One order, open or done, if it is in memory.
    #[must_use]
    pub fn order(&self, id: OrderId) -> Option<Order> {
        let open = self.account.open.iter().find(|order| order.order == id).copied();
        open.or_else(|| self.history(|history, upto| history.order(id, upto)).ok().flatten())
    }

    /// The newest order with a client order id that is done, if it is in memory.
    #[must_use]
    pub fn named(&self, name: ClientOrderId) -> Option<Order> {
        self.history(|history, upto| history.named(name, upto)).ok().flatten()
    }

    /// The fills of an order that are in memory, oldest first.
    #[must_use]
    pub fn fills_of(&self, order: &Order) -> Vec<Fill> {
        self.history(|history, upto| history.fills_of(order.order, order.created, upto)).unwrap_or_default()
    }

    /// Orders that were done in later records are all in memory.
    fn reach_of_done(&self) -> Place {
        self.history(|history, _| history.reach_of_done()).unwrap_or_else(|began| began)
    }

    /// Fills of later records are all in memory.
    fn reach_of_fills(&self) -> Place {
        self.history(|history, _| history.reach_of_fills()).unwrap_or_else(|began| began)
    }

    /// When any of its orders that are in memory last changed.
    #[must_use]
    pub fn last_change(&self) -> TimeNs {
        let open = self.account.open.iter().map(|order| order.updated).max().unwrap_or_default();
        open.max(self.history(History::last_change).unwrap_or_default())
    }
}

/// Whether there may be more than what is in memory, which only the store has.
fn forgets(reach: Place) -> bool {
    reach.lsn > Lsn::ZERO
}

/// Whether the store may lack some of what happened up to a record.
pub(super) fn is_behind(app: &App, lsn: Lsn) -> bool {
    let persister = &app.shared.persister;
    // Until the store has said where it is, nobody knows how far behind it is.
    lsn > Lsn::ZERO && !(persister.has_confirmed() && persister.persisted() >= lsn)
}

pub(super) fn later() -> Failure {
    Failure::text(Code::Busy, "history_later")
}

/// What the store says; who asked is told to come again later when it does not answer.
pub(crate) fn answered<T>(answer: Result<T, StoreError>) -> Result<T, Failure> {
    answer.map_err(|error| {
        tracing::warn!(%error, "the store did not answer");
        later()
    })
}

/// An order of this account, from memory or the store; another's is as unknown as none.
pub async fn find_order(app: &App, account: AccountId, id: OrderId) -> Result<Order, Failure> {
    let seen = look(app, account, id).await?;
    if let Some(order) = seen.order(id) {
        return Ok(order);
    }
    // Before the store is asked: what is written meanwhile is not in its answer.
    let behind = is_behind(app, seen.reach_of_done().lsn);
    match answered(app.shared.store.find::<StoredOrder>(id).await)? {
        // All that is open is in memory: the row is older than the order's end.
        Some(stored) if stored.account == account && stored.order.status.is_open() => Err(later()),
        Some(stored) if stored.account == account => Ok(stored.order),
        None if behind => Err(later()),
        Some(_) | None => Err(Code::NotFound.into()),
    }
}

/// Whether an order that is not open is over, as one of this account's: what is not in memory is over
/// whatever the store says, so while the store is behind or away the answer is yes, also of an order that never was.
///
/// # Errors
/// When the exchange does not answer.
pub async fn is_over(app: &App, account: AccountId, id: OrderId) -> Result<bool, Failure> {
    let seen = look(app, account, id).await?;
    if seen.order(id).is_some() {
        return Ok(true);
    }
    let reach = seen.reach_of_done();
    let behind = is_behind(app, reach.lsn);
    Ok(match answered(app.shared.store.find::<StoredOrder>(id).await) {
        Ok(Some(stored)) => stored.account == account,
        Ok(None) => behind,
        Err(_) => forgets(reach),
    })
}

/// Orders that the store has.
async fn stored_orders(
    app: &App,
    filter: &OrderFilter,
    slice: Slice<OrderCursor>,
    limit: u64,
) -> Result<Vec<Order>, Failure> {
    let rows = answered(app.shared.store.page(filter, slice, limit as u32).await)?;
    Ok(rows.into_iter().map(|row| row.order).collect())
}

/// Orders of an account, all of which there are, from memory and in few questions to the store.
///
/// # Errors
/// Busy, "later", when one of them is not to be had.
pub async fn find_orders(app: &App, account: AccountId, ids: &[OrderId]) -> Result<BTreeMap<OrderId, Order>, Failure> {
    let (seen, wanted) = (seen(app, account).await?, ids.iter().copied().collect::<BTreeSet<OrderId>>());
    let done = seen.done();
    let remembered = seen.account.open.iter().chain(&done.entries).filter(|o| wanted.contains(&o.order));
    let mut found: BTreeMap<OrderId, Order> = remembered.map(|o| (o.order, *o)).collect();
    let mut filter = OrderFilter::of(account);
    let forgotten: Vec<OrderId> = wanted.into_iter().filter(|id| !found.contains_key(id)).collect();
    for ids in forgotten.chunks(DEEP as usize) {
        filter.ids = ids.to_vec();
        let stored = stored_orders(app, &filter, Slice::Newest, ids.len() as u64).await?;
        // All that is open is in memory: such a row is older than the order's end.
        if stored.len() < ids.len() || stored.iter().any(|o| o.status.is_open()) {
            return Err(later());
        }
        found.extend(stored.into_iter().map(|o| (o.order, o)));
    }
    Ok(found)
}

/// Rows of the store that one call reads at most.
pub const DEEP: u64 = 1_000;

/// Orders, newest first: what is in memory first, older ones from the store.
pub async fn merged_orders(
    app: &App,
    seen: &Seen,
    mut filter: OrderFilter,
    (number, limit): (u64, u64),
) -> Result<Vec<Order>, Failure> {
    let reach = number * limit;
    // All that is open is in memory: what the store says of it is older, or newer than the rest of the answer.
    let open_only = !filter.statuses.is_empty() && filter.statuses.iter().all(|status| status.is_open());
    let (open, done) = (&seen.account.open, seen.done());
    let remembered = open.iter().chain(done.entries.iter().filter(|_| !open_only));
    let mut all: Vec<Order> = remembered.filter(|o| filter.lets_through(o)).copied().collect();
    all.sort_unstable_by_key(newest_order);
    if open_only || !forgets(done.reach) {
        return Ok(page(all, number, limit));
    }
    // What is not in memory ended before its reach, so what began later needs no store.
    let certain = all.iter().filter(|o| o.created > done.reach.time).count() as u64;
    if certain >= reach {
        return Ok(page(all, number, limit));
    }
    if is_behind(app, done.reach.lsn) {
        return Err(later());
    }
    // The store is asked later than the account: what came meanwhile does not belong into this answer.
    let last = open.iter().chain(&done.entries).map(|o| o.updated).max().unwrap_or_default().max(done.reach.time);
    filter.until = Some(last + 1);
    if reach > DEEP {
        // Rows alone: all of them have to be there.
        if is_behind(app, seen.account.last) {
            return Err(later());
        }
        return stored_orders(app, &filter, Slice::Skip((number - 1) * limit), limit).await;
    }
    let stored = stored_orders(app, &filter, Slice::Newest, reach).await?;
    let known: BTreeSet<OrderId> = open.iter().chain(&done.entries).map(|o| o.order).collect();
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
    seen: &Seen,
    filter: &FillFilter,
    (number, limit): (u64, u64),
) -> Result<Vec<Fill>, Failure> {
    let fills = seen.fills();
    let mut all: Vec<Fill> = fills.entries.into_iter().filter(|f| filter.lets_through(f)).collect();
    all.sort_unstable_by_key(newest_fill);
    let reach = number * limit;
    if !forgets(fills.reach) || all.len() as u64 >= reach {
        return Ok(page(all, number, limit));
    }
    if is_behind(app, fills.reach.lsn) {
        return Err(later());
    }
    with_stored_fills(app, filter, reach, &mut all).await?;
    Ok(page(all, number, limit))
}

/// All fills of an order, newest first; the newest [`DEEP`] when there are more.
pub async fn fills_of(app: &App, seen: &Seen, order: &Order) -> Result<Vec<Fill>, Failure> {
    let missing = |fills: &[Fill]| fills.iter().map(|f| f.lots.0).sum::<i64>() < order.filled.0;
    let mut all = seen.fills_of(order);
    all.sort_unstable_by_key(newest_fill);
    if missing(&all) {
        if is_behind(app, seen.reach_of_fills().lsn) {
            return Err(later());
        }
        let mut filter = FillFilter::of(seen.account.account);
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
    let stored = answered(app.shared.store.page(filter, Slice::Newest, most as u32).await)?;
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
/// Busy, "later", when what is not in memory is not to be had.
pub async fn orders_of(app: &App, filter: &OrderFilter, oldest: bool, limit: usize) -> Result<Vec<Order>, Failure> {
    let seen = seen(app, filter.account).await?;
    let (open, done) = (&seen.account.open, seen.done());
    let remembered = open.iter().chain(&done.entries).filter(|o| filter.lets_through(o));
    let mut all: Vec<Order> = remembered.copied().collect();
    // What is not in memory ended before its reach.
    let certain = all.iter().filter(|o| o.created > done.reach.time).count();
    if forgets(done.reach) && (oldest || certain < limit) {
        if is_behind(app, done.reach.lsn) {
            return Err(later());
        }
        let slice = if oldest { Slice::Oldest } else { Slice::Newest };
        let stored = stored_orders(app, filter, slice, limit as u64).await?;
        let known: BTreeSet<OrderId> = open.iter().chain(&done.entries).map(|o| o.order).collect();
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
/// Busy, "later", when what is not in memory is not to be had.
pub async fn fills_between(app: &App, filter: &FillFilter, oldest: bool, limit: usize) -> Result<Vec<Fill>, Failure> {
    let fills = seen(app, filter.account).await?.fills();
    let mut all: Vec<Fill> = fills.entries.into_iter().filter(|f| filter.lets_through(f)).collect();
    if forgets(fills.reach) && (oldest || all.len() < limit) {
        if is_behind(app, fills.reach.lsn) {
            return Err(later());
        }
        let slice = if oldest { Slice::Oldest } else { Slice::Newest };
        let stored = answered(app.shared.store.page(filter, slice, limit as u32).await)?;
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
/// Busy, "later", when what is not in memory is not to be had.
pub async fn prevented_from(app: &App, filter: &PreventedFilter, limit: usize) -> Result<Vec<PreventedMatch>, Failure> {
    let known = seen(app, filter.account).await?.prevented();
    let mine = known.entries.iter().filter(|m| filter.lets_through(m));
    let mut all: BTreeMap<PreventedId, PreventedMatch> = mine.map(|m| (m.id, *m)).collect();
    if forgets(known.reach) {
        if is_behind(app, known.reach.lsn) {
            return Err(later());
        }
        let stored = answered(app.shared.store.page(filter, Slice::Oldest, limit as u32).await)?;
        all.extend(stored.into_iter().map(|row| (row.prevented.id, row.prevented)));
    }
    Ok(all.into_values().take(limit).collect())
}

/// How long somebody waits for the store to have what there is now.
const WRITTEN_WITHIN: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Waits until the store has all that is durable now.
pub(crate) async fn written(app: &App) -> Result<(), Failure> {
    if is_written(&app.shared.persister, WRITTEN_WITHIN).await { Ok(()) } else { Err(later()) }
}

/// Whether the store has all that is durable now, within a time.
pub(crate) async fn is_written(persister: &PersisterHandle, within: Duration) -> bool {
    let wanted = persister.durable().0;
    let follows = async {
        while !persister.has_confirmed() || persister.persisted().0 < wanted {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    tokio::time::timeout(within, follows).await.is_ok()
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
    answered(app.shared.store.page(&AmendmentFilter { order, from }, Slice::Oldest, limit as u32).await)
}

/// The newest order of a client order id on a market, open or done.
///
/// # Errors
/// Not found; busy, "later", when what is not in memory is not to be had.
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

/// An account's lists of orders, oldest first, and when they were taken; the newest [`DEEP`] of those that are not in
/// memory.
///
/// # Errors
/// Busy, "later", when what is not in memory is not to be had.
pub async fn lists_of(app: &App, account: AccountId) -> Result<Vec<(OrderList, TimeNs)>, Failure> {
    let known = seen(app, account).await?.page(History::lists);
    let mut all: BTreeMap<OrderId, (OrderList, TimeNs)> = BTreeMap::new();
    if forgets(known.reach) {
        if is_behind(app, known.reach.lsn) {
            return Err(later());
        }
        let stored = answered(app.shared.store.page(&ListFilter { account }, Slice::Newest, DEEP as u32).await)?;
        all.extend(stored.into_iter().map(|row| (row.list.list, (row.list, row.created))));
    }
    all.extend(known.entries.into_iter().map(|(list, created)| (list.list, (list, created))));
    let mut lists: Vec<(OrderList, TimeNs)> = all.into_values().collect();
    lists.sort_by_key(|(list, created)| (*created, list.list));
    Ok(lists)
}
