//! Who locks an account, and who unlocks it.

use crate::support::{Exchange, btc_usdt};
use xng_core::account::facts::{AccountStatus, GrantKind};
use xng_core::account::{AccountCommand, Property};
use xng_core::chain::{ChainCommand, ChainId};
use xng_core::copy::trader::TraderCommand;
use xng_core::coupon::CampaignId;
use xng_core::coupon::campaign::CampaignCommand;
use xng_core::entity::{Command, Reply};
use xng_core::ids::{AccountId, PriceId};
use xng_core::price::PriceCommand;
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_core::seconds::RoundId;
use xng_core::seconds::round::RoundCommand;

const ALICE: AccountId = AccountId(100_001);

fn set(x: &mut Exchange, status: AccountStatus, origin: Origin) -> Result<(), Reject> {
    let command = Command::Account(ALICE, AccountCommand::Set(Property::Status(status)));
    let token = x.submit_as(origin, None, command);
    x.run();
    match x.answer(token).expect("an answer") {
        Reply::Accepted(_) => Ok(()),
        Reply::Rejected(reject) => Err(reject),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_user_locks_the_own_account_and_two_of_the_staff_unlock_it() {
    let mut x = Exchange::new(&[btc_usdt()]);
    // Also somebody who never had anything.
    assert_eq!(set(&mut x, AccountStatus::Locked, Origin::User), Ok(()));
    assert_eq!(set(&mut x, AccountStatus::Locked, Origin::User), Err(Reject::AlreadyExists));
    for origin in [Origin::User, Origin::Api] {
        assert_eq!(set(&mut x, AccountStatus::Active, origin), Err(Reject::AccountLocked), "{origin}");
    }
    let staff = |maker, checker| Origin::Staff { maker, checker, case: 7 };
    for origin in [staff(1, 1), Origin::Admin, Origin::System, Origin::House] {
        assert_eq!(set(&mut x, AccountStatus::Active, origin), Err(Reject::NotTwoPeople), "{origin}");
    }
    assert_eq!(set(&mut x, AccountStatus::Active, staff(1, 2)), Ok(()));
    assert_eq!(set(&mut x, AccountStatus::Locked, staff(1, 1)), Err(Reject::NotTwoPeople), "one is not two");
    assert_eq!(set(&mut x, AccountStatus::Locked, Origin::Admin), Ok(()), "one person locks, as the operator");
    x.audit();
}

#[test]
fn two_of_the_staff_set_no_price_no_balance_no_outcome_and_no_statistic() {
    let mut x = Exchange::new(&[btc_usdt()]);
    let before = x.journal.records().len();
    let account = |command| Command::Account(ALICE, command);
    let all = [
        account(AccountCommand::Grant { kind: GrantKind::Opening, items: Vec::new() }),
        account(AccountCommand::Set(Property::Vip(3))),
        account(AccountCommand::Set(Property::House(true))),
        Command::Price(PriceId(1), PriceCommand::ConfirmSilence(RoundId(1))),
        Command::Round(RoundId(1), RoundCommand::Timer),
        Command::Trader(ALICE, TraderCommand::Timer),
        Command::Campaign(CampaignId(1), CampaignCommand::Stop { by: "anna".into() }),
        Command::Chain(ChainId(1), ChainCommand::Resume),
    ];
    for command in all {
        let said = format!("{command:?}");
        let token = x.submit_as(Origin::Staff { maker: 1, checker: 2, case: 7 }, None, command);
        x.run();
        assert!(matches!(x.answer(token), Some(Reply::Rejected(Reject::NotAllowed))), "{said}");
    }
    assert_eq!(x.journal.records().len(), before);
}
