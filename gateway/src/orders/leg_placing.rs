//! New orders of contracts' books, whichever call they come by.
//!
//! Owns: filters that are known here, what an order waits for, and whether an order at market meets somebody. Never does:
//! judge a margin; say what its sender is told. Invariants: an order that passes is made from the parameters that were looked
//! at. Known limits: boards may be moments behind what was acknowledged.

use super::book_contract::Listed;
use crate::app::Shared;
use crate::common::decimal::multiple_of;
use crate::market::board::read;
use std::time::Duration;
use xng_core::account::LegCommand;
use xng_core::account::leg_orders::LegOrder;
use xng_core::contract::book::order::{LegSide, NewBookOrder};
use xng_core::contract::book::waiting::{Condition, NewConditional, WorkingPrice};
use xng_core::ids::ClientOrderId;
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::spot::{EndReason, OrderAck, OrderKind, Side, Stp, Tif, Trigger, TriggerKind};

/// An order that is worth less, in whole units of the settle asset, is not taken unless it only closes.
pub const LEAST_VALUE: i64 = 5;
const PPM: i128 = 1_000_000;
/// So often the other side is looked for, since the public book follows by moments, …
const LOOKS: u32 = 50;
/// … with so much time between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// An order as it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draft {
    /// Buy or sell.
    pub side: Side,
    /// Which position it is about.
    pub leg: LegSide,
    /// Limit or market.
    pub kind: OrderKind,
    /// How long.
    pub tif: Tif,
    /// When it meets its owner's own order.
    pub stp: Stp,
    /// Quantity of the base; none of one that closes what the position has when its price comes.
    pub quantity: Option<Amount>,
    /// Its limit.
    pub price: Option<Amount>,
    /// It waits for a price; its limit is held against the mark when that came.
    pub waits: bool,
    /// It only closes.
    pub reduce_only: bool,
    /// Its owner's name for it.
    pub client_id: Option<ClientOrderId>,
}

/// What an order waits for, as it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// A stop, or a take-profit; one that trails is the latter.
    pub kind: TriggerKind,
    /// The price that triggers, or where it begins to trail; none from now on.
    pub price: Option<Amount>,
    /// How far it trails, in hundredths of a percent; 0 when it does not.
    pub trail_bips: u32,
    /// The price that it goes by.
    pub working: WorkingPrice,
    /// It closes the position.
    pub closes: bool,
}

/// Why an order does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// The price is no multiple of the tick.
    Tick,
    /// The quantity is no multiple of the lot.
    Lot,
    /// The quantity is below the least.
    TooSmall,
    /// The quantity is above the largest.
    TooLarge,
    /// The price is above this one.
    Above(Amount),
    /// The price is below this one.
    Below(Amount),
    /// It is worth too little.
    Value,
}

/// A price as ticks.
///
/// # Errors
/// It is no multiple of the tick.
pub fn in_ticks(listed: &Listed, price: Amount) -> Result<Ticks, Unfit> {
    multiple_of(price, listed.face.params.tick).map(Ticks).map_err(|_| Unfit::Tick)
}

/// What an order waits for, as the account is asked for it.
///
/// # Errors
/// A price that is no multiple of a tick.
pub fn condition(wait: &Wait, listed: &Listed) -> Result<Condition, Unfit> {
    let ticks = wait.price.map_or(Ok(Ticks::ZERO), |price| in_ticks(listed, price))?;
    let trigger = Trigger { kind: wait.kind, ticks, trail_bips: wait.trail_bips };
    Ok(Condition { working: wait.working, trigger, close_position: wait.closes })
}

/// What places an order, now or when its price comes.
#[must_use]
pub fn command(order: NewBookOrder, condition: Option<Condition>) -> LegCommand {
    match condition {
        None => LegCommand::Place(order),
        Some(condition) => LegCommand::PlaceConditional(Box::new(NewConditional { order, condition })),
    }
}

