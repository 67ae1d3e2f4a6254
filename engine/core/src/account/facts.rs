//! Facts that an account decides by itself.
//!
//! Owns: their forms, postings and answers. Never does: judge: who decided did. Invariants: the postings of each sum
//! to zero per asset. Known limits: none.

use super::verification::{TierChanged, TierChangedV1};
use crate::entity::TimeNs;
use crate::ids::{AccountId, AssetId, EntityId, Wallet};
use crate::money::Amount;
use crate::record::{FactBody, LogType, Posting, Role};

crate::wire_enum! {
    /// Whether an account may act.
    pub enum AccountStatus {
        /// It may.
        Active = 0,
        /// It may look and cancel, nothing else (`docs/rules/accounts.md "Account status"`).
        Locked = 1,
    }
}

crate::wire_struct! {
    /// The VIP level of an account is this from now on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct VipSet {
        /// Whose.
        pub account: AccountId,
        /// The level (`docs/rules/accounts.md "Fee levels"`).
        pub level: u8,
    }
}

crate::wire_struct! {
    /// The status of an account is this from now on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct StatusSet {
        /// Whose.
        pub account: AccountId,
        /// Whether it may act.
        pub status: AccountStatus,
    }
}

crate::wire_struct! {
    /// Whether an account quotes for the house, from now on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct HouseSet {
        /// Whose.
        pub account: AccountId,
        /// It does, and does nothing else.
        pub house: bool,
    }
}

crate::wire_struct! {
    /// Level, status and flags of an account are these now. Earlier releases wrote it; one that set the level also set
    /// the status, to what it had been when somebody looked.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct AccountChanged {
        /// Whose.
        pub account: AccountId,
        /// VIP level (`docs/rules/accounts.md "Fee levels"`).
        pub level: u8,
        /// Whether it may act.
        pub status: AccountStatus,
        /// It quotes for the house and does nothing else.
        pub house: bool,
    }
}

crate::wire_enum! {
    /// Why money was granted.
    pub enum GrantKind {
        /// The opening balance of the demo profile or of the house: once an account.
        Opening = 1,
        /// A correction by the back office.
        Correction = 2,
    }
}

crate::wire_struct! {
    /// Money for one wallet.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct GrantItem {
        /// Which wallet.
        pub wallet: Wallet,
        /// Which asset.
        pub asset: AssetId,
        /// How much; negative takes.
        pub amount: Amount,
    }
}

crate::wire_struct! {
    /// The adjust account gave or took money.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Granted {
        /// Whose.
        pub account: AccountId,
        /// Why.
        pub kind: GrantKind,
        /// What.
        pub items: Vec<GrantItem>,
    }
}

impl FactBody for AccountChanged {
    fn account_status(&self) -> Option<(AccountId, AccountStatus)> {
        Some((self.account, self.status))
    }
}

impl FactBody for VipSet {}
impl FactBody for StatusSet {
    fn account_status(&self) -> Option<(AccountId, AccountStatus)> {
        Some((self.account, self.status))
    }
}

impl FactBody for HouseSet {}

impl FactBody for Granted {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(AccountId::ADJUST), Role::Other);
        // A stock's market knows who may hold it.
        let markets = self.items.iter().filter_map(|item| item.asset.stock_market());
        markets.for_each(|market| tell(EntityId::Market(market), Role::Item(0)));
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let (account, sign) = match role {
            Role::Decider => (self.account, 1),
            Role::Other => (AccountId::ADJUST, -1),
            Role::Taker | Role::Maker(_) | Role::Item(_) | Role::Fees | Role::Insurance => return,
        };
        for item in &self.items {
            post(Posting {
                account,
                wallet: item.wallet,
                asset: item.asset,
                log: LogType::ADJUST,
                available: Amount(item.amount.0 * sign),
                locked: Amount::ZERO,
                reference: 0,
            });
        }
    }
}

crate::wire_struct! {
    /// The day of an account's oldest request keys is over.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct RequestsForgotten {
        /// Whose.
        pub account: AccountId,
        /// Answered up to then.
        pub through: TimeNs,
    }
}

impl FactBody for RequestsForgotten {}

crate::wire_struct! {
    /// Money moved between two wallets of one account.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Transferred {
        /// Whose.
        pub account: AccountId,
        /// Which asset.
        pub asset: AssetId,
        /// Out of.
        pub from: Wallet,
        /// Into.
        pub to: Wallet,
        /// How much.
        pub amount: Amount,
    }
}

impl FactBody for Transferred {
    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if role != Role::Decider {
            return;
        }
        let row = |wallet, log, available| Posting {
            account: self.account,
            wallet,
            asset: self.asset,
            log,
            available,
            locked: Amount::ZERO,
            reference: 0,
        };
        post(row(self.from, LogType::transfer_out(self.from), -self.amount));
        post(row(self.to, LogType::transfer_in(self.to), self.amount));
    }
}

crate::record::product_facts! {
    /// Facts of accounts.
    Account(AccountFact) {
        /// Level, status and flags of an account, in one; not written any more.
        AccountChanged = 10 v 1,
        /// Money from or to the adjust account.
        Granted = 11 v 1,
        /// Between two wallets of one account.
        Transferred = 12 v 1,
        /// The day of an account's oldest request keys is over.
        RequestsForgotten = 13 v 1,
        /// VIP level of an account.
        VipSet = 14 v 1,
        /// Whether an account may act.
        StatusSet = 15 v 1,
        /// Whether an account quotes for the house.
        HouseSet = 16 v 1,
        /// How well an account's owner is known.
        TierChanged = 17 v 2 (1: TierChangedV1),
    }
}
