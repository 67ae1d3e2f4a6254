//! `[[chain]]` in the settings: which chains' coins come in and leave, and where their nodes and signers are.
//!
//! Owns: the form of these settings. Never does: talk to a node; hold a private key: a chain's keys are with the signer, who tells
//! their extended public halves. Invariants: what does not fit together is refused before the exchange starts. Known limits:
//! Bitcoin and EVM chains; an EVM node answers everybody who reaches it, or a user with a password.

use super::keys::{Keys, contract};
use super::node::Node;
use crate::common::decimal::amount;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use xng_core::chain::{AccountKey, AccountsParams, ChainId, ChainParams, Token, TxId, Units, WithdrawalTerms};
use xng_core::ids::AssetId;
use xng_core::money::Amount;
use xng_custody::bitcoin::{Account, Auth, Bitcoind, FeeLimits, Limits, Network, Settings};
use xng_custody::evm::{self, Address, Evm, Finality, GasFee};
use xng_custody::port::FeeRate;

/// Bitcoin; its number is permanent. All others are EVM chains.
pub const BITCOIN: ChainId = ChainId(1);
/// Decimal places of its coin.
const BITCOIN_DECIMALS: u8 = 8;
/// Satoshi per 1,000 virtual bytes, least and most.
const FEES: (FeeRate, FeeRate) = (FeeRate(1_000), FeeRate(200_000));
/// Decimal places of an EVM chain's coin.
const EVM_DECIMALS: u8 = 18;
/// Numbers of EVM networks for tests: Görli, Holesky, Hoodi, Sepolia, those of BNB Chain, Polygon, Arbitrum, Base and OP, and of
/// private nodes.
const TEST_NETWORKS: [u64; 11] =
    [5, 17_000, 560_048, 11_155_111, 97, 80_002, 421_614, 84_532, 11_155_420, 1_337, 31_337];
/// Wei of a gwei.
const GWEI: u128 = 1_000_000_000;
/// A transaction should be in a block within so many.
const WITHIN_BLOCKS: u16 = 3;

/// A transaction as the explorers of its chain name it.
#[must_use]
pub(crate) fn txid_text(chain: ChainId, txid: TxId) -> String {
    if chain == BITCOIN { txid.to_string() } else { format!("0x{txid}") }
}

/// Which network a chain's node follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum NetworkName {
    Main,
    Test,
    Regtest,
}

/// One of `[[chain]]`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ChainSettings {
    pub id: u16,
    pub name: String,
    pub asset: String,
    pub network: NetworkName,
    pub node: String,
    pub cookie: Option<PathBuf>,
    pub user: Option<String>,
    pub password: Option<String>,
    pub account_keys: Vec<String>,
    pub confirmations: u32,
    pub min_deposit: String,
    pub addresses_a_user: u32,
    /// Statements of what our addresses hold are made and shown to everybody; the signer has to be there.
    #[serde(default)]
    pub publish_reserves: bool,
    pub withdrawals: Option<WithdrawalSettings>,
    pub evm: Option<EvmSettings>,
}

/// `[chain.evm]`: what an EVM chain has besides.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct EvmSettings {
    /// The number by which transactions name it (EIP-155).
    pub chain_id: u64,
    /// What the network of its tokens is called, as ERC20.
    pub token_network: String,
    /// The chain itself says what is final; otherwise `confirmations` do.
    pub finalized_tag: bool,
    pub min_sweep: String,
    pub coin_gas: u64,
    pub token_gas: u64,
    /// Gwei that a unit of gas costs at most.
    pub max_gas_price: u64,
    /// What of it is the block producer's at least.
    pub min_priority: u64,
    #[serde(default)]
    pub token: Vec<TokenSettings>,
}

/// One of `[[chain.evm.token]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct TokenSettings {
    pub asset: String,
    pub contract: String,
    pub decimals: u8,
    pub min_deposit: String,
    pub min_sweep: String,
    /// As the chain's, without `signer`.
    pub withdrawals: Option<WithdrawalSettings>,
}

