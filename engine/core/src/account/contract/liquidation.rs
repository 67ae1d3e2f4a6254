//! The liquidation of an account's legs, and of the pool that they are in: step by step, each step one decision.
//!
//! Owns: whether a scope is at its end, which cases are open, what is done next about them; the quotas of the insurance. Never
//! does: match; close anything at a price that is not fresh or in doubt. Invariants: one case a scope; one step under way at a time;
//! all progress is state, so that a crash goes on where it was; while a scope is open it takes nothing new.
//! Rules: `docs/rules/contracts.md "Liquidation of legs"`. Known limits: an account whose order is on its way to a book is
//! looked at when the book has decided; one that funding brought to its end, at the next price.

use super::conditionals::OwnConditional;
use super::cross::known;
use super::legs::{OwnLeg, OwnOrder};
use super::{Account, live};
use crate::account::locks::{Lock, LockKind};
use crate::board::Board;
use crate::codec::Wire;
use crate::codec::{WordHash, hash_bytes};
use crate::contract::book::BookCommand;
use crate::contract::book::liquidate::Liquidate;
use crate::contract::book::liquidation_facts::{
    LegLiquidated, LiquidationEnded, LiquidationStarted, QuotaSet, Scope, ScopeWorth, SeenPrice,
};
use crate::contract::book::order::LegSide;
use crate::contract::book::waiting::WaitingCommand;
use crate::contract::facts::MarginMode;
use crate::contract::liquidation::step_lots;
use crate::contract::pool::Pool;
use crate::entity::{Ctx, Decision, HoldRequest, TimeNs};
use crate::fraction::Fraction;
use crate::ids::{AccountId, AssetId, EntityId, MarketId, OrderId, Wallet};
use crate::money::{Amount, Lots};
use crate::reject::Reject;
use std::collections::BTreeSet;

/// So long a case whose step nobody takes is the first one.
const LOOK_AGAIN_NS: TimeNs = 1_000_000_000;

crate::wire_struct! {
    /// A liquidation that goes on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct OpenCase {
        /// Its number.
        pub case: u32,
        /// What is liquidated.
        pub scope: Scope,
        /// Steps that were taken in books.
        pub steps: u32,
    }
}

crate::wire_struct! {
    /// Liquidations of an account.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct Cases {
        /// How many there were.
        pub count: u32,
        /// Those that go on, oldest first, one a scope. A state that had one at most is written alike.
        pub open: Vec<OpenCase>,
    }
}

impl Cases {
    pub(in crate::account) fn hash(&self, h: WordHash) -> WordHash {
        let mut bytes = Vec::with_capacity(32);
        self.put(&mut bytes);
        h.word(hash_bytes(2, &bytes))
    }
}

impl Scope {
    /// The pool of an asset.
    fn pool(settle: AssetId) -> Scope {
        Scope { settle, leg: None }
    }

    /// Whether a position with this mode belongs to it.
    fn takes(&self, settle: AssetId, leg: (MarketId, LegSide), mode: MarginMode) -> bool {
        match self.leg {
            Some(own) => own == leg && mode == MarginMode::Isolated,
            None => self.settle == settle && mode == MarginMode::Cross,
        }
    }

    fn has_order(&self, o: &OwnOrder) -> bool {
        self.takes(o.units.settle, (o.units.contract, o.rests.leg), o.rests.mode)
    }

    fn has_leg(&self, own: &OwnLeg) -> bool {
        self.takes(own.units.settle, (own.units.contract, own.side), own.leg.mode)
    }
}

impl Account {
    /// The liquidations that go on, oldest first.
    #[must_use]
    #[inline]
    pub fn open_cases(&self) -> &[OpenCase] {
        self.cold().cases.as_deref().map_or(&[], |cases| &cases.open)
    }

    fn is_liquidated(&self, scope: Scope) -> bool {
        self.open_cases().iter().any(|open| open.scope == scope)
    }

