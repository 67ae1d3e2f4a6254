//! Names of wallets in the column `assets.wallets`.
//!
//! Owns: these names, which the first release wrote. Never does: name wallets anywhere else. Invariants: a stored name is
//! permanent. Known limits: none.

use xng_core::ids::Wallet;

/// The name of a wallet in the store.
pub(in crate::store) fn stored_name(wallet: Wallet) -> &'static str {
    match wallet {
        Wallet::Funding => "legal",
        Wallet::Spot => "change",
        Wallet::Futures => "lever",
        Wallet::Options => "micro",
        Wallet::Earn => "earn",
        Wallet::Pnl => "pnl",
    }
}

/// The wallet of such a name.
pub(in crate::store) fn parse_stored_name(name: &str) -> Option<Wallet> {
    Wallet::ALL.iter().copied().find(|wallet| stored_name(*wallet) == name)
}
