//! Rows of seconds options by the tools' own fold, and where the store has them.
//!
//! Owns: what is compared of seconds options. Never does: share code with the projection.
//! Invariants: rows come in the order of the journal. Known limits: open options are kept in memory.

use super::{ComparedRow, Open, Takes, Tool, Whose, tables};
use crate::observe::render::{self, name};
use crate::tools::error::ToolError;
use crate::tools::stored::Stored;
use serde_json::json;
use std::collections::BTreeMap;
use xng_core::codec::Wire;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_core::seconds::OptionId;
use xng_core::seconds::facts::SecondsFact;
use xng_persistence::store::{OptionEnd, OptionFilter, StoredOption};

tables! { options: StoredOption }

impl ComparedRow for StoredOption {
    const NAMES: [&'static str; 2] = ["seconds option", "seconds options"];
    const KEY: &'static str = "seconds_options";
    const IS_KEPT: bool = true;
    type Part = ();
    type Place = (TimeNs, OptionId);

    fn account(&self) -> AccountId {
        self.option.account
    }
    fn part(&self) {}
    fn place(&self) -> (TimeNs, OptionId) {
        (self.option.opened, self.option.option)
    }
    fn id(&self) -> u64 {
        self.option.option.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.option.put(out);
        if let Some(end) = &self.end {
            [end.time, end.close_seq].iter().for_each(|n| n.put(out));
            end.result.put(out);
            [end.close_price, end.paid].iter().for_each(|sum| sum.put(out));
        }
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(OptionFilter::of(account))
    }
}

/// See the module's header.
pub(in crate::tools) struct Fold {
    whose: Whose,
    open: BTreeMap<OptionId, StoredOption>,
}

impl Fold {
    pub(super) fn new(whose: Whose) -> Fold {
        Fold { whose, open: BTreeMap::new() }
    }

    /// Reads the next fact.
    pub(super) fn read(
        &mut self,
        (_, time): (Lsn, TimeNs),
        fact: &SecondsFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        match fact {
            SecondsFact::OptionOpened(f) if self.whose.wants(f.option.account) => {
                let row = StoredOption { option: f.option, end: None };
                self.open.insert(f.option.option, row);
                rows.options.add(&row)
            }
            SecondsFact::OptionsSettled(f) => f.items.iter().try_for_each(|item| {
                let Some(before) = self.open.remove(&item.option.option) else { return Ok(()) };
                let (result, close_seq, close_price) = (item.result, item.close_seq, item.close_price);
                let end = Some(OptionEnd { time, result, close_seq, close_price, paid: item.paid });
                rows.options.take(Some(&before), &StoredOption { end, ..before })
            }),
            SecondsFact::OptionOpened(_) | SecondsFact::DeskParamsSet(_) | SecondsFact::PriceSilent(_) => Ok(()),
        }
    }

    /// What is open.
    pub(super) fn open(&self, open: &mut Vec<Open>) {
        open.extend(self.open.values().map(|StoredOption { option: o, .. }| {
            let (side, pair) = (name(o.side), o.option.desk().pair());
            let object = json!({ "option": o.option.0, "pair": pair.0, "side": side, "stake": o.stake.to_string(),
                "fee": o.fee.to_string(), "open_price": o.open_price.to_string(), "opened": render::time(o.opened),
                "expires": render::time(o.expires) });
            let text = format!(
                "open option {}: {side} of pair {pair} from {}, stake {}, expires {}",
                o.option,
                o.open_price,
                o.stake,
                render::time(o.expires)
            );
            (text, object)
        }));
    }
}