    /// Whether the pool of an asset is liquidated.
    pub(super) fn is_pool_liquidated(&self, settle: AssetId) -> bool {
        self.is_liquidated(Scope::pool(settle))
    }

    /// Nothing new is taken into what is liquidated.
    pub(super) fn may_add(&self, settle: AssetId, leg: (MarketId, LegSide), mode: MarginMode) -> Result<(), Reject> {
        let taken = self.open_cases().iter().any(|open| open.scope.takes(settle, leg, mode));
        if taken { Err(Reject::Liquidating) } else { Ok(()) }
    }

    /// Whether a pool has something in books: it is liquidated step by step then.
    pub(super) fn is_in_steps(&self, settle: AssetId) -> bool {
        self.has_cross_legs(settle) || self.has_cross_orders(settle) || self.is_pool_liquidated(settle)
    }

    fn scope_legs(&self, scope: Scope) -> impl Iterator<Item = &OwnLeg> {
        self.legs().iter().filter(move |own| scope.has_leg(own))
    }

    /// What a scope is worth by the last prices; none when one is not known.
    fn worth(&self, scope: Scope, board: &Board) -> Option<Pool> {
        if scope.leg.is_none() {
            return self.last_pool(scope.settle, board);
        }
        let mut pool = Pool::of(Amount::ZERO);
        for own in self.scope_legs(scope) {
            let face = known(board, own.units.contract)?;
            let holding = own.holding(face);
            let value = Fraction::value(face.mark, holding.base);
            let gain = own.leg.unrealised(face.mark, &own.units).plus(holding.margin.into());
            pool = pool.and_leg(gain, face.params.brackets.maintenance(value));
        }
        Some(pool)
    }

    /// Contracts with a position of a scope.
    fn scope_contracts(&self, scope: Scope) -> BTreeSet<MarketId> {
        let tickets = self.cross_tickets(scope.settle).filter(|_| scope.leg.is_none()).map(|t| t.terms.contract);
        tickets.chain(self.scope_legs(scope).map(|own| own.units.contract)).collect()
    }

    fn seen(&self, scope: Scope, pool: &Pool, ctx: &Ctx<'_>) -> ScopeWorth {
        let seen = |contract: MarketId| {
            let face = known(ctx.board, contract)?;
            let fresh = face.is_live(ctx.now);
            Some(SeenPrice { contract, mark: face.mark, index: face.index.0, fresh })
        };
        let prices = self.scope_contracts(scope).into_iter().filter_map(seen).collect();
        ScopeWorth { prices, equity: pool.equity.round8(), maintenance: pool.maintenance.round8() }
    }

    /// Whether a jump of an index that a scope depends on waits: what it is worth is not known then. The next price of that
    /// contract, which confirms the jump or drops it, reaches the alarms of whoever is at the end. An index that is not fresh
    /// by then counts at its last price.
    fn is_in_doubt(&self, scope: Scope, ctx: &Ctx<'_>) -> bool {
        // Of a contract that an operator closed, too: it counts at its last price.
        let jumps = |contract: &MarketId| {
            ctx.board.contract(*contract).is_some_and(|face| face.jumps && face.is_fresh(ctx.now))
        };
        self.scope_contracts(scope).iter().any(jumps)
    }

    /// Whether that of a pool does.
    pub(super) fn is_pool_in_doubt(&self, settle: AssetId, ctx: &Ctx<'_>) -> bool {
        self.is_in_doubt(Scope::pool(settle), ctx)
    }

