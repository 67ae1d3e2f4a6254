//! `GET /openapi.json`: the table of calls as an OpenAPI document.
//!
//! Owns: what the table's kinds are in a schema. Never does: name a call. Invariants: a call that is in the table is
//! in the document. Known limits: which parameters go together is not described.

use super::call::{Endpoint, Method, Security, Venue, Weight};
use super::params::{MOST_SYMBOLS, Param, ParamKind};
use super::response_types::ERROR;
use super::table;
use crate::api::http::documents::WEIGHT;
use crate::api::http::guard::client_ip;
use crate::api::value_type::{of_type, schema, words};
use crate::app::App;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, ParameterBuilder, ParameterIn, Paths};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Required,
    ResponseBuilder, Schema,
};

const KEY: &str = "key";
/// What each error is sent with.
const ERRORS: [(&str, &str); 9] = [
    ("400", "The request is wrong, or refused."),
    ("401", "The key is none, or may not do this."),
    ("409", "Of two parts one was done: the data say which."),
    ("413", "The body is larger than any call's."),
    ("418", "The address is banned."),
    ("429", "Over a limit."),
    ("500", "Something is wrong here."),
    ("503", "Busy; nothing happened."),
    ("504", "No answer in time; what happened is unknown."),
];

/// Where it is.
pub(super) const PATH: &str = "/openapi.json";

/// The document of the calls, with these symbols of markets and of contracts.
#[must_use]
pub fn document(symbols: &[String], contracts: &[String]) -> OpenApi {
    let mut paths = Paths::new();
    table::all().for_each(|call| {
        let symbols = match call.venue() {
            Venue::Spot => symbols,
            Venue::Futures => contracts,
        };
        paths.add_path_operation(call.path, vec![method(call.method)], operation(call, symbols));
    });
    let key = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("X-MBX-APIKEY")));
    let components = ComponentsBuilder::new().schema("Error", schema(ERROR)).security_scheme(KEY, key).build();
    let license = LicenseBuilder::new().name(env!("CARGO_PKG_LICENSE")).build();
    let info = InfoBuilder::new()
        .title("Meridian")
        .version(crate::RELEASE)
        .description(Some("The programmatic API: Binance's conventions of spot and of USD-margined futures."))
        .license(Some(license))
        .build();
    OpenApiBuilder::new().info(info).paths(paths).components(Some(components)).build()
}

fn method(method: Method) -> HttpMethod {
    match method {
        Method::Get => HttpMethod::Get,
        Method::Post => HttpMethod::Post,
        Method::Put => HttpMethod::Put,
        Method::Delete => HttpMethod::Delete,
    }
}

fn operation(call: &Endpoint, symbols: &[String]) -> OperationBuilder {
    let weight = match call.weight {
        Weight::Fixed(weight) => Value::from(weight),
        Weight::By(_) => Value::from("by its parameters"),
    };
    let mut operation = OperationBuilder::new()
        .summary(Some(call.about))
        .operation_id(Some(format!("{}{}", call.method.name().to_lowercase(), call.path.replace('/', "_"))))
        .extensions(Some(ExtensionsBuilder::new().add("x-weight", weight).build()));
    // A form is what clients send with these; the query is taken too.
    if matches!(call.method, Method::Post | Method::Put) {
        if call.all_params().next().is_some() {
            operation = operation.request_body(Some(form(call, symbols)));
        }
    } else {
        for param in call.all_params() {
            operation = operation.parameter(parameter(param, symbols));
        }
    }
    let answer = ContentBuilder::new().schema(Some(schema(call.answer))).build();
    operation =
        operation.response("200", ResponseBuilder::new().description("Done.").content("application/json", answer));
    for (status, about) in ERRORS {
        let error = ContentBuilder::new().schema(Some(Ref::from_schema_name("Error"))).build();
        operation =
            operation.response(status, ResponseBuilder::new().description(about).content("application/json", error));
    }
    match call.security {
        Security::None => operation,
        Security::Key | Security::Read | Security::Trade => {
            operation.security(SecurityRequirement::new(KEY, Vec::<String>::new()))
        }
    }
}

fn parameter(param: &Param, symbols: &[String]) -> ParameterBuilder {
    let required = if param.mandatory { Required::True } else { Required::False };
    let parameter = ParameterBuilder::new().name(param.name).parameter_in(ParameterIn::Query).required(required);
    parameter.schema(Some(kind(param.kind, symbols)))
}

