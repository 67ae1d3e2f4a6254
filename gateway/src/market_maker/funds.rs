//! What the house can put into its ladders.
//!
//! Owns: how much of each asset is there, and what each market's ladder may lock of it.
//! Never does: ask anybody. Invariants: all ladders together never lock more than there is, in whatever order they reach
//! their markets, so none is refused for it.
//! Known limits: what a ladder locks is taken as all that it was sent with; what users took of it is missing until the
//! next ladder. What one market's ladder leaves is there for another's only when the market has taken it.

use std::collections::BTreeMap;
use xng_core::account::Balance;
use xng_core::ids::{AssetId, MarketId, Wallet};
use xng_core::money::{Amount, Lots};
use xng_core::spot::{MarketParams, QuoteLevel, Side};

/// As slack a ladder gets this part of what is left at most, so that all ladders under way find theirs.
const SLACK_PART: i128 = 64;

/// A ladder as it can be sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Affordable {
    /// Its levels.
    pub(super) levels: Vec<QuoteLevel>,
    /// What it locks at most: base and quote.
    pub(super) hold: (Amount, Amount),
    /// What is set aside beside that while the market decides: a fill on the way there takes from what the quotes that
    /// stand lock, and the ladder must be paid for all the same.
    pub(super) slack: (Amount, Amount),
    /// Something of it was left out.
    pub(super) cut: bool,
}

/// See the module's header.
#[derive(Debug, Default)]
pub(super) struct Funds {
    total: BTreeMap<AssetId, Amount>,
    locked: BTreeMap<MarketId, Locked>,
}

/// What a market's ladders lock of base and quote.
#[derive(Debug)]
struct Locked {
    assets: [AssetId; 2],
    /// The last one that the market took.
    standing: [Amount; 2],
    /// The last one that was sent, with its slack.
    sent: [Amount; 2],
}

impl Locked {
    /// Of an asset, at most: whether what was sent has taken the place of what stood is not known before the answer.
    fn of(&self, asset: AssetId) -> Amount {
        let parts = self.assets.iter().zip(self.standing.iter().zip(&self.sent));
        parts.filter(|(a, _)| **a == asset).map(|(_, (standing, sent))| *standing.max(sent)).sum()
    }
}

impl Funds {
    /// What the house has now, locked or not.
    pub(super) fn see(&mut self, balances: &[Balance]) {
        let spot = balances.iter().filter(|b| b.wallet == Wallet::Spot);
        self.total = spot.map(|b| (b.asset, b.available + b.locked)).collect();
    }

    /// What the house has of an asset, locked or not.
    pub(super) fn total(&self, asset: AssetId) -> Amount {
        self.total.get(&asset).copied().unwrap_or(Amount::ZERO)
    }

    /// A market's ladder is on its way.
    pub(super) fn send(&mut self, p: &MarketParams, ladder: &Affordable) {
        let none = Locked { assets: [p.base, p.quote], standing: [Amount::ZERO; 2], sent: [Amount::ZERO; 2] };
        let locked = self.locked.entry(p.market).or_insert(none);
        locked.sent = [ladder.hold.0 + ladder.slack.0, ladder.hold.1 + ladder.slack.1];
    }

    /// The market took it: it locks this and nothing else.
    pub(super) fn taken(&mut self, market: MarketId, hold: (Amount, Amount)) {
        if let Some(locked) = self.locked.get_mut(&market) {
            (locked.standing, locked.sent) = (hold.into(), hold.into());
        }
    }

    /// True when a ladder of ours may stand on the market.
    pub(super) fn stands(&self, market: MarketId) -> bool {
        self.locked.get(&market).is_some_and(|l| l.assets.iter().any(|asset| l.of(*asset).is_positive()))
    }

    /// What is left of an asset besides the other markets' ladders: what the market's own one locks is free again when
    /// the next one takes its place.
    fn free(&self, asset: AssetId, market: MarketId) -> Amount {
        let others = self.locked.iter().filter(|(other, _)| **other != market);
        let locked: Amount = others.map(|(_, locked)| locked.of(asset)).sum();
        (self.total(asset) - locked).max(Amount::ZERO)
    }

