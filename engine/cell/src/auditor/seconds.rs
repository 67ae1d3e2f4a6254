//! Seconds options as the auditor sees them: its own ticks, results, amounts and exposures.
//!
//! Owns: ticks of the last minutes, terms, open options and how each must end. Never does: use the engine's formulas. Invariants
//! checked: an option is opened at the last tick, which is fresh, by the terms in force; it ends once, by the last tick up to its
//! expiry, and not before a later tick came or the price was silent for a minute; win, loss, tie and void pay what they must;
//! of a stake that is a coupon's only profit is paid, and a tie or a void option gives the coupon back;
//! the worst loss of a minute stays within its cap; an account has no more open than it may.
//! Known limits: ticks that decide nothing any more are forgotten.

use super::contracts::nearest;
use super::{Auditor, FEE, Finding, WalletKey};
use std::collections::{BTreeMap, VecDeque};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, PriceId, Wallet};
use xng_core::journal::Lsn;
use xng_core::price::facts::{PriceKind, PriceTicked};
use xng_core::seconds::facts::{OptionOpened, OptionsSettled, PriceSilent, SecondsFact, SettledOption};
use xng_core::seconds::params::DeskParams;
use xng_core::seconds::rules::{OptionResult, OptionSide};
use xng_core::seconds::{DeskId, OptionId, RoundId, SecondsOption};

pub(super) const SECONDS_HOUSE: AccountId = AccountId(6);
const DAY_NS: u64 = 86_400_000_000_000;
const SECOND: u64 = 1_000_000_000;
const MILLION: i128 = 1_000_000;
/// A tick that is older at expiry decides nothing.
const DECIDES: u64 = 5 * SECOND;
/// A round waits so long for a later tick.
const WAITS: u64 = 60 * SECOND;

/// Number, price, time.
type Tick = (u64, i128, TimeNs);

/// An option that is open, and the tick by which it ends, once that is certain.
#[derive(Debug, Clone)]
pub(super) struct OpenOption {
    pub option: SecondsOption,
    price: PriceId,
    /// None: void.
    decided: Option<Option<Tick>>,
}

/// What the auditor knows of seconds options.
#[derive(Debug, Clone, Default)]
pub(super) struct SecondsOptions {
    desks: BTreeMap<DeskId, DeskParams>,
    ticks: BTreeMap<PriceId, (VecDeque<Tick>, bool)>,
    pub open: BTreeMap<OptionId, OpenOption>,
    counts: BTreeMap<DeskId, u64>,
    /// What the house lost on a day.
    lost: BTreeMap<DeskId, (u64, i128)>,
}

/// The second at which all options of a round have expired.
fn second_of(expires: TimeNs) -> u64 {
    expires.div_ceil(SECOND)
}

/// What its owner has put at stake: by a coupon nothing.
fn at_stake(option: &SecondsOption) -> i128 {
    if option.bonus.is_some() { 0 } else { option.stake.0 }
}

fn profit(option: &SecondsOption) -> i128 {
    nearest(option.stake.0 * i128::from(option.ratio_ppm), MILLION)
}

impl SecondsOptions {
    /// A price came: what it shows to be certain is decided.
    pub(super) fn hear(&mut self, f: &PriceTicked, time: TimeNs) {
        let (ticks, jumps) = self.ticks.entry(f.price).or_default();
        *jumps = f.kind == PriceKind::Suspect;
        if *jumps {
            return;
        }
        decide(&mut self.open, f.price, ticks, |option| second_of(option.expires) * SECOND < time);
        ticks.push_back((f.seq, f.index.0, time));
        while ticks.get(1).is_some_and(|second| second.2 + DECIDES + SECOND < time) {
            ticks.pop_front();
        }
    }

    /// The worst loss of a desk's minute of expiries.
    pub(super) fn worst_loss(&self, desk: DeskId, minute: u64) -> i128 {
        let mut sums = [[0; 2]; 2];
        for o in self.open.values().map(|open| &open.option) {
            if o.option.desk() == desk && second_of(o.expires) / 60 == minute {
                let side = usize::from(o.side == OptionSide::Fall);
                sums[side][0] += at_stake(o);
                sums[side][1] += profit(o);
            }
        }
        (sums[0][1] - sums[1][0]).max(sums[1][1] - sums[0][0]).max(0)
    }

    fn of_round(&self, round: RoundId) -> usize {
        let its = |open: &&OpenOption| {
            open.option.option.desk() == round.desk() && second_of(open.option.expires) == round.second()
        };
        self.open.values().filter(its).count()
    }
}

