//! What messages say: title, text and where they lead, in the reader's language.
//!
//! Owns: which texts and values belong to which event. Never does: look for messages; translate, the files of locales do.
//! Invariants: every kind has an event, a title and a text. Known limits: traders are named by their
//! number.

use super::Found;
use crate::api::http::errors::Failure;
use crate::api::http::i18n::Lang;
use crate::app::Shared;
use crate::messenger::audit_text_keys;
use serde_json::Value;
use xng_core::contract::ticket_facts::CloseReason;
use xng_core::ids::MarketId;
use xng_core::money::Amount;
use xng_core::reject::Reject;
use xng_core::spot::Side;
use xng_persistence::office::{OfficeEvent, OfficeMessage};
use xng_persistence::store::{MessageKind, StoredMessage};

const SPOT_ORDERS: &str = "/pages/transaction/currency_order";
const CONTRACT_ORDERS: &str = "/pages/transaction/contract_order";
const OPTIONS: &str = "/pages/transaction/seconds_order";
const COIN_RECORDS: &str = "/pages/fund/receive_withdraw_record";
const VERIFICATION: &str = "/pages/setting/real_mark";
const COUPONS: &str = "/pages/setting/coupon";
const COPIES: &str = "/pages/follow/mine";
const SECURITY: &str = "/pages/setting/security";
const RECORDS: &str = "/pages/fund/assets_all_record";

/// A message as it is shown.
#[derive(Debug)]
pub(super) struct Told {
    /// What it tells, in one word.
    pub(super) event: &'static str,
    pub(super) title: String,
    pub(super) text: String,
    /// The app's page.
    pub(super) url: &'static str,
}

/// Keys of a message's texts, below `message_`.
struct Keys {
    event: &'static str,
    /// Of the title.
    title: &'static str,
    /// Of the text.
    text: &'static str,
    url: &'static str,
}

impl Keys {
    /// Of an event that has one title and one text.
    const fn plain(event: &'static str, url: &'static str) -> Keys {
        Keys { event, title: event, text: event, url }
    }

    /// With a text of its own.
    const fn saying(self, text: &'static str) -> Keys {
        Keys { text, ..self }
    }

    /// With a title and a text of its own.
    const fn titled(self, both: &'static str) -> Keys {
        Keys { title: both, text: both, ..self }
    }
}

impl Told {
    pub(super) fn of(shared: &Shared, lang: Lang, found: &Found) -> Told {
        let (keys, values) = match found {
            Found::Fact(message) => (of_fact(message), values(shared, lang, message)),
            Found::Office(message) => of_office(message),
        };
        let text = |key: String| shared.messages.text(lang, &key, &values);
        let (title, text) = (text(format!("message_{}", keys.title)), text(format!("message_{}_text", keys.text)));
        Told { event: keys.event, title, text, url: keys.url }
    }
}

