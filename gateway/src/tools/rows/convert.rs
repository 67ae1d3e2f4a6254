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
        match fact {
            ConvertFact::Converted(f) if self.whose.wants(f.account) => rows.conversions.add(&StoredConversion {
                lsn,
                part: 0,
                account: f.account,
                time,
                dust: false,
                quoted: f.quoted,
                from: f.from,
                amount: f.amount,
                to: f.to,
                to_amount: f.to_amount,
                fee: f.fee,
                off_ppm: f.spread_ppm,
                fee_ppm: f.fee_ppm,
            }),
            ConvertFact::DustConverted(f) if self.whose.wants(f.account) => {
                (0..).zip(&f.rows).try_for_each(|(part, row)| {
                    rows.conversions.add(&StoredConversion {
                        lsn,
                        part,
                        account: f.account,
                        time,
                        dust: true,
                        quoted: None,
                        from: row.from,
                        amount: row.amount,
                        to: f.into,
                        to_amount: row.to_amount,
                        fee: Amount::ZERO,
                        off_ppm: f.fee_ppm,
                        fee_ppm: 0,
                    })
                })
            }
            ConvertFact::Converted(_) | ConvertFact::DustConverted(_) | ConvertFact::ConvertParamsSet(_) => Ok(()),
        }
    }

    /// Nothing of a conversion stays open.
    pub(super) fn open(&self, _open: &mut Vec<Open>) {}
}
