//! `load midnight`: orders at a fixed rate, first alone, then while very many timers come due at one moment.
//!
//! Owns: the clock that jumps, the trader who is copied. Never does: measure otherwise than `in-process`. Invariants: each
//! account has a timer: its request key is a day old after the jump, or its ticket pays for a night, or a period of funding of
//! its leg is over; all of them have run when the second run ends. With `copies` nothing jumps: tickets are copied and closed
//! during the second run.
//! Known limits: a request key's record has some 40 bytes.

use crate::engine::{Engine, OPENING_IN_FLIGHT, Port};
use crate::in_process::{InProcess, one};
use crate::pace::{Pace, Schedule};
use crate::table::{Run, say, whole};
use crate::{Failure, Span, probes};
use clap::{Args, ValueEnum};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use xng_benches::{Size, account_id, contract_book, tickets};
use xng_cell::Clock;
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, CopyCommand, OpenTicket, TicketCommand};
use xng_core::contract::ContractCommand;
use xng_core::contract::params::FIRST_CONTRACT;
use xng_core::copy::{FollowKind, FollowTerms, TraderTerms};
use xng_core::entity::{Accepted, Command, Entity, EntityId, Reply, TimeNs};
use xng_core::ids::{AssetId, MarketId, PriceId, RequestKey, Wallet};
use xng_core::money::{Amount, Lots};
use xng_core::price::facts::PriceListed;
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::Cause;
use xng_runtime::clock::SlewedClock;

/// Later than any key of before the jump is kept.
const JUMP: Duration = Duration::from_secs(26 * 3_600);

/// Copies of a ticket take no longer; a follower that was refused has none for ever.
const COPIED_WITHIN: Duration = Duration::from_secs(30);
const CONTRACT: MarketId = MarketId(FIRST_CONTRACT);
const PRICE: PriceId = PriceId(10);

/// What comes due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Due {
    /// Request keys are forgotten.
    Keys,
    /// Tickets of a contract pay for a night.
    Nights,
    /// Legs of a contract's book pay funding.
    Funding,
    /// A trader, whom all others follow, opens tickets and closes them.
    Copies,
}

