//! Rows of deposits by the tools' own fold, and where the store has them.
//!
//! Owns: what is compared of what came to accounts' addresses. Never does: share code with the projection.
//! Invariants: rows come in the order of the journal. Known limits: rows of the addresses themselves are not compared.

use super::{ComparedRow, Open, Takes, Tool, Whose, tables};
use crate::tools::error::ToolError;
use crate::tools::stored::Stored;
use xng_core::chain::facts::ChainFact;
use xng_core::codec::Wire;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_persistence::store::{DepositFilter, DepositKind, StoredDeposit};

tables! { deposits: StoredDeposit }

impl ComparedRow for StoredDeposit {
    const NAMES: [&'static str; 2] = ["deposit", "deposits"];
    const KEY: &'static str = "deposits";
    type Part = ();
    type Place = (Lsn, u32);

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) {}
    fn place(&self) -> (Lsn, u32) {
        (self.lsn, self.n)
    }
    fn id(&self) -> u64 {
        self.lsn.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.chain.put(out);
        self.output.put(out);
        self.height.put(out);
        self.key.put(out);
        self.asset.put(out);
        self.amount.put(out);
        out.push(self.kind as u8);
        self.time.put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(DepositFilter { account, asset: None })
    }
}

/// See the module's header.
pub(in crate::tools) struct Fold {
    whose: Whose,
}

impl Fold {
    pub(super) fn new(whose: Whose) -> Fold {
        Fold { whose }
    }

    /// Reads the next fact.
    pub(super) fn read(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &ChainFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        match fact {
            ChainFact::BlockTaken(f) => {
                for (n, credit) in (0..).zip(&f.credits) {
                    if self.whose.wants(credit.owner) {
                        rows.deposits.add(&StoredDeposit {
                            lsn,
                            n,
                            chain: f.chain,
                            output: Some((credit.at, credit.units)),
                            height: f.height,
                            key: credit.key,
                            account: credit.owner,
                            asset: credit.asset,
                            amount: credit.amount,
                            kind: credit.kind.into(),
                            time,
                        })?;
                    }
                }
                Ok(())
            }
            ChainFact::SmallDepositsCredited(f) if self.whose.wants(f.account) => {
                let (chain, key, account, asset, amount) = (f.chain, f.key, f.account, f.asset, f.amount);
                let kind = DepositKind::Collected;
                let row = StoredDeposit {
                    lsn,
                    n: 0,
                    chain,
                    output: None,
                    height: 0,
                    key,
                    account,
                    asset,
                    amount,
                    kind,
                    time,
                };
                rows.deposits.add(&row)
            }
            ChainFact::ChainSet(_)
            | ChainFact::AddressAssigned(_)
            | ChainFact::BlocksPassed(_)
            | ChainFact::SmallDepositsCredited(_)
            | ChainFact::ChainHalted(_)
            | ChainFact::ChainResumed(_) => Ok(()),
        }
    }

    /// Nothing of a deposit stays open for an account.
    pub(super) fn open(&self, _open: &mut Vec<Open>) {}
}
