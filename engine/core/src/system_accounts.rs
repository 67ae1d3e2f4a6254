//! The exchange's own accounts: which there are, and which of their balances may be below zero.
//!
//! Owns: the table. Never does: move money. Invariants: numbers are permanent; whoever is not in the table owes nothing.
//! Known limits: numbers below 1,000 are kept for the book-keeping accounts of products to come
//! (`docs/allotment.md`); the house's market maker is an account like any other but for its flag.

use crate::ids::{AccountId, Wallet};

/// What the sum of an account's balances stands for, and so which sign it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// What it has, it received: never below zero.
    Holds,
    /// The other side of what others were given or gave: of either sign.
    Balances,
}

/// One of the exchange's own accounts.
#[derive(Debug, Clone, Copy)]
pub struct SystemAccount {
    /// Its number.
    pub account: AccountId,
    /// What operators call it.
    pub name: &'static str,
    /// Which sign its balances may have.
    pub sign: Sign,
}

/// All that this release uses, by number.
pub const SYSTEM_ACCOUNTS: &[SystemAccount] = &[
    SystemAccount { account: AccountId::FEE, name: "fee", sign: Sign::Holds },
    SystemAccount { account: AccountId::ADJUST, name: "adjust", sign: Sign::Balances },
    SystemAccount { account: AccountId::HOUSE, name: "house", sign: Sign::Holds },
];

/// Whether a balance of an account may be below zero (`docs/rules/accounts.md "System accounts"`).
#[must_use]
pub fn may_be_negative(account: AccountId, wallet: Wallet) -> bool {
    match wallet {
        Wallet::Funding | Wallet::Spot | Wallet::Futures | Wallet::Options | Wallet::Earn => {
            SYSTEM_ACCOUNTS.iter().any(|system| system.account == account && system.sign == Sign::Balances)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_accounts_that_balance_others_owe() {
        let owing: Vec<&str> = SYSTEM_ACCOUNTS.iter().filter(|s| s.sign == Sign::Balances).map(|s| s.name).collect();
        assert_eq!(owing, ["adjust"]);
        assert!(SYSTEM_ACCOUNTS.windows(2).all(|pair| pair[0].account < pair[1].account), "by number, once each");
        assert!(may_be_negative(AccountId::ADJUST, Wallet::Funding));
        for account in [AccountId::FEE, AccountId::HOUSE, AccountId::FIRST_USER] {
            assert!(!may_be_negative(account, Wallet::Spot));
        }
    }
}