fn of_fact(m: &StoredMessage) -> Keys {
    let is_buy = m.detail == Side::Buy as u32;
    match m.key.kind {
        MessageKind::OrderFilled if m.count > 1 => Keys::plain("orders_filled", SPOT_ORDERS),
        MessageKind::OrderFilled => {
            Keys::plain("order_filled", SPOT_ORDERS).saying(if is_buy { "order_bought" } else { "order_sold" })
        }
        MessageKind::ContractOrderFilled if m.count > 1 => {
            Keys::plain("contract_orders_filled", CONTRACT_ORDERS).saying("orders_filled")
        }
        MessageKind::ContractOrderFilled => Keys::plain("contract_order_filled", CONTRACT_ORDERS).saying(if is_buy {
            "contract_bought"
        } else {
            "contract_sold"
        }),
        MessageKind::TicketOpened => Keys::plain("ticket_opened", CONTRACT_ORDERS),
        MessageKind::TicketClosed => {
            let keys = Keys::plain("ticket_closed", CONTRACT_ORDERS);
            if m.detail == CloseReason::TakeProfit as u32 {
                keys.saying("take_profit")
            } else if m.detail == CloseReason::StopLoss as u32 {
                keys.saying("stop_loss")
            } else {
                keys.saying("copy_closed")
            }
        }
        MessageKind::TicketLiquidated => Keys::plain("ticket_liquidated", CONTRACT_ORDERS),
        MessageKind::RiskWarning => Keys::plain("risk_warning", CONTRACT_ORDERS),
        MessageKind::PositionLiquidated => Keys::plain("position_liquidated", CONTRACT_ORDERS),
        MessageKind::PositionDeleveraged => Keys::plain("position_deleveraged", CONTRACT_ORDERS),
        MessageKind::Funding => Keys::plain("funding", RECORDS).titled(if m.amount.is_negative() {
            "funding_paid"
        } else {
            "funding_received"
        }),
        // A coupon came back instead of money.
        MessageKind::OptionVoid if m.detail == 1 => Keys::plain("option_void", OPTIONS).saying("option_void_coupon"),
        MessageKind::OptionVoid => Keys::plain("option_void", OPTIONS),
        MessageKind::CouponIssued => Keys::plain("coupon_issued", COUPONS),
        MessageKind::Deposit => Keys::plain("deposit", COIN_RECORDS),
        MessageKind::SmallDeposit => Keys::plain("deposit_small", COIN_RECORDS),
        MessageKind::WithdrawalRequested => Keys::plain("withdrawal_requested", COIN_RECORDS),
        MessageKind::WithdrawalRefused => Keys::plain("withdrawal_refused", COIN_RECORDS),
        MessageKind::WithdrawalCancelled => Keys::plain("withdrawal_cancelled", COIN_RECORDS),
        MessageKind::WithdrawalPaid => Keys::plain("withdrawal_paid", COIN_RECORDS),
        MessageKind::TransferReceived => Keys::plain("transfer_received", RECORDS),
        MessageKind::Tier => Keys::plain("tier", VERIFICATION).titled(match m.detail {
            0 => "tier_ended",
            1 => "tier_basic",
            _ => "tier_advanced",
        }),
        MessageKind::AccountLocked => Keys::plain("account_locked", SECURITY),
        MessageKind::AccountActive => Keys::plain("account_active", SECURITY),
        MessageKind::CopySkipped => Keys::plain("copy_skipped", COPIES),
        MessageKind::CopyDetached => Keys::plain("copy_detached", COPIES),
        MessageKind::ProfitShared => Keys::plain("profit_shared", COPIES),
        MessageKind::CorporateAction => Keys::plain("corporate_action", RECORDS).titled(match m.detail {
            1 => "stock_split",
            _ => "dividend",
        }),
    }
}

