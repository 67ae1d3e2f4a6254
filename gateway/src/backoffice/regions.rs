//! Countries: what is not offered there.
//!
//! Owns: these calls. Never does: say where a user lives; a verification does. Invariants: one person bars products at once, two people
//! allow them again, and the journal names both; who decides signs what they read. Known limits: what was approved while the exchange
//! did not answer is proposed anew; a bar whose row the audit took late makes an older proposal stale late. Rules: `docs/back-office.md "Regions"`, `docs/rules/regions.md`.

use super::asking::{Answer, Ask, Refusal, Signed, now, reason, refused};
use super::cases;
use super::roles::{AllowProducts, BarProducts, SeeRegions};
use crate::common::areas;
use crate::custody::review::NO_ANSWER;
use actix_web::HttpResponse;
use serde::Deserialize;
use serde_json::{Value, json};
use xng_core::entity::{Command, Reply};
use xng_core::record::Origin;
use xng_core::region::{Country, Product, Products};
use xng_core::registry::RegistryCommand;
use xng_core::reject::Reject;
use xng_persistence::office::{AuditFilter, NewCase};

/// The kind of these cases.
const ALLOW: &str = "allow products";
/// As the audit names that products are barred.
const BAR: &str = "bar products";

fn names(products: Products) -> Vec<&'static str> {
    products.iter().map(Product::name).collect()
}

/// As cases and the audit name a country: `region:US`, `region:unknown`.
fn place(country: Country) -> String {
    format!("region:{}", if country.is_known() { country.letters() } else { "unknown" })
}

/// As cases name products of a country: `region:US:contract,options`.
fn subject(country: Country, products: Products) -> String {
    format!("{}:{}", place(country), names(products).join(","))
}

/// Reads what [`subject`] wrote.
fn of_subject(subject: &str) -> Option<(Country, Products)> {
    let (country, products) = subject.strip_prefix("region:")?.split_once(':')?;
    let country = if country == "unknown" { Country::UNKNOWN } else { Country::parse(country)? };
    let products: Option<Products> = products.split(',').map(Product::parse).collect();
    Some((country, products?))
}

/// `GET /admin/api/regions`: what is barred, and cases.
pub(super) async fn list(ask: Ask<SeeRegions>) -> Answer {
    let cases = cases::listed(&ask.desk.office, ALLOW, |_, _| {}).await?;
    let listed = ask.desk.shared.listed();
    let row =
        |(country, barred): (&Country, &Products)| json!({ "country": country.letters(), "barred": names(*barred) });
    let regions: Vec<Value> = listed.barred.iter().map(row).collect();
    let products: Vec<&str> = Product::ALL.iter().map(|product| product.name()).collect();
    Ok(HttpResponse::Ok().json(json!({ "regions": regions, "products": products, "cases": cases,
        "me": ask.me.signs() })))
}

#[derive(Deserialize)]
pub(super) struct Rule {
    /// Two letters; none: where nobody knows where the owner lives.
    country: String,
    products: Vec<String>,
    reason: String,
}

impl Rule {
    fn read(&self) -> Result<(Country, Products), Refusal> {
        let country = if self.country.is_empty() { Some(Country::UNKNOWN) } else { areas::country(&self.country) };
        let country = country.ok_or_else(|| refused(400, "There is no such country."))?;
        let products: Option<Products> = self.products.iter().map(|name| Product::parse(name)).collect();
        match products {
            Some(products) if !products.is_empty() => Ok((country, products)),
            Some(_) => Err(refused(400, "Choose a product.")),
            None => Err(refused(400, "There is no such product.")),
        }
    }
}

async fn rule<P, B>(ask: &Ask<P, B>, command: RegistryCommand, by: Origin) -> Result<(), Refusal> {
    match ask.desk.shared.operators.ask_as(by, Command::Registry((), command)).await {
        Some(Reply::Accepted(_)) => Ok(()),
        Some(Reply::Rejected(Reject::AlreadyExists)) => Err(refused(409, "It is so already.")),
        Some(other) => Err(refused(409, format!("refused: {other:?}"))),
        None => Err(refused(503, NO_ANSWER)),
    }
}

