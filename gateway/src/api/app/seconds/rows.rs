//! Rows of seconds options, for calls and for events.
//!
//! Owns: field names and numbers of rows. Never does: ask anybody. Invariants: a list and an event show one thing alike. Known
//! limits: none.

use crate::api::app::lever::rows::percent;
use crate::common::time::{ms, now_ns, ts};
use crate::market::catalog::Catalog;
use serde_json::{Value, json};
use xng_core::account::{AccountEvent, OptionChange};
use xng_core::money::Amount;
use xng_core::seconds::rules::{OptionResult, OptionSide};
use xng_persistence::store::{OptionEnd, StoredOption};

fn result_number(result: OptionResult) -> i8 {
    match result {
        OptionResult::Win => 1,
        OptionResult::Loss => -1,
        OptionResult::Tie | OptionResult::Void => 0,
    }
}

/// Its gain before the fee.
fn gained(row: &StoredOption, end: &OptionEnd) -> Amount {
    match end.result {
        OptionResult::Win => row.option.profit(),
        OptionResult::Loss => -row.option.at_stake(),
        OptionResult::Tie | OptionResult::Void => Amount::ZERO,
    }
}

/// `MO` of the app's calls.
pub(crate) fn option(row: &StoredOption, catalog: &Catalog) -> Value {
    let (o, end) = (&row.option, row.end.as_ref());
    let pair = o.option.desk().pair();
    let (opened, expires, now) = (ms(o.opened), ms(o.expires), ms(now_ns()));
    let seconds = catalog.desks.get(&o.option.desk()).map_or(0, |desk| desk.seconds);
    let status = match end {
        Some(_) => 3,
        None if now < expires => 1,
        None => 2,
    };
    let decided = end.filter(|end| end.result != OptionResult::Void);
    json!({
        "id": o.option.0, "show_micro_id": o.option.0.to_string(), "match_id": pair.0,
        "symbol_name": catalog.markets.get(&pair).map_or_else(|| pair.to_string(), |info| info.pair()),
        "currency_id": o.asset.0, "currency_name": catalog.asset_name(o.asset), "type": o.side as u8,
        "type_name": if o.side == OptionSide::Rise { "rise" } else { "fall" },
        "seconds": seconds, "number": o.stake.to_string(), "open_price": o.open_price.to_string(),
        "end_price": decided.map(|end| end.close_price.to_string()), "profit_ratio": percent(o.ratio_ppm),
        "fee": o.fee.to_string(), "coupon": o.bonus.map(|bonus| bonus.coupon.0), "status": status, "profit_result": end.map_or(0, |end| result_number(end.result)),
        "is_void": end.is_some_and(|end| end.result == OptionResult::Void),
        "fact_profits": end.map_or(Amount::ZERO, |end| gained(row, end)).to_string(),
        "created_at": ts(opened), "handled_at": ts(expires), "complete_at": end.map(|end| ts(ms(end.time))),
        "opened_ms": opened, "expires_ms": expires, "remain_milli_seconds": (expires - now).max(0),
        "open_tick": o.open_seq, "close_tick": decided.map(|end| end.close_seq),
        "proof_url": format!("/api/microtrade/proof?id={}", o.option.0),
    })
}

/// The events of what happened to an option.
pub(crate) fn events(event: &AccountEvent, catalog: &Catalog) -> Option<(&'static str, Value)> {
    Some(match event.option.as_deref()? {
        OptionChange::Opened(opened) => ("micro_opened", option(&StoredOption { option: *opened, end: None }, catalog)),
        OptionChange::Settled(item) => {
            let (result, close_seq, close_price) = (item.result, item.close_seq, item.close_price);
            let end = OptionEnd { time: event.time, result, close_seq, close_price, paid: item.paid };
            ("closed_microorder", option(&StoredOption { option: item.option, end: Some(end) }, catalog))
        }
    })
}
