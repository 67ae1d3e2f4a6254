//! SQL and its values, before a dialect runs it.
//!
//! Owns: how ids, amounts and enumerations stand in a row.
//! Never does: run anything; put a value into the text.
//! Invariants: `?` stands for a value and for nothing else; there are as many as values.
//! Known limits: unsigned 64-bit numbers are stored as the signed ones with the same bits; ids and times stay below 2^63.

use xng_core::money::Amount;

use crate::store::amount;

/// One value of a row or of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) enum Value {
    Int(i64),
    /// No number.
    NoInt,
    Text(Option<String>),
    Bytes(Vec<u8>),
}

/// See the module's header.
#[derive(Clone, Debug)]
pub(in crate::store) struct Statement {
    pub(super) text: String,
    pub(super) values: Vec<Value>,
}

impl Statement {
    pub(in crate::store) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), values: Vec::new() }
    }

    pub(in crate::store) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// A value of the text so far.
    pub(in crate::store) fn with(mut self, value: impl Into<i64>) -> Self {
        self.values.push(Value::Int(value.into()));
        self
    }

    /// Adds a place for a value, and the value.
    pub(in crate::store) fn bind(&mut self, value: i64) -> &mut Self {
        self.text.push('?');
        self.values.push(Value::Int(value));
        self
    }

    /// As [`Self::bind`], of a text.
    pub(in crate::store) fn bind_text(&mut self, value: &str) -> &mut Self {
        self.text.push('?');
        self.values.push(Value::Text(Some(value.to_owned())));
        self
    }

    /// Adds places for values, with commas.
    pub(in crate::store) fn list(&mut self, values: impl IntoIterator<Item = i64>) -> &mut Self {
        for (n, value) in values.into_iter().enumerate() {
            self.push(if n == 0 { "" } else { ", " }).bind(value);
        }
        self
    }
}

/// Takes the parts of rows, column after column, row after row.
#[derive(Debug, Default)]
pub(in crate::store) struct Columns(pub(super) Vec<Value>);

impl Columns {
    pub(in crate::store) fn int(&mut self, value: impl Into<i64>) -> &mut Self {
        self.0.push(Value::Int(value.into()));
        self
    }

    pub(in crate::store) fn maybe_int(&mut self, value: Option<i64>) -> &mut Self {
        self.0.push(value.map_or(Value::NoInt, Value::Int));
        self
    }

    pub(in crate::store) fn id(&mut self, value: u64) -> &mut Self {
        self.int(value.cast_signed())
    }

    pub(in crate::store) fn amount(&mut self, value: Amount) -> &mut Self {
        let (whole, frac) = amount::split(value);
        self.int(whole).int(frac)
    }

    pub(in crate::store) fn maybe_amount(&mut self, value: Option<Amount>) -> &mut Self {
        let parts = value.map(amount::split);
        self.maybe_int(parts.map(|(whole, _)| whole)).maybe_int(parts.map(|(_, frac)| frac))
    }

    pub(in crate::store) fn text(&mut self, value: Option<String>) -> &mut Self {
        self.0.push(Value::Text(value));
        self
    }

    pub(in crate::store) fn bytes(&mut self, value: Vec<u8>) -> &mut Self {
        self.0.push(Value::Bytes(value));
        self
    }
}
