//! Copy trading as an account sees it: whom it follows, which of its tickets are copies, whether it is a trader.
//!
//! Owns: follows, links, results of copies and what is withheld of them. Never does: keep followers; the trader does
//! (`copy/trader.rs`). Invariants: a trader follows nobody; an account follows so many traders at most; each of the trader's
//! questions ends in a fact, or finds the copy gone; what is withheld is locked. Rules: `docs/rules/copy-trading.md`.
//! Known limits: what became of copies of a trader is kept for good.

use super::locks::{Lock, LockKind};
use super::{Account, OpenTicket};
use crate::codec::{Wire, WordHash, hash_bytes};
use crate::contract::facts::MarginMode;
use crate::contract::ticket_facts::{TicketOpened, TicketTerms, TicketsMoved};
use crate::contract::tickets::{Stops, TicketId};
use crate::copy::facts::{CopyDetached, CopyFact, CopySkipped, ProfitShared, TraderSet, Unfollowed};
use crate::copy::trader::TraderCommand;
use crate::copy::{CopyLink, CopyResults, FollowTerms, MOST_FOLLOWS, SourceIndex, TraderTerms};
use crate::entity::{Applied, Ask, Command, CommandClass, Ctx, Decision, HoldRequest, TimeNs};
use crate::ids::{AccountId, AssetId, EntityId, Wallet};
use crate::money::Amount;
use crate::record::Role;
use crate::region::Products;
use crate::reject::Reject;

/// What an account can be asked about copy trading.
#[derive(Debug, Clone)]
pub enum CopyCommand {
    /// Be a trader with these terms, or none any more (back office only).
    SetTrader(Option<TraderTerms>),
    /// Follow a trader, or choose something else for copies to come.
    Follow {
        /// Whom.
        trader: AccountId,
        /// What is chosen.
        terms: FollowTerms,
    },
    /// Follow a trader no more; copies that are open go on.
    Unfollow {
        /// Whom.
        trader: AccountId,
    },
    /// Make a copy an own ticket.
    Detach(TicketId),
    /// Copy a ticket (the trader asks).
    Open(Box<CopyOpen>),
    /// Close the copy of a ticket (the trader asks).
    Close {
        /// Who asks.
        trader: AccountId,
        /// Whose copy.
        source: TicketId,
        /// The index at which the trader's was closed.
        at: SourceIndex,
    },
    /// It is no trader any more: copies become own tickets (the trader asks).
    Release {
        /// Who asks.
        trader: AccountId,
    },
    /// Settle the trader's share (the trader asks).
    Settle {
        /// Who asks.
        trader: AccountId,
    },
}

/// A ticket to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyOpen {
    /// The trader.
    pub trader: AccountId,
    /// The trader's ticket.
    pub terms: TicketTerms,
    /// The index at which it was opened.
    pub at: SourceIndex,
    /// It is closed already.
    pub is_closed: bool,
}

impl CopyCommand {
    pub(super) fn class(&self) -> CommandClass {
        match self {
            CopyCommand::SetTrader(_) | CopyCommand::Follow { .. } | CopyCommand::Open(_) => CommandClass::Consumes,
            CopyCommand::Unfollow { .. }
            | CopyCommand::Detach(_)
            | CopyCommand::Close { .. }
            | CopyCommand::Release { .. }
            | CopyCommand::Settle { .. } => CommandClass::Releases,
        }
    }
}

crate::wire_struct! {
    /// A trader whom an account follows, or followed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct OwnFollow {
        /// The trader.
        pub trader: AccountId,
        /// Number of the follow; 0 when the account does not follow any more.
        pub follow: u64,
        /// What was chosen.
        pub terms: FollowTerms,
        /// What the trader offered then.
        pub offer: TraderTerms,
        /// Since when; of the last follow.
        pub since: TimeNs,
        /// Results of copies.
        pub results: CopyResults,
    }
}

impl OwnFollow {
    /// Whether copies are made.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.follow != 0
    }
}

crate::wire_struct! {
    /// What an account has of copy trading.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct OwnCopying {
        /// Its terms, while it is a trader.
        pub trader: Option<TraderTerms>,
        /// What copied tickets of it are paid in, once it was a trader: results of followers are in it.
        pub asset: Option<AssetId>,
        /// Traders, by number.
        pub follows: Vec<OwnFollow>,
        /// Its tickets that are copies, by number.
        pub links: Vec<(TicketId, CopyLink)>,
    }
}