fn form(call: &Endpoint, symbols: &[String]) -> utoipa::openapi::request_body::RequestBody {
    let fields = call.all_params().fold(ObjectBuilder::new(), |fields, param| {
        let fields = fields.property(param.name, kind(param.kind, symbols));
        if param.mandatory { fields.required(param.name) } else { fields }
    });
    let fields = fields.additional_properties(Some(AdditionalProperties::FreeForm(false))).build();
    let content = ContentBuilder::new().schema(Some(Schema::Object(fields))).build();
    RequestBodyBuilder::new()
        .content("application/x-www-form-urlencoded", content)
        .required(Some(if call.all_params().any(|param| param.mandatory) { Required::True } else { Required::False }))
        .build()
}

/// What a JSON list of some of these is like.
fn list_of(symbols: &[String]) -> String {
    let one = format!("\"({})\"", symbols.join("|"));
    format!(r"^\[{one}(,{one}){{0,{}}}\]$", MOST_SYMBOLS - 1)
}

/// The schema of what a parameter may hold.
fn kind(kind: ParamKind, symbols: &[String]) -> RefOr<Schema> {
    let object = match kind {
        ParamKind::Symbol => words(Type::String, symbols.iter().map(String::as_str)),
        ParamKind::OneOf(list, _) => words(Type::String, list.iter().copied()),
        ParamKind::Flag | ParamKind::AnyFlag => of_type(Type::Boolean),
        ParamKind::Json => of_type(Type::String),
        ParamKind::Whole | ParamKind::Time => of_type(Type::Integer).minimum(Some(0)).maximum(Some(i64::MAX as usize)),
        ParamKind::Limit => of_type(Type::Integer).minimum(Some(1)).maximum(Some(i64::MAX as usize)),
        ParamKind::Symbols => of_type(Type::String).pattern(Some(list_of(symbols))),
        ParamKind::Amount
        | ParamKind::Window
        | ParamKind::Name
        | ParamKind::Zone
        | ParamKind::Text
        | ParamKind::Like(_) => of_type(Type::String).pattern(kind.pattern()),
    };
    RefOr::T(Schema::Object(object.build()))
}

/// Answers with the document of what is listed now.
pub(super) async fn serve(request: HttpRequest, app: Data<App>) -> HttpResponse {
    let symbols: Vec<String> = app.shared.listed().markets.values().map(|info| info.params.symbol.clone()).collect();
    let board = app.shared.contracts.now();
    let with_book = board.contracts().filter(|(_, face)| face.book.is_some());
    let contracts: Vec<String> = with_book.map(|(_, face)| face.params.symbol.clone()).collect();
    let of = format!("{};{}", symbols.join(","), contracts.join(","));
    let make = move || {
        let text = document(&symbols, &contracts).to_json();
        text.inspect_err(|error| tracing::error!(%error, "{PATH} cannot be written")).ok()
    };
    let shared = &app.shared;
    let admitted = shared.admits(client_ip(&request, &shared.config), WEIGHT).await;
    shared.openapi.answer((&request, PATH), admitted, &shared.writers, of, make).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_document_has_every_call_with_its_parameters() {
        let text = document(&["BTCUSDT".to_owned()], &["BTCUSDT".to_owned()]).to_json().unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        let paths = document["paths"].as_object().unwrap().iter();
        let documented: BTreeSet<(String, String)> = paths
            .flat_map(|(path, calls)| calls.as_object().unwrap().keys().map(|method| (method.clone(), path.clone())))
            .collect();
        let known = table::all().map(|call| (call.method.name().to_lowercase(), call.path.to_owned())).collect();
        assert_eq!(documented, known);
        for call in table::all() {
            let operation = &document["paths"][call.path][call.method.name().to_lowercase()];
            assert_eq!(operation["summary"], call.about, "{}", call.path);
            let params = operation["parameters"].as_array().map_or(0, Vec::len);
            let form = &operation["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"];
            let fields = form["properties"].as_object().map_or(0, serde_json::Map::len);
            assert_eq!(params + fields, call.all_params().count(), "{}", call.path);
            assert_eq!(operation["security"].is_null(), call.security == Security::None, "{}", call.path);
        }
        let depth = &document["paths"]["/api/v3/depth"]["get"]["parameters"][0];
        assert_eq!(
            (&depth["name"], &depth["required"], &depth["schema"]["enum"][0]),
            (&"symbol".into(), &true.into(), &"BTCUSDT".into())
        );
    }
}
