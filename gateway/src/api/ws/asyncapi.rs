//! The document of programs' streams, in AsyncAPI 3: made of the table of [`super::channels`] and of what is listed.
//!
//! Owns: the form of the document. Never does: know a stream that the table does not. Invariants: addresses and symbols are
//! those of now, and nothing in it is of the client who asks. Known limits: control frames are told in words.

use super::channels::{CHANNELS, CONTRACT, Channel, Field, FieldType, PARAMETERS};
use super::contract_channels;
use crate::api::http::documents::WEIGHT;
use crate::api::http::guard::client_ip;
use crate::app::App;
use actix_web::web::{Data, ServiceConfig, get};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Map, Value, json};

const PATH: &str = "/asyncapi.json";

fn schema(kind: FieldType) -> Value {
    match kind {
        FieldType::Decimal => json!({ "type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$" }),
        FieldType::Time => json!({ "type": "integer", "format": "int64" }),
        FieldType::Integer => json!({ "type": "integer", "format": "int64" }),
        FieldType::Flag => json!({ "type": "boolean" }),
        FieldType::Text => json!({ "type": "string" }),
        FieldType::Levels => {
            let level = json!({ "type": "array", "items": schema(FieldType::Decimal), "minItems": 2, "maxItems": 2 });
            json!({ "type": "array", "items": level })
        }
        FieldType::Number => json!({ "type": "number" }),
        FieldType::Object(fields) => object(fields),
        FieldType::Objects(fields) => json!({ "type": "array", "items": object(fields) }),
    }
}

fn object(fields: &[Field]) -> Value {
    let mut properties = Map::new();
    for (name, kind, meaning) in fields {
        let mut property = schema(*kind);
        property["description"] = (*meaning).into();
        properties.insert((*name).to_owned(), property);
    }
    let required: Vec<&str> = fields.iter().map(|(name, _, _)| *name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Symbols in small letters: of markets, and of contracts.
struct Listed {
    markets: Vec<String>,
    contracts: Vec<String>,
}

fn parameters(channel: &Channel, listed: &Listed) -> Value {
    let mut found = Map::new();
    for (name, values, meaning) in PARAMETERS {
        if !channel.name.contains(&format!("{{{name}}}")) {
            continue;
        }
        let symbols = if name == CONTRACT { &listed.contracts } else { &listed.markets };
        let values: Vec<&str> =
            if values.is_empty() { symbols.iter().map(String::as_str).collect() } else { values.into() };
        found.insert(name.to_owned(), json!({ "description": meaning, "enum": values }));
    }
    Value::Object(found)
}

fn payload(channel: &Channel) -> Value {
    let event = object(channel.fields);
    if channel.is_list { json!({ "type": "array", "items": event }) } else { event }
}

/// The document, for what is listed. The address is a hole to fill: what a client calls the server by stands in
/// nothing that others are answered with.
fn document(title: &str, listen: &str, is_tls: bool, listed: &Listed) -> Value {
    let (mut channels, mut operations) = (Map::new(), Map::new());
    for channel in CHANNELS.iter().chain(&contract_channels::CHANNELS) {
        let message =
            json!({ "summary": channel.summary, "contentType": "application/json", "payload": payload(channel) });
        channels.insert(
            channel.id.to_owned(),
            json!({
                "address": format!("{}/{}", channel.path, channel.name), "summary": channel.summary,
                "parameters": parameters(channel, listed), "messages": { "event": message },
            }),
        );
        let reference = json!({ "$ref": format!("#/channels/{}", channel.id) });
        operations.insert(channel.id.to_owned(), json!({ "action": "send", "channel": reference }));
    }
    let about = "Market data by websocket. Connect to /ws/<name>/<name> for plain events, to /stream?streams=<name>/<name> \
                 for {\"stream\",\"data\"}, or to either without names and send \
                 {\"method\":\"SUBSCRIBE\",\"params\":[\"<name>\"],\"id\":1} (UNSUBSCRIBE, LIST_SUBSCRIPTIONS, SET_PROPERTY, \
                 GET_PROPERTY likewise). Streams of contracts are opened at /market/ws and /public/ws, or /market/stream and \
                 /public/stream. timeUnit=MICROSECOND in the address switches times from milliseconds.";
    json!({
        "asyncapi": "3.0.0",
        "info": { "title": title, "version": crate::RELEASE, "description": about },
        "defaultContentType": "application/json",
        "servers": { "exchange": {
            "host": "{host}", "protocol": if is_tls { "wss" } else { "ws" },
            "variables": { "host": { "default": listen, "description": "The host that this document was asked of." } },
        } },
        "channels": channels, "operations": operations,
    })
}

async fn serve(request: HttpRequest) -> HttpResponse {
    let Some(app) = request.app_data::<Data<App>>() else {
        return HttpResponse::InternalServerError().finish();
    };
    let (config, listed) = (&app.shared.config, app.shared.listed());
    let markets = listed.markets.values().map(|m| m.params.symbol.to_ascii_lowercase()).collect();
    let contracts = listed.contracts.values().map(|symbol| symbol.to_ascii_lowercase()).collect();
    let named = Listed { markets, contracts };
    let (title, is_tls) = (config.site.site_name.clone(), config.server.behind_tls);
    let listen = config.server.listen.clone();
    let of = format!("{};{}", named.markets.join(","), named.contracts.join(","));
    let make = move || Some(document(&title, &listen, is_tls, &named).to_string());
    let shared = &app.shared;
    let admitted = shared.admits(client_ip(&request, &shared.config), WEIGHT).await;
    shared.asyncapi.answer((&request, PATH), admitted, &shared.writers, of, make).await
}

/// Its route.
pub fn routes(cfg: &mut ServiceConfig) {
    cfg.route(PATH, get().to(serve));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_name_channels_and_parameters_are_those_of_the_address() {
        let listed = Listed { markets: vec!["btcusdt".to_owned()], contracts: vec!["ethusdt".to_owned()] };
        let document = document("X", "0.0.0.0:80", true, &listed);
        let server = &document["servers"]["exchange"];
        assert_eq!((&server["host"], &server["protocol"]), (&json!("{host}"), &json!("wss")));
        assert_eq!(server["variables"]["host"]["default"], "0.0.0.0:80");
        let channels = document["channels"].as_object().unwrap();
        assert_eq!(channels.len(), document["operations"].as_object().unwrap().len());
        for (id, channel) in channels {
            assert_eq!(document["operations"][id]["channel"]["$ref"], format!("#/channels/{id}"));
            let address = channel["address"].as_str().unwrap();
            let holes = address.matches('{').count();
            assert_eq!(channel["parameters"].as_object().unwrap().len(), holes, "{address}");
        }
        assert_eq!(channels["trade"]["parameters"]["symbol"]["enum"], json!(["btcusdt"]));
        assert_eq!(channels["markPrice"]["parameters"]["contract"]["enum"], json!(["ethusdt"]));
        assert_eq!(channels["allMiniTickers"]["messages"]["event"]["payload"]["type"], "array");
    }
}
