//! Wallet calls (`docs/rules/app-calls.md "Wallets"`). Balances come from the account actor, never from the store.
//!
//! Owns: the forms of balances, and transfers. Never does: value anything at a price nobody published. Invariants:
//! the account is the session's; a repeated request moves nothing again. Known limits: deposits and withdrawals are
//! not there yet.

use super::call::{Call, CallResult};
use super::wallet_names::{app_name, parse_app_name, parts};
use super::{ledger, rows};
use crate::api::auth::Session;
use crate::api::http::envelope::{Answer, page};
use crate::api::http::errors::{Code, Failure};
use crate::market::catalog::{Asset, Catalog};
use crate::orders::worth::Worth;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use xng_core::account::{AccountCommand, AccountView, Balance};
use xng_core::board::Board;
use xng_core::entity::{Command, Reply};
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::money::{Amount, Exact};
use xng_core::record::LogType;
use xng_core::reject::Reject;
use xng_persistence::store::LedgerFilter;

impl Call {
    /// The account as its actor sees it, everything acknowledged included; with its `latest` done orders and fills or
    /// without.
    pub async fn view(&self, account: AccountId) -> Result<Box<AccountView>, Failure> {
        crate::orders::lookup::view(&self.app, account).await
    }
}

/// Everything that wallet rows need at one moment.
struct Wallets {
    call: Call,
    catalog: Arc<Catalog>,
    board: Arc<Board>,
    view: Box<AccountView>,
    cny: Amount,
}

impl Wallets {
    async fn open(call: Call) -> Result<Wallets, Failure> {
        let session = call.session().await?;
        Wallets::of(call, session).await
    }

    /// As [`Wallets::open`], of a call whose session was looked up.
    async fn of(call: Call, session: Session) -> Result<Wallets, Failure> {
        let view = call.view(session.account).await?;
        let (catalog, board) = (call.app.shared.listed(), call.app.shared.contracts.now());
        let cny = call.app.shared.content.rate("CNY");
        Ok(Wallets { call, catalog, board, view, cny })
    }

    /// What is in an account; results that are not settled yet are a part of futures.
    fn balance(&self, wallet: Wallet, asset: AssetId) -> Balance {
        rows::balance(&self.view.balances, wallet, asset)
    }

    fn worth(&self) -> Worth<'_> {
        Worth::new(&self.board, &self.view.balances, &self.view.tickets).beside(self.view.legs.as_deref())
    }

    /// Results of all open tickets and legs, in USDT.
    fn unrealized(&self) -> Amount {
        let worth = self.worth();
        let of = |settle| self.usdt(settle, worth.unrealised(settle));
        worth.settles().into_iter().map(of).sum()
    }

    /// What positions make of the futures account.
    fn tell_positions(&self, message: &mut Map<String, Value>) {
        let b = |a: &Asset| self.balance(Wallet::Futures, a.id);
        let held: Amount = self.catalog.assets.values().map(|a| self.usdt(a.id, b(a).available + b(a).locked)).sum();
        let unrealized = self.unrealized();
        message.insert("equity".into(), (held + unrealized).to_string().into());
        message.insert("unrealized".into(), unrealized.to_string().into());
        message.insert("risk_rate".into(), self.worth().lowest_risk().into());
    }

    fn usdt(&self, asset: AssetId, amount: Amount) -> Amount {
        self.call.app.shared.usdt_value(&self.catalog, asset, amount)
    }

    fn cny(&self, usdt: Amount) -> String {
        Exact::from(usdt).times(Exact::from(self.cny)).round8().to_string()
    }

    fn row(&self, wallet: Wallet, asset: &Asset) -> Value {
        let b = self.balance(wallet, asset.id);
        let price = self.call.app.shared.usdt_price(&self.catalog, asset.id);
        let total = self.usdt(asset.id, b.available + b.locked);
        let mut row = Map::new();
        row.insert(format!("{}_balance", app_name(wallet)), b.available.to_string().into());
        row.insert(format!("lock_{}_balance", app_name(wallet)), b.locked.to_string().into());
        let common = json!({
            "id": asset.id.0, "currency": asset.id.0, "currency_name": asset.name, "title": asset.title,
            "logo": format!("/h5/coins/{}.svg", asset.name.to_ascii_lowercase()), "precision": asset.precision,
            "usdt_price": price.to_string(), "cny_price": self.cny(price), "usdt_value": total.to_string(),
            "is_charge": false,
        });
        if let Value::Object(common) = common {
            row.extend(common);
        }
        Value::Object(row)
    }

    /// One wallet: rows of all assets that it takes or holds, and totals in USDT and CNY.
    fn wallet(&self, wallet: Wallet) -> Value {
        let hide_zero = self.call.params.get("show0") == Some("no");
        let holds = |a: &Asset| {
            let b = self.balance(wallet, a.id);
            !(b.available.is_zero() && b.locked.is_zero())
        };
        let assets = self.catalog.assets.values();
        let shown: Vec<&Asset> = assets.filter(|a| holds(a) || (!hide_zero && a.wallets.contains(&wallet))).collect();
        let sum = |part: fn(&Balance) -> Amount| -> Amount {
            shown.iter().map(|a| self.usdt(a.id, part(&self.balance(wallet, a.id)))).sum()
        };
        let (available, locked) = (sum(|b| b.available), sum(|b| b.locked));
        json!({
            "balance": shown.iter().map(|a| self.row(wallet, a)).collect::<Vec<Value>>(),
            "totle": available.to_string(), "usdt_totle": available.to_string(), "CNY": self.cny(available),
            "total_with_locked": (available + locked).to_string(),
        })
    }
}

