//! Quotes of one pair: what its source said, the ladder that it wants, and the trades that wait for the tape.
//!
//! Owns: when a price, a ladder and ids of trades are due. Never does: ask anybody, know what the house has.
//! Invariants: a ladder has the source's levels and no others; it is sent again after a refusal, a change of parameters,
//! and every [`REFILL_MS`]; ids are asked for every [`IDS_EVERY_MS`] at most, on average.
//! Known limits: of trades the newest [`MOST_WAITING`] wait; while a user's order, however small, stands between the house's
//! best prices, made-up trades of its side are not told: at its price it would have to be filled, behind it they would lie
//! outside the best prices. The price is not held up by it, and the next ladder that reaches it fills it.

use super::funds::Affordable;
use crate::common::decimal::{lots, ticks};
use crate::common::time::Ms;
use crate::feed::book::FeedBook;
use crate::feed::{FeedEvent, Level};
use crate::market::board::Board;
use crate::market::tape::FeedTrade;
use std::collections::VecDeque;
use xng_core::account::{AccountCommand, SpotCommand};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, PriceId};
use xng_core::money::Amount;
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::spot::{MarketParams, QuoteLevel, Side};

/// The feed's number among a symbol's sources.
const SOURCE: u8 = 1;
/// An index tick at most this often once the price has moved by [`FAR_PPM`]: whoever reads the book must not know more than the
/// index.
const FAR_PRICE_EVERY_MS: Ms = 100;
/// Parts per million; well below what spread and fee of a contract are.
const FAR_PPM: i128 = 100;

/// How often a price becomes a tick otherwise.
struct Pace {
    /// At most this often while it moves little …
    every_ms: Ms,
    /// … and at least this often while it stands.
    heartbeat_ms: Ms,
}

const PACE: Pace = Pace { every_ms: 1_000, heartbeat_ms: 3_000 };
/// Of a pair with seconds options, whose result any change decides. The house looks every 100 ms, so that each change becomes a
/// tick at the second look after the one before at the latest: within 200 ms. A price that stands stays younger than the 2 s of a
/// desk's fresh tick.
const OPTIONS_PACE: Pace = Pace { every_ms: 150, heartbeat_ms: 1_500 };
/// A feed that is silent for this long no longer counts.
const SILENT_MS: Ms = 5_000;
/// The same ladder is sent again this often: what users took of it is filled up, else nothing happens.
const REFILL_MS: Ms = 2_000;
/// After a refusal the next ladder waits this long.
const RETRY_MS: Ms = 1_000;
/// Trades of a pair that wait for ids at most; older ones are dropped and counted.
const MOST_WAITING: usize = 8_192;
/// A pair's tape gets ids this often at most, so that published ids stay near each other and records few.
const IDS_EVERY_MS: Ms = 200;

/// What is known and due of one pair.
pub(super) struct Quoter {
    params: MarketParams,
    /// Its trades are made up: one that the book does not bear never happened.
    simulated: bool,
    book: FeedBook,
    /// The source's own price, where it says one.
    said: Option<Amount>,
    heard_ms: Ms,
    pushed: Option<(Amount, Ms)>,
    quoted_ms: Option<Ms>,
    ladder: Vec<QuoteLevel>,
    /// Not before: the last ladder was refused.
    retry_ms: Ms,
    /// A fill overtook the last ladder.
    overtaken: bool,
    changed: bool,
    /// Lowest and highest price of the trades that go behind the next ladder.
    through: Option<(Amount, Amount)>,
    trades: VecDeque<FeedTrade>,
    /// When ids may be asked for again.
    ids_ms: Ms,
}

/// The best prices of a book.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Touch {
    bid: Option<Amount>,
    ask: Option<Amount>,
}

impl Touch {
    pub(super) fn of(board: &Board) -> Touch {
        Touch { bid: board.best(Side::Buy).map(|l| l.0), ask: board.best(Side::Sell).map(|l| l.0) }
    }

    /// A trade at this price is between the best prices or at one of them.
    fn bears(&self, price: Amount) -> bool {
        self.bid.is_some_and(|bid| price >= bid) && self.ask.is_some_and(|ask| price <= ask)
    }
}

/// Trades that a quoter gives to the tape.
pub(super) struct ToTape {
    pub(super) kept: Vec<FeedTrade>,
    pub(super) dropped: u64,
}