/// `POST /admin/api/regions/bar`: at once, by one person.
pub(super) async fn bar(ask: Ask<BarProducts, Rule>) -> Answer {
    let ((country, products), reason) = (ask.asked.read()?, reason(&ask.asked.reason)?);
    let audit = ask.entry(BAR, place(country), &json!({ "products": names(products), "reason": reason }));
    ask.desk.auth().note_a_halt(audit).await;
    rule(&ask, RegistryCommand::Bar(country, products), Origin::Admin).await?;
    Ok(HttpResponse::Ok().json(json!({ "done": "barred" })))
}

/// `POST /admin/api/regions/propose-allow`: another person has to agree.
pub(super) async fn propose(ask: Ask<AllowProducts, Rule>) -> Answer {
    let ((country, products), reason) = (ask.asked.read()?, reason(&ask.asked.reason)?);
    if !products.without(ask.desk.shared.listed().barred(country)).is_empty() {
        return Err(refused(409, "Not all of these are barred there."));
    }
    let subject = subject(country, products);
    let audit = ask.entry("propose to allow products", subject.clone(), &json!({ "reason": reason }));
    let new = NewCase { kind: ALLOW.into(), subject, by: ask.me.id, reason };
    match ask.desk.office.propose(&new, &audit, now()).await? {
        Some(case) => Ok(HttpResponse::Ok().json(json!({ "case": case }))),
        None => Err(refused(409, "This is proposed already.")),
    }
}

/// Nobody allows by what was proposed before something was barred there again.
async fn is_of_this_rule<B>(ask: &Ask<AllowProducts, B>, approves: bool) -> Result<(), Refusal> {
    let case = ask.desk.office.case(ask.number()?, now()).await?;
    let Some(case) = case.filter(|case| approves && case.kind == ALLOW) else { return Ok(()) };
    let Some((country, _)) = of_subject(&case.subject) else { return Ok(()) };
    let bars = AuditFilter { action: BAR.into(), subject: place(country), ..AuditFilter::default() };
    let last = ask.desk.office.audit(&bars, 1).await?.pop();
    if last.is_some_and(|row| row.created_ms >= case.proposed_ms) {
        return Err(refused(409, "Something was barred there since this was proposed: refuse it, and propose anew."));
    }
    Ok(())
}

/// `POST /admin/api/region-cases/{id}/decide/begin`: what is to be signed.
pub(super) async fn begin_decision(ask: Ask<AllowProducts, cases::Decision>) -> Answer {
    is_of_this_rule(&ask, ask.asked.approves).await?;
    cases::begin(&ask, ALLOW).await
}

/// `POST /admin/api/region-cases/{id}/decide`: the signature; what was decided is done.
pub(super) async fn decide(ask: Ask<AllowProducts, Signed>) -> Answer {
    let decided = cases::decide(&ask, ALLOW).await?;
    if decided.approves {
        is_of_this_rule(&ask, true).await?;
        let (country, products) =
            of_subject(&decided.case.subject).ok_or_else(|| refused(409, "It cannot be read: propose it anew."))?;
        rule(&ask, RegistryCommand::Allow(country, products), decided.origin(&ask.me)).await?;
    }
    Ok(HttpResponse::Ok().json(json!({ "done": decided.action })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_reads_as_it_was_written() {
        let products = [Product::Options, Product::Contracts].into_iter().collect();
        for (country, written) in [
            (Country::parse("US").unwrap(), "region:US:contract,options"),
            (Country::UNKNOWN, "region:unknown:contract,options"),
        ] {
            assert_eq!(subject(country, products), written);
            assert_eq!(of_subject(written), Some((country, products)));
        }
        for text in ["region:US", "region:US:", "region:us:options", "market:US:options", "region:US:options,,"] {
            assert_eq!(of_subject(text), None, "{text}");
        }
    }
}
