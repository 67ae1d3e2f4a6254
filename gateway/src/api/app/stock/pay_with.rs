//! Paying for a purchase in another money: what it locks is converted first, then the order is placed.
//!
//! Owns: how much is converted. Never does: name a price; the account converts at the last ticks. Invariants: a request that comes
//! again converts once: the conversion has a key of its own that follows from the request's. Known limits: a conversion that is
//! done stays done when the order is refused: what was converted stays in the market's money.

use crate::api::app::call::{Call, key_digest};
use crate::api::http::errors::{Code, Failure};
use crate::market::board::read;
use crate::market::catalog::MarketInfo;
use xng_core::account::{AccountCommand, Conversion, ConvertCommand};
use xng_core::convert::params::ConvertParams;
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId, RequestKey};
use xng_core::money::{Amount, Exact};
use xng_core::spot::{NewOrder, Side};

/// More is converted than is needed at the price that is known here, by this many parts per million: the price goes on.
const MORE_PPM: i128 = 2_000;
const PPM: i128 = 1_000_000;

/// What the caller wants to pay with, when that is not the market's own money, and the request's key. Without one a request that
/// comes again would convert again.
pub(in crate::api::app) fn wanted(
    call: &Call,
    info: &MarketInfo,
    order: &NewOrder,
    key: Option<RequestKey>,
) -> Result<Option<(AssetId, RequestKey)>, Failure> {
    let Some(name) = call.params.get("pay_with").filter(|name| *name != info.quote) else { return Ok(None) };
    let catalog = call.app.shared.listed();
    let asset = catalog.assets.values().find(|asset| asset.name == name).map(|asset| asset.id);
    let converts = asset.is_some_and(|asset| catalog.converts(asset)) && catalog.converts(info.params.quote);
    match asset {
        Some(asset) if converts && info.params.stock.is_some() && order.side == Side::Buy => {
            let key = key.ok_or_else(|| Failure::field("pay_with", "needs an Idempotency-Key"))?;
            Ok(Some((asset, key)))
        }
        _ => Err(Failure::field("pay_with", "a purchase of stocks is paid in their money or in one that is converted")),
    }
}

/// How much must be given so that `needed` is received, as far as is known here; none without prices.
fn given(prices: (Amount, Amount), params: &ConvertParams, needed: Amount) -> Option<Amount> {
    let (from, to) = prices;
    let kept = PPM - i128::from(params.spread_ppm);
    let value = Exact::from(needed).times(Exact::from(to)).times(Exact::new(PPM + MORE_PPM, 0));
    value.div_sig20_half_up(Exact::from(from).times(Exact::new(kept, 0))).map(Exact::round8)
}

fn price(call: &Call, params: &ConvertParams, asset: AssetId) -> Option<Amount> {
    let Some(price) = params.asset(asset)?.price else { return Some(Amount::whole(1)) };
    let board = call.app.shared.boards.get(xng_core::ids::MarketId(price.0))?;
    read(&board).index.map(|(index, _)| index)
}

/// Converts what an order locks.
pub(in crate::api::app) async fn convert(
    call: &Call,
    account: AccountId,
    (from, to): (AssetId, AssetId),
    key: RequestKey,
    needed: Amount,
) -> Result<(), Failure> {
    let catalog = call.app.shared.listed();
    let params = catalog.convert.as_ref().ok_or(Code::UnderDevelopment)?;
    let prices = price(call, params, from).zip(price(call, params, to)).ok_or(Code::MarketClosed)?;
    let amount = given(prices, params, needed).ok_or(Code::MarketClosed)?;
    let key = Some(RequestKey { key: key_digest(&format!("pays for {:032x}", key.key)), ..key });
    let conversion = ConvertCommand::Convert(Conversion { from, to, amount, quote: None });
    let command = Command::Account(account, AccountCommand::Convert(conversion));
    match call.app.client.call(xng_core::record::Origin::User, key, command).await? {
        Reply::Accepted(Accepted::Done) | Reply::Known(Accepted::Done) => Ok(()),
        Reply::Rejected(reject) => Err(crate::api::app::convert::refusal(call, reject)),
        other @ (Reply::Accepted(_) | Reply::Known(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            tracing::warn!(?other, "a conversion that pays for an order");
            Err(Code::Busy.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_covers_what_is_needed_and_two_parts_of_a_thousand() {
        let params = ConvertParams {
            version: 1,
            spread_ppm: 1_000,
            fee_ppm: 0,
            guard_ppm: 0,
            value: (Amount::whole(1), Amount::whole(2)),
            stale_after_ms: 1,
            quote_ms: 1,
            dust_limit: Amount::whole(1),
            dust_fee_ppm: 0,
            dust_into: AssetId(3),
            assets: Vec::new(),
        };
        // 38,158.12 HKD at 0.1282 USDT: 4,891.870984 USDT, and 0.2 % more, over 0.999.
        let prices = (Amount::whole(1), "0.1282".parse().unwrap());
        let amount = given(prices, &params, "38158.12".parse().unwrap()).unwrap();
        assert_eq!(amount.to_string(), "4906.56128726");
    }
}
