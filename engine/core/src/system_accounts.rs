//! System accounts: the table of the exchange's own accounts, with the sign that their balances may have.
//!
//! Owns: the table. Never does: move money. Invariants: numbers are permanent; an account outside the table is never
//! negative. Known limits: numbers below 1,000 are reserved for the accounts of products to come (`docs/allotment.md`); the
//! market maker is an ordinary account with a flag.

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

/// A line per account: its constant, number, name and sign.
macro_rules! system_accounts {
    ($($(#[$meta:meta])* $constant:ident = $number:literal $name:literal $sign:ident;)*) => {
        impl AccountId {
            $($(#[$meta])* pub const $constant: AccountId = AccountId($number);)*
        }

        /// All that this release uses, by number.
        pub const SYSTEM_ACCOUNTS: &[SystemAccount] = &[
            $(SystemAccount { account: AccountId::$constant, name: $name, sign: Sign::$sign },)*
        ];
    };
}

system_accounts! {
    /// Receives the fees.
    FEE = 1 "fee" Holds;
    /// The other side of grants and corrections; may be negative.
    ADJUST = 2 "adjust" Balances;
    /// The other side of all tickets; may be negative.
    LEVER_HOUSE = 3 "lever_house" Balances;
    /// The other side of results in contracts' books; may be negative.
    CLEARING = 4 "clearing" Balances;
    /// Pays for losses that nobody else can pay.
    INSURANCE = 5 "insurance" Holds;
    /// The other side of all seconds options; may be negative.
    SECONDS_HOUSE = 6 "seconds_house" Balances;
    /// The other side of all conversions; may be negative.
    CONVERT_HOUSE = 7 "convert_house" Balances;
    /// The other side of corporate actions of stocks; may be negative.
    STOCK_ISSUER = 8 "stock_issuer" Balances;
    /// What campaigns give away comes from it.
    PROMOTION = 15 "promotion" Holds;
    /// Coins that came and are nobody's yet.
    UNCLAIMED = 20 "unclaimed" Holds;
    /// Pays what chains take for transactions; negative by it.
    NETWORK_EXPENSE = 21 "network_expense" Balances;
    /// The house's market maker: an ordinary account with a flag.
    HOUSE = 1_000 "house" Holds;
}

/// Places where coins lie outside of the exchange; each has an account, which is negative by what is there.
pub const CUSTODY_PLACES: u64 = 900;
const FIRST_CUSTODY: u64 = 100;

impl AccountId {
    /// The last of the house's desks, which follow the house.
    pub const LAST_DESK: AccountId = AccountId(AccountId::HOUSE.0 + 1_022);

    /// The account of what lies at a place, which are numbered from 1 on: chains by their numbers.
    #[must_use]
    pub fn custody(place: u16) -> AccountId {
        AccountId(FIRST_CUSTODY - 1 + u64::from(place))
    }

    /// Whether it stands for what lies outside of the exchange.
    #[must_use]
    pub fn is_custody(self) -> bool {
        (FIRST_CUSTODY..FIRST_CUSTODY + CUSTODY_PLACES).contains(&self.0)
    }

    /// The house's market maker, or a desk of one market.
    #[must_use]
    pub fn is_desk(self) -> bool {
        (AccountId::HOUSE.0..=AccountId::LAST_DESK.0).contains(&self.0)
    }
}

/// Whether a balance of an account may be below zero (`docs/rules/accounts.md "System accounts"`).
#[must_use]
pub fn may_be_negative(account: AccountId, wallet: Wallet) -> bool {
    match wallet {
        Wallet::Funding | Wallet::Spot | Wallet::Futures | Wallet::Options | Wallet::Earn => {
            account.is_custody()
                || SYSTEM_ACCOUNTS.iter().any(|system| system.account == account && system.sign == Sign::Balances)
        }
        // What an owner's other money has not settled yet.
        Wallet::Pnl => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_accounts_that_balance_others_owe() {
        let owing: Vec<&str> = SYSTEM_ACCOUNTS.iter().filter(|s| s.sign == Sign::Balances).map(|s| s.name).collect();
        assert_eq!(
            owing,
            ["adjust", "lever_house", "clearing", "seconds_house", "convert_house", "stock_issuer", "network_expense"]
        );
        assert!(SYSTEM_ACCOUNTS.windows(2).all(|pair| pair[0].account < pair[1].account), "by number, once each");
        assert!(may_be_negative(AccountId::ADJUST, Wallet::Funding));
        let first = AccountId::custody(1);
        assert!(may_be_negative(first, Wallet::Funding) && may_be_negative(AccountId(999), Wallet::Funding));
        for account in [AccountId::FEE, AccountId::UNCLAIMED, AccountId(99), AccountId::HOUSE, AccountId::FIRST_USER] {
            assert!(!may_be_negative(account, Wallet::Spot));
        }
    }
}
