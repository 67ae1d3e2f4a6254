//! Calls of conversion (`docs/rules/app-calls.md "Conversion"`): quotes, conversions, dust.
//!
//! Owns: the signature of quotes; what a refusal is told as. Never does: name a price; store a quote; decide. Invariants: a quote
//! that this process did not sign for this account and these assets is as one that is over. Known limits: quotes end with the
//! process; the history follows the journal and waits for the store.

mod table;

use crate::api::app::call::{Call, CallResult};
use crate::api::app::lever::rows::percent;
use crate::api::app::market::weight;
use crate::api::auth::secrets::hex;
use crate::api::auth::signatures::from_hex;
use crate::api::http::envelope::{Answer, page};
use crate::api::http::errors::{Code, Failure};
use crate::common::time::{ms, ts};
use crate::market::catalog::Catalog;
use crate::orders::lookup::{DEEP, answered, written};
use ring::hmac;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
pub(super) use table::CALLS;
use xng_core::account::{AccountCommand, Conversion, ConvertCommand};
use xng_core::convert::{ConversionView, Dust, Quote, Quoted};
use xng_core::entity::{Accepted, Command, Reply, View};
use xng_core::ids::{AccountId, AssetId, RequestKey, Wallet};
use xng_core::money::{Amount, Exact};
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_persistence::store::{ConversionFilter, Slice, StoredConversion};

/// Counts, and signs quotes, so that nobody makes one: who could name any two ticks of the last seconds would choose the best.
#[derive(Debug)]
pub struct Conversions {
    secret: hmac::Key,
    /// Requests that converted something.
    pub done: AtomicU64,
    /// Requests that were refused.
    pub refused: AtomicU64,
}

/// Whose quote it is, of which assets.
type Subject = (AccountId, AssetId, AssetId);

/// What is signed: whose quote, of which assets, and its numbers as the id has them.
fn payload((account, from, to): Subject, numbers: &str) -> String {
    format!("{account} {from} {to} {numbers}")
}

impl Conversions {
    /// With a new secret: quotes of another process are not its own.
    #[must_use]
    pub fn drawn() -> Conversions {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).expect("the operating system's random generator works");
        let (done, refused) = (AtomicU64::new(0), AtomicU64::new(0));
        Conversions { secret: hmac::Key::new(hmac::HMAC_SHA256, &secret), done, refused }
    }

    /// `from_seq-to_seq-issued-version-mac`.
    fn id(&self, subject: Subject, quote: &Quote) -> String {
        let numbers = format!("{}-{}-{}-{}", quote.from_seq, quote.to_seq, quote.issued, quote.version);
        let mac = hmac::sign(&self.secret, payload(subject, &numbers).as_bytes());
        format!("{numbers}-{}", hex(mac.as_ref()))
    }

    /// What an id names; nothing of one that was not signed for this account and these assets.
    fn read(&self, subject: Subject, id: &str) -> Option<Quote> {
        let (numbers, mac) = id.rsplit_once('-')?;
        hmac::verify(&self.secret, payload(subject, numbers).as_bytes(), &from_hex(mac)?).ok()?;
        let mut numbers = numbers.split('-');
        let mut number = || numbers.next()?.parse::<u64>().ok();
        let (from_seq, to_seq, issued) = (number()?, number()?, number()?);
        Some(Quote { from_seq, to_seq, issued, version: u32::try_from(number()?).ok()? })
    }
}

fn assets(call: &Call) -> Result<(AssetId, AssetId), Failure> {
    let id = |name| call.params.need_integer(name).map(AssetId);
    Ok((id("from_currency_id")?, id("to_currency_id")?))
}

/// Asks the account for a view.
async fn view(call: &Call, account: AccountId, command: ConvertCommand) -> Result<ConversionView, Failure> {
    let command = Command::Account(account, AccountCommand::Convert(command));
    match call.app.client.call(Origin::User, None, command).await? {
        Reply::View(View::Conversion(view)) => Ok(*view),
        Reply::Rejected(reject) => Err(refusal(call, reject)),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy) => {
            unreachable!("a conversion is shown or refused, not {other:?}")
        }
    }
}

