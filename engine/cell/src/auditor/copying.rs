//! Copy trading as the auditor sees it: its own lots, results, shares, and who is still to be served.
//!
//! Owns: traders, follows, links, tickets of traders that are not copied by all yet. Never does: use the engine's formulas.
//! Invariants checked: each follower of a trader's ticket gets one copy or one reason, once; a copy has the trader's direction and
//! multiple and the lots that its owner chose, is isolated, and is opened and closed at the index of its moment; it is closed by its
//! trader's close, and by nobody's wish; a share is of what is above the mark, and never of an open pair. Known limits: that nobody
//! is left to be served is true at rest only (`nobody_is_left`).

use super::contracts::{OpenTicket, futures, nearest};
use super::{Auditor, Finding, WalletKey};
use std::collections::{BTreeMap, BTreeSet};
use xng_core::contract::facts::MarginMode;
use xng_core::contract::ticket_facts::{CloseReason, ClosedTicket, TicketOpened, TicketTerms, TicketsMoved};
use xng_core::contract::tickets::TicketId;
use xng_core::copy::facts::{CopyFact, Followed, ProfitShared, TraderSet, Unfollowed};
use xng_core::copy::{CopyLink, FollowKind, FollowTerms, TraderTerms};
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;

const MILLION: i128 = 1_000_000;
const LIVES: TimeNs = 10_000_000_000;
const WEEK: TimeNs = 7 * 86_400_000_000_000;
/// 1970-01-05 was a Monday.
const FIRST_MONDAY: TimeNs = 4 * 86_400_000_000_000;

/// Index, number, time.
type At = (i128, u64, TimeNs);

/// What one account has of one trader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    /// 0 when it does not follow any more.
    pub follow: u64,
    pub terms: FollowTerms,
    pub offer: TraderTerms,
    pub sum: i128,
    pub mark: i128,
    pub withheld: i128,
}

/// A trader's ticket that is not copied by all yet.
#[derive(Debug, Clone)]
struct Led {
    terms: TicketTerms,
    at: At,
    closed: Option<At>,
    left: BTreeSet<AccountId>,
}

/// What the auditor knows of copy trading.
#[derive(Debug, Clone, Default)]
pub(super) struct Copying {
    traders: BTreeMap<AccountId, TraderTerms>,
    /// By account and trader.
    pub pairs: BTreeMap<(AccountId, AccountId), Pair>,
    pub links: BTreeMap<TicketId, CopyLink>,
    led: BTreeMap<TicketId, Led>,
    /// Closed tickets of traders that have copies.
    closed: BTreeMap<TicketId, At>,
    /// Accounts and traders that were traders no more: follows end and copies become own tickets.
    released: BTreeSet<(AccountId, AccountId)>,
}

impl Copying {
    /// Accounts that follow a trader.
    pub(super) fn followers(&self, trader: AccountId) -> BTreeSet<AccountId> {
        let its = self.pairs.iter().filter(|((_, of), pair)| *of == trader && pair.follow != 0);
        its.map(|((account, _), _)| *account).collect()
    }

    fn copies(&self, account: AccountId, trader: AccountId) -> BTreeSet<TicketId> {
        let own = self.links.range(TicketId(account.0 << 24)..TicketId((account.0 + 1) << 24));
        own.filter(|(_, link)| link.trader == trader).map(|(ticket, _)| *ticket).collect()
    }

    fn lead(&mut self, account: AccountId, terms: &TicketTerms, at: At) {
        let left = self.followers(account);
        let copied = self.traders.get(&account).is_some_and(|own| own.asset == terms.settle);
        if copied && !left.is_empty() {
            self.led.insert(terms.ticket, Led { terms: *terms, at, closed: None, left });
        }
    }

    /// One who was still to be served is served.
    fn serve(&mut self, source: TicketId, account: AccountId) -> Option<Led> {
        let led = self.led.get_mut(&source)?;
        if !led.left.remove(&account) {
            return None;
        }
        let served = led.clone();
        if led.left.is_empty() {
            self.led.remove(&source);
        }
        Some(served)
    }

    fn unlink(&mut self, ticket: TicketId) -> Option<CopyLink> {
        let link = self.links.remove(&ticket)?;
        if !self.links.values().any(|other| other.source == link.source) {
            self.closed.remove(&link.source);
        }
        Some(link)
    }
}

