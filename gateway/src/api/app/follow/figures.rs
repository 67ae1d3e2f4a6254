//! Figures of traders as they are shown and compared.
//!
//! Owns: rates, and the orders of the list. Never does: add anything up. Invariants: a rate is of the same sums as the amount beside
//! it. Known limits: rates are of the margins of closed tickets, for nobody's deposits are asked.

use crate::api::http::errors::Failure;
use crate::common::time::{ms, ts};
use crate::market::traders::Figures;
use serde_json::{Value, json};
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use xng_core::convert::day_of;
use xng_core::copy::statistics::Statistics;
use xng_core::copy::trader::TraderView;
use xng_core::entity::TimeNs;
use xng_core::fraction::Fraction;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_core::money::{Amount, ONE};

/// How the list is sorted, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Profit,
    Accuracy,
    Yield,
    Followers,
    Today,
}

impl Sort {
    pub(super) fn parse(text: Option<&str>) -> Result<Sort, Failure> {
        Ok(match text {
            None | Some("" | "profit") => Sort::Profit,
            Some("accuracy") => Sort::Accuracy,
            Some("yield") => Sort::Yield,
            Some("followers") => Sort::Followers,
            Some("today") => Sort::Today,
            Some(_) => return Err(Failure::field("sort", "profit, accuracy, yield, followers or today")),
        })
    }

    pub(super) fn compare(self, a: &Figure<'_>, b: &Figure<'_>) -> Ordering {
        let key = |figure: &Figure<'_>| {
            let s = &figure.view.statistics;
            match self {
                Sort::Profit => s.profit.0,
                Sort::Accuracy => hundredths(Amount(s.won.into()), Amount(s.closed.into())),
                Sort::Yield => hundredths(s.profit, s.margins),
                Sort::Followers => figure.followers as i128,
                Sort::Today => figure.today().0,
            }
        };
        (Reverse(key(a)), a.view.trader).cmp(&(Reverse(key(b)), b.view.trader))
    }
}

/// Hundredths of a percent that one is of another; 0 of nothing.
fn hundredths(part: Amount, of: Amount) -> i128 {
    if of.is_positive() { Fraction::from(part).by(10_000).over(of.into()).half_up() } else { 0 }
}

/// Percent, with two decimals at most.
fn rate(part: Amount, of: Amount) -> String {
    Amount(hundredths(part, of) * (ONE / 100)).to_string()
}

/// A trader's figures at one time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figure<'a> {
    pub(super) view: &'a TraderView,
    pub(super) time: TimeNs,
    /// How many follow now.
    pub(super) followers: usize,
}

impl<'a> Figure<'a> {
    pub(super) fn of(view: &'a TraderView, time: TimeNs, followers: &BTreeMap<AccountId, usize>) -> Figure<'a> {
        Figure { view, time, followers: followers.get(&view.trader).copied().unwrap_or_default() }
    }

    fn today(&self) -> Amount {
        self.view.statistics.day(day_of(self.time))
    }

    /// What a row of the list says besides whose it is.
    pub(super) fn row(&self, lsn: Lsn) -> Value {
        let s = &self.view.statistics;
        json!({
            "total_profits": s.profit.to_string(), "closed_count": s.closed,
            "correct_rate": rate(Amount(s.won.into()), Amount(s.closed.into())), "follow_num": self.followers,
            "income_rate": rate(s.profit, s.margins), "position_value": self.view.value.to_string(),
            "today_profit": self.today().to_string(), "worst_day": s.worst().to_string(),
            "drawdown": rate(s.drawdown, s.margins), "drawdown_money": s.drawdown.to_string(), "skips": s.skips,
            "updated_at": ts(ms(self.time)), "updated_ms": ms(self.time), "lsn": lsn.0,
        })
    }

    /// All of them; of an account that is no trader any more there are none.
    pub(super) fn detail(figure: Option<Figure<'_>>, published: &Figures) -> Value {
        let nothing = Statistics::default();
        let s = figure.as_ref().map_or(&nothing, |figure| &figure.view.statistics);
        let (time, lsn) = (published.time, published.lsn);
        let yesterday = s.day(day_of(time).saturating_sub(1));
        json!({
            "total_profits": s.profit.to_string(), "profitCount": s.won, "fallCount": s.short, "riseCount": s.long,
            "total_income_rate": rate(s.profit, s.margins),
            "correct_rate": rate(Amount(s.won.into()), Amount(s.closed.into())), "follow_num": figure.map_or(0, |figure| figure.followers),
            "yesterday_profits": rate(yesterday, s.margins), "position_count": figure.map_or(0, |figure| figure.view.open_tickets),
            "total_count": s.closed, "worst_day": s.worst().to_string(),
            "drawdown": rate(s.drawdown, s.margins), "drawdown_money": s.drawdown.to_string(), "skips": s.skips,
            "updated_at": ts(ms(time)), "updated_ms": ms(time), "lsn": lsn.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::contract::leg::Direction;

    fn view(trader: u64, nets: &[i64]) -> TraderView {
        let mut statistics = Statistics::default();
        for net in nets {
            statistics.close(Direction::Long, Amount::whole(100), Amount::whole(*net), 1);
        }
        let (followers, open_tickets, value, terms) = (trader as usize, 0, Amount::ZERO, None);
        TraderView { trader: AccountId(trader), terms, followers, open_tickets, value, statistics }
    }

    #[test]
    fn rates_are_of_the_margins_and_lists_begin_with_the_best() {
        let (a, b, c) = (view(1, &[30, -10, 20]), view(2, &[-5]), view(3, &[]));
        let counts = BTreeMap::from([1, 2, 3].map(|n| (AccountId(n), n as usize)));
        let figure = |view| Figure::of(view, 1, &counts);
        let row = figure(&a).row(Lsn(9));
        let shown = ["total_profits", "correct_rate", "income_rate", "drawdown", "worst_day", "today_profit"];
        let shown = shown.map(|key| row[key].as_str().unwrap());
        assert_eq!(shown, ["40", "66.67", "13.33", "3.33", "0", "40"]);
        let by = |sort: Sort| {
            let mut all = [figure(&a), figure(&b), figure(&c)];
            all.sort_by(|a, b| sort.compare(a, b));
            all.map(|figure| figure.view.trader.0)
        };
        assert_eq!((by(Sort::Profit), by(Sort::Yield)), ([1, 3, 2], [1, 3, 2]));
        assert_eq!((by(Sort::Accuracy), by(Sort::Followers)), ([1, 2, 3], [3, 2, 1]));
        assert!(Sort::parse(Some("luck")).is_err());
    }
}