/// Decides options of a price that are `over`.
fn decide(
    open: &mut BTreeMap<OptionId, OpenOption>,
    price: PriceId,
    ticks: &VecDeque<Tick>,
    over: impl Fn(&SecondsOption) -> bool,
) {
    let waiting = open.values_mut().filter(|o| o.price == price && o.decided.is_none());
    for o in waiting.filter(|o| over(&o.option)) {
        let last = ticks.iter().rev().find(|(_, _, time)| *time <= o.option.expires);
        o.decided = Some(last.copied().filter(|(_, _, time)| time + DECIDES >= o.option.expires));
    }
}

impl Auditor {
    /// Terms of a desk, once it is listed.
    #[must_use]
    pub fn desk(&self, desk: DeskId) -> Option<&DeskParams> {
        self.seconds.desks.get(&desk)
    }

    pub(super) fn seconds_fact(
        &mut self,
        at: (Lsn, TimeNs),
        fact: &SecondsFact,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        match fact {
            SecondsFact::DeskParamsSet(f) => {
                let before = self.seconds.desks.insert(f.params.desk, f.params.clone()).map_or(0, |old| old.version);
                if f.params.version != before + 1 {
                    return Err(format!("record {} sets version {} after {before}", at.0, f.params.version));
                }
                Ok(())
            }
            SecondsFact::OptionOpened(f) => self.option_opened(at, f, moved),
            SecondsFact::OptionsSettled(f) => self.options_settled(at, f, moved),
            SecondsFact::PriceSilent(f) => self.price_silent(at, f),
        }
    }

    fn price_silent(&mut self, (lsn, time): (Lsn, TimeNs), f: &PriceSilent) -> Result<(), Finding> {
        let none = (VecDeque::new(), false);
        let (ticks, _) = self.seconds.ticks.get(&f.price).unwrap_or(&none);
        let last = ticks.back().map_or(0, |(seq, ..)| *seq);
        let end = f.round.second() * SECOND;
        let later = ticks.back().is_some_and(|(_, _, time)| *time > end);
        if f.seq != last || later || f.upto != time || time < end + WAITS {
            return Err(format!("record {lsn} calls a price silent that is not: {f:?}"));
        }
        let round = f.round;
        decide(&mut self.seconds.open, f.price, ticks, |option| option.round() == round);
        Ok(())
    }

    /// What a desk's terms, the last tick and its open options say of a new one.
    fn is_good_option(&self, (lsn, time): (Lsn, TimeNs), f: &OptionOpened) -> Result<(), Finding> {
        let (o, s) = (&f.option, &self.seconds);
        let wrong = |what: &str| Err(format!("record {lsn} opens an option {what}: {f:?}"));
        let desk = o.option.desk();
        let Some(terms) = s.desks.get(&desk).filter(|terms| terms.version == f.version) else {
            return wrong("by terms that are not in force");
        };
        let (ticks, jumps) = match s.ticks.get(&f.price) {
            Some((ticks, jumps)) => (ticks, *jumps),
            None => return wrong("without a price"),
        };
        let fresh = u64::from(terms.fresh_ms) * 1_000_000;
        let tick = ticks.back().filter(|(_, _, at)| at + fresh >= time && !jumps);
        if terms.price != f.price || tick.map(|(seq, price, _)| (*seq, *price)) != Some((o.open_seq, o.open_price.0)) {
            return wrong("at a tick that is not the last, or not fresh");
        }
        let fee = nearest(at_stake(o) * i128::from(terms.fee_ppm), MILLION);
        let expires = time / 1_000_000 * 1_000_000 + u64::from(terms.seconds) * SECOND;
        let right = (o.fee.0, o.ratio_ppm, o.asset) == (fee, terms.ratio_ppm, terms.asset)
            && (o.opened, o.expires) == (time, expires)
            && (terms.stake.0..=terms.stake.1).contains(&o.stake)
            && terms.open;
        if !right {
            return wrong("with numbers that its terms do not give");
        }
        let of_account =
            s.open.values().filter(|open| (open.option.account, open.option.asset) == (o.account, o.asset));
        if of_account.count() > usize::from(terms.most_open) {
            return wrong("too many");
        }
        let minute = second_of(o.expires) / 60;
        if s.worst_loss(desk, minute) > terms.minute_cap.0 {
            return wrong("beyond the cap of its minute");
        }
        let lost = s.lost.get(&desk).filter(|(day, _)| *day == time / DAY_NS).map_or(0, |(_, lost)| *lost);
        if lost >= terms.day_cap.0 {
            return wrong("after the house lost its limit of the day");
        }
        if f.first != (s.of_round(o.round()) == 1) {
            return wrong("that is not the first of its round, or is and does not say so");
        }
        Ok(())
    }

