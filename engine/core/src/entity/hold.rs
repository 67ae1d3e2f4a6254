//! What an account sets aside while somebody else decides.
//!
//! Owns: the form of a hold, for all products. Never does: keep one; the account does. Invariants: a hold takes nothing from a
//! wallet by itself: the decision's fact does. Known limits: at most two amounts and [`ReservedNames::MOST`] names.

use crate::entity::EntityId;
use crate::ids::{AssetId, Wallet};
use crate::money::Amount;

/// Names that nothing else of the account may use until a question is decided: hashes of client order ids that must stay
/// unique, an order that is being amended, a coupon in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReservedNames([u64; ReservedNames::MOST]);

impl ReservedNames {
    /// Names at most: of three orders and of their list.
    pub const MOST: usize = 4;

    /// These names; 0 is none.
    ///
    /// # Panics
    /// With more than [`Self::MOST`].
    #[must_use]
    pub fn of(names: impl IntoIterator<Item = u64>) -> ReservedNames {
        let mut reserved = ReservedNames::default();
        names.into_iter().enumerate().for_each(|(at, name)| reserved.0[at] = name);
        reserved
    }

    /// Whether a name is among them; 0 never is.
    #[must_use]
    pub fn contains(&self, name: u64) -> bool {
        name != 0 && self.0.contains(&name)
    }
}

/// Money, names and room that an account sets aside while a counterpart decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoldRequest {
    /// Who decides.
    pub decider: EntityId,
    /// Wallet, asset and amount; a zero amount holds nothing. Two for a two-sided quote.
    pub parts: [(Wallet, AssetId, Amount); 2],
    /// Names that are taken meanwhile.
    pub names: ReservedNames,
    /// Entries of the decider (orders) that may come of it: they count towards its limit of an account.
    pub entries: u8,
    /// Those of them that may wait for a price, which have a limit of their own.
    pub waiting: u8,
}

impl HoldRequest {
    /// Holds one amount, no names and no room.
    #[must_use]
    pub fn of(decider: EntityId, wallet: Wallet, asset: AssetId, amount: Amount) -> HoldRequest {
        let parts = [(wallet, asset, amount), (wallet, asset, Amount::ZERO)];
        HoldRequest { decider, parts, names: ReservedNames::default(), entries: 0, waiting: 0 }
    }

    /// The same with these names; 0 is none.
    #[must_use]
    pub fn naming(self, names: impl IntoIterator<Item = u64>) -> HoldRequest {
        HoldRequest { names: ReservedNames::of(names), ..self }
    }
}