/// Hands over what moves money.
async fn change(call: &Call, account: AccountId, key: Option<RequestKey>, command: ConvertCommand) -> CallResult {
    let command = Command::Account(account, AccountCommand::Convert(command));
    match call.call_exclusively(account, key, command).await? {
        Reply::Accepted(Accepted::Done) => {
            call.app.shared.conversions.done.fetch_add(1, Ordering::Relaxed);
            Ok(call.said("converted").and(json!({ "repeated": false })))
        }
        Reply::Known(Accepted::Done) => Ok(call.said("converted").and(json!({ "repeated": true }))),
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => {
            call.app.shared.conversions.refused.fetch_add(1, Ordering::Relaxed);
            Err(refusal(call, reject))
        }
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("assets are converted or not, not {other:?}")
        }
    }
}

/// A refusal with the limit in its text.
pub(super) fn refusal(call: &Call, reject: Reject) -> Failure {
    let catalog = call.app.shared.listed();
    let Some(params) = &catalog.convert else { return reject.into() };
    let limit = |key, value: Amount| Failure::text(Code::Limit, key).with("limit", value);
    let told = [
        (Reject::BelowMinConversion, limit("convert_min", params.value.0)),
        (Reject::AboveMaxConversion, limit("convert_max", params.value.1)),
        (Reject::NotDust, limit("not_dust", params.dust_limit)),
        (Reject::PriceStale, Failure::from(Code::MarketClosed)),
    ];
    let found = told.into_iter().find(|(of, _)| *of == reject);
    found.map_or_else(|| reject.into(), |(_, failure)| failure)
}

/// `POST /user/getTransferList`: what may be converted, and what is there of it.
pub async fn list(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let view = call.view(account).await?;
    let catalog = call.app.shared.listed();
    let Some(params) = &catalog.convert else { return Err(Code::UnderDevelopment.into()) };
    let listed = || params.assets.iter().filter_map(|asset| catalog.assets.get(&asset.asset));
    let available = |asset| {
        let held = view.balances.iter().find(|b| (b.wallet, b.asset) == (Wallet::Spot, asset));
        held.map_or(Amount::ZERO, |b| b.available)
    };
    let transfer = listed().map(|asset| {
        json!({ "id": asset.id.0, "name": asset.name, "logo": format!("/h5/coins/{}.svg", asset.name.to_ascii_lowercase()) })
    });
    let wallet =
        listed().map(|asset| json!({ "currency": asset.id.0, "change_balance": available(asset.id).to_string() }));
    Ok(Answer::ok(json!({
        "transfer": transfer.collect::<Vec<Value>>(), "wallet": wallet.collect::<Vec<Value>>(),
        "min": params.value.0.to_string(), "max": params.value.1.to_string(),
    })))
}

/// What is received for one, as text.
fn rate((from, to): (Amount, Amount), off_ppm: u32) -> String {
    let kept = Exact::from(from).times(Exact::new(i128::from(1_000_000 - off_ppm), 6));
    kept.div_sig20_half_up(Exact::from(to)).map_or_else(String::new, |rate| rate.to_string())
}

/// `POST /user/getTransferFee`: a quote.
pub async fn quote(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let (from, to) = assets(&call)?;
    let number = call.params.amount("number")?;
    if number.is_some_and(|number| !number.is_positive()) {
        return Err(Failure::field("number", "not positive"));
    }
    let ConversionView::Quoted(quoted) = view(&call, account, ConvertCommand::Quote { from, to }).await? else {
        unreachable!("a quote was asked for")
    };
    let Quoted { quote, from_price, to_price, spread_ppm, fee_ppm, expires } = quoted;
    let mut answer = json!({
        "form_price": from_price.to_string(), "to_price": to_price.to_string(),
        "rate": rate((from_price, to_price), spread_ppm), "spread": percent(spread_ppm), "fee": percent(fee_ppm),
        "quote_id": call.app.shared.conversions.id((account, from, to), &quote), "expire_at": ms(expires),
    });
    if let Some(number) = number {
        let (to_amount, fee) = quoted.amounts(number);
        answer["to_amount"] = to_amount.to_string().into();
        answer["fee_amount"] = fee.to_string().into();
    }
    Ok(Answer::ok(answer))
}

