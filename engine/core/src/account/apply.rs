//! What facts do to an account.
//!
//! Owns: how postings, request keys and properties change with a fact; a product's part is in its folder (`spot/apply.rs`).
//! Never does: refuse: what a record says has happened. Invariants: no wallet of a user becomes negative, and a fact names
//! accounts only in the roles that it has, or the process stops. Known limits: none.

use super::contract::apply::contract_names_accounts_as;
use super::contract::legs_apply::book_names_accounts_as;
use super::convert::convert_names_accounts_as;
use super::copying::copy_names_accounts_as;
use super::coupons::coupons_name_accounts_as;
use super::facts::{AccountFact, GrantKind};
use super::seconds::seconds_names_accounts_as;
use super::spot::apply::spot_names_accounts_as;
use super::stock::stock_names_accounts_as;
use super::{Account, Balance};
use crate::entity::{Applied, Reply};
use crate::money::Amount;
use crate::record::{Fact, Posting, Role};
use crate::system_accounts::may_be_negative;

impl Account {
    pub(super) fn post(&mut self, p: &Posting) {
        let at = match self.find(p.wallet, p.asset) {
            Ok(at) => at,
            Err(at) => {
                let (wallet, asset) = (p.wallet, p.asset);
                self.balances.reserve_exact(1);
                self.balances.insert(at, Balance { wallet, asset, available: Amount::ZERO, locked: Amount::ZERO });
                at
            }
        };
        let b = &mut self.balances[at];
        b.available += p.available;
        b.locked += p.locked;
        let sound = !(b.available.is_negative() || b.locked.is_negative()) || may_be_negative(self.id, p.wallet);
        assert!(sound, "account {}: {:?} would be negative after {p:?}", self.id, *b);
    }

    /// Keeps the answer under the request's key, if it came with one.
    #[inline]
    pub(super) fn remember(&mut self, applied: Applied<'_>) {
        let record = applied.record;
        if let Some(key) = record.cause.request() {
            let Reply::Accepted(accepted) = record.fact.reply(record.time) else {
                unreachable!("{} has no answer that a key keeps", record.fact.name())
            };
            self.cold_mut().requests.remember(key, record.time, accepted);
        }
    }

    pub(super) fn apply(&mut self, applied: Applied<'_>, role: Role) {
        assert!(
            names_accounts_as(&applied.record.fact, role),
            "an account is not named by {} as {role:?}",
            applied.record.fact.name()
        );
        match &applied.record.fact {
            Fact::Spot(fact) => self.apply_spot(fact, applied, role),
            Fact::Account(fact) => self.apply_own(fact, applied, role),
            Fact::Contract(fact) => self.apply_contract(fact, applied, role),
            Fact::Book(fact) => self.apply_book(fact, applied, role),
            Fact::Convert(fact) => self.apply_convert(fact, applied, role),
            Fact::Seconds(fact) => self.apply_seconds(fact, applied, role),
            Fact::Copy(fact) => self.apply_copying(fact, applied, role),
            Fact::Stock(fact) => self.apply_stock(fact, role),
            Fact::Chain(fact) => self.apply_chain(fact, applied, role),
            Fact::Coupon(fact) => self.apply_coupons(fact, applied, role),
            // They name no account.
            Fact::Registry(_) | Fact::Price(_) | Fact::Cell(_) => {}
        }
    }

    fn apply_own(&mut self, fact: &AccountFact, applied: Applied<'_>, role: Role) {
        match fact {
            AccountFact::Transferred(_) => self.remember(applied),
            AccountFact::RequestsForgotten(f) => {
                self.cold_mut().requests.forget(f.through);
                if self.cold().is_empty() {
                    self.cold = None;
                }
            }
            AccountFact::Granted(f) => {
                if role == Role::Decider {
                    self.opened |= f.kind == GrantKind::Opening;
                    self.remember(applied);
                }
            }
            AccountFact::AccountChanged(f) => (self.level, self.status, self.house) = (f.level, f.status, f.house),
            AccountFact::VipSet(f) => self.level = f.level,
            AccountFact::StatusSet(f) => self.status = f.status,
            AccountFact::HouseSet(f) => self.house = f.house,
            AccountFact::TierChanged(f) => self.apply_tier(f),
        }
    }
}

/// Whether accounts are named by a fact in this role; a fact that names one in another is a bug.
fn names_accounts_as(fact: &Fact, role: Role) -> bool {
    match fact {
        Fact::Spot(fact) => spot_names_accounts_as(fact, role),
        Fact::Contract(fact) => contract_names_accounts_as(fact, role),
        Fact::Book(fact) => book_names_accounts_as(fact, role),
        Fact::Convert(fact) => convert_names_accounts_as(fact, role),
        Fact::Seconds(fact) => seconds_names_accounts_as(fact, role),
        Fact::Copy(fact) => copy_names_accounts_as(fact, role),
        Fact::Stock(fact) => stock_names_accounts_as(fact, role),
        Fact::Chain(fact) => fact.names_accounts_as(role),
        Fact::Coupon(fact) => coupons_name_accounts_as(fact, role),
        Fact::Account(AccountFact::Granted(_)) => matches!(role, Role::Decider | Role::Other),
        Fact::Account(_) => role == Role::Decider,
        Fact::Registry(_) | Fact::Price(_) | Fact::Cell(_) => false,
    }
}