impl OwnCopying {
    pub(super) fn hash(&self, h: WordHash) -> WordHash {
        let mut bytes = Vec::with_capacity(128);
        self.put(&mut bytes);
        h.word(hash_bytes(0, &bytes))
    }

    /// What is there of a trader.
    #[must_use]
    pub fn follow(&self, trader: AccountId) -> Option<&OwnFollow> {
        self.follows.iter().find(|own| own.trader == trader)
    }

    /// Of which ticket one is a copy.
    #[must_use]
    pub fn link(&self, ticket: TicketId) -> Option<CopyLink> {
        self.links.iter().find(|(copy, _)| *copy == ticket).map(|(_, link)| *link)
    }

    fn copies_of(&self, trader: AccountId) -> impl Iterator<Item = TicketId> {
        self.links.iter().filter(move |(_, link)| link.trader == trader).map(|(ticket, _)| *ticket)
    }
}

impl Account {
    /// What it has of copy trading, once it followed or was a trader.
    #[must_use]
    pub fn copying(&self) -> Option<&OwnCopying> {
        self.cold().copying.as_deref()
    }

    /// Whether others may follow it.
    pub(super) fn leads(&self) -> bool {
        self.copying().is_some_and(|own| own.trader.is_some())
    }

    /// Of which ticket one of its own is a copy.
    pub(super) fn link(&self, ticket: TicketId) -> Option<CopyLink> {
        self.copying()?.link(ticket)
    }

    pub(super) fn decide_copying(&self, command: &CopyCommand, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        match command {
            CopyCommand::SetTrader(terms) => self.set_trader(*terms),
            CopyCommand::Follow { trader, terms } => self.follow(*trader, *terms),
            CopyCommand::Unfollow { trader } => self.unfollow(*trader),
            CopyCommand::Detach(ticket) => self.detach(*ticket),
            CopyCommand::Open(open) => Ok(self.open_copy(open, ctx)),
            CopyCommand::Close { trader, source, at } => self.close_copy((*trader, *source), *at, ctx),
            CopyCommand::Release { trader } => Ok(self.release_copies(*trader)),
            CopyCommand::Settle { trader } => self.settle_share(*trader),
        }
    }

    fn set_trader(&self, terms: Option<TraderTerms>) -> Result<Decision, Reject> {
        let nothing = OwnCopying::default();
        let own = self.copying().unwrap_or(&nothing);
        if terms == own.trader {
            return Err(Reject::AlreadyExists);
        }
        let bad =
            |terms: TraderTerms| terms.share_ppm > 1_000_000 || own.asset.is_some_and(|asset| asset != terms.asset);
        if self.id.is_system() || terms.is_some_and(bad) {
            return Err(Reject::BadParameters);
        }
        let follows = own.follows.iter().any(OwnFollow::is_active) || !own.links.is_empty() || self.asks_traders() > 0;
        if terms.is_some() && follows {
            return Err(Reject::TraderFollows);
        }
        Ok(Decision::Fact(TraderSet { account: self.id, terms }.into()))
    }

    /// Traders who are being asked.
    fn asks_traders(&self) -> usize {
        self.held_parts().filter(|hold| matches!(hold.decider, EntityId::Trader(_))).count()
    }

    fn follow(&self, trader: AccountId, terms: FollowTerms) -> Result<Decision, Reject> {
        self.may_act()?;
        terms.check()?;
        if self.leads() || self.id == trader {
            return Err(Reject::TraderFollows);
        }
        let own = self.copying();
        let others = own.iter().flat_map(|own| &own.follows).filter(|own| own.is_active() && own.trader != trader);
        if others.count() + self.asks_traders() >= MOST_FOLLOWS {
            return Err(Reject::TooManyFollows);
        }
        let command = Command::Trader(trader, TraderCommand::Follow { account: self.id, terms });
        // Nothing is held but the place among its follows.
        let hold = HoldRequest::of(EntityId::Trader(trader), Wallet::Futures, AssetId(0), Amount::ZERO);
        Ok(Decision::Ask(Box::new(Ask { command, hold: Some(hold) })))
    }

