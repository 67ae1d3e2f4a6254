//! Seconds options: a stake on a rise or a fall of a pair's index within seconds, against the house.
//!
//! Owns: the numbers of desks, rounds and options, and what an open option is. Never does: know balances; the account holds
//! money (`account/seconds.rs`). Invariants: an option is opened at a tick that its fact names, and decided by the last tick up
//! to its expiry; no command names a price or a result.
//! Rules: `docs/rules/seconds.md`. Known limits: one stake asset a desk.

pub mod desk;
pub mod facts;
pub mod params;
pub mod round;
pub mod rules;
#[cfg(test)]
mod tests;

use crate::codec::{DecodeError, Reader, Wire, WordHash};
use crate::coupon::{Coupon, CouponId, CouponKind};
use crate::entity::TimeNs;
use crate::ids::{AccountId, AssetId, MarketId};
use crate::money::Amount;
use rules::{OptionResult, OptionSide};

crate::ids::id!(
    /// A desk, one pair and one duration: the pair's number times eight and the place of the duration.
    DeskId(u16)
);
crate::ids::id!(
    /// A round: its second of expiry times 4,096 and its desk's number.
    RoundId(u64)
);
crate::ids::id!(
    /// An option, unique across desks and below 2^53: the desk's own count times 4,096 and the desk's number.
    OptionId(u64)
);

/// Desks that fit into the number of an option.
pub const DESK_SPAN: u64 = 4_096;
/// Durations that a pair has at most.
pub const DURATIONS: u16 = 8;
/// A second.
pub const SECOND_NS: TimeNs = 1_000_000_000;

impl DeskId {
    /// The desk of a pair and the place of a duration.
    #[must_use]
    pub fn of(pair: MarketId, place: u16) -> DeskId {
        DeskId(pair.0 * DURATIONS + place % DURATIONS)
    }

    /// Its pair.
    #[must_use]
    pub fn pair(self) -> MarketId {
        MarketId(self.0 / DURATIONS)
    }
}

impl RoundId {
    /// The round of a desk whose options expire in this second.
    #[must_use]
    pub fn of(desk: DeskId, second: u64) -> RoundId {
        RoundId(second * DESK_SPAN + u64::from(desk.0))
    }

    /// Its desk.
    #[must_use]
    pub fn desk(self) -> DeskId {
        DeskId((self.0 % DESK_SPAN) as u16)
    }

    /// Its second: all of its options have expired then.
    #[must_use]
    pub fn second(self) -> u64 {
        self.0 / DESK_SPAN
    }

    /// The end of its second.
    #[must_use]
    pub fn ends(self) -> TimeNs {
        self.second() * SECOND_NS
    }
}

impl OptionId {
    /// The `count`-th option of a desk.
    #[must_use]
    pub fn of(desk: DeskId, count: u64) -> OptionId {
        OptionId(count * DESK_SPAN + u64::from(desk.0))
    }

    /// The desk that opened it.
    #[must_use]
    pub fn desk(self) -> DeskId {
        DeskId((self.0 % DESK_SPAN) as u16)
    }
}

crate::wire_struct! {
    /// The coupon that stands for a stake.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Bonus {
        /// Which.
        pub coupon: CouponId,
        /// When its owner got it.
        pub issued: TimeNs,
        /// It is used before then.
        pub expires: TimeNs,
    }
}

impl From<Coupon> for Bonus {
    fn from(coupon: Coupon) -> Bonus {
        Bonus { coupon: coupon.coupon, issued: coupon.issued, expires: coupon.expires }
    }
}