fn lots_of(terms: FollowTerms, of: i64) -> i64 {
    let number = i128::from(terms.number);
    let lots = match terms.kind {
        FollowKind::Lots => number * 100,
        FollowKind::Multiple => nearest(i128::from(of) * number, 1_000).max(100),
    };
    i64::try_from(lots).unwrap_or(i64::MAX)
}

fn near(at: At, index: i128, time: TimeNs) -> bool {
    time - at.2 <= LIVES && (index - at.0).abs() * 200 <= at.0
}

impl Auditor {
    pub(super) fn copy_fact(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &CopyFact,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        match fact {
            CopyFact::TraderSet(f) => self.trader_set(lsn, f),
            CopyFact::Followed(f) => self.followed(lsn, f),
            CopyFact::Unfollowed(f) => self.unfollowed(lsn, f),
            CopyFact::CopySkipped(f) => match self.copying.serve(f.source, f.account) {
                Some(led) if led.terms.ticket.0 >> 24 == f.trader.0 => Ok(()),
                _ => Err(format!("record {lsn} skips a copy that was not to be made: {f:?}")),
            },
            CopyFact::CopyDetached(f) => {
                let link = self.copying.unlink(f.ticket);
                let right = link.is_some_and(|link| (link.trader, link.source) == (f.trader, f.source));
                if right && f.ticket.0 >> 24 == f.account.0 {
                    return Ok(());
                }
                Err(format!("record {lsn} makes no copy an own ticket: {f:?}"))
            }
            CopyFact::SharesDue(f) => {
                if (f.week - FIRST_MONDAY).is_multiple_of(WEEK) && f.week <= time {
                    return Ok(());
                }
                Err(format!("record {lsn} ends a week at a wrong time: {f:?}"))
            }
            CopyFact::ProfitShared(f) => self.profit_shared(lsn, f, moved),
        }
    }

    fn trader_set(&mut self, lsn: Lsn, f: &TraderSet) -> Result<(), Finding> {
        let follows = self.copying.pairs.iter().any(|((account, trader), pair)| {
            *account == f.account && (pair.follow != 0 || !self.copying.copies(f.account, *trader).is_empty())
        });
        match f.terms {
            Some(terms) if !follows => self.copying.traders.insert(f.account, terms),
            None => {
                let own = |led: &&mut Led| led.terms.ticket.0 >> 24 == f.account.0;
                let copying = &self.copying;
                let ends = copying.pairs.iter().filter(|((account, trader), pair)| {
                    *trader == f.account && (pair.follow != 0 || !copying.copies(*account, *trader).is_empty())
                });
                let ends: Vec<_> = ends.map(|(key, _)| *key).collect();
                self.copying.released.extend(ends);
                self.copying.led.values_mut().filter(own).for_each(|led| led.closed = led.closed.or(Some(led.at)));
                self.copying.traders.remove(&f.account)
            }
            Some(_) => return Err(format!("record {lsn} makes a trader of account {}, who follows", f.account)),
        };
        Ok(())
    }

    fn followed(&mut self, lsn: Lsn, f: &Followed) -> Result<(), Finding> {
        let known = &self.copying;
        let others = known.pairs.iter().filter(|((account, trader), pair)| {
            (*account, pair.follow != 0) == (f.account, true) && *trader != f.trader
        });
        let most = match f.terms.kind {
            FollowKind::Multiple => 5_000,
            FollowKind::Lots => 5,
        };
        let right = known.traders.get(&f.trader) == Some(&f.offer)
            && !known.traders.contains_key(&f.account)
            && others.count() < 2
            && (1..=most).contains(&f.terms.number);
        let old = known.pairs.get(&(f.account, f.trader)).copied();
        let again = old.is_some_and(|old| old.follow != 0 && old.follow != f.follow);
        let taken = known
            .pairs
            .iter()
            .any(|((account, trader), pair)| (*trader, pair.follow) == (f.trader, f.follow) && *account != f.account);
        if !right || again || taken {
            return Err(format!("record {lsn} lets an account follow that may not: {f:?}"));
        }
        let (sum, mark, withheld) = old.map_or((0, 0, 0), |old| (old.sum, old.mark, old.withheld));
        let pair = Pair { follow: f.follow, terms: f.terms, offer: f.offer, sum, mark, withheld };
        self.copying.pairs.insert((f.account, f.trader), pair);
        Ok(())
    }

