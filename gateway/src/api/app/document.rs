//! `GET /api/openapi.json`: the table of the app's calls as an OpenAPI document.
//!
//! Owns: what a row is in it. Never does: name a call. Invariants: a row is in the document; the app's copy, from which its types
//! and parsers are made, is the document. Known limits: which fields go together is not described.

use super::forms::{METHOD, PASSKEY_REQUEST};
use super::table::{self, Access, Answers, Row};
use crate::api::http::documents::WEIGHT;
use crate::api::http::guard::client_ip;
use crate::api::value_type::{Field, ValueType, has, may, of_type, schema};
use crate::app::App;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::openapi::path::{HttpMethod, OperationBuilder, ParameterBuilder, ParameterIn, Paths};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AdditionalProperties, OneOfBuilder, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Required, ResponseBuilder,
    Schema,
};

/// Where it is.
pub(super) const PATH: &str = "/api/openapi.json";
const TOKEN: &str = "token";
const REFUSAL: &str = "Refusal";
/// What every answer has but its message and data.
const KIND: Field = has("type", ValueType::Words(&["ok"]));
const CODE: Field = has("code", ValueType::Numbers(&[1]));
/// A refusal (`docs/rules/app-calls.md "Envelope"`).
const REFUSED: ValueType = ValueType::Object(&[
    has("type", ValueType::Words(&["error", "998", "999"])),
    has("code", ValueType::Whole),
    has("message", ValueType::Text),
    has("data", ValueType::Null),
    may("errors", ValueType::Map(&ValueType::Text)).about("Fields, and what is wrong with them."),
    may("methods", ValueType::List(&METHOD)).about("Of 1021 and 1022: what is asked for."),
    may("challenge_id", ValueType::Text).about("Of 1021: what is answered."),
    may("expire_at_ms", ValueType::Whole).about("Of 1021: when that ends."),
    may("passkey", PASSKEY_REQUEST).about("Of 1021: what a browser has a passkey sign, where that answers it."),
    may("until_ms", ValueType::Whole).about("Of 1011: until when it is refused."),
]);

fn document() -> OpenApi {
    let (mut paths, mut named, mut functions) = (Paths::new(), BTreeMap::new(), BTreeSet::new());
    for row in table::all() {
        let Answers { message, data, beside } = row.answers;
        for form in [message, data].into_iter().chain(beside.iter().map(|field| field.form)) {
            form.each_named(&mut |name, form| {
                let known = named.insert(name, form);
                debug_assert!(known.is_none_or(|known| known == form), "{name} is two forms");
            });
        }
        // Of several rows with one function the first is the call, the others are further ways to it.
        let name = functions.insert(row.function).then(|| row.function.replace("::", "_"));
        paths.add_path_operation(row.path, vec![method(row)], operation(row, name));
    }
    let components =
        named.into_iter().fold(ComponentsBuilder::new(), |all, (name, form)| all.schema(name, schema(form)));
    let token = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("Authorization")));
    let components = components.schema(REFUSAL, schema(REFUSED)).security_scheme(TOKEN, token).build();
    let about = "The calls of the app: forms in, one envelope out. Every call takes `lang` as well.";
    let info = InfoBuilder::new().title("Meridian app").version(crate::RELEASE).description(Some(about)).build();
    OpenApiBuilder::new().info(info).paths(paths).components(Some(components)).build()
}

fn method(row: &Row) -> HttpMethod {
    match row.method {
        "get" => HttpMethod::Get,
        "post" => HttpMethod::Post,
        "put" => HttpMethod::Put,
        other => unreachable!("no call is asked by {other}"),
    }
}

