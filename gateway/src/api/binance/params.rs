//! Parameters of calls: what each may hold, and the texts that come in read as such.
//!
//! Owns: kinds of parameters, their legal ranges, the order in which a request's are looked at. Never does: know a call.
//! Invariants: what [`Args`] holds has passed its kind; a refusal names the first wrong parameter in the call's order.
//! Known limits: amounts have eight decimals.
//! Rules: `docs/rules/program-api.md "Checks"`, "Errors".

use super::errors::ApiError;
use crate::api::http::params::url_decode;
use crate::common::decimal::{self, BadNumber};
use std::borrow::Cow;
use xng_core::ids::ClientOrderId;
use xng_core::money::Amount;

const SYMBOL: &str = "^[A-Z0-9-_.]{1,20}$";
const SYMBOLS: &str = r#"^\[("[A-Z0-9-_.]{1,20}"(,"[A-Z0-9-_.]{1,20}"){0,}){0,}\]$"#;
const WHOLE: &str = "^[0-9]{1,20}$";
const DECIMAL: &str = r"^([0-9]{1,20})(\.[0-9]{1,20})?$";
const NAME: &str = r"^[\.A-Z\:/a-z0-9_-]{1,36}$";
const ZONE: &str = r"^([+-]?(0?[0-9]|1[01])(:[0-5][0-9])?|-12(:00)?|\+?1[23](:[0-5][0-9])?|\+?14(:00)?)$";
/// Up to 60,000 with up to three decimals.
const WINDOW: &str = r"^0{0,15}(([0-9]{1,4}|[1-5][0-9]{4})(\.[0-9]{1,3}0{0,17})?|60000(\.0{1,20})?)$";
const TEXT: &str = "^[ -~]{1,512}$";

/// Microseconds since the epoch from this on, milliseconds below: the year 5138 in one, 1973 in the other.
const MICROSECONDS_FROM: i64 = 100_000_000_000_000;
/// The longest window, and the one of a request that names none, in microseconds.
const MOST_WINDOW_US: i64 = 60_000_000;
/// Bytes of a list in JSON at most.
const MOST_JSON: usize = 8_192;
/// Symbols in a list at most.
pub const MOST_SYMBOLS: usize = 100;
/// Parameters of one source at most: each is compared with all others.
const MOST_PARAMS: usize = 64;

/// What a parameter may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// The name of a market.
    Symbol,
    /// A JSON list of names of markets.
    Symbols,
    /// A whole number from 0.
    Whole,
    /// A whole number, above zero.
    Limit,
    /// A time in milli- or microseconds, kept in microseconds.
    Time,
    /// An amount from 0 with up to eight decimals.
    Amount,
    /// Milliseconds with up to three decimals, at most 60,000; kept in microseconds.
    Window,
    /// `true` or `false`.
    Flag,
    /// The same in any case of letters, as clients write it.
    AnyFlag,
    /// A list in JSON.
    Json,
    /// A client order id.
    Name,
    /// Hours, or hours and minutes, from UTC: from -12:00 to +14:00; kept in minutes.
    Zone,
    /// Printable characters.
    Text,
    /// The same, of which the call takes what is like this regular expression.
    Like(&'static str),
    /// One of these words, or this error.
    OneOf(&'static [&'static str], Wrong),
}

/// The error of a word that there is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Wrong {
    Tif,
    OrderType,
    Side,
    Interval,
    SymbolStatus,
    TickerType,
    Restrictions,
    PositionSide,
    Data,
}

impl Wrong {
    fn error(self, name: &str) -> ApiError {
        match self {
            Wrong::Tif => ApiError::bad(-1115, "Invalid timeInForce."),
            Wrong::OrderType => ApiError::order_type(),
            Wrong::Side => ApiError::bad(-1117, "Invalid side."),
            Wrong::Interval => ApiError::bad(-1120, "Invalid interval."),
            Wrong::SymbolStatus => ApiError::bad(-1122, "Invalid symbolStatus."),
            Wrong::TickerType => ApiError::bad(-1139, "Invalid ticker type."),
            Wrong::Restrictions => ApiError::bad(-1145, "Invalid cancelRestrictions"),
            Wrong::PositionSide => ApiError::bad(-4060, "Invalid position side."),
            Wrong::Data => ApiError::data(name),
        }
    }
}

