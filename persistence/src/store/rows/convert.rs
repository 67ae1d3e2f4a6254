//! Conversions as rows, and which of them are asked for.
//!
//! Owns: the table `conversions`, and the rows of each fact of conversion. Never does: compute an amount; the fact has it.
//! Invariants: a row is one asset that became another; rows of one record have its position. Known limits: parameters have
//! no rows: they are in memory and in the journal.

use xng_core::{
    convert::{
        ConvertSide,
        facts::{ConvertFact, DustConverted, DustRow},
    },
    entity::TimeNs,
    ids::{AccountId, AssetId},
    journal::Lsn,
    money::Amount,
    record::Record,
};

use super::{
    Missing,
    table::{StoredRow, WrittenRow, tables},
};
use crate::store::{
    StoreError,
    sql::{Columns, Fields, Filter, Query, Table},
};

tables! {
    /// What a batch changes of conversions.
    rows {
        /// Conversions, in order.
        conversions: Vec<StoredConversion>,
    }
    remembered {}
}

impl Needs {
    pub(in crate::store) fn name(&mut self, _: &Record, _: &ConvertFact) {}
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        (lsn, record): (Lsn, &Record),
        fact: &ConvertFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        let time = record.time;
        match fact {
            ConvertFact::Converted(f) => rows.conversions.push(StoredConversion {
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
            ConvertFact::DustConverted(f) => {
                let balances = (0..).zip(&f.rows);
                rows.conversions.extend(balances.map(|(part, row)| of_dust((lsn, time), f, part, row)));
            }
            ConvertFact::ConvertParamsSet(_) => {}
        }
        Ok(())
    }
}

fn of_dust((lsn, time): (Lsn, TimeNs), f: &DustConverted, part: u32, row: &DustRow) -> StoredConversion {
    StoredConversion {
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
    }
}

/// An asset that became another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredConversion {
    /// Position of the record.
    pub lsn: Lsn,
    /// Which of the record's balances of dust, from 0.
    pub part: u32,
    /// Whose.
    pub account: AccountId,
    /// When.
    pub time: TimeNs,
    /// Whether it was dust.
    pub dust: bool,
    /// When the quote was made, if one was used.
    pub quoted: Option<TimeNs>,
    /// What was given.
    pub from: ConvertSide,
    /// How much.
    pub amount: Amount,
    /// What was received.
    pub to: ConvertSide,
    /// How much.
    pub to_amount: Amount,
    /// On top of what was given.
    pub fee: Amount,
    /// Off the rate: the spread, or the fee of dust.
    pub off_ppm: u32,
    /// Rate of the fee.
    pub fee_ppm: u32,
}

impl StoredRow for StoredConversion {
    const TABLE: &'static Table = &Table {
        name: "conversions",
        reading: "read conversions",
        key: &["lsn", "part"],
        columns: &[
            "lsn",
            "part",
            "account",
            "time_ns",
            "dust",
            "quoted",
            "from_asset",
            "from_seq",
            "from_price_whole",
            "from_price_frac",
            "amount_whole",
            "amount_frac",
            "to_asset",
            "to_seq",
            "to_price_whole",
            "to_price_frac",
            "to_amount_whole",
            "to_amount_frac",
            "fee_whole",
            "fee_frac",
            "off_ppm",
            "fee_ppm",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let side = |asset, seq, price| {
            Ok::<_, StoreError>(ConvertSide { asset: AssetId(f.small(asset)?), seq: f.id(seq)?, price })
        };
        let quoted = f.maybe_int("quoted")?.map(i64::cast_unsigned);
        Ok(StoredConversion {
            lsn: Lsn(f.id("lsn")?),
            part: f.small("part")?,
            account: AccountId(f.id("account")?),
            time: f.id("time_ns")?,
            dust: f.int("dust")? == 1,
            quoted,
            from: side("from_asset", "from_seq", f.amount("from_price_whole", "from_price_frac")?)?,
            amount: f.amount("amount_whole", "amount_frac")?,
            to: side("to_asset", "to_seq", f.amount("to_price_whole", "to_price_frac")?)?,
            to_amount: f.amount("to_amount_whole", "to_amount_frac")?,
            fee: f.amount("fee_whole", "fee_frac")?,
            off_ppm: f.small("off_ppm")?,
            fee_ppm: f.small("fee_ppm")?,
        })
    }
}

impl WrittenRow for StoredConversion {
    fn put(&self, c: &mut Columns) {
        c.id(self.lsn.0).int(self.part).id(self.account.0).id(self.time).int(self.dust);
        c.maybe_int(self.quoted.map(u64::cast_signed));
        c.int(self.from.asset.0).id(self.from.seq).amount(self.from.price).amount(self.amount);
        c.int(self.to.asset.0).id(self.to.seq).amount(self.to.price).amount(self.to_amount);
        c.amount(self.fee).int(self.off_ppm).int(self.fee_ppm);
    }
}

/// Conversions of one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversionFilter {
    /// Whose.
    pub account: AccountId,
}

impl Filter for ConversionFilter {
    type Row = StoredConversion;
    type Cursor = (Lsn, u32);
    const ORDER: &'static [&'static str] = &["lsn", "part"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
    }

    fn cursor(row: &StoredConversion) -> (Lsn, u32) {
        (row.lsn, row.part)
    }

    fn place((lsn, part): (Lsn, u32)) -> Vec<u64> {
        vec![lsn.0, part.into()]
    }
}
