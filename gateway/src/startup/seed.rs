//! What a fresh exchange lists: assets, markets, price symbols, contracts with their books, conversion, the house's
//! inventory. Configuration
//! only seeds; what is listed already stays as the facts say.
//!
//! Owns: the commands of a first start. Never does: change what is listed already. Invariants: repeating it changes
//! nothing. Known limits: what the settings drop stays listed.

use crate::api::http::errors::Failure;
use crate::app::Shared;
use crate::common::decimal::amount;
use crate::common::time::{Ms, now_ns};
use crate::config::{Config, Profile};
use crate::market::catalog::{Catalog, Seeds};
use crate::market::stocks::trading_day_begin;
use crate::market::terms::plan;
use crate::market_maker::is_there;
use jiff::Timestamp;
use std::collections::BTreeSet;
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, Balance, ConvertCommand, CopyCommand, CouponCommand, Property, Tier};
use xng_core::chain::{ChainCommand, ChainParams, WithdrawalTerms};
use xng_core::contract::ContractCommand;
use xng_core::contract::book::BookCommand;
use xng_core::convert::DAY_NS;
use xng_core::coupon::{CampaignId, CampaignTerms, CouponKind, digest_of};
use xng_core::entity::{Accepted, Command, Reply, View};
use xng_core::fraction::Fraction;
use xng_core::ids::{AccountId, AssetId, EntityId, MarketId, PriceId, Wallet};
use xng_core::money::{Amount, Exact};
use xng_core::price::{PriceCommand, PriceListed};
use xng_core::record::Origin;
use xng_core::registry::RegistryCommand;
use xng_core::reject::Reject;
use xng_core::seconds::desk::DeskCommand;
use xng_core::spot::{MarketCommand, MarketParams};
use xng_core::stock::calendar::{CalendarCommand, CalendarParams, Session};
use xng_runtime::{Client, Fault};

/// Why something could not be listed.
#[derive(Debug, PartialEq, Eq)]
pub enum SeedError {
    /// The journal has no room for it now.
    NoRoom,
    /// What is wrong.
    Wrong(String),
}

impl From<String> for SeedError {
    fn from(what: String) -> SeedError {
        SeedError::Wrong(what)
    }
}

/// Sessions of a calendar are made anew when so much of what could be known is not.
const MOST_BEHIND_MS: u64 = 30 * 86_400_000;

/// Coupons of the demo's campaign.
const DEMO_COUPONS: u32 = 1_000;

/// Lists what is missing.
pub async fn seed(client: &Client, shared: &Shared) -> Result<(), SeedError> {
    let (config, seeds) = (&shared.config, shared.catalog.seeds());
    tell_of_other_terms(seeds, &shared.listed());
    tell_of_other_params(seeds, &shared.listed())?;
    for seed in &seeds.asset {
        tell(client, Command::Registry((), RegistryCommand::ListAsset(seeds.listing(seed)?))).await?;
    }
    for seed in &seeds.market {
        let params = seeds.params(seed)?;
        let (market, symbol) = (params.market, params.symbol.clone());
        tell(client, Command::Market(market, MarketCommand::List(Box::new(params)))).await?;
        let price = PriceId(seed.id);
        let listed = PriceListed { price, symbol, hearers: vec![EntityId::Market(MarketId(seed.id))] };
        tell(client, Command::Price(price, PriceCommand::List(listed))).await?;
    }
    for seed in &seeds.contract {
        let params = seeds.contract_params(seed)?;
        let (contract, price, symbol) = (params.contract, params.price, params.symbol.clone());
        tell(client, Command::Contract(contract, ContractCommand::List(Box::new(params)))).await?;
        let listed = PriceListed { price, symbol, hearers: vec![EntityId::Contract(contract)] };
        tell(client, Command::Price(price, PriceCommand::List(listed))).await?;
        if let Some(book) = seeds.book_params(seed)? {
            let list = ContractCommand::Book(BookCommand::List(Box::new(book)));
            tell(client, Command::Contract(contract, list)).await?;
        }
    }
    if let Some(params) = seeds.convert_params()? {
        let set = AccountCommand::Convert(ConvertCommand::SetParams(Box::new(params)));
        tell(client, Command::Account(AccountId::CONVERT_HOUSE, set)).await?;
    }
    let now = Timestamp::now();
    for params in seeds.calendar_params(&shared.calendars, now)? {
        let now_ms = now.as_millisecond().cast_unsigned();
        if let Some(params) = calendar_to_set(shared.stocks.params(params.calendar), params, now_ms) {
            let set = CalendarCommand::SetParams(Box::new(params.clone()));
            tell(client, Command::Calendar(params.calendar, set)).await?;
        }
    }
    for params in seeds.desk_params()? {
        tell(client, Command::Seconds(params.desk, DeskCommand::SetParams(Box::new(params)))).await?;
    }
    for settings in &config.chain {
        let params = settings.params(|name| seeds.asset_id(name)).map_err(|what| format!("chain: {what}"))?;
        if let Some(params) = chain_to_set(shared.chains.status(params.chain).map(|status| status.params), params) {
            let set = ChainCommand::Set(Box::new(params));
            tell(client, Command::Chain(settings.chain(), set)).await?;
        }
        for (asset, new) in settings.terms(|name| seeds.asset_id(name)).map_err(|what| format!("chain: {what}"))? {
            let old = shared.chains.terms(settings.chain(), asset);
            // Without terms in the settings nothing leaves any more.
            let closed = || old.clone().map(|old| WithdrawalTerms { open: false, ..old });
            let Some(new) = new.or_else(closed) else { continue };
            let new = WithdrawalTerms { version: old.as_ref().map_or(0, |old| old.version), ..new };
            if old.as_ref() != Some(&new) {
                tell(client, Command::Chain(settings.chain(), ChainCommand::SetTerms(Box::new(new)))).await?;
            }
        }
    }
    for property in [Property::Vip(5), Property::House(true)] {
        tell(client, Command::Account(AccountId::HOUSE, AccountCommand::Set(property))).await?;
    }
    give_inventory(client, inventory(config, seeds)?).await?;
    give_promotion(client, promotion(config, seeds)?).await
}

