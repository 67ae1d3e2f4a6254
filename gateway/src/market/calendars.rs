//! Trading calendars in `config/calendars.toml`: hours, holidays and early closes of venues, and their sessions.
//!
//! Owns: the form of these settings, and the instants of sessions. Never does: read a clock; open or close a market.
//! Invariants: sessions are sorted and do not overlap; the tz database is the one in the binary, so the same settings
//! make the same instants on every machine; what does not fit together is refused before the exchange starts. Known
//! limits: no session passes midnight; no auctions; a calendar does not know how far its lists of holidays reach, and
//! takes later weekdays for trading days.

use crate::config::ConfigError;
use jiff::civil::{Date, Weekday};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, ToSpan, Zoned};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use thiserror::Error;
use xng_core::stock::calendar::Session;

/// A minute of a local day.
type Minute = u16;

/// The end of a local day.
const MIDNIGHT: Minute = 24 * 60;
const DAY_MS: u64 = 86_400_000;

/// Names of weekdays.
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// `config/calendars.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Calendars {
    pub calendar: Vec<CalendarSeed>,
}

/// One of `[[calendar]]`: hours, weekdays and exceptions, or `sessions` in place of all these.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct CalendarSeed {
    pub id: u16,
    pub name: String,
    pub zone: String,
    #[serde(default)]
    pub hours: Vec<(String, String)>,
    #[serde(default)]
    pub weekdays: Vec<String>,
    #[serde(default)]
    pub holiday: Vec<HolidaySeed>,
    #[serde(default)]
    pub early_close: Vec<EarlyCloseSeed>,
    pub sessions: Option<Vec<SessionSeed>>,
}

/// One of `[[calendar.holiday]]`: a date without sessions.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct HolidaySeed {
    pub date: String,
    pub name: String,
}

/// One of `[[calendar.early_close]]`: a date whose sessions end at `close`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct EarlyCloseSeed {
    pub date: String,
    pub close: String,
}

/// One of `sessions`, in milliseconds since the epoch: it trades from `open_ms` until before `close_ms`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct SessionSeed {
    pub open_ms: u64,
    pub close_ms: u64,
    /// Whether its local day has no later session.
    pub last: bool,
}

/// Why a calendar cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum CalendarError {
    #[error("unknown time zone {0}")]
    Zone(String),
    #[error("{0} is not a time from 00:00 to 24:00")]
    Time(String),
    #[error("{0} is not a date of the form 2026-01-31")]
    Date(String),
    #[error("unknown weekday {0}; weekdays are mon, tue, wed, thu, fri, sat, sun")]
    Weekday(String),
    #[error("{0} is listed twice")]
    Twice(String),
    #[error("it has neither hours and weekdays nor sessions")]
    NoHours,
    #[error("sessions stand in place of hours, weekdays, holidays and early closes; it has both")]
    Both,
    #[error("hours {open} to {close} do not close after they open")]
    Backward { open: String, close: String },
    #[error("hours {open} to {close} open before the ones listed before them close")]
    Overlap { open: String, close: String },
    #[error("{date} closes early, but its weekday has no sessions")]
    NotTrading { date: String },
    #[error("{date} closes early at {close}, which is not within a session or is its usual close")]
    NotEarly { date: String, close: String },
    #[error("the session that opens at {0} does not close later, or opens before the one listed before it closes")]
    Sessions(u64),
    #[error("sessions before the year 1970 or after 9999 are not told")]
    Range,
}

impl From<jiff::Error> for CalendarError {
    /// Of checked settings, only the range of times can be exceeded.
    fn from(_: jiff::Error) -> CalendarError {
        CalendarError::Range
    }
}

impl Calendars {
    /// Reads the file.
    ///
    /// # Errors
    /// The file cannot be read, or what is wrong in it.
    pub fn load(path: &Path) -> Result<Calendars, ConfigError> {
        let fail = |message: String| ConfigError::File { path: path.to_owned(), message };
        let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
        Calendars::parse(&text).map_err(fail)
    }