/// `[chain.withdrawals]`: how coins of a chain leave.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct WithdrawalSettings {
    pub open: bool,
    /// Of a chain, not of a token.
    pub signer: Option<PathBuf>,
    pub fee: String,
    pub min: String,
    pub max: String,
    pub daily_limit: String,
    /// The same of an account of the advanced tier; without it as the basic one's.
    pub daily_limit_advanced: Option<String>,
    pub most_open: u32,
    pub auto_each: String,
    pub auto_day: String,
    pub auto_hour: String,
    pub two_votes_above: String,
    pub most_a_transaction: String,
    pub most_chain_fee: u64,
    pub bump_after_s: u64,
}

// Settings are in the log of each start; the node's password is not, nor what tells everybody's addresses.
impl fmt::Debug for ChainSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChainSettings { id, name, asset, network, node, cookie, user, account_keys, .. } = self;
        let ChainSettings { confirmations, min_deposit, addresses_a_user, publish_reserves, withdrawals, evm, .. } =
            self;
        f.debug_struct("ChainSettings")
            .field("id", id)
            .field("name", name)
            .field("asset", asset)
            .field("network", network)
            .field("node", node)
            .field("cookie", cookie)
            .field("user", user)
            .field("account_keys", &account_keys.len())
            .field("confirmations", confirmations)
            .field("min_deposit", min_deposit)
            .field("addresses_a_user", addresses_a_user)
            .field("publish_reserves", publish_reserves)
            .field("withdrawals", withdrawals)
            .field("evm", evm)
            .finish_non_exhaustive()
    }
}

/// Whether chains fit beside each other.
///
/// # Errors
/// What does not, for people.
pub fn check_together(chains: &[ChainSettings]) -> Result<(), String> {
    let (mut keys, mut networks) = (BTreeSet::new(), BTreeSet::new());
    let (mut numbers, mut names) = (BTreeSet::new(), BTreeSet::new());
    for chain in chains {
        let conflict = |what: &str| Err(format!("chain {}: {what}", chain.name));
        if !chain.account_keys.iter().all(|key| keys.insert(key)) {
            return conflict("an account key of another chain: two users would have one address");
        }
        if !names.insert(&chain.name) {
            return conflict("its name is another chain's");
        }
        if chain.publish_reserves && chain.signer().is_none() {
            return conflict("publish_reserves needs the signer of [chain.withdrawals]");
        }
        if !chain.evm.as_ref().is_none_or(|evm| numbers.insert(evm.chain_id)) {
            return conflict("its chain_id is named twice");
        }
        if !chain.networks().into_iter().all(|network| networks.insert(network)) {
            return conflict("an asset has two networks of one name");
        }
    }
    Ok(())
}

impl ChainSettings {
    /// Which chain it is.
    #[must_use]
    pub fn chain(&self) -> ChainId {
        ChainId(self.id)
    }

    /// Where its signer is; none when nothing leaves.
    #[must_use]
    pub fn signer(&self) -> Option<PathBuf> {
        self.withdrawals.as_ref().and_then(|withdrawals| withdrawals.signer.clone())
    }

    /// Whether it is a public or private network for tests, as far as its number tells.
    #[must_use]
    pub fn is_known_test(&self) -> bool {
        self.evm.as_ref().is_some_and(|evm| TEST_NETWORKS.contains(&evm.chain_id))
    }

    /// Its assets, and what users read as their networks.
    #[must_use]
    pub fn networks(&self) -> Vec<(&str, String)> {
        let name = |name: &str| name.to_ascii_lowercase();
        let evm =
            self.evm.iter().flat_map(|evm| evm.token.iter().map(|token| (&*token.asset, name(&evm.token_network))));
        std::iter::once((&*self.asset, name(&self.asset))).chain(evm).collect()
    }

