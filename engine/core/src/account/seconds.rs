//! Seconds options as an account sees them: it holds the money and asks the desk.
//!
//! Owns: [`SecondsCommand`] and the open options of the account. Never does: open or settle one; desk and round decide. Invariants: stake
//! and fee of each open option are locked, of one by a coupon nothing is; of a stake asset no more are open or on their way than the desk
//! allows. Rules: `docs/rules/seconds.md "Opening"`. Known limits: none.

use super::Account;
use super::locks::{Lock, LockKind};
use crate::codec::WordHash;
use crate::coupon::CouponId;
use crate::entity::{Applied, Ask, Command, Ctx, Decision, HoldRequest, TimeNs};
use crate::ids::{AssetId, EntityId, Wallet};
use crate::money::Amount;
use crate::record::Role;
use crate::reject::Reject;
use crate::seconds::desk::{DeskCommand, Entry};
use crate::seconds::facts::{SecondsFact, SettledOption};
use crate::seconds::rules::OptionSide;
use crate::seconds::{Bonus, DeskId, OptionId, SecondsOption};

/// What an account can be asked about seconds options.
#[derive(Debug, Clone, Copy)]
pub enum SecondsCommand {
    /// Open one.
    Enter(EnterOption),
}

/// An option that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnterOption {
    /// At which desk.
    pub desk: DeskId,
    /// What is expected.
    pub side: OptionSide,
    /// The stake.
    pub stake: Amount,
    /// The coupon that stands for it.
    pub coupon: Option<CouponId>,
    /// Version of the terms that its owner saw; none takes those that are in force.
    pub version: Option<u32>,
}

/// Takes open options into a state's hash.
pub(super) fn hash_options(options: &[SecondsOption], h: WordHash) -> WordHash {
    options.iter().fold(h, |h, option| h.word(option.hash()))
}

/// What happened to an option of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionChange {
    /// It was opened.
    Opened(SecondsOption),
    /// It ended.
    Settled(SettledOption),
}

fn lock(option: &SecondsOption, amount: Amount) -> Lock {
    let (kind, reference) = (LockKind::SecondsOption, option.option.0);
    Lock { kind, reference, wallet: Wallet::Options, asset: option.asset, amount }
}

impl Account {
    /// Its open options, in the order in which they were opened.
    #[must_use]
    pub fn options(&self) -> &[SecondsOption] {
        &self.cold().options
    }

    /// One of its open options.
    #[must_use]
    pub fn option(&self, id: OptionId) -> Option<&SecondsOption> {
        self.options().iter().find(|option| option.option == id)
    }

    pub(super) fn decide_seconds(&self, command: &SecondsCommand, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        match command {
            SecondsCommand::Enter(wanted) => self.enter_option(wanted, ctx),
        }
    }

    fn enter_option(&self, wanted: &EnterOption, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.may_act()?;
        let params = &*ctx.board.desk(wanted.desk).ok_or(Reject::UnknownDesk)?.params;
        if wanted.version.is_some_and(|version| version != params.version) {
            return Err(Reject::StaleTerms);
        }
        if wanted.stake < params.stake.0 {
            return Err(Reject::BelowMinAmount);
        }
        if wanted.stake > params.stake.1 {
            return Err(Reject::AboveMaxAmount);
        }
        if self.options_of(params.asset) >= usize::from(params.most_open) {
            return Err(Reject::TooManyOptions);
        }
        let bonus = wanted.coupon.map(|coupon| self.bonus_for(coupon, wanted, params.asset, ctx.now)).transpose()?;
        let needed = if bonus.is_some() { Amount::ZERO } else { wanted.stake + params.fee(wanted.stake) };
        if self.free(Wallet::Options, params.asset) < needed {
            return Err(Reject::InsufficientBalance);
        }
        let (account, side, stake, version) = (self.id, wanted.side, wanted.stake, params.version);
        let command = Command::Seconds(wanted.desk, DeskCommand::Enter(Entry { account, side, stake, bonus, version }));
        let decider = EntityId::Seconds(wanted.desk);
        let hold = Some(HoldRequest::of(decider, Wallet::Options, params.asset, needed));
        Ok(Decision::Ask(Box::new(Ask { command, hold })))
    }

