//! Postings: movements of money, and the check that they balance.
//!
//! Owns: the fields of a posting, the numbers of its kinds, sums. Never does: change a wallet; its account does.
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

/// Kinds of movements: constant, permanent number, name.
macro_rules! log_types {
    ($($(#[$meta:meta])* $constant:ident = $number:literal $name:literal;)*) => {
        impl LogType {
            $($(#[$meta])* pub const $constant: LogType = LogType($number);)*

            /// Names of all kinds.
            pub const NAMES: &[&str] = &[$($name,)* TRANSFER_OUT, TRANSFER_IN];

            /// Its name, the key of its texts; none of a number that a later release wrote.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self {
                    $(LogType::$constant => Some($name),)*
                    _ if Wallet::ALL.iter().any(|wallet| LogType::transfer_out(*wallet) == self) => Some(TRANSFER_OUT),
                    _ if Wallet::ALL.iter().any(|wallet| LogType::transfer_in(*wallet) == self) => Some(TRANSFER_IN),
                    _ => None,
                }
            }
        }
    };
}

const TRANSFER_OUT: &str = "transfer_out";
const TRANSFER_IN: &str = "transfer_in";

log_types! {
    /// Grant or correction.
    ADJUST = 1 "adjust";
    /// Margin of a ticket.
    LEVER_MARGIN = 30 "lever_margin";
    /// A ticket was closed.
    LEVER_CLOSE = 31 "lever_close";
    /// A position was liquidated.
    LIQUIDATION = 32 "liquidation";
    /// A night's fee of a ticket.
    OVERNIGHT = 34 "overnight";
    /// The fee of a ticket.
    LEVER_FEE = 35 "lever_fee";
    /// A limit ticket was cancelled.
    LEVER_CANCEL = 36 "lever_cancel";
    /// Funding of a position in a contract's book.
    FUNDING = 37 "funding_fee";
    /// The insurance pays what an owner of positions could not.
    DEFICIT = 38 "deficit";
    /// Money set aside for an open order, or given back.
    SPOT_FREEZE = 50 "spot_freeze";
    /// A fill.
    SPOT_TRADE = 51 "spot_trade";
    /// Fees received by the exchange.
    FEE_INCOME = 52 "fee_income";
    /// Shares by a split.
    STOCK_SPLIT = 53 "stock_split";
    /// What was paid for shares that are no whole board lot after a split.
    STOCK_ODD_LOT = 54 "stock_odd_lot";
    /// A dividend.
    STOCK_DIVIDEND = 55 "stock_dividend";
    /// What was withheld of a dividend.
    STOCK_WITHHELD = 56 "stock_withheld";
    /// Money set aside for a withdrawal.
    WITHDRAW_APPLY = 99 "withdraw_apply";
    /// A withdrawal was paid.
    WITHDRAW_DONE = 100 "withdraw_done";
    /// A withdrawal came back.
    WITHDRAW_BACK = 101 "withdraw_back";
    /// Coins that came from a chain.
    DEPOSIT = 200 "deposit";
    /// Stake and fee of an option.
    OPTION_STAKE = 501 "option_stake";
    /// What an option brought.
    OPTION_RESULT = 502 "option_result";
    /// Money of a campaign: set apart, paid to who used a coupon, or free again.
    COUPON = 1_300 "coupon";
    /// What is withheld of a copy's profit, and what of that comes back.
    COPY_SHARE = 1_400 "copy_share";
    /// A trader's share of a follower's profit.
    COPY_INCOME = 1_401 "copy_income";
    /// What a conversion brought.
    CONVERT_IN = 701 "convert_in";
    /// What a conversion took.
    CONVERT_OUT = 702 "convert_out";
    /// The fee of a conversion.
    CONVERT_FEE = 703 "convert_fee";
}

impl LogType {
    /// Transfer out of a wallet.
    #[must_use]
    pub fn transfer_out(wallet: Wallet) -> LogType {
        LogType(match wallet {
            Wallet::Funding => 9,
            Wallet::Spot => 12,
            Wallet::Futures => 16,
            Wallet::Options => 18,
            Wallet::Earn => 20,
            Wallet::Pnl => 22,
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
            Wallet::Pnl => 21,
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