/// `GET /walletList`: all five wallets.
pub async fn all(call: Call) -> CallResult {
    let wallets = Wallets::open(call).await?;
    let mut message = Map::new();
    for wallet in Wallet::ACCOUNTS {
        message.insert(format!("{}_wallet", app_name(wallet)), wallets.wallet(wallet));
    }
    wallets.tell_positions(&mut message);
    message.insert("ExRate".into(), wallets.cny.to_string().into());
    message.insert("is_open_CTbi".into(), "1".into());
    message.insert("seq".into(), wallets.view.seq.into());
    Ok(Answer::ok(Value::Object(message)))
}

async fn one(call: Call, wallet: Wallet) -> Result<(Wallets, Map<String, Value>), Failure> {
    let wallets = Wallets::open(call).await?;
    let mut message = Map::new();
    message.insert(format!("{}_wallet", app_name(wallet)), wallets.wallet(wallet));
    message.insert("seq".into(), wallets.view.seq.into());
    Ok((wallets, message))
}

/// `POST /wallet/legalWalletList`.
pub async fn legal(call: Call) -> CallResult {
    one(call, Wallet::Funding).await.map(|(_, m)| Answer::ok(m.into()))
}

/// `POST /wallet/spotWalletList`.
pub async fn spot(call: Call) -> CallResult {
    let (_, mut message) = one(call, Wallet::Spot).await?;
    let total = message["change_wallet"]["total_with_locked"].clone();
    message.insert("total".into(), total);
    Ok(Answer::ok(message.into()))
}

/// `POST /wallet/optionWalletList`.
pub async fn option(call: Call) -> CallResult {
    one(call, Wallet::Options).await.map(|(_, m)| Answer::ok(m.into()))
}

/// `POST /wallet/contractsWalletList`: without positions, equity is the balance.
pub async fn contracts(call: Call) -> CallResult {
    let (wallets, mut message) = one(call, Wallet::Futures).await?;
    wallets.tell_positions(&mut message);
    let worth = wallets.worth();
    let held = wallets.view.balances.iter().filter(|b| b.wallet == Wallet::Futures);
    let may_leave = held.map(|b| {
        let amount = worth.transferable(b.asset).to_string();
        (wallets.catalog.asset_name(b.asset), Value::from(amount))
    });
    message.insert("transferable".into(), may_leave.collect::<Map<String, Value>>().into());
    Ok(Answer::ok(message.into()))
}

