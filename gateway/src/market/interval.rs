//! Candle periods: their names in both APIs and where they begin.
//!
//! Owns: all periods, the zones in which their days begin. Never does: look at a clock. Invariants: every moment lies in
//! exactly one candle of a period and zone. Known limits: weeks begin on Monday.

use crate::common::time::{Ms, month_of};

/// A candle's period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Interval {
    S1,
    M1,
    M3,
    M5,
    M15,
    M30,
    H1,
    H2,
    H4,
    H6,
    H8,
    H12,
    D1,
    D3,
    W1,
    Mo1,
}

/// Where days, and what is counted from them, begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Zone {
    /// At midnight UTC.
    #[default]
    Utc,
    /// Eight hours earlier, in UTC+8.
    East8,
}

impl Zone {
    /// Both.
    pub const ALL: [Zone; 2] = [Zone::Utc, Zone::East8];

    /// By how much its clocks are ahead of UTC.
    #[must_use]
    pub fn offset(self) -> Ms {
        match self {
            Zone::Utc => 0,
            Zone::East8 => 8 * 3_600_000,
        }
    }
}

const DAY: Ms = 86_400_000;
/// The epoch was a Thursday; weeks begin on Monday.
const MONDAY: Ms = 4 * DAY;

impl Interval {
    /// All periods, shortest first.
    pub const ALL: [Interval; 16] = [
        Interval::S1,
        Interval::M1,
        Interval::M3,
        Interval::M5,
        Interval::M15,
        Interval::M30,
        Interval::H1,
        Interval::H2,
        Interval::H4,
        Interval::H6,
        Interval::H8,
        Interval::H12,
        Interval::D1,
        Interval::D3,
        Interval::W1,
        Interval::Mo1,
    ];

    /// Binance's names, shortest first.
    pub const NAMES: [&str; 16] =
        ["1s", "1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "3d", "1w", "1M"];

    /// Binance's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Interval::NAMES[self as usize]
    }

    /// Reads Binance's name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Interval> {
        Interval::ALL.into_iter().find(|i| i.name() == name)
    }

    /// Reads the app's name (`docs/rules/prices.md "Candles"`).
    #[must_use]
    pub fn parse_h5(name: &str) -> Option<Interval> {
        match name {
            "1min" => Some(Interval::M1),
            "5min" => Some(Interval::M5),
            "15min" => Some(Interval::M15),
            "30min" => Some(Interval::M30),
            "60min" | "1H" => Some(Interval::H1),
            "4H" => Some(Interval::H4),
            "1D" | "1day" => Some(Interval::D1),
            "1W" | "1week" => Some(Interval::W1),
            "1M" | "1mon" => Some(Interval::Mo1),
            _ => None,
        }
    }

    /// Its length; `None` for months.
    #[must_use]
    pub fn length(self) -> Option<Ms> {
        let (minute, hour) = (60_000, 3_600_000);
        Some(match self {
            Interval::S1 => 1_000,
            Interval::M1 => minute,
            Interval::M3 => 3 * minute,
            Interval::M5 => 5 * minute,
            Interval::M15 => 15 * minute,
            Interval::M30 => 30 * minute,
            Interval::H1 => hour,
            Interval::H2 => 2 * hour,
            Interval::H4 => 4 * hour,
            Interval::H6 => 6 * hour,
            Interval::H8 => 8 * hour,
            Interval::H12 => 12 * hour,
            Interval::D1 => DAY,
            Interval::D3 => 3 * DAY,
            Interval::W1 => 7 * DAY,
            Interval::Mo1 => return None,
        })
    }

    /// Begin of the candle that `at` lies in, and of the next one.
    #[must_use]
    pub fn span(self, at: Ms) -> (Ms, Ms) {
        let Some(length) = self.length() else { return month_of(at) };
        let shift = if self == Interval::W1 { MONDAY } else { 0 };
        let open = (at - shift).div_euclid(length) * length + shift;
        (open, open + length)
    }

    /// As [`Self::span`] where clocks are ahead of UTC by `offset`; the times given stay UTC's.
    #[must_use]
    pub fn span_at(self, at: Ms, offset: Ms) -> (Ms, Ms) {
        let (open, next) = self.span(at + offset);
        (open - offset, next - offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::time::ts;

    #[test]
    fn weeks_begin_on_monday_and_months_on_the_first() {
        let thursday = 1_723_075_200_000;
        assert_eq!(ts(Interval::W1.span(thursday).0), "2024-08-05 00:00:00");
        assert_eq!(ts(Interval::Mo1.span(thursday).1), "2024-09-01 00:00:00");
        assert_eq!(ts(Interval::H4.span(thursday + 5 * 3_600_000).0), "2024-08-08 04:00:00");
    }

    #[test]
    fn elsewhere_days_weeks_and_months_begin_at_another_hour_and_hours_do_not() {
        let thursday = 1_723_075_200_000;
        let open = |interval: Interval| ts(interval.span_at(thursday + 17 * 3_600_000, Zone::East8.offset()).0);
        assert_eq!(open(Interval::H4), "2024-08-08 16:00:00");
        assert_eq!(open(Interval::H6), "2024-08-08 16:00:00");
        assert_eq!(open(Interval::D1), "2024-08-08 16:00:00");
        assert_eq!(open(Interval::W1), "2024-08-04 16:00:00");
        assert_eq!(open(Interval::Mo1), "2024-07-31 16:00:00");
    }

    #[test]
    fn every_name_is_read_back() {
        for interval in Interval::ALL {
            assert_eq!(Interval::parse(interval.name()), Some(interval));
        }
    }
}