/// A parameter of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it may hold.
    pub kind: ParamKind,
    /// Must be there.
    pub mandatory: bool,
}

/// A parameter that must be there.
#[must_use]
pub const fn must(name: &'static str, kind: ParamKind) -> Param {
    Param { name, kind, mandatory: true }
}

/// A parameter that may be there.
#[must_use]
pub const fn may(name: &'static str, kind: ParamKind) -> Param {
    Param { name, kind, mandatory: false }
}

/// What signed calls have besides their own.
pub const SIGNED: [Param; 3] =
    [may("recvWindow", ParamKind::Window), must("timestamp", ParamKind::Time), must("signature", ParamKind::Text)];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    Whole(i64),
    Amount(Amount),
    Flag(bool),
    Names(Vec<String>),
}

/// Names and texts as they came in.
pub type Pairs = Vec<(String, String)>;

/// Splits one source (query or body) into its pairs.
///
/// # Errors
/// -1101 for a name that comes twice and for too many, -1100 for what is badly encoded.
pub fn pairs(source: &[u8]) -> Result<Pairs, ApiError> {
    let mut list: Pairs = Vec::new();
    for pair in source.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
        let at = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
        let name = String::from_utf8_lossy(&pair[..at]).into_owned();
        let value = url_decode(pair.get(at + 1..).unwrap_or_default());
        let value = value.map_err(|_| ApiError::illegal(&name, TEXT))?.into_owned();
        if list.iter().any(|(known, _)| *known == name) {
            return Err(ApiError::duplicate(&name));
        }
        if list.len() == MOST_PARAMS {
            return Err(ApiError::bad(-1101, "Too many parameters sent for this endpoint."));
        }
        list.push((name, value));
    }
    Ok(list)
}

/// What a call was sent, each as its kind says.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Args(Vec<(&'static str, Value)>);

impl Args {
    /// Reads texts by a call's parameters; `sent` names each once.
    ///
    /// # Errors
    /// The convention's error of the first parameter that is missing or wrong; -1104 when one is not the call's.
    pub fn read<'p>(params: impl Iterator<Item = &'p Param>, sent: &Pairs) -> Result<Args, ApiError> {
        let mut args = Args::default();
        for param in params {
            match sent.iter().find(|(name, _)| name == param.name) {
                None if param.mandatory => return Err(ApiError::missing(param.name)),
                None => {}
                Some((_, text)) if text.is_empty() && param.mandatory => return Err(ApiError::missing(param.name)),
                Some((_, text)) if text.is_empty() => return Err(ApiError::empty(param.name)),
                Some((_, text)) => args.0.push((param.name, param.kind.read(param.name, text)?)),
            }
        }
        if sent.len() > args.0.len() { Err(ApiError::unread(sent.len(), args.0.len())) } else { Ok(args) }
    }

    /// Some of them under other names: those of one part of a request that has several.
    #[must_use]
    pub fn renamed(&self, names: impl Iterator<Item = (String, &'static str)>) -> Args {
        Args(names.filter_map(|(name, plain)| self.find(&name).map(|value| (plain, value.clone()))).collect())
    }

    /// Adds a text that was not sent.
    pub fn put_text(&mut self, name: &'static str, text: &str) {
        self.0.push((name, Value::Text(text.to_owned())));
    }

    fn find(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Whether it was sent.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// A text, word, symbol or name.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.find(name)? {
            Value::Text(text) => Some(text),
            other @ (Value::Whole(_) | Value::Amount(_) | Value::Flag(_) | Value::Names(_)) => {
                unreachable!("{name} is {other:?}")
            }
        }
    }

    /// A text that the table says must be there.
    ///
    /// # Errors
    /// -1102 without it.
    pub fn need(&self, name: &str) -> Result<&str, ApiError> {
        self.text(name).ok_or_else(|| ApiError::missing(name))
    }

    /// A whole number; of times microseconds, of windows too, of zones minutes.
    #[must_use]
    pub fn whole(&self, name: &str) -> Option<i64> {
        match self.find(name)? {
            Value::Whole(number) => Some(*number),
            other @ (Value::Text(_) | Value::Amount(_) | Value::Flag(_) | Value::Names(_)) => {
                unreachable!("{name} is {other:?}")
            }
        }
    }

    /// An amount.
    #[must_use]
    pub fn amount(&self, name: &str) -> Option<Amount> {
        match self.find(name)? {
            Value::Amount(amount) => Some(*amount),
            other @ (Value::Text(_) | Value::Whole(_) | Value::Flag(_) | Value::Names(_)) => {
                unreachable!("{name} is {other:?}")
            }
        }
    }

    /// Whether a flag was sent as `true`.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.find(name)? {
            Value::Flag(flag) => Some(*flag),
            other @ (Value::Text(_) | Value::Whole(_) | Value::Amount(_) | Value::Names(_)) => {
                unreachable!("{name} is {other:?}")
            }
        }
    }

    /// A list of symbols.
    #[must_use]
    pub fn names(&self, name: &str) -> Option<&[String]> {
        match self.find(name)? {
            Value::Names(names) => Some(names),
            other @ (Value::Text(_) | Value::Whole(_) | Value::Amount(_) | Value::Flag(_)) => {
                unreachable!("{name} is {other:?}")
            }
        }
    }

    /// `limit`, or `default`; more than `most` is cut.
    #[must_use]
    pub fn limit(&self, default: usize, most: usize) -> usize {
        self.whole("limit").map_or(default, |limit| usize::try_from(limit).unwrap_or(most).min(most))
    }
}

