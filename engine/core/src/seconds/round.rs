//! A round of seconds options: those of one desk that expire within one second. It lives until all of them are settled.
//!
//! Owns: its options, and the ticks that may decide them. Never does: admit an option, name a price. Invariants: it settles only
//! after a tick, or the price's word, that shows that none is missing up to its second; each option is settled once.
//! Rules: `docs/rules/seconds.md "Settling"`. Known limits: none.

use super::facts::{FEW_ITEMS, MOST_ITEMS, OptionsSettled, SecondsFact, SettledOption};
use super::rules::{OptionResult, deciding, result};
use super::{RoundId, SECOND_NS, SecondsOption, get_old_options};
use crate::board::Tick;
use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes};
use crate::entity::{
    Applied, Ask, Command, CommandClass, Ctx, Deadline, Decision, Entity, TimeNs, check_version, save_versioned,
};
use crate::ids::{EntityId, PriceId};
use crate::price::PriceCommand;
use crate::price::facts::{PriceFact, PriceKind, PriceTicked};
use crate::record::{Fact, Role};
use std::collections::VecDeque;

/// It hears the price from so long before its second on; a tick that decides is at most half as old.
pub const HEARS_NS: TimeNs = 10_000_000_000;
/// After so long without a later tick it asks the price.
pub const ASKS_AFTER_NS: TimeNs = 60_000_000_000;

/// What a round can be asked.
#[derive(Debug, Clone, Copy)]
pub enum RoundCommand {
    /// Its time has come: options are due, or the price is silent.
    Timer,
}

/// The state of a round.
#[derive(Debug)]
pub struct Round {
    id: RoundId,
    price: PriceId,
    /// Open ones, in the order in which they were opened.
    options: VecDeque<SecondsOption>,
    /// Sum over the open ones: hashing all of them after each would take long.
    hash: u64,
    /// Those that may decide, by time.
    ticks: Vec<Tick>,
    /// No tick up to its second can come any more.
    closed: bool,
    /// All of its options are settled.
    ended: bool,
}

impl Round {
    /// Its open options, in the order in which they were opened.
    pub fn options(&self) -> impl Iterator<Item = &SecondsOption> {
        self.options.iter()
    }

    fn settle(&self, option: &SecondsOption) -> SettledOption {
        let close = deciding(&self.ticks, option.expires);
        let result: OptionResult = result(option.side, option.open_price, close.map(|tick| tick.index));
        SettledOption {
            option: *option,
            result,
            close_seq: close.map_or(0, |tick| tick.seq),
            close_price: close.map_or(crate::money::Amount::ZERO, |tick| tick.index),
            paid: option.paid(result),
        }
    }

    fn at_timer(&self, ctx: &Ctx<'_>) -> Decision {
        let Some(first) = self.options.front() else { return Decision::Nothing };
        if self.closed {
            let most = if ctx.others_wait { FEW_ITEMS } else { MOST_ITEMS };
            let items: Vec<SettledOption> = self.options.iter().take(most).map(|o| self.settle(o)).collect();
            let last = items.len() == self.options.len();
            return Decision::Fact(OptionsSettled { round: self.id, asset: first.asset, items, last }.into());
        }
        if ctx.now < self.id.ends() + ASKS_AFTER_NS {
            return Decision::Nothing;
        }
        let command = Command::Price(self.price, PriceCommand::ConfirmSilence(self.id));
        Decision::Ask(Box::new(Ask { command, hold: None }))
    }

    fn hear(&mut self, f: &PriceTicked, time: TimeNs) {
        if f.kind == PriceKind::Suspect {
            return;
        }
        if time > self.id.ends() {
            self.closed = true;
            return;
        }
        self.ticks.push(Tick { seq: f.seq, index: f.index, time });
        // Of those before all expiries the last may decide.
        let before = self.ticks.partition_point(|tick| tick.time <= self.id.ends() - SECOND_NS);
        self.ticks.drain(..before.saturating_sub(1));
    }

