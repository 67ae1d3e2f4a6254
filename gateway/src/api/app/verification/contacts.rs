//! Calls that bind a mail address or a phone (`docs/rules/authentication.md "Contacts"`).
//!
//! Owns: reading these calls. Never does: decide whether a code is good; `crate::api::auth` does. Invariants: the answer to a wish for a
//! code does not tell whether the contact is somebody else's. Known limits: none.

use super::super::auth::at;
use super::super::call::{Call, CallResult};
use super::super::safe::surety;
use crate::api::auth::challenges::Action;
use crate::api::auth::rules::{self, Contact};
use crate::api::auth::{Asker, Purpose};
use crate::api::http::errors::{Code, Failure};

fn email(call: &Call) -> Result<Contact, Failure> {
    match Contact::parse(call.params.need("email")?, None).map_err(at("email"))? {
        contact @ Contact::Email(_) => Ok(contact),
        Contact::Phone { .. } => Err(at("email")(Failure::text(Code::Parameter, "bad_account"))),
    }
}

fn phone(call: &Call) -> Result<Contact, Failure> {
    let text = call.params.need("mobile")?;
    match Contact::parse(text, call.params.get("area_code")).map_err(at("mobile"))? {
        contact @ Contact::Phone { .. } => Ok(contact),
        Contact::Email(_) => Err(at("mobile")(Failure::text(Code::Parameter, "bad_account"))),
    }
}

async fn send(call: &Call, contact: &Contact) -> CallResult {
    let asker = Asker { ip: call.ip, session: Some(call.session().await?) };
    call.app.shared.auth.send_code(Purpose::BindNew, contact, asker, call.lang).await?;
    Ok(call.said("code_sent"))
}

async fn bind(call: &Call, contact: &Contact) -> CallResult {
    let session = call.session().await?;
    let code = rules::code(call.params.need("code")?).map_err(at("code"))?;
    let old_code = rules::code(call.params.need("old_code")?).map_err(at("old_code"))?;
    let surety = surety(call, session, Action::BindContact);
    call.app.shared.auth.bind_contact(contact, (code, old_code), &surety, call.lang).await?;
    Ok(call.said("done"))
}

/// `POST /sms_send`: `area_code`, `mobile`. A code to a phone that is to be bound.
pub(crate) async fn send_sms(call: Call) -> CallResult {
    call.session().await?;
    send(&call, &phone(&call)?).await
}

/// `POST /safe/email/send`: `email`. A code to a mail address that is to be bound.
pub(crate) async fn send_email(call: Call) -> CallResult {
    call.session().await?;
    send(&call, &email(&call)?).await
}

/// `POST /safe/mobile`: `area_code`, `mobile`, `code`, `old_code`; `proof` where a second factor is in use.
pub(crate) async fn bind_mobile(call: Call) -> CallResult {
    call.session().await?;
    bind(&call, &phone(&call)?).await
}

/// `POST /safe/email`: `email`, `code`, `old_code`; `proof` where a second factor is in use.
pub(crate) async fn bind_email(call: Call) -> CallResult {
    call.session().await?;
    bind(&call, &email(&call)?).await
}
