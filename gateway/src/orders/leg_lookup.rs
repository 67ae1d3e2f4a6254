//! An account's orders and fills in contracts' books, and funding periods: what is in memory, and older ones from the store.
//!
//! Owns: how the two are joined. Never does: show a row. Invariants: what is in memory goes before what the store says of it;
//! nothing is left out between the two without a word. Known limits: what is not in memory is answered "later" while the store
//! is away, or so far behind that it may not have it yet.

use crate::api::http::errors::{Code, Failure};
use crate::app::App;
use crate::market::contracts::FundingEnd;
use crate::orders::leg_history::LegHistory;
use crate::orders::lookup::{answered, is_behind, later, view};
use std::collections::BTreeMap;
use xng_core::account::leg_orders::{LegFill, LegOrder};
use xng_core::account::recent::Place;
use xng_core::account::{AccountView, LegsView, OwnOrder};
use xng_core::contract::tickets::TicketId;
use xng_core::ids::{AccountId, MARKET_SPAN, MarketId, OrderId, Wallet};
use xng_core::journal::Lsn;
use xng_core::record::LogType;
use xng_core::spot::OrderStatus;
use xng_persistence::store::{FundingFilter, LedgerRow, LegFillFilter, LegOrderFilter, Slice, StoredLegOrder};

/// The oldest or the newest of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The oldest.
    Oldest,
    /// The newest.
    Newest,
}

impl End {
    fn slice<C>(self) -> Slice<C> {
        match self {
            End::Oldest => Slice::Oldest,
            End::Newest => Slice::Newest,
        }
    }

    /// So many of what ascends.
    #[must_use]
    pub fn of<T>(self, mut all: Vec<T>, limit: usize) -> Vec<T> {
        match self {
            End::Oldest => {
                all.truncate(limit);
                all
            }
            End::Newest => all.split_off(all.len().saturating_sub(limit)),
        }
    }
}

/// The account and what it has in contracts' books; the histories know everything that the account says.
///
/// # Errors
/// Busy, when the exchange or the histories do not answer.
pub async fn seen(app: &App, account: AccountId) -> Result<(Box<AccountView>, LegsView), Failure> {
    let mut view = view(app, account).await?;
    if !app.shared.histories.reach(view.last).await {
        return Err(Code::Busy.into());
    }
    let legs = view.legs.take().map_or_else(LegsView::default, |legs| *legs);
    Ok((view, legs))
}

/// Open orders as the account has them, those that wait for a price among them, with what is known of them besides.
///
/// # Errors
/// Busy, "later", when the store is needed and does not answer.
pub async fn open(app: &App, account: AccountId, legs: &LegsView) -> Result<Vec<LegOrder>, Failure> {
    let now = |own: &OwnOrder| {
        let look = |history: &LegHistory| history.order(own.rests.order).copied();
        let known = app.shared.histories.read_legs(account, look).flatten();
        let account = LegOrder::from_own(own);
        // The history may be ahead: what the account says of quantities goes first.
        known.map_or(account, |order| LegOrder {
            lots: account.lots,
            open: account.open,
            filled: account.filled,
            status: account.status,
            spent: if order.filled == account.filled { order.spent } else { account.spent },
            ..order
        })
    };
    let waiting = legs.conditionals.iter().map(LegOrder::from_conditional);
    completed(app, account, legs.orders.iter().map(now).chain(waiting).collect()).await
}

/// What is in memory, and where all later of it is.
fn remembered<T>(app: &App, account: AccountId, look: impl FnOnce(&LegHistory) -> (Vec<T>, Place)) -> (Vec<T>, Place) {
    let histories = &app.shared.histories;
    histories.read_legs(account, look).unwrap_or_else(|| (Vec::new(), histories.legs_began()))
}

/// Whether the store is to be asked: there was something before what is in memory.
fn asks_store(app: &App, reach: Place) -> Result<bool, Failure> {
    match reach.lsn {
        Lsn::ZERO => Ok(false),
        lsn if is_behind(app, lsn) => Err(later()),
        _ => Ok(true),
    }
}

/// Orders of an account by id, open ones among them; `open` are those that it has.
///
/// # Errors
/// Busy, "later", when the store is needed and does not answer.
pub async fn orders(
    app: &App,
    open: &[LegOrder],
    filter: &LegOrderFilter,
    (end, limit): (End, usize),
) -> Result<Vec<LegOrder>, Failure> {
    let (done, reach) = remembered(app, filter.account, |history| (history.done(), history.reach_of_done()));
    let mut all: BTreeMap<OrderId, LegOrder> = BTreeMap::new();
    if asks_store(app, reach)? {
        let rows = answered(app.shared.store.page(filter, end.slice(), limit as u32).await)?;
        // All that is open is in memory.
        all.extend(rows.into_iter().filter(|row| !row.order.status.is_open()).map(|row| (row.order.order, row.order)));
    }
    let known = done.iter().chain(open).filter(|order| filter.lets_through(order));
    all.extend(known.map(|order| (order.order, *order)));
    Ok(end.of(all.into_values().collect(), limit))
}

