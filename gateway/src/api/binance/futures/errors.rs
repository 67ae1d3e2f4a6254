//! Refusals in the words of the futures convention (`docs/rules/futures-api.md "Codes"`).
//!
//! Owns: their codes and texts. Never does: translate one. Invariants: codes and texts are the convention's. Known limits: one
//! error an answer: the first that was found.

use crate::api::binance::errors::ApiError;
use crate::api::http::errors::Failure;
use xng_core::reject::Reject;

/// What a program is told of a refused order, cancel or change.
#[must_use]
pub fn refused(reject: Reject) -> ApiError {
    match reject {
        Reject::MarginInsufficient | Reject::InsufficientBalance => ApiError::bad(-2019, "Margin is insufficient."),
        Reject::ReduceOnly => ApiError::bad(-2022, "ReduceOnly Order is rejected."),
        Reject::Liquidating => ApiError::bad(-2023, "User in liquidation mode now."),
        Reject::TooManyOrders => ApiError::bad(-2025, "Reach max open order limit."),
        Reject::BracketExceeded | Reject::BadMultiple => {
            ApiError::bad(-2027, "Exceeded the maximum allowable position at current leverage.")
        }
        Reject::BadPrice => ApiError::bad(-4002, "Price greater than max price."),
        Reject::BelowMinAmount => ApiError::bad(-4003, "Quantity less than or equal to zero."),
        Reject::AboveMaxAmount | Reject::BadAmount => ApiError::bad(-4005, "Quantity greater than max quantity."),
        Reject::BelowMinNotional => min_notional(),
        Reject::PositionModeMismatch => ApiError::bad(-4061, "Order's position side does not match user's setting."),
        Reject::PositionOpen => ApiError::bad(-4048, "Margin type cannot be changed if there exists position."),
        Reject::DuplicateClientOrderId => ApiError::bad(-4116, "ClientOrderId is duplicated."),
        Reject::MarketClosed | Reject::PriceStale => {
            ApiError::bad(-4140, "Invalid symbol status for opening position.")
        }
        Reject::WouldMatch => ApiError::bad(
            -5022,
            "Due to the order could not be executed as maker, the Post Only order will be rejected. The order will not be \
             recorded in the order history",
        ),
        Reject::WouldTrigger => ApiError::bad(-2021, "Order would immediately trigger."),
        Reject::BadTrigger => ApiError::bad(-4006, "Stop price less than zero."),
        Reject::TooManyTriggers => ApiError::bad(-4045, "Reach max stop order limit."),
        Reject::BadAmendment => ApiError::bad(-5027, "No need to modify the order."),
        Reject::OutsidePriceBand => ApiError::bad(-4016, "Limit price can't be higher than the band allows."),
        Reject::UnknownLeg => ApiError::bad(-4049, "Add margin only support for isolated position."),
        Reject::UnknownMarket
        | Reject::UnknownOrder
        | Reject::OrderDone
        | Reject::RequestKeyClash
        | Reject::RequestInFlight
        | Reject::AccountLocked
        | Reject::BadWallet
        | Reject::StaleTerms
        | Reject::TooManyTrades
        | Reject::AlreadyExists
        | Reject::BadParameters
        | Reject::NotAllowed
        | Reject::UnknownPrice
        | Reject::Poisoned
        | Reject::UnknownRequest
        | Reject::BadIceberg
        | Reject::BadLegs
        | Reject::ExposureFull
        | Reject::UnknownTicket
        | Reject::QuoteExpired
        | Reject::PriceChanged
        | Reject::NotConvertible
        | Reject::UnknownDesk
        | Reject::OptionClosed
        | Reject::TooManyOptions
        | Reject::SideFull
        | Reject::NotTrader
        | Reject::TooManyFollows
        | Reject::TraderFollows
        | Reject::CopiedTicket
        | Reject::UnknownChain
        | Reject::ChainClosed
        | Reject::NotNextBlock
        | Reject::TooManyAddresses
        | Reject::WithdrawalsClosed
        | Reject::BadDestination
        | Reject::TooManyWithdrawals
        | Reject::AboveDailyLimit
        | Reject::UnknownWithdrawal
        | Reject::WithdrawalDone
        | Reject::NotTwoPeople
        | Reject::VotedMeanwhile
        | Reject::Unverified
        | Reject::UnknownCampaign
        | Reject::CampaignOver
        | Reject::CampaignEmpty
        | Reject::CouponTaken
        | Reject::UnknownCoupon
        | Reject::CouponOver
        | Reject::TooManyCoupons
        | Reject::CopyOutdated
        | Reject::NotFollowing
        | Reject::TraderFull
        | Reject::BadStep
        | Reject::BadAction
        | Reject::OrdersOpen
        | Reject::NotInRegion
        | Reject::SameAsset
        | Reject::BelowMinConversion
        | Reject::AboveMaxConversion
        | Reject::ConversionTooSmall
        | Reject::ConversionCapReached
        | Reject::NotDust
        | Reject::DustTooSoon => reject.into(),
    }
}

/// What a program is told when the exchange does not answer as it should.
#[must_use]
pub fn failed(failure: Failure) -> ApiError {
    failure.into()
}

/// An order of too little value.
#[must_use]
pub fn min_notional() -> ApiError {
    let least = crate::orders::leg_placing::LEAST_VALUE;
    ApiError::bad(-4164, format!("Order's notional must be no smaller than {least} (unless you choose reduce only)."))
}