    fn option_opened(
        &mut self,
        at: (Lsn, TimeNs),
        f: &OptionOpened,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let o = f.option;
        let count = self.seconds.counts.entry(o.option.desk()).or_default();
        if o.option.0 / 4_096 != *count + 1 {
            return Err(format!("record {} gives option id {} after the count {count}", at.0, o.option));
        }
        *count += 1;
        let open = OpenOption { option: o, price: f.price, decided: None };
        self.seconds.open.insert(o.option, open);
        self.is_good_option(at, f)?;
        if !o.coupon().is_none_or(|coupon| self.coupons.enter(&coupon, at.1)) {
            return Err(format!("record {} opens an option by a coupon that is none: {f:?}", at.0));
        }
        self.option_locks(&o, -(at_stake(&o) + o.fee.0), at_stake(&o) + o.fee.0, moved);
        Ok(())
    }

    fn option_locks(&mut self, o: &SecondsOption, available: i128, locked: i128, moved: &mut Vec<WalletKey>) {
        if (available, locked) == (0, 0) {
            return;
        }
        let wallet = (o.account, Wallet::Options, o.asset);
        self.add(wallet, available, locked, moved);
        *self.explained.entry(wallet).or_default() += locked;
    }

    /// What an option must bring, by the tick that decides it.
    fn is_right_end(&self, lsn: Lsn, item: &SettledOption) -> Result<i128, Finding> {
        let o = &item.option;
        let known = self.seconds.open.get(&o.option).filter(|open| open.option == *o);
        let Some(open) = known else { return Err(format!("record {lsn} settles what is not open: {item:?}")) };
        let Some(decided) = open.decided else {
            return Err(format!("record {lsn} settles an option before its end is certain: {item:?}"));
        };
        let (result, paid) = match decided {
            None => (OptionResult::Void, at_stake(o) + o.fee.0),
            Some((_, price, _)) if price == o.open_price.0 => (OptionResult::Tie, at_stake(o)),
            Some((_, price, _)) if (price > o.open_price.0) == (o.side == OptionSide::Rise) => {
                (OptionResult::Win, at_stake(o) + profit(o))
            }
            Some(_) => (OptionResult::Loss, 0),
        };
        let close = decided.map_or((0, 0), |(seq, price, _)| (seq, price));
        if (item.result, item.paid.0, (item.close_seq, item.close_price.0)) != (result, paid, close) {
            return Err(format!("record {lsn} settles {item:?}; {result:?} by {close:?}, paid {paid}, is right"));
        }
        Ok(paid)
    }

    fn options_settled(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &OptionsSettled,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let mut lost = 0;
        for item in &f.items {
            let paid = self.is_right_end(lsn, item)?;
            let o = item.option;
            self.seconds.open.remove(&o.option);
            if o.round() != f.round || o.asset != f.asset {
                return Err(format!("record {lsn} settles an option of another round: {item:?}"));
            }
            let fee = if item.result == OptionResult::Void { 0 } else { o.fee.0 };
            let locked = at_stake(&o) + o.fee.0;
            self.option_locks(&o, paid, -locked, moved);
            self.add((SECONDS_HOUSE, Wallet::Options, f.asset), locked - paid - fee, 0, moved);
            if matches!(item.result, OptionResult::Tie | OptionResult::Void) {
                o.coupon().filter(|coupon| time < coupon.expires).into_iter().for_each(|c| self.coupons.add_bonus(c));
            }
            if fee > 0 {
                self.add((FEE, Wallet::Options, f.asset), fee, 0, moved);
            }
            lost += paid + fee - locked;
        }
        let left = self.seconds.of_round(f.round);
        if f.items.is_empty() || f.last != (left == 0) {
            return Err(format!("record {lsn} says of its round that last is {}, {left} are open", f.last));
        }
        let (day, of_day) = self.seconds.lost.entry(f.round.desk()).or_default();
        if *day != time / DAY_NS {
            (*day, *of_day) = (time / DAY_NS, 0);
        }
        *of_day += lost;
        Ok(())
    }

    /// Whether no option is left whose second is over, where a later tick came and everything due was done.
    pub fn no_option_is_due(&self, now: TimeNs) -> Result<(), Finding> {
        let over = |open: &&OpenOption| second_of(open.option.expires) * SECOND + 2 * SECOND < now;
        match self.seconds.open.values().find(over) {
            Some(open) => Err(format!("an option is over and still open: {open:?}")),
            None => Ok(()),
        }
    }

    /// What open options lock.
    pub(super) fn option_locks_of_all(&self) -> impl Iterator<Item = (WalletKey, i128)> + '_ {
        let options = self.seconds.open.values().map(|open| &open.option);
        options.map(|o| ((o.account, Wallet::Options, o.asset), at_stake(o) + o.fee.0))
    }
}