    /// Reads its text.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Calendars, String> {
        let calendars: Calendars = toml::from_str(text).map_err(|e| e.to_string())?;
        let (mut ids, mut names) = (BTreeSet::new(), BTreeSet::new());
        for calendar in &calendars.calendar {
            calendar.check().map_err(|e| format!("calendar {}: {e}", calendar.name))?;
            if !ids.insert(calendar.id) {
                return Err(format!("calendar {}: another one has the id {}", calendar.name, calendar.id));
            }
            if !names.insert(&calendar.name) {
                return Err(format!("calendar {}: another one has its name", calendar.name));
            }
        }
        Ok(calendars)
    }
}

impl CalendarSeed {
    /// Whether its settings fit together.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), CalendarError> {
        self.plan().map(drop)
    }

    /// All sessions that close after `from` and open before `from` plus `days` times 24 hours, in order.
    ///
    /// # Errors
    /// The settings do not fit together, or the times are not within the years 1970 to 9999.
    pub fn sessions(&self, from: Timestamp, days: u32) -> Result<Vec<Session>, CalendarError> {
        let from_ms = u64::try_from(from.as_millisecond()).map_err(|_| CalendarError::Range)?;
        let until_ms = from_ms.saturating_add(u64::from(days) * DAY_MS);
        let mut sessions = match self.plan()? {
            Plan::Instants(sessions) => sessions,
            Plan::Rules(rules) => rules.sessions(from, until_ms)?,
        };
        sessions.retain(|session| session.close_ms > from_ms && session.open_ms < until_ms);
        Ok(sessions)
    }

    fn plan(&self) -> Result<Plan, CalendarError> {
        let zone = TimeZoneDatabase::bundled().get(&self.zone).map_err(|_| CalendarError::Zone(self.zone.clone()))?;
        if let Some(sessions) = &self.sessions {
            return self.instants(sessions).map(Plan::Instants);
        }
        let (hours, weekdays, mut holidays) = (self.read_hours()?, self.read_weekdays()?, BTreeSet::new());
        if hours.is_empty() || weekdays.is_empty() {
            return Err(CalendarError::NoHours);
        }
        for seed in &self.holiday {
            if !holidays.insert(date(&seed.date)?) {
                return Err(CalendarError::Twice(seed.date.clone()));
            }
        }
        let mut rules = Rules { zone, hours, weekdays, holidays, early: BTreeMap::new() };
        for seed in &self.early_close {
            rules.close_early(seed)?;
        }
        Ok(Plan::Rules(rules))
    }

    fn instants(&self, sessions: &[SessionSeed]) -> Result<Vec<Session>, CalendarError> {
        let lists = [self.hours.len(), self.weekdays.len(), self.holiday.len(), self.early_close.len()];
        if lists != [0; 4] {
            return Err(CalendarError::Both);
        }
        let mut closed = 0;
        for session in sessions {
            if session.open_ms < closed || session.close_ms <= session.open_ms {
                return Err(CalendarError::Sessions(session.open_ms));
            }
            closed = session.close_ms;
        }
        Ok(sessions.iter().map(|s| Session { open_ms: s.open_ms, close_ms: s.close_ms, last: s.last }).collect())
    }

    fn read_hours(&self) -> Result<Vec<(Minute, Minute)>, CalendarError> {
        let mut hours: Vec<(Minute, Minute)> = Vec::new();
        for (open, close) in &self.hours {
            let (from, until) = (minute(open)?, minute(close)?);
            if from >= until {
                return Err(CalendarError::Backward { open: open.clone(), close: close.clone() });
            }
            if hours.last().is_some_and(|(_, closed)| from < *closed) {
                return Err(CalendarError::Overlap { open: open.clone(), close: close.clone() });
            }
            hours.push((from, until));
        }
        Ok(hours)
    }

    fn read_weekdays(&self) -> Result<Vec<Weekday>, CalendarError> {
        let mut weekdays = Vec::new();
        for name in &self.weekdays {
            let weekday = WEEKDAYS.iter().find(|(known, _)| known == name).map(|(_, weekday)| *weekday);
            let weekday = weekday.ok_or_else(|| CalendarError::Weekday(name.clone()))?;
            if weekdays.contains(&weekday) {
                return Err(CalendarError::Twice(name.clone()));
            }
            weekdays.push(weekday);
        }
        Ok(weekdays)
    }
}

