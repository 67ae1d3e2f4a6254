//! Calls of seconds options (`docs/rules/app-calls.md "Seconds options"`): what is offered, opening one, lists, proofs.
//!
//! Owns: texts to commands, and what a refusal is told as. Never does: name a price; decide. Invariants: what was accepted once is
//! told again. Known limits: none.

pub(crate) mod rows;
mod table;

use crate::api::app::call::{Call, CallResult};
use crate::api::app::fair::{READING_WEIGHS, Telling, reading};
use crate::api::app::lever::rows::percent;
use crate::api::app::market::weight;
use crate::api::http::envelope::{Answer, page};
use crate::api::http::errors::{Code, Failure};
use crate::common::time::now_ns;
use crate::fair;
use crate::fair::proof::MOST_TICKS;
use crate::market::catalog::Catalog;
use crate::orders::lookup::{DEEP, answered, written};
use crate::orders::options::{Open, Wanted, find, merged_options};
use serde_json::{Value, json};
use std::collections::BTreeMap;
pub(super) use table::CALLS;
use xng_core::account::{AccountCommand, CouponCommand, EnterOption, SecondsCommand};
use xng_core::coupon::{CouponId, CouponKind};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId, MarketId, PriceId, Wallet};
use xng_core::money::Amount;
use xng_core::record::Origin;
use xng_core::region::Product;
use xng_core::reject::Reject;
use xng_core::seconds::OptionId;
use xng_core::seconds::desk::DeskOffer;
use xng_core::seconds::params::DeskParams;
use xng_core::seconds::rules::OptionSide;
use xng_persistence::store::StoredOption;
use xng_persistence::ticks::TickArchive;

/// Desks of a pair, by duration.
fn desks(catalog: &Catalog, pair: MarketId) -> Vec<&DeskParams> {
    let mut desks: Vec<&DeskParams> = catalog.desks.values().filter(|desk| desk.pair() == pair).collect();
    desks.sort_unstable_by_key(|desk| desk.seconds);
    desks
}

fn pair(call: &Call, catalog: &Catalog) -> Result<MarketId, Failure> {
    let pair = MarketId(call.params.need_integer("match_id")?);
    if !catalog.markets.contains_key(&pair) {
        return Err(Failure::text(Code::NotFound, "unknown_pair"));
    }
    Ok(pair)
}

/// `GET /microtrade/payable_currencies`: what stakes may be in, and what is there of it.
pub async fn payable(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let view = call.view(account).await?;
    let catalog = call.app.shared.listed();
    let mut assets: BTreeMap<AssetId, Vec<&DeskParams>> = BTreeMap::new();
    catalog.desks.values().for_each(|desk| assets.entry(desk.asset).or_default().push(desk));
    let amounts: Vec<Value> = catalog.option_amounts.iter().map(|n| json!({ "number": n })).collect();
    let row = |(asset, desks): (AssetId, Vec<&DeskParams>)| {
        let held = view.balances.iter().find(|b| (b.wallet, b.asset) == (Wallet::Options, asset));
        let (available, locked) = held.map_or_else(Default::default, |b| (b.available, b.locked));
        let name = catalog.asset_name(asset);
        let (min, max) = (desks.iter().map(|d| d.stake.0).min(), desks.iter().map(|d| d.stake.1).max());
        let (fee, most) = (desks.iter().map(|d| d.fee_ppm).max(), desks.iter().map(|d| d.most_open).min());
        json!({
            "id": asset.0, "logo": format!("/h5/coins/{}.svg", name.to_ascii_lowercase()), "name": name,
            "micro_min": min.unwrap_or_default().to_string(), "micro_max": max.unwrap_or_default().to_string(),
            "micro_trade_fee": percent(fee.unwrap_or_default()), "micro_holdtrade_max": most.unwrap_or_default(),
            "micro_numbers": amounts.clone(),
            "user_wallet": { "id": asset.0, "micro_balance": available.to_string(),
                "lock_micro_balance": locked.to_string(), "micro_with_insurance": available.to_string() },
        })
    };
    Ok(Answer::ok(assets.into_iter().map(row).collect()))
}