/// Terms that are in force stay so at a start, whatever the settings say.
fn tell_of_other_terms(seeds: &Seeds, listed: &Catalog) {
    // What cannot be compared yet names what this start lists.
    let others = plan(seeds, listed).unwrap_or_default().into_iter().filter(|step| !step.is_new);
    for step in others {
        tracing::warn!("not in force: {}; exchange admin terms reload puts it into force", step.told());
    }
}

/// So do parameters of markets, which the back office changes.
fn tell_of_other_params(seeds: &Seeds, listed: &Catalog) -> Result<(), String> {
    for seed in &seeds.market {
        let (params, symbol) = (seeds.params(seed)?, seed.symbol());
        let Some(info) = listed.markets.get(&params.market) else { continue };
        let MarketParams { version, stock, house_quoted, .. } = info.params;
        if (MarketParams { version, stock, house_quoted, ..params }) != info.params {
            tracing::info!(
                symbol,
                "the settings have other parameters than those in force, which the back office changes"
            );
        }
    }
    Ok(())
}

/// A chain that is not listed, or whose settings are others now.
fn chain_to_set(old: Option<ChainParams>, new: ChainParams) -> Option<ChainParams> {
    let Some(old) = old else { return Some(new) };
    let new = ChainParams { version: old.version, ..new };
    (new != old).then_some(new)
}

/// A calendar that is not set yet, that lacks a market, whose sessions reach less far than they could, or that has sessions which
/// the settings do not have any more: a holiday or an early close was added. Nothing is added to sessions that are known:
/// operators may have cut them.
fn calendar_to_set(old: Option<CalendarParams>, new: CalendarParams, now_ms: u64) -> Option<CalendarParams> {
    let Some(old) = old else { return Some(new) };
    let known = old.sessions.last().map_or(0, |session| session.close_ms);
    let more: Vec<Session> = new.sessions.iter().filter(|session| session.open_ms >= known).copied().collect();
    let (ahead, past): (Vec<Session>, Vec<Session>) =
        old.sessions.iter().partition(|session| session.close_ms > now_ms);
    // A stock's figures are those of the trading day that is or was last.
    let begun = trading_day_begin(&old.sessions, now_ms.cast_signed()).unwrap_or(Ms::MAX);
    let mut day: Vec<Session> = past.into_iter().filter(|s| s.open_ms.cast_signed() >= begun).collect();
    let mut kept: Vec<Session> = ahead.iter().flat_map(|session| of_both(*session, &new.sessions)).collect();
    // A session that another one follows at once ends a millisecond before it, which was not said of the last one.
    let is_less = |(kept, old): (&Session, &Session)| {
        kept.open_ms != old.open_ms || kept.close_ms + 1 < old.close_ms || kept.last != old.last
    };
    let were_cut = kept.len() != ahead.len() || kept.iter().zip(&ahead).any(is_less);
    if let (Some(last), Some(next)) = (kept.last_mut(), more.first()) {
        last.close_ms = last.close_ms.min(next.open_ms - 1);
    }
    let markets: BTreeSet<MarketId> = old.markets.iter().chain(&new.markets).copied().collect();
    let markets: Vec<MarketId> = markets.into_iter().collect();
    let is_behind = more.last().is_some_and(|last| last.close_ms > known + MOST_BEHIND_MS);
    if !is_behind && !were_cut && markets == old.markets {
        return None;
    }
    if let Some(last) = day.last_mut()
        && kept.first().map(|session| session.open_ms) != ahead.first().map(|session| session.open_ms)
    {
        // What was left of its day is gone.
        last.last = true;
    }
    let sessions = day.into_iter().chain(kept).chain(more).collect();
    Some(CalendarParams { version: old.version, sessions, markets, ..new })
}

