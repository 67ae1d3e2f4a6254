//! A desk of seconds options: one pair, one duration.
//!
//! Owns: terms, exposure by minute of expiry, the loss of the day, which of its rounds are open. Never does: hold an option,
//! decide a result; rounds do. Invariants: the worst loss of a minute is at most its cap after each option that it takes;
//! exposure is what open options make it. Rules: `docs/rules/seconds.md "Opening"`.
//! Known limits: it does not hedge.

use super::facts::{DeskParamsSet, OptionOpened, OptionsSettled, SecondsFact};
use super::params::DeskParams;
use super::rules::{Exposure, OptionSide, profit};
use super::{Bonus, DeskId, OptionId, RoundId, SECOND_NS, SecondsOption};
use crate::board::{Board, DeskFace, Tick};
use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::convert::day_of;
use crate::entity::{Applied, CommandClass, Ctx, Decision, Entity, LivePrices, TimeNs, check_version, save_versioned};
use crate::ids::AccountId;
use crate::money::Amount;
use crate::record::{Fact, Role};
use crate::reject::Reject;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Milliseconds in nanoseconds.
const MS_NS: TimeNs = 1_000_000;

/// What a desk can be asked.
#[derive(Debug, Clone)]
pub enum DeskCommand {
    /// Set the terms (configuration only).
    SetParams(Box<DeskParams>),
    /// Open an option; the account holds stake and fee, or the coupon.
    Enter(Entry),
}

/// An option that an account asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Whose.
    pub account: AccountId,
    /// What it expects.
    pub side: OptionSide,
    /// The stake.
    pub stake: Amount,
    /// The coupon that stands for it.
    pub bonus: Option<Bonus>,
    /// Version of the terms by which the account decided.
    pub version: u32,
}

/// What a desk offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskOffer {
    /// Its terms.
    pub params: DeskParams,
    /// Whether it takes options at all: open, and its loss of the day is below the limit.
    pub open: bool,
    /// Whether it takes the smallest stake on a rise now.
    pub rise_open: bool,
    /// Whether it takes the smallest stake on a fall now.
    pub fall_open: bool,
    /// Open options.
    pub options: u64,
    /// What the house lost today; negative what it gained.
    pub lost: Amount,
    /// The worst loss of the minute that new options expire in.
    pub worst_loss: Amount,
}

/// The state of a desk.
#[derive(Debug)]
pub struct Desk {
    id: DeskId,
    params: Option<Arc<DeskParams>>,
    count: u64,
    /// Open options by their second of expiry.
    rounds: BTreeMap<u64, u32>,
    /// By minute of expiry.
    minutes: BTreeMap<u64, Exposure>,
    day: u32,
    lost: Amount,
}

fn minute_of(second: u64) -> u64 {
    second / 60
}

impl Desk {
    /// Its terms, once it is listed.
    #[must_use]
    pub fn params(&self) -> Option<&DeskParams> {
        self.params.as_deref()
    }

