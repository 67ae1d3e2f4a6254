//! Rows of conversions by the tools' own fold, and where the store has them.
//!
//! Owns: what is compared of conversions. Never does: share code with the projection.
//! Invariants: rows come in the order of the journal. Known limits: none.

use super::{ComparedRow, Open, Takes, Tool, Whose, tables};
use crate::tools::error::ToolError;
use crate::tools::stored::Stored;
use xng_core::codec::Wire;
use xng_core::convert::facts::ConvertFact;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_persistence::store::{ConversionFilter, StoredConversion};

tables! { conversions: StoredConversion }

impl ComparedRow for StoredConversion {
    const NAMES: [&'static str; 2] = ["conversion", "conversions"];
    const KEY: &'static str = "conversions";
    type Part = ();
    type Place = (Lsn, u32);

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) {}
    fn place(&self) -> (Lsn, u32) {
        (self.lsn, self.part)
    }
    fn id(&self) -> u64 {
        self.lsn.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.time.put(out);
        self.dust.put(out);
        self.quoted.put(out);
        self.from.put(out);
        self.to.put(out);
        [self.amount, self.to_amount, self.fee].iter().for_each(|sum| sum.put(out));
        [self.off_ppm, self.fee_ppm].iter().for_each(|rate| rate.put(out));
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(ConversionFilter { account })
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
        fact: &ConvertFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        let (part, none) = (0, Amount::ZERO);
        match fact {
            ConvertFact::Converted(f) if self.whose.wants(f.account) => {
                let (account, dust, quoted, from, to) = (f.account, false, f.quoted, f.from, f.to);
                let (amount, to_amount, fee, off_ppm, fee_ppm) =
                    (f.amount, f.to_amount, f.fee, f.spread_ppm, f.fee_ppm);
                let numbers = StoredConversion {
                    lsn,
                    part,
                    account,
                    time,
                    dust,
                    quoted,
                    from,
                    amount,
                    to,
                    to_amount,
                    fee,
                    off_ppm,
                    fee_ppm,
                };
                rows.conversions.add(&numbers)
            }
            ConvertFact::DustConverted(f) if self.whose.wants(f.account) => {
                let (account, dust, quoted, to, fee, off_ppm, fee_ppm) =
                    (f.account, true, None, f.into, none, f.fee_ppm, 0);
                f.rows.iter().enumerate().try_for_each(|(n, row)| {
                    let (part, from, amount, to_amount) = (n as u32, row.from, row.amount, row.to_amount);
                    rows.conversions.add(&StoredConversion {
                        lsn,
                        part,
                        account,
                        time,
                        dust,
                        quoted,
                        from,
                        amount,
                        to,
                        to_amount,
                        fee,
                        off_ppm,
                        fee_ppm,
                    })
                })
            }
            ConvertFact::Converted(_) | ConvertFact::DustConverted(_) | ConvertFact::ConvertParamsSet(_) => Ok(()),
        }
    }

    /// Nothing of a conversion stays open.
    pub(super) fn open(&self, _open: &mut Vec<Open>) {}
}