/// `POST /user/Transfer`: at a quote, or at the present prices. The key of a request that uses a quote is the quote's.
pub async fn convert(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let (from, to) = assets(&call)?;
    let amount = call.params.need_positive("number")?;
    let (quote, key) = match call.params.get("quote_id") {
        None | Some("") => (None, call.request_key()?),
        Some(id) => {
            let quote = call.app.shared.conversions.read((account, from, to), id).ok_or(Code::PriceChanged)?;
            (Some(quote), Some(quote.request_key((from, to), amount)))
        }
    };
    change(&call, account, key, ConvertCommand::Convert(Conversion { from, to, amount, quote })).await
}

/// `GET /user/Transfer/list`: newest first.
pub async fn history(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let (number, limit) = call.params.paging(10)?;
    let reach = number * limit;
    if reach > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    call.weighs(weight(reach as usize)).await?;
    written(&call.app).await?;
    let (store, filter) = (&call.app.shared.store, ConversionFilter { account });
    let slice = if number == 1 { Slice::Newest } else { Slice::Skip((number - 1) * limit) };
    let rows = answered(store.page(&filter, slice, limit as u32).await)?;
    let total = answered(store.count(&filter).await)?;
    let catalog = call.app.shared.listed();
    Ok(Answer::ok(page(rows.iter().map(|row| converted(&catalog, row)).collect(), number, limit, total)))
}

fn converted(catalog: &Catalog, row: &StoredConversion) -> Value {
    let at = ms(row.time);
    json!({
        // A record converts fewer than a thousand balances.
        "id": row.lsn.0 * 1_000 + u64::from(row.part), "type": if row.dust { "dust" } else { "convert" },
        "from_currency_id": row.from.asset.0, "from_currency_name": catalog.asset_name(row.from.asset),
        "to_currency_id": row.to.asset.0, "to_currency_name": catalog.asset_name(row.to.asset),
        "number": row.amount.to_string(), "fee": row.fee.to_string(), "to_number": row.to_amount.to_string(),
        "form_price": row.from.price.to_string(), "to_price": row.to.price.to_string(),
        "rate": rate((row.from.price, row.to.price), row.off_ppm), "form_seq": row.from.seq, "to_seq": row.to.seq,
        "created_time": ts(at), "created_time_ms": at,
    })
}

/// `GET /convert/dust`: what of the balances is dust.
pub async fn dust(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let ConversionView::Dust(dust) = view(&call, account, ConvertCommand::ListDust).await? else {
        unreachable!("dust was asked for")
    };
    let catalog = call.app.shared.listed();
    let total: Amount = dust.rows.iter().map(|row| row.to_amount).sum();
    let row = |d: &Dust| {
        json!({ "currency_id": d.side.asset.0, "currency_name": catalog.asset_name(d.side.asset),
            "number": d.amount.to_string(), "price": d.side.price.to_string(), "to_number": d.to_amount.to_string() })
    };
    Ok(Answer::ok(json!({
        "to_currency_id": dust.into.0, "to_currency_name": catalog.asset_name(dust.into), "version": dust.version,
        "fee": percent(dust.fee_ppm),
        "limit": dust.limit.to_string(), "next_at": (dust.next > 0).then(|| ms(dust.next)), "total": total.to_string(),
        "rows": dust.rows.iter().map(row).collect::<Vec<Value>>(),
    })))
}

/// `POST /convert/dust`.
pub async fn convert_dust(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let ids = call.params.need("currency_ids")?.split(',').map(|id| id.trim().parse().map(AssetId));
    let assets: Vec<AssetId> =
        ids.collect::<Result<_, _>>().map_err(|_| Failure::field("currency_ids", "ids, comma-separated"))?;
    let version = call.params.integer("version")?;
    let key = call.request_key()?;
    change(&call, account, key, ConvertCommand::Dust { assets, version }).await
}
