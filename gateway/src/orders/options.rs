//! Pages of an account's seconds options: what its actor has open, and those that ended from the store.
//!
//! Owns: how the two are joined. Never does: show a row. Invariants: an option is in a page once; what the actor has goes before
//! what the store says of it. Known limits: options that ended are answered "later" while the store is away or behind; 1,000 rows
//! back.

use crate::api::http::errors::{Code, Failure};
use crate::app::App;
use crate::orders::lookup::{DEEP, answered, written};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use xng_core::account::AccountView;
use xng_core::entity::TimeNs;
use xng_core::ids::MarketId;
use xng_core::seconds::{OptionId, SecondsOption};
use xng_persistence::store::{OptionFilter, Slice, StoredOption};

/// Which of the options that are not settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// None of them.
    None,
    /// Those that expired by this time and wait for their settlement.
    Over(TimeNs),
    /// All of them.
    All,
}

/// Which options.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Of one pair only.
    pub pair: Option<MarketId>,
    /// Those that are not settled.
    pub open: Open,
    /// Those that are settled.
    pub ended: bool,
}

impl Wanted {
    /// Whether an option that is not settled is among them.
    fn takes(&self, option: &SecondsOption) -> bool {
        let is_meant = match self.open {
            Open::None => false,
            Open::Over(now) => option.expires <= now,
            Open::All => true,
        };
        is_meant && self.pair.is_none_or(|pair| option.option.desk().pair() == pair)
    }
}

/// Options, newest first, and how many there are.
///
/// # Errors
/// A page beyond what is read; busy, "later", when the store does not come to what happened last.
pub async fn merged_options(
    app: &App,
    view: &AccountView,
    wanted: &Wanted,
    (number, limit): (u64, u64),
) -> Result<(Vec<StoredOption>, u64), Failure> {
    let open = view.options.iter().filter(|option| wanted.takes(option));
    let mut all: Vec<StoredOption> = open.map(|option| StoredOption { option: *option, end: None }).collect();
    let mut total = all.len() as u64;
    if wanted.ended {
        let reach = number * limit;
        if reach > DEEP {
            return Err(Failure::field("page", "out of range"));
        }
        written(app).await?;
        let filter = OptionFilter { pair: wanted.pair, ended: Some(true), ..OptionFilter::of(view.account) };
        let ended = answered(app.shared.store.page(&filter, Slice::Newest, reach as u32).await)?;
        total += answered(app.shared.store.count(&filter).await)?;
        // What ended since the actor was asked is still among its own.
        let known: BTreeSet<OptionId> = view.options.iter().map(|option| option.option).collect();
        all.extend(ended.into_iter().filter(|row| !known.contains(&row.option.option)));
    }
    all.sort_unstable_by_key(|row| Reverse((row.option.opened, row.option.option)));
    let skip = usize::try_from((number - 1) * limit).unwrap_or(usize::MAX);
    Ok((all.into_iter().skip(skip).take(limit as usize).collect(), total))
}

/// One option of an account, open or not.
///
/// # Errors
/// There is none of this account; busy, "later", when the store does not come to what happened last.
pub async fn find(app: &App, view: &AccountView, option: OptionId) -> Result<StoredOption, Failure> {
    if let Some(open) = view.options.iter().find(|open| open.option == option) {
        return Ok(StoredOption { option: *open, end: None });
    }
    written(app).await?;
    let stored = answered(app.shared.store.find::<StoredOption>(option).await)?;
    stored.filter(|row| row.option.account == view.account).ok_or_else(|| Code::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::ids::{AccountId, AssetId};
    use xng_core::money::Amount;
    use xng_core::seconds::DeskId;
    use xng_core::seconds::rules::OptionSide;

    #[test]
    fn an_option_that_expired_is_open_and_over_until_it_is_settled() {
        let option = SecondsOption {
            option: OptionId::of(DeskId::of(MarketId(2), 0), 1),
            account: AccountId(1),
            asset: AssetId(3),
            side: OptionSide::Rise,
            stake: Amount::whole(10),
            fee: Amount::ZERO,
            ratio_ppm: 750_000,
            open_seq: 1,
            open_price: Amount::whole(100),
            opened: 5,
            expires: 50,
            bonus: None,
        };
        let takes = |open, pair| Wanted { pair, open, ended: true }.takes(&option);
        assert!(takes(Open::All, None) && !takes(Open::None, None));
        assert!(!takes(Open::Over(49), None) && takes(Open::Over(50), None), "the last moment is over");
        assert!(takes(Open::Over(50), Some(MarketId(2))) && !takes(Open::All, Some(MarketId(1))));
    }
}
