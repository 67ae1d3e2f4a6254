//! Makes statements of reserves: what a check showed to be there, signed by the key of each address.
//!
//! Owns: the thread of each chain whose reserves are published, which addresses a statement names, asking the signer for each, what is
//! tried again. Never does: hold a key; state what no check showed, or anything of a chain that is halted; keep a check or a payment
//! waiting. Invariants: each signature is checked when it comes, and the file as anybody would check it before it is shown; what was
//! signed is not asked for again. Rules: `docs/rules/custody.md "Statements of reserves"`. Known limits: a question to the signer an
//! address, one after the other.

use super::chains::Chains;
use super::settings::ChainSettings;
use super::statements::{Stated, Statements, chain_key};
use crate::common::critical_task;
use crate::common::time::now_ms;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use xng_core::chain::{AssetKey, ChainAsset, Cursor, Key, Units};
use xng_custody::evm::Address;
use xng_custody::hex;
use xng_custody::reserves::{self, FORMAT, Header, HeaderAsset, Row};
use xng_custody::signer::{Signer, SignerError};

/// How often it is looked whether there is something to sign.
const LOOK: Duration = Duration::from_secs(1);
/// The signer's answer may take so long.
const SIGNS_WITHIN: Duration = Duration::from_secs(10);
/// After a signer that was not there.
const UNREACHABLE_RETRY: Duration = Duration::from_secs(10);
/// After something that does not pass by itself.
const FAILED_RETRY: Duration = Duration::from_secs(3_600);

/// What a check showed to be there.
#[derive(Clone)]
pub(super) struct CheckedHoldings {
    /// After which block.
    pub(super) at: Cursor,
    /// The chain's assets, the coin first.
    pub(super) assets: Vec<ChainAsset>,
    /// What each address holds.
    pub(super) held: BTreeMap<AssetKey, Units>,
}

/// What the last check showed, until the publisher's thread takes it.
#[derive(Clone, Default)]
pub(super) struct PublisherInbox(Arc<Mutex<Option<CheckedHoldings>>>);

impl PublisherInbox {
    /// Starts the thread of a chain; none of one whose reserves are not published.
    ///
    /// # Errors
    /// No thread to be had.
    pub(super) fn start(
        settings: &ChainSettings,
        chains: &Arc<Chains>,
        statements: &Arc<Statements>,
    ) -> io::Result<Option<PublisherInbox>> {
        let Some(socket) = settings.signer().filter(|_| settings.publish_reserves) else { return Ok(None) };
        let (publishing, signer) = (PublisherInbox::default(), Signer::new(socket, SIGNS_WITHIN));
        let (settings, chains, statements) = (settings.clone(), chains.clone(), statements.clone());
        let mut publisher = Publisher { settings, signer, chains, statements, draft: None, next: Instant::now() };
        let shown = publishing.clone();
        critical_task::spawn("reserve statements", move || {
            loop {
                std::thread::sleep(LOOK);
                publisher.round(shown.take());
            }
        })?;
        Ok(Some(publishing))
    }

    /// A check showed all that is ours: it takes the place of what is not published yet.
    pub(super) fn publish(&self, shown: CheckedHoldings) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(shown);
    }

    fn take(&self) -> Option<CheckedHoldings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Why there is no statement yet.
enum Stop {
    /// It is tried again soon.
    Unreachable(String),
    /// Somebody has to look.
    Failed(String),
    /// It is not stated at all.
    Halted,
}

impl From<SignerError> for Stop {
    fn from(error: SignerError) -> Stop {
        let text = error.to_string();
        match error {
            SignerError::Unreachable(_) => Stop::Unreachable(text),
            SignerError::Refused { .. } | SignerError::Shape(_) => Stop::Failed(text),
        }
    }
}

/// A statement of which signatures are still missing.
struct Draft {
    header: Header,
    line: String,
    id: [u8; 32],
    /// Keys of the rows that are not signed yet, the last row first.
    unsigned: Vec<(String, Key, Vec<Units>)>,
    rows: Vec<Row>,
}

struct Publisher {
    settings: ChainSettings,
    signer: Signer,
    chains: Arc<Chains>,
    statements: Arc<Statements>,
    draft: Option<Draft>,
    /// Not before then.
    next: Instant,
}

impl Publisher {
    fn round(&mut self, shown: Option<CheckedHoldings>) {
        if let Some(shown) = shown {
            (self.draft, self.next) = (None, Instant::now());
            match self.draft(&shown) {
                Ok(draft) => self.draft = draft,
                Err(error) => tracing::warn!(chain = self.settings.name, error, "the reserves are not published"),
            }
        }
        if self.draft.is_none() || Instant::now() < self.next {
            return;
        }
        match self.finish() {
            Ok(()) | Err(Stop::Halted) => self.draft = None,
            Err(Stop::Unreachable(error)) => self.wait(&error, UNREACHABLE_RETRY),
            Err(Stop::Failed(error)) => self.wait(&error, FAILED_RETRY),
        }
    }

