//! Seconds options as rows, and which of them are asked for.
//!
//! Owns: the table `seconds_options`, and the rows of each fact of them, also of coupons that are stakes. Never does: decide who
//! wins; the fact has it. Invariants: a row is the engine's own option, and how it ended. Known limits: desks and rounds have no
//! rows: they are in memory and in the journal.

use std::collections::BTreeMap;

use xng_core::{
    coupon::CouponId,
    entity::TimeNs,
    ids::{AccountId, AssetId, MarketId},
    journal::Lsn,
    money::Amount,
    record::Record,
    seconds::{
        Bonus, DESK_SPAN, DURATIONS, OptionId, SecondsOption,
        facts::SecondsFact,
        rules::{OptionResult, OptionSide},
    },
};

use super::{
    Missing,
    coupon::{CouponState, StoredCoupon},
    message::{MessageKey, MessageKind, StoredMessage},
    table::{Kept, StoredRow, WrittenRow, tables},
};
use crate::store::{
    StoreError,
    sql::{Columns, Fields, Filter, Query, Table},
};

tables! {
    /// What a batch changes of seconds options.
    rows {
        /// Options that changed, as they are now.
        options: BTreeMap<OptionId, StoredOption>,
        /// What owners are told.
        messages: BTreeMap<MessageKey, StoredMessage>,
        /// Coupons that became an option's stake, or were given back.
        coupons: BTreeMap<CouponId, StoredCoupon>,
    }
    remembered { options: StoredOption }
}

impl Needs {
    pub(in crate::store) fn name(&mut self, _: &Record, fact: &SecondsFact) {
        match fact {
            SecondsFact::OptionOpened(f) => self.options.made(f.option.option),
            SecondsFact::OptionsSettled(f) => {
                f.items.iter().for_each(|item| self.options.changed(item.option.option));
            }
            SecondsFact::DeskParamsSet(_) | SecondsFact::PriceSilent(_) => {}
        }
    }
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        (lsn, record): (Lsn, &Record),
        fact: &SecondsFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        match fact {
            SecondsFact::OptionOpened(f) => {
                self.options.add(StoredOption { option: f.option, end: None }, &mut rows.options);
                let used = f.option.coupon().map(|c| StoredCoupon::ended(c, CouponState::Used, record.time));
                rows.coupons.extend(used.map(|row| (row.coupon.coupon, row)));
            }
            SecondsFact::OptionsSettled(f) => {
                for item in &f.items {
                    let (result, close_seq, close_price) = (item.result, item.close_seq, item.close_price);
                    let end = OptionEnd { time: record.time, result, close_seq, close_price, paid: item.paid };
                    let option = item.option.option;
                    let changed = self.options.change(option, &mut rows.options, |row| row.end = Some(end));
                    changed.ok_or_else(|| Missing { lsn, row: format!("option {option}") })?;
                    rows.coupons.extend(item.returned().map(|coupon| (coupon.coupon, StoredCoupon::unused(coupon))));
                    // A coupon that expired meanwhile does not come back, and there is nothing to tell.
                    let back = match item.option.coupon() {
                        None => Some((0, item.paid)),
                        Some(coupon) => coupon.is_live(record.time).then_some((1, coupon.value)),
                    };
                    if let (OptionResult::Void, Some((detail, amount))) = (result, back) {
                        let asset = f.asset;
                        let message = StoredMessage::new(item.option.account, MessageKind::OptionVoid, record.time);
                        StoredMessage {
                            asset,
                            amount,
                            detail,
                            market: option.desk().pair(),
                            ..message.about(option.0)
                        }
                        .add_to(&mut rows.messages);
                    }
                }
            }
            SecondsFact::DeskParamsSet(_) | SecondsFact::PriceSilent(_) => {}
        }
        Ok(())
    }
}

/// An option, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredOption {
    /// The option.
    pub option: SecondsOption,
    /// How it ended, if it did.
    pub end: Option<OptionEnd>,
}

/// How an option ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionEnd {
    /// When it was settled.
    pub time: TimeNs,
    /// Who won.
    pub result: OptionResult,
    /// The tick that decided; 0 when none did.
    pub close_seq: u64,
    /// The index at that tick.
    pub close_price: Amount,
    /// What its owner got.
    pub paid: Amount,
}

