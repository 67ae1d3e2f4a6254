//! What clients ask of conversion.
//!
//! Owns: its parameters and what operators make of them, random quotes, conversions and dust. Never does: look at the engine.
//! Invariants: commands are what a gateway could send. Known limits: prices of a seed decide how much of it is allowed.

use crate::auditor::Auditor;
use crate::rng::Rng;
use crate::traffic::{ASSETS, SETTLE, Setting};
use xng_core::account::{AccountCommand, Conversion, ConvertCommand};
use xng_core::convert::params::{ConvertAsset, ConvertParams};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, PriceId, RequestKey, Wallet};
use xng_core::money::Amount;

const SECOND_NS: u64 = 1_000_000_000;

impl Setting {
    /// The parameters: assets with a market against the one that is worth 1.
    pub(crate) fn conversion(&self) -> Command {
        let market = |asset| self.markets.iter().find(move |(m, _)| (m.base, m.quote) == (asset, SETTLE));
        let listed = ASSETS.into_iter().filter_map(|asset| {
            let price = market(asset).map(|(m, _)| PriceId(m.market.0));
            let daily_cap = Amount::whole(if asset == SETTLE { 20_000 } else { 500 });
            (asset == SETTLE || price.is_some()).then_some(ConvertAsset { asset, price, daily_cap })
        });
        let params = ConvertParams {
            version: 0,
            spread_ppm: 500,
            fee_ppm: 1_000,
            guard_ppm: 3_000,
            value: (Amount::whole(1), Amount::whole(2_000)),
            stale_after_ms: 5_000,
            quote_ms: 10_000,
            dust_limit: Amount::whole(200),
            dust_fee_ppm: 1_000,
            dust_into: SETTLE,
            assets: listed.collect(),
        };
        let set = ConvertCommand::SetParams(Box::new(params));
        Command::Account(AccountId::CONVERT_HOUSE, AccountCommand::Convert(set))
    }

    /// Other terms of conversion or of a desk, while quotes and options of the old ones are open.
    pub(crate) fn other_terms(&self, rng: &mut Rng, auditor: &Auditor) -> Option<Command> {
        if rng.chance(1, 2) {
            return self.other_desk(rng, auditor);
        }
        let old = auditor.conversion()?;
        let (spread_ppm, fee_ppm) = (rng.pick(&[0, 500, 2_000]), rng.pick(&[0, 1_000, 5_000]));
        let quote_ms = rng.pick(&[3_000, 10_000]);
        let params = ConvertParams { spread_ppm, fee_ppm, quote_ms, ..old.clone() };
        let set = AccountCommand::Convert(ConvertCommand::SetParams(Box::new(params)));
        Some(Command::Account(AccountId::CONVERT_HOUSE, set))
    }

    /// A conversion, with a quote of now or a while ago, often one that others used, or with one that it used before.
    pub(crate) fn conversions(
        &self,
        rng: &mut Rng,
        auditor: &Auditor,
        account: AccountId,
    ) -> (ConvertCommand, Option<RequestKey>) {
        let asset = |rng: &mut Rng| rng.pick(&ASSETS);
        let (from, to) = (asset(rng), if rng.chance(1, 2) { SETTLE } else { asset(rng) });
        match rng.below(12) {
            0 => return (ConvertCommand::ListDust, None),
            1 => return (ConvertCommand::Quote { from, to }, None),
            2 => return (ConvertCommand::Dust { assets: vec![from], version: None }, None),
            _ => {}
        }
        let used = auditor.used_quote(account).filter(|_| rng.chance(1, 3));
        let (from, to) = used.map_or((from, to), |(assets, _)| assets);
        let held = |asset: AssetId| auditor.wallets(account).find(|(w, a, _)| (*w, *a) == (Wallet::Spot, asset));
        let held = held(from).map_or(0, |(_, _, held)| held.available);
        let amount = Amount(held / rng.pick(&[1, 10, 100, 1_000, 10_000]) + 1);
        // On a grid, so that some name the same quote; with other amounts too.
        let grid = rng.pick(&[SECOND_NS / 10, 2 * SECOND_NS]);
        let issued = auditor.time().saturating_sub(rng.pick(&[0, 0, 3, 12]) * SECOND_NS) / grid * grid;
        let new = auditor.quote((from, to), issued).filter(|_| rng.chance(2, 3));
        let quote = used.map_or(new, |(_, quote)| Some(quote));
        let key = quote.map(|quote| quote.request_key((from, to), amount));
        (ConvertCommand::Convert(Conversion { from, to, amount, quote }), key)
    }
}
