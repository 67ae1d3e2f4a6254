//! What is told of a list of orders: as it began, as it is, as it was cancelled.
//!
//! Owns: a list's rows. Never does: change a list. Invariants: a list is told with all of its orders. Known limits: of a list that was
//! cancelled, orders that cannot be looked up are left out.

use super::rows::{self, client_id};
use crate::api::binance::request::Request;
use crate::api::binance::user_data::list_name;
use crate::orders::lookup::find_order;
use serde_json::{Value, json};
use xng_core::account::{AccountView, Order};
use xng_core::entity::TimeNs;
use xng_core::ids::OrderId;
use xng_core::spot::ListKind;
use xng_core::spot::facts::OrderList;

pub(super) fn reports(request: &Request, orders: &[Order]) -> Value {
    let catalog = request.app.shared.listed();
    orders.iter().map(|o| rows::report(o, &catalog, request.unit)).collect()
}

/// A list that was taken just now.
pub(super) fn begun(request: &Request, list: &OrderList, orders: &[Order], time: TimeNs) -> Value {
    head(request, list, orders, ("EXEC_STARTED", "EXECUTING"), request.unit.ns(time))
}

fn head(request: &Request, list: &OrderList, orders: &[Order], state: (&str, &str), time: i64) -> Value {
    let catalog = request.app.shared.listed();
    let symbol = orders.first().map_or_else(String::new, |o| rows::symbol(&o.units, &catalog));
    let each = |o: &Order| json!({ "symbol": symbol, "orderId": o.order.0, "clientOrderId": client_id(o) });
    json!({
        "orderListId": list.list.0, "contingencyType": rows::contingency(list), "listStatusType": state.0, "listOrderStatus": state.1,
        "listClientOrderId": list_name(list), "transactionTime": time, "symbol": symbol,
        "orders": orders.iter().map(each).collect::<Vec<Value>>(),
    })
}

/// A list as it is now.
pub(super) fn row(request: &Request, list: &OrderList, orders: &[Order]) -> Value {
    let is_open = orders.iter().any(|o| o.status.is_open());
    let state = if is_open { ("EXEC_STARTED", "EXECUTING") } else { ("ALL_DONE", "ALL_DONE") };
    let time = orders.iter().map(|o| o.created).min().unwrap_or_default();
    head(request, list, orders, state, request.unit.ns(time))
}

/// What is told of a list when its orders were cancelled; to cancel one of them cancels all. They are: what cannot be looked
/// up is left out.
pub(super) async fn canceled(request: &Request, before: &AccountView, id: OrderId, ended: &[Order]) -> Value {
    let ids = || ended.iter().map(|o| o.order).collect();
    let list = before.lists.iter().find(|list| list.list == id).cloned();
    let list =
        list.unwrap_or_else(|| OrderList { list: id, kind: ListKind::OneCancels, orders: ids(), client_id: None });
    let mut orders = Vec::with_capacity(list.orders.len());
    for id in &list.orders {
        match ended.iter().find(|o| o.order == *id) {
            Some(ended) => orders.push(*ended),
            None => orders.extend(find_order(&request.app, before.account, *id).await.ok()),
        }
    }
    let time = orders.iter().map(|o| o.updated).max().unwrap_or_default();
    let mut row = head(request, &list, &orders, ("ALL_DONE", "ALL_DONE"), request.unit.ns(time));
    row["orderReports"] = reports(request, &orders);
    row
}
