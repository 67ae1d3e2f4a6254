//! `POST /contract/preview`: what an order would cost and where its position would end, before it is sent.
//!
//! Owns: the estimate. Never does: hold or promise anything. Invariants: how an order divides and what it sets aside are the
//! engine's own functions; the position after it is what its fill at one price makes. Known limits: an order at market is
//! estimated by the levels of this moment; other open orders are not filled.

use super::rows::mode_name;
use super::{draft, listed, refusal, unfit};
use crate::api::app::call::{Call, CallResult};
use crate::api::http::envelope::Answer;
use crate::api::http::errors::Failure;
use crate::market::board::read;
use crate::orders::book_contract::Listed;
use crate::orders::leg_worth::Worth;
use crate::orders::{leg_lookup, leg_placing};
use serde_json::json;
use xng_core::account::{AccountView, LegsView, OwnLeg, Owner, closing, order_terms};
use xng_core::contract::book::effect::Fill;
use xng_core::contract::book::order::{BookOrder, NewBookOrder};
use xng_core::contract::brackets::initial_margin;
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::fraction::Fraction;
use xng_core::ids::Wallet;
use xng_core::money::{Amount, Lots, ONE};
use xng_core::spot::OrderKind;

/// The average price of an order now, and how many of its lots the book has.
fn price_now(call: &Call, listed: &Listed, wanted: &NewBookOrder) -> (Amount, Lots) {
    let units = listed.units();
    if wanted.kind == OrderKind::Limit {
        return (units.price(wanted.ticks), wanted.lots);
    }
    let (mut left, mut spent) = (wanted.lots, Amount::ZERO);
    if let Some(board) = call.app.shared.boards.get(listed.id) {
        let board = read(&board);
        for (ticks, lots) in board.depth.levels(wanted.side.opposite()) {
            if left.is_zero() {
                break;
            }
            let taken = left.min(lots);
            (left, spent) = (left - taken, spent + units.value(ticks, taken));
        }
    }
    let found = wanted.lots - left;
    if found.is_zero() {
        return (listed.face.mark, found);
    }
    (Fraction::from(spent).by(ONE).over(units.base(found).into()).round8(), found)
}

/// The account after the order was filled at one price; none when its money would not suffice.
fn after(
    (view, legs): (&AccountView, &LegsView),
    listed: &Listed,
    terms: &BookOrder,
    (price, fee): (Amount, Amount),
) -> Option<(AccountView, LegsView)> {
    let (units, index) = (listed.units(), listed.funding_index);
    let is_it = |own: &OwnLeg| own.units.contract == listed.id && own.side == terms.leg;
    let own = legs.legs.iter().find(|own| is_it(own));
    let margin = initial_margin(Fraction::value(terms.valued, units.base(terms.opens)), terms.multiple);
    let fill = Fill {
        leg: terms.leg,
        direction: Direction::opened_by(terms.side),
        mode: own.map_or(terms.mode, |own| own.leg.mode),
        multiple: terms.multiple,
        lots: terms.open,
        opens: terms.opens,
        one: Fraction::value(price, listed.face.params.lot).round8(),
        fee: (fee, Amount::ZERO),
        index,
        freed: margin + fee,
    };
    let effect = fill.effect(own.map(|own| &own.leg))?;
    let (mut view, mut legs) = (view.clone(), legs.clone());
    legs.legs.retain(|own| !is_it(own));
    let leg = effect.apply(own.map(|own| own.leg), index);
    legs.legs.extend(leg.map(|leg| OwnLeg { units, side: terms.leg, leg }));
    // What moves stays in the wallet and its results; of an isolated position it leaves what is available.
    let moved = effect.result + effect.funding - effect.fee - effect.margin;
    let of_futures = |b: &&mut xng_core::account::Balance| (b.wallet, b.asset) == (Wallet::Futures, units.settle);
    if let Some(balance) = view.balances.iter_mut().find(of_futures) {
        balance.available += moved;
    }
    Some((view, legs))
}

/// `POST /contract/preview`: takes what `order` takes, except what an order waits for: that one sets nothing aside.
pub(super) async fn preview(call: Call) -> CallResult {
    let session = call.session().await?;
    let listed = listed(&call)?;
    let (draft, wait) = draft(&call.params)?;
    if wait.is_some() {
        return Err(Failure::field("trigger", "not in a preview"));
    }
    let wanted = leg_placing::fitted(&draft, &listed).map_err(|why| unfit(why, &listed))?;
    let (view, legs) = leg_lookup::seen(&call.app, session.account).await?;
    let owner = Owner {
        account: view.account,
        level: view.level,
        legs: &legs.legs,
        closing: closing(&legs.orders, &wanted),
        terms: legs.terms.iter().find(|terms| terms.contract == listed.id).copied(),
    };
    let terms = order_terms(&owner, &wanted, (&listed.face, &listed.book)).map_err(|why| refusal(why, &listed))?;
    let (units, settle) = (listed.units(), listed.face.params.settle);
    let (price, found) = price_now(&call, &listed, &wanted);
    let value = Fraction::value(price, units.base(terms.open));
    let fee = value.ppm(terms.fee_ppm.0).round8();
    let margin = initial_margin(Fraction::value(terms.valued, units.base(terms.opens)), terms.multiple);
    let contracts = Listed::all_of(&call.app.shared.contracts);
    let worth = Worth::new(&view, &legs, &contracts);
    let available = worth.available(settle);
    let after = after((&view, &legs), &listed, &terms, (price, fee));
    let (mut liquidation, mut bankruptcy, mut own_margin) = (None, None, Amount::ZERO);
    if let Some((view, legs)) = &after {
        let worth = Worth::new(view, legs, &contracts);
        let is_it = |own: &OwnLeg| own.units.contract == listed.id && own.side == terms.leg;
        if let Some(position) = worth.positions.iter().find(|p| is_it(p.own)) {
            liquidation = Some(worth.liquidation(position)).filter(|price| price.is_positive());
            bankruptcy = worth.bankruptcy(position);
            own_margin = position.own.leg.margin;
        }
    }
    let worst = match terms.mode {
        MarginMode::Isolated => own_margin + fee,
        MarginMode::Cross => worth.cross_wallet(settle).max(Amount::ZERO),
    };
    let text = |price: Option<Amount>| price.map(|price| listed.price(price));
    Ok(Answer::ok(json!({
        "price": listed.price(price), "amount": listed.lots(terms.open), "value": value.round8().to_string(),
        "opens": listed.lots(terms.opens), "closes": listed.lots(terms.closes()), "in_book": listed.lots(found),
        "margin": margin.to_string(), "fee": fee.to_string(), "cost": terms.claim(&units).to_string(),
        "available": available.to_string(), "enough": terms.opens.is_zero() || available >= terms.claim(&units),
        "multiple": terms.multiple, "margin_mode": mode_name(terms.mode), "liq_price": text(liquidation),
        "bankruptcy_price": text(bankruptcy), "worst_case": worst.to_string(),
        "coin": call.app.shared.listed().asset_name(settle),
    })))
}
