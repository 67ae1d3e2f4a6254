//! What an account costs as an actor, beside what it costs as a value: bar 900 bytes (`docs/benchmarks.md "Memory"`).

use xng_benches::{Nowhere, Size, busy_cell};
use xng_cell::World;
use xng_core::account::Account;
use xng_core::codec::Reader;
use xng_core::entity::Entity;
use xng_runtime::shell::Actors;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

const ACCOUNTS: u64 = 20_000;
const BAR: usize = 900;

/// Bytes that what `make` makes takes from the allocator.
fn bytes_of<T>(make: impl FnOnce() -> T) -> (usize, T) {
    let before = dhat::HeapStats::get().curr_bytes;
    let made = make();
    (dhat::HeapStats::get().curr_bytes - before, made)
}

fn again(account: &Account) -> Account {
    let mut bytes = Vec::new();
    account.save(&mut bytes);
    Account::load(account.id(), &mut Reader::new(&bytes)).unwrap()
}

#[test]
fn an_account_as_an_actor_costs_little_more_memory_than_its_state() {
    let mut cell = busy_cell(Nowhere::default(), Size { accounts: ACCOUNTS, markets: 1 });
    let (digest, lsn) = (cell.state_hash(), cell.world().lsn());
    let saved: Vec<_> = cell.world().save().collect();
    drop(cell);
    let profiler = dhat::Profiler::builder().testing().build();
    let (actors, world) = bytes_of(|| World::<Actors>::load(saved.iter().cloned(), lsn, digest).unwrap());
    let (values, accounts) = bytes_of(|| {
        let mut accounts = Vec::with_capacity(world.accounts().len());
        accounts.extend(world.accounts().iter().map(|(_, account)| again(account)));
        accounts
    });
    drop(profiler);
    let (each, state) = ((actors - values) / accounts.len(), values / accounts.len());
    println!("an account as an actor: {each} bytes beside {state} of its state");
    assert!(accounts.len() as u64 > ACCOUNTS && each < BAR, "{each} bytes an account");
}
