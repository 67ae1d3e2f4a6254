//! Decides whether a question is signed.
//!
//! Owns: what was signed, by input or (EVM chains, see `evm`) by nonce; what left in the last hour. Never does: read a file or a socket.
//! Invariants: two transactions with a common input pay the same; the second one's fee is higher; of transactions with the
//! same inputs, of which a chain takes one, the payments count once, all others count each. Known limits: the clock is the
//! machine's, and never runs backwards here; an input that was bound wrongly stays bound.

use crate::keys::{Key, Keys};
use crate::policy::Policy;
use crate::protocol::{Answer, EvmPlan, Plan, Question, Refusal, Units};
use crate::signed_log::{Entry, EvmLine, Line, SignedLog};
use crate::transaction::{Checked, check};
use crate::{attest, evm};
use bitcoin::hex::DisplayHex;
use bitcoin::{Amount, OutPoint, Txid, consensus};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::error::Error;
use std::io;
use std::time::SystemTime;

const HOUR_SECONDS: u64 = 3_600;

/// What was signed for an input.
struct Signed {
    units: Units,
    key: Key,
    digest: String,
    /// The highest.
    fee: u64,
}

/// All that a decision needs. No `Debug`: it has the keys.
pub(crate) struct Desk {
    keys: Keys,
    policy: Policy,
    log: SignedLog,
    past: Past,
}

#[derive(Default)]
struct Past {
    inputs: BTreeMap<OutPoint, Signed>,
    /// The highest fee by the set of inputs.
    sets: BTreeMap<Vec<OutPoint>, u64>,
    ids: BTreeSet<Txid>,
    /// When, and how much; in order.
    hour: VecDeque<(u64, u64)>,
    latest: u64,
    evm: evm::Past,
}

impl Past {
    fn take(&mut self, line: &Line) {
        match line {
            Line::Coins(entry) => self.add(entry),
            Line::Evm(EvmLine { evm }) => {
                self.latest = self.latest.max(evm.at);
                self.evm.add(evm, self.latest);
            }
        }
    }

    /// That a line says otherwise than an earlier one: the names for a person.
    fn contradicts(&self, line: &Line) -> Option<String> {
        match line {
            Line::Coins(entry) => {
                let known = |input: &crate::protocol::Input| self.inputs.get(&input.at());
                let differs = |signed: &Signed| signed.digest != entry.digest;
                let any = entry.inputs.iter().filter_map(known).any(differs);
                any.then(|| format!("transaction {}", entry.txid))
            }
            Line::Evm(EvmLine { evm }) => self.evm.contradicts(evm).then(|| format!("nonce {}", evm.nonce)),
        }
    }

    fn add(&mut self, entry: &Entry) {
        self.ids.insert(entry.txid);
        let set = self.sets.entry(set_of(entry.inputs.iter().map(|input| input.at()))).or_default();
        *set = entry.fee.0.max(*set);
        for input in &entry.inputs {
            let new = || Signed { units: input.units, key: input.key, digest: entry.digest.clone(), fee: 0 };
            let signed = self.inputs.entry(input.at()).or_insert_with(new);
            signed.fee = signed.fee.max(entry.fee.0);
        }
        self.latest = self.latest.max(entry.at);
        self.hour.push_back((self.latest, entry.counted.0));
    }

    /// What left in the hour before `now`.
    fn in_the_hour(&mut self, now: u64) -> u64 {
        while self.hour.front().is_some_and(|(at, _)| at + HOUR_SECONDS <= now) {
            self.hour.pop_front();
        }
        self.hour.iter().map(|(_, units)| *units).sum()
    }
}

fn set_of(inputs: impl Iterator<Item = OutPoint>) -> Vec<OutPoint> {
    let mut set: Vec<OutPoint> = inputs.collect();
    set.sort();
    set
}

impl Desk {
    /// Over what the log holds. An entry that contradicts an earlier one cannot be of this program.
    pub(crate) fn new(keys: Keys, policy: Policy, log: SignedLog, lines: Vec<Line>) -> Result<Self, Box<dyn Error>> {
        let mut past = Past::default();
        for line in &lines {
            if let Some(what) = past.contradicts(line) {
                return Err(format!("the log contradicts itself at {what}").into());
            }
            past.take(line);
        }
        Ok(Desk { keys, policy, log, past })
    }