impl StoredRow for StoredOption {
    const TABLE: &'static Table = &Table {
        name: "seconds_options",
        reading: "read seconds options",
        key: &["option_id"],
        columns: &[
            "option_id",
            "account",
            "asset",
            "side",
            "stake_whole",
            "stake_frac",
            "fee_whole",
            "fee_frac",
            "ratio_ppm",
            "open_seq",
            "open_price_whole",
            "open_price_frac",
            "opened_ns",
            "expires_ns",
            "settled_ns",
            "result",
            "close_seq",
            "close_price_whole",
            "close_price_frac",
            "paid_whole",
            "paid_frac",
            "coupon_id",
            "coupon_issued_ns",
            "coupon_expires_ns",
        ],
        replaced: &[
            "settled_ns",
            "result",
            "close_seq",
            "close_price_whole",
            "close_price_frac",
            "paid_whole",
            "paid_frac",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let option = SecondsOption {
            option: OptionId(f.id("option_id")?),
            account: AccountId(f.id("account")?),
            asset: AssetId(f.small("asset")?),
            side: f.variant("side", OptionSide::ALL, |v| v as u8)?,
            stake: f.amount("stake_whole", "stake_frac")?,
            fee: f.amount("fee_whole", "fee_frac")?,
            ratio_ppm: f.small("ratio_ppm")?,
            open_seq: f.id("open_seq")?,
            open_price: f.amount("open_price_whole", "open_price_frac")?,
            opened: f.id("opened_ns")?,
            expires: f.id("expires_ns")?,
            bonus: match f.maybe_int("coupon_id")? {
                None => None,
                Some(coupon) => Some(Bonus {
                    coupon: CouponId(coupon.cast_unsigned()),
                    issued: f.id("coupon_issued_ns")?,
                    expires: f.id("coupon_expires_ns")?,
                }),
            },
        };
        let end = match f.maybe_int("settled_ns")? {
            None => None,
            Some(time) => Some(OptionEnd {
                time: time.cast_unsigned(),
                result: f.variant("result", OptionResult::ALL, |v| v as u8)?,
                close_seq: f.id("close_seq")?,
                close_price: f.amount("close_price_whole", "close_price_frac")?,
                paid: f.amount("paid_whole", "paid_frac")?,
            }),
        };
        Ok(StoredOption { option, end })
    }
}

impl WrittenRow for StoredOption {
    fn put(&self, c: &mut Columns) {
        let o = &self.option;
        c.id(o.option.0).id(o.account.0).int(o.asset.0).int(o.side as u8).amount(o.stake).amount(o.fee);
        c.int(o.ratio_ppm).id(o.open_seq).amount(o.open_price).id(o.opened).id(o.expires);
        c.maybe_int(self.end.map(|end| end.time.cast_signed()));
        c.maybe_int(self.end.map(|end| end.result as i64)).maybe_int(self.end.map(|end| end.close_seq.cast_signed()));
        c.maybe_amount(self.end.map(|end| end.close_price)).maybe_amount(self.end.map(|end| end.paid));
        c.maybe_int(o.bonus.map(|bonus| bonus.coupon.0.cast_signed()));
        c.maybe_int(o.bonus.map(|bonus| bonus.issued.cast_signed()));
        c.maybe_int(o.bonus.map(|bonus| bonus.expires.cast_signed()));
    }
}

impl Kept for StoredOption {
    type Key = OptionId;

    fn key(&self) -> OptionId {
        self.option.option
    }

    fn numbers(key: OptionId) -> impl IntoIterator<Item = i64> {
        [key.0.cast_signed()]
    }

    fn is_done(&self) -> bool {
        self.end.is_some()
    }
}

/// Options of one account, by the time at which they were opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionFilter {
    /// Whose.
    pub account: AccountId,
    /// Of one pair only.
    pub pair: Option<MarketId>,
    /// Only those that ended, or only those that did not.
    pub ended: Option<bool>,
}

impl OptionFilter {
    /// All options of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self { account, pair: None, ended: None }
    }
}

impl Filter for OptionFilter {
    type Row = StoredOption;
    type Cursor = (TimeNs, OptionId);
    const ORDER: &'static [&'static str] = &["opened_ns", "option_id"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        if let Some(pair) = self.pair {
            let desk_of = format!("(option_id % {DESK_SPAN}) / {DURATIONS} = {}", pair.0);
            query.and().push(&desk_of);
        }
        if let Some(ended) = self.ended {
            query.and().push(if ended { "settled_ns IS NOT NULL" } else { "settled_ns IS NULL" });
        }
    }

    fn cursor(row: &StoredOption) -> (TimeNs, OptionId) {
        (row.option.opened, row.option.option)
    }

    fn place((opened, option): (TimeNs, OptionId)) -> Vec<u64> {
        vec![opened, option.0]
    }
}