    /// Begins with the first scope that is at its end, is not liquidated yet, and of which something can be closed.
    pub(super) fn start_liquidation(&self, ctx: &Ctx<'_>) -> Option<Decision> {
        let isolated = self.legs().iter().filter(|own| own.leg.mode == MarginMode::Isolated);
        let isolated =
            isolated.map(|own| Scope { settle: own.units.settle, leg: Some((own.units.contract, own.side)) });
        let pools = self.pools().into_iter().filter(|settle| self.is_in_steps(*settle)).map(Scope::pool);
        let mut scopes = isolated.chain(pools).filter(|scope| !self.is_liquidated(*scope));
        scopes.find_map(|scope| {
            let fresh = |contract: &MarketId| live(ctx.board, *contract, ctx.now).is_some();
            let pool = self.worth(scope, ctx.board).filter(|pool| pool.is_due() && !self.is_in_doubt(scope, ctx))?;
            self.scope_contracts(scope).iter().find(|contract| fresh(contract))?;
            let case = self.cold().cases.as_ref().map_or(0, |cases| cases.count) + 1;
            let worth = self.seen(scope, &pool, ctx);
            Some(Decision::Fact(LiquidationStarted { account: self.id, case, scope, worth }.into()))
        })
    }

    /// The next step of a liquidation that goes on, or the beginning of another one; none while nothing can be done.
    pub(in crate::account) fn liquidate(&self, ctx: &Ctx<'_>) -> Option<Decision> {
        let cases = self.open_cases();
        if cases.is_empty() || self.held_parts().any(|hold| matches!(hold.decider, EntityId::Contract(_))) {
            return None;
        }
        // Each second another one comes first: a case whose step nobody takes keeps no other one waiting.
        let turn = usize::try_from(ctx.now / LOOK_AGAIN_NS).unwrap_or(0) % cases.len();
        let mut in_turn = cases[turn..].iter().chain(&cases[..turn]);
        in_turn.find_map(|open| self.go_on(open, ctx)).or_else(|| self.start_liquidation(ctx))
    }

    fn go_on(&self, open: &OpenCase, ctx: &Ctx<'_>) -> Option<Decision> {
        if let Some(cancel) = self.cancel_scope(open.scope) {
            return Some(cancel);
        }
        if self.is_in_doubt(open.scope, ctx) {
            return None;
        }
        let pool = self.worth(open.scope, ctx.board)?;
        if !pool.is_due() {
            let (case, scope, steps) = (open.case, open.scope, open.steps);
            let worth = self.seen(scope, &pool, ctx);
            return Some(Decision::Fact(LiquidationEnded { account: self.id, case, scope, steps, worth }.into()));
        }
        let tickets = open.scope.leg.is_none().then(|| self.liquidate_tickets(open.scope.settle, ctx)).flatten();
        tickets.or_else(|| self.liquidate_leg(open, &pool, ctx))
    }

    /// The orders of a scope leave their books, one contract after the other.
    fn cancel_scope(&self, scope: Scope) -> Option<Decision> {
        let Some(first) = self.book_orders().iter().find(|o| scope.has_order(o)) else {
            return self.cancel_waiting_of(scope);
        };
        let contract = first.units.contract;
        let own = self.book_orders().iter().filter(|o| scope.has_order(o) && o.units.contract == contract);
        let orders: Vec<OrderId> = own.map(|o| o.rests.order).collect();
        Some(self.ask_book(contract, BookCommand::Cancel { account: self.id, orders }, None))
    }

    /// Then those that wait for a price.
    fn cancel_waiting_of(&self, scope: Scope) -> Option<Decision> {
        let is_in = |own: &&OwnConditional| {
            let contract = own.units.contract;
            scope.takes(own.units.settle, (contract, own.waits.leg), self.mode_of(contract))
        };
        let contract = self.conditionals().iter().find(is_in)?.units.contract;
        let own = self.conditionals().iter().filter(|own| own.units.contract == contract && is_in(own));
        let orders: Vec<OrderId> = own.map(|own| own.waits.order).collect();
        Some(self.ask_book(contract, WaitingCommand::Cancel(self.id, orders).into(), None))
    }

