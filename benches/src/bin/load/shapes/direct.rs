//! Direct calls: one thread, tables of entities, a journal; nothing between a decision and who applies it.
//!
//! Owns: the tables. Never does: queue. Invariants: as in the cell, a record reaches everybody that it names before the
//! next command. Known limits: users and the exchange's own accounts only, one market.

use super::Shape;
use super::tail::{ADMIT, Tail};
use crate::Failure;
use crate::engine::NO_ANSWER;
use crate::recorder::Recorder;
use crossbeam::channel::{Receiver, bounded};
use std::sync::Arc;
use std::time::Instant;
use xng_benches::{Dice, Size, opening, order};
use xng_core::account::Account;
use xng_core::entity::{Applied, Ask, Command, Decision, Entity};
use xng_core::ids::{AccountId, EntityId, MarketId};
use xng_core::spot::Market;

/// The place of an account in a table: the two of the exchange itself, then the users.
pub(super) fn place(id: AccountId) -> usize {
    match id {
        AccountId::FEE => 0,
        AccountId::ADJUST => 1,
        AccountId(user) => (user - AccountId::FIRST_USER.0) as usize + 2,
    }
}

/// All accounts of a size, at their places.
pub(super) fn accounts(size: Size) -> impl Iterator<Item = Account> {
    let users = (0..size.accounts).map(|n| AccountId(AccountId::FIRST_USER.0 + n));
    [AccountId::FEE, AccountId::ADJUST].into_iter().chain(users).map(Account::blank)
}

/// The one market.
pub(super) const MARKET: MarketId = MarketId(1);

/// The tables, and the journal behind.
pub(super) struct Direct {
    accounts: Vec<Account>,
    market: Market,
    tail: Tail,
    size: Size,
    synced: Receiver<()>,
}

impl Direct {
    /// Accounts with money.
    pub(super) fn start(size: Size) -> Result<Direct, Failure> {
        let (wake, synced) = bounded(1);
        let tail = Tail::start(move || {
            // One that waits already is enough.
            let _ = wake.try_send(());
        })?;
        let mut direct =
            Direct { accounts: accounts(size).collect(), market: Market::blank(MARKET), tail, size, synced };
        for command in opening(size) {
            direct.handle(command)?;
        }
        direct.tail.hand_over();
        while !direct.tail.is_durable() {
            direct.synced.recv_timeout(NO_ANSWER)?;
        }
        Ok(direct)
    }

    fn handle(&mut self, mut command: Command) -> Result<(), Failure> {
        let mut held = None;
        loop {
            let (ctx, target) = (self.tail.ctx(), command.target());
            let decision = match &command {
                Command::Account(id, command) => self.accounts[place(*id)].decide(command, &ctx),
                Command::Market(_, command) => self.market.decide(command, &ctx),
                other @ (Command::Registry(..)
                | Command::Price(..)
                | Command::Contract(..)
                | Command::Seconds(..)
                | Command::Trader(..)
                | Command::Calendar(..)
                | Command::Chain(..)
                | Command::Campaign(..)
                | Command::Round(..)) => {
                    return Err(format!("no table for {other:?}").into());
                }
            };
            if let Some((holder, hold)) = held.take() {
                let holder: &mut Account = &mut self.accounts[holder];
                holder.release_hold(hold);
            }
            match (decision, target) {
                (Decision::Fact(fact), _) => {
                    let (lsn, record) = self.tail.record(target, fact);
                    let applied = Applied { lsn, record: &record };
                    record.fact.parties(target, |party, role| match party.account() {
                        Some(id) => self.accounts[place(id)].evolve(applied, role),
                        None => self.market.evolve(applied, role),
                    });
                    return Ok(());
                }
                (Decision::Ask(ask), EntityId::Account(id)) => {
                    let Ask { command: question, hold: request } = *ask;
                    let hold = self.tail.hold();
                    self.accounts[place(id)].place_hold(hold, request, None);
                    held = Some((place(id), hold));
                    command = question;
                }
                (other, _) => return Err(format!("decided {other:?}").into()),
            }
        }
    }
}

impl Shape for Direct {
    fn name(&self) -> &'static str {
        "direct calls and the journal"
    }

    fn run(&mut self, mut dice: Dice, in_flight: usize, recorder: &Arc<Recorder>) -> Result<(), Failure> {
        let mut open = 0;
        loop {
            let begun = Instant::now();
            let ended = begun >= recorder.ends();
            let more = if ended { 0 } else { ADMIT.min(in_flight - open) };
            for _ in 0..more {
                self.handle(order(&mut dice, self.size))?;
                self.tail.park(begun);
            }
            self.tail.hand_over();
            open += more;
            let done = self.tail.open(recorder);
            open -= done;
            match (done, more) {
                _ if ended && open == 0 => return Ok(()),
                (0, 0) => self.synced.recv_timeout(NO_ANSWER)?,
                _ => {}
            }
        }
    }
}