impl Quoter {
    pub(super) fn new(params: MarketParams, simulated: bool) -> Quoter {
        Quoter {
            params,
            simulated,
            book: FeedBook::default(),
            said: None,
            heard_ms: 0,
            pushed: None,
            quoted_ms: None,
            ladder: Vec::new(),
            retry_ms: 0,
            overtaken: false,
            changed: false,
            through: None,
            trades: VecDeque::new(),
            ids_ms: 0,
        }
    }

    pub(super) fn params(&self) -> &MarketParams {
        &self.params
    }

    /// The source's levels of a side, best first.
    pub(super) fn levels(&self, side: Side) -> Box<dyn Iterator<Item = Level> + '_> {
        match side {
            Side::Buy => Box::new(self.book.bids()),
            Side::Sell => Box::new(self.book.asks()),
        }
    }

    /// The ladder that is wanted, whatever the house has.
    pub(super) fn wanted(&self) -> &[QuoteLevel] {
        &self.ladder
    }

    /// Takes what the source says; how many trades were dropped for it.
    pub(super) fn hear(&mut self, event: &FeedEvent, now: Ms) -> u64 {
        let mut dropped = 0;
        self.book.hear(event);
        self.heard_ms = now;
        match event {
            FeedEvent::Book { .. } | FeedEvent::Levels { .. } => self.changed = true,
            FeedEvent::Price { price, .. } => self.said = Some(*price),
            FeedEvent::Trade { price, quantity, time_ms, buyer_is_maker, .. } => {
                if self.trades.len() >= MOST_WAITING {
                    self.trades.pop_front();
                    dropped = 1;
                }
                let (price, quantity) = (*price, *quantity);
                let (time_ms, buyer_is_maker) = (*time_ms, *buyer_is_maker);
                self.trades.push_back(FeedTrade { price, quantity, time_ms, buyer_is_maker });
            }
            FeedEvent::Lost(_) => (self.said, self.heard_ms) = (None, 0),
        }
        dropped
    }

    /// The source's price, unless the source is silent.
    pub(super) fn source_price(&self, now: Ms) -> Option<Amount> {
        let speaks = now - self.heard_ms <= SILENT_MS;
        self.said.or_else(|| self.book.mid()).filter(|_| speaks)
    }

    /// The ladder was refused or could not be paid: another comes later.
    pub(super) fn refused(&mut self, now: Ms) {
        (self.quoted_ms, self.retry_ms, self.overtaken) = (None, now + RETRY_MS, false);
    }

    /// The ladder was taken.
    pub(super) fn stands(&mut self) {
        self.overtaken = false;
    }

    /// A fill overtook the ladder: another is due at once, and what stands may stay. False for the second in a row.
    pub(super) fn comes_again(&mut self) -> bool {
        self.quoted_ms = None;
        !std::mem::replace(&mut self.overtaken, true)
    }

    /// Trades wait, and ids may be asked for.
    pub(super) fn has_trades(&self, now: Ms) -> bool {
        !self.trades.is_empty() && now + IDS_EVERY_MS / 2 >= self.ids_ms
    }

    /// The next ladder leaves out what the waiting trades went through: a source's book and its trades come apart, and where
    /// somebody sold for less no bid stood above. The ladder after it is whole again. (A simulated trade is one with the best
    /// level.)
    pub(super) fn went_through(&mut self) {
        let prices = self.trades.iter().map(|t| t.price);
        self.through = prices.clone().min().zip(prices.max()).filter(|_| !self.simulated);
        self.changed |= self.through.is_some();
    }

    /// The trades that wait. Made-up ones that the book does not bear are left out: a user's order stands before them.
    pub(super) fn take_trades(&mut self, stands: Touch, now: Ms) -> ToTape {
        self.ids_ms = self.ids_ms.max(now) + IDS_EVERY_MS;
        let waiting = self.trades.len() as u64;
        let kept: Vec<FeedTrade> = self.trades.drain(..).filter(|t| !self.simulated || stands.bears(t.price)).collect();
        let dropped = waiting - kept.len() as u64;
        ToTape { kept, dropped }
    }

    /// The price as a tick, if one is due; more often where options depend on it.
    pub(super) fn price(&mut self, mid: Amount, now: Ms, has_options: bool) -> Option<Command> {
        let pace = if has_options { OPTIONS_PACE } else { PACE };
        let due = self.pushed.is_none_or(|(price, at)| {
            let is_far = (mid.0 - price.0).abs() >= price.0 / 1_000_000 * FAR_PPM;
            let every = if is_far { FAR_PRICE_EVERY_MS } else { pace.every_ms };
            now - at >= pace.heartbeat_ms || (price != mid && now - at >= every)
        });
        if !due {
            return None;
        }
        self.pushed = Some((mid, now));
        let said = SourcePrice { source: SOURCE, price: mid };
        Some(Command::Price(PriceId(self.params.market.0), PriceCommand::Push(said)))
    }

    /// Takes over parameters that changed; the next ladder is made by them.
    pub(super) fn refresh(&mut self, params: &MarketParams) {
        if self.params.version != params.version {
            self.params = params.clone();
            (self.quoted_ms, self.retry_ms) = (None, 0);
        }
    }

    /// Whether a ladder is due; it is in `ladder` then.
    pub(super) fn wants_to_quote(&mut self, now: Ms, levels: usize, closed: bool) -> bool {
        if now < self.retry_ms {
            return false;
        }
        let anew = self.changed || closed || self.quoted_ms.is_none();
        let refill = self.quoted_ms.is_none_or(|at| now - at >= REFILL_MS);
        if anew {
            self.ladder = self.ladder(levels);
            // What was left out comes back with the next one.
            self.changed = self.through.take().is_some();
        } else if !refill {
            return false;
        }
        self.quoted_ms = Some(now);
        true
    }

    pub(super) fn quote(&self, ladder: Affordable) -> Command {
        let p = &self.params;
        Command::Account(
            AccountId::HOUSE,
            AccountCommand::Spot(SpotCommand::Quote {
                market: p.market,
                levels: ladder.levels,
                hold: [(p.base, ladder.hold.0 + ladder.slack.0), (p.quote, ladder.hold.1 + ladder.slack.1)],
                version: p.version,
            }),
        )
    }

    pub(super) fn no_quotes(&self) -> Command {
        let none = (Amount::ZERO, Amount::ZERO);
        self.quote(Affordable { levels: Vec::new(), hold: none, slack: none, cut: false })
    }

    /// The feed's best levels in the market's units; what does not fit them is left out.
    fn ladder(&self, levels: usize) -> Vec<QuoteLevel> {
        let p = &self.params;
        let level = |side: Side| {
            move |(price, quantity): Level| {
                let whole = Amount(quantity.0 - quantity.0 % p.step.0);
                let price = on_step(p, side, price)?;
                let (ticks, lots) = (ticks(price, p).ok()?, lots(whole, p).ok()?);
                (!lots.is_zero()).then_some(QuoteLevel { side, ticks, lots: lots.min(p.max_lots) })
            }
        };
        let (lowest, highest) = self.through.unwrap_or((Amount(i128::MAX), Amount::ZERO));
        let bids = self.book.bids().filter(|l| l.0 <= lowest).filter_map(level(Side::Buy));
        let asks = self.book.asks().filter(|l| l.0 >= highest).filter_map(level(Side::Sell));
        let mut ladder: Vec<QuoteLevel> = bids.take(levels).chain(asks.take(levels)).collect();
        ladder.dedup_by_key(|level| (level.side, level.ticks));
        ladder
    }
}

