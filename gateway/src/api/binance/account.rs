//! `GET account`, `account/commission`, `rateLimit/order`.
//!
//! Owns: an account and its fees in the convention's form. Never does: look at another account. Invariants: balances are
//! those of the spot wallet. Known limits: no discounts and no taxes, because there are none.

use super::exchange_info::{ORDER_INTERVALS, rate_limit};
use super::orders::{market, rows::eight};
use super::request::{ApiResult, Request};
use crate::market::catalog::MarketInfo;
use crate::orders::lookup::{seen, view};
use serde_json::{Value, json};
use xng_core::account::facts::AccountStatus;
use xng_core::ids::{AssetId, Wallet};
use xng_core::money::{Amount, FeePpm};

/// Fees of a market's orders in the convention's form.
#[derive(Debug, Clone)]
pub struct Commission {
    /// What every order pays as maker and as taker.
    pub standard: [String; 2],
    /// The discount that there is not.
    pub discount: Value,
}

/// A rate as share: 0.001 for 1,000 parts of a million.
pub(super) fn rate(fee: FeePpm) -> String {
    eight(Amount(i128::from(fee.0) * 100))
}

fn four(maker: &str, taker: &str) -> Value {
    let zero = eight(Amount::ZERO);
    json!({ "maker": maker, "taker": taker, "buyer": zero, "seller": zero })
}

/// The fees of a VIP level on a market.
#[must_use]
pub fn commission(info: &MarketInfo, level: u8) -> Commission {
    let (fees, zero) = (info.params.fees_of(level), eight(Amount::ZERO));
    let discount = json!({
        "enabledForAccount": false, "enabledForSymbol": false, "discountAsset": info.quote, "discount": zero,
    });
    Commission { standard: [rate(fees.maker), rate(fees.taker)], discount }
}

/// `GET account/commission`.
pub async fn commissions(request: Request) -> ApiResult {
    let info = market(&request)?;
    let account = view(&request.app, request.account()?).await?;
    let Commission { standard: [maker, taker], discount } = commission(&info, account.level);
    let (standard, none) = (four(&maker, &taker), four(&eight(Amount::ZERO), &eight(Amount::ZERO)));
    Ok(json!({
        "symbol": info.params.symbol, "standardCommission": standard, "specialCommission": none, "taxCommission": none,
        "discount": discount,
    })
    .into())
}

/// `GET account`.
pub async fn account(request: Request) -> ApiResult {
    let seen = seen(&request.app, request.account()?).await?;
    let view = &seen.account;
    let catalog = request.app.shared.listed();
    let only_held = request.args.flag("omitZeroBalances") == Some(true);
    let balance = |asset: &AssetId| {
        let held = view.balances.iter().find(|b| b.wallet == Wallet::Spot && b.asset == *asset);
        held.map_or((Amount::ZERO, Amount::ZERO), |b| (b.available, b.locked))
    };
    let assets = catalog.assets.values().filter(|asset| asset.wallets.contains(&Wallet::Spot));
    let balances = assets.map(|asset| (&asset.name, balance(&asset.id)));
    let balances = balances.filter(|(_, (free, locked))| !(only_held && free.is_zero() && locked.is_zero()));
    let row = |(name, (free, locked)): (&String, (Amount, Amount))| json!({ "asset": name, "free": eight(free), "locked": eight(locked) });
    let balances: Vec<Value> = balances.map(row).collect();
    // All markets have one table of fees.
    let fees = catalog.markets.values().next().map(|info| info.params.fees_of(view.level));
    let (maker, taker) = fees.map_or((FeePpm(0), FeePpm(0)), |fees| (fees.maker, fees.taker));
    let may = view.status == AccountStatus::Active;
    let trades = may && request.key.as_ref().is_some_and(|key| key.scopes.trade);
    Ok(json!({
        "makerCommission": maker.0 / 100, "takerCommission": taker.0 / 100, "buyerCommission": 0, "sellerCommission": 0,
        "commissionRates": four(&rate(maker), &rate(taker)), "canTrade": trades, "canWithdraw": may, "canDeposit": may,
        "brokered": false, "requireSelfTradePrevention": true, "preventSor": false,
        "updateTime": request.unit.ns(seen.last_change()), "accountType": "SPOT", "balances": balances,
        "permissions": ["SPOT"], "uid": view.account.0,
    })
    .into())
}

/// `GET rateLimit/order`.
pub async fn order_limits(request: Request) -> ApiResult {
    let limits = &request.app.shared.api_limits;
    let (used, settings) = (limits.order_counts(request.account()?), limits.settings);
    Ok(json!([
        rate_limit("ORDERS", ORDER_INTERVALS[0], settings.orders_per_10_seconds, Some(used.seconds)),
        rate_limit("ORDERS", ORDER_INTERVALS[1], settings.orders_per_day, Some(used.day)),
    ])
    .into())
}
