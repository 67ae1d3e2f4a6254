//! Facts of seconds options as text.
//!
//! Owns: their names and forms. Never does: round. Invariants: every number of a fact is there. Known limits: none.

use super::render::name;
use serde_json::{Value, json};
use xng_core::seconds::SecondsOption;
use xng_core::seconds::facts::{SecondsFact, SettledOption};

fn option(o: &SecondsOption) -> Value {
    json!({ "option": o.option.0, "account": o.account.0, "asset": o.asset.0, "side": name(o.side),
        "stake": o.stake.to_string(), "fee": o.fee.to_string(), "ratio_ppm": o.ratio_ppm, "open_seq": o.open_seq,
        "open_price": o.open_price.to_string(), "opened": o.opened, "expires": o.expires,
        "coupon": o.bonus.map(|bonus| bonus.coupon.0) })
}

pub(super) fn seconds(fact: &SecondsFact) -> Value {
    match fact {
        SecondsFact::DeskParamsSet(f) => {
            let p = &f.params;
            json!({ "version": p.version, "desk": p.desk.0, "price": p.price.0, "seconds": p.seconds, "asset": p.asset.0,
                "ratio_ppm": p.ratio_ppm, "fee_ppm": p.fee_ppm, "stake": [p.stake.0.to_string(), p.stake.1.to_string()],
                "most_open": p.most_open, "minute_cap": p.minute_cap.to_string(), "day_cap": p.day_cap.to_string(),
                "fresh_ms": p.fresh_ms, "open": p.open })
        }
        SecondsFact::OptionOpened(f) => {
            json!({ "option": option(&f.option), "price": f.price.0, "version": f.version, "first": f.first })
        }
        SecondsFact::OptionsSettled(f) => {
            let item = |i: &SettledOption| {
                json!({ "option": option(&i.option), "result": name(i.result), "close_seq": i.close_seq,
                    "close_price": i.close_price.to_string(), "paid": i.paid.to_string() })
            };
            json!({ "round": f.round.0, "asset": f.asset.0, "items": f.items.iter().map(item).collect::<Vec<Value>>(),
                "last": f.last })
        }
        SecondsFact::PriceSilent(f) => {
            json!({ "price": f.price.0, "seq": f.seq, "upto": f.upto, "round": f.round.0 })
        }
    }
}
