//! The paths of a run that are worth reaching, and those that a record reaches.
//!
//! Owns: their names. Never does: judge a record. Invariants: a name is counted only if it is in the list.
//! Known limits: what no record shows is counted where it happens.

use crate::auditor::Auditor;
use crate::traffic::HOUSE;
use xng_core::account::facts::AccountFact;
use xng_core::chain::MOST_OWN;
use xng_core::chain::facts::{ChainFact, CreditKind, HaltReason};
use xng_core::chain::withdrawal_facts::EndOfWithdrawal;
use xng_core::contract::book::effect::Effect;
use xng_core::contract::book::facts::{BookFact, CutReason};
use xng_core::contract::book::order::LegSide;
use xng_core::contract::facts::{ContractFact, MarginMode};
use xng_core::contract::ticket_facts::{CloseReason, TicketsMoved};
use xng_core::convert::facts::ConvertFact;
use xng_core::copy::facts::CopyFact;
use xng_core::coupon::facts::CouponFact;
use xng_core::record::{Cause, CellFact, Fact, Record};
use xng_core::registry::RegistryFact;
use xng_core::reject::Reject;
use xng_core::seconds::facts::SecondsFact;
use xng_core::seconds::rules::OptionResult;
use xng_core::spot::facts::SpotFact;
use xng_core::spot::{EndReason, Side, StateReason, TriggerKind};
use xng_core::stock::SessionPhase;
use xng_core::stock::facts::StockFact;