fn operation(row: &Row, name: Option<String>) -> OperationBuilder {
    let (room, _) = row.function.split_once("::").unwrap_or_default();
    let mut operation = OperationBuilder::new().operation_id(name).tag(room);
    if matches!(method(row), HttpMethod::Get) {
        for field in row.params {
            operation = operation.parameter(parameter(field));
        }
    } else if !row.params.is_empty() {
        operation = operation.request_body(Some(form(row)));
    }
    let content = ContentBuilder::new().schema(Some(answer(&row.answers))).build();
    let response = ResponseBuilder::new().description("Done, or refused.").content("application/json", content);
    operation = operation.response("200", response);
    match row.access {
        Access::Open => operation,
        Access::Member => operation.security(SecurityRequirement::new(TOKEN, Vec::<String>::new())),
    }
}

fn parameter(field: &Field) -> ParameterBuilder {
    let required = if field.always { Required::True } else { Required::False };
    let about = (!field.about.is_empty()).then_some(field.about);
    let parameter = ParameterBuilder::new().name(field.name).parameter_in(ParameterIn::Query).required(required);
    parameter.description(about).schema(Some(schema(field.form)))
}

fn form(row: &Row) -> utoipa::openapi::request_body::RequestBody {
    let content = ContentBuilder::new().schema(Some(schema(ValueType::Object(row.params)))).build();
    let kind = if row.path.ends_with("/upload") { "multipart/form-data" } else { "application/x-www-form-urlencoded" };
    RequestBodyBuilder::new().content(kind, content).required(Some(Required::True)).build()
}

/// The envelope of what a call answers, or that of a refusal.
fn answer(answers: &Answers) -> Schema {
    let Answers { message, data, beside } = *answers;
    let own = [KIND, CODE, has("message", message), has("data", data)];
    let envelope = own.iter().chain(beside).fold(of_type(Type::Object), |object, field| {
        object.property(field.name, schema(field.form)).required(field.name)
    });
    let envelope = envelope.additional_properties(Some(AdditionalProperties::FreeForm(false))).build();
    let refused: RefOr<Schema> = Ref::from_schema_name(REFUSAL).into();
    Schema::OneOf(OneOfBuilder::new().item(envelope).item(refused).build())
}

/// Answers with the document.
pub(super) async fn serve(request: HttpRequest, app: Data<App>) -> HttpResponse {
    let make = || {
        let text = document().to_json();
        text.inspect_err(|error| tracing::error!(%error, "{PATH} cannot be written")).ok()
    };
    let shared = &app.shared;
    let admitted = shared.admits(client_ip(&request, &shared.config), WEIGHT).await;
    shared.app_calls.answer((&request, PATH), admitted, &shared.writers, String::new(), make).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use serde_json::ser::PrettyFormatter;
    use serde_json::{Serializer, Value};
    use std::path::Path;

    #[test]
    fn the_document_has_every_call_with_its_fields() {
        let document: Value = serde_json::to_value(document()).unwrap();
        for row in table::all() {
            let operation = &document["paths"][row.path][row.method];
            let params = operation["parameters"].as_array().map_or(0, Vec::len);
            let form = operation["requestBody"]["content"].as_object().and_then(|kinds| kinds.values().next());
            let fields =
                form.map_or(0, |form| form["schema"]["properties"].as_object().map_or(0, serde_json::Map::len));
            assert_eq!(params + fields, row.params.len(), "{} {}", row.method, row.path);
            assert_eq!(operation["security"].is_null(), row.access == Access::Open, "{}", row.path);
        }
    }

    /// `make record-calls` writes the copy anew.
    #[test]
    fn the_app_has_this_document() {
        let copy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../h5/src/lib/api/schema/app-calls.json");
        let mut text = Vec::new();
        let indented = PrettyFormatter::with_indent(b" ");
        document().serialize(&mut Serializer::with_formatter(&mut text, indented)).unwrap();
        let text = String::from_utf8(text).unwrap() + "\n";
        if std::env::var_os("RECORD").is_some() {
            std::fs::write(&copy, &text).unwrap();
        }
        let known = std::fs::read_to_string(&copy).unwrap_or_default();
        assert!(known == text, "the app's copy is another: `make record-calls` writes it anew");
    }
}