    /// Open options.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.rounds.values().map(|open| u64::from(*open)).sum()
    }

    /// The worst loss of all minutes together.
    #[must_use]
    pub fn worst_loss(&self) -> Amount {
        self.minutes.values().map(Exposure::worst_loss).sum()
    }

    /// Exposure by minute of expiry.
    pub fn exposures(&self) -> impl Iterator<Item = (u64, Exposure)> {
        self.minutes.iter().map(|(minute, exposure)| (*minute, *exposure))
    }

    /// What the house lost on a day; negative what it gained.
    #[must_use]
    pub fn lost(&self, now: TimeNs) -> Amount {
        if self.day == day_of(now) { self.lost } else { Amount::ZERO }
    }

    fn set_params(&self, params: &DeskParams) -> Result<Decision, Reject> {
        params.check()?;
        if params.desk != self.id {
            return Err(Reject::BadParameters);
        }
        let old = self.params();
        // Who changes them knows which they are: what configuration seeds is of none.
        if params.version != old.map_or(0, |old| old.version) {
            return Err(Reject::AlreadyExists);
        }
        // Another index, asset or duration would be another desk.
        let same =
            |old: &DeskParams| (old.price, old.seconds, old.asset) == (params.price, params.seconds, params.asset);
        if !old.is_none_or(same) {
            return Err(Reject::BadParameters);
        }
        let params = DeskParams { version: params.version + 1, ..params.clone() };
        Ok(Decision::Fact(DeskParamsSet { params }.into()))
    }

    fn is_open(&self, params: &DeskParams, now: TimeNs) -> bool {
        params.open && self.lost(now) < params.day_cap
    }

    /// When an option that is opened now expires: in whole milliseconds.
    fn expires(params: &DeskParams, now: TimeNs) -> TimeNs {
        now / MS_NS * MS_NS + params.lives_ns()
    }

    fn exposure_with(&self, option: &SecondsOption) -> Exposure {
        let minute = minute_of(option.round().second());
        let open = self.minutes.get(&minute).copied().unwrap_or_default();
        open.with(option.side, option.at_stake(), option.profit())
    }

    fn price(params: &DeskParams, ctx: &Ctx<'_>) -> Option<Tick> {
        let face = ctx.board.price(params.price).filter(|face| !face.jumps())?;
        let fresh = |tick: &Tick| ctx.now.saturating_sub(tick.time) <= u64::from(params.fresh_ms) * MS_NS;
        face.last().filter(fresh)
    }

    /// The option that would come of it.
    fn option(&self, params: &DeskParams, tick: Tick, now: TimeNs, entry: &Entry) -> SecondsOption {
        let Entry { account, side, stake, bonus, .. } = *entry;
        SecondsOption {
            option: OptionId::of(self.id, self.count + 1),
            account,
            asset: params.asset,
            side,
            stake,
            fee: if bonus.is_some() { Amount::ZERO } else { params.fee(stake) },
            ratio_ppm: params.ratio_ppm,
            open_seq: tick.seq,
            open_price: tick.index,
            opened: now,
            expires: Desk::expires(params, now),
            bonus,
        }
    }

    fn enter(&self, entry: &Entry, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        let (params, version) = (self.params().ok_or(Reject::UnknownDesk)?, entry.version);
        if version != params.version {
            return Err(Reject::StaleTerms);
        }
        if !self.is_open(params, ctx.now) {
            return Err(Reject::OptionClosed);
        }
        // It was live when its account asked.
        if entry.bonus.is_some_and(|bonus| ctx.now >= bonus.expires) {
            return Err(Reject::CouponOver);
        }
        let tick = Desk::price(params, ctx).ok_or(Reject::PriceStale)?;
        let option = self.option(params, tick, ctx.now, entry);
        if self.exposure_with(&option).worst_loss() > params.minute_cap {
            return Err(Reject::SideFull);
        }
        let first = !self.rounds.contains_key(&option.round().second());
        Ok(Decision::Fact(OptionOpened { option, price: params.price, version, first }.into()))
    }

    /// What it offers, once it is listed.
    #[must_use]
    pub fn offer(&self, now: TimeNs) -> Option<DeskOffer> {
        let params = self.params()?;
        let open = self.is_open(params, now);
        let second = Desk::expires(params, now).div_ceil(SECOND_NS);
        let exposure = self.minutes.get(&minute_of(second)).copied().unwrap_or_default();
        let (least, profit) = (params.stake.0, profit(params.stake.0, params.ratio_ppm));
        let takes = |side| open && exposure.with(side, least, profit).worst_loss() <= params.minute_cap;
        Some(DeskOffer {
            params: params.clone(),
            open,
            rise_open: takes(OptionSide::Rise),
            fall_open: takes(OptionSide::Fall),
            options: self.open(),
            lost: self.lost(now),
            worst_loss: exposure.worst_loss(),
        })
    }

    fn opened(&mut self, f: &OptionOpened) {
        self.count += 1;
        let second = f.option.round().second();
        *self.rounds.entry(second).or_default() += 1;
        self.minutes.insert(minute_of(second), self.exposure_with(&f.option));
    }

    fn settled(&mut self, f: &OptionsSettled, time: TimeNs) {
        let second = f.round.second();
        let open = self.rounds.get_mut(&second).expect("a round that settles is open");
        *open -= f.items.len() as u32;
        if *open == 0 {
            self.rounds.remove(&second);
        }
        let exposure = self.minutes.get_mut(&minute_of(second)).expect("what is open has an exposure");
        for item in &f.items {
            *exposure = exposure.with(item.option.side, -item.option.at_stake(), -item.option.profit());
        }
        if *exposure == Exposure::default() {
            self.minutes.remove(&minute_of(second));
        }
        let day = day_of(time);
        if day != self.day {
            (self.day, self.lost) = (day, Amount::ZERO);
        }
        self.lost -= f.house();
    }

    /// Whether a round of it is open.
    #[must_use]
    pub fn has_round(&self, round: RoundId) -> bool {
        self.rounds.contains_key(&round.second())
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        self.params.as_deref().cloned().put(out);
        self.count.put(out);
        self.rounds.iter().map(|(second, open)| (*second, *open)).collect::<Vec<_>>().put(out);
        self.exposures().collect::<Vec<_>>().put(out);
        self.day.put(out);
        self.lost.put(out);
    }
}

