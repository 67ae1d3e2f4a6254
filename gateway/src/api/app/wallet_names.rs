//! The app's names of wallets: `legal`, `change`, `lever`, `micro`, `earn` for funding, spot, futures, options, earn.
//!
//! Owns: these names. Never does: let them out of the app's calls; everything else names a wallet as [`Wallet`] does.
//! Invariants: every wallet has one. Known limits: none.

use xng_core::ids::Wallet;

/// A wallet's name in the app's calls.
pub(super) fn app_name(wallet: Wallet) -> &'static str {
    match wallet {
        Wallet::Funding => "legal",
        Wallet::Spot => "change",
        Wallet::Futures | Wallet::Pnl => "lever",
        Wallet::Options => "micro",
        Wallet::Earn => "earn",
    }
}

/// What an account is made of: results that are not settled yet are a part of futures.
pub(super) fn parts(account: Wallet) -> Vec<Wallet> {
    if account == Wallet::Futures { vec![account, Wallet::Pnl] } else { vec![account] }
}

/// The wallet of such a name.
pub(super) fn parse_app_name(name: &str) -> Option<Wallet> {
    Wallet::ACCOUNTS.into_iter().find(|wallet| app_name(*wallet) == name)
}
