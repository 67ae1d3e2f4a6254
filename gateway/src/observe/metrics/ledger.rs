//! The ledger's imbalance: for each asset, the sum of everything that every account holds.
//!
//! Money enters and leaves through an account of its own that may be negative, what an order locks is still its
//! account's, and a question on its way holds but does not move: so each sum is zero, always. The records' postings are
//! checked before they are applied; this looks at what came of applying them.
//!
//! Owns: the sums, and how often they are taken. Never does: work on the cell's thread: it counts the world that the
//! snapshots' thread folds behind the cell, whose hash the journal's digests compare with the cell's.
//! Invariants: a sum is of all accounts at one LSN. Known limits: it follows the durable journal by a second or more,
//! the more accounts the longer, at most [`SHARE`] of that thread's time.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use xng_cell::{Hosting, World};
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::Amount;

/// At least this long between two counts.
const PAUSE: Duration = Duration::from_secs(1);
/// Counting takes one part in so many of the time.
const SHARE: u32 = 200;

/// What was counted last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted {
    /// Of the world after this record.
    pub lsn: Lsn,
    /// Accounts that were counted.
    pub accounts: u64,
    /// The sum by asset, in units of 1e-8.
    pub sums: BTreeMap<AssetId, i128>,
    /// What the insurance and the leverage house have in futures, and the house of conversion in spot.
    pub funds: Vec<(AccountId, Wallet, AssetId, Amount)>,
}

/// The newest count, for whoever asks.
#[derive(Debug, Default)]
pub struct LedgerWatch(Mutex<Option<(Counted, Instant)>>);

impl LedgerWatch {
    fn newest(&self) -> MutexGuard<'_, Option<(Counted, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was counted last, and how long ago; nothing before the first count.
    #[must_use]
    pub fn last(&self) -> Option<(Counted, Duration)> {
        self.newest().as_ref().map(|(counted, at)| (counted.clone(), at.elapsed()))
    }
}

/// When the next count is due.
#[derive(Debug)]
pub struct Counting {
    next: Instant,
}

impl Default for Counting {
    fn default() -> Self {
        Counting { next: Instant::now() }
    }
}

impl Counting {
    /// Counts if it is time.
    pub fn round<H: Hosting>(&mut self, world: &World<H>, watch: &LedgerWatch) {
        let began = Instant::now();
        if began < self.next {
            return;
        }
        let counted = count(world);
        *watch.newest() = Some((counted, Instant::now()));
        self.next = Instant::now() + PAUSE.max(began.elapsed() * SHARE);
    }
}

fn count<H: Hosting>(world: &World<H>) -> Counted {
    // Assets that are listed and that nobody holds are told too: their sum is zero as well.
    let registries = world.registry().iter();
    let mut sums: BTreeMap<AssetId, i128> =
        registries.flat_map(|(_, registry)| registry.assets()).map(|asset| (asset.asset, 0)).collect();
    let mut accounts = 0;
    for (_, account) in world.accounts().iter() {
        accounts += 1;
        for balance in account.balances() {
            *sums.entry(balance.asset).or_default() += balance.available.0 + balance.locked.0;
        }
    }
    let of = |(account, wallet): (AccountId, Wallet)| {
        let balances = world.accounts().get(account).into_iter().flat_map(|a| a.balances());
        balances.filter(move |b| b.wallet == wallet).map(move |b| (account, wallet, b.asset, b.available))
    };
    let futures = [AccountId::INSURANCE, AccountId::LEVER_HOUSE].map(|account| (account, Wallet::Futures));
    let funds = futures.into_iter().chain([(AccountId::CONVERT_HOUSE, Wallet::Spot)]).flat_map(of).collect();
    Counted { lsn: world.lsn(), accounts, sums, funds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_cell::{FoldError, Plain};
    use xng_core::account::facts::{GrantItem, GrantKind, Granted};
    use xng_core::ids::EntityId;
    use xng_core::record::{Cause, Fact, Origin, Record};

    fn grant(account: AccountId, amount: i64) -> Fact {
        let item = GrantItem { wallet: Wallet::Spot, asset: AssetId(3), amount: Amount::whole(amount) };
        Fact::from(Granted { account, kind: GrantKind::Opening, items: vec![item] })
    }

    #[test]
    fn what_is_given_is_taken_from_somewhere_and_a_lost_half_is_seen() {
        let (mut world, watch) = (World::<Plain>::default(), LedgerWatch::default());
        let user = AccountId(100_001);
        let fact = grant(user, 5);
        let (cause, origin) = (Cause::Cell, Origin::System);
        let record = Record { time: 1, decider: EntityId::Account(user), cause, origin, fact };
        world.apply(Lsn(1), &record, None, |_| false, |_, _, _, _| {});
        Counting::default().round(&world, &watch);
        let (counted, _) = watch.last().expect("it was counted");
        assert_eq!((counted.lsn, counted.accounts, counted.sums.get(&AssetId(3))), (Lsn(1), 2, Some(&0)));

        // The other half of the money is in an account that this world has lost.
        let mut gone = Vec::new();
        xng_core::codec::Wire::put(&EntityId::Account(AccountId::ADJUST), &mut gone);
        let kept: Vec<_> = world.save().filter(|(key, _)| *key != gone).collect();
        let Err(FoldError::Digest { found, .. }) = World::<Plain>::load(kept.clone().into_iter(), Lsn(1), 0) else {
            panic!("its digest is another")
        };
        let half = World::<Plain>::load(kept.into_iter(), Lsn(1), found).expect("it loads with that digest");
        Counting::default().round(&half, &watch);
        let (counted, _) = watch.last().expect("it was counted");
        assert_eq!(counted.sums.get(&AssetId(3)), Some(&Amount::whole(5).0));
    }
}
