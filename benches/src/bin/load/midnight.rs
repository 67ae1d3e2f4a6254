//! `load midnight`: orders at a fixed rate, first alone, then while very many timers come due at one moment.
//!
//! Owns: the clock that jumps. Never does: measure otherwise than `in-process`. Invariants: each account has a timer: its
//! request key is a day old after the jump, or its ticket pays for a night; all of them have run when the second run ends.
//! Known limits: a request key's record has some 40 bytes.

use crate::engine::{Engine, OPENING_IN_FLIGHT, Port};
use crate::in_process::{InProcess, one};
use crate::pace::Pace;
use crate::table::{Run, say, whole};
use crate::{Failure, Span, probes};
use clap::{Args, ValueEnum};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use xng_benches::{Size, account_id, tickets};
use xng_cell::Clock;
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, TicketCommand};
use xng_core::contract::ContractCommand;
use xng_core::contract::params::FIRST_CONTRACT;
use xng_core::entity::{Accepted, Command, Entity, EntityId, Reply, TimeNs};
use xng_core::ids::{AssetId, MarketId, PriceId, RequestKey, Wallet};
use xng_core::money::Amount;
use xng_core::price::facts::PriceListed;
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::Cause;
use xng_runtime::clock::SlewedClock;

/// Later than any key of before the jump is kept.
const JUMP: Duration = Duration::from_secs(26 * 3_600);

/// What comes due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Due {
    /// Request keys are forgotten.
    Keys,
    /// Tickets of a contract pay for a night.
    Nights,
}

/// What is run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Midnight {
    /// Accounts, each with a timer.
    #[arg(long, default_value_t = 100_000)]
    accounts: u64,
    /// What comes due.
    #[arg(long, value_enum, default_value_t = Due::Keys)]
    due: Due,
    /// Orders a second.
    #[arg(long, default_value_t = 10_000.0)]
    rate: f64,
}

/// The wall's time and what was put on it.
struct Jumping(SlewedClock, Arc<AtomicU64>);

impl Clock for Jumping {
    fn now(&mut self) -> TimeNs {
        self.0.now() + self.1.load(Ordering::Relaxed)
    }
}

/// Runs both.
pub(crate) fn run(args: &Midnight, span: Span) -> Result<Vec<Run>, Failure> {
    let size = Size { accounts: args.accounts, markets: 1 };
    let on = Arc::new(AtomicU64::new(0));
    let jumps = on.clone();
    say(&format!("midnight: {} accounts begin", whole(size.accounts as f64)));
    let engine = Engine::with_clock(size, move || Jumping(SlewedClock::at_the_wall(), jumps))?;
    let timers = match args.due {
        Due::Keys => keyed(&engine, size)?,
        Due::Nights => with_tickets(&engine, size)?,
    };
    let orders = InProcess::of(args.accounts, args.rate);
    let disk = probes::disk(span.seconds.min(Duration::from_secs(3)))?;
    let mut alone = one(&engine, &orders, Pace::Open(args.rate), span)?;
    alone.name = format!("{} orders/s, {timers} timers wait", whole(args.rate));
    let jump = span.warm_up + span.seconds / 4;
    let jumped = std::thread::spawn(move || {
        std::thread::sleep(jump);
        on.store(u64::try_from(JUMP.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    });
    let mut beside = one(&engine, &orders, Pace::Open(args.rate), span)?;
    jumped.join().map_err(|_| "the clock did not jump")?;
    let left = match args.due {
        Due::Keys => waiting(&engine)?,
        Due::Nights => unpaid(&engine)?,
    };
    if left > 0 {
        return Err(format!("{left} timers have not run").into());
    }
    beside.name = format!("{} orders/s, {timers} timers come due at once", whole(args.rate));
    Ok(vec![disk, alone, beside])
}

/// Gives every account a timer: a request under a key, which is forgotten a day later.
fn keyed(engine: &Engine, size: Size) -> Result<u64, Failure> {
    let grant = |n| {
        let items = vec![GrantItem { wallet: Wallet::Funding, asset: AssetId(3), amount: Amount::whole(1) }];
        let command = AccountCommand::Grant { kind: GrantKind::Correction, items };
        let key = RequestKey { key: u128::from(n), body: 1 };
        (Cause::Keyed(key), Command::Account(account_id(n), command))
    };
    ask(engine, OPENING_IN_FLIGHT, (0..size.accounts).map(grant))?;
    waiting(engine)
}

/// Sends commands, so many at a time; all must be accepted.
fn ask(engine: &Engine, in_flight: usize, mut asked: impl Iterator<Item = (Cause, Command)>) -> Result<(), Failure> {
    let mut refused = None;
    let missing = Port::open(&engine.handle).keep_caused_in_flight(
        in_flight,
        |_| asked.next(),
        |_, reply| {
            if !matches!(reply, Reply::Accepted(Accepted::Done | Accepted::Ticket(_))) {
                refused = Some(format!("{reply:?}"));
            }
        },
    )?;
    match refused {
        Some(why) => Err(why.into()),
        None if missing > 0 => Err(format!("{missing} commands were not answered").into()),
        None => Ok(()),
    }
}

/// Gives every account a ticket.
fn with_tickets(engine: &Engine, size: Size) -> Result<u64, Failure> {
    let (contract, price) = (MarketId(FIRST_CONTRACT), PriceId(10));
    let params = tickets::params(contract, price);
    let listed = PriceListed { price, symbol: "C".into(), hearers: vec![EntityId::Contract(contract)] };
    let first = SourcePrice { source: 1, price: Amount::whole(50_000) };
    let list = [
        Command::Contract(contract, ContractCommand::List(Box::new(params))),
        Command::Price(price, PriceCommand::List(listed)),
        Command::Price(price, PriceCommand::Push(first)),
    ];
    let request = |command| (Cause::Request, command);
    // None before the one before it is answered.
    ask(engine, 1, list.into_iter().map(request))?;
    let items = vec![GrantItem { wallet: Wallet::Futures, asset: tickets::SETTLE, amount: Amount::whole(200) }];
    let grant = |n| {
        let kind = GrantKind::Correction;
        Command::Account(account_id(n), AccountCommand::Grant { kind, items: items.clone() })
    };
    ask(engine, OPENING_IN_FLIGHT, (0..size.accounts).map(grant).map(request))?;
    let open = |n| {
        let wanted = tickets::wanted(n, contract);
        Command::Account(account_id(n), AccountCommand::Tickets(TicketCommand::Open(wanted)))
    };
    ask(engine, OPENING_IN_FLIGHT, (0..size.accounts).map(open).map(request))?;
    unpaid(engine)
}

/// Tickets that have not paid for a night.
fn unpaid(engine: &Engine) -> Result<u64, Failure> {
    let count = engine.handle.with_world(|world| {
        let tickets = world.accounts().iter().flat_map(|(_, account)| account.tickets());
        tickets.filter(|ticket| ticket.nights.is_zero()).count() as u64
    });
    Ok(count.recv()?)
}

/// Accounts with a timer.
fn waiting(engine: &Engine) -> Result<u64, Failure> {
    let count = engine
        .handle
        .with_world(|world| world.accounts().iter().filter(|(_, account)| account.deadline().is_some()).count() as u64);
    Ok(count.recv()?)
}