/// The paths that are worth reaching.
pub const PATHS: &[&str] = &[
    "answered",
    "refused",
    "in flight twice",
    "repeated and known",
    "lost and asked again",
    "traded",
    "self-trade prevented",
    "ended by its owner's own order",
    "an iceberg shows its next slice",
    "an order waits",
    "triggered and filled",
    "a triggered order ends its list",
    "a filled order ends its list",
    "replaced",
    "left, and its successor refused",
    "an order brings others",
    "what an order brings is placed",
    "what an order brings is refused",
    "made smaller",
    "a ticket is opened",
    "a limit ticket waits",
    "a limit ticket is opened",
    "a limit ticket is cancelled",
    "tickets are closed by their owner",
    "a ticket is closed by its stop",
    "an isolated ticket is liquidated",
    "a pool is liquidated",
    "a deficit is left",
    "a deficit is covered",
    "a pool is near its end",
    "results are unsettled",
    "a night is charged",
    "an order of a contract's book waits",
    "an order of a contract's book is triggered",
    "a triggered order of a contract's book is refused",
    "an order of a contract's book is filled",
    "orders of a contract's book are cut",
    "an order of a contract's book leaves for want of money",
    "a leg is turned round",
    "a leg is isolated",
    "a leg of hedge mode",
    "margin of a leg is moved",
    "a premium is sampled",
    "funding is paid",
    "results are settled",
    "an owner of legs cannot pay",
    "an isolated leg is at its end",
    "a pool with legs is at its end",
    "a pool is at its end beside a stale price",
    "a leg is liquidated in its book",
    "the insurance pays for a liquidation",
    "legs are deleveraged",
    "a liquidation takes more than a step",
    "a liquidation ends",
    "a quota is set apart",
    "prices walk",
    "quotes set",
    "quotes of a contract's book are set",
    "quotes of a contract's book are taken",
    "market closed by its timer",
    "digest",
    "snapshot",
    "segment recycled",
    "crash between hold and decision",
    "crash with decisions that are not durable",
    "crash with answers at the gate",
    "crash while a group is written",
    "crash while a segment is archived or recycled",
    "crash while a snapshot is written",
    "crash while recovering",
    "failed sync",
    "kill",
    "power loss",
    "acknowledgement looked up after a kill",
    "acknowledgement looked up after a power loss",
    "records lost that nobody was told of",
    "clock set back",
    "clock set forward",
    "a day passed",
    "request keys forgotten",
    "disks full",
    "busy, the journal is nearly full",
    "busy, the journal is full",
    "snapshot on a full disk",
    "start on a full disk",
    "store opened",
    "store wrote a batch",
    "store slow",
    "store failed, tried again",
    "crash while the store writes",
    "crash, and the store wrote on",
    "compared with SQLite",
    "two cells",
    "a quote is honoured",
    "a conversion without a quote",
    "dust is converted",
    "a quote was used already",
    "a quote is over",
    "dust is not due",
    "parameters of a market change",
    "terms of conversion change",
    "terms of a desk change",
    "an option is opened",
    "an option wins",
    "an option loses",
    "an option ties",
    "an option is void",
    "a price was silent after a round",
    "options of one round in one record",
    "too many options are open",
    "a side of options is full",
    "a desk lost its limit of the day",
    "a ticket is copied",
    "a copy is skipped",
    "a copy comes too late",
    "a copy is closed by its trader",
    "a copy ends by itself",
    "a copy becomes an own ticket",
    "a trader is none any more",
    "a week of shares is over",
    "a share is paid",
    "too many traders are followed",
    "the owner of a copy closes it",
    "sessions of stocks are set anew",
    "a session of stocks begins",
    "a session of stocks ends, and its day does not",
    "a day of stocks is over",
    "a market of stocks closes with its session",
    "a market of stocks pauses",
    "an order waits for the open",
    "an order that waited for the open is placed",
    "an order that waited for the open is filled",
    "an order joins those that waited for the open",
    "orders of a day end with it",
    "what waits ends with its day",
    "stocks are traded",
    "stocks are bought by amount",
    "a price is no step of the table",
    "a corporate action is announced",
    "orders leave for a corporate action",
    "what waits leaves for a corporate action",
    "a split gives shares",
    "a split takes shares",
    "what is no whole board lot is paid for",
    "a dividend is paid, and some of it withheld",
    "an action goes through several wallets",
    "an account without shares goes through an action",
    "a corporate action is done",
    "blocks that are not final are replaced",
    "a final block is replaced",
    "blocks pass",
    "a block is taken in parts",
    "coins are credited",
    "coins are too few to be credited",
    "a block's reward is kept",
    "small deposits are enough together",
    "the least deposit changes",
    "a chain that went another way is halted",
    "a coin is spent by no plan",
    "a chain is halted whose coin was spent by no plan",
    "a node shows a block of another chain",
    "a node hides an output",
    "a node shows a false sum",
    "a node shows more than is in the records",
    "what node or signer said comes late",
    "what node or signer said comes twice",
    "nodes forget what waits",
    "a transaction is lost on its way to the node",
    "a transaction is sent again",
    "the signer is away",
    "the signer's answer is lost",
    "the signer is asked again",
    "a replacement is final",
    "a transaction is final that was replaced",
    "on another way another transaction of a plan is taken",
    "crash before a plan is durable",
    "crash between plan and signature",
    "crash before a signature is durable",
    "crash between signature and sending",
    "crash between sending and block",
    "crash between a transaction's block and its record",
    "all is paid in the end",
    "an operator halts a chain",
    "a chain goes on",
    "a node shows all coins",
    "a chain is halted whose node shows less",
    "too many addresses are asked for",
    "a withdrawal waits for people",
    "a withdrawal nobody looks at",
    "a person agrees to a withdrawal",
    "a withdrawal is refused",
    "a withdrawal is taken back",
    "a withdrawal is settled inside",
    "a transaction is made",
    "a transaction is replaced",
    "a transaction is signed",
    "a withdrawal is paid",
    "a block takes several transactions of ours",
    "a part takes as many transactions of ours as it may",
    "a block's reward is spent",
    "a token is to be paid",
    "a coin of accounts is to be paid",
    "coin for gas is brought",
    "a token is swept",
    "a coin is swept",
    "a transfer is replaced",
    "a payment of a chain of accounts is final",
    "a sweep or its gas is final",
    "a payment moves nothing",
    "a sweep moves nothing",
    "a key of ours moves what no plan does",
    "a node hides a transfer",
    "a node shows another sum of a transfer",
    "a node shows another sum of what we moved",
    "a replacement of a transfer is final",
    "a transfer is final that was replaced",
    "on another way a transfer ends in another way",
    "all is paid and swept in the end",
    "more is withdrawn than a day allows",
    "too many withdrawals are open",
    "a withdrawal is decided twice",
    "a tier is set",
    "the audit is anchored",
    "an audit is accepted",
    "a withdrawal without a tier",
    "one person where two are needed",
    "a campaign is opened",
    "a campaign is stopped",
    "a campaign ends, and money is free again",
    "a coupon is issued",
    "a coupon is taken back",
    "a coupon is cashed",
    "a coupon's stake is paid",
    "an option is opened by a coupon",
    "an option gives its coupon back",
    "all coupons of a campaign are out",
    "a second coupon of a campaign is asked for",
    "a coupon is over",
    "no such campaign or code",
    "a product is barred",
    "all products are allowed again",
    "something is opened where it is barred",
];