    /// One of its coupons whose stake the house has, for an option of just this stake.
    fn bonus_for(&self, id: CouponId, wanted: &EnterOption, asset: AssetId, now: TimeNs) -> Result<Bonus, Reject> {
        let coupon = self.bonuses().iter().find(|coupon| coupon.coupon == id).ok_or(Reject::UnknownCoupon)?;
        // What holds nothing is a coupon on its way to a desk, and this may be the same.
        let holds_none = |hold: &HoldRequest| hold.parts[0].2.is_zero();
        if self.held_parts().any(|hold| matches!(hold.decider, EntityId::Seconds(_)) && holds_none(hold)) {
            return Err(Reject::RequestInFlight);
        }
        if !coupon.is_live(now) {
            return Err(Reject::CouponOver);
        }
        if (coupon.asset, coupon.value) != (asset, wanted.stake) {
            return Err(Reject::BadParameters);
        }
        Ok((*coupon).into())
    }

    /// Options of a stake asset that are open or on their way.
    fn options_of(&self, asset: AssetId) -> usize {
        let asked = |hold: &&HoldRequest| matches!(hold.decider, EntityId::Seconds(_)) && hold.parts[0].1 == asset;
        let open = self.options().iter().filter(|option| option.asset == asset);
        open.count() + self.held_parts().filter(asked).count()
    }

    pub(super) fn apply_seconds(&mut self, fact: &SecondsFact, applied: Applied<'_>, role: Role) {
        match (fact, role) {
            (SecondsFact::OptionOpened(f), Role::Taker) => {
                self.remember(applied);
                let cold = self.cold_mut();
                cold.locks.add(lock(&f.option, f.option.locked()));
                cold.options.push(f.option);
                if let Some(bonus) = f.option.bonus {
                    cold.bonuses.retain(|coupon| coupon.coupon != bonus.coupon);
                }
            }
            (SecondsFact::OptionsSettled(f), Role::Item(n)) => {
                let (option, returned) = (f.items[n as usize].option, f.items[n as usize].returned());
                let cold = self.cold_mut();
                cold.locks.add(lock(&option, -option.locked()));
                cold.options.retain(|open| open.option != option.option);
                cold.bonuses.extend(returned.filter(|coupon| coupon.is_live(applied.record.time)));
                if self.cold().is_empty() {
                    self.cold = None;
                }
            }
            (
                SecondsFact::OptionOpened(_)
                | SecondsFact::OptionsSettled(_)
                | SecondsFact::DeskParamsSet(_)
                | SecondsFact::PriceSilent(_),
                _,
            ) => {}
        }
    }
}

/// What a fact does to an option of the account that it names in this role.
pub(super) fn option_change(fact: &SecondsFact, role: Role) -> Option<OptionChange> {
    match (fact, role) {
        (SecondsFact::OptionOpened(f), Role::Taker) => Some(OptionChange::Opened(f.option)),
        (SecondsFact::OptionsSettled(f), Role::Item(n)) => Some(OptionChange::Settled(f.items[n as usize])),
        (
            SecondsFact::OptionOpened(_)
            | SecondsFact::OptionsSettled(_)
            | SecondsFact::DeskParamsSet(_)
            | SecondsFact::PriceSilent(_),
            _,
        ) => None,
    }
}

/// Whether accounts are named by a fact of seconds options in this role.
pub(super) fn seconds_names_accounts_as(fact: &SecondsFact, role: Role) -> bool {
    match fact {
        SecondsFact::OptionOpened(_) => role == Role::Taker,
        SecondsFact::OptionsSettled(_) => matches!(role, Role::Item(_) | Role::Other | Role::Fees),
        SecondsFact::DeskParamsSet(_) | SecondsFact::PriceSilent(_) => false,
    }
}
