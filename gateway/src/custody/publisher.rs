//! Makes statements of reserves: what a check showed to be there, signed by the key of each address.
//!
//! Owns: which addresses a statement names, asking the signer for each, what is tried again. Never does: hold a key; state what no check
//! showed; publish when the settings do not say so. Invariants: a statement is read and checked as anybody would before it is shown; what
//! the signer gives is believed for that reason alone.
//! Rules: `docs/rules/custody.md "Statements of reserves"`. Known limits: a signer that is away delays the statement, not the check.

use super::chains::Chains;
use super::settings::ChainSettings;
use super::statements::{Stated, Statements};
use crate::common::time::now_ms;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_core::chain::{AssetKey, ChainAsset, Cursor, Units};
use xng_custody::reserves::{self, FORMAT, Form, Header, HeaderAsset, Row};
use xng_custody::signer::Signer;

/// The signer's answer may take so long.
const SIGNS_WITHIN: Duration = Duration::from_secs(10);
/// After a statement that could not be made.
const AGAIN: Duration = Duration::from_secs(10);

/// What a check showed to be there.
#[derive(Clone)]
pub(super) struct Shown {
    /// After which block.
    pub(super) at: Cursor,
    /// The chain's assets, the coin first.
    pub(super) assets: Vec<ChainAsset>,
    /// What each address holds.
    pub(super) held: BTreeMap<AssetKey, Units>,
}

/// See the module's header.
pub(super) struct Publisher {
    settings: ChainSettings,
    signer: Signer,
    chains: Arc<Chains>,
    statements: Arc<Statements>,
    /// What is still to be published, and when it is tried.
    waiting: Option<(Shown, Instant)>,
}

impl Publisher {
    /// None of a chain whose reserves are not published.
    pub(super) fn of(
        settings: &ChainSettings,
        chains: &Arc<Chains>,
        statements: &Arc<Statements>,
    ) -> Option<Publisher> {
        let socket = settings.signer().filter(|_| settings.publishes_reserves())?;
        let (settings, signer) = (settings.clone(), Signer::new(socket, SIGNS_WITHIN));
        Some(Publisher { settings, signer, chains: chains.clone(), statements: statements.clone(), waiting: None })
    }

    /// A check showed all that is ours: a newer one takes the place of what was not published yet.
    pub(super) fn publish(&mut self, shown: Shown) {
        self.waiting = Some((shown, Instant::now()));
        self.round(false);
    }

    /// Tries what could not be published again; of a chain that was halted meanwhile nothing is stated.
    pub(super) fn round(&mut self, is_halted: bool) {
        let Some((shown, next)) = self.waiting.take().filter(|_| !is_halted) else { return };
        if Instant::now() < next {
            self.waiting = Some((shown, next));
            return;
        }
        match self.make(&shown) {
            Ok(Some(id)) => {
                tracing::info!(chain = self.settings.name, height = shown.at.height, id, "reserves were published");
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(chain = self.settings.name, error, "the reserves were not published");
                self.waiting = Some((shown, Instant::now() + AGAIN));
            }
        }
    }

    /// What an asset is called in the settings; one that they do not name any more has its contract's name.
    fn name(&self, asset: &ChainAsset) -> String {
        let Some(contract) = asset.contract else { return self.settings.asset.clone() };
        let contract = xng_custody::evm::Address(contract).to_string();
        let tokens = self.settings.evm.iter().flat_map(|evm| &evm.token);
        let named = tokens.into_iter().find(|token| token.contract.eq_ignore_ascii_case(&contract));
        named.map_or(contract, |token| token.asset.clone())
    }

    /// Addresses that hold something with what each holds, ascending, without signatures.
    fn addresses(&self, shown: &Shown) -> Result<BTreeMap<String, (xng_core::chain::Key, Vec<Units>)>, String> {
        let mut all = BTreeMap::new();
        for (at, units) in shown.held.iter().filter(|(_, units)| units.0 > 0) {
            let Some(n) = shown.assets.iter().position(|asset| asset.asset == at.asset) else { continue };
            let address = self.chains.address(self.settings.chain(), at.key).map_err(|error| error.to_string())?;
            let row = all.entry(address).or_insert_with(|| (at.key, vec![Units(0); shown.assets.len()]));
            row.1[n] = *units;
        }
        Ok(all)
    }

    /// The id of the statement; none while no address holds anything.
    fn make(&self, shown: &Shown) -> Result<Option<String>, String> {
        let addresses = self.addresses(shown)?;
        if addresses.is_empty() {
            return Ok(None);
        }
        let form = if self.settings.evm.is_some() { Form::Evm } else { Form::Bitcoin };
        let asset = |(n, asset): (usize, &ChainAsset)| HeaderAsset {
            asset: self.name(asset),
            contract: asset.contract.map(|contract| xng_custody::evm::Address(contract).to_string()),
            decimals: asset.decimals,
            units: Units(addresses.values().map(|(_, units)| units[n].0).sum()),
        };
        let header = Header {
            format: FORMAT.to_owned(),
            chain: form,
            name: self.settings.name.clone(),
            chain_id: self.settings.evm.as_ref().map(|evm| evm.chain_id),
            height: shown.at.height,
            hash: shown.at.hash,
            time_ms: now_ms().cast_unsigned(),
            assets: shown.assets.iter().enumerate().map(asset).collect(),
            addresses: addresses.len() as u64,
        };
        let line = header.line().map_err(|error| error.to_string())?;
        let id =
            reserves::id(&line, addresses.iter().map(|(address, (_, units))| (address.as_str(), units.as_slice())));
        let mut rows = Vec::with_capacity(addresses.len());
        for (address, (key, units)) in addresses {
            let signature = self.signer.attest(form, key, &id).map_err(|error| error.to_string())?;
            rows.push(Row { address, units, signature });
        }
        let name = xng_custody::hex::encode(&id);
        let path = self.statements.unfinished(&name);
        let written = || -> io::Result<()> {
            let mut out = BufWriter::new(File::create(&path)?);
            reserves::write(&mut out, &line, &rows)?;
            out.flush()?;
            out.get_ref().sync_all()
        };
        written().map_err(|error| format!("{}: {error}", path.display()))?;
        let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        reserves::verify(&mut BufReader::new(file)).map_err(|wrong| wrong.to_string())?;
        self.statements.show(Stated { id: name.clone(), header }).map_err(|error| error.to_string())?;
        Ok(Some(name))
    }
}