    fn unfollow(&self, trader: AccountId) -> Result<Decision, Reject> {
        let active = self.copying().and_then(|own| own.follow(trader)).is_some_and(OwnFollow::is_active);
        if !active {
            return Err(Reject::NotFollowing);
        }
        Ok(Decision::Fact(Unfollowed { account: self.id, trader, detached: Vec::new() }.into()))
    }

    fn detach(&self, ticket: TicketId) -> Result<Decision, Reject> {
        let CopyLink { trader, source, .. } = self.link(ticket).ok_or(Reject::UnknownTicket)?;
        Ok(Decision::Fact(CopyDetached { account: self.id, trader, source, ticket }.into()))
    }

    /// Opens a copy, or says why not: once. Without a price that may be relied on it is asked again, as long as the trader's record is
    /// young: after a start the first tick is a moment away.
    fn open_copy(&self, open: &CopyOpen, ctx: &Ctx<'_>) -> Decision {
        let (account, trader, source) = (self.id, open.trader, open.terms.ticket);
        match self.copied(open, ctx) {
            Ok(opened) => Decision::Fact(opened.into()),
            Err(Reject::PriceStale) if !open.at.is_old(ctx.now) => Decision::Reject(Reject::PriceStale),
            Err(reason) => Decision::Fact(CopySkipped { account, trader, source, reason }.into()),
        }
    }

    fn copied(&self, open: &CopyOpen, ctx: &Ctx<'_>) -> Result<TicketOpened, Reject> {
        let own = self.copying().and_then(|own| own.follow(open.trader));
        let own = own.filter(|own| own.is_active() && own.since <= open.at.time).ok_or(Reject::NotFollowing)?;
        if open.is_closed {
            return Err(Reject::CopyOutdated);
        }
        if Products::COPIES.meets(self.barred(ctx.board)) {
            return Err(Reject::NotInRegion);
        }
        // The trader asks once; should it ever ask again, no ticket has two copies open here.
        let source = open.terms.ticket;
        if self.copying().is_some_and(|own| own.links.iter().any(|(_, link)| link.source == source)) {
            return Err(Reject::AlreadyExists);
        }
        let TicketTerms { contract, direction, multiple, .. } = open.terms;
        let wanted = OpenTicket {
            contract,
            version: 0,
            direction,
            // So that a copy never takes more than its margin, whatever else the follower has open.
            mode: MarginMode::Isolated,
            lots: own.terms.lots(open.terms.lots),
            multiple,
            target: None,
            stops: Stops::default(),
        };
        let (terms, (index, index_seq)) = self.copy_terms(&wanted, open.at, ctx)?;
        let copy = CopyLink { trader: open.trader, source, follow: own.follow };
        Ok(TicketOpened { account: self.id, terms, index, index_seq, leads: false, copy: Some(copy) })
    }

    fn close_copy(
        &self,
        (trader, source): (AccountId, TicketId),
        at: SourceIndex,
        ctx: &Ctx<'_>,
    ) -> Result<Decision, Reject> {
        let own = self.copying().ok_or(Reject::UnknownTicket)?;
        let is_it = |link: &CopyLink| (link.trader, link.source) == (trader, source);
        let ticket = own.links.iter().find(|(_, link)| is_it(link)).map(|(ticket, _)| *ticket);
        self.close_copy_at(ticket.ok_or(Reject::UnknownTicket)?, at, ctx)
    }

    fn release_copies(&self, trader: AccountId) -> Decision {
        let detached = self.copying().map(|own| own.copies_of(trader).collect()).unwrap_or_default();
        Decision::Fact(Unfollowed { account: self.id, trader, detached }.into())
    }

    fn settle_share(&self, trader: AccountId) -> Result<Decision, Reject> {
        let own = self.copying().and_then(|own| own.follow(trader)).ok_or(Reject::NotFollowing)?;
        let (share, results) = own.results.settled(own.offer.share_ppm);
        let (account, asset, released) = (self.id, own.offer.asset, own.results.withheld - share);
        Ok(Decision::Fact(ProfitShared { account, trader, asset, share, released, results }.into()))
    }

