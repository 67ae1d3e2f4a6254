//! Conversion as an account decides it: alone, from the board.
//!
//! Owns: when dust was last converted; of the house's account the parameters and what it gave today. Never does: ask
//! anybody; store a quote. Invariants: nothing is converted at a doubtful price; a quote is used under its own request key
//! alone, and so once; the house gives no more of an asset in a day than its cap.
//! Rules: `docs/rules/convert.md`. Known limits: the spot wallet only.

use super::Account;
use crate::board::{Board, ConvertFace};
use crate::codec::{WordHash, hash_bytes};
use crate::convert::facts::{ConvertFact, ConvertParamsSet, Converted, DustConverted, DustRow};
use crate::convert::params::ConvertParams;
use crate::convert::{
    ConversionView, ConvertSide, DAY_NS, Dust, DustList, Prices, Quote, Quoted, day_of, fee, is_dust, received,
};
use crate::entity::{Applied, CommandClass, Ctx, Decision, Reply, TimeNs, View};
use crate::fraction::Fraction;
use crate::ids::{AccountId, AssetId, Wallet};
use crate::money::{Amount, MAX_AMOUNT};
use crate::record::Role;
use crate::reject::Reject;
use std::sync::Arc;

/// What an account can be asked about conversion.
#[derive(Debug, Clone)]
pub enum ConvertCommand {
    /// What one asset is worth in another now.
    Quote {
        /// What would be given.
        from: AssetId,
        /// What would be received.
        to: AssetId,
    },
    /// Convert, at a quote or at the last ticks.
    Convert(Conversion),
    /// What of its balances is dust.
    ListDust,
    /// Convert small balances.
    Dust {
        /// Which.
        assets: Vec<AssetId>,
        /// The terms that the user was shown; others reject.
        version: Option<u32>,
    },
    /// Set the parameters (configuration only, of the house's account).
    SetParams(Box<ConvertParams>),
}

/// A conversion that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    /// What is given.
    pub from: AssetId,
    /// What is received.
    pub to: AssetId,
    /// How much is given, without the fee.
    pub amount: Amount,
    /// What was quoted. Its request comes under [`Quote::request_key`].
    pub quote: Option<Quote>,
}

impl ConvertCommand {
    pub(super) fn class(&self) -> CommandClass {
        match self {
            ConvertCommand::Quote { .. } | ConvertCommand::ListDust => CommandClass::ReadOnly,
            ConvertCommand::Convert(_) | ConvertCommand::Dust { .. } | ConvertCommand::SetParams(_) => {
                CommandClass::Consumes
            }
        }
    }
}

crate::wire_struct! {
    /// What the house's account keeps.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(super) struct ConvertDesk {
        pub params: ConvertParams,
        pub day: u32,
        pub given: Vec<(AssetId, Amount)>,
    }
}

crate::wire_struct! {
    /// What an account keeps of conversion.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub(super) struct Conversions {
        /// When dust was last converted; 0 when it never was.
        pub dusted: TimeNs,
        /// Of the house's account.
        pub desk: Option<ConvertDesk>,
    }
}

impl Conversions {
    pub(super) fn hash(&self, h: WordHash) -> WordHash {
        let mut bytes = Vec::with_capacity(64);
        crate::codec::Wire::put(self, &mut bytes);
        h.word(hash_bytes(0, &bytes))
    }
}

impl ConvertDesk {
    /// So much more of an asset was given.
    fn give(&mut self, time: TimeNs, asset: AssetId, amount: Amount) {
        let day = day_of(time);
        if day != self.day {
            (self.day, self.given) = (day, Vec::new());
        }
        match self.given.binary_search_by_key(&asset, |(asset, _)| *asset) {
            Ok(at) => self.given[at].1 += amount,
            Err(at) => self.given.insert(at, (asset, amount)),
        }
    }
}

fn tells(view: ConversionView) -> Decision {
    Decision::Reply(Reply::View(View::Conversion(Box::new(view))))
}

fn face(board: &Board) -> Result<&ConvertFace, Reject> {
    board.conversion().ok_or(Reject::NotConvertible)
}

fn within_cap(face: &ConvertFace, to: AssetId, amount: Amount, now: TimeNs) -> Result<(), Reject> {
    let cap = face.params.asset(to).map_or(Amount::ZERO, |asset| asset.daily_cap);
    if face.given(to, now) + amount > cap { Err(Reject::ConversionCapReached) } else { Ok(()) }
}

impl Account {
    /// When dust was last converted; 0 when it never was.
    fn dusted(&self) -> TimeNs {
        self.cold().conversions.as_ref().map_or(0, |conversions| conversions.dusted)
    }