/// `POST /wallet/earnWalletList`.
pub async fn earn(call: Call) -> CallResult {
    one(call, Wallet::Earn).await.map(|(_, m)| Answer::ok(m.into()))
}

fn asset(call: &Call, catalog: &Catalog, field: &str) -> Result<Asset, Failure> {
    let id = AssetId(call.params.need_integer(field)?);
    catalog.assets.get(&id).cloned().ok_or(Code::NotFound.into())
}

fn wallet_of(call: &Call, field: &str) -> Result<Wallet, Failure> {
    parse_app_name(call.params.need(field)?).ok_or_else(|| Failure::field(field, "unknown account"))
}

/// `POST /wallet/detail`.
pub async fn detail(call: Call) -> CallResult {
    let session = call.session().await?;
    let asset = asset(&call, &call.app.shared.listed(), "currency")?;
    let wallet = wallet_of(&call, "type")?;
    let wallets = Wallets::of(call, session).await?;
    let mut row = wallets.row(wallet, &asset);
    row["address"] = "".into();
    row["ExRate"] = wallets.cny.to_string().into();
    let market = wallets.catalog.markets.values().find(|m| m.params.base == asset.id);
    let fee = market.map_or(0, |m| m.params.fees_of(wallets.view.level).taker.0);
    row["coin_trade_fee"] = Amount(i128::from(fee) * 100).to_string().into();
    row["level"] = wallets.view.level.into();
    row["seq"] = wallets.view.seq.into();
    Ok(Answer::ok(row))
}

/// `POST /wallet/legal_log`: ledger rows; they follow the journal and may lag behind it by moments. With `by=order` each
/// order is one row instead of each of its holds, releases and fills.
pub async fn log(call: Call) -> CallResult {
    let session = call.session().await?;
    let mut filter = LedgerFilter::of(session.account);
    let currency: u32 = call.params.integer("currency")?.unwrap_or(0);
    filter.asset = (currency != 0).then_some(AssetId(currency));
    let wallet = call.params.get("type").map(|_| wallet_of(&call, "type")).transpose()?;
    filter.wallets = wallet.map(parts).unwrap_or_default();
    let (number, limit) = call.params.paging(10)?;
    match call.params.get("by") {
        None => {}
        Some("order") => return super::records::by_order(&call, filter, (number, limit)).await,
        Some(_) => return Err(Failure::field("by", "order")),
    }
    let (rows, count) = ledger::page(&call, &filter, number, limit).await?;
    let catalog = call.app.shared.listed();
    let list: Vec<Value> = rows.iter().map(|r| ledger::log_row(&call, &catalog, r)).collect();
    Ok(Answer::ok(json!({ "list": list, "count": count, "limit": limit, "is_open_CTbi": "1" })))
}

/// `GET /wallet/hzhistory`: transfers, two rows each.
pub async fn transfers(call: Call) -> CallResult {
    let session = call.session().await?;
    let mut filter = LedgerFilter::of(session.account);
    let both = Wallet::ACCOUNTS.into_iter().flat_map(|w| [LogType::transfer_out(w), LogType::transfer_in(w)]);
    filter.logs = both.collect();
    let (number, limit) = call.params.paging(10)?;
    let (rows, count) = ledger::page(&call, &filter, number, limit).await?;
    let catalog = call.app.shared.listed();
    let list = rows.iter().map(|r| ledger::log_row(&call, &catalog, r)).collect();
    Ok(Answer::ok(page(list, number, limit, count)))
}