crate::wire_struct! {
    /// An option as it was opened.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SecondsOption {
        /// Its number.
        pub option: OptionId,
        /// Whose.
        pub account: AccountId,
        /// What the stake is in.
        pub asset: AssetId,
        /// What its owner expects.
        pub side: OptionSide,
        /// The stake.
        pub stake: Amount,
        /// The fee, on top of it.
        pub fee: Amount,
        /// What a win brings, of the stake.
        pub ratio_ppm: u32,
        /// Tick at which it was opened.
        pub open_seq: u64,
        /// The index at that tick.
        pub open_price: Amount,
        /// When it was opened.
        pub opened: TimeNs,
        /// When it expires: the last tick up to then decides.
        pub expires: TimeNs,
        /// The stake is a coupon's, which the house has already: only profit is paid, without a fee.
        pub bonus: Option<Bonus>,
    }
}

crate::wire_struct! {
    /// The first form, before there were coupons.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SecondsOptionV1 {
        /// See [`SecondsOption`], as all of them.
        pub option: OptionId,
        /// Whose.
        pub account: AccountId,
        /// What the stake is in.
        pub asset: AssetId,
        /// What its owner expects.
        pub side: OptionSide,
        /// The stake.
        pub stake: Amount,
        /// The fee.
        pub fee: Amount,
        /// What a win brings, of the stake.
        pub ratio_ppm: u32,
        /// Tick at which it was opened.
        pub open_seq: u64,
        /// The index at that tick.
        pub open_price: Amount,
        /// When it was opened.
        pub opened: TimeNs,
        /// When it expires.
        pub expires: TimeNs,
    }
}

impl From<SecondsOptionV1> for SecondsOption {
    fn from(old: SecondsOptionV1) -> SecondsOption {
        let SecondsOptionV1 { option, account, asset, side, stake, fee, ratio_ppm, .. } = old;
        let SecondsOptionV1 { open_seq, open_price, opened, expires, .. } = old;
        let bonus = None;
        SecondsOption {
            option,
            account,
            asset,
            side,
            stake,
            fee,
            ratio_ppm,
            open_seq,
            open_price,
            opened,
            expires,
            bonus,
        }
    }
}

/// Options of a state that was written in their first form.
pub(crate) fn get_old_options(r: &mut Reader<'_>) -> Result<Vec<SecondsOption>, DecodeError> {
    Ok(Vec::<SecondsOptionV1>::get(r)?.into_iter().map(SecondsOption::from).collect())
}

impl SecondsOption {
    /// What is locked for it.
    #[must_use]
    pub fn locked(&self) -> Amount {
        self.at_stake() + self.fee
    }

    /// What its owner can lose, without the fee.
    #[must_use]
    pub fn at_stake(&self) -> Amount {
        if self.bonus.is_some() { Amount::ZERO } else { self.stake }
    }

    /// The coupon that stands for its stake.
    #[must_use]
    pub fn coupon(&self) -> Option<Coupon> {
        let SecondsOption { account, asset, stake, .. } = *self;
        let Bonus { coupon, issued, expires } = self.bonus?;
        Some(Coupon { coupon, account, kind: CouponKind::MicroBonus, asset, value: stake, issued, expires })
    }

    /// What its owner gets at the end.
    #[must_use]
    pub fn paid(&self, result: OptionResult) -> Amount {
        rules::paid(result, (self.at_stake(), self.fee), self.profit())
    }

    /// Its hash, for states that have many.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let (kind, ends) = (u64::from(self.asset.0) << 8 | self.side as u64, (self.opened, self.expires));
        let h = WordHash::new(self.option.0).pair(self.account.0, kind).wide(self.stake.0).wide(self.fee.0);
        let h = h.pair(self.ratio_ppm.into(), self.open_seq).wide(self.open_price.0).pair(ends.0, ends.1);
        let bonus = |h: WordHash, bonus: Bonus| h.word(bonus.coupon.0).pair(bonus.issued, bonus.expires);
        self.bonus.map_or(h, |of| bonus(h, of)).end()
    }

    /// What a win brings on top of the stake.
    #[must_use]
    pub fn profit(&self) -> Amount {
        rules::profit(self.stake, self.ratio_ppm)
    }

    /// The round that settles it.
    #[must_use]
    pub fn round(&self) -> RoundId {
        RoundId::of(self.option.desk(), self.expires.div_ceil(SECOND_NS))
    }
}
