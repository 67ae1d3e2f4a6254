//! The fake chain does what the real ones do, and what they do only on bad days.

use xng_core::chain::{Coin, CoinTransaction, Key, OutPoint, Payment, Units};
use xng_custody::bitcoin::{Account, Network, Unsigned};
use xng_custody::fake::{FakeChain, Fault, Lie};
use xng_custody::port::{BroadcastError, ChainAdapter, ChainError, FeeRate, Found, Taken};

const TPUB: &str =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";
const KEY: Key = Key { ring: 0, change: false, index: 0 };
const SOMEBODY: &str = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";

struct Rig {
    chain: FakeChain,
    accounts: [Account; 1],
}

fn rig() -> Rig {
    let accounts = [Account::new(TPUB, Network::Regtest).unwrap()];
    Rig { chain: FakeChain::new(Network::Regtest, 2), accounts }
}

impl Rig {
    fn ours(&self) -> String {
        self.accounts[0].address(KEY).unwrap()
    }

    /// A coin of 100,000 for us, in a block.
    fn deposit(&mut self) -> OutPoint {
        let at = self.chain.pay(&self.ours(), Units(100_000)).unwrap();
        self.chain.mine();
        at
    }

    /// Pays 50,000 of it to somebody.
    fn spending(&self, at: OutPoint, fee: u128) -> Unsigned {
        let plan = CoinTransaction {
            inputs: vec![Coin { at, units: Units(100_000), key: KEY }],
            payments: vec![Payment { address: SOMEBODY.into(), units: Units(50_000) }],
            change: Some((Key { change: true, ..KEY }, Units(50_000 - fee))),
            fee: Units(fee),
        };
        Unsigned::new(&plan, &self.accounts, Network::Regtest).unwrap()
    }

    fn held(&mut self) -> u128 {
        let ours = [self.ours()];
        self.chain.unspent(&ours).unwrap().units().0
    }
}

#[test]
fn the_same_calls_give_the_same_chain() {
    let history = || {
        let mut rig = rig();
        let at = rig.deposit();
        rig.chain.broadcast(&rig.spending(at, 1_000).to_bytes()).unwrap();
        rig.chain.mine();
        rig.chain.reorganise(1, true);
        rig.chain.mine();
        (0..=4).map(|height| rig.chain.block(height).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(history(), history());
}

#[test]
fn a_coin_comes_is_spent_once_and_every_answer_is_a_nodes() {
    let mut rig = rig();
    let at = rig.deposit();
    assert_eq!(rig.held(), 100_000);
    assert_eq!(rig.chain.final_height(), Ok(0));
    rig.chain.mine();
    assert_eq!(rig.chain.final_height(), Ok(1));
    let block = rig.chain.block(1).unwrap();
    assert_eq!(block.transactions[1].outputs[0].address, Some(rig.ours()));
    assert_eq!(rig.chain.block(9), Err(ChainError::NoBlock(9)));

    let [cheap, first, second] = [100, 1_000, 2_000].map(|fee| rig.spending(at, fee));
    assert!(matches!(rig.chain.broadcast(&cheap.to_bytes()), Err(BroadcastError::FeeTooLow(_))));
    assert_eq!(rig.chain.broadcast(&first.to_bytes()), Ok(Taken::InPool));
    assert_eq!(rig.chain.broadcast(&first.to_bytes()), Ok(Taken::InPool));
    assert_eq!(rig.chain.broadcast(&second.to_bytes()), Ok(Taken::InPool));
    assert_eq!(rig.chain.find(first.txid()), Ok(Found::Unknown));
    assert!(matches!(rig.chain.broadcast(&first.to_bytes()), Err(BroadcastError::FeeTooLow(_))));
    let in_block = rig.chain.mine();
    assert_eq!(rig.chain.find(second.txid()), Ok(Found::InBlock(in_block)));
    assert_eq!(rig.chain.broadcast(&second.to_bytes()), Ok(Taken::Known));
    assert!(matches!(rig.chain.broadcast(&first.to_bytes()), Err(BroadcastError::SpentElsewhere(_))));
    assert_eq!(rig.held(), 0);
    rig.chain.set_fee_rate(FeeRate(7_000));
    assert_eq!(rig.chain.fee_rate(), Ok(FeeRate(7_000)));
}

#[test]
fn a_reorganisation_makes_other_blocks_and_transactions_wait_or_vanish() {
    let mut rig = rig();
    let at = rig.deposit();
    let spending = rig.spending(at, 1_000);
    rig.chain.broadcast(&spending.to_bytes()).unwrap();
    let old = rig.chain.mine();
    let new = rig.chain.reorganise(1, true);
    assert_eq!(new.height, old.height + 1);
    assert_ne!(rig.chain.block(old.height).unwrap().id, old);
    assert_eq!(rig.chain.block(old.height).unwrap().parent, Some(rig.chain.block(old.height - 1).unwrap().id.hash));
    assert_eq!(rig.chain.find(spending.txid()), Ok(Found::InPool));
    assert_eq!(rig.held(), 100_000);
    // Beyond the deposit, whose payer thinks otherwise: what spends it is void.
    rig.chain.reorganise(3, false);
    assert_eq!(rig.chain.find(spending.txid()), Ok(Found::Unknown));
    assert!(matches!(rig.chain.broadcast(&spending.to_bytes()), Err(BroadcastError::SpentElsewhere(_))));
    assert_eq!(rig.held(), 0);
    rig.chain.reorganise(1_000, false);
    assert_eq!(rig.chain.block(0).unwrap().parent, None, "the first block stays");
}

#[test]
fn answers_are_lost_and_doubled_and_blocks_are_told_wrongly_on_demand() {
    let mut rig = rig();
    let at = rig.deposit();
    let spending = rig.spending(at, 1_000);
    for fault in [Fault::LoseQuestion, Fault::LoseAnswer, Fault::Double] {
        rig.chain.fault(fault);
    }
    let mut send = || rig.chain.broadcast(&spending.to_bytes());
    assert!(matches!(send(), Err(BroadcastError::Chain(ChainError::Unreachable(_)))));
    assert!(matches!(send(), Err(BroadcastError::Chain(ChainError::Unreachable(_)))));
    assert_eq!(send(), Ok(Taken::InPool));
    rig.chain.forget_pool();
    assert_eq!(rig.chain.find(spending.txid()), Ok(Found::Unknown));

    let truth = rig.chain.block(1).unwrap();
    for lie in [Lie::Parent, Lie::Missing, Lie::Amount] {
        rig.chain.lie(1, Some(lie));
        assert_ne!(rig.chain.block(1).unwrap(), truth, "{lie:?}");
    }
    rig.chain.lie(1, Some(Lie::Nonsense));
    assert!(matches!(rig.chain.block(1), Err(ChainError::Shape(_))));
    rig.chain.lie(1, None);
    assert_eq!(rig.chain.block(1).unwrap(), truth);
    rig.chain.set_reachable(false);
    assert!(rig.chain.tip().unwrap_err().is_passing());
    rig.chain.set_reachable(true);

    let theft = rig.chain.spend(at, SOMEBODY).unwrap();
    let block = rig.chain.mine();
    assert_eq!(rig.chain.find(theft), Ok(Found::InBlock(block)));
    assert_eq!(rig.chain.block(block.height).unwrap().transactions[1].spends, [at]);
}