/// `GET /microtrade/seconds`: durations of a pair with what is open now; without a pair those of all.
pub async fn durations(call: Call) -> CallResult {
    let catalog = call.app.shared.listed();
    let first = catalog.desks.values().next().map(DeskParams::pair);
    let pair = if call.params.get("match_id").is_some() { Some(pair(&call, &catalog)?) } else { first };
    let desks = pair.map_or_else(Vec::new, |pair| desks(&catalog, pair));
    let mut rows = Vec::with_capacity(desks.len());
    for desk in desks {
        let Some(offer) = call.app.shared.desks.offer(desk.desk, now_ns()) else { continue };
        let DeskOffer { params, open, rise_open, fall_open, .. } = offer;
        rows.push(json!({
            "id": params.desk.0, "match_id": params.pair().0, "seconds": params.seconds,
            "profit_ratio": percent(params.ratio_ppm), "fee": percent(params.fee_ppm),
            "min_amount": params.stake.0.to_string(), "max_amount": params.stake.1.to_string(),
            "status": u8::from(open), "rise_open": rise_open, "fall_open": fall_open, "version": params.version,
        }));
    }
    Ok(Answer::ok(rows.into()))
}

fn side(call: &Call) -> Result<OptionSide, Failure> {
    match call.params.need_integer::<u8>("type")? {
        1 => Ok(OptionSide::Rise),
        2 => Ok(OptionSide::Fall),
        _ => Err(Failure::field("type", "1 or 2")),
    }
}

/// The desk that a request names: pair, stake asset, duration.
fn desk<'c>(call: &Call, catalog: &'c Catalog) -> Result<&'c DeskParams, Failure> {
    let pair = pair(call, catalog)?;
    let asset = AssetId(call.params.need_integer("currency_id")?);
    let seconds: u32 = call.params.need_integer("seconds")?;
    let desks = desks(catalog, pair);
    if desks.is_empty() {
        return Err(Failure::text(Code::UnderDevelopment, "option_not_open"));
    }
    let desk = desks.into_iter().find(|desk| (desk.asset, desk.seconds) == (asset, seconds));
    desk.ok_or_else(|| Failure::text(Code::Parameter, "option_expiry"))
}

/// A refusal with the limit in its text.
fn refusal(desk: &DeskParams, reject: Reject) -> Failure {
    let limit = |key, value: Amount| Failure::text(Code::Limit, key).with("limit", value);
    let told = [
        (Reject::BelowMinAmount, limit("option_min", desk.stake.0)),
        (Reject::AboveMaxAmount, limit("option_max", desk.stake.1)),
        (Reject::TooManyOptions, Failure::text(Code::Limit, "option_too_many").with("limit", desk.most_open)),
        (Reject::PriceStale, Failure::text(Code::MarketClosed, "option_no_price")),
    ];
    let found = told.into_iter().find(|(of, _)| *of == reject);
    found.map_or_else(|| reject.into(), |(_, failure)| failure)
}

async fn opened(call: &Call, account: AccountId, option: OptionId) -> CallResult {
    let view = call.view(account).await?;
    let row = find(&call.app, &view, option).await?;
    Ok(Answer::ok(rows::option(&row, &call.app.shared.listed())))
}

