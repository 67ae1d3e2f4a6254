//! What clients ask of seconds options.
//!
//! Owns: desks and what operators make of them, random options. Never does: look at the engine. Invariants: commands are what a
//! gateway could send. Known limits: the first market's index only.

use crate::auditor::Auditor;
use crate::rng::Rng;
use crate::traffic::{SETTLE, Setting};
use xng_core::account::{EnterOption, SecondsCommand};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, MarketId, PriceId};
use xng_core::money::Amount;
use xng_core::seconds::DeskId;
use xng_core::seconds::desk::DeskCommand;
use xng_core::seconds::params::DeskParams;
use xng_core::seconds::rules::OptionSide;

/// Durations, the shortest ones that there may be.
const SECONDS: [u32; 3] = [11, 13, 30];

fn desk(place: usize) -> DeskId {
    DeskId::of(MarketId(1), place as u16)
}

impl Setting {
    /// Desks whose caps are reached now and then.
    pub(crate) fn desks(&self) -> Vec<Command> {
        let desk = |(place, seconds): (usize, u32)| {
            let params = DeskParams {
                version: 0,
                desk: desk(place),
                price: PriceId(1),
                seconds,
                asset: SETTLE,
                ratio_ppm: 700_000 + place as u32 * 123_457,
                fee_ppm: [0, 3_333, 10_000][place],
                stake: (Amount(1), Amount::whole(50)),
                most_open: [2, 5, 5][place],
                minute_cap: Amount::whole([40, 200, 2_000][place]),
                day_cap: Amount::whole([100_000, 30, 100_000][place]),
                fresh_ms: 2_000,
                open: true,
            };
            Command::Seconds(params.desk, DeskCommand::SetParams(Box::new(params)))
        };
        SECONDS.into_iter().enumerate().map(desk).collect()
    }

    /// Other terms of a desk, which may close it or open it again.
    pub(crate) fn other_desk(&self, rng: &mut Rng, auditor: &Auditor) -> Option<Command> {
        let old = auditor.desk(desk(rng.below(3) as usize))?;
        let (ratio_ppm, fee_ppm) = (rng.pick(&[500_000, 823_457, 1_000_000]), rng.pick(&[0, 3_333, 10_000]));
        let (minute_cap, open) = (Amount::whole(rng.pick(&[40, 200, 2_000])), rng.chance(4, 5));
        let params = DeskParams { ratio_ppm, fee_ppm, minute_cap, open, ..old.clone() };
        Some(Command::Seconds(params.desk, DeskCommand::SetParams(Box::new(params))))
    }

    /// An option by chance, now and then by a coupon.
    pub(crate) fn option(&self, rng: &mut Rng, auditor: &Auditor, account: AccountId) -> SecondsCommand {
        let desk = desk(rng.below(3) as usize);
        let side = rng.pick(&[OptionSide::Rise, OptionSide::Fall]);
        let stake = Amount(i128::from(rng.pick(&[1, 33, 5_000_000_000_i64])).max(i128::from(rng.below(2_000_000_000))));
        let version = rng.pick(&[None, None, Some(1), Some(2)]);
        let coupon = auditor.bonuses(account).nth(rng.below(2) as usize).filter(|_| rng.chance(7, 8));
        let stake = coupon.filter(|_| rng.chance(9, 10)).map_or(stake, |coupon| coupon.value);
        SecondsCommand::Enter(EnterOption { desk, side, stake, coupon: coupon.map(|coupon| coupon.coupon), version })
    }
}
