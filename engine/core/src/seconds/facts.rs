//! Facts of seconds options: their forms, whom they name, what they move.
//!
//! Owns: these. Never does: decide. Invariants: every number that is needed to apply a fact is in it; the house is the other
//! side of stakes and profits, fees go to the account `fee`. Rules: `docs/rules/seconds.md`. Known limits: none.

use super::params::DeskParams;
use super::rules::OptionResult;
use super::{DeskId, RoundId, SecondsOption, SecondsOptionV1};
use crate::coupon::Coupon;
use crate::entity::{Accepted, Reply, TimeNs};
use crate::ids::{AccountId, AssetId, EntityId, PriceId, Wallet};
use crate::money::Amount;
use crate::record::{FactBody, LogType, Posting, Role};

/// Options that one record settles at most.
pub const MOST_ITEMS: usize = 16;
/// The same while commands wait: so few that an order behind the record waits for about as long as it takes itself.
pub const FEW_ITEMS: usize = 2;

crate::wire_struct! {
    /// A desk has these terms from now on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DeskParamsSet {
        /// All of them.
        pub params: DeskParams,
    }
}

crate::wire_struct! {
    /// An option was opened.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OptionOpened {
        /// The option.
        pub option: SecondsOption,
        /// The index that decides.
        pub price: PriceId,
        /// Version of the desk's terms.
        pub version: u32,
        /// It is the first of its round, which hears the price from now on when its time comes.
        pub first: bool,
    }
}

crate::wire_struct! {
    /// The first form, before there were coupons.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OptionOpenedV1 {
        /// The option.
        pub option: SecondsOptionV1,
        /// The index that decides.
        pub price: PriceId,
        /// Version of the desk's terms.
        pub version: u32,
        /// It is the first of its round.
        pub first: bool,
    }
}

impl From<OptionOpenedV1> for OptionOpened {
    fn from(old: OptionOpenedV1) -> OptionOpened {
        let OptionOpenedV1 { option, price, version, first } = old;
        OptionOpened { option: option.into(), price, version, first }
    }
}

crate::wire_struct! {
    /// An option as it ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SettledOption {
        /// The option.
        pub option: SecondsOption,
        /// How it ended.
        pub result: OptionResult,
        /// The tick that decided; 0 when none does.
        pub close_seq: u64,
        /// The index at that tick.
        pub close_price: Amount,
        /// What its owner gets.
        pub paid: Amount,
    }
}

crate::wire_struct! {
    /// The first form, before there were coupons.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SettledOptionV1 {
        /// The option.
        pub option: SecondsOptionV1,
        /// How it ended.
        pub result: OptionResult,
        /// The tick that decided; 0 when none does.
        pub close_seq: u64,
        /// The index at that tick.
        pub close_price: Amount,
        /// What its owner gets.
        pub paid: Amount,
    }
}

impl From<SettledOptionV1> for SettledOption {
    fn from(old: SettledOptionV1) -> SettledOption {
        let SettledOptionV1 { option, result, close_seq, close_price, paid } = old;
        SettledOption { option: option.into(), result, close_seq, close_price, paid }
    }
}

impl SettledOption {
    /// The fee that the exchange earned.
    #[must_use]
    pub fn earned(&self) -> Amount {
        match self.result {
            OptionResult::Win | OptionResult::Loss | OptionResult::Tie => self.option.fee,
            OptionResult::Void => Amount::ZERO,
        }
    }

    /// The coupon that its owner has again: nothing was decided by it.
    #[must_use]
    pub fn returned(&self) -> Option<Coupon> {
        match self.result {
            OptionResult::Win | OptionResult::Loss => None,
            OptionResult::Tie | OptionResult::Void => self.option.coupon(),
        }
    }

    /// What the house gains; negative what it pays.
    #[must_use]
    pub fn house(&self) -> Amount {
        self.option.locked() - self.paid - self.earned()
    }
}

crate::wire_struct! {
    /// Options of a round ended, by the same ticks.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OptionsSettled {
        /// Which round.
        pub round: RoundId,
        /// What the stakes are in.
        pub asset: AssetId,
        /// The options.
        pub items: Vec<SettledOption>,
        /// The round has no other.
        pub last: bool,
    }
}

