//! What a withdrawal is.
//!
//! Owns: its form and names. Never does: decide. Invariants: a number names one withdrawal for ever. Known limits: none.

use super::coins::Units;
use super::params::ChainId;
use crate::entity::TimeNs;
use crate::ids::{AccountId, AssetId, id};
use crate::money::Amount;

id!(
    /// A withdrawal, of one chain.
    WithdrawalId(u64)
);
id!(
    /// A plan of a transaction, of one chain.
    PlanId(u64)
);

/// Withdrawals of one chain at most: the chain's number is above.
const COUNT_BITS: u32 = 40;

impl WithdrawalId {
    /// The `n`-th of a chain, from 1 on.
    #[must_use]
    pub fn of(chain: ChainId, n: u64) -> WithdrawalId {
        WithdrawalId(u64::from(chain.0) << COUNT_BITS | n)
    }

    /// Its chain.
    #[must_use]
    pub fn chain(self) -> ChainId {
        ChainId(u16::try_from(self.0 >> COUNT_BITS).unwrap_or(u16::MAX))
    }

    /// Which of the chain's it is, from 1 on.
    #[must_use]
    pub fn ordinal(self) -> u64 {
        self.0 & ((1 << COUNT_BITS) - 1)
    }
}

/// Why people look at a withdrawal: bits of [`Withdrawal::flags`].
pub mod flags {
    /// The address is known for less than 72 hours.
    pub const NEW_ADDRESS: u32 = 1;
    /// The session began less than 24 hours ago.
    pub const NEW_SESSION: u32 = 2;
    /// The account's first withdrawal.
    pub const FIRST: u32 = 4;
    /// More than half of what the account has.
    pub const MOST_OF_ALL: u32 = 8;
    /// A factor or a password is new since less than seven days.
    pub const NEW_FACTOR: u32 = 16;
    /// Coins came and nothing was traded.
    pub const WITHOUT_TRADE: u32 = 32;
    /// Their names, by bit.
    pub const NAMES: [&str; 6] = ["new_address", "new_session", "first", "most_of_all", "new_factor", "without_trade"];
}

crate::wire_struct! {
    /// A withdrawal.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Withdrawal {
        /// Which.
        pub withdrawal: WithdrawalId,
        /// Whose.
        pub account: AccountId,
        /// Which asset.
        pub asset: AssetId,
        /// What leaves the wallet.
        pub number: Amount,
        /// What of it the exchange keeps.
        pub fee: Amount,
        /// What arrives, in units of the chain.
        pub units: Units,
        /// Where to, as the owner wrote it.
        pub address: String,
        /// Bytes of the script that pays to it.
        pub script_bytes: u32,
        /// Whose address of ours it is.
        pub inside: Option<AccountId>,
        /// What is unusual about it: bits of [`flags`].
        pub flags: u32,
        /// People who have to agree.
        pub needed: u32,
    }
}

impl Withdrawal {
    /// What arrives.
    #[must_use]
    pub fn arrives(&self) -> Amount {
        self.number - self.fee
    }

    /// Nobody has to look at it.
    #[must_use]
    pub fn is_automatic(&self) -> bool {
        self.needed == 0
    }
}

/// What an account asks of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithdrawalRequest {
    /// Which asset.
    pub asset: AssetId,
    /// What leaves the wallet.
    pub number: Amount,
    /// Where to.
    pub address: String,
    /// Bytes of the script that pays to it.
    pub script_bytes: u32,
    /// The key of ours that the address is.
    pub inside: Option<super::Key>,
    /// What is unusual about it: bits of [`flags`].
    pub flags: u32,
    /// Version of the terms that the owner saw.
    pub version: u32,
}

/// What became of an open withdrawal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithdrawalState {
    /// People have to agree first.
    Pending,
    /// It waits for a transaction.
    Approved,
    /// It is in a transaction that is to be signed.
    Planned(PlanId),
    /// It is in a transaction that is signed.
    Signed(PlanId),
}

crate::wire_struct! {
    /// An open withdrawal.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OpenWithdrawal {
        /// What was asked for.
        pub withdrawal: Withdrawal,
        /// When.
        pub requested: TimeNs,
        /// Who agreed.
        pub voters: Vec<String>,
        /// The transaction that it is in.
        pub plan: Option<PlanId>,
    }
}

impl OpenWithdrawal {
    /// Enough people agreed.
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.voters.len() >= self.withdrawal.needed as usize
    }
}