/// A quantity as lots.
///
/// # Errors
/// It is no multiple of the lot, below the least or above the largest.
pub fn in_lots(listed: &Listed, quantity: Amount) -> Result<Lots, Unfit> {
    let lots = multiple_of(quantity, listed.face.params.lot).map(Lots).map_err(|_| Unfit::Lot)?;
    let (least, most) = listed.book.lots;
    if lots > most {
        return Err(Unfit::TooLarge);
    }
    if lots < least { Err(Unfit::TooSmall) } else { Ok(lots) }
}

/// The prices between which a limit may lie, from the mark.
#[must_use]
pub fn band(listed: &Listed) -> (Amount, Amount) {
    let (mark, band) = (listed.face.mark.0, i128::from(listed.book.band_ppm));
    (Amount(mark * (PPM - band) / PPM), Amount(mark * (PPM + band) / PPM))
}

/// An order as the account is asked for it.
///
/// # Errors
/// The first filter that it does not pass.
pub fn fitted(draft: &Draft, listed: &Listed) -> Result<NewBookOrder, Unfit> {
    let ticks = match draft.price {
        Some(price) => in_ticks(listed, price)?,
        None => Ticks::ZERO,
    };
    let lots = draft.quantity.map_or(Ok(Lots::ZERO), |quantity| in_lots(listed, quantity))?;
    if let (Some(price), false) = (draft.price, draft.waits) {
        let (low, high) = band(listed);
        if listed.face.mark.is_positive() && price > high {
            return Err(Unfit::Above(high));
        }
        if price < low {
            return Err(Unfit::Below(low));
        }
        if !draft.reduce_only && listed.units().value(ticks, lots) < Amount::whole(LEAST_VALUE) {
            return Err(Unfit::Value);
        }
    }
    Ok(NewBookOrder {
        contract: listed.id,
        versions: (listed.face.params.version, listed.book.version),
        side: draft.side,
        leg: draft.leg,
        kind: draft.kind,
        tif: draft.tif,
        stp: draft.stp,
        ticks,
        lots,
        reduce_only: draft.reduce_only,
        client_id: draft.client_id,
    })
}

/// Whether the best price of the other side is near the mark.
fn has_counterparty(shared: &Shared, listed: &Listed, side: Side) -> bool {
    let Some(board) = shared.boards.get(listed.id) else { return false };
    let best = read(&board).best(side.opposite()).map(|(price, _)| price);
    let (mark, away) = (listed.face.mark.0, i128::from(listed.book.protection_ppm));
    let is_near = |price: Amount| match side {
        Side::Buy => price.0 * PPM <= mark * (PPM + away),
        Side::Sell => price.0 * PPM >= mark * (PPM - away),
    };
    best.is_some_and(is_near)
}

/// Whether an order at market would meet somebody near the mark.
pub async fn meets_somebody(shared: &Shared, listed: &Listed, side: Side) -> bool {
    for _ in 0..LOOKS {
        if has_counterparty(shared, listed, side) {
            return true;
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    false
}

/// The order as it is right after it was placed.
#[must_use]
pub fn at_once((wanted, condition): (&NewBookOrder, Option<Condition>), ack: &OrderAck, listed: &Listed) -> LegOrder {
    LegOrder {
        order: ack.order,
        units: listed.units(),
        side: wanted.side,
        leg: wanted.leg,
        kind: wanted.kind,
        tif: wanted.tif,
        stp: wanted.stp,
        ticks: wanted.ticks,
        lots: wanted.lots,
        open: if ack.status.is_open() { wanted.lots - ack.filled } else { Lots::ZERO },
        filled: ack.filled,
        spent: ack.spent,
        reduce_only: wanted.reduce_only,
        status: ack.status,
        reason: EndReason::None,
        condition,
        client_id: wanted.client_id,
        created: ack.time,
        updated: ack.time,
    }
}
