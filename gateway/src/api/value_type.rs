//! The forms of answers and of parameters, for the documents of calls, and their JSON schema.
//!
//! Owns: what a value can be, and what that is in a schema. Never does: know a call; write an answer. Invariants: tests compare
//! answers of the real server with the schemas. Known limits: values that follow from others are not described.

use serde_json::Value;
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, ObjectBuilder, OneOfBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

const DECIMAL: &str = r"^-?[0-9]+(\.[0-9]+)?$";

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// A text.
    Text,
    /// One of these texts.
    Words(&'static [&'static str]),
    /// A decimal number as text.
    Decimal,
    /// A whole number.
    Whole,
    /// One of these whole numbers.
    Numbers(&'static [i64]),
    /// A number, whole or not.
    Number,
    /// True or false.
    Flag,
    /// Nothing.
    Null,
    /// Anything.
    Any,
    /// An object with these fields and no others.
    Object(&'static [Field]),
    /// Such an object with further fields.
    More(&'static ValueType, &'static [Field]),
    /// An object whose names are data.
    Map(&'static ValueType),
    /// A list.
    List(&'static ValueType),
    /// One of these.
    Either(&'static [ValueType]),
    /// A form that the document describes once, under this name.
    Named(&'static str, &'static ValueType),
}

/// A field of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its form.
    pub form: ValueType,
    /// Is there in every answer.
    pub always: bool,
    /// What it says where its name does not; empty: nothing to add.
    pub about: &'static str,
}

impl Field {
    /// With what it says.
    pub(crate) const fn about(self, about: &'static str) -> Field {
        Field { about, ..self }
    }
}

pub(crate) const fn has(name: &'static str, form: ValueType) -> Field {
    Field { name, form, always: true, about: "" }
}

pub(crate) const fn may(name: &'static str, form: ValueType) -> Field {
    Field { name, form, always: false, about: "" }
}

impl ValueType {
    /// The fields of an object, those of the object that it extends first.
    fn fields(self) -> Vec<Field> {
        match self {
            ValueType::Object(fields) => fields.to_vec(),
            ValueType::More(of, fields) => of.fields().into_iter().chain(fields.iter().copied()).collect(),
            ValueType::Named(_, form) => form.fields(),
            ValueType::Text
            | ValueType::Words(_)
            | ValueType::Decimal
            | ValueType::Whole
            | ValueType::Numbers(_)
            | ValueType::Number
            | ValueType::Flag
            | ValueType::Null
            | ValueType::Any
            | ValueType::Map(_)
            | ValueType::List(_)
            | ValueType::Either(_) => Vec::new(),
        }
    }

    /// Calls `each` with every named form that this one is made of, itself among them.
    pub(crate) fn each_named(self, each: &mut impl FnMut(&'static str, ValueType)) {
        match self {
            ValueType::Named(name, form) => {
                each(name, *form);
                form.each_named(each);
            }
            ValueType::Object(fields) => fields.iter().for_each(|field| field.form.each_named(each)),
            ValueType::More(of, fields) => {
                // What it extends is described as a part of it.
                for field in of.fields().iter().chain(fields) {
                    field.form.each_named(each);
                }
            }
            ValueType::List(of) | ValueType::Map(of) => of.each_named(each),
            ValueType::Either(forms) => forms.iter().for_each(|form| form.each_named(each)),
            ValueType::Text
            | ValueType::Words(_)
            | ValueType::Decimal
            | ValueType::Whole
            | ValueType::Numbers(_)
            | ValueType::Number
            | ValueType::Flag
            | ValueType::Null
            | ValueType::Any => {}
        }
    }
}

pub(crate) fn of_type(kind: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Type(kind))
}

/// A value that is one of these.
pub(crate) fn words<V: Into<Value>>(kind: Type, words: impl Iterator<Item = V>) -> ObjectBuilder {
    of_type(kind).enum_values(Some(words.map(Into::into).collect::<Vec<Value>>()))
}

/// The schema of a form; of a named one a reference.
pub(crate) fn schema(form: ValueType) -> RefOr<Schema> {
    RefOr::T(match form {
        ValueType::Text => Schema::Object(of_type(Type::String).build()),
        ValueType::Words(list) => Schema::Object(words(Type::String, list.iter().copied()).build()),
        ValueType::Decimal => Schema::Object(of_type(Type::String).pattern(Some(DECIMAL)).build()),
        ValueType::Whole => Schema::Object(of_type(Type::Integer).build()),
        ValueType::Numbers(list) => Schema::Object(words(Type::Integer, list.iter().copied()).build()),
        ValueType::Number => Schema::Object(of_type(Type::Number).build()),
        ValueType::Flag => Schema::Object(of_type(Type::Boolean).build()),
        ValueType::Null => Schema::Object(of_type(Type::Null).build()),
        ValueType::Any => Schema::Object(ObjectBuilder::new().schema_type(SchemaType::AnyValue).build()),
        ValueType::List(of) => Schema::Array(ArrayBuilder::new().items(schema(*of)).build()),
        ValueType::Map(of) => {
            let values = AdditionalProperties::RefOr(schema(*of));
            Schema::Object(of_type(Type::Object).additional_properties(Some(values)).build())
        }
        ValueType::Either(forms) => {
            Schema::OneOf(forms.iter().fold(OneOfBuilder::new(), |all, form| all.item(schema(*form))).build())
        }
        ValueType::Object(_) | ValueType::More(..) => {
            let object = form.fields().into_iter().fold(of_type(Type::Object), |object, field| {
                let object = object.property(field.name, told(field));
                if field.always { object.required(field.name) } else { object }
            });
            Schema::Object(object.additional_properties(Some(AdditionalProperties::FreeForm(false))).build())
        }
        ValueType::Named(name, _) => return Ref::from_schema_name(name).into(),
    })
}

/// The schema of a field's value, with what it says.
fn told(field: Field) -> RefOr<Schema> {
    let mut schema = schema(field.form);
    if !field.about.is_empty() {
        let about = Some(field.about.to_owned());
        match &mut schema {
            RefOr::T(Schema::Object(object)) => object.description = about,
            RefOr::T(Schema::Array(list)) => list.description = about,
            RefOr::T(Schema::OneOf(forms)) => forms.description = about,
            RefOr::T(_) => unreachable!("no form is such a schema"),
            RefOr::Ref(named) => named.description = field.about.to_owned(),
        }
    }
    schema
}