impl ParamKind {
    fn read(self, name: &str, text: &str) -> Result<Value, ApiError> {
        let owned = || Value::Text(text.to_owned());
        match self {
            ParamKind::Symbol if is_symbol(text) => Ok(owned()),
            ParamKind::Symbol => Err(ApiError::illegal(name, SYMBOL)),
            ParamKind::Symbols => symbols(name, text),
            ParamKind::Whole => whole(name, text).map(Value::Whole),
            ParamKind::Limit => match whole(name, text)? {
                0 => Err(ApiError::data(name)),
                limit => Ok(Value::Whole(limit)),
            },
            ParamKind::Time => Ok(Value::Whole(microseconds(whole(name, text)?))),
            ParamKind::Amount => amount(name, text).map(Value::Amount),
            ParamKind::Window => window(name, text).map(Value::Whole),
            ParamKind::Flag => match text {
                "true" => Ok(Value::Flag(true)),
                "false" => Ok(Value::Flag(false)),
                _ => Err(ApiError::data(name)),
            },
            ParamKind::AnyFlag => ParamKind::Flag.read(name, &text.to_ascii_lowercase()),
            ParamKind::Json if text.len() <= MOST_JSON => Ok(owned()),
            ParamKind::Json => Err(ApiError::data(name)),
            ParamKind::Name if ClientOrderId::parse(text).is_some() => Ok(owned()),
            ParamKind::Name => Err(ApiError::illegal(name, NAME)),
            ParamKind::Zone => zone(text).map(Value::Whole).ok_or_else(|| ApiError::illegal(name, ZONE)),
            ParamKind::Text | ParamKind::Like(_)
                if text.len() <= 512 && text.bytes().all(|b| matches!(b, b' '..=b'~')) =>
            {
                Ok(owned())
            }
            ParamKind::Text | ParamKind::Like(_) => Err(ApiError::illegal(name, TEXT)),
            ParamKind::OneOf(words, wrong) => {
                if words.contains(&text) {
                    Ok(owned())
                } else {
                    Err(wrong.error(name))
                }
            }
        }
    }

