//! Facts of copy trading: their forms, whom they name, what they move. Copies themselves are tickets: `TicketOpened` and
//! `TicketsMoved` say which ones (`contract/ticket_facts.rs`).
//!
//! Owns: these. Never does: decide. Invariants: what is withheld comes back to the follower or goes to the trader. Rules:
//! `docs/rules/copy-trading.md`. Known limits: none.

use super::{CopyResults, FollowTerms, TraderTerms};
use crate::contract::tickets::TicketId;
use crate::entity::TimeNs;
use crate::ids::{AccountId, AssetId, EntityId, Wallet};
use crate::money::Amount;
use crate::record::{FactBody, LogType, Posting, Role};
use crate::reject::Reject;

crate::wire_struct! {
    /// An account is a trader from now on, with these terms, or is none any more.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TraderSet {
        /// Whose.
        pub account: AccountId,
        /// The terms; none when it is no trader any more.
        pub terms: Option<TraderTerms>,
    }
}

crate::wire_struct! {
    /// An account follows a trader, or chose something else for copies to come.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Followed {
        /// The trader.
        pub trader: AccountId,
        /// Who follows.
        pub account: AccountId,
        /// The trader's own count; the same as long as the account follows.
        pub follow: u64,
        /// What was chosen.
        pub terms: FollowTerms,
        /// What the trader offers.
        pub offer: TraderTerms,
    }
}

crate::wire_struct! {
    /// An account follows a trader no more.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Unfollowed {
        /// Who followed.
        pub account: AccountId,
        /// The trader.
        pub trader: AccountId,
        /// Copies that are the account's own tickets from now on: all, when the trader is none any more.
        pub detached: Vec<TicketId>,
    }
}

crate::wire_struct! {
    /// A ticket of a trader was not copied.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CopySkipped {
        /// Who follows.
        pub account: AccountId,
        /// The trader.
        pub trader: AccountId,
        /// The trader's ticket.
        pub source: TicketId,
        /// Why.
        pub reason: Reject,
    }
}

crate::wire_struct! {
    /// A copy is its owner's own ticket from now on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CopyDetached {
        /// Whose.
        pub account: AccountId,
        /// The trader.
        pub trader: AccountId,
        /// The trader's ticket.
        pub source: TicketId,
        /// The copy.
        pub ticket: TicketId,
    }
}

crate::wire_struct! {
    /// A week is over: shares of profits are settled with all followers that have no copy open.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SharesDue {
        /// The trader.
        pub trader: AccountId,
        /// The Monday, 00:00 UTC.
        pub week: TimeNs,
    }
}

crate::wire_struct! {
    /// A trader's share of a follower's profit was settled.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ProfitShared {
        /// Who follows, or followed.
        pub account: AccountId,
        /// The trader.
        pub trader: AccountId,
        /// In what.
        pub asset: AssetId,
        /// The trader's.
        pub share: Amount,
        /// What comes back to the follower.
        pub released: Amount,
        /// Results from now on.
        pub results: CopyResults,
    }
}

impl FactBody for TraderSet {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Trader(self.account), Role::Taker);
    }
}

impl FactBody for Followed {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.account), Role::Taker);
    }
}

impl FactBody for Unfollowed {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Trader(self.trader), Role::Taker);
    }
}

impl FactBody for CopySkipped {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Trader(self.trader), Role::Taker);
    }
}

impl FactBody for CopyDetached {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Trader(self.trader), Role::Taker);
    }
}

impl FactBody for SharesDue {}

impl FactBody for ProfitShared {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        if self.share.is_positive() {
            tell(EntityId::Account(self.trader), Role::Other);
        }
        tell(EntityId::Trader(self.trader), Role::Taker);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let row = |account, log, available, locked, reference: AccountId| Posting {
            account,
            wallet: Wallet::Futures,
            asset: self.asset,
            log,
            available,
            locked,
            reference: reference.0,
        };
        match role {
            Role::Decider => {
                let withheld = self.share + self.released;
                if withheld.is_positive() {
                    post(row(self.account, LogType::COPY_SHARE, self.released, -withheld, self.trader));
                }
            }
            Role::Other => post(row(self.trader, LogType::COPY_INCOME, self.share, Amount::ZERO, self.account)),
            Role::Taker | Role::Maker(_) | Role::Item(_) | Role::Fees | Role::Insurance => {}
        }
    }
}

crate::record::product_facts! {
    /// Facts of copy trading.
    Copy(CopyFact) {
        /// An account is a trader, or is none any more.
        TraderSet = 110 v 1,
        /// An account follows a trader.
        Followed = 111 v 1,
        /// An account follows a trader no more.
        Unfollowed = 112 v 1,
        /// A ticket was not copied.
        CopySkipped = 113 v 1,
        /// A copy is an own ticket now.
        CopyDetached = 114 v 1,
        /// A week is over.
        SharesDue = 115 v 1,
        /// A trader's share was settled.
        ProfitShared = 116 v 1,
    }
}