    /// A step of the leg with the largest maintenance among those whose mark is fresh.
    fn liquidate_leg(&self, open: &OpenCase, pool: &Pool, ctx: &Ctx<'_>) -> Option<Decision> {
        let mut most: Option<(Fraction, &OwnLeg, Lots)> = None;
        for own in self.scope_legs(open.scope) {
            let Some(face) = live(ctx.board, own.units.contract, ctx.now) else { continue };
            let brackets = &face.params.brackets;
            let kept = brackets.maintenance(Fraction::value(face.mark, own.units.base(own.leg.lots)));
            if most.as_ref().is_none_or(|(before, ..)| kept > *before) {
                let lots = step_lots(own.leg.lots.0, own.units.lot, face.mark, brackets);
                most = Some((kept, own, Lots(lots)));
            }
        }
        let (kept, own, lots) = most?;
        // Each leg bears its share of what the pool is worth.
        let share = match own.leg.mode {
            MarginMode::Cross => pool.equity.times(kept).over(pool.maintenance).floor8(),
            MarginMode::Isolated => Amount::ZERO,
        };
        let (contract, settle) = (own.units.contract, own.units.settle);
        let (account, leg, case, step) = (self.id, own.side, open.case, open.steps + 1);
        let command = BookCommand::Liquidate(Box::new(Liquidate { account, leg, case, step, lots, share }));
        let hold = HoldRequest::of(EntityId::Contract(contract), Wallet::Futures, settle, Amount::ZERO);
        Some(self.ask_book(contract, command, Some(hold)))
    }

    /// The insurance sets a part of what it has apart for a contract's liquidations.
    pub(in crate::account) fn set_quota(&self, contract: MarketId, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        let face =
            ctx.board.contract(contract).filter(|_| self.id == AccountId::INSURANCE).ok_or(Reject::NotAllowed)?;
        let (book, _) = face.book.as_ref().ok_or(Reject::NotAllowed)?;
        let settle = face.params.settle;
        let is_it =
            |lock: &&Lock| (lock.kind, lock.reference, lock.asset) == (LockKind::Quota, contract.0.into(), settle);
        let before = self.locks().iter().find(is_it).map_or(Amount::ZERO, |lock| lock.amount);
        let has = self.balance(Wallet::Futures, settle);
        let part = Fraction::from(has.available + has.locked).ppm(book.quota_ppm).floor8();
        let quota = part.min(has.available + before);
        Ok(Decision::Fact(QuotaSet { contract, settle, before, quota }.into()))
    }

    fn lock_quota(&mut self, contract: MarketId, asset: AssetId, amount: Amount) {
        let (kind, reference, wallet) = (LockKind::Quota, u64::from(contract.0), Wallet::Futures);
        self.cold_mut().locks.add(Lock { kind, reference, wallet, asset, amount });
    }

    pub(super) fn apply_quota(&mut self, f: &QuotaSet) {
        self.lock_quota(f.contract, f.settle, f.quota - f.before);
    }

    pub(super) fn apply_insured(&mut self, f: &LegLiquidated) {
        self.lock_quota(f.units.contract, f.units.settle, -f.insured);
    }

    pub(super) fn begin_case(&mut self, f: &LiquidationStarted) {
        assert!(!self.is_liquidated(f.scope), "{f:?} begins twice");
        let cases = self.cold_mut().cases.get_or_insert_default();
        cases.count = f.case;
        cases.open.push(OpenCase { case: f.case, scope: f.scope, steps: 0 });
    }

    pub(super) fn end_case(&mut self, f: &LiquidationEnded) {
        self.cold_mut().cases.get_or_insert_default().open.retain(|open| open.case != f.case);
    }

    pub(super) fn count_step(&mut self, f: &LegLiquidated) {
        let cases = self.cold_mut().cases.get_or_insert_default();
        let open = cases.open.iter_mut().find(|open| open.case == f.case);
        open.expect("a step belongs to an open case").steps = f.step;
    }
}
