//! The app's names of wallets: `legal`, `change`, `lever`, `micro` for funding, spot, futures, options.
//!
//! Owns: these names. Never does: let them out of the app's calls; everything else names a wallet as [`Wallet`] does.
//! Invariants: every wallet has one. Known limits: none.

use xng_core::ids::Wallet;

/// A wallet's name in the app's calls.
pub(super) fn app_name(wallet: Wallet) -> &'static str {
    match wallet {
        Wallet::Funding => "legal",
        Wallet::Spot => "change",
        Wallet::Futures => "lever",
        Wallet::Options => "micro",
        Wallet::Earn => "earn",
    }
}

/// The wallet of such a name.
pub(super) fn parse_app_name(name: &str) -> Option<Wallet> {
    Wallet::ALL.iter().copied().find(|wallet| app_name(*wallet) == name)
}
