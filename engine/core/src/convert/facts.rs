//! Facts of conversion: their forms, whom they name, what they move.
//!
//! Owns: these. Never does: decide. Invariants: every number that is needed to apply a fact is in it; the house is the other
//! side of each amount but the fee. Rules: `docs/rules/convert.md`. Known limits: none.

use super::ConvertSide;
use super::params::ConvertParams;
use crate::entity::TimeNs;
use crate::ids::{AccountId, AssetId, EntityId, Wallet};
use crate::money::Amount;
use crate::record::{FactBody, LogType, Posting, Role};

crate::wire_struct! {
    /// One asset became another.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Converted {
        /// Whose.
        pub account: AccountId,
        /// Version of the parameters.
        pub version: u32,
        /// What was given: asset, tick, price.
        pub from: ConvertSide,
        /// What was received.
        pub to: ConvertSide,
        /// How much was given.
        pub amount: Amount,
        /// How much was received.
        pub to_amount: Amount,
        /// In the asset that was given, on top of it.
        pub fee: Amount,
        /// Off the rate.
        pub spread_ppm: u32,
        /// Rate of the fee.
        pub fee_ppm: u32,
        /// When the quote was made that was used, if one was.
        pub quoted: Option<TimeNs>,
    }
}

crate::wire_struct! {
    /// A balance that was dust.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DustRow {
        /// Asset, tick, price.
        pub from: ConvertSide,
        /// All that was available.
        pub amount: Amount,
        /// What it became; nothing of very little.
        pub to_amount: Amount,
    }
}

crate::wire_struct! {
    /// Small balances became one asset.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DustConverted {
        /// Whose.
        pub account: AccountId,
        /// Version of the parameters.
        pub version: u32,
        /// What they became.
        pub into: ConvertSide,
        /// Taken off the rate.
        pub fee_ppm: u32,
        /// The balances.
        pub rows: Vec<DustRow>,
    }
}

crate::wire_struct! {
    /// Conversion has these parameters from now on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ConvertParamsSet {
        /// All of them.
        pub params: ConvertParams,
    }
}

/// What is given and what is received, on one side of it; `sign` is -1 for who gives `amount`.
fn post_both(
    account: AccountId,
    sign: i128,
    (from, amount): (AssetId, Amount),
    (to, to_amount): (AssetId, Amount),
    post: &mut impl FnMut(Posting),
) {
    let (given, received) = if sign < 0 {
        (LogType::CONVERT_OUT, LogType::CONVERT_IN)
    } else {
        (LogType::CONVERT_IN, LogType::CONVERT_OUT)
    };
    post(row(account, from, given, Amount(amount.0 * sign)));
    if !to_amount.is_zero() {
        post(row(account, to, received, Amount(-to_amount.0 * sign)));
    }
}

fn row(account: AccountId, asset: AssetId, log: LogType, available: Amount) -> Posting {
    Posting { account, wallet: Wallet::Spot, asset, log, available, locked: Amount::ZERO, reference: 0 }
}

impl FactBody for Converted {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(AccountId::CONVERT_HOUSE), Role::Other);
        if self.fee.is_positive() {
            tell(EntityId::Account(AccountId::FEE), Role::Fees);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let (given, received) = ((self.from.asset, self.amount), (self.to.asset, self.to_amount));
        match role {
            Role::Decider => {
                post_both(self.account, -1, given, received, post);
                if self.fee.is_positive() {
                    post(row(self.account, self.from.asset, LogType::CONVERT_FEE, -self.fee));
                }
            }
            Role::Other => post_both(AccountId::CONVERT_HOUSE, 1, given, received, post),
            Role::Fees => post(row(AccountId::FEE, self.from.asset, LogType::FEE_INCOME, self.fee)),
            Role::Taker | Role::Maker(_) | Role::Item(_) | Role::Insurance => {}
        }
    }
}

impl DustConverted {
    /// What all of it became.
    #[must_use]
    pub fn to_amount(&self) -> Amount {
        self.rows.iter().map(|row| row.to_amount).sum()
    }
}

impl FactBody for DustConverted {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(AccountId::CONVERT_HOUSE), Role::Other);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let (account, sign) = match role {
            Role::Decider => (self.account, -1),
            Role::Other => (AccountId::CONVERT_HOUSE, 1),
            Role::Taker | Role::Maker(_) | Role::Item(_) | Role::Fees | Role::Insurance => return,
        };
        for r in &self.rows {
            post_both(account, sign, (r.from.asset, r.amount), (self.into.asset, r.to_amount), post);
        }
    }
}

impl FactBody for ConvertParamsSet {}

crate::record::product_facts! {
    /// Facts of conversion.
    Convert(ConvertFact) {
        /// One asset became another.
        Converted = 90 v 1,
        /// Small balances became one asset.
        DustConverted = 91 v 1,
        /// Conversion has other parameters.
        ConvertParamsSet = 92 v 1,
    }
}
