//! `[[chain]]` in the settings: which chains' coins come in and leave, and where their nodes and signers are.
//!
//! Owns: the form of these settings. Never does: talk to a node; hold a private key: a chain's keys are with the signer, who tells
//! their extended public halves. Invariants: what does not fit together is refused before the exchange starts. Known limits: Bitcoin.

use crate::common::decimal::amount;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use xng_core::chain::{AccountKey, ChainId, ChainParams, Units, WithdrawalTerms};
use xng_core::ids::AssetId;
use xng_custody::bitcoin::{Account, Auth, Bitcoind, FeeLimits, Limits, Network, Settings};
use xng_custody::port::FeeRate;

/// The only chain so far; its number is permanent.
pub const BITCOIN: ChainId = ChainId(1);
/// Decimal places of its coin.
const BITCOIN_DECIMALS: u8 = 8;
/// Satoshi per 1,000 virtual bytes, least and most.
const FEES: (FeeRate, FeeRate) = (FeeRate(1_000), FeeRate(200_000));
/// A transaction should be in a block within so many.
const WITHIN_BLOCKS: u16 = 3;

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
    pub withdrawals: Option<WithdrawalSettings>,
}

/// `[chain.withdrawals]`: how coins of a chain leave.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct WithdrawalSettings {
    pub open: bool,
    pub signer: PathBuf,
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
        let ChainSettings { confirmations, min_deposit, addresses_a_user, withdrawals, .. } = self;
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
            .field("withdrawals", withdrawals)
            .finish_non_exhaustive()
    }
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
        self.withdrawals.as_ref().map(|withdrawals| withdrawals.signer.clone())
    }

    /// The terms of its withdrawals, when it has some.
    ///
    /// # Errors
    /// What does not fit together, for people.
    pub fn terms(&self) -> Result<Option<WithdrawalTerms>, String> {
        let Some(w) = &self.withdrawals else { return Ok(None) };
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
    pub fn accounts(&self) -> Result<Vec<Account>, String> {
        let account = |key: &String| Account::new(key, self.network()).map_err(|error| error.to_string());
        let accounts = self.account_keys.iter().map(account).collect::<Result<Vec<_>, _>>()?;
        let rings: BTreeSet<u32> = accounts.iter().map(Account::ring).collect();
        match accounts.len() {
            0 => Err("account_keys is empty".into()),
            keys if keys != rings.len() => Err("two of account_keys are of one account".into()),
            _ => Ok(accounts),
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
        if self.chain() != BITCOIN {
            return Err(format!("chain {} is not known: 1 is Bitcoin", self.id));
        }
        let accounts = self.accounts()?;
        let fingerprint = |text: &String| {
            let digest = Sha256::digest(text.as_bytes());
            std::array::from_fn(|n| digest[n])
        };
        let of_each = accounts.iter().zip(&self.account_keys);
        let mut keys: Vec<AccountKey> = of_each
            .map(|(account, text)| AccountKey { ring: account.ring(), fingerprint: fingerprint(text) })
            .collect();
        keys.sort_by_key(|key| key.ring);
        let asset = asset(&self.asset).ok_or_else(|| format!("asset {} is not listed", self.asset))?;
        let min_deposit = amount(&self.min_deposit).map_err(|_| "min_deposit is not an amount")?;
        let params = ChainParams {
            chain: self.chain(),
            version: 0,
            name: self.name.clone(),
            asset,
            decimals: BITCOIN_DECIMALS,
            confirmations: self.confirmations,
            min_deposit,
            addresses: self.addresses_a_user,
            keys,
            ring: accounts.last().map_or(0, Account::ring),
        };
        params.check().map_err(|_| "its numbers are outside of their bounds".to_owned())?;
        Ok(params)
    }

    /// The way to its node.
    ///
    /// # Errors
    /// When it does not say how the node knows us.
    pub fn adapter(&self) -> Result<Bitcoind, String> {
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
