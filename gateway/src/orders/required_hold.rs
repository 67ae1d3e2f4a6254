//! The required hold: the amount that an account must hold for an order, computed before the market decides.
//!
//! Owns: an order in the market's units, and its terms (asset, amount, version of the parameters). Never does: read a text;
//! decide. Invariants: the market checks the amount again. Known limits: prices are those of this gateway's boards.

use crate::api::http::errors::Code;
use crate::market::board::{Boards, read};
use crate::market::catalog::MarketInfo;
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::spot::{MarketParams, NewOrder, OrderKind, Side, Terms, Tif, Trigger};

const PPM: i128 = 1_000_000;

/// What was asked for, in the market's units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderSpec {
    /// Which side.
    pub side: Side,
    /// Limit or market.
    pub kind: OrderKind,
    /// How long it lives.
    pub tif: Tif,
    /// Limit price; 0 for market orders.
    pub ticks: Ticks,
    /// Quantity; 0 when a quote amount is named.
    pub lots: Lots,
    /// Quote amount to spend or to earn; 0 when a quantity is named.
    pub budget: Amount,
}

/// What the account must hold, by parameters and prices known here; the market checks it again.
///
/// # Errors
/// The market is closed: nobody sells, so what a purchase at market costs cannot be known.
pub fn terms(boards: &Boards, info: &MarketInfo, w: &OrderSpec) -> Result<Terms, Code> {
    let p = &info.params;
    let (amount, capped) = match (w.kind, w.side) {
        (OrderKind::Limit, side) => (p.lock(side, w.ticks, w.lots), false),
        (OrderKind::Market, Side::Sell) if !w.lots.is_zero() => (p.base_amount(w.lots), false),
        // A sale by quote amount may take all that there is; what it does not sell stays.
        (OrderKind::Market, Side::Sell) => (xng_core::money::MAX_AMOUNT, true),
        (OrderKind::Market, Side::Buy) if w.lots.is_zero() => (w.budget, false),
        (OrderKind::Market, Side::Buy) => {
            let board = boards.get(p.market).ok_or(Code::MarketClosed)?;
            let best = read(&board).depth.best(Side::Sell).ok_or(Code::MarketClosed)?.0;
            let worst = i128::from(best.0) * (PPM + i128::from(p.protection_ppm)) / PPM + 1;
            let worst = Ticks(i64::try_from(worst).map_err(|_| Code::MarketClosed)?);
            (p.lock(Side::Buy, worst, w.lots), true)
        }
    };
    Ok(Terms { version: p.version, asset: p.locked_asset(w.side), amount, capped })
}

/// What an account must hold for an order that waits: by its trigger's price, or by the latest one when it trails from now on.
#[must_use]
pub fn waiting_terms(boards: &Boards, p: &MarketParams, order: &NewOrder, trigger: &Trigger) -> Terms {
    let price = if trigger.ticks == Ticks::ZERO { latest(boards, p) } else { trigger.ticks };
    let amount = p.lock_waiting(order, price, trigger.trail_bips);
    // A buy at market takes what it can get of its protection; it needs no more than its trigger's price.
    let capped = (order.kind, order.side) == (OrderKind::Market, Side::Buy);
    Terms { version: p.version, asset: p.locked_asset(order.side), amount, capped }
}

/// The latest price that is known here.
fn latest(boards: &Boards, p: &MarketParams) -> Ticks {
    let Some(board) = boards.get(p.market) else { return Ticks::ZERO };
    let board = read(&board);
    let price = board.index.map(|(index, _)| index).or_else(|| board.trades.back().map(|t| t.price));
    price.map_or(Ticks::ZERO, |price| Ticks(i64::try_from(price.0 / p.tick.0).unwrap_or_default()))
}