    /// The answer to a question.
    ///
    /// # Errors
    /// When the log could not be written: nothing was signed, and the process must end.
    pub(crate) fn answer(&mut self, question: Question, clock: SystemTime) -> io::Result<Answer> {
        match question {
            Question::Xpub(ring) if ring < self.policy.rings => {
                Ok(self.keys.xpub(ring).map_or_else(|_| Refusal::ForeignKey.into(), Answer::Xpub))
            }
            Question::Xpub(_) => Ok(Refusal::ForeignKey.into()),
            Question::XpubEvm(ring) if ring < self.policy.rings => {
                Ok(self.keys.evm_xpub(ring).map_or_else(|_| Refusal::ForeignKey.into(), Answer::Xpub))
            }
            Question::XpubEvm(_) => Ok(Refusal::ForeignKey.into()),
            Question::Sign(plan) => {
                let now = self.now(clock);
                match self.decide(&plan, now) {
                    Err(refusal) => Ok(refusal.into()),
                    Ok((checked, entry)) => {
                        self.write(entry.map(Line::Coins))?;
                        Ok(self.sign(&plan, checked))
                    }
                }
            }
            Question::SignEvm(plan) => self.answer_evm(&plan, clock),
            Question::Attest(of) => Ok(attest::answer(&of, &self.keys, &self.policy)),
        }
    }

    fn answer_evm(&mut self, plan: &EvmPlan, clock: SystemTime) -> io::Result<Answer> {
        let now = self.now(clock);
        match evm::decide(plan, &self.keys, &self.policy, &mut self.past.evm, now) {
            Err(refusal) => Ok(refusal.into()),
            Ok((checked, entry)) => {
                self.write(entry.map(|evm| Line::Evm(EvmLine { evm })))?;
                Ok(evm::sign(plan, &checked, &self.keys))
            }
        }
    }

    /// In seconds since 1970. A clock that is set back would forget the hour.
    fn now(&self, clock: SystemTime) -> u64 {
        let seconds = clock.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        seconds.max(self.past.latest)
    }

    /// On disk before anything is signed.
    fn write(&mut self, line: Option<Line>) -> io::Result<()> {
        if let Some(line) = line {
            self.log.add(&line)?;
            self.past.take(&line);
        }
        Ok(())
    }

    fn sign(&self, plan: &Plan, checked: Checked) -> Answer {
        let keys: Vec<(Key, Amount)> =
            plan.inputs.iter().map(|input| (input.key, Amount::from_sat(input.units.0))).collect();
        match self.keys.sign(checked.unsigned, &keys) {
            Ok(signed) => Answer::Signed {
                txid: signed.compute_txid().to_string(),
                raw: consensus::serialize(&signed).to_lower_hex_string(),
            },
            Err(_) => Refusal::ForeignKey.into(),
        }
    }

    /// What is signed, with the log's new line; none when it was signed before.
    fn decide(&mut self, plan: &Plan, now: u64) -> Result<(Checked, Option<Entry>), Refusal> {
        let checked = check(plan, &self.keys, &self.policy)?;
        let (digest, txid) = (checked.digest.to_lower_hex_string(), checked.unsigned.compute_txid());
        // A false amount voids one input's signature only. Signed again with the true one, the parts would make a
        // transaction whose fee nobody agreed to.
        for input in &plan.inputs {
            let known = self.past.inputs.get(&input.at());
            if known.is_some_and(|signed| signed.units != input.units || signed.key != input.key) {
                return Err(Refusal::InputDiffers(input.at()));
            }
        }
        if self.past.ids.contains(&txid) {
            return Ok((checked, None));
        }
        for input in &plan.inputs {
            match self.past.inputs.get(&input.at()) {
                Some(signed) if signed.digest != digest => return Err(Refusal::PayeesDiffer(input.at())),
                Some(signed) if checked.fee <= signed.fee => return Err(Refusal::FeeNotHigher(input.at())),
                Some(_) | None => {}
            }
        }
        let rate_cap = u128::from(self.policy.fee_rate) * u128::from(checked.virtual_bytes) / 1_000;
        if checked.fee > self.policy.fee_units || u128::from(checked.fee) > rate_cap {
            return Err(Refusal::FeeAboveCap);
        }
        let replaced = self.past.sets.get(&set_of(plan.inputs.iter().map(|input| input.at())));
        let counted = replaced.map_or(checked.paid + checked.fee, |fee| checked.fee - fee);
        let wanted = self.past.in_the_hour(now) + counted;
        if wanted > self.policy.hour_units {
            return Err(Refusal::AboveHourCap { wanted: wanted.into(), allowed: self.policy.hour_units.into() });
        }
        let (inputs, fee) = (plan.inputs.clone(), Units(checked.fee));
        let counted = Units(counted);
        let entry = Entry { at: now, plan: plan.plan, attempt: plan.attempt, txid, digest, inputs, fee, counted };
        Ok((checked, Some(entry)))
    }
}

#[cfg(test)]
mod tests;
