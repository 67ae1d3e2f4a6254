//! The cross pool of an account: what its cross positions are worth together, and what must stay there.
//!
//! Owns: equity, maintenance, risk, what may leave. Never does: know which positions there are. Invariants: liquidation is
//! decided by exact comparison, the shown rate is rounded; unrealised profit never leaves.
//! Rules: `docs/rules/contracts.md "Cross pool"`. Known limits: one settle asset.

use crate::fraction::Fraction;
use crate::money::{Amount, Exact};

/// Equity and maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// Cash, margins of cross tickets and results so far.
    pub equity: Fraction,
    /// What must stay: maintenance of legs, half of the margins of tickets at opening.
    pub maintenance: Fraction,
}

impl Pool {
    /// A pool of cash alone.
    #[must_use]
    pub fn of(cash: Amount) -> Pool {
        Pool { equity: cash.into(), maintenance: Fraction::ZERO }
    }

    /// With a cross ticket.
    #[must_use]
    pub fn and_ticket(self, margin: Amount, origin: Amount, result: Fraction) -> Pool {
        Pool {
            equity: self.equity.plus(margin.into()).plus(result),
            maintenance: self.maintenance.plus(Fraction::new(origin.0, 2)),
        }
    }

    /// With a leg.
    #[must_use]
    pub fn and_leg(self, unrealised: Fraction, maintenance: Fraction) -> Pool {
        Pool { equity: self.equity.plus(unrealised), maintenance: self.maintenance.plus(maintenance) }
    }

    /// Whether it is liquidated. Without a position it never is.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.maintenance.is_positive() && self.equity <= self.maintenance
    }

    /// `equity / (2 maintenance)` in percent, to two decimals; none without a position. 50 is the end.
    #[must_use]
    pub fn risk(&self) -> Option<Exact> {
        if !self.maintenance.is_positive() {
            return None;
        }
        let percent = self.equity.by(50).over(self.maintenance);
        Some(Exact::new(percent.by(100).half_up(), 2))
    }
}

/// Sums over an account's cross positions, for what may leave it.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// What is available.
    pub available: Amount,
    /// The results wallet.
    pub results: Amount,
    /// Margins of cross tickets, as they are and as they were at opening.
    pub margins: (Amount, Amount),
    /// Results so far of tickets and legs.
    pub unrealised: Fraction,
    /// Margin at opening of cross legs.
    pub initial: Amount,
    /// Margins and fees of orders.
    pub orders: Amount,
}

/// What may leave: half as much again as the margins at opening stays, and unrealised profit does not count.
#[must_use]
pub fn transferable(held: &Held) -> Amount {
    let (margin, origin) = held.margins;
    let loss = held.unrealised.min(Fraction::ZERO);
    let free = Fraction::from(held.available + held.results + margin).plus(loss);
    let free = free.minus(Fraction::new(origin.0 * 3, 2)).minus((held.initial + held.orders).into());
    let most = held.available + held.results.max(Amount::ZERO);
    free.floor8().min(most).max(Amount::ZERO)
}