    /// The terms of withdrawals of its coin and its tokens, by their assets; none of what does not leave.
    ///
    /// # Errors
    /// What does not fit together, for people.
    pub fn terms(
        &self,
        asset: impl Fn(&str) -> Option<AssetId>,
    ) -> Result<Vec<(AssetId, Option<WithdrawalTerms>)>, String> {
        let listed = |name: &String| asset(name).ok_or_else(|| format!("asset {name} is not listed"));
        if self.withdrawals.as_ref().is_some_and(|withdrawals| withdrawals.signer.is_none()) {
            return Err("withdrawals: signer is missing".into());
        }
        let mut all = vec![(listed(&self.asset)?, self.terms_of(self.withdrawals.as_ref(), None)?)];
        for token in self.evm.iter().flat_map(|evm| &evm.token) {
            let its = listed(&token.asset)?;
            if token.withdrawals.as_ref().is_some_and(|withdrawals| withdrawals.signer.is_some()) {
                return Err(format!("token {}: withdrawals: the signer is the chain's", token.asset));
            }
            if token.withdrawals.is_some() && self.withdrawals.is_none() {
                return Err(format!("token {}: withdrawals: the chain has none", token.asset));
            }
            let terms = self.terms_of(token.withdrawals.as_ref(), Some(its));
            all.push((its, terms.map_err(|what| format!("token {}: {what}", token.asset))?));
        }
        Ok(all)
    }

    fn terms_of(
        &self,
        settings: Option<&WithdrawalSettings>,
        token: Option<AssetId>,
    ) -> Result<Option<WithdrawalTerms>, String> {
        let Some(w) = settings else { return Ok(None) };
        let number = |name: &str, text: &str| amount(text).map_err(|_| format!("withdrawals: {name} is not an amount"));
        let terms = WithdrawalTerms {
            chain: self.chain(),
            version: 0,
            open: w.open,
            fee: number("fee", &w.fee)?,
            min: number("min", &w.min)?,
            max: number("max", &w.max)?,
            daily_limit: number("daily_limit", &w.daily_limit)?,
            daily_limit_advanced: number(
                "daily_limit_advanced",
                w.daily_limit_advanced.as_ref().unwrap_or(&w.daily_limit),
            )?,
            most_open: w.most_open,
            auto_each: number("auto_each", &w.auto_each)?,
            auto_day: number("auto_day", &w.auto_day)?,
            auto_hour: number("auto_hour", &w.auto_hour)?,
            two_votes_above: number("two_votes_above", &w.two_votes_above)?,
            most_a_transaction: number("most_a_transaction", &w.most_a_transaction)?,
            most_chain_fee: Units(u128::from(w.most_chain_fee)),
            bump_after_ms: w.bump_after_s.saturating_mul(1_000),
            token,
        };
        terms.check().map_err(|_| "withdrawals: the numbers do not fit together".to_owned())?;
        Ok(Some(terms))
    }

    pub(super) fn network(&self) -> Network {
        match self.network {
            NetworkName::Main => Network::Main,
            NetworkName::Test => Network::Test,
            NetworkName::Regtest => Network::Regtest,
        }
    }

    /// The accounts whose keys addresses are made of.
    ///
    /// # Errors
    /// What is wrong with one of them, for people.
    pub fn keys(&self) -> Result<Keys, String> {
        let keys = match &self.evm {
            Some(evm) => {
                let account = |key: &String| evm::Account::new(key).map_err(|error| error.to_string());
                Keys::Evm(evm.chain_id, self.account_keys.iter().map(account).collect::<Result<_, _>>()?)
            }
            None => {
                let account = |key: &String| Account::new(key, self.network()).map_err(|error| error.to_string());
                let accounts = self.account_keys.iter().map(account).collect::<Result<_, _>>()?;
                Keys::Bitcoin(self.network(), accounts)
            }
        };
        let rings: BTreeSet<u32> = keys.rings().into_iter().collect();
        match self.account_keys.len() {
            0 => Err("account_keys is empty".into()),
            keys if keys != rings.len() => Err("two of account_keys are of one account".into()),
            _ => Ok(keys),
        }
    }