    fn unfollowed(&mut self, lsn: Lsn, f: &Unfollowed) -> Result<(), Finding> {
        let copies = self.copying.copies(f.account, f.trader);
        let named: BTreeSet<TicketId> = f.detached.iter().copied().collect();
        let key = (f.account, f.trader);
        // By its own wish none, otherwise all.
        let right = named.is_empty() || (named == copies && self.copying.released.contains(&key));
        if named == copies {
            self.copying.released.remove(&key);
        }
        let (Some(pair), true) = (self.copying.pairs.get_mut(&key), right) else {
            return Err(format!("record {lsn} ends a follow wrongly: {f:?}"));
        };
        pair.follow = 0;
        for ticket in &f.detached {
            self.copying.unlink(*ticket);
        }
        Ok(())
    }

    fn profit_shared(&mut self, lsn: Lsn, f: &ProfitShared, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        let open = self.copying.copies(f.account, f.trader);
        let Some(pair) = self.copying.pairs.get_mut(&(f.account, f.trader)) else {
            return Err(format!("record {lsn} shares a profit with a stranger: {f:?}"));
        };
        let above = (pair.sum - pair.mark).max(0);
        let share = nearest(above * i128::from(pair.offer.share_ppm), MILLION).min(pair.withheld);
        let released = pair.withheld - share;
        (pair.mark, pair.withheld) = (pair.mark.max(pair.sum), 0);
        let results = (f.results.sum.0, f.results.mark.0, f.results.withheld.0);
        let right = (f.share.0, f.released.0, f.asset, results)
            == (share, released, pair.offer.asset, (pair.sum, pair.mark, 0));
        if !right || !open.is_empty() {
            return Err(format!("record {lsn} shares {f:?}; {share} and {released} are right, {open:?} are open"));
        }
        let wallet = futures(f.account, f.asset);
        self.add(wallet, released, -share - released, moved);
        *self.explained.entry(wallet).or_default() -= share + released;
        if share > 0 {
            self.add(futures(f.trader, f.asset), share, 0, moved);
        }
        Ok(())
    }

    /// Whether a ticket that was opened is what it says of copying.
    pub(super) fn copy_opened(&mut self, (lsn, time): (Lsn, TimeNs), f: &TicketOpened) -> Result<(), Finding> {
        if f.leads != self.copying.traders.contains_key(&f.account) || (f.leads && f.copy.is_some()) {
            return Err(format!("record {lsn} is mistaken about who leads: {f:?}"));
        }
        if f.leads {
            self.copying.lead(f.account, &f.terms, (f.index.0, f.index_seq, time));
        }
        let Some(link) = f.copy else { return Ok(()) };
        let now = self.listed(lsn, f.terms.contract)?.index;
        let Some(led) = self.copying.serve(link.source, f.account) else {
            return Err(format!("record {lsn} copies what was not to be copied: {f:?}"));
        };
        let pair = self.copying.pairs.get(&(f.account, link.trader)).filter(|pair| pair.follow == link.follow);
        let Some(pair) = pair.filter(|pair| pair.follow != 0) else {
            return Err(format!("record {lsn} copies for who does not follow: {f:?}"));
        };
        let (t, of) = (&f.terms, &led.terms);
        let same = (t.contract, t.direction, t.multiple, t.lots.0, t.settle)
            == (of.contract, of.direction, of.multiple, lots_of(pair.terms, of.lots.0), pair.offer.asset);
        let isolated = t.mode == MarginMode::Isolated;
        if !same || !isolated || !near(led.at, now.0, time) || of.ticket.0 >> 24 != link.trader.0 {
            return Err(format!("record {lsn} copies {led:?} as {f:?}"));
        }
        self.copying.links.insert(t.ticket, link);
        // The question was on its way when the ticket was closed: this copy is closed next.
        if let (Some(at), true) = (led.closed, self.copying.traders.contains_key(&link.trader)) {
            self.copying.closed.insert(link.source, at);
        }
        Ok(())
    }

