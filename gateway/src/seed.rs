//! What a fresh exchange lists: assets, markets, price symbols, the house's inventory. Configuration only seeds; what
//! is listed already stays as the facts say.

use crate::catalog::Seeds;
use crate::config::Config;
use crate::edge::amount;
use crate::house::is_there;
use std::str::FromStr;
use xng_core::account::AccountCommand;
use xng_core::account::facts::{AccountStatus, GrantItem, GrantKind};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, MarketId, PriceId, Wallet};
use xng_core::money::{Amount, Exact};
use xng_core::price::{PriceCommand, PriceListed};
use xng_core::record::Origin;
use xng_core::registry::RegistryCommand;
use xng_core::spot::MarketCommand;
use xng_runtime::Client;

/// Lists what is missing.
pub async fn plant(client: &Client, config: &Config, seeds: &Seeds) -> Result<(), String> {
    for seed in &seeds.asset {
        tell(client, Command::Registry((), RegistryCommand::ListAsset(seeds.listing(seed)?))).await?;
    }
    for seed in &seeds.market {
        let params = seeds.params(seed)?;
        let (market, symbol) = (params.market, params.symbol.clone());
        tell(client, Command::Market(market, MarketCommand::List(params))).await?;
        let price = PriceId(seed.id);
        let listed = PriceListed { price, symbol, markets: vec![MarketId(seed.id)] };
        tell(client, Command::Price(price, PriceCommand::List(listed))).await?;
    }
    let house = AccountCommand::Change { level: 5, status: AccountStatus::Active, house: true };
    tell(client, Command::Account(AccountId::HOUSE, house)).await?;
    let items = inventory(config, seeds)?;
    tell(client, Command::Account(AccountId::HOUSE, AccountCommand::Grant { kind: GrantKind::Opening, items })).await
}

async fn tell(client: &Client, command: Command) -> Result<(), String> {
    let name = format!("{:?}", command.target());
    match client.call(Origin::System, None, command).await {
        Ok(reply) if is_there(&reply) => Ok(()),
        Ok(reply) => Err(format!("{name}: {reply:?}")),
        Err(fault) => Err(format!("{name}: {fault}")),
    }
}

/// The house holds the same value of every asset.
fn inventory(config: &Config, seeds: &Seeds) -> Result<Vec<GrantItem>, String> {
    let value = amount(&config.house.inventory_usdt).map_err(|e| format!("house.inventory_usdt: {e:?}"))?;
    let price = |name: &str| -> Option<Amount> {
        if name == "USDT" {
            return Some(Amount::whole(1));
        }
        let market = seeds.market.iter().find(|m| m.base == name && m.quote == "USDT")?;
        Amount::from_str(&market.start_price).ok()
    };
    let item = |name: &String, id: u32| -> Option<GrantItem> {
        let whole = Exact::from(value).div_sig20_half_up(Exact::from(price(name)?))?.round8();
        Some(GrantItem { wallet: Wallet::Change, asset: AssetId(id), amount: whole })
    };
    Ok(seeds.asset.iter().filter_map(|a| item(&a.name, a.id)).collect())
}
