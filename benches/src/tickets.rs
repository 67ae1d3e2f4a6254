//! A contract of tickets, and tickets of it.
//!
//! Owns: their terms. Never does: open any. Invariants: none. Known limits: one schedule of fees, one bracket.

use xng_core::account::OpenTicket;
use xng_core::contract::brackets::{Bracket, Brackets};
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::contract::params::{ContractParams, TicketParams};
use xng_core::contract::tickets::Stops;
use xng_core::ids::{AssetId, MarketId, PriceId};
use xng_core::money::{Amount, FeePpm, Lots, ONE};

/// What tickets are paid in.
pub const SETTLE: AssetId = AssetId(3);

/// A contract that follows a price.
pub fn params(contract: MarketId, price: PriceId) -> ContractParams {
    let most = Lots(1_000_000_000);
    ContractParams {
        contract,
        version: 0,
        symbol: format!("C{contract}"),
        base: AssetId(1),
        settle: SETTLE,
        price,
        tick: Amount(ONE / 100),
        lot: Amount(ONE / 100),
        brackets: Brackets {
            list: vec![Bracket { ceiling: Amount::whole(300_000), max_multiple: 100, rate_ppm: 4_000 }],
        },
        mark_band_ppm: 10_000,
        stale_after_ms: 60_000,
        insurance_ppm: 100_000,
        tickets: TicketParams {
            spread_ppm: 200,
            fees: vec![FeePpm(500)],
            overnight_ppm: 300,
            multiples: vec![10, 20, 50, 100],
            lots: (Lots(1), Lots(1_000)),
            account_cap: Amount::whole(1_000_000),
            house_caps: (most, most),
        },
    }
}

/// The `n`-th ticket: every second one is cross; lots and multiples by turns.
pub fn wanted(n: u64, contract: MarketId) -> OpenTicket {
    let multiples = [10, 20, 50, 100];
    OpenTicket {
        contract,
        version: 0,
        direction: Direction::Long,
        mode: if n.is_multiple_of(2) { MarginMode::Isolated } else { MarginMode::Cross },
        lots: Lots(100 + 100 * (n as i64 / 2 % 3)),
        multiple: multiples[n as usize / 7 % multiples.len()],
        target: None,
        stops: Stops::default(),
    }
}
