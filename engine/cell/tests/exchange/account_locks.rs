//! Who locks an account, and who unlocks it.

use crate::support::{Exchange, btc_usdt};
use xng_core::account::facts::AccountStatus;
use xng_core::account::{AccountCommand, Property};
use xng_core::entity::{Command, Reply};
use xng_core::ids::AccountId;
use xng_core::record::Origin;
use xng_core::reject::Reject;

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
    assert_eq!(set(&mut x, AccountStatus::Locked, staff(1, 1)), Ok(()), "one person locks");
    x.audit();
}