/// The next price of the market's steps that is no better for who takes it; levels of a source's finer steps fall together,
/// and the first of them stands.
fn on_step(p: &MarketParams, side: Side, price: Amount) -> Option<Amount> {
    let step = p.stock.map_or(Some(p.tick), |stock| stock.steps.step(price, p.tick))?;
    let below = Amount(price.0 - price.0 % step.0);
    let at = if side == Side::Buy || below == price { below } else { below + step };
    p.stock.is_none_or(|stock| stock.steps.takes(at, p.tick)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::market::catalog::Seeds;
    use std::path::Path;
    use xng_core::money::ONE;

    fn quoter() -> Quoter {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/markets.toml");
        let seeds = Seeds::load(&root).unwrap();
        let mut params = seeds.params(&seeds.market[0]).unwrap();
        params.version = 1;
        Quoter::new(params, true)
    }

    fn touch(bid: i64, ask: i64) -> Touch {
        Touch { bid: Some(Amount::whole(bid)), ask: Some(Amount::whole(ask)) }
    }

    fn trade(price: i64) -> FeedTrade {
        FeedTrade { price: Amount::whole(price), quantity: Amount::whole(1), time_ms: 1, buyer_is_maker: false }
    }

    #[test]
    fn a_desk_takes_over_changed_parameters_and_quotes_anew() {
        let mut quoter = quoter();
        assert!(quoter.wants_to_quote(1_000, 20, false), "at first");
        assert!(!quoter.wants_to_quote(1_100, 20, false), "nothing changed");
        let changed = MarketParams { version: 2, ..quoter.params.clone() };
        quoter.refresh(&changed);
        assert!(quoter.wants_to_quote(1_200, 20, false));
        let Command::Account(_, AccountCommand::Spot(SpotCommand::Quote { version, .. })) = quoter.no_quotes() else {
            panic!("a quote")
        };
        assert_eq!(version, 2);
    }

    #[test]
    fn an_index_follows_a_large_move_at_once_and_a_small_one_within_a_second() {
        let mut quoter = quoter();
        let mut told = |price: i64, now| quoter.price(Amount::whole(price), now, false).is_some();
        assert!(told(100_000, 10_000), "the first");
        assert!(!told(100_009, 10_999) && told(100_009, 11_000), "less than 0.01 %");
        assert!(!told(100_020, 11_099) && told(100_020, 11_100), "more");
        assert!(!told(100_020, 14_099) && told(100_020, 14_100), "it stands");
    }

    #[test]
    fn an_index_with_options_follows_each_move_within_200_ms_and_is_never_too_old_for_them() {
        let mut quoter = quoter();
        let mut told = |hundredths: i128, now| quoter.price(Amount(hundredths * ONE / 100), now, true).is_some();
        assert!(told(10_000_000, 10_000), "the first");
        assert!(!told(10_000_001, 10_101) && told(10_000_001, 10_199), "by a hundredth, at the second look");
        assert!(!told(10_002_000, 10_298) && told(10_002_000, 10_299), "by more, at the first");
        assert!(!told(10_002_000, 11_798) && told(10_002_000, 11_799), "it stands");
    }

    #[test]
    fn after_a_refusal_a_desk_waits_before_it_quotes_again() {
        let mut quoter = quoter();
        quoter.retry_ms = 2_000;
        assert!(!quoter.wants_to_quote(1_900, 20, true));
        assert!(quoter.wants_to_quote(2_000, 20, true));
    }

    #[test]
    fn a_ladder_that_a_fill_overtook_comes_again_at_once_and_the_second_in_a_row_is_refused() {
        let mut quoter = quoter();
        assert!(quoter.wants_to_quote(1_000, 20, false));
        assert!(quoter.comes_again(), "what stands stays");
        assert!(quoter.wants_to_quote(1_100, 20, false), "at the next tick");
        assert!(!quoter.comes_again());
        quoter.refused(1_100);
        assert!(!quoter.wants_to_quote(1_200, 20, false));
        assert!(quoter.wants_to_quote(2_100, 20, false) && quoter.comes_again(), "counted anew");
        quoter.stands();
        assert!(quoter.comes_again());
    }

    #[test]
    fn a_ladder_leaves_out_what_the_trades_behind_it_went_through_and_the_next_is_whole() {
        let mut quoter = quoter();
        quoter.simulated = false;
        let levels = |prices: [i64; 3]| prices.map(|p| (Amount::whole(p), Amount::whole(1)));
        quoter.book.replace(&levels([100, 99, 98]), &levels([101, 102, 103]));
        quoter.trades.extend([trade(99), trade(102)]);
        quoter.went_through();
        assert!(quoter.wants_to_quote(1_000, 20, false));
        let prices = |quoter: &Quoter| quoter.ladder.iter().map(|l| l.ticks.0 / 100).collect::<Vec<i64>>();
        assert_eq!(prices(&quoter), [99, 98, 102, 103]);
        assert!(quoter.wants_to_quote(1_100, 20, false), "at once");
        assert_eq!(prices(&quoter), [100, 99, 98, 101, 102, 103]);
        assert!(!quoter.wants_to_quote(1_200, 20, false));
    }

    #[test]
    fn a_made_up_trade_through_a_users_order_never_happened_and_a_recorded_one_stays() {
        let mut quoter = quoter();
        quoter.trades.extend([trade(100), trade(102)]);
        let taken = quoter.take_trades(touch(101, 103), 1_000);
        assert_eq!((taken.kept.len(), taken.dropped), (1, 1), "somebody bids more than the print's price");
        quoter.simulated = false;
        quoter.trades.extend([trade(100), trade(102)]);
        assert_eq!(quoter.take_trades(touch(101, 103), 1_200).kept.len(), 2);
    }

    #[test]
    fn ids_are_asked_for_five_times_a_second_at_most() {
        let (mut quoter, mut asked) = (quoter(), 0);
        for now in (0..10_000).step_by(100) {
            quoter.trades.push_back(trade(100));
            if quoter.has_trades(now) {
                quoter.take_trades(touch(99, 101), now);
                asked += 1;
            }
        }
        assert!((48..=51).contains(&asked), "{asked} in ten seconds");
    }
}