    /// The regular expression that a text must match, where there is one.
    #[must_use]
    pub fn pattern(self) -> Option<Cow<'static, str>> {
        match self {
            ParamKind::Symbol => Some(SYMBOL.into()),
            ParamKind::Symbols => Some(SYMBOLS.into()),
            ParamKind::Amount => Some(DECIMAL.into()),
            ParamKind::Window => Some(WINDOW.into()),
            ParamKind::Name => Some(NAME.into()),
            ParamKind::Zone => Some(ZONE.into()),
            ParamKind::Text => Some(TEXT.into()),
            ParamKind::Like(pattern) => Some(pattern.into()),
            ParamKind::Whole
            | ParamKind::Limit
            | ParamKind::Time
            | ParamKind::Flag
            | ParamKind::AnyFlag
            | ParamKind::Json
            | ParamKind::OneOf(..) => None,
        }
    }
}

fn is_symbol(text: &str) -> bool {
    let legal = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.');
    (1..=20).contains(&text.len()) && text.bytes().all(legal)
}

fn symbols(name: &str, text: &str) -> Result<Value, ApiError> {
    let names: Vec<String> = serde_json::from_str(text).map_err(|_| ApiError::illegal(name, SYMBOLS))?;
    if names.is_empty() || names.len() > MOST_SYMBOLS || !names.iter().all(|name| is_symbol(name)) {
        return Err(ApiError::illegal(name, SYMBOLS));
    }
    let twice = names.iter().enumerate().any(|(at, one)| names[..at].contains(one));
    if twice { Err(ApiError::duplicate_symbols()) } else { Ok(Value::Names(names)) }
}

fn whole(name: &str, text: &str) -> Result<i64, ApiError> {
    if text.is_empty() || text.len() > 20 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ApiError::illegal(name, WHOLE));
    }
    text.parse().map_err(|_| ApiError::overflow(name))
}

fn microseconds(time: i64) -> i64 {
    if time >= MICROSECONDS_FROM { time } else { time * 1_000 }
}

fn amount(name: &str, text: &str) -> Result<Amount, ApiError> {
    if text.starts_with('-') {
        return Err(ApiError::illegal(name, DECIMAL));
    }
    decimal::amount(text).map_err(|bad| match bad {
        BadNumber::Shape => ApiError::illegal(name, DECIMAL),
        BadNumber::Range if decimals(text) > 8 => ApiError::precision(name),
        BadNumber::Range | BadNumber::Step => ApiError::overflow(name),
    })
}

fn decimals(text: &str) -> usize {
    text.split_once('.').map_or(0, |(_, frac)| frac.trim_end_matches('0').len())
}

fn window(name: &str, text: &str) -> Result<i64, ApiError> {
    if decimals(text) > 3 {
        return Err(ApiError::precision(name));
    }
    // Of a millisecond with eight decimals, a microsecond is 100,000 units.
    let us = i64::try_from(amount(name, text)?.0 / 100_000).unwrap_or(i64::MAX);
    if us > MOST_WINDOW_US { Err(ApiError::window()) } else { Ok(us) }
}