const STATE_VERSION: u8 = 1;

impl Entity for Desk {
    type Id = DeskId;
    type Command = DeskCommand;

    const NAME: &'static str = "desk";
    const MESSAGES: &'static [&'static str] = &["set_params", "enter"];

    fn message(command: &DeskCommand) -> usize {
        match command {
            DeskCommand::SetParams(_) => 0,
            DeskCommand::Enter(_) => 1,
        }
    }

    fn blank(id: DeskId) -> Desk {
        let (rounds, minutes) = (BTreeMap::new(), BTreeMap::new());
        Desk { id, params: None, count: 0, rounds, minutes, day: 0, lost: Amount::ZERO }
    }

    fn decide(&self, command: &DeskCommand, ctx: &Ctx<'_>) -> Decision {
        let decided = match command {
            DeskCommand::SetParams(params) => self.set_params(params),
            DeskCommand::Enter(entry) => self.enter(entry, ctx),
        };
        decided.unwrap_or_else(Decision::Reject)
    }

    fn evolve(&mut self, applied: Applied<'_>, _role: Role) {
        let Fact::Seconds(fact) = &applied.record.fact else {
            unreachable!("a desk is not named by {}", applied.record.fact.name())
        };
        match fact {
            SecondsFact::DeskParamsSet(f) => self.params = Some(Arc::new(f.params.clone())),
            SecondsFact::OptionOpened(f) => self.opened(f),
            SecondsFact::OptionsSettled(f) => self.settled(f, applied.record.time),
            SecondsFact::PriceSilent(_) => unreachable!("a desk is not named by a silent price"),
        }
    }

    fn class(command: &DeskCommand) -> CommandClass {
        match command {
            DeskCommand::SetParams(_) | DeskCommand::Enter(_) => CommandClass::Consumes,
        }
    }

    fn publish(&self, board: &mut Board) -> Option<LivePrices> {
        if let Some(params) = &self.params {
            board.set_desk(self.id, DeskFace { params: Arc::clone(params) });
        }
        None
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(256);
        self.put_state(&mut bytes);
        hash_bytes(u64::from(self.id.0), &bytes)
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| self.put_state(out));
    }

    fn load(id: DeskId, r: &mut Reader<'_>) -> Result<Desk, DecodeError> {
        check_version(r, STATE_VERSION, "desk state version")?;
        Ok(Desk {
            id,
            params: Option::<DeskParams>::get(r)?.map(Arc::new),
            count: Wire::get(r)?,
            rounds: Vec::<(u64, u32)>::get(r)?.into_iter().collect(),
            minutes: Vec::<(u64, Exposure)>::get(r)?.into_iter().collect(),
            day: Wire::get(r)?,
            lost: Wire::get(r)?,
        })
    }
}