/// The parts of a session that are in others, too.
fn of_both(session: Session, others: &[Session]) -> impl Iterator<Item = Session> {
    let part = move |other: &Session| Session {
        open_ms: session.open_ms.max(other.open_ms),
        close_ms: session.close_ms.min(other.close_ms),
        // The one that closes first says whether the day goes on.
        last: session.last && session.close_ms <= other.close_ms || other.last && other.close_ms <= session.close_ms,
    };
    others.iter().map(part).filter(|part| part.open_ms < part.close_ms)
}

/// The demo's users are known: they withdraw.
pub async fn demo_tiers(shared: &Shared) -> Result<(), Failure> {
    for account in shared.auth.demo_accounts(&shared.config.demo.users).await? {
        let command =
            AccountCommand::SetTier { tier: Tier::Advanced, case: 0, by: vec!["settings".into()], country: None };
        match shared.operators.ask(Command::Account(account, command)).await {
            Some(Reply::Accepted(_) | Reply::Rejected(Reject::AlreadyExists)) => {}
            reply => tracing::warn!(%account, ?reply, "the demo's user is not verified"),
        }
    }
    Ok(())
}

/// The demo's campaign: whoever knows its code gets a coupon.
pub async fn demo_campaign(shared: &Shared) {
    let demo = &shared.config.demo;
    let (asset, value) = (shared.listed().asset_named("USDT"), amount(&demo.coupon_usdt));
    let (Some(asset), Ok(value), false) = (asset, value, demo.coupon_code.is_empty()) else { return };
    let campaign = CampaignId(1);
    if shared.config.profile != Profile::Demo || shared.campaigns.get(campaign).is_some() {
        return;
    }
    let terms = Box::new(CampaignTerms {
        campaign,
        name: "Welcome".into(),
        kind: CouponKind::Cash,
        asset,
        value,
        number: DEMO_COUPONS,
        lives: 30 * DAY_NS,
        ends: now_ns() + 365 * DAY_NS,
        code: Some(digest_of(&demo.coupon_code)),
    });
    let fund = AccountCommand::Coupon(CouponCommand::Fund { terms, by: vec!["settings".into()] });
    match shared.operators.ask(Command::Account(AccountId::PROMOTION, fund)).await {
        Some(Reply::Accepted(_) | Reply::Rejected(Reject::AlreadyExists)) => {}
        reply => tracing::warn!(?reply, "the demo's campaign is not there"),
    }
}

/// Makes traders of some of the demo's users; who is one stays one, and who was ended by an operator is made one again.
pub async fn demo_traders(shared: &Shared) -> Result<(), Failure> {
    let Some(terms) = shared.listed().copy else { return Ok(()) };
    for account in shared.auth.demo_accounts(&shared.config.demo.traders).await? {
        let command = AccountCommand::Copy(CopyCommand::SetTrader(Some(terms)));
        match shared.operators.ask(Command::Account(account, command)).await {
            Some(Reply::Accepted(_) | Reply::Rejected(Reject::AlreadyExists)) => {}
            reply => tracing::warn!(%account, ?reply, "the demo's trader is not one"),
        }
    }
    Ok(())
}

/// Gives the house its inventory; to one that has an inventory already, of assets that it never held.
async fn give_inventory(client: &Client, items: Vec<GrantItem>) -> Result<(), SeedError> {
    if items.is_empty() {
        return Ok(());
    }
    let to_house = |command| Command::Account(AccountId::HOUSE, command);
    let opening = AccountCommand::Grant { kind: GrantKind::Opening, items: items.clone() };
    match client.call(Origin::System, None, to_house(opening)).await {
        Ok(Reply::Accepted(Accepted::Done)) => return Ok(()),
        Ok(Reply::Rejected(Reject::AlreadyExists)) => {}
        Ok(Reply::Rejected(Reject::Poisoned)) => return Ok(()),
        Err(Fault::Busy) => return Err(SeedError::NoRoom),
        reply => return Err(format!("the house's inventory: {reply:?}").into()),
    }
    let held = match client.call(Origin::System, None, to_house(AccountCommand::View)).await {
        Ok(Reply::View(View::Account(view))) => view.balances,
        reply => return Err(format!("the house's account: {reply:?}").into()),
    };
    let new: Vec<GrantItem> = never_held(items, &held);
    if new.is_empty() {
        return Ok(());
    }
    tracing::info!(assets = ?new.iter().map(|i| i.asset.0).collect::<Vec<_>>(), "the house gets an inventory of new assets");
    tell(client, to_house(AccountCommand::Grant { kind: GrantKind::Correction, items: new })).await
}

