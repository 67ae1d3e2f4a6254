//! Metrics of contracts: how much is open, how near the house's caps that is, liquidations, what the insurance has.
//!
//! Owns: these families. Never does: count. Invariants: each contract has its series from the moment it is listed. Known limits:
//! money of the insurance and of the house is that of the ledger's last count.

use super::text::Text;
use crate::app::Shared;
use crate::common::time::now_ns;
use crate::market::contracts::cap_used_ppm;
use std::collections::BTreeSet;
use xng_core::board::ContractFace;
use xng_core::contract::tickets::HUNDREDTHS;
use xng_core::fraction::Fraction;
use xng_core::ids::{AccountId, AssetId};
use xng_core::money::{Amount, Lots, ONE};

/// Lots of both directions.
fn lots(face: &ContractFace) -> [(&'static str, Lots); 2] {
    [("long", face.tickets.0), ("short", face.tickets.1)]
}

/// Of contracts' books.
fn write_books(t: &mut Text, shared: &Shared) {
    let (board, books, tally) = (shared.contracts.now(), shared.contracts.books(), shared.contracts.tally());
    let with_books = || board.contracts().filter_map(|(id, face)| Some((id, face, books.get(&id)?)));
    let mut family = t.gauge("xng_legs", "Positions in a contract's book.");
    for (_, face, book) in with_books() {
        family.sample(&[("symbol", &face.params.symbol)], book.counts[0]);
    }
    let mut family = t.gauge("xng_book_orders", "Orders of a contract's book: open, or waiting for a price.");
    for (_, face, book) in with_books() {
        family.sample(&[("symbol", &face.params.symbol), ("state", "open")], book.counts[1]);
        family.sample(&[("symbol", &face.params.symbol), ("state", "waiting")], book.counts[2]);
    }
    let mut family = t.gauge("xng_open_interest", "All long positions of a contract's book, in the base.");
    for (_, face, book) in with_books() {
        family.sample(&[("symbol", &face.params.symbol)], face.params.book_units().base(book.open));
    }
    let mut family = t.gauge("xng_funding_rate", "Rate of the last funding period, and of the present one so far.");
    for (_, face, book) in with_books() {
        family.sample(&[("symbol", &face.params.symbol), ("period", "last")], book.rate);
        family.sample(&[("symbol", &face.params.symbol), ("period", "present")], book.next_rate);
    }
    let mut family =
        t.gauge("xng_insurance_quota", "What the insurance set apart for liquidations in a contract's book.");
    for (_, face, book) in with_books() {
        family.sample(&[("symbol", &face.params.symbol)], book.quota);
    }
    let counts = |id| tally.legs.get(&id).copied().unwrap_or_default();
    let mut family = t.counter("xng_leg_liquidation_steps_total", "Steps of liquidations in a contract's book.");
    for (id, face, _) in with_books() {
        family.sample(&[("symbol", &face.params.symbol)], counts(id).steps);
    }
    let mut family =
        t.counter("xng_leg_deleveragings_total", "Steps of which a part was closed against the positions of others.");
    for (id, face, _) in with_books() {
        family.sample(&[("symbol", &face.params.symbol)], counts(id).deleveraged);
    }
    let mut family =
        t.counter("xng_leg_insured_total", "What the insurance gave for liquidations in a contract's book.");
    for (id, face, _) in with_books() {
        family.sample(&[("symbol", &face.params.symbol)], counts(id).insured);
    }
    let mut family = t
        .counter("xng_triggered_refusals_total", "Orders of a contract's book whose price came and that were refused.");
    for (id, face, _) in with_books() {
        family.sample(&[("symbol", &face.params.symbol)], counts(id).refused);
    }
}

pub(super) fn write(t: &mut Text, shared: &Shared) {
    let (board, tally, now) = (shared.contracts.now(), shared.contracts.tally(), now_ns());
    let symbol = |face: &ContractFace| face.params.symbol.clone();
    let mut family = t.gauge("xng_contract_live", "1 while a contract is open and its index is fresh.");
    for (_, face) in board.contracts() {
        family.sample(&[("symbol", &symbol(face))], u8::from(face.is_live(now)));
    }
    let mut family = t.gauge("xng_tickets", "Tickets, by contract and whether they are open or wait for their price.");
    for (id, face) in board.contracts() {
        let counts = tally.tickets.get(&id).copied().unwrap_or_default();
        family.sample(&[("symbol", &symbol(face)), ("state", "open")], counts.open);
        family.sample(&[("symbol", &symbol(face)), ("state", "waiting")], counts.waiting);
    }
    let mut family = t.gauge("xng_ticket_lots", "Lots of all tickets, those that wait among them, by direction.");
    for (_, face) in board.contracts() {
        for (side, lots) in lots(face) {
            let lots = Amount(i128::from(lots.0) * (ONE / i128::from(HUNDREDTHS)));
            family.sample(&[("symbol", &symbol(face)), ("side", side)], lots);
        }
    }
    let mut family = t.gauge("xng_ticket_notional", "Value of these lots at the index, in the settle asset.");
    for (_, face) in board.contracts() {
        for (side, lots) in lots(face) {
            let value = Fraction::value(face.index.0, face.params.base_of(lots)).round8();
            family.sample(&[("symbol", &symbol(face)), ("side", side)], value);
        }
    }
    let mut family = t.gauge("xng_ticket_cap_used_ratio", "The part of the house's caps that these lots use.");
    for (_, face) in board.contracts() {
        family.sample(&[("symbol", &symbol(face))], Amount(cap_used_ppm(face) * (ONE / 1_000_000)));
    }
    let mut family =
        t.gauge("xng_house_position", "What the house has in a contract's book, in the base; shorts are negative.");
    for (id, face) in board.contracts().filter(|(_, face)| face.book.is_some()) {
        family.sample(&[("symbol", &symbol(face))], shared.house.of(id).inventory);
    }
    write_books(t, shared);
    let mut family = t.counter("xng_liquidations_total", "Tickets liquidated, by contract.");
    for (id, face) in board.contracts() {
        family.sample(&[("symbol", &symbol(face))], tally.tickets.get(&id).map_or(0, |counts| counts.liquidated));
    }
    let catalog = shared.listed();
    let settles: BTreeSet<AssetId> = board.contracts().map(|(_, face)| face.params.settle).collect();
    let mut family =
        t.counter("xng_deficits_total", "What owners could not pay: paid by the insurance, borne by the house.");
    for settle in &settles {
        let (name, deficits) = (catalog.asset_name(*settle), tally.deficits.get(settle).copied().unwrap_or_default());
        family.sample(&[("asset", &name), ("part", "paid")], deficits.paid);
        family.sample(&[("asset", &name), ("part", "borne")], deficits.borne);
    }
    let Some((counted, _)) = shared.health.ledger.last() else { return };
    let has = |account: AccountId, settle: AssetId| {
        let found = counted.funds.iter().find(|(of, _, asset, _)| (*of, *asset) == (account, settle));
        found.map_or(Amount::ZERO, |(.., amount)| *amount)
    };
    let mut family =
        t.gauge("xng_contract_funds", "What the insurance and the leverage house have; the house may owe.");
    for settle in &settles {
        let name = catalog.asset_name(*settle);
        family.sample(&[("asset", &name), ("account", "insurance")], has(AccountId::INSURANCE, *settle));
        family.sample(&[("asset", &name), ("account", "house")], has(AccountId::LEVER_HOUSE, *settle));
    }
}
