//! A campaign: its terms, who got a coupon of it, how much of its money is still needed.
//!
//! Owns: the count of coupons, who got one, whether more are issued. Never does: hold money; the account `promotion` does.
//! Invariants: no more coupons are out than its money suffices for; an account gets one; it closes at its end, once.
//! Rules: `docs/rules/coupons.md`. Known limits: what became of a campaign is kept for good.

use super::facts::{
    CampaignClosed, CampaignOpened, CampaignStopped, CouponCashed, CouponFact, CouponIssued, CouponRevoked,
    CouponStaked,
};
use super::{CampaignId, CampaignTerms, Coupon, CouponId, CouponKind, Issuer, LONGEST_NAME};
use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::{Applied, CommandClass, Ctx, Deadline, Decision, Entity, check_version, save_versioned};
use crate::hashed::Numbers;
use crate::ids::AccountId;
use crate::money::Amount;
use crate::record::{Fact, Role};
use crate::reject::Reject;

/// People who decide together at most.
const MOST_PEOPLE: usize = 4;

/// What a campaign can be asked.
#[derive(Debug, Clone)]
pub enum CampaignCommand {
    /// Begin: the account `promotion` has the money, and asks.
    Open {
        /// With these terms.
        terms: Box<CampaignTerms>,
        /// Who decided.
        by: Vec<String>,
    },
    /// Issue no more coupons (back office only).
    Stop {
        /// Who decided.
        by: String,
    },
    /// Issue a coupon to the account that asks.
    Issue {
        /// Who asks.
        account: AccountId,
        /// Who lets it have one.
        issuer: Issuer,
    },
    /// Take the account's coupon back: the account, which has it unused, asks.
    Revoke {
        /// The coupon.
        coupon: Coupon,
        /// Who decided.
        by: String,
    },
    /// Pay the account's coupon, to whom its kind says: the account, which has it unused, asks.
    Use {
        /// The coupon.
        coupon: Coupon,
    },
    /// Its end came.
    Timer,
}

crate::wire_enum! {
    /// How far a campaign is.
    #[derive(Default)]
    pub enum CampaignState {
        /// It was not opened yet.
        #[default]
        New = 0,
        /// It issues coupons.
        Open = 1,
        /// It issues none; those that are out can be used.
        Stopped = 2,
        /// It is over.
        Closed = 3,
    }
}

/// A campaign as the back office may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignView {
    /// Its terms.
    pub terms: CampaignTerms,
    /// How far it is.
    pub state: CampaignState,
    /// Coupons that it issued.
    pub issued: u32,
    /// Of them, those whose value was paid.
    pub used: u32,
    /// Of them, those that were taken back.
    pub revoked: u32,
}

impl CampaignView {
    /// Coupons that are out or were used: all but those that were taken back.
    #[must_use]
    pub fn out(&self) -> u32 {
        self.issued - self.revoked
    }

    /// Whether coupons of it can still be used.
    #[must_use]
    pub fn runs(&self) -> bool {
        matches!(self.state, CampaignState::Open | CampaignState::Stopped)
    }

    /// What is locked for coupons that were not used, those that are still to be issued among them.
    #[must_use]
    pub fn locked(&self) -> Amount {
        match self.state {
            CampaignState::Open | CampaignState::Stopped => {
                Amount(self.terms.value.0 * i128::from(self.terms.number - self.used))
            }
            CampaignState::New | CampaignState::Closed => Amount::ZERO,
        }
    }
}

/// The state of a campaign.
#[derive(Debug, Default)]
pub struct Campaign {
    id: CampaignId,
    terms: Option<Box<CampaignTerms>>,
    state: CampaignState,
    issued: u32,
    used: u32,
    revoked: u32,
    /// Accounts that got a coupon.
    holders: Numbers,
}

impl Campaign {
    /// What the back office may see; none before it was opened.
    #[must_use]
    pub fn view(&self) -> Option<CampaignView> {
        let terms = self.terms.as_deref()?.clone();
        let (state, issued, used, revoked) = (self.state, self.issued, self.used, self.revoked);
        Some(CampaignView { terms, state, issued, used, revoked })
    }

