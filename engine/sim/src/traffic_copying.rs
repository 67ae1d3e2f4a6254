//! What clients ask of copy trading.
//!
//! Owns: traders, random follows. Never does: look at the engine. Invariants: commands are what a gateway could send. Known
//! limits: the first two users lead; others lead for a while.

use crate::auditor::Auditor;
use crate::rng::Rng;
use crate::traffic::{SETTLE, Setting};
use xng_core::account::{AccountCommand, CopyCommand, TicketCommand};
use xng_core::contract::tickets::TicketId;
use xng_core::copy::{FollowKind, FollowTerms, TraderTerms};
use xng_core::entity::Command;
use xng_core::ids::AccountId;

const TRADERS: [AccountId; 2] = [AccountId(100_001), AccountId(100_002)];

impl Setting {
    /// The first users are traders, with shares of their own.
    pub(crate) fn traders(&self) -> Vec<Command> {
        let lead = |(trader, share_ppm)| {
            let terms = Some(TraderTerms { asset: SETTLE, share_ppm });
            Command::Account(trader, AccountCommand::Copy(CopyCommand::SetTrader(terms)))
        };
        TRADERS.into_iter().zip([100_000, 333_333]).map(lead).collect()
    }

    /// Traders open tickets and close them; others follow.
    pub(crate) fn copied_trading(&self, rng: &mut Rng, auditor: &Auditor) -> (AccountId, AccountCommand) {
        if rng.chance(1, 3) {
            let account = self.user(rng);
            return (account, AccountCommand::Copy(self.copying(rng, auditor, account)));
        }
        let trader = rng.pick(&TRADERS);
        let command = match auditor.tickets(trader).next() {
            Some(ticket) if rng.chance(1, 2) => TicketCommand::Close(ticket),
            _ => self.tickets(rng, auditor, trader),
        };
        (trader, AccountCommand::Tickets(command))
    }

    /// A command about copy trading by chance.
    pub(crate) fn copying(&self, rng: &mut Rng, auditor: &Auditor, account: AccountId) -> CopyCommand {
        let trader = if rng.chance(9, 10) { rng.pick(&TRADERS) } else { self.user(rng) };
        let own = auditor.tickets(account).nth(rng.below(5) as usize).unwrap_or(TicketId(rng.below(1_000)));
        let (kind, number) = rng.pick(&[
            (FollowKind::Multiple, 1_000),
            (FollowKind::Multiple, 333),
            (FollowKind::Multiple, 4_999),
            (FollowKind::Multiple, 5_001),
            (FollowKind::Lots, 1),
            (FollowKind::Lots, 5),
        ]);
        match rng.below(16) {
            0 if !self.of_copying || rng.chance(1, 20) => CopyCommand::SetTrader(None),
            1 | 2 => CopyCommand::SetTrader(Some(TraderTerms { asset: SETTLE, share_ppm: 200_000 })),
            3 => CopyCommand::Unfollow { trader },
            4..=6 => CopyCommand::Detach(own),
            _ => CopyCommand::Follow { trader, terms: FollowTerms { kind, number } },
        }
    }
}
