//! Orders that would still open what is no longer offered where their owner lives: they are cancelled.
//!
//! Owns: looking for them after each new rule, after a start, and when somebody's country becomes known. Never does: rule; close what is
//! open. Invariants: buys of spot and stocks, tickets and orders of contracts that open, and nothing else. Known limits: all users are
//! looked at, one after the other, from a rule on; what rests may be filled before; whose country becomes known is looked at once; of an
//! order of a contract that closes and opens, all goes. Rules: `docs/rules/regions.md`.

use crate::app::Shared;
use std::sync::Arc;
use std::time::Duration;
use xng_core::account::{AccountCommand, AccountView, LegCommand, Order, OrderName, SpotCommand, TicketCommand};
use xng_core::entity::{Command, Reply, View};
use xng_core::ids::AccountId;
use xng_core::market::Side;
use xng_core::region::{Product, Products};
use xng_core::reject::Reject;

/// Users that are read at once.
const PAGE: u32 = 500;
/// Between two walks, so that the second one sees what the first could not.
const BETWEEN: Duration = Duration::from_secs(60);
/// Between two looks at whether there is a rule.
const PAUSE: Duration = Duration::from_secs(5);
/// A question that was on its way when a rule came is not seen by the first walk.
const WALKS: u8 = 2;

/// What was looked for so far.
#[derive(Debug, Default)]
struct Walks {
    /// How many rules had barred something when it last began anew.
    bars: u64,
    left: u8,
    /// The last user of the present one that was looked at.
    last: AccountId,
}

impl Walks {
    /// Whether there is something to do; a new rule begins anew.
    fn are_due(&mut self, bars: u64) -> bool {
        if bars != self.bars {
            *self = Walks { bars, left: WALKS, last: AccountId(0) };
        }
        self.left > 0
    }

    fn next(&mut self) {
        (self.left, self.last) = (self.left - 1, AccountId(0));
    }
}

/// Looks at all users after each rule that bars more, for as long as the process lives. What was not answered is asked again.
pub async fn watch(shared: Arc<Shared>) {
    let mut walks = Walks::default();
    loop {
        if walks.are_due(shared.listed().times_barred) {
            match look(&shared, &mut walks).await {
                Ok(true) => {
                    walks.next();
                    actix_web::rt::time::sleep(BETWEEN).await;
                    continue;
                }
                Ok(false) => continue,
                Err(why) => tracing::warn!(why, "orders that are barred are looked for in a moment"),
            }
        }
        actix_web::rt::time::sleep(PAUSE).await;
    }
}

/// Looks at some users; whether there were none left.
async fn look(shared: &Shared, walks: &mut Walks) -> Result<bool, String> {
    let page = shared.auth.office().users_after(walks.last, PAGE).await.map_err(|error| error.to_string())?;
    for account in &page {
        cancel_of(shared, *account).await.ok_or("the exchange did not answer")?;
        walks.last = *account;
    }
    Ok(page.is_empty())
}

/// What cancels an account's orders that would open some products. Orders of contracts that wait for a price are judged when it comes.
fn cancels(view: &AccountView, barred: Products) -> Vec<AccountCommand> {
    let buys = |order: &&Order| order.side == Side::Buy && barred.has(Product::of_market(order.units.market));
    let spot = view.open.iter().filter(buys);
    let spot = spot.map(|order| AccountCommand::Spot(SpotCommand::Cancel(OrderName::Id(order.order))));
    let of_contracts = barred.has(Product::Contracts);
    let tickets = view.tickets.iter().filter(|ticket| of_contracts && !ticket.is_open());
    let tickets = tickets.map(|ticket| AccountCommand::Tickets(TicketCommand::Cancel(ticket.id())));
    let legs = view.legs.iter().filter(|_| of_contracts);
    let in_books = legs.flat_map(|legs| legs.orders.iter().filter(|own| !own.rests.opens.is_zero()));
    let in_books = in_books.map(|own| AccountCommand::Legs(LegCommand::Cancel(OrderName::Id(own.rests.order))));
    spot.chain(tickets).chain(in_books).collect()
}

/// Cancels what an account has in orders that would open what is barred for it; none when the exchange did not answer.
pub(crate) async fn cancel_of(shared: &Shared, account: AccountId) -> Option<()> {
    let view = Command::Account(account, AccountCommand::View);
    let reply = shared.operators.ask(view).await.filter(|reply| !matches!(reply, Reply::Busy))?;
    // Who has never had anything is nobody to the engine.
    let Reply::View(View::Account(view)) = reply else { return Some(()) };
    let barred = shared.listed().barred(view.country);
    for command in cancels(&view, barred) {
        let reply = shared.operators.ask(Command::Account(account, command)).await;
        let reply = reply.filter(|reply| !matches!(reply, Reply::Busy))?;
        let gone = [Reject::OrderDone, Reject::UnknownOrder, Reject::UnknownTicket];
        let is_done = match &reply {
            Reply::Accepted(_) => true,
            Reply::Rejected(reject) => gone.contains(reject),
            Reply::Known(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy => false,
        };
        if !is_done {
            tracing::error!(account = account.0, ?reply, "an order that is barred stays");
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_that_bars_more_begins_two_walks() {
        let mut walks = Walks::default();
        assert!(!walks.are_due(0));
        assert!(walks.are_due(1));
        walks.next();
        walks.last = AccountId(7);
        assert!(walks.are_due(1));
        assert_eq!(walks.last, AccountId(7), "it goes on where it was");
        assert!(walks.are_due(2));
        assert_eq!((walks.last, walks.left), (AccountId(0), WALKS));
        walks.next();
        walks.next();
        assert!(!walks.are_due(2));
    }
}
