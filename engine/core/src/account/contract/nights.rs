//! What nights cost: at 00:00 UTC each ticket that was open before pays a share of its value.
//!
//! Owns: which night is due and what is taken. Never does: look at a price of now; a ticket pays for its value at opening.
//! Invariants: a night is charged once, in the order of days, also those that passed while nothing ran; nobody pays more
//! than the margin and what is available. Rules: `docs/rules/contracts.md "Nights"`. Known limits: none.

use super::{Account, Ticket};
use crate::contract::ticket_facts::{DeficitCovered, Night, NightCharged};
use crate::contract::tickets::overnight;
use crate::entity::{Ctx, Decision, TimeNs};
use crate::fraction::Fraction;
use crate::ids::{AssetId, Wallet};
use crate::money::Amount;
use std::collections::BTreeMap;

const DAY_NS: TimeNs = 86_400_000_000_000;

/// The day of a time, counted from 1970-01-01 in UTC.
fn day_of(time: TimeNs) -> u32 {
    u32::try_from(time / DAY_NS).unwrap_or(u32::MAX)
}

impl Account {
    /// The next day whose beginning charges one of its tickets.
    #[inline]
    fn next_night(&self) -> Option<u32> {
        let charged = self.cold().tickets.as_ref()?.charged;
        let first =
            self.tickets().iter().filter(|ticket| ticket.is_open()).map(|ticket| day_of(ticket.opened)).min()?;
        Some(charged.max(first) + 1)
    }

    /// When that is.
    #[inline]
    pub(in crate::account) fn next_midnight(&self) -> Option<TimeNs> {
        self.next_night().map(|day| TimeNs::from(day) * DAY_NS)
    }

    /// Charges the night that is due.
    pub(in crate::account) fn night(&self, ctx: &Ctx<'_>) -> Option<Decision> {
        let day = self.next_night().filter(|day| TimeNs::from(*day) * DAY_NS <= ctx.now)?;
        let mut left: BTreeMap<AssetId, Amount> = BTreeMap::new();
        let charge = |ticket: &Ticket| {
            let face = ctx.board.contract(ticket.terms.contract)?;
            let settle = ticket.terms.settle;
            let available = left.entry(settle).or_insert_with(|| self.free(Wallet::Futures, settle));
            let value = Fraction::value(ticket.terms.price, ticket.terms.base);
            let (margin, rest, taken) = overnight(value, face.params.tickets.overnight_ppm, ticket.margin, *available);
            let (of_margin, of_available) = (ticket.margin - margin, *available - rest);
            *available = rest;
            taken.is_positive().then_some(Night { ticket: ticket.id(), settle, of_margin, of_available })
        };
        let open_before = |ticket: &&Ticket| ticket.is_open() && ticket.opened < TimeNs::from(day) * DAY_NS;
        let nights = self.tickets().iter().filter(open_before).filter_map(charge).collect();
        Some(Decision::Fact(NightCharged { account: self.id, day, nights }.into()))
    }

    /// The insurance decides what it pays of the first deficit that it was told of.
    pub(in crate::account) fn cover(&self) -> Option<Decision> {
        let (settle, deficit) = *self.cold().tickets.as_ref()?.deficits.first()?;
        let paid = deficit.min(self.balance(Wallet::Futures, settle).available);
        Some(Decision::Fact(DeficitCovered { account: self.id, settle, deficit, paid }.into()))
    }

    /// Whether it was told of deficits that it has not decided about.
    #[inline]
    pub(in crate::account) fn has_deficits(&self) -> bool {
        self.cold().tickets.as_ref().is_some_and(|tickets| !tickets.deficits.is_empty())
    }
}
