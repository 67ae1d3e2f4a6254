//! What the exchange refuses, in the convention's codes and texts: the one place where they meet.
//!
//! Owns: both mappings. Never does: tell more than the convention. Invariants: a new reject does not compile until it has
//! a code here. Known limits: one code a refusal.

use super::errors::ApiError;
use crate::api::http::errors::{Code, Failure};
use xng_core::reject::Reject;
use xng_runtime::Fault;

impl From<Reject> for ApiError {
    fn from(reject: Reject) -> ApiError {
        match reject {
            Reject::UnknownMarket | Reject::UnknownPrice => ApiError::symbol(),
            Reject::MarketClosed => ApiError::rejected("Market is closed."),
            Reject::InsufficientBalance => ApiError::rejected("Account has insufficient balance for requested action."),
            Reject::BadPrice => ApiError::filter("PRICE_FILTER"),
            Reject::BelowMinAmount | Reject::AboveMaxAmount => ApiError::filter("LOT_SIZE"),
            Reject::BelowMinNotional => ApiError::filter("NOTIONAL"),
            Reject::OutsidePriceBand => ApiError::filter("PERCENT_PRICE_BY_SIDE"),
            Reject::TooManyOrders => ApiError::filter("MAX_NUM_ORDERS"),
            Reject::WouldMatch => ApiError::rejected("Order would immediately match and take."),
            Reject::WouldTrigger => ApiError::rejected("Order would trigger immediately."),
            Reject::BadLegs => ApiError::rejected("The relationship of the prices for the orders is not correct."),
            Reject::BadTrigger => ApiError::filter("TRAILING_DELTA"),
            Reject::TooManyTriggers => ApiError::filter("MAX_NUM_ALGO_ORDERS"),
            Reject::BadIceberg => ApiError::filter("ICEBERG_PARTS"),
            Reject::BadAmendment => ApiError::bad(-2038, "The requested action would change no state; rejecting."),
            Reject::UnknownOrder | Reject::OrderDone => ApiError::cancel_rejected("Unknown order sent."),
            Reject::DuplicateClientOrderId | Reject::RequestKeyClash | Reject::RequestInFlight => {
                ApiError::rejected("Duplicate order sent.")
            }
            Reject::AccountLocked => ApiError::rejected("This action is disabled on this account."),
            Reject::NotAllowed => ApiError::rejected("This account may not place or cancel orders."),
            Reject::BadAmount => ApiError::invalid("Invalid quantity."),
            Reject::TooManyTrades => ApiError::rejected("Unsupported order combination"),
            // The parameters of the market changed in this moment: the same request is good in the next one.
            Reject::StaleTerms => ApiError::busy(),
            Reject::BadWallet
            | Reject::AlreadyExists
            | Reject::BadParameters
            | Reject::Poisoned
            | Reject::UnknownRequest => ApiError::unknown(),
        }
    }
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> ApiError {
        match fault {
            Fault::Busy => ApiError::busy(),
            Fault::Timeout => ApiError::timeout(),
        }
    }
}

/// Of what calls of this API and of the app share: views and history of an account.
impl From<Failure> for ApiError {
    fn from(failure: Failure) -> ApiError {
        match failure.code {
            Code::Busy if failure.outcome_unknown => ApiError::timeout(),
            Code::Busy => ApiError::busy(),
            Code::NotFound => ApiError::no_such_order(),
            Code::AccountLocked => Reject::AccountLocked.into(),
            Code::NeedsVerification
            | Code::NeedsLogin
            | Code::Parameter
            | Code::Repeated
            | Code::State
            | Code::Insufficient
            | Code::UnderDevelopment
            | Code::BadCode
            | Code::BadLogin
            | Code::BadPayPassword
            | Code::Frozen
            | Code::MarketClosed
            | Code::Limit
            | Code::NotEligible
            | Code::BadFile
            | Code::Exists
            | Code::Region
            | Code::TooMany
            | Code::PriceChanged => ApiError::unknown(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_clients_compare_are_verbatim() {
        for (reject, code, msg) in [
            (Reject::InsufficientBalance, -2010, "Account has insufficient balance for requested action."),
            (Reject::WouldMatch, -2010, "Order would immediately match and take."),
            (Reject::DuplicateClientOrderId, -2010, "Duplicate order sent."),
            (Reject::MarketClosed, -2010, "Market is closed."),
            (Reject::UnknownOrder, -2011, "Unknown order sent."),
            (Reject::OrderDone, -2011, "Unknown order sent."),
            (Reject::WouldTrigger, -2010, "Order would trigger immediately."),
            (Reject::BadLegs, -2010, "The relationship of the prices for the orders is not correct."),
            (Reject::BelowMinAmount, -1013, "Filter failure: LOT_SIZE"),
            (Reject::BadPrice, -1013, "Filter failure: PRICE_FILTER"),
            (Reject::UnknownMarket, -1121, "Invalid symbol."),
        ] {
            let error = ApiError::from(reject);
            assert_eq!((error.code, &*error.msg, error.status.as_u16()), (code, msg, 400), "{reject:?}");
        }
        assert_eq!(ApiError::from(Failure::from(Fault::Timeout)), ApiError::timeout());
        assert_eq!(ApiError::from(Failure::text(Code::Busy, "history_later")), ApiError::busy());
    }
}