    fn own_copying(&mut self) -> &mut OwnCopying {
        self.cold_mut().copying.get_or_insert_default()
    }

    fn own_follow(&mut self, trader: AccountId) -> &mut OwnFollow {
        let own = self.own_copying().follows.iter_mut().find(|own| own.trader == trader);
        own.expect("copies are of somebody who was followed")
    }

    fn unlink(&mut self, ticket: TicketId) {
        let links = &mut self.own_copying().links;
        let before = links.len();
        links.retain(|(copy, _)| *copy != ticket);
        assert!(links.len() + 1 == before, "{ticket:?} is no copy");
    }

    fn lock_share(&mut self, (trader, asset): (AccountId, AssetId), amount: Amount) {
        let (kind, reference, wallet) = (LockKind::ProfitShare, trader.0, Wallet::Futures);
        self.cold_mut().locks.add(Lock { kind, reference, wallet, asset, amount });
    }

    pub(super) fn apply_copying(&mut self, fact: &CopyFact, applied: Applied<'_>, role: Role) {
        let time = applied.record.time;
        match (fact, role) {
            (CopyFact::TraderSet(f), Role::Decider) => {
                let own = self.own_copying();
                own.trader = f.terms;
                own.asset = own.asset.or(f.terms.map(|terms| terms.asset));
            }
            (CopyFact::Followed(f), Role::Taker) => {
                let follows = &mut self.own_copying().follows;
                match follows.iter_mut().find(|own| own.trader == f.trader) {
                    Some(own) => {
                        let since = if own.follow == f.follow { own.since } else { time };
                        *own = OwnFollow { follow: f.follow, terms: f.terms, offer: f.offer, since, ..*own };
                    }
                    None => {
                        let (trader, follow, terms, offer) = (f.trader, f.follow, f.terms, f.offer);
                        let results = CopyResults::default();
                        follows.push(OwnFollow { trader, follow, terms, offer, since: time, results });
                        follows.sort_unstable_by_key(|own| own.trader);
                    }
                }
            }
            (CopyFact::Unfollowed(f), Role::Decider) => {
                f.detached.iter().for_each(|ticket| self.unlink(*ticket));
                self.own_follow(f.trader).follow = 0;
            }
            (CopyFact::CopyDetached(f), Role::Decider) => self.unlink(f.ticket),
            (CopyFact::ProfitShared(f), Role::Decider) => {
                self.lock_share((f.trader, f.asset), -(f.share + f.released));
                self.own_follow(f.trader).results = f.results;
            }
            (
                CopyFact::TraderSet(_)
                | CopyFact::Followed(_)
                | CopyFact::Unfollowed(_)
                | CopyFact::CopySkipped(_)
                | CopyFact::CopyDetached(_)
                | CopyFact::SharesDue(_)
                | CopyFact::ProfitShared(_),
                _,
            ) => {}
        }
        if matches!(role, Role::Decider | Role::Taker) {
            self.remember(applied);
        }
    }

    /// A ticket that was opened is a copy.
    pub(super) fn link_copy(&mut self, ticket: TicketId, link: CopyLink) {
        self.own_copying().links.push((ticket, link));
    }

    /// Copies among tickets that were closed.
    pub(super) fn unlink_copies(&mut self, f: &TicketsMoved) {
        for (closed, link, withheld) in f.copies() {
            self.unlink(closed.ticket);
            self.lock_share((link.trader, closed.settle), withheld);
            let profit = f
                .nets
                .iter()
                .find(|profit| profit.ticket == closed.ticket)
                .map_or(Amount::ZERO, |profit| profit.profit);
            let own = self.own_follow(link.trader);
            own.results = own.results.with(profit, withheld);
        }
    }
}

/// Whether accounts are named by a fact of copy trading in this role.
pub(super) fn copy_names_accounts_as(fact: &CopyFact, role: Role) -> bool {
    match fact {
        CopyFact::Followed(_) => role == Role::Taker,
        CopyFact::ProfitShared(_) => matches!(role, Role::Decider | Role::Other),
        CopyFact::TraderSet(_) | CopyFact::Unfollowed(_) | CopyFact::CopySkipped(_) | CopyFact::CopyDetached(_) => {
            role == Role::Decider
        }
        CopyFact::SharesDue(_) => false,
    }
}