    /// Cuts a ladder, best levels first, to what is there besides the other markets' ladders.
    pub(super) fn afford(&self, p: &MarketParams, wanted: &[QuoteLevel]) -> Affordable {
        let mut left = (self.free(p.base, p.market), self.free(p.quote, p.market));
        let (mut hold, mut cut) = ((Amount::ZERO, Amount::ZERO), false);
        let mut levels = Vec::with_capacity(wanted.len());
        for level in wanted {
            let one = p.lock(level.side, level.ticks, Lots(1));
            let (left, hold) = match level.side {
                Side::Buy => (&mut left.1, &mut hold.1),
                Side::Sell => (&mut left.0, &mut hold.0),
            };
            let most = Lots(i64::try_from(left.0 / one.0.max(1)).unwrap_or(i64::MAX));
            let lots = level.lots.min(most);
            if lots < level.lots {
                cut = true;
            }
            if lots.is_zero() {
                // Nothing behind it may stand either: a ladder has no hole.
                *left = Amount::ZERO;
                continue;
            }
            let amount = p.lock(level.side, level.ticks, lots);
            *left -= amount;
            *hold += amount;
            levels.push(QuoteLevel { lots, ..*level });
        }
        let slack = |left: Amount, hold: Amount| if cut { Amount::ZERO } else { hold.min(Amount(left.0 / SLACK_PART)) };
        let slack = (slack(left.0, hold.0), slack(left.1, hold.1));
        Affordable { levels, hold, slack, cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::money::{FeePpm, Ticks};
    use xng_core::spot::LevelFees;

    const BTC: AssetId = AssetId(1);
    const USDT: AssetId = AssetId(3);

    /// Ticks of 0.01, lots of 0.001.
    fn params(market: u16) -> MarketParams {
        MarketParams {
            market: MarketId(market),
            version: 1,
            symbol: "BTCUSDT".into(),
            base: BTC,
            quote: USDT,
            tick: Amount(1_000_000),
            step: Amount(100_000),
            min_lots: Lots(1),
            max_lots: Lots(1_000_000),
            min_notional: Amount::ZERO,
            band_ppm: 0,
            protection_ppm: 0,
            max_open_orders: 100,
            fees: vec![LevelFees { maker: FeePpm(0), taker: FeePpm(0) }],
            stale_after_ms: 1_000,
            house_quoted: true,
            stock: None,
        }
    }

    fn funds(btc: Amount, usdt: Amount) -> Funds {
        let row = |asset, available| Balance { wallet: Wallet::Spot, asset, available, locked: Amount::ZERO };
        let mut funds = Funds::default();
        funds.see(&[row(BTC, btc), row(USDT, usdt)]);
        funds
    }

    fn level(side: Side, ticks: i64, lots: i64) -> QuoteLevel {
        QuoteLevel { side, ticks: Ticks(ticks), lots: Lots(lots) }
    }

    #[test]
    fn a_ladder_is_cut_behind_the_last_level_that_is_affordable() {
        // One BTC costs 100; a bid of 1,000 lots is one BTC.
        let ladder = [
            level(Side::Buy, 10_000, 1_000),
            level(Side::Buy, 9_900, 1_000),
            level(Side::Buy, 9_800, 1_000),
            level(Side::Sell, 10_100, 500),
            level(Side::Sell, 10_200, 5_000),
        ];
        let sent = funds(Amount::whole(1), Amount::whole(150)).afford(&params(1), &ladder);
        let expected = [
            level(Side::Buy, 10_000, 1_000),
            level(Side::Buy, 9_900, 505),
            level(Side::Sell, 10_100, 500),
            level(Side::Sell, 10_200, 500),
        ];
        assert_eq!(sent.levels, expected);
        assert!(sent.cut);
        assert!(sent.hold.0 <= Amount::whole(1) && sent.hold.1 <= Amount::whole(150));
        assert_eq!(sent.slack, (Amount::ZERO, Amount::ZERO));
    }

    #[test]
    fn a_ladder_has_slack_for_fills_on_its_way_as_far_as_there_is_money() {
        let ladder = [level(Side::Buy, 10_000, 1_000), level(Side::Sell, 10_100, 500)];
        // Worth 100 USDT and half a BTC.
        let rich = funds(Amount::whole(1_000), Amount::whole(740)).afford(&params(1), &ladder);
        assert_eq!(rich.slack, (rich.hold.0, Amount::whole(10)));
    }

    #[test]
    fn a_house_without_money_leaves_no_quote() {
        let ladder = [level(Side::Buy, 10_000, 1), level(Side::Sell, 10_100, 1)];
        let sent = funds(Amount::ZERO, Amount::ZERO).afford(&params(1), &ladder);
        assert_eq!((sent.levels.len(), sent.cut), (0, true));
    }

    #[test]
    fn what_the_standing_ladder_locks_is_there_for_the_next_one_and_not_for_other_markets() {
        let mut funds = funds(Amount::whole(1), Amount::whole(100));
        let all = [level(Side::Buy, 10_000, 1_000), level(Side::Sell, 10_100, 1_000)];
        let first = funds.afford(&params(1), &all);
        assert!(!first.cut);
        funds.send(&params(1), &first);
        funds.taken(MarketId(1), first.hold);
        let again = funds.afford(&params(1), &all);
        assert_eq!(again.levels, all, "its own lock counts as free");
        let other = funds.afford(&params(2), &all);
        assert!(other.levels.is_empty() && other.cut);
    }

    #[test]
    fn what_a_smaller_ladder_leaves_is_another_markets_when_it_stands_and_not_before() {
        let bids = |lots| [level(Side::Buy, 10_000, lots)];
        let mut funds = funds(Amount::ZERO, Amount::whole(100));
        let large = funds.afford(&params(1), &bids(800));
        funds.send(&params(1), &large);
        funds.taken(MarketId(1), large.hold);
        let small = funds.afford(&params(1), &bids(300));
        funds.send(&params(1), &small);
        // Both are under way, and the other market's may get there first.
        assert_eq!(funds.afford(&params(2), &bids(1_000)).levels, bids(200));
        funds.taken(MarketId(1), small.hold);
        assert_eq!(funds.afford(&params(2), &bids(1_000)).levels, bids(700));
    }

    #[test]
    fn slack_is_no_other_markets_while_it_is_held() {
        let bids = |lots| [level(Side::Buy, 10_000, lots)];
        let mut funds = funds(Amount::ZERO, Amount::whole(740));
        let first = funds.afford(&params(1), &bids(1_000));
        assert_eq!(first.slack.1, Amount::whole(10));
        funds.send(&params(1), &first);
        let second = funds.afford(&params(2), &bids(10_000));
        assert_eq!((second.hold.1, second.cut), (Amount::whole(630), true));
    }
}
