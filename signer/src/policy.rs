//! The owner's file: caps and cold addresses.
//!
//! Owns: the file's form and its defaults. Never does: take a limit from the exchange.
//! Invariants: an unknown word in the file stops the start, so that no limit is lost by a slip; a cold address is one of
//! the network. Known limits: read at the start only. Rules: `docs/custody.md "The signer's policy"`.

use crate::evm::{self, Address};
use crate::keys::Network;
use crate::protocol::whole;
use crate::transaction::destination;
use bitcoin::ScriptBuf;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::{error::Error, fs};

const DEFAULT: &str = include_str!("policy.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rings: u32,
    #[serde(rename = "BTC")]
    btc: Btc,
    /// Files of older releases have none: nothing is signed then.
    #[serde(rename = "ETH")]
    eth: Option<Eth>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Btc {
    hour_units: u64,
    fee_units: u64,
    fee_rate: u64,
    cold: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Eth {
    chain_id: u64,
    hour_units: String,
    fee_units: String,
    gas_price: String,
    cold: Vec<String>,
    #[serde(default, rename = "token")]
    tokens: Vec<Token>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Token {
    contract: String,
    hour_units: String,
}

/// What is allowed on an EVM chain.
#[derive(Debug)]
pub(crate) struct EvmPolicy {
    /// Which one (EIP-155).
    pub(crate) chain_id: u64,
    /// Wei that leave in an hour at most: payments to addresses that are neither cold nor ours, and fees.
    pub(crate) hour_units: u128,
    /// Wei that a transaction may cost at most, beside what it pays.
    pub(crate) fee_units: u128,
    /// Wei that a unit of gas may cost at most.
    pub(crate) gas_price: u128,
    /// Addresses that are paid without the hour's caps.
    pub(crate) cold: BTreeSet<Address>,
    /// Contracts of tokens that may be paid, with what leaves in an hour at most, in the token's units.
    pub(crate) tokens: BTreeMap<Address, u128>,
}

/// What is allowed.
#[derive(Debug)]
pub(crate) struct Policy {
    /// Accounts of the exchange: 0 to this, exclusive.
    pub(crate) rings: u32,
    /// Satoshi that leave in an hour at most: payments to other than cold addresses, and fees.
    pub(crate) hour_units: u64,
    /// Satoshi of a transaction's fee at most.
    pub(crate) fee_units: u64,
    /// Satoshi per 1,000 virtual bytes at most.
    pub(crate) fee_rate: u64,
    /// Scripts that are paid without the hour's cap.
    pub(crate) cold: BTreeSet<ScriptBuf>,
    /// On an EVM chain; none: nothing.
    pub(crate) evm: Option<EvmPolicy>,
}

/// A new file that allows little.
pub(crate) fn write_default(path: &Path, network: Network) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(default(network).as_bytes())?;
    file.sync_all()
}

/// Ethereum itself, its public test network, or the number that private nodes have.
fn default(network: Network) -> String {
    let chain_id = match network {
        Network::Main => 1,
        Network::Test => 11_155_111,
        Network::Regtest => 31_337,
    };
    DEFAULT.replace("chain_id = 1\n", &format!("chain_id = {chain_id}\n"))
}

pub(crate) fn read(path: &Path, network: Network) -> Result<Policy, Box<dyn Error>> {
    let wrong = |e: String| format!("{}: {e}", path.display());
    let text = fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    Ok(parse(&text, network).map_err(wrong)?)
}

fn parse(text: &str, network: Network) -> Result<Policy, String> {
    let File { rings, btc, eth } = toml::from_str(text).map_err(|e| e.to_string())?;
    let cold = btc.cold.iter().map(|text| destination(text, network).ok_or_else(|| format!("{text} is not paid here")));
    let cold = cold.collect::<Result<BTreeSet<ScriptBuf>, String>>()?;
    let (hour_units, fee_units, fee_rate) = (btc.hour_units, btc.fee_units, btc.fee_rate);
    Ok(Policy { rings, hour_units, fee_units, fee_rate, cold, evm: eth.map(parse_evm).transpose()? })
}

fn parse_evm(eth: Eth) -> Result<EvmPolicy, String> {
    let address = |text: &String| evm::destination(text).ok_or_else(|| format!("{text} is not paid here"));
    let units = |text: &str| whole(&text.replace('_', "")).ok_or_else(|| format!("{text} is no amount of whole units"));
    let mut tokens = BTreeMap::new();
    for token in &eth.tokens {
        if tokens.insert(address(&token.contract)?, units(&token.hour_units)?).is_some() {
            return Err(format!("token {} is there twice", token.contract));
        }
    }
    Ok(EvmPolicy {
        chain_id: eth.chain_id,
        hour_units: units(&eth.hour_units)?,
        fee_units: units(&eth.fee_units)?,
        gas_price: units(&eth.gas_price)?,
        cold: eth.cold.iter().map(address).collect::<Result<_, _>>()?,
        tokens,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_the_file_is_told() {
        let policy = parse(DEFAULT, Network::Main).unwrap();
        assert!(policy.rings == 1 && policy.cold.is_empty() && policy.hour_units > 0);
        assert!(parse(&DEFAULT.replace("fee_units", "fee_unit"), Network::Main).is_err());
        assert!(parse(&format!("{DEFAULT}\nhours = 1\n"), Network::Main).is_err());
        let cold = DEFAULT.replacen("cold = []", r#"cold = ["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"]"#, 1);
        assert_eq!(parse(&cold, Network::Regtest).unwrap().cold.len(), 1);
        assert!(parse(&cold, Network::Main).is_err(), "an address of another network");
    }

    #[test]
    fn an_evm_chain_has_caps_of_its_own_and_older_files_have_none() {
        let chain = |network| parse(&default(network), network).unwrap().evm.unwrap().chain_id;
        assert_eq!([Network::Main, Network::Test, Network::Regtest].map(chain), [1, 11_155_111, 31_337]);
        let (bitcoin, _) = DEFAULT.split_once("[ETH]").unwrap();
        assert!(parse(bitcoin, Network::Main).unwrap().evm.is_none());
        let contract = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
        let token = |contract: &str, units: &str| {
            let token = format!("[[ETH.token]]\ncontract = \"{contract}\"\nhour_units = \"{units}\"\n");
            parse(&format!("{DEFAULT}\n{token}"), Network::Main)
        };
        let most = "340_282_366_920_938_463_463_374_607_431_768_211_455";
        let policy = token(contract, most).unwrap().evm.unwrap();
        assert_eq!(policy.tokens.values().collect::<Vec<_>>(), [&u128::MAX]);
        assert!(token(&contract.replace('A', "a"), "1").is_err(), "a wrong checksum");
        for wrong in ["", "-1", "1.5", "1e18", "340282366920938463463374607431768211456"] {
            assert!(token(contract, wrong).is_err(), "{wrong}");
        }
        let twice = format!(
            "{DEFAULT}\n{0}{0}",
            format_args!("[[ETH.token]]\ncontract = \"{contract}\"\nhour_units = \"1\"\n")
        );
        assert!(parse(&twice, Network::Main).is_err());
    }
}