/// A checked calendar.
enum Plan {
    Instants(Vec<Session>),
    Rules(Rules),
}

/// A checked calendar of local times.
struct Rules {
    zone: TimeZone,
    hours: Vec<(Minute, Minute)>,
    weekdays: Vec<Weekday>,
    holidays: BTreeSet<Date>,
    early: BTreeMap<Date, Minute>,
}

impl Rules {
    fn close_early(&mut self, seed: &EarlyCloseSeed) -> Result<(), CalendarError> {
        let (day, close) = (date(&seed.date)?, minute(&seed.close)?);
        if self.holidays.contains(&day) || self.early.contains_key(&day) {
            return Err(CalendarError::Twice(seed.date.clone()));
        }
        if !self.weekdays.contains(&day.weekday()) {
            return Err(CalendarError::NotTrading { date: seed.date.clone() });
        }
        let within = self.hours.iter().any(|(open, until)| *open < close && close <= *until);
        if !within || self.hours.last().is_some_and(|(_, until)| close == *until) {
            return Err(CalendarError::NotEarly { date: seed.date.clone(), close: seed.close.clone() });
        }
        self.early.insert(day, close);
        Ok(())
    }

    /// At least all sessions that are open between the two instants.
    fn sessions(&self, from: Timestamp, until_ms: u64) -> Result<Vec<Session>, CalendarError> {
        let until = Timestamp::from_millisecond(i64::try_from(until_ms).map_err(|_| CalendarError::Range)?)?;
        let day_of = |time: Timestamp| time.to_zoned(self.zone.clone()).date();
        // One day more at either end, for clocks that are set about midnight.
        let (first, end) = (day_of(from).yesterday()?, day_of(until).tomorrow()?);
        let mut sessions = Vec::new();
        for day in first.series(1.day()).take_while(|day| *day <= end) {
            self.sessions_of(day, &mut sessions)?;
        }
        Ok(sessions)
    }

    /// Appends the sessions of one local day.
    fn sessions_of(&self, day: Date, sessions: &mut Vec<Session>) -> Result<(), CalendarError> {
        if !self.weekdays.contains(&day.weekday()) || self.holidays.contains(&day) {
            return Ok(());
        }
        let end = self.early.get(&day).copied().unwrap_or(MIDNIGHT);
        let before = sessions.len();
        for (open, close) in self.hours.iter().map(|(open, close)| (*open, end.min(*close))) {
            let opens = self.instant(day, open)?;
            // A session that an early close removes, or one of a day that its zone left out.
            if open >= close || opens.date() != day {
                continue;
            }
            // Where clocks are set forward, a close that they skip is later than what its local time says.
            let closed = sessions.last().map_or(0, |session| session.close_ms);
            let (open_ms, close_ms) = (millis(&opens).max(closed), millis(&self.instant(day, close)?));
            if open_ms < close_ms {
                sessions.push(Session { open_ms, close_ms, last: false });
            }
        }
        if let Some(last) = sessions[before..].last_mut() {
            last.last = true;
        }
        Ok(())
    }

    /// A local time that exists twice is the earlier one; one that does not exist is later by what clocks are set
    /// forward.
    fn instant(&self, day: Date, minute: Minute) -> Result<Zoned, CalendarError> {
        let local = day.at(0, 0, 0, 0).checked_add(i64::from(minute).minutes())?;
        Ok(local.to_zoned(self.zone.clone())?)
    }
}

/// Milliseconds since the epoch; what is before it is the epoch.
fn millis(time: &Zoned) -> u64 {
    u64::try_from(time.timestamp().as_millisecond()).unwrap_or(0)
}

fn date(text: &str) -> Result<Date, CalendarError> {
    let date: Option<Date> = text.parse().ok();
    // Other forms, with a time for instance, are refused.
    date.filter(|date| date.to_string() == text).ok_or_else(|| CalendarError::Date(text.to_owned()))
}