/// Pays a coupon's stake to the house, unless that was done before: an option can be opened by it then, until it expires. What can
/// be seen to be refused afterwards is refused before, since what was paid stays with the house.
async fn stake_coupon(call: &Call, account: AccountId, wanted: &EnterOption, desk: &DeskParams) -> Result<(), Failure> {
    let view = call.view(account).await?;
    let Some(coupon) = view.coupons.iter().find(|unused| Some(unused.coupon) == wanted.coupon) else { return Ok(()) };
    if coupon.kind != CouponKind::MicroBonus || (coupon.asset, coupon.value) != (desk.asset, wanted.stake) {
        return Err(Failure::field("coupon", "is of another kind, asset or value"));
    }
    let offer = call.app.shared.desks.offer(desk.desk, now_ns()).ok_or(Reject::UnknownDesk)?;
    let takes = if wanted.side == OptionSide::Rise { offer.rise_open } else { offer.fall_open };
    let open = view.options.iter().filter(|option| option.asset == desk.asset).count();
    let is_barred = call.app.shared.listed().barred(view.country).has(Product::Options);
    let refusals = [
        (is_barred, Reject::NotInRegion),
        (!offer.open, Reject::OptionClosed),
        (!takes, Reject::SideFull),
        (wanted.version.is_some_and(|version| version != offer.params.version), Reject::StaleTerms),
        (wanted.stake < desk.stake.0, Reject::BelowMinAmount),
        (wanted.stake > desk.stake.1, Reject::AboveMaxAmount),
        (open >= usize::from(desk.most_open), Reject::TooManyOptions),
    ];
    if let Some((_, reject)) = refusals.into_iter().find(|(refused, _)| *refused) {
        return Err(refusal(desk, reject));
    }
    let command = Command::Account(account, AccountCommand::Coupon(CouponCommand::Use(coupon.coupon)));
    match call.app.client.call(Origin::User, None, command).await? {
        Reply::Accepted(Accepted::Done) => Ok(()),
        // A twin pays it, or has: what becomes of the option is told by the account.
        Reply::Rejected(Reject::UnknownCoupon | Reject::RequestInFlight) => Ok(()),
        Reply::Rejected(reject) => Err(reject.into()),
        other @ (Reply::Accepted(_) | Reply::Known(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("a coupon is used or not, not {other:?}")
        }
    }
}

/// `POST /microtrade/submit`: for money, or by a coupon of just this stake.
pub async fn submit(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let catalog = call.app.shared.listed();
    let desk = desk(&call, &catalog)?;
    let (side, stake) = (side(&call)?, call.params.need_positive("number")?);
    let (version, coupon) = (call.params.integer("version")?, call.params.integer("coupon")?.map(CouponId));
    let wanted = EnterOption { desk: desk.desk, side, stake, coupon, version };
    let key = call.request_key()?;
    if wanted.coupon.is_some() {
        stake_coupon(&call, account, &wanted, desk).await?;
    }
    let command = Command::Account(account, AccountCommand::Seconds(SecondsCommand::Enter(wanted)));
    match call.call_exclusively(account, key, command).await? {
        Reply::Accepted(Accepted::Option(option)) | Reply::Known(Accepted::Option(option)) => {
            opened(&call, account, option).await
        }
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => Err(refusal(desk, reject)),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("an option is opened or not, not {other:?}")
        }
    }
}

/// `GET /microtrade/lists`: newest first.
pub async fn lists(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let (open, ended) = match call.params.integer("status")?.unwrap_or(-1_i8) {
        -1 => (Open::All, true),
        1 => (Open::All, false),
        2 => (Open::Over(now_ns()), false),
        3 => (Open::None, true),
        _ => return Err(Failure::field("status", "-1, 1, 2 or 3")),
    };
    let pair = call.params.integer("match_id")?.filter(|id| *id > 0).map(MarketId);
    let (number, limit) = call.params.paging(5)?;
    call.weighs(weight((number * limit).min(DEEP) as usize)).await?;
    let view = call.view(account).await?;
    let (options, total) = merged_options(&call.app, &view, &Wanted { pair, open, ended }, (number, limit)).await?;
    let catalog = call.app.shared.listed();
    let rows = options.iter().map(|row| rows::option(row, &catalog)).collect();
    Ok(Answer::ok(page(rows, number, limit, total)))
}

/// `GET /microtrade/get_result`.
pub async fn result(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let option = OptionId(call.params.need_integer("id")?);
    opened(&call, account, option).await
}

pub(super) const PROOF: Telling = Telling {
    later: "option_proof_later",
    too_many: || Failure::text(Code::NotFound, "option_proof_long").with("limit", MOST_TICKS),
};

/// `GET /microtrade/proof`: what shows to anybody how an option ended.
pub async fn proof(call: Call) -> CallResult {
    let option = OptionId(call.params.need_integer("id")?);
    call.weighs(READING_WEIGHS).await?;
    written(&call.app).await?;
    let stored = answered(call.app.shared.store.find::<StoredOption>(option).await)?;
    let row = stored.ok_or_else(|| Failure::from(Code::NotFound))?;
    let end = row.end.ok_or_else(|| Failure::text(Code::State, "option_open"))?;
    let pair = option.desk().pair();
    let symbol = call.app.shared.listed().symbol(pair).map_or_else(|| pair.to_string(), str::to_owned);
    let proof = move |archive: &TickArchive| fair::proof::of(archive, (&row, &end), (PriceId(pair.0), &symbol));
    Ok(Answer::ok(reading(&call, PROOF, proof).await?))
}