    /// Its terms, while something of it can still be done.
    fn running(&self, ctx: &Ctx<'_>) -> Result<&CampaignTerms, Reject> {
        let terms = self.terms.as_deref().ok_or(Reject::UnknownCampaign)?;
        match self.state {
            CampaignState::Open | CampaignState::Stopped if ctx.now < terms.ends => Ok(terms),
            CampaignState::New | CampaignState::Open | CampaignState::Stopped | CampaignState::Closed => {
                Err(Reject::CampaignOver)
            }
        }
    }

    /// Whether a coupon that was live when its account asked still is.
    fn running_coupon(&self, coupon: Coupon, ctx: &Ctx<'_>) -> Result<(), Reject> {
        self.running(ctx)?;
        if coupon.is_live(ctx.now) { Ok(()) } else { Err(Reject::CouponOver) }
    }

    fn open(&self, terms: &CampaignTerms, by: &[String], ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        if self.terms.is_some() {
            return Err(Reject::AlreadyExists);
        }
        terms.check(ctx.now)?;
        let budget = terms.budget().ok_or(Reject::BadParameters)?;
        if terms.campaign != self.id || !are_people(by) {
            return Err(Reject::BadParameters);
        }
        Ok(Decision::Fact(CampaignOpened { terms: terms.clone(), budget, by: by.to_vec() }.into()))
    }

    fn stop(&self, by: &str, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.running(ctx)?;
        if self.state != CampaignState::Open {
            return Err(Reject::CampaignOver);
        }
        if !is_person(by) {
            return Err(Reject::BadParameters);
        }
        Ok(Decision::Fact(CampaignStopped { campaign: self.id, by: by.to_owned() }.into()))
    }

    fn issue(&self, account: AccountId, issuer: &Issuer, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        let terms = self.running(ctx)?;
        let by = match issuer {
            Issuer::Code(digest) if terms.code.as_ref() == Some(digest) => None,
            Issuer::Code(_) => return Err(Reject::UnknownCampaign),
            Issuer::Staff(name) if is_person(name) => Some(name.clone()),
            Issuer::Staff(_) => return Err(Reject::BadParameters),
        };
        if self.holders.contains(account.0) {
            return Err(Reject::CouponTaken);
        }
        if self.state != CampaignState::Open {
            return Err(Reject::CampaignOver);
        }
        if self.issued - self.revoked >= terms.number {
            return Err(Reject::CampaignEmpty);
        }
        let coupon = Coupon {
            coupon: CouponId::of(self.id, self.issued + 1),
            account,
            kind: terms.kind,
            asset: terms.asset,
            value: terms.value,
            issued: ctx.now,
            expires: terms.ends.min(ctx.now + terms.lives),
        };
        Ok(Decision::Fact(CouponIssued { coupon, by }.into()))
    }

    fn revoke(&self, coupon: Coupon, by: &str, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.running_coupon(coupon, ctx)?;
        if !is_person(by) {
            return Err(Reject::BadParameters);
        }
        Ok(Decision::Fact(CouponRevoked { coupon, by: by.to_owned() }.into()))
    }

    fn use_up(&self, coupon: Coupon, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.running_coupon(coupon, ctx)?;
        Ok(Decision::Fact(match coupon.kind {
            CouponKind::Cash => CouponCashed { coupon }.into(),
            CouponKind::MicroBonus => CouponStaked { coupon }.into(),
        }))
    }

    fn at_timer(&self, ctx: &Ctx<'_>) -> Decision {
        match (&self.terms, self.view()) {
            (Some(terms), Some(view)) if self.state != CampaignState::Closed && ctx.now >= terms.ends => {
                let (campaign, asset, freed) = (self.id, terms.asset, view.locked());
                Decision::Fact(CampaignClosed { campaign, asset, freed }.into())
            }
            _ => Decision::Nothing,
        }
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        self.terms.as_deref().cloned().put(out);
        self.state.put(out);
        self.issued.put(out);
        self.used.put(out);
        self.revoked.put(out);
    }
}

fn is_person(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= LONGEST_NAME
}

