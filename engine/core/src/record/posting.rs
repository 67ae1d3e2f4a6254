//! Movements of money, and that they balance.
//!
//! Owns: what one movement says, the numbers of its kinds, sums. Never does: change a wallet; its account does.
//! Invariants: the postings of a fact sum to zero per asset. Known limits: none.

use crate::ids::{AccountId, AssetId, Wallet};
use crate::money::Amount;

/// One movement in one wallet. `available` and `locked` are signed changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Whose wallet.
    pub account: AccountId,
    /// Which wallet.
    pub wallet: Wallet,
    /// Which asset.
    pub asset: AssetId,
    /// What kind of movement (numbers: `docs/rules/accounts.md "Ledger rows"`).
    pub log: LogType,
    /// Change of what can be used.
    pub available: Amount,
    /// Change of what is set aside.
    pub locked: Amount,
    /// Order id or other reference; 0 when there is none.
    pub reference: u64,
}

/// Log type numbers of `/wallet/legal_log` rows (`docs/rules/accounts.md "Ledger rows"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogType(pub u16);

impl LogType {
    /// Grant or correction.
    pub const ADJUST: LogType = LogType(1);
    /// Money set aside for an open order, or given back.
    pub const SPOT_FREEZE: LogType = LogType(50);
    /// A fill.
    pub const SPOT_TRADE: LogType = LogType(51);
    /// Fees received by the exchange.
    pub const FEE_INCOME: LogType = LogType(52);

    /// Transfer out of a wallet.
    #[must_use]
    pub fn transfer_out(wallet: Wallet) -> LogType {
        LogType(match wallet {
            Wallet::Funding => 9,
            Wallet::Spot => 12,
            Wallet::Futures => 16,
            Wallet::Options => 18,
            Wallet::Earn => 20,
        })
    }

    /// Transfer into a wallet.
    #[must_use]
    pub fn transfer_in(wallet: Wallet) -> LogType {
        LogType(match wallet {
            Wallet::Funding => 10,
            Wallet::Spot => 11,
            Wallet::Futures => 15,
            Wallet::Options => 17,
            Wallet::Earn => 19,
        })
    }
}

/// Sums of postings per asset; a fact whose sums are not all zero must never be appended.
#[derive(Debug, Default)]
pub struct ZeroSum {
    sums: Vec<(AssetId, Amount)>,
}

impl ZeroSum {
    /// Adds one posting.
    pub fn add(&mut self, posting: &Posting) {
        let change = posting.available + posting.locked;
        match self.sums.iter_mut().find(|(asset, _)| *asset == posting.asset) {
            Some((_, sum)) => *sum += change,
            None => self.sums.push((posting.asset, change)),
        }
    }

    /// The first asset that does not balance.
    #[must_use]
    pub fn imbalance(&self) -> Option<(AssetId, Amount)> {
        self.sums.iter().copied().find(|(_, sum)| !sum.is_zero())
    }

    /// Forgets all sums, keeps the memory.
    pub fn clear(&mut self) {
        self.sums.clear();
    }
}
