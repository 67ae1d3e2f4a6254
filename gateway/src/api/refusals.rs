//! What clients are told when the exchange refuses: one line a refusal, for the app and for programs.
//!
//! Owns: which code and text of each API stands for a refusal. Never does: tell more than that. Invariants: a new refusal does not
//! compile until it has a line. Known limits: one code a refusal.

use crate::api::binance::errors::ApiError;
use crate::api::http::errors::{Code, Failure};
use xng_core::reject::Reject;
use xng_core::spot::conditional::MAX_WAITING;
use xng_runtime::Fault;

/// The app's answer (`docs/rules/app-calls.md "Error codes"`) and the programs' (`docs/rules/program-api.md "Errors"`).
fn answers(reject: Reject) -> (Failure, ApiError) {
    match reject {
        Reject::UnknownMarket | Reject::UnknownPrice => {
            (Failure::text(Code::NotFound, "unknown_pair"), ApiError::symbol())
        }
        Reject::MarketClosed => (Failure::from(Code::MarketClosed), ApiError::rejected("Market is closed.")),
        Reject::InsufficientBalance => (
            Failure::from(Code::Insufficient),
            ApiError::rejected("Account has insufficient balance for requested action."),
        ),
        Reject::BadPrice => (Failure::text(Code::Limit, "filter_price"), ApiError::filter("PRICE_FILTER")),
        Reject::BadStep => (Failure::text(Code::Limit, "filter_price_step"), ApiError::filter("PRICE_FILTER")),
        Reject::BelowMinAmount => (Failure::text(Code::Limit, "filter_min_amount"), ApiError::filter("LOT_SIZE")),
        Reject::AboveMaxAmount => (Failure::text(Code::Limit, "filter_max_amount"), ApiError::filter("LOT_SIZE")),
        Reject::BelowMinNotional => (Failure::text(Code::Limit, "filter_min_notional"), ApiError::filter("NOTIONAL")),
        Reject::OutsidePriceBand => {
            (Failure::text(Code::Limit, "filter_price_band"), ApiError::filter("PERCENT_PRICE_BY_SIDE"))
        }
        Reject::TooManyOrders => (Failure::text(Code::Limit, "filter_max_orders"), ApiError::filter("MAX_NUM_ORDERS")),
        Reject::WouldMatch => {
            (Failure::text(Code::State, "would_match"), ApiError::rejected("Order would immediately match and take."))
        }
        Reject::UnknownOrder => (Failure::from(Code::NotFound), ApiError::cancel_rejected("Unknown order sent.")),
        Reject::OrderDone => (Failure::from(Code::State), ApiError::cancel_rejected("Unknown order sent.")),
        Reject::DuplicateClientOrderId => {
            (Failure::text(Code::Exists, "duplicate_client_id"), ApiError::rejected("Duplicate order sent."))
        }
        Reject::RequestKeyClash | Reject::RequestInFlight => {
            (Failure::from(Code::Repeated), ApiError::rejected("Duplicate order sent."))
        }
        Reject::AccountLocked => {
            (Failure::from(Code::AccountLocked), ApiError::rejected("This action is disabled on this account."))
        }
        Reject::BadAmount => (Failure::field("amount", "out of range"), ApiError::invalid("Invalid quantity.")),
        Reject::BadWallet => (Failure::text(Code::Parameter, "bad_accounts"), ApiError::unknown()),
        // The parameters of the market changed in this moment: the same request is good in the next one.
        Reject::StaleTerms => (Failure::from(Code::PriceChanged), ApiError::busy()),
        Reject::TooManyTrades => {
            (Failure::text(Code::Limit, "too_many_trades"), ApiError::rejected("Unsupported order combination"))
        }
        Reject::AlreadyExists => (Failure::from(Code::Exists), ApiError::unknown()),
        Reject::BadParameters => (Failure::from(Code::Parameter), ApiError::unknown()),
        Reject::NotAllowed => {
            (Failure::from(Code::NotEligible), ApiError::rejected("This account may not place or cancel orders."))
        }
        Reject::Poisoned => (Failure::from(Code::State), ApiError::unknown()),
        Reject::UnknownRequest => (Failure::from(Code::NotFound), ApiError::unknown()),
        Reject::WouldTrigger => {
            (Failure::text(Code::State, "would_trigger"), ApiError::rejected("Order would trigger immediately."))
        }
        Reject::BadTrigger => (Failure::text(Code::Parameter, "bad_trigger"), ApiError::filter("TRAILING_DELTA")),
        Reject::TooManyTriggers => (
            Failure::text(Code::Limit, "filter_max_triggers").with("max", MAX_WAITING),
            ApiError::filter("MAX_NUM_ALGO_ORDERS"),
        ),
        Reject::BadIceberg => (Failure::text(Code::Limit, "bad_iceberg"), ApiError::filter("ICEBERG_PARTS")),
        Reject::BadLegs => (
            Failure::text(Code::Parameter, "bad_legs"),
            ApiError::rejected("The relationship of the prices for the orders is not correct."),
        ),
        Reject::BadAmendment => (
            Failure::text(Code::State, "bad_amendment"),
            ApiError::bad(-2038, "The requested action would change no state; rejecting."),
        ),
        // Programs trade no tickets.
        Reject::PriceStale => (Failure::text(Code::MarketClosed, "lever_no_price"), ApiError::busy()),
        Reject::BadMultiple => (Failure::text(Code::Parameter, "bad_multiple"), ApiError::unknown()),
        Reject::BracketExceeded => (Failure::text(Code::Limit, "bracket_exceeded"), ApiError::unknown()),
        Reject::ExposureFull => (Failure::text(Code::Limit, "exposure_full"), ApiError::unknown()),
        Reject::UnknownTicket | Reject::UnknownLeg => (Failure::from(Code::NotFound), ApiError::unknown()),
        Reject::MarginInsufficient => {
            (Failure::from(Code::Insufficient), ApiError::bad(-2019, "Margin is insufficient."))
        }
        Reject::ReduceOnly => (Failure::from(Code::State), ApiError::bad(-2022, "ReduceOnly Order is rejected.")),
        Reject::PositionModeMismatch => (
            Failure::from(Code::Parameter),
            ApiError::bad(-4061, "Order's position side does not match user's setting."),
        ),
        Reject::Liquidating => (Failure::from(Code::State), ApiError::bad(-2023, "User in liquidation mode now.")),
        // Programs convert nothing.
        Reject::QuoteExpired | Reject::PriceChanged => (Failure::from(Code::PriceChanged), ApiError::unknown()),
        Reject::NotConvertible => (Failure::text(Code::NotEligible, "not_convertible"), ApiError::unknown()),
        Reject::SameAsset => (Failure::text(Code::Parameter, "same_asset"), ApiError::unknown()),
        Reject::BelowMinConversion => (Failure::from(Code::Limit), ApiError::unknown()),
        Reject::AboveMaxConversion => (Failure::from(Code::Limit), ApiError::unknown()),
        Reject::ConversionTooSmall => (Failure::text(Code::Limit, "convert_nothing"), ApiError::unknown()),
        Reject::ConversionCapReached => (Failure::text(Code::Limit, "convert_cap"), ApiError::unknown()),
        Reject::NotDust => (Failure::from(Code::Limit), ApiError::unknown()),
        Reject::DustTooSoon => (Failure::text(Code::Limit, "dust_too_soon"), ApiError::unknown()),
        // Programs open no options.
        Reject::UnknownDesk => (Failure::text(Code::Parameter, "option_expiry"), ApiError::unknown()),
        Reject::OptionClosed => (Failure::text(Code::UnderDevelopment, "option_not_open"), ApiError::unknown()),
        Reject::TooManyOptions => (Failure::from(Code::Limit), ApiError::unknown()),
        Reject::SideFull => (Failure::text(Code::Limit, "option_side_full"), ApiError::unknown()),
        Reject::NotTrader => (Failure::text(Code::NotFound, "copy_no_trader"), ApiError::unknown()),
        Reject::TooManyFollows => (Failure::text(Code::Limit, "copy_too_many"), ApiError::unknown()),
        Reject::TraderFollows => (Failure::text(Code::NotEligible, "copy_trader_follows"), ApiError::unknown()),
        Reject::CopiedTicket => (Failure::text(Code::State, "copy_is_copied"), ApiError::unknown()),
        Reject::CopyOutdated => (Failure::text(Code::PriceChanged, "copy_outdated"), ApiError::unknown()),
        Reject::NotFollowing => (Failure::text(Code::NotFound, "copy_not_following"), ApiError::unknown()),
        Reject::TraderFull => (Failure::text(Code::Limit, "copy_trader_full"), ApiError::unknown()),
        // Programs use no coupons.
        Reject::UnknownCampaign => (Failure::text(Code::NotFound, "coupon_code_wrong"), ApiError::unknown()),
        Reject::CampaignOver => (Failure::text(Code::State, "coupon_campaign_over"), ApiError::unknown()),
        Reject::NotInRegion => {
            (Failure::from(Code::Region), ApiError::rejected("This action is disabled on this account."))
        }
        Reject::CampaignEmpty => (Failure::text(Code::Limit, "coupon_campaign_empty"), ApiError::unknown()),
        Reject::CouponTaken => (Failure::text(Code::Exists, "coupon_taken"), ApiError::unknown()),
        Reject::UnknownCoupon => (Failure::from(Code::NotFound), ApiError::unknown()),
        Reject::CouponOver => (Failure::text(Code::State, "coupon_over"), ApiError::unknown()),
        Reject::TooManyCoupons => (Failure::text(Code::Limit, "coupon_too_many"), ApiError::unknown()),
        // Programs ask for no addresses.
        Reject::UnknownChain => (Failure::from(Code::UnderDevelopment), ApiError::unknown()),
        Reject::TooManyAddresses => (Failure::text(Code::Limit, "too_many_addresses"), ApiError::unknown()),
        Reject::WithdrawalsClosed => (Failure::text(Code::State, "withdrawals_closed"), ApiError::unknown()),
        Reject::BadDestination => (Failure::field("address", "not allowed"), ApiError::unknown()),
        Reject::TooManyWithdrawals => (Failure::text(Code::Limit, "too_many_withdrawals"), ApiError::unknown()),
        Reject::AboveDailyLimit => (Failure::text(Code::Limit, "above_daily_limit"), ApiError::unknown()),
        Reject::UnknownWithdrawal => (Failure::from(Code::NotFound), ApiError::unknown()),
        Reject::WithdrawalDone => (Failure::text(Code::State, "withdrawal_done"), ApiError::unknown()),
        Reject::Unverified => (Failure::from(Code::NeedsVerification), ApiError::unknown()),
        Reject::NotTwoPeople | Reject::VotedMeanwhile => (Failure::from(Code::NotEligible), ApiError::unknown()),
        Reject::ChainClosed => (Failure::text(Code::State, "deposits_closed"), ApiError::unknown()),
        // Who reads a node is told this, and nobody else.
        Reject::NotNextBlock => (Failure::from(Code::State), ApiError::unknown()),
        // Programs begin no corporate actions and change no parameters.
        Reject::BadAction | Reject::OrdersOpen => (Failure::from(Code::State), ApiError::unknown()),
        Reject::PositionOpen => (
            Failure::from(Code::State),
            ApiError::bad(-4047, "Margin type cannot be changed if there exists open orders or positions."),
        ),
    }
}

impl From<Reject> for Failure {
    fn from(reject: Reject) -> Failure {
        answers(reject).0
    }
}

impl From<Reject> for ApiError {
    fn from(reject: Reject) -> ApiError {
        answers(reject).1
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
            | Code::PriceChanged
            | Code::SecondStep
            | Code::ProofNeeded => ApiError::unknown(),
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