    /// Its parameters. New addresses are made of the last account key.
    ///
    /// # Errors
    /// What does not fit together, for people.
    pub fn params(&self, asset: impl Fn(&str) -> Option<AssetId>) -> Result<ChainParams, String> {
        if self.node.contains('@') {
            return Err("node names a user: say user and password apart".into());
        }
        if (self.chain() == BITCOIN) != self.evm.is_none() {
            return Err(format!("chain {}: 1 is Bitcoin, all others are EVM chains and have a table evm", self.id));
        }
        let rings = self.keys()?.rings();
        let fingerprint = |text: &String| {
            let digest = Sha256::digest(text.as_bytes());
            std::array::from_fn(|n| digest[n])
        };
        let of_each = rings.iter().zip(&self.account_keys);
        let mut keys: Vec<AccountKey> =
            of_each.map(|(ring, text)| AccountKey { ring: *ring, fingerprint: fingerprint(text) }).collect();
        keys.sort_by_key(|key| key.ring);
        let accounts = self.evm.as_ref().map(|evm| evm.params(&asset)).transpose()?;
        let asset = asset(&self.asset).ok_or_else(|| format!("asset {} is not listed", self.asset))?;
        let min_deposit = amount(&self.min_deposit).map_err(|_| "min_deposit is not an amount")?;
        let params = ChainParams {
            chain: self.chain(),
            version: 0,
            name: self.name.clone(),
            asset,
            decimals: if accounts.is_some() { EVM_DECIMALS } else { BITCOIN_DECIMALS },
            confirmations: self.confirmations,
            min_deposit,
            addresses: self.addresses_a_user,
            keys,
            ring: rings.last().copied().unwrap_or_default(),
            accounts,
        };
        params.check().map_err(|_| "its numbers are outside of their bounds".to_owned())?;
        Ok(params)
    }

    /// The way to its node.
    ///
    /// # Errors
    /// When it does not say how the node knows us.
    pub(super) fn node(&self) -> Result<Node, String> {
        Ok(match &self.evm {
            Some(evm) => Node::Accounts(Box::new(self.evm_node(evm)?)),
            None => Node::Coins(Box::new(self.bitcoind()?)),
        })
    }

    /// Whether there is one.
    ///
    /// # Errors
    /// When it does not say how the node knows us.
    pub fn check_node(&self) -> Result<(), String> {
        self.node().map(drop)
    }

    fn evm_node(&self, settings: &EvmSettings) -> Result<Evm, String> {
        let auth = match (&self.cookie, &self.user, &self.password) {
            (None, None, None) => Auth::Open,
            (None, Some(user), Some(password)) => Auth::User { name: user.clone(), password: password.clone() },
            _ => return Err("it needs a user and a password, or none of them".into()),
        };
        let finality = match settings.finalized_tag {
            true => Finality::Tag,
            false => Finality::Confirmations(u64::from(self.confirmations)),
        };
        let tokens = settings.token.iter().map(|token| contract(&token.contract).map(Address));
        let floor = u128::from(settings.min_priority) * GWEI;
        let cap = u128::from(settings.max_gas_price) * GWEI;
        let fee = |all, priority| GasFee { max_fee_per_gas: all, max_priority_fee_per_gas: priority };
        Ok(Evm::new(evm::Settings {
            url: self.node.clone(),
            auth,
            chain_id: settings.chain_id,
            finality,
            tokens: tokens.collect::<Result<_, _>>().map_err(|error| error.to_string())?,
            fees: evm::FeeLimits { floor: fee(floor, floor), cap: fee(cap, cap) },
            gas_cap: settings.coin_gas.max(settings.token_gas),
            limits: Limits::default(),
        }))
    }

