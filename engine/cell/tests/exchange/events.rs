//! What whoever watches an account is told.

use crate::support::{BTC, Exchange, USDT, btc_usdt};
use std::collections::BTreeMap;
use xng_core::account::{AccountCommand, SpotCommand};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, MarketId};
use xng_core::money::Amount;
use xng_core::spot::{Side, Stp, Tif};

const ALICE: AccountId = AccountId(100_001);
const BOB: AccountId = AccountId(100_002);
const M: MarketId = MarketId(1);

#[test]
fn a_wallet_loses_nothing_to_an_order_that_is_on_its_way() {
    let mut x = Exchange::new(&[btc_usdt()]);
    for who in [ALICE, BOB] {
        x.fund(who, USDT, Amount::whole(100_000));
        x.fund(who, BTC, Amount::whole(10));
    }
    x.watch(ALICE);
    // Several are asked for before the first is decided.
    for n in 0..8 {
        for (side, ticks) in [(Side::Buy, 4_000_000 + n), (Side::Sell, 6_000_000 + n)] {
            let order = x.limit(M, side, ticks, 1_000, Tif::Gtc, Stp::ExpireTaker);
            x.submit(None, Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Place(order))));
        }
    }
    x.run();
    x.submit(None, Command::Account(ALICE, AccountCommand::Spot(SpotCommand::CancelAll(M))));
    let order = x.limit(M, Side::Buy, 4_000_000, 1_000, Tif::Gtc, Stp::ExpireTaker);
    x.submit(None, Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Place(order))));
    x.run();
    let whole = BTreeMap::from([(USDT, Amount::whole(100_000)), (BTC, Amount::whole(10))]);
    let mut rows = 0;
    for balance in x.events.iter().flat_map(|event| &event.wallets) {
        let (asset, sum): (AssetId, Amount) = (balance.asset, balance.available + balance.locked);
        assert_eq!(Some(&sum), whole.get(&asset), "free and locked are all of it: {balance:?}");
        rows += 1;
    }
    assert_eq!(rows, 8 * 2 * 2 + 1, "each order, each cancel, and the last");
}