fn minute(text: &str) -> Result<Minute, CalendarError> {
    let number = |digits: &str| -> Option<Minute> {
        let plain = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_digit());
        if plain { digits.parse().ok() } else { None }
    };
    let parts = text.split_once(':').and_then(|(hour, minute)| Some((number(hour)?, number(minute)?)));
    let minute = parts.filter(|(_, minute)| *minute < 60).map(|(hour, minute)| hour * 60 + minute);
    minute.filter(|minute| *minute <= MIDNIGHT).ok_or_else(|| CalendarError::Time(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_DAYS: &str = r#"["mon", "tue", "wed", "thu", "fri", "sat", "sun"]"#;

    fn real(name: &str) -> CalendarSeed {
        let calendars = Calendars::load(Path::new("../config/calendars.toml")).unwrap();
        calendars.calendar.into_iter().find(|calendar| calendar.name == name).unwrap()
    }

    fn text(zone: &str, hours: &str) -> String {
        format!("[[calendar]]\nid = 1\nname = \"T\"\nzone = \"{zone}\"\nhours = {hours}\nweekdays = {ALL_DAYS}\n")
    }

    fn daily(zone: &str, hours: &str) -> CalendarSeed {
        Calendars::parse(&text(zone, hours)).unwrap().calendar.remove(0)
    }

    fn ms(time: &str) -> u64 {
        u64::try_from(time.parse::<Timestamp>().unwrap().as_millisecond()).unwrap()
    }

    fn session(open: &str, close: &str, last: bool) -> Session {
        Session { open_ms: ms(open), close_ms: ms(close), last }
    }

    fn date_in(zone: &str, at_ms: u64) -> Date {
        let time = Timestamp::from_millisecond(i64::try_from(at_ms).unwrap()).unwrap();
        time.to_zoned(TimeZoneDatabase::bundled().get(zone).unwrap()).date()
    }

    /// Sessions whose local day is the one.
    fn on(calendar: &CalendarSeed, day: &str) -> Vec<Session> {
        let day: Date = day.parse().unwrap();
        let from = day.yesterday().unwrap().at(0, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp();
        let mut sessions = calendar.sessions(from, 3).unwrap();
        sessions.retain(|session| date_in(&calendar.zone, session.open_ms) == day);
        sessions
    }

    /// As [`on`], with the times of UTC only; `*` after the last session of a day.
    fn times(calendar: &CalendarSeed, day: &str) -> String {
        let time = |at_ms: u64| {
            let time = Timestamp::from_millisecond(i64::try_from(at_ms).unwrap()).unwrap();
            time.to_string()[11..16].to_owned()
        };
        let tell = |session: &Session| {
            format!("{}-{}{}", time(session.open_ms), time(session.close_ms), if session.last { "*" } else { "" })
        };
        on(calendar, day).iter().map(tell).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn new_york_opens_an_hour_earlier_in_utc_while_its_clocks_are_forward() {
        let nyse = real("NYSE");
        assert_eq!(on(&nyse, "2026-03-06"), [session("2026-03-06T14:30:00Z", "2026-03-06T21:00:00Z", true)]);
        assert_eq!(times(&nyse, "2026-03-08"), "");
        assert_eq!(on(&nyse, "2026-03-09"), [session("2026-03-09T13:30:00Z", "2026-03-09T20:00:00Z", true)]);
        assert_eq!(times(&nyse, "2026-10-30"), "13:30-20:00*");
        assert_eq!(times(&nyse, "2026-11-02"), "14:30-21:00*");
    }

    #[test]
    fn hong_kong_has_two_sessions_a_day_and_the_second_is_the_last() {
        let hkex = real("HKEX");
        assert_eq!(times(&hkex, "2026-11-26"), "01:30-04:00 05:00-08:00*");
        assert_eq!(times(&hkex, "2026-07-02"), "01:30-04:00 05:00-08:00*");
    }

    #[test]
    fn holidays_have_no_session_and_early_closes_cut_or_remove_sessions() {
        let (nyse, hkex) = (real("NYSE"), real("HKEX"));
        assert_eq!(times(&nyse, "2026-11-25"), "14:30-21:00*");
        assert_eq!(times(&nyse, "2026-11-26"), "");
        assert_eq!(on(&nyse, "2026-11-27"), [session("2026-11-27T14:30:00Z", "2026-11-27T18:00:00Z", true)]);
        assert_eq!(times(&nyse, "2028-07-03"), "13:30-17:00*");
        assert_eq!(on(&hkex, "2026-12-24"), [session("2026-12-24T01:30:00Z", "2026-12-24T04:00:00Z", true)]);
        assert_eq!(times(&hkex, "2026-12-25"), "");
        assert_eq!(times(&hkex, "2026-12-28"), "01:30-04:00 05:00-08:00*");
        let mut cut = hkex.clone();
        cut.early_close.push(EarlyCloseSeed { date: "2026-12-28".to_owned(), close: "13:30".to_owned() });
        assert_eq!(times(&cut, "2026-12-28"), "01:30-04:00 05:00-05:30*");
    }

    #[test]
    fn a_year_has_as_many_trading_days_as_weekdays_without_holidays() {
        let days = |name: &str, year: &str| {
            let from: Timestamp = format!("{year}-01-01T00:00:00Z").parse().unwrap();
            let sessions = real(name).sessions(from, 365).unwrap();
            (sessions.len(), sessions.iter().filter(|session| session.last).count())
        };
        assert_eq!((days("NYSE", "2026"), days("NYSE", "2027")), ((251, 251), (251, 251)));
        // Three half days a year.
        assert_eq!((days("HKEX", "2026"), days("HKEX", "2027")), ((491, 247), (493, 248)));
    }

    #[test]
    fn eight_hundred_days_are_sorted_disjoint_and_without_holidays() {
        let from: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        for name in ["NYSE", "HKEX"] {
            let calendar = real(name);
            let sessions = calendar.sessions(from, 800).unwrap();
            let holidays: BTreeSet<Date> = calendar.holiday.iter().map(|seed| seed.date.parse().unwrap()).collect();
            let mut of_days: BTreeMap<Date, Vec<bool>> = BTreeMap::new();
            assert!(sessions.iter().all(|session| session.open_ms < session.close_ms));
            assert!(sessions.windows(2).all(|pair| pair[0].close_ms < pair[1].open_ms));
            for session in &sessions {
                of_days.entry(date_in(&calendar.zone, session.open_ms)).or_default().push(session.last);
            }
            assert!(of_days.len() > 530);
            for (day, lasts) in of_days {
                assert!(!holidays.contains(&day) && day.weekday().to_monday_zero_offset() < 5, "{name} {day}");
                assert!(lasts == [true] || lasts == [false, true], "{name} {day}");
            }
            // Wherever one begins, the sessions are the same.
            for day in 0..400 {
                let at = from + (i64::from(day) * 31).hours();
                let at_ms = u64::try_from(at.as_millisecond()).unwrap();
                let open = |session: &Session| session.close_ms > at_ms && session.open_ms < at_ms + 9 * DAY_MS;
                let expected: Vec<Session> = sessions.iter().filter(|session| open(session)).copied().collect();
                assert_eq!(calendar.sessions(at, 9).unwrap(), expected);
            }
        }
    }

    #[test]
    fn a_session_counts_until_it_closes_and_from_before_the_end() {
        let nyse = real("NYSE");
        let first = |from: &str, days| nyse.sessions(from.parse().unwrap(), days).unwrap().first().copied();
        let friday = session("2026-11-27T14:30:00Z", "2026-11-27T18:00:00Z", true);
        assert_eq!(first("2026-11-27T15:00:00Z", 1), Some(friday));
        assert_eq!(first("2026-11-27T17:59:59.999Z", 1), Some(friday));
        assert_eq!(first("2026-11-27T18:00:00Z", 1), None);
        assert_eq!(first("2026-11-26T14:30:00Z", 1), None);
        assert_eq!(first("2026-11-26T14:30:00.001Z", 1), Some(friday));
        let told = |from: &str, days| nyse.sessions(from.parse().unwrap(), days);
        assert_eq!(told("1969-12-31T23:59:59Z", 1), Err(CalendarError::Range));
        assert_eq!(told("2026-01-01T00:00:00Z", u32::MAX), Err(CalendarError::Range));
    }

    #[test]
    fn a_market_that_is_always_open_has_touching_sessions_of_local_days() {
        let calendar = daily("America/New_York", r#"[["00:00", "24:00"]]"#);
        let hours = |day: &str| {
            let sessions = on(&calendar, day);
            assert!(sessions.len() == 1 && sessions[0].last);
            (sessions[0].close_ms - sessions[0].open_ms) / 3_600_000
        };
        assert_eq!((hours("2026-03-07"), hours("2026-03-08"), hours("2026-11-01")), (24, 23, 25));
        let zones = [
            "UTC",
            "America/New_York",
            "Asia/Hong_Kong",
            "America/Havana",
            "America/Santiago",
            "Asia/Beirut",
            "Pacific/Apia",
            "America/St_Johns",
        ];
        for (zone, from) in zones.into_iter().flat_map(|zone| [(zone, "1970-01-01"), (zone, "2009-12-31")]) {
            let from: Timestamp = format!("{from}T00:00:00Z").parse().unwrap();
            let from_ms = u64::try_from(from.as_millisecond()).unwrap();
            let sessions = daily(zone, r#"[["00:00", "24:00"]]"#).sessions(from, 800).unwrap();
            assert!(sessions.windows(2).all(|pair| pair[0].close_ms == pair[1].open_ms), "{zone}");
            assert!(sessions.iter().all(|session| session.last && session.open_ms < session.close_ms), "{zone}");
            assert!(
                sessions[0].open_ms <= from_ms && sessions[sessions.len() - 1].close_ms >= from_ms + 800 * DAY_MS,
                "{zone}"
            );
        }
    }

    #[test]
    fn local_times_that_do_not_exist_are_later_and_times_that_exist_twice_are_the_earlier() {
        let calendar = daily("America/New_York", r#"[["01:30", "02:30"], ["03:00", "04:00"]]"#);
        assert_eq!(times(&calendar, "2026-03-07"), "06:30-07:30 08:00-09:00*");
        // 02:30 is 03:30 of summer: the second session opens when the first one closes.
        assert_eq!(times(&calendar, "2026-03-08"), "06:30-07:30 07:30-08:00*");
        // 01:30 of summer, 02:30 of winter.
        assert_eq!(times(&calendar, "2026-11-01"), "05:30-07:30 08:00-09:00*");
        let skipped = daily("America/New_York", r#"[["02:10", "02:40"]]"#);
        assert_eq!(times(&skipped, "2026-03-08"), "07:10-07:40*");
        // Samoa had no 30 December in 2011.
        let samoa = daily("Pacific/Apia", r#"[["09:30", "16:00"]]"#);
        let sessions = samoa.sessions("2011-12-29T12:00:00Z".parse().unwrap(), 2).unwrap();
        let thursday = session("2011-12-29T19:30:00Z", "2011-12-30T02:00:00Z", true);
        assert_eq!(sessions, [thursday, session("2011-12-30T19:30:00Z", "2011-12-31T02:00:00Z", true)]);
    }

    #[test]
    fn instants_stand_in_place_of_hours() {
        let head = "[[calendar]]\nid = 7\nname = \"T\"\nzone = \"UTC\"\n";
        let read = |rest: &str| Calendars::parse(&format!("{head}{rest}"));
        let at = |ms: i64| Timestamp::from_millisecond(ms).unwrap();
        let first = "{ open_ms = 10, close_ms = 20, last = false }";
        let second = "{ open_ms = 20, close_ms = 90, last = true }";
        let calendar = read(&format!("sessions = [{first}, {second}]")).unwrap().calendar.remove(0);
        let last = Session { open_ms: 20, close_ms: 90, last: true };
        assert_eq!(calendar.sessions(at(0), 1).unwrap(), [Session { open_ms: 10, close_ms: 20, last: false }, last]);
        assert_eq!(calendar.sessions(at(20), 1).unwrap(), [last]);
        assert_eq!(calendar.sessions(at(90), 1).unwrap(), []);
        let never = read("sessions = []").unwrap().calendar.remove(0);
        assert_eq!(never.sessions(at(0), 400).unwrap(), []);
        let refused = |rest: &str, why: &str| assert!(read(rest).unwrap_err().contains(why), "{rest}");
        refused(&format!("sessions = [{second}, {first}]"), "the session that opens at 10 ");
        refused("sessions = [{ open_ms = 10, close_ms = 10, last = true }]", "the session that opens at 10 ");
        refused(&format!("hours = [[\"09:00\", \"10:00\"]]\nsessions = [{first}]"), "it has both");
        refused("", "it has neither");
    }

    #[test]
    fn what_does_not_fit_together_is_told() {
        let holiday = |date: &str| format!("[[calendar.holiday]]\ndate = \"{date}\"\nname = \"H\"\n");
        let early =
            |date: &str, close: &str| format!("[[calendar.early_close]]\ndate = \"{date}\"\nclose = \"{close}\"\n");
        let good = text("Asia/Hong_Kong", r#"[["09:30", "12:00"], ["13:00", "16:00"]]"#);
        let hours = |hours: &str| text("UTC", hours);
        let weekdays = |names: &str| good.replace(ALL_DAYS, names);
        let christmas = "2026-12-24";
        let cases = [
            (text("Asia/Kowloon", r#"[["09:30", "12:00"]]"#), "unknown time zone Asia/Kowloon"),
            (hours(r#"[["12:00", "12:00"]]"#), "hours 12:00 to 12:00 do not close after they open"),
            (hours(r#"[["12:00", "09:30"]]"#), "hours 12:00 to 09:30 do not close after they open"),
            (hours(r#"[["09:30", "12:00"], ["11:59", "16:00"]]"#), "hours 11:59 to 16:00 open before the ones"),
            (hours(r#"[["13:00", "16:00"], ["09:30", "12:00"]]"#), "hours 09:30 to 12:00 open before the ones"),
            (hours(r#"[["9:30", "12:00"]]"#), "9:30 is not a time from 00:00 to 24:00"),
            (hours(r#"[["09:60", "12:00"]]"#), "09:60 is not a time"),
            (hours(r#"[["09:30", "24:01"]]"#), "24:01 is not a time"),
            (hours(r#"[["+9:30", "12:00"]]"#), "+9:30 is not a time"),
            (hours("[]"), "it has neither hours and weekdays nor sessions"),
            (weekdays("[]"), "it has neither hours and weekdays nor sessions"),
            (weekdays(r#"["mon", "monday"]"#), "unknown weekday monday; weekdays are mon, tue"),
            (weekdays(r#"["mon", "mon"]"#), "mon is listed twice"),
            (good.clone() + &holiday(christmas) + &holiday(christmas), "2026-12-24 is listed twice"),
            (good.clone() + &early(christmas, "12:00") + &early(christmas, "15:00"), "2026-12-24 is listed twice"),
            (good.clone() + &holiday(christmas) + &early(christmas, "12:00"), "2026-12-24 is listed twice"),
            (good.clone() + &holiday("2026-02-29"), "2026-02-29 is not a date"),
            (good.clone() + &holiday("20261224"), "20261224 is not a date"),
            (good.clone() + &holiday("2026-12-24T10:00"), "2026-12-24T10:00 is not a date"),
            (good.clone() + &early(christmas, "09:30"), "2026-12-24 closes early at 09:30, which is not within"),
            (good.clone() + &early(christmas, "12:30"), "closes early at 12:30, which is not within a session"),
            (good.clone() + &early(christmas, "16:00"), "closes early at 16:00, which is not within a session or is"),
            (weekdays(r#"["mon"]"#) + &early(christmas, "12:00"), "2026-12-24 closes early, but its weekday"),
            (format!("{good}{good}"), "calendar T: another one has the id 1"),
            (good.clone() + &good.replace("id = 1", "id = 2"), "calendar T: another one has its name"),
            (good.clone() + "colour = 1\n", "unknown field `colour`"),
            (good.clone() + &holiday(christmas) + "close = \"12:00\"\n", "unknown field `close`"),
        ];
        assert!(Calendars::parse(&good).is_ok());
        assert!(Calendars::parse(&(good.clone() + &early(christmas, "12:00") + &holiday("2026-12-25"))).is_ok());
        for (text, why) in cases {
            let told = Calendars::parse(&text).unwrap_err();
            assert!(told.contains(why), "{why}: {told}");
        }
    }
}