    pub(super) fn decide_convert(&self, command: &ConvertCommand, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        match command {
            ConvertCommand::Quote { from, to } => {
                let quoted = quote((*from, *to), ctx)?;
                Ok(tells(ConversionView::Quoted(quoted)))
            }
            ConvertCommand::Convert(wanted) => self.convert(wanted, ctx),
            ConvertCommand::ListDust => Ok(tells(ConversionView::Dust(self.dust(ctx)?))),
            ConvertCommand::Dust { assets, version } => self.convert_dust(assets, *version, ctx),
            ConvertCommand::SetParams(params) => self.set_convert_params(params),
        }
    }

    fn convert(&self, wanted: &Conversion, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.may_act()?;
        let Conversion { from, to, amount, quote } = *wanted;
        if from == to {
            return Err(Reject::SameAsset);
        }
        let face = face(ctx.board)?;
        let params = &*face.params;
        let prices = Prices { params, board: ctx.board, now: ctx.now };
        let assets = (prices.asset(from)?, prices.asset(to)?);
        if !amount.is_positive() || amount > MAX_AMOUNT {
            return Err(Reject::BadAmount);
        }
        let (given, got) = match &quote {
            // Under another key it could be used again.
            Some(quote) if ctx.request != Some(quote.request_key((from, to), amount)) => {
                return Err(Reject::NotAllowed);
            }
            Some(quote) => prices.honoured(assets, quote)?,
            None => (prices.fresh(assets.0)?, prices.fresh(assets.1)?),
        };
        let value = Fraction::value(given.price, amount);
        if value < params.value.0.into() {
            return Err(Reject::BelowMinConversion);
        }
        if value > params.value.1.into() {
            return Err(Reject::AboveMaxConversion);
        }
        let to_amount = received(amount, (given.price, got.price), params.spread_ppm);
        if !to_amount.is_positive() {
            return Err(Reject::ConversionTooSmall);
        }
        let fee = fee(amount, params.fee_ppm);
        if self.free(Wallet::Spot, from) < amount + fee {
            return Err(Reject::InsufficientBalance);
        }
        within_cap(face, to, to_amount, ctx.now)?;
        let (account, version, quoted) = (self.id, params.version, quote.map(|quote| quote.issued));
        let (spread_ppm, fee_ppm) = (params.spread_ppm, params.fee_ppm);
        let fact =
            Converted { account, version, from: given, to: got, amount, to_amount, fee, spread_ppm, fee_ppm, quoted };
        Ok(Decision::Fact(fact.into()))
    }

    /// What an available balance would become as dust; none of what is worth as much as the limit.
    fn dust_of(&self, from: ConvertSide, into: Amount, params: &ConvertParams) -> Option<Dust> {
        let amount = self.free(Wallet::Spot, from.asset);
        let small = amount.is_positive() && is_dust(amount, from.price, params.dust_limit);
        let to_amount = || received(amount, (from.price, into), params.dust_fee_ppm);
        small.then(|| Dust { side: from, amount, to_amount: to_amount() })
    }

    fn dust(&self, ctx: &Ctx<'_>) -> Result<DustList, Reject> {
        let params = &*face(ctx.board)?.params;
        let prices = Prices { params, board: ctx.board, now: ctx.now };
        let into = prices.fresh(prices.asset(params.dust_into)?)?;
        // What has no fresh price now is not listed.
        let others = params.assets.iter().filter(|asset| asset.asset != into.asset);
        let sides = others.filter_map(|asset| prices.fresh(asset).ok());
        let rows = sides.filter_map(|side| self.dust_of(side, into.price, params)).collect();
        let next = if self.dusted() == 0 { 0 } else { self.dusted() + DAY_NS };
        let (version, fee_ppm, limit) = (params.version, params.dust_fee_ppm, params.dust_limit);
        Ok(DustList { into: into.asset, version, fee_ppm, limit, next, rows })
    }

    fn convert_dust(&self, assets: &[AssetId], version: Option<u32>, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.may_act()?;
        let face = face(ctx.board)?;
        let params = &*face.params;
        if version.is_some_and(|version| version != params.version) {
            return Err(Reject::StaleTerms);
        }
        let prices = Prices { params, board: ctx.board, now: ctx.now };
        let mut named = assets.to_vec();
        named.sort_unstable();
        named.dedup();
        if named.is_empty() || named.len() != assets.len() || named.contains(&params.dust_into) {
            return Err(Reject::BadParameters);
        }
        let listed = named.iter().map(|asset| prices.asset(*asset)).collect::<Result<Vec<_>, Reject>>()?;
        if self.dusted() != 0 && ctx.now < self.dusted() + DAY_NS {
            return Err(Reject::DustTooSoon);
        }
        let into = prices.fresh(prices.asset(params.dust_into)?)?;
        let mut rows = Vec::with_capacity(listed.len());
        for asset in listed {
            let from = prices.fresh(asset)?;
            if !self.free(Wallet::Spot, from.asset).is_positive() {
                return Err(Reject::InsufficientBalance);
            }
            let Dust { side, amount, to_amount } = self.dust_of(from, into.price, params).ok_or(Reject::NotDust)?;
            rows.push(DustRow { from: side, amount, to_amount });
        }
        let (account, version, fee_ppm) = (self.id, params.version, params.dust_fee_ppm);
        let fact = DustConverted { account, version, into, fee_ppm, rows };
        if !fact.to_amount().is_positive() {
            return Err(Reject::ConversionTooSmall);
        }
        within_cap(face, into.asset, fact.to_amount(), ctx.now)?;
        Ok(Decision::Fact(fact.into()))
    }