/// One order of an account that is not open any more.
///
/// # Errors
/// Busy, "later", when the store is needed and does not answer.
pub async fn done_order(app: &App, account: AccountId, id: OrderId) -> Result<Option<LegOrder>, Failure> {
    let find = |history: &LegHistory| (history.order(id).copied().into_iter().collect(), history.reach_of_done());
    let (found, reach): (Vec<LegOrder>, Place) = remembered(app, account, find);
    if let Some(order) = found.first() {
        return Ok(Some(*order));
    }
    if !asks_store(app, reach)? {
        return Ok(None);
    }
    let stored = answered(app.shared.store.find::<StoredLegOrder>(id).await)?;
    Ok(stored.filter(|row| row.account == account).map(|row| row.order))
}

/// Open orders with what their account does not keep of them: those that were open at the start are looked up.
///
/// # Errors
/// Busy, "later", when the store is needed and does not answer.
async fn completed(app: &App, account: AccountId, mut open: Vec<LegOrder>) -> Result<Vec<LegOrder>, Failure> {
    let began = app.shared.histories.legs_began();
    if !open.iter().any(|order| order.created <= began.time) || !asks_store(app, began)? {
        return Ok(open);
    }
    let statuses = vec![OrderStatus::Open, OrderStatus::Partial];
    let filter = LegOrderFilter { statuses, until: Some(began.time + 1), ..LegOrderFilter::of(account) };
    let rows = answered(app.shared.store.page(&filter, Slice::Newest, MOST_OPEN).await)?;
    for order in open.iter_mut().filter(|order| order.created <= began.time) {
        let Some(row) = rows.iter().find(|row| row.order.order == order.order) else { continue };
        (order.tif, order.stp) = (row.order.tif, row.order.stp);
        if row.order.filled == order.filled {
            order.spent = row.order.spent;
        }
    }
    Ok(open)
}

/// Open orders of an account that are looked up at most.
const MOST_OPEN: u32 = 1_000;

/// Fills of an account, oldest first.
///
/// # Errors
/// Busy, "later", when the store is needed and does not answer.
pub async fn fills(app: &App, filter: &LegFillFilter, (end, limit): (End, usize)) -> Result<Vec<LegFill>, Failure> {
    let read = |history: &LegHistory| (history.fills().copied().collect(), history.reach_of_fills());
    let (known, reach): (Vec<LegFill>, Place) = remembered(app, filter.account, read);
    let place = |fill: &LegFill| ((fill.time, fill.trade, fill.maker), *fill);
    let mut all: BTreeMap<_, LegFill> = BTreeMap::new();
    if asks_store(app, reach)? {
        let rows = answered(app.shared.store.page(filter, end.slice(), limit as u32).await)?;
        all.extend(rows.iter().map(|row| place(&row.fill)));
    }
    all.extend(known.iter().filter(|fill| filter.lets_through(fill)).map(place));
    Ok(end.of(all.into_values().collect(), limit))
}

/// Funding periods that are over, oldest first.
///
/// # Errors
/// Busy, "later", when the store is needed and does not answer.
pub async fn funding(
    app: &App,
    filter: &FundingFilter,
    (end, limit): (End, usize),
) -> Result<Vec<FundingEnd>, Failure> {
    let mut all: BTreeMap<_, FundingEnd> = BTreeMap::new();
    if asks_store(app, app.shared.histories.legs_began())? {
        let rows = answered(app.shared.store.page(filter, end.slice(), limit as u32).await)?;
        let ends =
            rows.iter().map(|row| FundingEnd { contract: row.contract, due: row.due, rate: row.rate, mark: row.mark });
        all.extend(ends.map(|end| ((end.due, end.contract), end)));
    }
    let is_meant = |end: &FundingEnd| {
        filter.contract.is_none_or(|contract| contract == end.contract)
            && filter.since.is_none_or(|since| end.due >= since)
            && filter.until.is_none_or(|until| end.due < until)
    };
    let known = app.shared.contracts.funding().into_iter().filter(is_meant);
    all.extend(known.map(|end| ((end.due, end.contract), end)));
    Ok(end.of(all.into_values().collect(), limit))
}

/// Whether a movement is one between wallets.
#[must_use]
pub fn is_transfer(log: LogType) -> bool {
    Wallet::ALL.iter().any(|wallet| [LogType::transfer_in(*wallet), LogType::transfer_out(*wallet)].contains(&log))
}

/// The contract that a movement is of: its reference names an order, or a contract; that of a ticket names none.
#[must_use]
pub fn contract_of(row: &LedgerRow) -> Option<MarketId> {
    let tickets = TicketId::of(row.account, 0).0..TicketId::of(AccountId(row.account.0 + 1), 0).0;
    match row.log {
        log if is_transfer(log) || tickets.contains(&row.reference) => None,
        _ if row.reference < MARKET_SPAN => Some(MarketId(row.reference as u16)),
        _ => Some(OrderId(row.reference).market()),
    }
}
