//! The house in contracts' books: a ladder around the index, made from the pair's own reference book.
//!
//! Owns: which ladder each contract's book gets, and when. Never does: set a price; hold money.
//! Invariants:
//! - Without a live contract or a source that speaks no quote stands, and none of before a start outlives the first price.
//! - A ladder is farther from the middle than the source's by a margin, and leans against what the house has beyond its target;
//!   beyond the cap only the side is quoted that brings it back. The target is the other side of all tickets, those
//!   that wait among them.
//! - A user's order that the ladder would meet is filled by an order of the house at the ladder's price.
//!
//! Known limits: one ladder a contract in [`EVERY_MS`]; what was refused comes again after [`RETRY_MS`].

use super::outcome;
use super::quoter::Quoter;
use crate::app::Shared;
use crate::common::time::{Ms, now_ns};
use crate::config::HouseContracts;
use crate::feed::Level;
use crate::market::board::read;
use std::collections::BTreeMap;
use xng_core::account::{AccountCommand, LegCommand, LegsView};
use xng_core::board::ContractFace;
use xng_core::contract::book::order::{LegSide, NewBookOrder};
use xng_core::contract::book::params::BookParams;
use xng_core::contract::book::quoting::NewQuotes;
use xng_core::contract::leg::Direction;
use xng_core::contract::tickets::HUNDREDTHS;
use xng_core::entity::{Command, Reply, View};
use xng_core::fraction::Fraction;
use xng_core::ids::{AccountId, MarketId};
use xng_core::market::{OrderKind, Side, Stp, Tif};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::record::Origin;
use xng_core::spot::QuoteLevel;
use xng_runtime::Client;

/// Ladders are made anew this often.
const EVERY_MS: Ms = 300;
/// The same ladder is sent again this often: what users took of it is filled up.
const REFILL_MS: Ms = 2_000;
/// After a refusal the next ladder waits this long.
const RETRY_MS: Ms = 1_000;
const MILLION: i128 = 1_000_000;

/// What the house knows of its quotes in one book.
#[derive(Default)]
struct Desk {
    ladder: Vec<QuoteLevel>,
    quoted_ms: Ms,
    retry_ms: Ms,
}

/// See the module's header.
pub(super) struct ContractDesks {
    settings: HouseContracts,
    cap: Amount,
    desks: BTreeMap<MarketId, Desk>,
    made_ms: Ms,
}

/// A contract with its book, as ladders need it.
struct Book<'a> {
    id: MarketId,
    face: &'a ContractFace,
    params: &'a BookParams,
}

impl Book<'_> {
    fn quote(&self, levels: Vec<QuoteLevel>) -> Command {
        let versions = (self.face.params.version, self.params.version);
        legs(LegCommand::Quote(Box::new(NewQuotes { contract: self.id, versions, levels })))
    }

    /// An order that takes what stands in the way of a level.
    fn take(&self, level: &QuoteLevel) -> Command {
        legs(LegCommand::Place(NewBookOrder {
            contract: self.id,
            versions: (self.face.params.version, self.params.version),
            side: level.side,
            leg: LegSide::Both,
            kind: OrderKind::Limit,
            tif: Tif::Ioc,
            stp: Stp::ExpireMaker,
            ticks: level.ticks,
            lots: level.lots,
            reduce_only: false,
            client_id: None,
        }))
    }
}

fn legs(command: LegCommand) -> Command {
    Command::Account(AccountId::HOUSE, AccountCommand::Legs(command))
}

impl ContractDesks {
    pub(super) fn new(settings: &HouseContracts) -> ContractDesks {
        let cap = Amount::whole(settings.cap.cast_signed());
        ContractDesks { settings: settings.clone(), cap, desks: BTreeMap::new(), made_ms: 0 }
    }

    /// Quotes of before a start leave before anybody hears a price.
    pub(super) async fn clear(&mut self, client: &Client) {
        let Some(view) = view(client).await else { return };
        let mut contracts: Vec<MarketId> = view.orders.iter().map(|own| own.units.contract).collect();
        contracts.dedup();
        for contract in contracts {
            let none = NewQuotes { contract, versions: (0, 0), levels: Vec::new() };
            let reply = client.call(Origin::House, None, legs(LegCommand::Quote(Box::new(none)))).await;
            if let Some(why) = outcome(&reply) {
                tracing::warn!(contract = contract.0, why, "the house's quotes of before the start stand");
            }
        }
    }