/// Minutes from UTC.
fn zone(text: &str) -> Option<i64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "00"));
    let number = |digits: &str, most: usize| {
        let plain = (1..=most).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse::<i64>().ok()).flatten()
    };
    let minutes = number(minutes, 2).filter(|_| minutes.len() == 2).filter(|minutes| *minutes < 60)?;
    let offset = sign * (number(hours, 2)? * 60 + minutes);
    (-12 * 60..=14 * 60).contains(&offset).then_some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: [Param; 8] = [
        must("symbol", ParamKind::Symbol),
        may("side", ParamKind::OneOf(&["BUY", "SELL"], Wrong::Side)),
        may("quantity", ParamKind::Amount),
        may("limit", ParamKind::Limit),
        may("startTime", ParamKind::Time),
        may("recvWindow", ParamKind::Window),
        may("newClientOrderId", ParamKind::Name),
        may("timeZone", ParamKind::Zone),
    ];

    fn read(query: &str) -> Result<Args, i32> {
        pairs(query.as_bytes()).and_then(|sent| Args::read(PARAMS.iter(), &sent)).map_err(|error| error.code)
    }

    #[test]
    fn each_bad_input_has_its_code() {
        let long = format!("symbol=A&quantity={}", "1".repeat(21));
        let big = format!("symbol=A&quantity={}", "9".repeat(20));
        for (query, code) in [
            ("", -1102),
            ("symbol=", -1102),
            ("symbol=btcusdt", -1100),
            ("symbol=AAAAAAAAAAAAAAAAAAAAA", -1100),
            ("symbol=A&symbol=A", -1101),
            ("symbol=A&x=1", -1104),
            ("symbol=A&side=", -1105),
            ("symbol=A&side=buy", -1117),
            ("symbol=A&quantity=1e5", -1100),
            ("symbol=A&quantity=-1", -1100),
            ("symbol=A&quantity=%2B1", -1100),
            ("symbol=A&quantity=+1", -1100),
            ("symbol=A&quantity=NaN", -1100),
            ("symbol=A&quantity=.5", -1100),
            ("symbol=A&quantity=%ff", -1100),
            (&long, -1100),
            (&big, -1108),
            ("symbol=A&quantity=0.000000001", -1111),
            ("symbol=A&limit=0", -1130),
            ("symbol=A&limit=-1", -1100),
            ("symbol=A&startTime=99999999999999999999", -1108),
            ("symbol=A&recvWindow=60000.001", -1131),
            ("symbol=A&recvWindow=1.0001", -1111),
            ("symbol=A&newClientOrderId=a%20b", -1100),
            ("symbol=A&timeZone=14:01", -1100),
            ("symbol=A&timeZone=-12:30", -1100),
            ("symbol=A&timeZone=5:5", -1100),
        ] {
            assert_eq!(read(query), Err(code), "{query}");
        }
    }

    #[test]
    fn a_flood_of_names_is_cut_short() {
        let flood = |count: usize| (0..count).map(|n| format!("&p{n}=")).collect::<String>();
        assert_eq!(pairs(flood(MOST_PARAMS).as_bytes()).unwrap().len(), MOST_PARAMS);
        assert_eq!(pairs(flood(MOST_PARAMS + 1).as_bytes()).unwrap_err().code, -1101);
    }

    #[test]
    fn texts_say_what_was_wrong_word_by_word() {
        let sent = pairs(b"symbol=btcusdt").unwrap();
        let error = Args::read(PARAMS.iter(), &sent).unwrap_err();
        let text = "Illegal characters found in parameter 'symbol'; legal range is '^[A-Z0-9-_.]{1,20}$'.";
        assert_eq!(error.msg, text);
        let error = Args::read(PARAMS.iter(), &pairs(b"symbol=A&x=1&y=2").unwrap()).unwrap_err();
        assert_eq!(error.msg, "Not all sent parameters were read; read '1' parameter(s) but was sent '3'.");
    }

    #[test]
    fn what_is_good_is_kept_in_its_unit() {
        let args =
            read("symbol=A&quantity=1.50&limit=7&recvWindow=5000.5&startTime=1700000000000&timeZone=-5:30").unwrap();
        assert_eq!(args.amount("quantity"), Some(Amount(150_000_000)));
        assert_eq!((args.limit(500, 5), args.whole("recvWindow")), (5, Some(5_000_500)));
        assert_eq!((args.whole("startTime"), args.whole("timeZone")), (Some(1_700_000_000_000_000), Some(-330)));
        assert_eq!(read("symbol=A&startTime=1700000000000000").unwrap().whole("startTime"), args.whole("startTime"));
    }

    #[test]
    fn a_list_of_symbols_names_each_once() {
        let read = |text: &str| ParamKind::Symbols.read("symbols", text).map_err(|error| error.code);
        assert_eq!(read(r#"["A","B"]"#), Ok(Value::Names(vec!["A".into(), "B".into()])));
        assert_eq!((read("[]"), read(r#"["a"]"#), read("A")), (Err(-1100), Err(-1100), Err(-1100)));
        assert_eq!(read(r#"["A","A"]"#), Err(-1151));
    }
}