    fn put_rest(&self, out: &mut Vec<u8>) {
        self.price.put(out);
        self.ticks.iter().map(|t| (t.seq, (t.index, t.time))).collect::<Vec<_>>().put(out);
        self.closed.put(out);
    }
}

const STATE_VERSION: u8 = 2;

impl Entity for Round {
    type Id = RoundId;
    type Command = RoundCommand;

    const NAME: &'static str = "round";
    const MESSAGES: &'static [&'static str] = &["timer"];

    fn message(command: &RoundCommand) -> usize {
        match command {
            RoundCommand::Timer => 0,
        }
    }

    fn blank(id: RoundId) -> Round {
        let (price, options, ticks) = (PriceId(0), VecDeque::new(), Vec::new());
        Round { id, price, options, hash: 0, ticks, closed: false, ended: false }
    }

    fn decide(&self, command: &RoundCommand, ctx: &Ctx<'_>) -> Decision {
        match command {
            RoundCommand::Timer => self.at_timer(ctx),
        }
    }

    fn evolve(&mut self, applied: Applied<'_>, _role: Role) {
        if let Fact::Price(PriceFact::PriceTicked(f)) = &applied.record.fact {
            return self.hear(f, applied.record.time);
        }
        let Fact::Seconds(fact) = &applied.record.fact else {
            unreachable!("a round is not named by {}", applied.record.fact.name())
        };
        match fact {
            SecondsFact::OptionOpened(f) => {
                self.price = f.price;
                self.hash = self.hash.wrapping_add(f.option.hash());
                self.options.push_back(f.option);
            }
            SecondsFact::OptionsSettled(f) => {
                for item in &f.items {
                    let settled = self.options.pop_front();
                    assert!(settled == Some(item.option), "options are settled in order");
                    self.hash = self.hash.wrapping_sub(item.option.hash());
                }
                self.ended = f.last;
            }
            SecondsFact::PriceSilent(_) => self.closed = true,
            SecondsFact::DeskParamsSet(_) => unreachable!("a round is not named by terms"),
        }
    }

    fn class(_command: &RoundCommand) -> CommandClass {
        CommandClass::Releases
    }

    fn deadline(&self) -> Option<Deadline> {
        self.options.front()?;
        let due = if self.closed { 0 } else { self.id.ends() + ASKS_AFTER_NS };
        Some(Deadline::Elapsed(due))
    }

    // Many rounds end at once.
    fn settles(&self) -> bool {
        true
    }

    fn timer() -> Option<RoundCommand> {
        Some(RoundCommand::Timer)
    }

    fn likely_parties(&self, _command: &RoundCommand, hint: &mut impl FnMut(EntityId)) {
        self.options.iter().take(MOST_ITEMS).for_each(|option| hint(EntityId::Account(option.account)));
    }

    fn has_ended(&self) -> bool {
        self.ended
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(128);
        self.put_rest(&mut bytes);
        WordHash::new(self.id.0).pair(self.hash, self.options.len() as u64).word(hash_bytes(0, &bytes)).end()
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| {
            self.put_rest(out);
            self.options.iter().copied().collect::<Vec<_>>().put(out);
        });
    }

    fn load(id: RoundId, r: &mut Reader<'_>) -> Result<Round, DecodeError> {
        let version = check_version(r, STATE_VERSION, "round state version")?;
        let price = Wire::get(r)?;
        let tick = |(seq, (index, time))| Tick { seq, index, time };
        let ticks = Vec::<(u64, (crate::money::Amount, TimeNs))>::get(r)?.into_iter().map(tick).collect();
        let closed = Wire::get(r)?;
        let options = VecDeque::from(if version > 1 { Wire::get(r)? } else { get_old_options(r)? });
        let hash = options.iter().map(SecondsOption::hash).fold(0, u64::wrapping_add);
        Ok(Round { id, price, options, hash, ticks, closed, ended: false })
    }
}