/// What is run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Midnight {
    /// Accounts, each with a timer; of `copies` a trader and followers.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(2..))]
    accounts: u64,
    /// What comes due.
    #[arg(long, value_enum, default_value_t = Due::Keys)]
    due: Due,
    /// Orders a second.
    #[arg(long, default_value_t = 10_000.0)]
    rate: f64,
    /// Tickets a second that are copied and closed, as many as that is possible for.
    #[arg(long, default_value_t = 5.0)]
    tickets: f64,
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
    if args.tickets <= 0.0 {
        return Err("tickets a second are more than none".into());
    }
    let size = Size { accounts: args.accounts, markets: 1 };
    let on = Arc::new(AtomicU64::new(0));
    let jumps = on.clone();
    say(&format!("midnight: {} accounts begin", whole(size.accounts as f64)));
    let engine = Engine::with_clock(size, move || Jumping(SlewedClock::at_the_wall(), jumps))?;
    let timers = match args.due {
        Due::Keys => keyed(&engine, size)?,
        Due::Nights => with_tickets(&engine, size)?,
        Due::Funding => with_legs(&engine, size)?,
        Due::Copies => with_followers(&engine, size)?,
    };
    let orders = InProcess::of(args.accounts, args.rate);
    let disk = probes::disk(span.seconds.min(Duration::from_secs(3)))?;
    let mut alone = one(&engine, &orders, Pace::Open(args.rate), span)?;
    if args.due == Due::Copies {
        alone.name = format!("{} orders/s, {timers} followers wait", whole(args.rate));
        let measure = || one(&engine, &orders, Pace::Open(args.rate), span);
        let (tickets, mut beside) = while_copied(&engine, timers, args.tickets, measure)?;
        beside.name = format!("{} orders/s, {timers} followers copy {tickets} tickets", whole(args.rate));
        return Ok(vec![disk, alone, beside]);
    }
    alone.name = format!("{} orders/s, {timers} timers wait", whole(args.rate));
    let jump = span.warm_up + span.seconds / 4;
    let mut beside = std::thread::scope(|scope| {
        let jumped = scope.spawn(|| {
            std::thread::sleep(jump);
            let far = if args.due == Due::Funding { to_end_of_period() } else { JUMP };
            on.store(u64::try_from(far.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
            // Nothing is paid before a price of after the jump.
            let price = (args.due == Due::Funding).then(contract_book::first_index);
            ask(&engine, 1, price.into_iter().map(request)).map_err(|error| error.to_string())
        });
        let measured = one(&engine, &orders, Pace::Open(args.rate), span);
        jumped.join().map_err(|_| "the clock's thread panicked")??;
        measured
    })?;
    let left = match args.due {
        Due::Keys => waiting(&engine)?,
        Due::Nights => unpaid(&engine)?,
        Due::Funding => owing(&engine)?,
        Due::Copies => 0,
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
            if !matches!(reply, Reply::Accepted(Accepted::Done | Accepted::Ticket(_) | Accepted::Placed(_))) {
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
    with_contract(engine, size, Amount::whole(200))?;
    let open = |n| {
        let wanted = tickets::wanted(n, CONTRACT);
        Command::Account(account_id(n), AccountCommand::Tickets(TicketCommand::Open(wanted)))
    };
    ask(engine, OPENING_IN_FLIGHT, (0..size.accounts).map(open).map(request))?;
    unpaid(engine)
}

/// From now to right after the end of a period of funding: a contract waits only a minute for the price that it is paid by.
fn to_end_of_period() -> Duration {
    let period = Duration::from_secs(contract_book::PERIOD_S.into());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    period - Duration::from_nanos((now.as_nanos() % period.as_nanos()) as u64) + Duration::from_secs(1)
}

/// Gives every account a position of one lot: every second one is short.
fn with_legs(engine: &Engine, size: Size) -> Result<u64, Failure> {
    // None before the one before it is answered.
    ask(engine, 1, contract_book::listing().into_iter().map(request))?;
    let money = |n| contract_book::money(account_id(n), 1_000);
    ask(engine, OPENING_IN_FLIGHT, (0..size.accounts).map(money).map(request))?;
    let pairs = (0..size.accounts / 2).flat_map(|n| contract_book::pair(account_id(2 * n), account_id(2 * n + 1)));
    ask(engine, OPENING_IN_FLIGHT, pairs.map(request))?;
    owing(engine)
}

fn request(command: Command) -> (Cause, Command) {
    (Cause::Request, command)
}

fn price_is_known() -> Command {
    Command::Price(PRICE, PriceCommand::Push(SourcePrice { source: 1, price: Amount::whole(50_000) }))
}

/// Lists a contract, and gives every account money for it.
fn with_contract(engine: &Engine, size: Size, amount: Amount) -> Result<(), Failure> {
    let listed = PriceListed { price: PRICE, symbol: "C".into(), hearers: vec![EntityId::Contract(CONTRACT)] };
    let list = [
        Command::Contract(CONTRACT, ContractCommand::List(Box::new(tickets::params(CONTRACT, PRICE)))),
        Command::Price(PRICE, PriceCommand::List(listed)),
        price_is_known(),
    ];
    // None before the one before it is answered.
    ask(engine, 1, list.into_iter().map(request))?;
    let items = vec![GrantItem { wallet: Wallet::Futures, asset: tickets::SETTLE, amount }];
    let grant = |n| {
        let kind = GrantKind::Correction;
        Command::Account(account_id(n), AccountCommand::Grant { kind, items: items.clone() })
    };
    ask(engine, OPENING_IN_FLIGHT, (0..size.accounts).map(grant).map(request))
}

/// Has all accounts follow the first; how many followers it has.
fn with_followers(engine: &Engine, size: Size) -> Result<u64, Failure> {
    with_contract(engine, size, Amount::whole(1_000_000))?;
    let terms = TraderTerms { asset: tickets::SETTLE, share_ppm: 100_000 };
    let copying = |n, command| request(Command::Account(account_id(n), AccountCommand::Copy(command)));
    ask(engine, 1, std::iter::once(copying(0, CopyCommand::SetTrader(Some(terms)))))?;
    let terms = FollowTerms { kind: FollowKind::Multiple, number: 1_000 };
    let follow = |n| copying(n, CopyCommand::Follow { trader: account_id(0), terms });
    ask(engine, OPENING_IN_FLIGHT, (1..size.accounts).map(follow))?;
    Ok(size.accounts - 1)
}

/// What is measured while so many tickets a second of the first account are copied and closed, and how many they were.
fn while_copied(
    engine: &Engine,
    followers: u64,
    tickets: f64,
    measure: impl FnOnce() -> Result<Run, Failure>,
) -> Result<(u64, Run), Failure> {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let trader = scope.spawn(|| {
            let (schedule, mut copied) = (Schedule::new(Instant::now(), tickets), 0);
            while !over.load(Ordering::Relaxed) {
                std::thread::sleep(schedule.due(copied).saturating_duration_since(Instant::now()));
                copy_one(engine, followers).map_err(|error| error.to_string())?;
                copied += 1;
            }
            Ok::<u64, String>(copied)
        });
        let measured = measure();
        over.store(true, Ordering::Relaxed);
        let copied = trader.join().map_err(|_| "the trader's thread panicked")??;
        Ok((copied, measured?))
    })
}

/// The trader opens a ticket and closes it; each time all followers do the same.
fn copy_one(engine: &Engine, followers: u64) -> Result<(), Failure> {
    let long = OpenTicket { lots: Lots(100), ..tickets::wanted(0, CONTRACT) };
    let close = TicketCommand::CloseAll { contract: None, direction: None };
    for (command, links) in [(TicketCommand::Open(long), followers), (close, 0)] {
        let trade = Command::Account(account_id(0), AccountCommand::Tickets(command));
        ask(engine, 1, [price_is_known(), trade].into_iter().map(request))?;
        // All copies are there, or none is left.
        let began = Instant::now();
        while open_copies(engine)? != links {
            if began.elapsed() > COPIED_WITHIN {
                return Err("not every follower has a copy, or a copy stays".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    Ok(())
}

/// Copies of the first account's tickets.
fn open_copies(engine: &Engine) -> Result<u64, Failure> {
    let count =
        engine.handle.with_world(|world| world.traders().get(account_id(0)).map_or(0, |t| t.links().count() as u64));
    Ok(count.recv()?)
}

/// Tickets that have not paid for a night.
fn unpaid(engine: &Engine) -> Result<u64, Failure> {
    let count = engine.handle.with_world(|world| {
        let tickets = world.accounts().iter().flat_map(|(_, account)| account.tickets());
        tickets.filter(|ticket| ticket.nights.is_zero()).count() as u64
    });
    Ok(count.recv()?)
}

/// Legs that have paid for no period of funding.
fn owing(engine: &Engine) -> Result<u64, Failure> {
    Ok(engine.handle.with_world(|world| contract_book::owing(world)).recv()?)
}

/// Accounts with a timer.
fn waiting(engine: &Engine) -> Result<u64, Failure> {
    let count = engine
        .handle
        .with_world(|world| world.accounts().iter().filter(|(_, account)| account.deadline().is_some()).count() as u64);
    Ok(count.recv()?)
}
