//! Accounts and markets as actors on the cell's thread: clients from other threads, addresses, events, credits.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

use std::time::Duration;
use tokio::sync::mpsc;
use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Envelope, World};
use xng_core::account::AccountCommand;
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::entity::{Accepted, Command, Reply, View};
use xng_core::ids::{AccountId, AssetId, EntityId, Wallet};
use xng_core::journal::{Batch, Journal, Lsn};
use xng_core::money::Amount;
use xng_core::record::{Cause, Origin};
use xng_core::reject::Reject;
use xng_runtime::crash::CrashFile;
use xng_runtime::shell::{Observe, Tell};
use xng_runtime::{Admission, CellHandle, Client, Fault, thread};

/// Durable at once.
#[derive(Default)]
struct Memory(Lsn);

impl Journal for Memory {
    fn append(&mut self, batch: &mut Batch) {
        self.0 = batch.last();
        batch.clear();
    }
    fn durable(&self) -> Lsn {
        self.0
    }
    fn pending_bytes(&self) -> u64 {
        0
    }
}

#[derive(Debug)]
struct Never;

impl From<std::io::Error> for Never {
    fn from(error: std::io::Error) -> Never {
        panic!("{error}")
    }
}

fn start() -> CellHandle {
    let handle = CellHandle::new();
    let crash = CrashFile::new(std::env::temp_dir().join("no-crash-is-expected.tsv"));
    let make = || -> Result<_, Never> { Ok(Cell::new(World::default(), Memory::default(), ManualClock(1))) };
    thread::start(&handle, crash, make).unwrap();
    handle
}

const USER: AccountId = AccountId(100_001);
const USDT: AssetId = AssetId(3);

fn grant(amount: i64) -> Command {
    let items = vec![GrantItem { wallet: Wallet::Spot, asset: USDT, amount: Amount::whole(amount) }];
    Command::Account(USER, AccountCommand::Grant { kind: GrantKind::Correction, items })
}

fn transfer(amount: i64) -> Command {
    let (from, to, amount) = (Wallet::Spot, Wallet::Funding, Amount::whole(amount));
    Command::Account(USER, AccountCommand::Transfer { asset: USDT, from, to, amount })
}

fn locally<F: Future>(work: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, work)
}

#[test]
fn clients_of_many_threads_get_their_own_answers_and_no_money_is_doubled() {
    let handle = start();
    let admission = Admission::new(1_000, 10);
    let all: usize = std::thread::scope(|s| {
        let client = |_| {
            let (handle, admission) = (handle.clone(), admission.clone());
            s.spawn(move || {
                locally(async move {
                    let client = Client::start(&handle, &admission, mpsc::unbounded_channel().0);
                    client.call(Origin::System, None, grant(10)).await.unwrap();
                    let mut moved = 0;
                    for _ in 0..100 {
                        match client.call(Origin::User, None, transfer(1)).await.unwrap() {
                            Reply::Accepted(Accepted::Done) => moved += 1,
                            Reply::Rejected(Reject::InsufficientBalance) => {}
                            other => panic!("{other:?}"),
                        }
                    }
                    moved
                })
            })
        };
        let threads: Vec<_> = (0..4).map(client).collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!(all, 40, "four times ten was granted");
    let stats =
        handle.with_world(|world| world.accounts().get(USER).unwrap().free(Wallet::Funding, USDT)).recv().unwrap();
    assert_eq!(stats, Amount::whole(40));
}

#[test]
fn a_watched_account_tells_its_changes_in_order() {
    let handle = start();
    locally(async {
        let (events, mut heard) = mpsc::unbounded_channel();
        let client = Client::start(&handle, &Admission::new(10, 10), events);
        client.watch(USER);
        client.call(Origin::System, None, grant(10)).await.unwrap();
        client.call(Origin::User, None, transfer(4)).await.unwrap();
        let (first, second) = (heard.recv().await.unwrap(), heard.recv().await.unwrap());
        assert_eq!((first.event.seq, second.event.seq), (1, 2));
        assert_eq!(second.event.wallets.iter().map(|w| w.available).collect::<Vec<_>>(), [6, 4].map(Amount::whole));
        client.unwatch(USER);
        client.call(Origin::User, None, transfer(1)).await.unwrap();
        assert!(heard.try_recv().is_err(), "nobody watches any more");
    });
}

#[test]
fn a_full_exchange_says_so_at_once() {
    let handle = CellHandle::new();
    locally(async {
        // Nobody drives the cell: what is sent waits and keeps its credit.
        let client = Client::start(&handle, &Admission::new(2, 1), mpsc::unbounded_channel().0);
        for _ in 0..2 {
            let client = client.clone();
            tokio::task::spawn_local(async move { client.call(Origin::User, None, transfer(1)).await });
        }
        tokio::task::yield_now().await;
        assert_eq!(client.call(Origin::User, None, transfer(1)).await.unwrap_err(), Fault::Busy);
        let view = Command::Account(USER, AccountCommand::View);
        let waits = tokio::time::timeout(Duration::from_millis(50), client.call(Origin::User, None, view)).await;
        assert!(waits.is_err(), "reads and cancels have credits of their own");
    });
}

#[test]
fn an_actor_can_be_observed_and_told_by_its_address() {
    let handle = start();
    locally(async {
        let client = Client::start(&handle, &Admission::new(10, 10), mpsc::unbounded_channel().0);
        // The first fact brings the account into being, the second command finds it.
        client.call(Origin::System, None, grant(4)).await.unwrap();
        client.call(Origin::System, None, grant(6)).await.unwrap();
        let unknown = handle.address(EntityId::Account(AccountId(7))).recv().unwrap();
        assert!(unknown.is_none(), "asking for an actor does not make one");
        let address = handle.address(EntityId::Account(USER)).recv().unwrap().unwrap();
        let seen = address.observe.send(Observe).await.unwrap();
        assert!(seen.handled > 0);
        let envelope = Envelope { ticket: None, origin: Origin::User, cause: Cause::Request, command: transfer(3) };
        address.tell.send(Tell(envelope)).await.unwrap();
        let view = Command::Account(USER, AccountCommand::View);
        let Reply::View(View::Account(view)) = client.call(Origin::User, None, view).await.unwrap() else {
            panic!("a view")
        };
        assert_eq!(view.balances.iter().map(|b| b.available).collect::<Vec<_>>(), [3, 7].map(Amount::whole));
    });
}
