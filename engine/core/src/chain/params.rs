//! Parameters of a chain.
//!
//! Owns: these, whether they fit together, how units of the chain become amounts. Never does: decide.
//! Invariants: an amount is never more than its units are worth. Known limits: tokens only on chains of accounts.

use super::coins::{Contract, Units};
use crate::codec::Wire;
use crate::ids::{AssetId, id};
use crate::money::Amount;
use crate::reject::Reject;
use crate::system_accounts::CUSTODY_PLACES;

id!(
    /// A chain; its custody account is 99 and this.
    ChainId(u16)
);

/// Decimal places of an [`Amount`].
const AMOUNT_DECIMALS: u8 = 8;
/// Decimal places of a chain's coin at most: more than any chain has, and amounts fit.
const MOST_DECIMALS: u8 = 18;
/// Addresses of one account at most.
const MOST_ADDRESSES: u32 = 1_000;
/// Confirmations that may be asked for.
const MOST_CONFIRMATIONS: u32 = 10_000;
/// Account keys of a chain at most.
const MOST_KEYS: usize = 64;
/// The longest name.
const LONGEST_NAME: usize = 32;
/// Tokens of a chain at most.
const MOST_TOKENS: usize = 64;
/// Gas of one transfer: no less is taken, and what takes more is no plain transfer.
const GAS: (u64, u64) = (21_000, 1_000_000);
/// A transfer of a token takes about as much to an address that had none of it; a limit that does not suffice stays in the plan.
const LEAST_TOKEN_GAS: u64 = 60_000;

crate::wire_struct! {
    /// An account key of which addresses are made: what tells it from others, for it must never be another one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct AccountKey {
        /// Its hardened number in the path.
        pub ring: u32,
        /// The first bytes of the digest of its extended public key.
        pub fingerprint: [u8; 8],
    }
}

crate::wire_struct! {
    /// A token of a chain of accounts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Token {
        /// Which asset it is.
        pub asset: AssetId,
        /// Its contract.
        pub contract: Contract,
        /// Decimal places of its smallest unit.
        pub decimals: u8,
        /// What is credited at least.
        pub min_deposit: Amount,
        /// What an address has to hold to be swept.
        pub min_sweep: Amount,
    }
}

crate::wire_struct! {
    /// What a chain of accounts (EVM) has besides.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AccountsParams {
        /// The number by which transactions name the chain (EIP-155).
        pub chain_id: u64,
        /// What of the chain's coin an address has to hold to be swept.
        pub min_sweep: Amount,
        /// Gas that a payment of the coin may take: its receiver may be a contract.
        pub coin_gas: u64,
        /// Gas that a transfer of a token may take.
        pub token_gas: u64,
        /// Tokens that are credited and paid, by their assets.
        pub tokens: Vec<Token>,
    }
}

crate::wire_struct! {
    /// Parameters of a chain.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ChainParams {
        /// Which.
        pub chain: ChainId,
        /// Grows with each change; who changes them names the one that is in force, 0 at first.
        pub version: u32,
        /// Its name, for people.
        pub name: String,
        /// Its own coin.
        pub asset: AssetId,
        /// Decimal places of the coin.
        pub decimals: u8,
        /// Blocks from the tip on, the tip among them, that make a block final; where the chain itself says what is final, about
        /// how many that are.
        pub confirmations: u32,
        /// What is credited at least.
        pub min_deposit: Amount,
        /// Addresses that one account may have.
        pub addresses: u32,
        /// Account keys, by their rings; none is ever taken away.
        pub keys: Vec<AccountKey>,
        /// The one of which addresses are made from now on.
        pub ring: u32,
        /// Of a chain whose transactions move balances of accounts; none of one whose transactions spend outputs (Bitcoin).
        pub accounts: Option<AccountsParams>,
    }
}