/// Gives the account that campaigns are paid from what the settings say, once.
async fn give_promotion(client: &Client, items: Vec<GrantItem>) -> Result<(), SeedError> {
    if items.is_empty() {
        return Ok(());
    }
    let opening = AccountCommand::Grant { kind: GrantKind::Opening, items };
    tell(client, Command::Account(AccountId::PROMOTION, opening)).await
}

/// What campaigns are paid from.
fn promotion(config: &Config, seeds: &Seeds) -> Result<Vec<GrantItem>, String> {
    if config.house.promotion_usdt.is_empty() {
        return Ok(Vec::new());
    }
    let amount = amount(&config.house.promotion_usdt).map_err(|e| format!("house.promotion_usdt: {e:?}"))?;
    let asset = seeds.asset_id("USDT").filter(|_| amount.is_positive());
    Ok(asset.map(|asset| GrantItem { wallet: Wallet::Spot, asset, amount }).into_iter().collect())
}

/// Items of wallets that never held anything: a wallet keeps its row, at zero too.
fn never_held(items: Vec<GrantItem>, held: &[Balance]) -> Vec<GrantItem> {
    let is_held = |i: &GrantItem| held.iter().any(|b| (b.wallet, b.asset) == (i.wallet, i.asset));
    items.into_iter().filter(|i| !is_held(i)).collect()
}

async fn tell(client: &Client, command: Command) -> Result<(), SeedError> {
    let name = format!("{:?}", command.target());
    match client.call(Origin::System, None, command).await {
        Ok(reply) if is_there(&reply) => Ok(()),
        // The rest of the exchange starts without what crashed before.
        Ok(Reply::Rejected(Reject::Poisoned)) => {
            tracing::error!(entity = name, "halted after crashes: see crashes.tsv in the data folder");
            Ok(())
        }
        Err(Fault::Busy) => Err(SeedError::NoRoom),
        Ok(reply) => Err(format!("{name}: {reply:?}").into()),
        Err(fault) => Err(format!("{name}: {fault}").into()),
    }
}

/// The house holds the same value of every asset; an asset without a price in USDT is an error. What is less than the
/// smallest unit is nothing.
fn inventory(config: &Config, seeds: &Seeds) -> Result<Vec<GrantItem>, String> {
    let value = amount(&config.house.inventory_usdt).map_err(|e| format!("house.inventory_usdt: {e:?}"))?;
    let mut items = Vec::new();
    for asset in &seeds.asset {
        let price = price_in_usdt(seeds, &asset.name).ok_or_else(|| {
            format!("asset {}: no market {}USDT with a start_price tells what it is worth", asset.name, asset.name)
        })?;
        let whole = Exact::from(value).div_sig20_half_up(Exact::from(price));
        let amount = whole.ok_or_else(|| format!("asset {}: its price is zero", asset.name))?.round8();
        if amount.is_positive() {
            items.push(GrantItem { wallet: Wallet::Spot, asset: AssetId(asset.id), amount });
        }
    }
    let futures = &config.house.contracts.futures_usdt;
    let futures = amount(futures).map_err(|e| format!("house.contracts.futures_usdt: {e:?}"))?;
    let usdt = seeds.asset.iter().find(|asset| asset.name == "USDT");
    if let (Some(asset), true, true) = (usdt, futures.is_positive(), !seeds.contract.is_empty()) {
        items.push(GrantItem { wallet: Wallet::Futures, asset: AssetId(asset.id), amount: futures });
    }
    Ok(items)
}