/// What placeholders of a fact's texts may name.
fn values(shared: &Shared, lang: Lang, m: &StoredMessage) -> Vec<(&'static str, String)> {
    let catalog = shared.listed();
    let board = shared.contracts.now();
    let spot = catalog.markets.get(&m.market);
    let contract = board.contract(m.market);
    let base = spot.map(|info| info.params.base).or_else(|| contract.map(|face| face.params.base));
    let quote = spot.map(|info| info.params.quote).or_else(|| contract.map(|face| face.params.settle));
    let name = |asset| catalog.asset_name(asset);
    let market = match (spot, m.market) {
        (_, MarketId(0)) => String::new(),
        (Some(info), _) => info.pair(),
        (None, id) => catalog.symbol(id).map_or_else(|| id.0.to_string(), str::to_owned),
    };
    let amount = if m.key.kind == MessageKind::Funding { Amount(m.amount.0.abs()) } else { m.amount };
    let reason = || {
        let reason = Reject::ALL.iter().find(|reject| **reject as u32 == m.detail);
        let told = reason.map(|reject| Failure::from(*reject).answer(&shared.messages, lang).message);
        told.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    vec![
        ("count", m.count.to_string()),
        ("market", market),
        ("base", base.map(name).unwrap_or_default()),
        ("quote", quote.map(name).unwrap_or_default()),
        ("asset", name(m.asset)),
        ("amount", amount.to_string()),
        ("other", m.other.to_string()),
        ("trader", m.reference.to_string()),
        ("reason", if m.key.kind == MessageKind::CopySkipped { reason() } else { String::new() }),
    ]
}

fn of_office(message: &OfficeMessage) -> (Keys, Vec<(&'static str, String)>) {
    match &message.event {
        OfficeEvent::Audit { action, ip, .. } => {
            let keys = match action.as_str() {
                "login" => Keys::plain("login", SECURITY),
                action => Keys::plain("security", SECURITY).saying(audit_text_keys(action).1),
            };
            (keys, vec![("ip", ip.clone())])
        }
        OfficeEvent::VerificationFailed { level, .. } => {
            (Keys::plain("verification_failed", VERIFICATION), vec![("level", level.to_string())])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::http::i18n::Messages;
    use std::path::Path;
    use xng_core::entity::TimeNs;
    use xng_core::ids::{AccountId, AssetId};
    use xng_persistence::office::told;
    use xng_persistence::store::MessageKey;

    /// What messages tell; the app has a picture for each (`h5/src/features/mail/look.ts`).
    const EVENTS: [&str; 30] = [
        "order_filled",
        "orders_filled",
        "contract_order_filled",
        "contract_orders_filled",
        "ticket_opened",
        "ticket_closed",
        "ticket_liquidated",
        "risk_warning",
        "position_liquidated",
        "position_deleveraged",
        "funding",
        "option_void",
        "coupon_issued",
        "deposit",
        "deposit_small",
        "withdrawal_requested",
        "withdrawal_refused",
        "withdrawal_cancelled",
        "withdrawal_paid",
        "transfer_received",
        "tier",
        "account_locked",
        "account_active",
        "copy_skipped",
        "copy_detached",
        "profit_shared",
        "corporate_action",
        "login",
        "security",
        "verification_failed",
    ];

    fn fact(kind: MessageKind, detail: u32, count: u32, amount: i128) -> StoredMessage {
        let key = MessageKey { account: AccountId::FIRST_USER, at: 1, kind, subject: 0 };
        let (time, market, asset): (TimeNs, _, _) = (1, MarketId(1), AssetId(3));
        let (amount, other) = (Amount(amount), Amount::ZERO);
        StoredMessage { key, time, count, market, asset, detail, reference: 0, amount, other }
    }

    #[test]
    fn every_message_has_texts_and_an_event_that_calls_know() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/locales"));
        let messages = Messages::load(folder).unwrap();
        let mut all: Vec<Keys> = Vec::new();
        for kind in MessageKind::ALL {
            for detail in 0..7 {
                all.extend([1, 2].map(|count| of_fact(&fact(*kind, detail, count, 1))));
                all.push(of_fact(&fact(*kind, detail, 1, -1)));
            }
        }
        for action in told() {
            let event = OfficeEvent::Audit { action: action.into(), detail: "{}".into(), ip: "10.0.0.1".into() };
            let keys = of_office(&OfficeMessage { id: 1, at_ms: 1, event }).0;
            assert_ne!(keys.text, "security", "{action} has a text of its own");
            all.push(keys);
        }
        let event = OfficeEvent::VerificationFailed { level: 1, reason: String::new() };
        all.push(of_office(&OfficeMessage { id: 1, at_ms: 1, event }).0);
        let look = concat!(env!("CARGO_MANIFEST_DIR"), "/../h5/src/features/mail/look.ts");
        let look = std::fs::read_to_string(look).unwrap();
        assert!(EVENTS.iter().all(|event| look.contains(&format!("  {event}: look("))), "a picture for each");
        for keys in all {
            assert!(EVENTS.contains(&keys.event), "{}", keys.event);
            for key in [format!("message_{}", keys.title), format!("message_{}_text", keys.text)] {
                assert_ne!(messages.text(Lang::En, &key, &[]), key, "a text");
            }
        }
    }
}