    fn bitcoind(&self) -> Result<Bitcoind, String> {
        let auth = match (&self.cookie, &self.user, &self.password) {
            (Some(path), None, None) => Auth::Cookie(path.clone()),
            (None, Some(user), Some(password)) => Auth::User { name: user.clone(), password: password.clone() },
            _ => return Err("it needs a cookie, or a user and a password".into()),
        };
        let (floor, cap) = FEES;
        Ok(Bitcoind::new(Settings {
            url: self.node.clone(),
            auth,
            network: self.network(),
            confirmations: u64::from(self.confirmations),
            fees: FeeLimits { floor, cap, within_blocks: WITHIN_BLOCKS },
            limits: Limits::default(),
        }))
    }
}

impl EvmSettings {
    fn params(&self, asset: impl Fn(&str) -> Option<AssetId>) -> Result<AccountsParams, String> {
        let number = |name: &str, text: &str| -> Result<Amount, String> {
            amount(text).map_err(|_| format!("{name} is not an amount"))
        };
        let token = |of: &TokenSettings| {
            let wrong = |what: String| format!("token {}: {what}", of.asset);
            Ok::<Token, String>(Token {
                asset: asset(&of.asset).ok_or_else(|| wrong("the asset is not listed".into()))?,
                contract: contract(&of.contract).map_err(|error| wrong(error.to_string()))?,
                decimals: of.decimals,
                min_deposit: number("min_deposit", &of.min_deposit).map_err(wrong)?,
                min_sweep: number("min_sweep", &of.min_sweep).map_err(wrong)?,
            })
        };
        let mut tokens = self.token.iter().map(token).collect::<Result<Vec<Token>, String>>()?;
        tokens.sort_by_key(|token| token.asset);
        let min_sweep = number("min_sweep", &self.min_sweep)?;
        let (chain_id, coin_gas, token_gas) = (self.chain_id, self.coin_gas, self.token_gas);
        Ok(AccountsParams { chain_id, min_sweep, coin_gas, token_gas, tokens })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "xpub6D1xULM2mpe3DMaQHWnKysAcdWao5zNqp2n7C33aZEW2rMDiykDpZmFHYbgLhHgKCQePUt5d7AC5BSxBiB5LMkSAPXonYuusf9xjdgpapzG";

    fn terms(more: &str) -> String {
        format!(
            "open = true\nfee = \"1\"\nmin = \"5\"\nmax = \"100\"\ndaily_limit = \"100\"\nmost_open = 5\nauto_each = \"5\"\n\
             auto_day = \"50\"\nauto_hour = \"50\"\ntwo_votes_above = \"50\"\nmost_a_transaction = \"100\"\n\
             most_chain_fee = 10000000000000000\nbump_after_s = 60\n{more}"
        )
    }

    fn text(id: u16) -> String {
        format!(
            "id = {id}\nname = \"Ethereum\"\nasset = \"ETH\"\nnetwork = \"main\"\nnode = \"http://127.0.0.1:8545\"\n\
             account_keys = [{KEY:?}]\nconfirmations = 64\nmin_deposit = \"0.001\"\naddresses_a_user = 1\n\
             [withdrawals]\n{}[evm]\nchain_id = 1\ntoken_network = \"ERC20\"\nfinalized_tag = true\nmin_sweep = \"0.1\"\n\
             coin_gas = 60000\ntoken_gas = 100000\nmax_gas_price = 100\nmin_priority = 1\n[[evm.token]]\nasset = \"USDT\"\n\
             contract = \"0xdAC17F958D2ee523a2206206994597C13D831ec7\"\ndecimals = 6\nmin_deposit = \"1\"\n\
             min_sweep = \"100\"\n[evm.token.withdrawals]\n{}",
            terms("signer = \"/run/signer.sock\"\n"),
            terms("")
        )
    }

    fn asset(name: &str) -> Option<AssetId> {
        ["ETH", "USDT"].iter().position(|listed| *listed == name).map(|n| AssetId(n as u32 + 2))
    }

    /// What is wrong, once these texts are replaced; nothing when all is right.
    fn wrong(id: u16, changes: &[(&str, &str)]) -> Option<String> {
        let changed = changes.iter().fold(text(id), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        let settings: ChainSettings = match toml::from_str(&changed) {
            Ok(settings) => settings,
            Err(error) => return Some(error.to_string()),
        };
        settings.params(asset).err().or(settings.terms(asset).err()).or(settings.check_node().err())
    }

    #[test]
    fn chains_have_names_and_keys_of_their_own_and_somebody_signs_what_is_published() {
        let chain = |id: u16, name: &str| ChainSettings { name: name.into(), ..toml::from_str(&text(id)).unwrap() };
        let told = |chains: &[ChainSettings]| check_together(chains).err().unwrap_or_default();
        let bitcoin = chain(1, "Bitcoin");
        assert_eq!(told(std::slice::from_ref(&bitcoin)), "");
        assert!(told(&[bitcoin.clone(), bitcoin.clone()]).contains("an account key of another chain"));
        let other = ChainSettings { account_keys: vec!["other".into()], ..bitcoin.clone() };
        assert!(told(&[bitcoin.clone(), other]).contains("its name is another chain's"));
        let unsigned = ChainSettings { publish_reserves: true, withdrawals: None, ..bitcoin };
        assert!(told(&[unsigned]).contains("publish_reserves needs the signer"));
    }

    #[test]
    fn an_evm_chain_has_its_coin_its_tokens_and_terms_of_each() {
        assert_eq!(wrong(2, &[]), None);
        let settings: ChainSettings = toml::from_str(&text(2)).unwrap();
        let params = settings.params(asset).unwrap();
        let assets: Vec<(u32, u8)> = params.assets().map(|asset| (asset.asset.0, asset.decimals)).collect();
        assert_eq!((assets, params.ring), (vec![(2, 18), (3, 6)], 0));
        let terms = settings.terms(asset).unwrap();
        let tokens: Vec<Option<AssetId>> = terms.iter().map(|(_, terms)| terms.as_ref().unwrap().token).collect();
        assert_eq!(tokens, [None, Some(AssetId(3))]);
        assert_eq!(settings.networks(), [("ETH", "eth".to_owned()), ("USDT", "erc20".to_owned())]);
        assert!(!settings.is_known_test());
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let says = |id, changes: &[(&str, &str)], words: &str| {
            let said = wrong(id, changes).unwrap_or_else(|| panic!("{changes:?} is taken"));
            assert!(said.contains(words), "{changes:?}: {said}");
        };
        says(1, &[], "1 is Bitcoin");
        says(2, &[("signer = \"/run/signer.sock\"\n", "")], "signer is missing");
        says(
            2,
            &[("[evm.token.withdrawals]\n", "[evm.token.withdrawals]\nsigner = \"x\"\n")],
            "the signer is the chain's",
        );
        says(2, &[("asset = \"USDT\"", "asset = \"DAI\"")], "not listed");
        says(2, &[("asset = \"USDT\"", "asset = \"ETH\"")], "outside of their bounds");
        says(2, &[("decimals = 6", "decimals = 19")], "outside of their bounds");
        says(2, &[("min_sweep = \"100\"", "min_sweep = \"0.0000001\"")], "outside of their bounds");
        says(2, &[("token_gas = 100000", "token_gas = 50000")], "outside of their bounds");
        says(
            2,
            &[("0xdAC17F958D2ee523a2206206994597C13D831ec7", "0xdAC17F958D2ee523a2206206994597C13D831ec8")],
            "checksum",
        );
        says(2, &[("network = \"main\"", "network = \"main\"\ncookie = \"/x\"")], "user and a password");
    }
}