crate::wire_struct! {
    /// Their first form: chains of coins alone.
    #[derive(Debug, Clone)]
    pub struct ChainParamsV1 {
        /// Which.
        pub chain: ChainId,
        /// Grows with each change.
        pub version: u32,
        /// Its name.
        pub name: String,
        /// Its own coin.
        pub asset: AssetId,
        /// Decimal places of the coin.
        pub decimals: u8,
        /// Blocks that make a block final.
        pub confirmations: u32,
        /// What is credited at least.
        pub min_deposit: Amount,
        /// Addresses that one account may have.
        pub addresses: u32,
        /// Account keys.
        pub keys: Vec<AccountKey>,
        /// The one that is used.
        pub ring: u32,
    }
}

impl From<ChainParamsV1> for ChainParams {
    fn from(old: ChainParamsV1) -> ChainParams {
        let ChainParamsV1 { chain, version, name, asset, decimals, confirmations, .. } = old;
        let ChainParamsV1 { min_deposit, addresses, keys, ring, .. } = old;
        let accounts = None;
        ChainParams {
            chain,
            version,
            name,
            asset,
            decimals,
            confirmations,
            min_deposit,
            addresses,
            keys,
            ring,
            accounts,
        }
    }
}

/// An asset of a chain: its coin or one of its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainAsset {
    /// Which.
    pub asset: AssetId,
    /// A token's contract; none of the coin.
    pub contract: Option<Contract>,
    /// Decimal places of its smallest unit.
    pub decimals: u8,
    /// What is credited at least.
    pub min_deposit: Amount,
    /// What an address has to hold to be swept.
    pub min_sweep: Amount,
}

fn is_form_of_amounts(decimals: u8) -> bool {
    decimals <= MOST_DECIMALS
}

impl AccountsParams {
    fn is_good(&self, coin: AssetId) -> bool {
        let is_token = |token: &Token| {
            is_form_of_amounts(token.decimals)
                && token.min_deposit.is_positive()
                && token.min_sweep.is_positive()
                && token.asset != coin
                && token.contract != [0; 20]
        };
        let mut contracts: Vec<Contract> = self.tokens.iter().map(|token| token.contract).collect();
        contracts.sort_unstable();
        self.chain_id > 0
            && self.min_sweep.is_positive()
            && (GAS.0..=GAS.1).contains(&self.coin_gas)
            && (LEAST_TOKEN_GAS..=GAS.1).contains(&self.token_gas)
            && self.tokens.len() <= MOST_TOKENS
            && self.tokens.windows(2).all(|pair| pair[0].asset < pair[1].asset)
            && contracts.windows(2).all(|pair| pair[0] != pair[1])
            && self.tokens.iter().all(is_token)
    }

    /// What is on the books means the same by these.
    fn keeps(&self, old: &AccountsParams) -> bool {
        let same = |was: &Token| {
            let is = |token: &&Token| token.asset == was.asset;
            let now = self.tokens.iter().find(is);
            now.is_some_and(|now| (now.contract, now.decimals) == (was.contract, was.decimals))
        };
        self.chain_id == old.chain_id && old.tokens.iter().all(same)
    }
}

impl ChainParams {
    /// Whether they fit together.
    ///
    /// # Errors
    /// `BadParameters`.
    pub fn check(&self) -> Result<(), Reject> {
        let good = (1..=CUSTODY_PLACES).contains(&u64::from(self.chain.0))
            && !self.name.is_empty()
            && self.name.len() <= LONGEST_NAME
            && is_form_of_amounts(self.decimals)
            && (1..=MOST_CONFIRMATIONS).contains(&self.confirmations)
            && self.min_deposit.is_positive()
            && (1..=MOST_ADDRESSES).contains(&self.addresses)
            && self.keys.len() <= MOST_KEYS
            && self.keys.windows(2).all(|pair| pair[0].ring < pair[1].ring)
            && self.keys.iter().all(|key| key.ring < 1 << 31)
            && self.keys.iter().any(|key| key.ring == self.ring)
            && self.accounts.as_ref().is_none_or(|accounts| accounts.is_good(self.asset))
            && self.assets().skip(usize::from(self.accounts.is_none())).all(|of| of.units(of.min_sweep).is_some())
            && self.version < u32::MAX;
        if good { Ok(()) } else { Err(Reject::BadParameters) }
    }