/// `GET /currency/list`.
pub async fn currencies(call: Call) -> CallResult {
    let shared = &call.app.shared;
    let catalog = shared.listed();
    let flag = |a: &Asset, w: Wallet| u8::from(a.wallets.contains(&w));
    let row = |a: &Asset| {
        json!({
            "id": a.id.0, "name": a.name, "title": a.title,
            "logo": format!("/h5/coins/{}.svg", a.name.to_ascii_lowercase()), "sub_names": [],
            "is_legal": flag(a, Wallet::Funding), "is_lever": flag(a, Wallet::Futures),
            "is_match": flag(a, Wallet::Spot), "is_micro": flag(a, Wallet::Options), "is_transfer": u8::from(catalog.converts(a.id)),
            "price": shared.usdt_price(&catalog, a.id).to_string(), "rate": "0", "min_number": "0",
            "max_number": "0", "precision": a.precision, "is_display": 1, "sort": a.id.0, "networks": [],
        })
    };
    let rows: Vec<Value> = catalog.assets.values().map(row).collect();
    let legal: Vec<Value> = catalog.assets.values().filter(|a| a.wallets.contains(&Wallet::Funding)).map(row).collect();
    Ok(Answer::ok(json!({ "currency": rows, "legal": legal })))
}

/// `GET /currency/user_currency_list`: assets that two or more wallets take, with what is in them.
pub async fn transferable(call: Call) -> CallResult {
    let wallets = Wallets::open(call).await?;
    let row = |a: &Asset| {
        let mut wallet = Map::new();
        for w in a.wallets.iter().filter(|w| w.takes_transfers()) {
            let b = wallets.balance(*w, a.id);
            wallet.insert(format!("{}_balance", app_name(*w)), b.available.to_string().into());
            wallet.insert(format!("lock_{}_balance", app_name(*w)), b.locked.to_string().into());
        }
        if a.wallets.contains(&Wallet::Futures) {
            wallet.insert("lever_transferable".into(), wallets.worth().transferable(a.id).to_string().into());
        }
        let flag = |w: Wallet| u8::from(a.wallets.contains(&w));
        json!({
            "id": a.id.0, "name": a.name, "is_legal": flag(Wallet::Funding), "is_lever": flag(Wallet::Futures),
            "is_match": flag(Wallet::Spot), "is_micro": flag(Wallet::Options), "wallet": wallet,
        })
    };
    let assets = wallets.catalog.assets.values().filter(|a| a.wallets.len() > 1);
    Ok(Answer::ok(assets.map(row).collect()))
}

/// `POST /wallet/change`: between two wallets of one account.
pub async fn transfer(call: Call) -> CallResult {
    let session = call.session().await?;
    let asset = asset(&call, &call.app.shared.listed(), "currency_id")?;
    let amount = call.params.need_positive("number")?;
    let (from, to) = (wallet_of(&call, "from_field")?, wallet_of(&call, "to_field")?);
    let both = from != to && asset.wallets.contains(&from) && asset.wallets.contains(&to);
    if !both || !from.takes_transfers() || !to.takes_transfers() {
        return Err(Failure::text(Code::Parameter, "bad_accounts"));
    }
    let key = call.request_key()?;
    let transfer = AccountCommand::Transfer { asset: asset.id, from, to, amount };
    let command = Command::Account(session.account, transfer);
    match call.call_exclusively(session.account, key, command).await? {
        Reply::Rejected(Reject::InsufficientBalance) if from == Wallet::Futures => {
            Err(kept(&call, session.account, asset.id).await)
        }
        Reply::Rejected(reject) => Err(reject.into()),
        Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy => {
            Ok(call.said("transferred"))
        }
    }
}

/// Why money of the futures account stays there: what cross positions need of it, if they need some.
async fn kept(call: &Call, account: AccountId, asset: AssetId) -> Failure {
    let Ok(view) = call.view(account).await else { return Code::Insufficient.into() };
    let board = call.app.shared.contracts.now();
    let worth = Worth::new(&board, &view.balances, &view.tickets).beside(view.legs.as_deref());
    let may_leave = worth.transferable(asset);
    if may_leave == rows::balance(&view.balances, Wallet::Futures, asset).available {
        return Code::Insufficient.into();
    }
    Failure::text(Code::Insufficient, "lever_kept").with("max", may_leave)
}
