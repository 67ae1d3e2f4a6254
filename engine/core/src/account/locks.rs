//! The lock table: locked money of an account that is not explained by its open orders.
//!
//! Owns: per entry, the product that locks, its reference, wallet, asset and amount.
//! Never does: move money.
//! Invariants: an entry's amount is positive; entries are sorted by key; for each wallet and asset, `locked` equals the locks of
//! open orders plus the entries.
//! Known limits: linear in the number of entries, of which an account has a few.

use crate::codec::{DecodeError, Reader, Wire, WordHash};
use crate::ids::{AssetId, Wallet};
use crate::money::Amount;

crate::wire_enum! {
    /// Which product locks. The numbers are permanent.
    pub enum LockKind {
        /// The house's quotes on a market; the reference is the market.
        Quotes = 1,
        /// A ticket's margin; the reference is the ticket.
        Ticket = 2,
        /// What an order of a contract's book sets aside; the reference is the order.
        BookOrder = 3,
        /// An isolated leg's margin; the reference is the contract times four and the number of the leg's side.
        Leg = 4,
        /// What the insurance sets apart for a contract's liquidations; the reference is the contract.
        Quota = 5,
        /// Stake and fee of a seconds option; the reference is the option.
        SecondsOption = 6,
        /// What is withheld of profits of copies; the reference is the trader.
        ProfitShare = 7,
        /// What a withdrawal takes; the reference is the withdrawal.
        Withdrawal = 8,
        /// What a campaign's coupons can take, of the account `promotion`; the reference is the campaign.
        Campaign = 9,
    }
}

crate::wire_struct! {
    /// Money of one wallet that something locks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Lock {
        /// Which product.
        pub kind: LockKind,
        /// What of it: a market, a position, an application.
        pub reference: u64,
        /// Which wallet.
        pub wallet: Wallet,
        /// Which asset.
        pub asset: AssetId,
        /// How much.
        pub amount: Amount,
    }
}

impl Lock {
    fn key(&self) -> (LockKind, u64, Wallet, AssetId) {
        (self.kind, self.reference, self.wallet, self.asset)
    }
}

/// The locks of one account.
#[derive(Debug, Default)]
pub struct Locks(Vec<Lock>);

impl Locks {
    /// None at all.
    pub const NONE: Locks = Locks(Vec::new());

    /// True when nothing is locked by any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All, by their keys.
    #[must_use]
    pub fn all(&self) -> &[Lock] {
        &self.0
    }

    /// What one thing locks of an asset, in all wallets.
    #[must_use]
    pub fn of(&self, kind: LockKind, reference: u64, asset: AssetId) -> Amount {
        let its = self.0.iter().filter(|lock| (lock.kind, lock.reference, lock.asset) == (kind, reference, asset));
        its.map(|lock| lock.amount).sum()
    }

    /// Adds what is locked from now on; a lock of nothing goes.
    ///
    /// # Panics
    /// When more would come free than is locked: a fact that says so is a bug.
    pub fn add(&mut self, change: Lock) {
        if change.amount.is_zero() {
            return;
        }
        let at = match self.0.binary_search_by_key(&change.key(), Lock::key) {
            Ok(at) => {
                self.0[at].amount += change.amount;
                at
            }
            Err(at) => {
                self.0.insert(at, change);
                at
            }
        };
        assert!(!self.0[at].amount.is_negative(), "{change:?} frees more than is locked");
        if self.0[at].amount.is_zero() {
            self.0.remove(at);
        }
    }

    /// Takes them into a state's hash.
    #[must_use]
    pub fn hash(&self, h: WordHash) -> WordHash {
        self.0.iter().fold(h, |h, lock| {
            let place = (lock.kind as u64) << 40 | (lock.wallet as u64) << 32 | u64::from(lock.asset.0);
            h.pair(place, lock.reference).wide(lock.amount.0)
        })
    }
}

impl Wire for Locks {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut locks = Locks::default();
        Vec::<Lock>::get(r)?.into_iter().for_each(|lock| locks.add(lock));
        Ok(locks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(reference: u64, asset: u32, amount: i128) -> Lock {
        let (kind, wallet) = (LockKind::Quotes, Wallet::Spot);
        Lock { kind, reference, wallet, asset: AssetId(asset), amount: Amount(amount) }
    }

    #[test]
    fn what_comes_free_whole_is_no_lock_any_more() {
        let mut locks = Locks::default();
        [lock(2, 1, 5), lock(1, 1, 3), lock(2, 1, 4), lock(2, 2, 1)].into_iter().for_each(|l| locks.add(l));
        assert_eq!(locks.all(), [lock(1, 1, 3), lock(2, 1, 9), lock(2, 2, 1)]);
        assert_eq!(locks.of(LockKind::Quotes, 2, AssetId(1)), Amount(9));
        let mut bytes = Vec::new();
        locks.put(&mut bytes);
        assert_eq!(Locks::get(&mut Reader::new(&bytes)).expect("what was saved").all(), locks.all());
        locks.add(lock(2, 1, -9));
        assert_eq!(locks.all(), [lock(1, 1, 3), lock(2, 2, 1)]);
    }

    #[test]
    #[should_panic(expected = "frees more")]
    fn no_more_comes_free_than_is_locked() {
        let mut locks = Locks::default();
        locks.add(lock(1, 1, 3));
        locks.add(lock(1, 1, -4));
    }
}
