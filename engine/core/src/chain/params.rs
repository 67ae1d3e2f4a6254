//! Parameters of a chain.
//!
//! Owns: these, whether they fit together, how units of the chain become amounts. Never does: decide.
//! Invariants: an amount is never more than its units are worth. Known limits: the chain's own coin; no tokens.

use super::coins::Units;
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
        /// Blocks from the tip on, the tip among them, that make a block final.
        pub confirmations: u32,
        /// What is credited at least.
        pub min_deposit: Amount,
        /// Addresses that one account may have.
        pub addresses: u32,
        /// Account keys, by their rings; none is ever taken away.
        pub keys: Vec<AccountKey>,
        /// The one of which addresses are made from now on.
        pub ring: u32,
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
            && self.decimals <= MOST_DECIMALS
            && (1..=MOST_CONFIRMATIONS).contains(&self.confirmations)
            && self.min_deposit.is_positive()
            && (1..=MOST_ADDRESSES).contains(&self.addresses)
            && self.keys.len() <= MOST_KEYS
            && self.keys.windows(2).all(|pair| pair[0].ring < pair[1].ring)
            && self.keys.iter().all(|key| key.ring < 1 << 31)
            && self.keys.iter().any(|key| key.ring == self.ring)
            && self.version < u32::MAX;
        if good { Ok(()) } else { Err(Reject::BadParameters) }
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
}