    /// Makes ladders, and sends those that are due.
    pub(super) async fn tick(
        &mut self,
        (shared, client): (&Shared, &Client),
        quoters: &BTreeMap<MarketId, Quoter>,
        now: Ms,
    ) -> Vec<(MarketId, String)> {
        let board = shared.contracts.now();
        let books =
            || board.contracts().filter_map(|(id, face)| Some(Book { id, face, params: &face.book.as_ref()?.0 }));
        if now - self.made_ms < EVERY_MS || books().next().is_none() {
            return Vec::new();
        }
        self.made_ms = now;
        let Some(view) = view(client).await else { return Vec::new() };
        let mut refused = Vec::new();
        for book in books() {
            let source = quoters.get(&MarketId(book.face.params.price.0));
            let source = source.filter(|quoter| quoter.source_price(now).is_some() && book.face.is_live(now_ns()));
            let own = view.legs.iter().find(|own| own.units.contract == book.id).map(|own| own.leg);
            let lots = own.map_or(0, |leg| if leg.direction == Direction::Long { leg.lots.0 } else { -leg.lots.0 });
            let ladder = source.map(|quoter| self.ladder(&book, quoter, lots)).unwrap_or_default();
            let desk = self.desks.entry(book.id).or_default();
            let due = ladder != desk.ladder || (now - desk.quoted_ms >= REFILL_MS && !ladder.is_empty());
            if !due || now < desk.retry_ms {
                continue;
            }
            // At the new price: what stood in the way of the old one may be too dear by now.
            let sides: Vec<Side> = in_the_way(shared, &book, &desk.ladder).map(|level| level.side).collect();
            let wanted = in_the_way(shared, &book, &ladder).filter(|level| sides.contains(&level.side));
            let takes: Vec<Command> = wanted.map(|level| book.take(&level)).collect();
            (desk.quoted_ms, desk.retry_ms) = (now, 0);
            let reply = client.call(Origin::House, None, book.quote(ladder.clone())).await;
            if let Some(why) = outcome(&reply) {
                // What stands is old; where it cannot be taken away either, that is tried again.
                let is_gone = !ladder.is_empty()
                    && outcome(&client.call(Origin::House, None, book.quote(Vec::new())).await).is_none();
                let stands = if is_gone { Vec::new() } else { std::mem::take(&mut desk.ladder) };
                shared.house.refused(book.id);
                *desk = Desk { ladder: stands, quoted_ms: now, retry_ms: now + RETRY_MS };
                refused.push((book.id, why));
                continue;
            }
            let base = book.face.params.book_units().base(Lots(lots));
            shared.house.quoted(book.id, ladder.len(), base, now);
            desk.ladder = ladder;
            client.tell_all(Origin::House, takes);
        }
        refused
    }

    /// The source's levels, farther away by the margin, leaning against what the house has.
    fn ladder(&self, book: &Book<'_>, source: &Quoter, lots: i64) -> Vec<QuoteLevel> {
        let params = &book.face.params;
        let (long, short) = book.face.tickets;
        // The house is the other side of tickets: what it has in the book makes up for it.
        let target = (long.0 - short.0) / HUNDREDTHS;
        let net = params.book_units().base(Lots(lots - target));
        let used = self.used_ppm(Fraction::value(book.face.index.0, net));
        // Beyond the cap one side is left out; the other does not become dearer for that.
        let lean = i128::from(self.settings.lean_ppm) * used.clamp(-MILLION, MILLION) / MILLION;
        let margin = i128::from(self.settings.margin_ppm);
        let mut ladder = Vec::new();
        if used < MILLION {
            let levels = source.levels(Side::Buy);
            ladder.extend(self.side(book, Side::Buy, levels, MILLION - margin - lean));
        }
        if used > -MILLION {
            let levels = source.levels(Side::Sell);
            ladder.extend(self.side(book, Side::Sell, levels, MILLION + margin - lean));
        }
        ladder
    }

    /// How much of the cap a value is, in parts per million.
    fn used_ppm(&self, value: Fraction) -> i128 {
        value.by(MILLION).over(self.cap.max(Amount(1)).into()).floor()
    }

    fn side(
        &self,
        book: &Book<'_>,
        side: Side,
        source: impl Iterator<Item = Level>,
        factor_ppm: i128,
    ) -> Vec<QuoteLevel> {
        let params = &book.face.params;
        let mut levels: Vec<QuoteLevel> = Vec::new();
        let mut gathered = 0_i128;
        for (price, quantity) in source {
            gathered += quantity.0 * i128::from(self.settings.share_ppm) / MILLION;
            let lots = (gathered / params.lot.0).min(i128::from(book.params.lots.1.0));
            if lots < 1 {
                continue;
            }
            gathered -= lots * params.lot.0;
            let price = price.0 * factor_ppm;
            let tick = params.tick.0 * MILLION;
            let ticks = if side == Side::Buy { price.div_euclid(tick) } else { -(-price).div_euclid(tick) };
            let (Ok(ticks), Ok(lots)) = (i64::try_from(ticks), i64::try_from(lots)) else { break };
            let is_full = levels.len() == self.settings.levels;
            match levels.last_mut().filter(|last| last.ticks.0 == ticks) {
                Some(last) => last.lots = Lots(last.lots.0 + lots).min(book.params.lots.1),
                None if is_full => break,
                None => levels.push(QuoteLevel { side, ticks: Ticks(ticks), lots: Lots(lots) }),
            }
        }
        levels
    }
}

/// Best levels of the standing ladder that somebody's order is in the way of.
fn in_the_way<'a>(
    shared: &Shared,
    book: &Book<'_>,
    ladder: &'a [QuoteLevel],
) -> impl Iterator<Item = QuoteLevel> + use<'a> {
    let best = shared.boards.get(book.id).map(|board| {
        let board = read(&board);
        [Side::Buy, Side::Sell].map(|side| board.best(side).map(|level| level.0))
    });
    let [bid, ask] = best.unwrap_or_default();
    let tick = book.face.params.tick;
    let first = |side: Side| ladder.iter().find(move |level| level.side == side).copied();
    let price = move |level: &QuoteLevel| Amount(i128::from(level.ticks.0) * tick.0);
    let buys = first(Side::Buy).filter(|level| ask.is_some_and(|ask| ask <= price(level)));
    let sells = first(Side::Sell).filter(|level| bid.is_some_and(|bid| bid >= price(level)));
    buys.into_iter().chain(sells)
}

async fn view(client: &Client) -> Option<LegsView> {
    let view = Command::Account(AccountId::HOUSE, AccountCommand::View);
    match client.call(Origin::House, None, view).await {
        Ok(Reply::View(View::Account(view))) => Some(view.legs.map(|legs| *legs).unwrap_or_default()),
        Ok(_) | Err(_) => None,
    }
}