    /// The index that a copy of a closed ticket is closed at.
    pub(super) fn copy_closes_at(&self, (lsn, time): (Lsn, TimeNs), closed: &ClosedTicket) -> Result<(), Finding> {
        let at = self.copying.links.get(&closed.ticket).and_then(|link| self.copying.closed.get(&link.source));
        let listed = self.contracts.listed.get(&closed.contract);
        let (Some(at), Some(listed)) = (at, listed) else {
            return Err(format!("record {lsn} closes a copy whose ticket is open: {closed:?}"));
        };
        let certain = self.is_fresh(closed.contract, time) && !listed.jumps;
        let right = if certain || time - at.2 > LIVES { listed.index } else { (at.0, at.1) };
        if (closed.index.0, closed.index_seq) == right {
            return Ok(());
        }
        Err(format!("record {lsn} closes a copy at {closed:?}; {right:?} is right"))
    }

    /// Tickets of a trader that are open now, and which closed ones say what they brought.
    pub(super) fn copies_led(&mut self, (lsn, time): (Lsn, TimeNs), f: &TicketsMoved) -> Result<(), Finding> {
        let leads = self.copying.traders.contains_key(&f.account);
        let wrong = |what: &str| Err(format!("record {lsn} {what}: {f:?}"));
        let led: Vec<TicketId> = f.led.iter().map(|terms| terms.ticket).collect();
        let activated: Vec<TicketId> = f.activated.iter().map(|a| a.ticket).filter(|_| leads).collect();
        if f.leads != leads || led != activated {
            return wrong("is mistaken about who leads");
        }
        for (terms, at) in f.led.iter().zip(&f.activated) {
            self.copying.lead(f.account, terms, (at.index.0, at.index_seq, time));
        }
        let counted = |ticket: TicketId| leads || self.copying.links.contains_key(&ticket);
        let nets: Vec<TicketId> = f.nets.iter().map(|profit| profit.ticket).collect();
        let expected: Vec<TicketId> = f.closed.iter().map(|c| c.ticket).filter(|ticket| counted(*ticket)).collect();
        if nets != expected {
            return wrong("does not say what each ticket brought");
        }
        Ok(())
    }

    /// What a closed ticket of a trader brought, and what is withheld of a copy.
    pub(super) fn copy_moved(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &TicketsMoved,
        (closed, ticket): (&ClosedTicket, &OpenTicket),
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let Some(profit) = f.nets.iter().find(|profit| profit.ticket == closed.ticket) else { return Ok(()) };
        let wrong = |what: &str| Err(format!("record {lsn} {what}: {f:?}"));
        let brought = closed.result.0 + closed.deficit.0 - ticket.fee - ticket.nights;
        let link = self.copying.unlink(closed.ticket);
        if profit.profit.0 != brought || profit.copy.map(|(link, _)| link) != link {
            return wrong("is mistaken about what a ticket brought");
        }
        if f.leads {
            let at = (closed.index.0, closed.index_seq, time);
            self.copying.led.entry(closed.ticket).and_modify(|led| led.closed = Some(at));
            if self.copying.links.values().any(|link| link.source == closed.ticket) {
                self.copying.closed.insert(closed.ticket, at);
            }
        }
        let Some((link, withheld)) = profit.copy else { return Ok(()) };
        if matches!(closed.reason, CloseReason::User | CloseReason::Batch) {
            return wrong("closes a copy as its owner wanted");
        }
        let Some(pair) = self.copying.pairs.get_mut(&(f.account, link.trader)) else {
            return wrong("closes a copy of a stranger");
        };
        let right = nearest(brought.max(0) * i128::from(pair.offer.share_ppm), MILLION);
        pair.sum += brought;
        pair.withheld += right;
        if withheld.0 != right {
            return wrong("withholds another part");
        }
        let wallet = futures(f.account, closed.settle);
        self.add(wallet, -right, right, moved);
        *self.explained.entry(wallet).or_default() += right;
        Ok(())
    }

    /// Whether nobody is left who should have a copy, or whose copy should be closed, where everything due was done.
    ///
    /// # Errors
    /// Who is left.
    pub fn nobody_is_left(&self) -> Result<(), Finding> {
        if let Some(led) = self.copying.led.values().next() {
            return Err(format!("copies are still to be made: {led:?}"));
        }
        match self.copying.links.values().find(|link| self.copying.closed.contains_key(&link.source)) {
            Some(link) => Err(format!("a copy is open whose ticket was closed: {link:?}")),
            None => Ok(()),
        }
    }

    /// What is withheld of copies' profits.
    pub(super) fn withheld_locks(&self) -> impl Iterator<Item = (WalletKey, i128)> + '_ {
        self.copying.pairs.iter().map(|((account, _), pair)| (futures(*account, pair.offer.asset), pair.withheld))
    }
}
