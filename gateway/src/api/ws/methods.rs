//! Methods of the websocket APIs, and the calls that they are (`docs/rules/program-api.md "Websocket API"`).
//!
//! Owns: these names. Never does: answer a call. Invariants: each is a call of the table. Known limits: methods about the
//! session are no calls.

use crate::api::binance::call::{Endpoint, Method, Venue};
use crate::api::binance::table;

/// A method, and the method and path of its call.
type Row = (&'static str, Method, &'static str);

const SPOT: &[Row] = &[
    ("ping", Method::Get, "/api/v3/ping"),
    ("time", Method::Get, "/api/v3/time"),
    ("exchangeInfo", Method::Get, "/api/v3/exchangeInfo"),
    ("depth", Method::Get, "/api/v3/depth"),
    ("trades.recent", Method::Get, "/api/v3/trades"),
    ("trades.historical", Method::Get, "/api/v3/historicalTrades"),
    ("trades.aggregate", Method::Get, "/api/v3/aggTrades"),
    ("klines", Method::Get, "/api/v3/klines"),
    ("uiKlines", Method::Get, "/api/v3/uiKlines"),
    ("avgPrice", Method::Get, "/api/v3/avgPrice"),
    ("ticker.24hr", Method::Get, "/api/v3/ticker/24hr"),
    ("ticker.tradingDay", Method::Get, "/api/v3/ticker/tradingDay"),
    ("ticker", Method::Get, "/api/v3/ticker"),
    ("ticker.price", Method::Get, "/api/v3/ticker/price"),
    ("ticker.book", Method::Get, "/api/v3/ticker/bookTicker"),
    ("order.place", Method::Post, "/api/v3/order"),
    ("order.test", Method::Post, "/api/v3/order/test"),
    ("order.status", Method::Get, "/api/v3/order"),
    ("order.cancel", Method::Delete, "/api/v3/order"),
    ("order.cancelReplace", Method::Post, "/api/v3/order/cancelReplace"),
    ("order.amend.keepPriority", Method::Put, "/api/v3/order/amend/keepPriority"),
    ("openOrders.status", Method::Get, "/api/v3/openOrders"),
    ("openOrders.cancelAll", Method::Delete, "/api/v3/openOrders"),
    ("orderList.place", Method::Post, "/api/v3/order/oco"),
    ("orderList.place.oco", Method::Post, "/api/v3/orderList/oco"),
    ("orderList.place.oto", Method::Post, "/api/v3/orderList/oto"),
    ("orderList.place.otoco", Method::Post, "/api/v3/orderList/otoco"),
    ("orderList.status", Method::Get, "/api/v3/orderList"),
    ("orderList.cancel", Method::Delete, "/api/v3/orderList"),
    ("openOrderLists.status", Method::Get, "/api/v3/openOrderList"),
    ("allOrderLists", Method::Get, "/api/v3/allOrderList"),
    ("allOrders", Method::Get, "/api/v3/allOrders"),
    ("myTrades", Method::Get, "/api/v3/myTrades"),
    ("myPreventedMatches", Method::Get, "/api/v3/myPreventedMatches"),
    ("myAllocations", Method::Get, "/api/v3/myAllocations"),
    ("myFilters", Method::Get, "/api/v3/myFilters"),
    ("order.amendments", Method::Get, "/api/v3/order/amendments"),
    ("executionRules", Method::Get, "/api/v3/executionRules"),
    ("referencePrice", Method::Get, "/api/v3/referencePrice"),
    ("account.status", Method::Get, "/api/v3/account"),
    ("account.commission", Method::Get, "/api/v3/account/commission"),
    ("account.rateLimits.orders", Method::Get, "/api/v3/rateLimit/order"),
    ("userDataStream.start", Method::Post, "/api/v3/userDataStream"),
    ("userDataStream.ping", Method::Put, "/api/v3/userDataStream"),
    ("userDataStream.stop", Method::Delete, "/api/v3/userDataStream"),
];

const FUTURES: &[Row] = &[
    ("ping", Method::Get, "/fapi/v1/ping"),
    ("time", Method::Get, "/fapi/v1/time"),
    ("exchangeInfo", Method::Get, "/fapi/v1/exchangeInfo"),
    ("depth", Method::Get, "/fapi/v1/depth"),
    ("ticker.price", Method::Get, "/fapi/v2/ticker/price"),
    ("ticker.book", Method::Get, "/fapi/v1/ticker/bookTicker"),
    ("order.place", Method::Post, "/fapi/v1/order"),
    ("order.test", Method::Post, "/fapi/v1/order/test"),
    ("order.modify", Method::Put, "/fapi/v1/order"),
    ("order.cancel", Method::Delete, "/fapi/v1/order"),
    ("order.status", Method::Get, "/fapi/v1/order"),
    ("algoOrder.place", Method::Post, "/fapi/v1/algoOrder"),
    ("algoOrder.cancel", Method::Delete, "/fapi/v1/algoOrder"),
    ("account.status", Method::Get, "/fapi/v2/account"),
    ("v2/account.status", Method::Get, "/fapi/v3/account"),
    ("account.balance", Method::Get, "/fapi/v2/balance"),
    ("v2/account.balance", Method::Get, "/fapi/v3/balance"),
    ("account.position", Method::Get, "/fapi/v2/positionRisk"),
    ("v2/account.position", Method::Get, "/fapi/v3/positionRisk"),
    ("userDataStream.start", Method::Post, "/fapi/v1/listenKey"),
    ("userDataStream.ping", Method::Put, "/fapi/v1/listenKey"),
    ("userDataStream.stop", Method::Delete, "/fapi/v1/listenKey"),
];

fn of(venue: Venue) -> &'static [Row] {
    match venue {
        Venue::Spot => SPOT,
        Venue::Futures => FUTURES,
    }
}

/// A method without the version of its API, which some write before it.
pub(super) fn plain(venue: Venue, method: &str) -> &str {
    let version = match venue {
        Venue::Spot => "v3/",
        Venue::Futures => "v1/",
    };
    method.strip_prefix(version).unwrap_or(method)
}

/// The call behind a method.
pub(super) fn call_of(venue: Venue, method: &str) -> Option<&'static Endpoint> {
    let (_, method, path) = of(venue).iter().find(|(name, _, _)| *name == method)?;
    table::of_path(path).iter().find(|call| call.method == *method).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_a_call_of_the_table() {
        for venue in [Venue::Spot, Venue::Futures] {
            for (name, _, _) in of(venue) {
                assert!(call_of(venue, name).is_some_and(|call| call.venue() == venue), "{name}");
            }
            assert!(call_of(venue, "order").is_none() && call_of(venue, "").is_none());
        }
        assert_eq!(plain(Venue::Spot, "v3/order.place"), "order.place");
        assert_eq!(plain(Venue::Futures, "v2/account.status"), "v2/account.status");
    }
}
