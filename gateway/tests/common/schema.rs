//! Values compared with the schemas of an OpenAPI document, as far as ours go.

use serde_json::Value;

/// What is wrong with a value by a schema of a document; nothing when it is good.
pub(crate) fn wrong(document: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return wrong(document, named(document, name), value, at);
    }
    if let Some(some) = schema["oneOf"].as_array() {
        let found: Vec<String> = some.iter().filter_map(|form| wrong(document, form, value, at)).collect();
        let fits = some.len() - found.len();
        return (fits != 1).then(|| format!("{at}: {fits} of the forms fit {value}: {found:?}"));
    }
    let is_right = match schema["type"].as_str() {
        None => return None,
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(other) => panic!("{at}: what is {other}?"),
    };
    if !is_right {
        return Some(format!("{at} is {value}"));
    }
    if schema["enum"].as_array().is_some_and(|known| !known.contains(value)) {
        return Some(format!("{at} is {value}, none of {}", schema["enum"]));
    }
    if schema["pattern"].is_string() && !value.as_str().is_some_and(is_decimal) {
        return Some(format!("{at} is {value}, no decimal"));
    }
    let mut rows = value.as_array().into_iter().flatten();
    if let Some(found) = rows.find_map(|row| wrong(document, &schema["items"], row, &format!("{at}[]"))) {
        return Some(found);
    }
    let fields = value.as_object()?;
    let must = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing = must.filter(|name| !fields.contains_key(*name)).map(|name| format!("{at} lacks {name}")).next();
    let others = &schema["additionalProperties"];
    let known = |(name, field): (&String, &Value)| match &schema["properties"][name] {
        Value::Null if others.is_object() => wrong(document, others, field, &format!("{at}.{name}")),
        Value::Null => Some(format!("{at} has {name}, which is not told")),
        of => wrong(document, of, field, &format!("{at}.{name}")),
    };
    missing.or_else(|| fields.iter().find_map(known))
}

fn named<'d>(document: &'d Value, reference: &str) -> &'d Value {
    let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} is elsewhere"));
    document.pointer(pointer).unwrap_or_else(|| panic!("the document has no {reference}"))
}

/// The one pattern that the documents have: plain notation.
fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    unsigned.split_once('.').map_or_else(|| digits(unsigned), |(whole, rest)| digits(whole) && digits(rest))
}