    fn set_convert_params(&self, params: &ConvertParams) -> Result<Decision, Reject> {
        if self.id != AccountId::CONVERT_HOUSE {
            return Err(Reject::NotAllowed);
        }
        params.check()?;
        // Who changes them knows which they are: what configuration seeds is of none.
        if params.version != self.convert_params().map_or(0, |old| old.version) {
            return Err(Reject::AlreadyExists);
        }
        let params = ConvertParams { version: params.version + 1, ..params.clone() };
        Ok(Decision::Fact(ConvertParamsSet { params }.into()))
    }

    /// Parameters of conversion: the house's account has them.
    #[must_use]
    pub fn convert_params(&self) -> Option<&ConvertParams> {
        Some(&self.cold().conversions.as_ref()?.desk.as_ref()?.params)
    }

    pub(super) fn apply_convert(&mut self, fact: &ConvertFact, applied: Applied<'_>, role: Role) {
        let time = applied.record.time;
        if role == Role::Decider {
            self.remember(applied);
        }
        let given = match (fact, role) {
            (ConvertFact::Converted(f), Role::Other) => (f.to.asset, f.to_amount),
            (ConvertFact::DustConverted(f), Role::Other) => (f.into.asset, f.to_amount()),
            (ConvertFact::DustConverted(_), Role::Decider) => {
                self.cold_mut().conversions.get_or_insert_default().dusted = time;
                return;
            }
            (ConvertFact::ConvertParamsSet(f), _) => {
                let desk = &mut self.cold_mut().conversions.get_or_insert_default().desk;
                let (params, day) = (f.params.clone(), day_of(time));
                match desk {
                    Some(desk) => desk.params = params,
                    None => *desk = Some(ConvertDesk { params, day, given: Vec::new() }),
                }
                return;
            }
            (ConvertFact::Converted(_) | ConvertFact::DustConverted(_), _) => return,
        };
        let desk = self.cold_mut().conversions.as_mut().and_then(|conversions| conversions.desk.as_mut());
        desk.expect("who converts has parameters").give(time, given.0, given.1);
    }

    /// Shows what everybody sees of conversion, if it is the house's account.
    pub(super) fn publish_conversion(&self, board: &mut Board) {
        if let Some(desk) = self.cold().conversions.as_ref().and_then(|conversions| conversions.desk.as_ref()) {
            let params = match board.conversion() {
                Some(face) if *face.params == desk.params => Arc::clone(&face.params),
                Some(_) | None => Arc::new(desk.params.clone()),
            };
            board.set_conversion(ConvertFace { params, day: desk.day, given: desk.given.clone() });
        }
    }
}

fn quote((from, to): (AssetId, AssetId), ctx: &Ctx<'_>) -> Result<Quoted, Reject> {
    if from == to {
        return Err(Reject::SameAsset);
    }
    let params = &*face(ctx.board)?.params;
    let prices = Prices { params, board: ctx.board, now: ctx.now };
    let (from, to) = (prices.fresh(prices.asset(from)?)?, prices.fresh(prices.asset(to)?)?);
    Ok(Quoted {
        quote: Quote { from_seq: from.seq, to_seq: to.seq, issued: ctx.now, version: params.version },
        from_price: from.price,
        to_price: to.price,
        spread_ppm: params.spread_ppm,
        fee_ppm: params.fee_ppm,
        expires: ctx.now + params.quote_ns(),
    })
}

/// Whether accounts are named by a fact of conversion in this role.
pub(super) fn convert_names_accounts_as(fact: &ConvertFact, role: Role) -> bool {
    match fact {
        ConvertFact::Converted(_) => matches!(role, Role::Decider | Role::Other | Role::Fees),
        ConvertFact::DustConverted(_) => matches!(role, Role::Decider | Role::Other),
        ConvertFact::ConvertParamsSet(_) => role == Role::Decider,
    }
}