/// Whether these are names of people, each once.
fn are_people(by: &[String]) -> bool {
    let mut people: Vec<String> = by.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
    people.sort_unstable();
    people.dedup();
    people.len() == by.len() && (1..=MOST_PEOPLE).contains(&by.len()) && by.iter().all(|name| is_person(name))
}

const STATE_VERSION: u8 = 1;

impl Entity for Campaign {
    type Id = CampaignId;
    type Command = CampaignCommand;

    const NAME: &'static str = "campaign";
    const MESSAGES: &'static [&'static str] = &["open", "stop", "issue", "revoke", "use", "timer"];

    fn message(command: &CampaignCommand) -> usize {
        match command {
            CampaignCommand::Open { .. } => 0,
            CampaignCommand::Stop { .. } => 1,
            CampaignCommand::Issue { .. } => 2,
            CampaignCommand::Revoke { .. } => 3,
            CampaignCommand::Use { .. } => 4,
            CampaignCommand::Timer => 5,
        }
    }

    fn blank(id: CampaignId) -> Campaign {
        Campaign { id, ..Campaign::default() }
    }

    fn decide(&self, command: &CampaignCommand, ctx: &Ctx<'_>) -> Decision {
        let decided = match command {
            CampaignCommand::Open { terms, by } => self.open(terms, by, ctx),
            CampaignCommand::Stop { by } => self.stop(by, ctx),
            CampaignCommand::Issue { account, issuer } => self.issue(*account, issuer, ctx),
            CampaignCommand::Revoke { coupon, by } => self.revoke(*coupon, by, ctx),
            CampaignCommand::Use { coupon } => self.use_up(*coupon, ctx),
            CampaignCommand::Timer => Ok(self.at_timer(ctx)),
        };
        decided.unwrap_or_else(Decision::Reject)
    }

    fn evolve(&mut self, applied: Applied<'_>, _role: Role) {
        let Fact::Coupon(fact) = &applied.record.fact else {
            unreachable!("a campaign is not named by {}", applied.record.fact.name())
        };
        match fact {
            CouponFact::CampaignOpened(f) => {
                self.terms = Some(Box::new(f.terms.clone()));
                self.state = CampaignState::Open;
            }
            CouponFact::CampaignStopped(_) => self.state = CampaignState::Stopped,
            CouponFact::CouponIssued(f) => {
                self.issued += 1;
                self.holders.insert(f.coupon.account.0);
            }
            CouponFact::CouponRevoked(_) => self.revoked += 1,
            CouponFact::CouponCashed(_) | CouponFact::CouponStaked(_) => self.used += 1,
            CouponFact::CampaignClosed(_) => self.state = CampaignState::Closed,
        }
    }

    fn class(command: &CampaignCommand) -> CommandClass {
        match command {
            CampaignCommand::Open { .. } | CampaignCommand::Issue { .. } | CampaignCommand::Use { .. } => {
                CommandClass::Consumes
            }
            CampaignCommand::Stop { .. } | CampaignCommand::Revoke { .. } | CampaignCommand::Timer => {
                CommandClass::Releases
            }
        }
    }

    fn deadline(&self) -> Option<Deadline> {
        let runs = self.state != CampaignState::Closed;
        self.terms.as_deref().filter(|_| runs).map(|terms| Deadline::Calendar(terms.ends))
    }

    // It frees money of the exchange's own: nobody waits for it.
    fn settles(&self) -> bool {
        true
    }

    fn timer() -> Option<CampaignCommand> {
        Some(CampaignCommand::Timer)
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(256);
        self.put_state(&mut bytes);
        self.holders.digest().put(&mut bytes);
        hash_bytes(u64::from(self.id.0), &bytes)
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| {
            self.put_state(out);
            self.holders.put(out);
        });
    }

    fn load(id: CampaignId, r: &mut Reader<'_>) -> Result<Campaign, DecodeError> {
        check_version(r, STATE_VERSION, "campaign state version")?;
        Ok(Campaign {
            id,
            terms: Option::<CampaignTerms>::get(r)?.map(Box::new),
            state: Wire::get(r)?,
            issued: Wire::get(r)?,
            used: Wire::get(r)?,
            revoked: Wire::get(r)?,
            holders: Wire::get(r)?,
        })
    }
}