    fn wait(&mut self, error: &str, time: Duration) {
        tracing::warn!(chain = self.settings.name, error, "the reserves are not published yet");
        self.next = Instant::now() + time;
    }

    /// What an asset is called in the settings; one that they do not name any more has its contract's name.
    fn name(&self, asset: &ChainAsset) -> String {
        let Some(contract) = asset.contract else { return self.settings.asset.clone() };
        let contract = Address(contract).to_string();
        let tokens = self.settings.evm.iter().flat_map(|evm| &evm.token);
        let named = tokens.into_iter().find(|token| token.contract.eq_ignore_ascii_case(&contract));
        named.map_or(contract, |token| token.asset.clone())
    }

    /// A statement without signatures; none while no address holds anything.
    fn draft(&self, shown: &CheckedHoldings) -> Result<Option<Draft>, String> {
        let mut addresses = BTreeMap::<String, (Key, Vec<Units>)>::new();
        for (at, units) in shown.held.iter().filter(|(_, units)| units.0 > 0) {
            let Some(n) = shown.assets.iter().position(|asset| asset.asset == at.asset) else { continue };
            let address = self.chains.address(self.settings.chain(), at.key).map_err(|error| error.to_string())?;
            let row = addresses.entry(address).or_insert_with(|| (at.key, vec![Units(0); shown.assets.len()]));
            row.1[n] = *units;
        }
        if addresses.is_empty() {
            return Ok(None);
        }
        let asset = |(n, asset): (usize, &ChainAsset)| HeaderAsset {
            asset: self.name(asset),
            contract: asset.contract.map(|contract| Address(contract).to_string()),
            decimals: asset.decimals,
            units: Units(addresses.values().map(|(_, units)| units[n].0).sum()),
        };
        let (chain, chain_id) = chain_key(&self.settings);
        let header = Header {
            format: FORMAT.to_owned(),
            chain,
            name: self.settings.name.clone(),
            chain_id,
            height: shown.at.height,
            hash: shown.at.hash,
            time_ms: now_ms().cast_unsigned(),
            assets: shown.assets.iter().enumerate().map(asset).collect(),
            addresses: addresses.len() as u64,
        };
        // Nobody signs what could not be published.
        reserves::check_header(&header).map_err(|what| what.to_string())?;
        let line = header.line().map_err(|error| error.to_string())?;
        let rows = addresses.iter().map(|(address, (_, units))| (address.as_str(), units.as_slice()));
        let id = reserves::id(&line, rows);
        let unsigned = addresses.into_iter().rev().map(|(address, (key, units))| (address, key, units)).collect();
        Ok(Some(Draft { header, line, id, unsigned, rows: Vec::new() }))
    }

    fn is_halted(&self) -> bool {
        self.chains.look(self.settings.chain(), |chain| chain.halted().is_some()).unwrap_or(true)
    }

    /// Has what is missing signed, and shows the statement.
    fn finish(&mut self) -> Result<(), Stop> {
        let Some(mut draft) = self.draft.take() else { return Ok(()) };
        let signed = self.sign(&mut draft);
        let draft = self.draft.insert(draft);
        signed?;
        let (id, chain) = (hex::encode(&draft.id), self.settings.chain());
        let path = self.statements.unfinished(chain);
        let written = write(&path, draft);
        if written.is_err() {
            // A disk that was full is not kept full.
            drop(fs::remove_file(&path));
        }
        written.map_err(|error| Stop::Failed(format!("{}: {error}", path.display())))?;
        let stated = Stated { id: id.clone(), header: draft.header.clone() };
        if self.is_halted() {
            return Err(Stop::Halted);
        }
        self.statements.show(chain, stated).map_err(|error| Stop::Failed(error.to_string()))?;
        tracing::info!(chain = self.settings.name, id, "reserves were published");
        Ok(())
    }

    fn sign(&self, draft: &mut Draft) -> Result<(), Stop> {
        let form = draft.header.chain;
        while let Some((address, key, units)) = draft.unsigned.last() {
            if self.is_halted() {
                return Err(Stop::Halted);
            }
            let signature = self.signer.attest(form, *key, &draft.id)?;
            match reserves::holds(form, address, &draft.id, &signature) {
                Ok(true) => {}
                Ok(false) => return Err(Stop::Failed(format!("the signer has another key for {address}"))),
                Err(what) => return Err(Stop::Failed(format!("the signer's answer for {address}: {what}"))),
            }
            draft.rows.push(Row { address: address.clone(), units: units.clone(), signature });
            draft.unsigned.pop();
        }
        Ok(())
    }
}

/// Writes it, and reads it as anybody would.
fn write(path: &Path, draft: &Draft) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    reserves::write(&mut out, &draft.line, &draft.rows)?;
    out.flush()?;
    out.get_ref().sync_all()?;
    let proven = reserves::verify(&mut BufReader::new(File::open(path)?)).map_err(io::Error::other)?;
    if proven.id == draft.id { Ok(()) } else { Err(io::Error::other("its id is another one")) }
}