    /// Whether these may follow others: what is on the books would mean something else, and addresses that were told would be others.
    pub(super) fn keeps(&self, old: &ChainParams) -> bool {
        let accounts = match (&self.accounts, &old.accounts) {
            (Some(new), Some(old)) => new.keeps(old),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        accounts
            && (old.asset, old.decimals) == (self.asset, self.decimals)
            && old.keys.iter().all(|key| self.keys.contains(key))
    }

    /// What its hash is made of: one of coins has the hash that it had before there were chains of accounts.
    pub(super) fn hashed(&self, out: &mut Vec<u8>) {
        self.put(out);
        if self.accounts.is_none() {
            out.pop();
        }
    }

    /// Its coin.
    #[must_use]
    pub fn coin(&self) -> ChainAsset {
        let min_sweep = self.accounts.as_ref().map_or(Amount::ZERO, |accounts| accounts.min_sweep);
        let ChainParams { asset, decimals, min_deposit, .. } = *self;
        ChainAsset { asset, contract: None, decimals, min_deposit, min_sweep }
    }

    /// Its coin and its tokens.
    pub fn assets(&self) -> impl Iterator<Item = ChainAsset> {
        let tokens = self.accounts.iter().flat_map(|accounts| &accounts.tokens).map(|token| {
            let Token { asset, contract, decimals, min_deposit, min_sweep } = *token;
            ChainAsset { asset, contract: Some(contract), decimals, min_deposit, min_sweep }
        });
        std::iter::once(self.coin()).chain(tokens)
    }

    /// One of them.
    #[must_use]
    pub fn asset(&self, asset: AssetId) -> Option<ChainAsset> {
        self.assets().find(|of| of.asset == asset)
    }

    /// What so many units of the coin are worth, as [`ChainAsset::amount`] has it.
    #[must_use]
    pub fn amount(&self, units: Units) -> Option<(Amount, Units)> {
        self.coin().amount(units)
    }

    /// Units of an amount of the coin, as [`ChainAsset::units`] has it.
    #[must_use]
    pub fn units(&self, amount: Amount) -> Option<Units> {
        self.coin().units(amount)
    }
}

impl ChainAsset {
    /// How terms and checks name it: a token by its asset, the coin by none.
    #[must_use]
    pub fn token(&self) -> Option<AssetId> {
        self.contract.map(|_| self.asset)
    }

    /// What so many units are worth, rounded down, and the units that are left; none of more than an amount can be.
    #[must_use]
    pub fn amount(&self, units: Units) -> Option<(Amount, Units)> {
        let more = u32::from(self.decimals.saturating_sub(AMOUNT_DECIMALS));
        let fewer = u32::from(AMOUNT_DECIMALS.saturating_sub(self.decimals));
        let unit = 10_u128.pow(more);
        let whole = (units.0 / unit).checked_mul(10_u128.pow(fewer))?;
        let amount = Amount(i128::try_from(whole).ok()?);
        (amount <= crate::money::MAX_AMOUNT).then_some((amount, Units(units.0 % unit)))
    }

    /// Units of an amount; none when it is no whole number of them, or not positive.
    #[must_use]
    pub fn units(&self, amount: Amount) -> Option<Units> {
        let more = u32::from(self.decimals.saturating_sub(AMOUNT_DECIMALS));
        let fewer = 10_u128.pow(u32::from(AMOUNT_DECIMALS.saturating_sub(self.decimals)));
        let whole = u128::try_from(amount.0).ok().filter(|whole| *whole > 0 && whole % fewer == 0)?;
        (whole / fewer).checked_mul(10_u128.pow(more)).map(Units)
    }

    /// The least step of its amounts: the smallest unit, or the last place of an amount.
    #[must_use]
    pub fn step(&self) -> Amount {
        Amount(10_i128.pow(u32::from(AMOUNT_DECIMALS.saturating_sub(self.decimals))))
    }
}