fn price_in_usdt(seeds: &Seeds, name: &str) -> Option<Amount> {
    if name == "USDT" {
        return Some(Amount::whole(1));
    }
    let market = seeds.market.iter().find(|m| m.base == name && m.quote == "USDT");
    if let Some(market) = market {
        return amount(&market.start_price).ok();
    }
    // What is quoted in another money is worth what that is worth.
    let market = seeds.market.iter().find(|m| m.base == name && m.stock.is_some())?;
    let quote = price_in_usdt(seeds, &market.quote)?;
    Some(Fraction::value(amount(&market.start_price).ok()?, quote).round8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn settings() -> (Config, Seeds) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let config = Config::load(&root.join("config/exchange.toml")).unwrap();
        (config, Seeds::load(&root.join("config/markets.toml")).unwrap())
    }

    #[test]
    fn an_asset_that_is_new_gets_an_inventory_and_one_that_was_sold_out_does_not() {
        let (config, seeds) = settings();
        let items = inventory(&config, &seeds).unwrap();
        // One of each asset, and what margins of contracts need.
        assert_eq!(items.len(), seeds.asset.len() + 1);
        let row =
            |i: &GrantItem| Balance { wallet: i.wallet, asset: i.asset, available: Amount::ZERO, locked: Amount::ZERO };
        let held: Vec<Balance> = items[1..].iter().map(row).collect();
        let new = never_held(items.clone(), &held);
        assert_eq!(new.iter().map(|i| i.asset).collect::<Vec<_>>(), [items[0].asset]);
    }

    fn calendar(sessions: &[(u64, u64, bool)]) -> CalendarParams {
        let session = |(open_ms, close_ms, last): &(u64, u64, bool)| Session {
            open_ms: *open_ms,
            close_ms: *close_ms,
            last: *last,
        };
        CalendarParams {
            calendar: xng_core::stock::CalendarId(1),
            version: 3,
            name: "VENUE".to_owned(),
            zone: "UTC".to_owned(),
            sessions: sessions.iter().map(session).collect(),
            markets: vec![MarketId(384)],
        }
    }

    #[test]
    fn a_holiday_or_an_early_close_that_is_added_later_cuts_sessions_that_are_known_and_adds_none() {
        let old = || Some(calendar(&[(100, 200, false), (250, 300, true), (400, 500, true)]));
        let set = |new| calendar_to_set(old(), calendar(new), 150).map(|params| params.sessions);
        assert_eq!(set(&[(100, 200, false), (250, 300, true), (400, 500, true), (600, 700, true)]), None, "as it was");
        let holiday = set(&[(100, 200, false), (250, 300, true), (600, 700, true)]).unwrap();
        assert_eq!(holiday, calendar(&[(100, 200, false), (250, 300, true), (600, 700, true)]).sessions);
        let early = set(&[(100, 200, false), (250, 300, true), (400, 450, true)]).unwrap();
        assert_eq!(early, calendar(&[(100, 200, false), (250, 300, true), (400, 450, true)]).sessions);
        let morning = set(&[(100, 200, true), (400, 500, true)]).unwrap();
        assert_eq!(morning, calendar(&[(100, 200, true), (400, 500, true)]).sessions);
        assert_eq!(set(&[(50, 350, true), (400, 500, true)]), None, "nothing is added to what an operator cut");
    }

    #[test]
    fn what_is_over_of_a_day_stays_known_when_the_rest_is_set_anew() {
        let old = || {
            Some(calendar(&[(10, 20, false), (30, 40, true), (100, 200, false), (250, 300, true), (400, 500, true)]))
        };
        let set = |new, now| calendar_to_set(old(), calendar(new), now).unwrap().sessions;
        let all = set(&[(250, 300, true), (400, 450, true)], 220);
        assert_eq!(all, calendar(&[(100, 200, false), (250, 300, true), (400, 450, true)]).sessions);
        let holiday = set(&[(400, 500, true)], 220);
        assert_eq!(holiday, calendar(&[(100, 200, true), (400, 500, true)]).sessions, "the day ends with what it had");
        let after = set(&[(400, 450, true)], 320);
        assert_eq!(after, calendar(&[(100, 200, false), (250, 300, true), (400, 450, true)]).sessions);
    }

    #[test]
    fn sessions_without_a_pause_between_them_go_on_after_those_that_are_known() {
        let later = 100 + 2 * MOST_BEHIND_MS;
        let old = Some(calendar(&[(0, 99, true), (100, 200, true)]));
        let params = calendar_to_set(old, calendar(&[(100, 199, true), (200, 299, true), (300, later, true)]), 150);
        let params = params.unwrap();
        assert_eq!(params.sessions, calendar(&[(100, 199, true), (200, 299, true), (300, later, true)]).sessions);
        params.check().unwrap();
    }

    #[test]
    fn an_asset_without_a_price_is_an_error_that_names_it() {
        let (config, mut seeds) = settings();
        seeds.market.retain(|m| m.base != "DOGE");
        let error = inventory(&config, &seeds).unwrap_err();
        assert!(error.contains("DOGE"), "{error}");
    }
}