/// Tells the paths that a record reaches.
pub(crate) fn paths_of(record: &Record, count: &mut impl FnMut(&'static str)) {
    match &record.fact {
        Fact::Spot(fact) => of_spot(fact, record.cause, count),
        // Those of the opening are of no case.
        Fact::Account(AccountFact::TierChanged(f)) if f.case != 0 => count("a tier is set"),
        Fact::Account(AccountFact::RequestsForgotten(_)) => count("request keys forgotten"),
        Fact::Cell(CellFact::Digest(_)) => count("digest"),
        Fact::Contract(fact) => of_contract(fact, count),
        Fact::Book(fact) => of_book(fact, count),
        Fact::Convert(fact) => of_convert(fact, count),
        Fact::Seconds(fact) => of_seconds(fact, count),
        Fact::Copy(fact) => of_copying(fact, count),
        Fact::Stock(fact) => of_stock(fact, count),
        Fact::Chain(fact) => of_chain(fact, count),
        Fact::Coupon(fact) => of_coupons(fact, count),
        Fact::Registry(RegistryFact::AuditAnchored(f)) => match &f.accepted_by {
            None => count("the audit is anchored"),
            Some(_) => count("an audit is accepted"),
        },
        Fact::Registry(RegistryFact::RegionRuled(f)) if f.barred.is_empty() => count("all products are allowed again"),
        Fact::Registry(RegistryFact::RegionRuled(_)) => count("a product is barred"),
        Fact::Account(_) | Fact::Registry(RegistryFact::AssetListed(_)) | Fact::Price(_) => {}
    }
}

/// Tells the paths of a record that places what waited for the open; the auditor has not read it yet.
pub(crate) fn at_the_open(record: &Record, auditor: &Auditor, count: &mut impl FnMut(&'static str)) {
    let Fact::Spot(SpotFact::OrdersChanged(f)) = &record.fact else { return };
    if f.triggered.is_some_and(|(order, _)| auditor.waits_for_open(order)) {
        count("an order that waited for the open is placed");
        if f.placed.as_ref().is_some_and(|placed| !placed.trades.is_empty()) {
            count("an order that waited for the open is filled");
        }
    }
    if f.waiting.iter().any(|w| w.trigger.kind == TriggerKind::Open) && auditor.in_session(f.units.market, record.time)
    {
        count("an order joins those that waited for the open");
    }
}

fn of_stock(fact: &StockFact, count: &mut impl FnMut(&'static str)) {
    match fact {
        StockFact::CalendarSet(f) if f.params.version > 1 => count("sessions of stocks are set anew"),
        StockFact::SessionChanged(f) => count(match f.phase {
            SessionPhase::Open => "a session of stocks begins",
            SessionPhase::Break => "a session of stocks ends, and its day does not",
            SessionPhase::Closed => "a day of stocks is over",
        }),
        StockFact::ActionAnnounced(_) => count("a corporate action is announced"),
        StockFact::ActionApplied(f) => {
            let (before, after) = f.holdings.iter().fold((0, 0), |(b, a), h| (b + h.before.0, a + h.after.0));
            for (happened, name) in [
                (after > before, "a split gives shares"),
                (after < before, "a split takes shares"),
                (f.odd.is_positive(), "what is no whole board lot is paid for"),
                (f.withheld.is_positive(), "a dividend is paid, and some of it withheld"),
                (f.holdings.len() > 1, "an action goes through several wallets"),
                (f.holdings.is_empty(), "an account without shares goes through an action"),
            ] {
                if happened {
                    count(name);
                }
            }
        }
        StockFact::ActionDone(_) => count("a corporate action is done"),
        StockFact::CalendarSet(_) | StockFact::ActionSet(_) => {}
    }
}

fn of_chain(fact: &ChainFact, count: &mut impl FnMut(&'static str)) {
    match fact {
        ChainFact::BlocksPassed(_) => count("blocks pass"),
        ChainFact::BlockTaken(f) => {
            if f.part > 0 {
                count("a block is taken in parts");
            }
            if f.own.len() > 1 {
                count("a block takes several transactions of ours");
            }
            if f.own.len() == MOST_OWN && !f.last {
                count("a part takes as many transactions of ours as it may");
            }
            f.own.iter().flat_map(|own| &own.paid).for_each(|_| count("a withdrawal is paid"));
            for (own, end) in f.own.iter().filter_map(|own| Some((own, own.transfer?))) {
                count(match (end.moved, end.failed.is_some(), own.paid.is_empty()) {
                    (true, _, false) => "a payment of a chain of accounts is final",
                    (true, _, true) => "a sweep or its gas is final",
                    (false, true, _) => "a payment moves nothing",
                    (false, false, _) => "a sweep moves nothing",
                });
            }
            for credit in &f.credits {
                count(match credit.kind {
                    CreditKind::Credited => "coins are credited",
                    CreditKind::Small => "coins are too few to be credited",
                    CreditKind::Coinbase => "a block's reward is kept",
                });
            }
        }
        ChainFact::SmallDepositsCredited(_) => count("small deposits are enough together"),
        ChainFact::ChainHalted(f) => count(match f.reason {
            HaltReason::Operator => "an operator halts a chain",
            HaltReason::Reorganised => "a chain that went another way is halted",
            HaltReason::Spent => "a chain is halted whose coin was spent by no plan",
            HaltReason::Missing => unreachable!("the check halts it"),
        }),
        ChainFact::ReserveChecked(f) if f.is_whole() => {
            count("a node shows all coins");
            if f.besides.0 > 1 {
                count("a node shows more than is in the records");
            }
        }
        ChainFact::ReserveChecked(_) => count("a chain is halted whose node shows less"),
        ChainFact::ChainResumed(_) => count("a chain goes on"),
        ChainFact::WithdrawalRequested(f) if f.withdrawal.is_automatic() => count("a withdrawal nobody looks at"),
        ChainFact::WithdrawalRequested(_) => count("a withdrawal waits for people"),
        ChainFact::WithdrawalAgreed(_) => count("a person agrees to a withdrawal"),
        ChainFact::WithdrawalEnded(f) => count(match f.end {
            EndOfWithdrawal::Cancelled => "a withdrawal is taken back",
            EndOfWithdrawal::Refused => "a withdrawal is refused",
        }),
        ChainFact::SettledInside(_) => count("a withdrawal is settled inside"),
        ChainFact::TransactionPlanned(f) if f.attempt == 0 => count("a transaction is made"),
        ChainFact::TransactionPlanned(_) => count("a transaction is replaced"),
        ChainFact::TransferPlanned(f) => count(match (f.attempt, f.withdrawal, &f.transaction) {
            (0, Some(_), t) if t.token.is_some() => "a token is to be paid",
            (0, Some(_), _) => "a coin of accounts is to be paid",
            (0, None, t) if t.from.change => "coin for gas is brought",
            (0, None, t) if t.token.is_some() => "a token is swept",
            (0, None, _) => "a coin is swept",
            (_, _, _) => "a transfer is replaced",
        }),
        ChainFact::TransactionSigned(_) => count("a transaction is signed"),
        ChainFact::ChainSet(f) if f.params.version > 1 => count("the least deposit changes"),
        ChainFact::ChainSet(_) | ChainFact::AddressAssigned(_) | ChainFact::WithdrawalTermsSet(_) => {}
    }
}

fn of_coupons(fact: &CouponFact, count: &mut impl FnMut(&'static str)) {
    count(match fact {
        CouponFact::CampaignOpened(_) => "a campaign is opened",
        CouponFact::CampaignStopped(_) => "a campaign is stopped",
        CouponFact::CouponIssued(_) => "a coupon is issued",
        CouponFact::CouponRevoked(_) => "a coupon is taken back",
        CouponFact::CouponCashed(_) => "a coupon is cashed",
        CouponFact::CouponStaked(_) => "a coupon's stake is paid",
        CouponFact::CampaignClosed(f) if f.freed.is_positive() => "a campaign ends, and money is free again",
        CouponFact::CampaignClosed(_) => return,
    });
}

fn of_copying(fact: &CopyFact, count: &mut impl FnMut(&'static str)) {
    match fact {
        CopyFact::TraderSet(f) if f.terms.is_none() => count("a trader is none any more"),
        CopyFact::CopySkipped(f) if f.reason == Reject::CopyOutdated => count("a copy comes too late"),
        CopyFact::CopySkipped(_) => count("a copy is skipped"),
        CopyFact::CopyDetached(_) => count("a copy becomes an own ticket"),
        CopyFact::SharesDue(_) => count("a week of shares is over"),
        CopyFact::ProfitShared(f) if f.share.is_positive() => count("a share is paid"),
        CopyFact::TraderSet(_) | CopyFact::Followed(_) | CopyFact::Unfollowed(_) | CopyFact::ProfitShared(_) => {}
    }
}

fn of_seconds(fact: &SecondsFact, count: &mut impl FnMut(&'static str)) {
    match fact {
        SecondsFact::OptionOpened(f) if f.option.bonus.is_some() => count("an option is opened by a coupon"),
        SecondsFact::OptionOpened(_) => count("an option is opened"),
        SecondsFact::OptionsSettled(f) => {
            for item in &f.items {
                count(match item.result {
                    OptionResult::Win => "an option wins",
                    OptionResult::Loss => "an option loses",
                    OptionResult::Tie => "an option ties",
                    OptionResult::Void => "an option is void",
                });
            }
            if f.items.iter().any(|item| item.returned().is_some()) {
                count("an option gives its coupon back");
            }
            if f.items.len() > 1 {
                count("options of one round in one record");
            }
        }
        SecondsFact::PriceSilent(_) => count("a price was silent after a round"),
        SecondsFact::DeskParamsSet(f) if f.params.version > 1 => count("terms of a desk change"),
        SecondsFact::DeskParamsSet(_) => {}
    }
}

fn of_convert(fact: &ConvertFact, count: &mut impl FnMut(&'static str)) {
    match fact {
        ConvertFact::Converted(f) if f.quoted.is_some() => count("a quote is honoured"),
        ConvertFact::Converted(_) => count("a conversion without a quote"),
        ConvertFact::DustConverted(_) => count("dust is converted"),
        ConvertFact::ConvertParamsSet(f) if f.params.version > 1 => count("terms of conversion change"),
        ConvertFact::ConvertParamsSet(_) => {}
    }
}

fn of_contract(fact: &ContractFact, count: &mut impl FnMut(&'static str)) {
    match fact {
        ContractFact::TicketOpened(f) if f.copy.is_some() => count("a ticket is copied"),
        ContractFact::TicketOpened(_) => count("a ticket is opened"),
        ContractFact::TicketReserved(_) => count("a limit ticket waits"),
        ContractFact::TicketCanceled(_) => count("a limit ticket is cancelled"),
        ContractFact::TicketsMoved(f) => of_moved(f, count),
        ContractFact::NightCharged(f) if !f.nights.is_empty() => count("a night is charged"),
        ContractFact::MarkSet(f) if f.premium.is_some() => count("a premium is sampled"),
        ContractFact::RiskWarned(_) => count("a pool is near its end"),
        ContractFact::DeficitCovered(f) if f.paid.is_positive() => count("a deficit is covered"),
        ContractFact::ContractListed(_)
        | ContractFact::ContractParamsChanged(_)
        | ContractFact::ContractStateChanged(_)
        | ContractFact::MarkSet(_)
        | ContractFact::TicketStopsSet(_)
        | ContractFact::NightCharged(_)
        | ContractFact::DeficitCovered(_) => {}
    }
}

fn of_book(fact: &BookFact, count: &mut impl FnMut(&'static str)) {
    match fact {
        BookFact::ContractOrderPlaced(f) => {
            let effect = |is_it: &dyn Fn(&Effect) -> bool| f.effects().any(|(_, effect)| is_it(effect));
            let cut = |reason| f.cuts.iter().any(|cut| cut.reason == reason);
            let turned = effect(&|e| !e.closed.is_zero() && !e.opened.is_zero());
            for (happened, name) in [
                (!f.trades.is_empty(), "an order of a contract's book is filled"),
                (f.trades.iter().any(|t| t.maker == HOUSE), "quotes of a contract's book are taken"),
                (cut(CutReason::LegShrank), "orders of a contract's book are cut"),
                (cut(CutReason::Unpaid), "an order of a contract's book leaves for want of money"),
                (turned, "a leg is turned round"),
                (effect(&|e| e.mode == MarginMode::Isolated), "a leg is isolated"),
                (effect(&|e| e.leg != LegSide::Both), "a leg of hedge mode"),
            ] {
                if happened {
                    count(name);
                }
            }
        }
        BookFact::ConditionalsChanged(f) => {
            for (happened, name) in [
                (f.waits.is_some(), "an order of a contract's book waits"),
                (f.placed.is_some(), "an order of a contract's book is triggered"),
                (f.refused.is_some(), "a triggered order of a contract's book is refused"),
            ] {
                if happened {
                    count(name);
                }
            }
        }
        BookFact::BookQuotesSet(_) => count("quotes of a contract's book are set"),
        BookFact::LegMarginMoved(_) => count("margin of a leg is moved"),
        BookFact::CountdownSet(f) if f.due == 0 => count("a countdown ends"),
        BookFact::FundingPaid(f) if !f.legs.is_empty() => count("funding is paid"),
        BookFact::ResultsSettled(f) => {
            count("results are settled");
            if f.deficit.is_positive() {
                count("an owner of legs cannot pay");
            }
        }
        BookFact::LiquidationStarted(f) => {
            let of_pool = f.scope.leg.is_none();
            count(if of_pool { "a pool with legs is at its end" } else { "an isolated leg is at its end" });
            if f.worth.prices.iter().any(|seen| !seen.fresh) {
                count("a pool is at its end beside a stale price");
            }
        }
        BookFact::LegLiquidated(f) => {
            for (happened, name) in [
                (!f.trades.is_empty(), "a leg is liquidated in its book"),
                (f.insured.is_positive(), "the insurance pays for a liquidation"),
                (f.deleverage.is_some(), "legs are deleveraged"),
                (f.step > 1, "a liquidation takes more than a step"),
            ] {
                if happened {
                    count(name);
                }
            }
        }
        BookFact::LiquidationEnded(_) => count("a liquidation ends"),
        BookFact::QuotaSet(f) if f.quota.is_positive() => count("a quota is set apart"),
        BookFact::BookListed(_)
        | BookFact::BookParamsChanged(_)
        | BookFact::ContractOrdersCanceled(_)
        | BookFact::ContractOrderAmended(_)
        | BookFact::LegTermsSet(_)
        | BookFact::PositionModeSet(_)
        | BookFact::FundingSet(_)
        | BookFact::FundingPaid(_)
        | BookFact::CountdownSet(_)
        | BookFact::QuotaSet(_) => {}
    }
}

fn of_moved(f: &TicketsMoved, count: &mut impl FnMut(&'static str)) {
    let by = |reason| f.closed.iter().any(move |closed| closed.reason == reason);
    let liquidated = f.closed.iter().filter(|closed| closed.reason == CloseReason::Liquidation);
    // Of an isolated ticket its owner never pays more than the margin.
    let of_pool = liquidated.clone().any(|closed| closed.credit.is_negative() || !closed.unsettled.is_zero());
    for (happened, name) in [
        (!f.activated.is_empty(), "a limit ticket is opened"),
        (by(CloseReason::User) || by(CloseReason::Batch), "tickets are closed by their owner"),
        (by(CloseReason::TakeProfit) || by(CloseReason::StopLoss), "a ticket is closed by its stop"),
        (of_pool, "a pool is liquidated"),
        (!of_pool && by(CloseReason::Liquidation), "an isolated ticket is liquidated"),
        (f.deficits().next().is_some(), "a deficit is left"),
        (f.closed.iter().any(|closed| closed.unsettled.is_negative()), "results are unsettled"),
        (by(CloseReason::Copy), "a copy is closed by its trader"),
        (f.copies().any(|(closed, ..)| closed.reason != CloseReason::Copy), "a copy ends by itself"),
    ] {
        if happened {
            count(name);
        }
    }
}

fn of_spot(fact: &SpotFact, cause: Cause, count: &mut impl FnMut(&'static str)) {
    match fact {
        SpotFact::OrderPlaced(f) => {
            if !f.trades.is_empty() {
                count("traded");
            }
            if !f.prevented.is_empty() {
                count("self-trade prevented");
            }
            if f.stopper.is_some() {
                count("ended by its owner's own order");
            }
            if f.trades.iter().any(|trade| !trade.refill.is_zero()) {
                count("an iceberg shows its next slice");
            }
            if f.units.market.is_stock() && !f.trades.is_empty() {
                count("stocks are traded");
            }
            if f.units.market.is_stock() && f.budget.is_positive() && !f.trades.is_empty() && f.side == Side::Buy {
                count("stocks are bought by amount");
            }
        }
        SpotFact::OrdersCanceled(f) if f.reason == EndReason::SessionEnd => count("orders of a day end with it"),
        SpotFact::OrdersCanceled(f) if f.reason == EndReason::CorporateAction => {
            count("orders leave for a corporate action");
        }
        SpotFact::OrdersChanged(f) => {
            let filled = f.placed.as_ref().is_some_and(|placed| !placed.trades.is_empty());
            let for_open = f.waiting.iter().any(|w| w.trigger.kind == TriggerKind::Open);
            for (happened, name) in [
                (for_open, "an order waits for the open"),
                (f.reason == EndReason::SessionEnd, "what waits ends with its day"),
                (f.reason == EndReason::CorporateAction, "what waits leaves for a corporate action"),
                (!f.waiting.is_empty(), "an order waits"),
                (f.triggered.is_some() && filled, "triggered and filled"),
                (f.triggered.is_some() && !f.gone.is_empty(), "a triggered order ends its list"),
                (f.triggered.is_none() && f.reason == EndReason::OtherLeg, "a filled order ends its list"),
                (f.reason == EndReason::Replaced && !f.gone.is_empty() && f.refused.is_none(), "replaced"),
                (f.refused.is_some() && f.reason == EndReason::Replaced, "left, and its successor refused"),
                (!f.pending.is_empty(), "an order brings others"),
                (f.activated.is_some(), "what an order brings is placed"),
                (f.reason == EndReason::Refused, "what an order brings is refused"),
                (!f.amended.is_empty(), "made smaller"),
            ] {
                if happened {
                    count(name);
                }
            }
        }
        SpotFact::QuotesSet(_) => count("quotes set"),
        SpotFact::MarketStateChanged(f) if f.reason == StateReason::Session => {
            count("a market of stocks closes with its session");
        }
        SpotFact::MarketStateChanged(f) if f.reason == StateReason::Pause => count("a market of stocks pauses"),
        SpotFact::MarketStateChanged(_) if cause == Cause::Timer => count("market closed by its timer"),
        SpotFact::MarketParamsChanged(_) => count("parameters of a market change"),
        SpotFact::MarketListed(_)
        | SpotFact::MarketStateChanged(_)
        | SpotFact::OrdersCanceled(_)
        | SpotFact::TradeIdsReserved(_) => {}
    }
}