crate::wire_struct! {
    /// The first form, before there were coupons.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OptionsSettledV1 {
        /// Which round.
        pub round: RoundId,
        /// What the stakes are in.
        pub asset: AssetId,
        /// The options.
        pub items: Vec<SettledOptionV1>,
        /// The round has no other.
        pub last: bool,
    }
}

impl From<OptionsSettledV1> for OptionsSettled {
    fn from(old: OptionsSettledV1) -> OptionsSettled {
        let OptionsSettledV1 { round, asset, items, last } = old;
        OptionsSettled { round, asset, items: items.into_iter().map(SettledOption::from).collect(), last }
    }
}

crate::wire_struct! {
    /// A round asked for a tick after its end, and there is none yet.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PriceSilent {
        /// Which symbol.
        pub price: PriceId,
        /// Its last tick.
        pub seq: u64,
        /// There is none after that one up to then.
        pub upto: TimeNs,
        /// Who asked.
        pub round: RoundId,
    }
}

fn row(account: AccountId, asset: AssetId, log: LogType, available: Amount, locked: Amount, reference: u64) -> Posting {
    Posting { account, wallet: Wallet::Options, asset, log, available, locked, reference }
}

impl FactBody for DeskParamsSet {}

impl FactBody for OptionOpened {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.option.account), Role::Taker);
        tell(EntityId::Round(self.option.round()), Role::Other);
        if self.first {
            tell(EntityId::Price(self.price), Role::Other);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let SecondsOption { option, account, asset, .. } = self.option;
        if role == Role::Taker {
            let locked = self.option.locked();
            // Of a coupon nothing is.
            if !locked.is_zero() {
                post(row(account, asset, LogType::OPTION_STAKE, -locked, locked, option.0));
            }
        }
    }

    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Option(self.option.option))
    }
}

impl OptionsSettled {
    /// The desk of the round.
    #[must_use]
    pub fn desk(&self) -> DeskId {
        self.round.desk()
    }

    fn earned(&self) -> Amount {
        self.items.iter().map(SettledOption::earned).sum()
    }

    /// What the house gains by all of them; negative what it pays.
    #[must_use]
    pub fn house(&self) -> Amount {
        self.items.iter().map(SettledOption::house).sum()
    }
}

impl FactBody for OptionsSettled {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        // The desk, which stood on the other side.
        tell(EntityId::Seconds(self.desk()), Role::Maker(0));
        for (n, item) in self.items.iter().enumerate() {
            tell(EntityId::Account(item.option.account), Role::Item(n as u32));
        }
        tell(EntityId::Account(AccountId::SECONDS_HOUSE), Role::Other);
        // No fee is negative.
        if self.items.iter().any(|item| item.earned().is_positive()) {
            tell(EntityId::Account(AccountId::FEE), Role::Fees);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let none = Amount::ZERO;
        match role {
            Role::Item(n) => {
                let SettledOption { option, paid, .. } = self.items[n as usize];
                let (log, locked) = (LogType::OPTION_RESULT, option.locked());
                // A coupon that wins nothing moves nothing.
                if !paid.is_zero() || !locked.is_zero() {
                    post(row(option.account, self.asset, log, paid, -locked, option.option.0));
                }
            }
            Role::Other => {
                let house = self.house();
                if !house.is_zero() {
                    post(row(AccountId::SECONDS_HOUSE, self.asset, LogType::OPTION_RESULT, house, none, self.round.0));
                }
            }
            Role::Fees => post(row(AccountId::FEE, self.asset, LogType::FEE_INCOME, self.earned(), none, self.round.0)),
            Role::Decider | Role::Taker | Role::Maker(_) | Role::Insurance => {}
        }
    }
}

impl FactBody for PriceSilent {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Round(self.round), Role::Other);
    }
}

crate::record::product_facts! {
    /// Facts of seconds options.
    Seconds(SecondsFact) {
        /// A desk has other terms.
        DeskParamsSet = 80 v 1,
        /// An option was opened.
        OptionOpened = 81 v 2 (1: OptionOpenedV1),
        /// Options of a round ended.
        OptionsSettled = 82 v 2 (1: OptionsSettledV1),
        /// There is no tick after a round's end.
        PriceSilent = 83 v 1,
    }
}
