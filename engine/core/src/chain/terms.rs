//! Terms of withdrawals of an asset of a chain.
//!
//! Owns: these, and whether they fit together. Never does: decide. Invariants: what is paid at least is more than the fee; no
//! withdrawal is more than one transaction may pay. Rules: `docs/rules/custody.md "Withdrawals"`. Known limits: none.

use super::coins::Units;
use super::params::ChainId;
use crate::account::Tier;
use crate::codec::Wire;
use crate::ids::AssetId;
use crate::money::{Amount, MAX_AMOUNT};
use crate::reject::Reject;

/// Withdrawals of one account that may be open at most.
const MOST_OPEN: u32 = 100;
/// A replacement is asked for this late at most: a week.
const LATEST_BUMP_MS: u64 = 7 * 86_400_000;

crate::wire_struct! {
    /// Terms of withdrawals of an asset of a chain.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WithdrawalTerms {
        /// Which chain.
        pub chain: ChainId,
        /// Grows with each change; who changes them names the one that is in force, 0 at first.
        pub version: u32,
        /// Whether withdrawals are taken.
        pub open: bool,
        /// What is taken off each, whatever the chain's own fee.
        pub fee: Amount,
        /// The least that is withdrawn, the fee among it.
        pub min: Amount,
        /// The most.
        pub max: Amount,
        /// What an account of the basic tier withdraws in 24 hours at most.
        pub daily_limit: Amount,
        /// Withdrawals of one account that are open at once at most.
        pub most_open: u32,
        /// Up to here nobody looks at one, unless something about it is unusual …
        pub auto_each: Amount,
        /// … or the account's of 24 hours that nobody looked at would be more …
        pub auto_day: Amount,
        /// … or those of all accounts in an hour.
        pub auto_hour: Amount,
        /// From more than this on two people look at it.
        pub two_votes_above: Amount,
        /// What one transaction pays at most, all withdrawals in it together: what the signer lets leave in an hour, or less.
        pub most_a_transaction: Amount,
        /// What one transaction may pay to miners at most, in units of the chain's coin.
        pub most_chain_fee: Units,
        /// A transaction that is not final so long after it was made may be replaced by one with more fee.
        pub bump_after_ms: u64,
        /// What an account of the advanced tier withdraws in 24 hours at most.
        pub daily_limit_advanced: Amount,
        /// Of a token; none of the chain's coin.
        pub token: Option<AssetId>,
    }
}

crate::wire_struct! {
    /// Their first form: one limit of 24 hours for all accounts.
    #[derive(Debug, Clone)]
    pub struct WithdrawalTermsV1 {
        /// Which chain.
        pub chain: ChainId,
        /// Grows with each change.
        pub version: u32,
        /// Whether withdrawals are taken.
        pub open: bool,
        /// What is taken off each.
        pub fee: Amount,
        /// The least.
        pub min: Amount,
        /// The most.
        pub max: Amount,
        /// Of an account, 24 hours.
        pub daily_limit: Amount,
        /// Open ones of an account.
        pub most_open: u32,
        /// Automatic: each …
        pub auto_each: Amount,
        /// … of an account, 24 hours …
        pub auto_day: Amount,
        /// … of all, an hour.
        pub auto_hour: Amount,
        /// Above it two people look.
        pub two_votes_above: Amount,
        /// What one transaction pays.
        pub most_a_transaction: Amount,
        /// What one may pay to miners.
        pub most_chain_fee: Units,
        /// When one may be replaced.
        pub bump_after_ms: u64,
    }
}

impl From<WithdrawalTermsV1> for WithdrawalTerms {
    fn from(old: WithdrawalTermsV1) -> Self {
        let WithdrawalTermsV1 { chain, version, open, fee, min, max, daily_limit, most_open, .. } = old;
        let WithdrawalTermsV1 { auto_each, auto_day, auto_hour, two_votes_above, most_a_transaction, .. } = old;
        let WithdrawalTermsV1 { most_chain_fee, bump_after_ms, .. } = old;
        WithdrawalTerms {
            chain,
            version,
            open,
            fee,
            min,
            max,
            daily_limit,
            daily_limit_advanced: daily_limit,
            most_open,
            auto_each,
            auto_day,
            auto_hour,
            two_votes_above,
            most_a_transaction,
            most_chain_fee,
            bump_after_ms,
            token: None,
        }
    }
}

crate::wire_struct! {
    /// Their second form: of the chain's coin alone.
    #[derive(Debug, Clone)]
    pub struct WithdrawalTermsV2 {
        /// What the first form has.
        pub first: WithdrawalTermsV1,
        /// Of an account of the advanced tier, 24 hours.
        pub daily_limit_advanced: Amount,
    }
}

impl From<WithdrawalTermsV2> for WithdrawalTerms {
    fn from(old: WithdrawalTermsV2) -> Self {
        WithdrawalTerms { daily_limit_advanced: old.daily_limit_advanced, ..old.first.into() }
    }
}

impl WithdrawalTerms {
    /// What an account of a tier withdraws in 24 hours at most.
    #[must_use]
    pub fn limit(&self, tier: Tier) -> Amount {
        match tier {
            Tier::Unverified => Amount::ZERO,
            Tier::Basic => self.daily_limit,
            Tier::Advanced => self.daily_limit_advanced,
        }
    }

    /// What their hash is made of. Fields that came later are the last ones, and those of which nothing is said are left away: the
    /// chain's coin, and one limit for all accounts, have the hash that they had before.
    pub(super) fn hashed(&self, out: &mut Vec<u8>) {
        let mut later = Vec::with_capacity(16);
        if self.daily_limit_advanced == self.daily_limit && self.token.is_none() {
            self.daily_limit_advanced.put(&mut later);
        }
        if self.token.is_none() {
            self.token.put(&mut later);
        }
        self.put(out);
        out.truncate(out.len() - later.len());
    }

    /// Whether they fit together.
    ///
    /// # Errors
    /// `BadParameters`.
    pub fn check(&self) -> Result<(), Reject> {
        let amounts = [self.fee, self.auto_each, self.auto_day, self.auto_hour, self.two_votes_above];
        let good = amounts.iter().all(|amount| !amount.is_negative() && *amount <= MAX_AMOUNT)
            && self.min > self.fee
            && self.min <= self.max
            && self.max <= self.daily_limit
            && self.max <= self.most_a_transaction
            && self.most_a_transaction <= MAX_AMOUNT
            && self.daily_limit <= self.daily_limit_advanced
            && self.daily_limit_advanced <= MAX_AMOUNT
            && (1..=MOST_OPEN).contains(&self.most_open)
            && self.most_chain_fee > Units(0)
            && self.bump_after_ms <= LATEST_BUMP_MS
            && self.version < u32::MAX;
        if good { Ok(()) } else { Err(Reject::BadParameters) }
    }
}
