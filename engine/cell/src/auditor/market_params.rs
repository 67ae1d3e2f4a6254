//! Parameters of spot markets in the auditor's ledger.
//!
//! Owns: the parameters of each market, and what a change of them may be. Never does: look at fees of trades. Invariants: versions of a
//! market follow each other; what its orders mean does not change under them. Known limits: terms of stocks are in `stocks.rs`.

use super::{Auditor, Finding};
use xng_core::ids::MarketId;
use xng_core::journal::Lsn;
use xng_core::spot::MarketParams;

impl Auditor {
    /// The parameters of a market.
    #[must_use]
    pub fn market_params(&self, market: MarketId) -> Option<&MarketParams> {
        self.params.get(&market)
    }

    pub(super) fn params_changed(&mut self, lsn: Lsn, new: &MarketParams) -> Result<(), Finding> {
        let market = new.market;
        let Some(old) = self.params.get(&market) else {
            return Err(format!("record {lsn} changes parameters of {market}, which is not listed"));
        };
        if new.version != old.version + 1 || (new.base, new.quote) != (old.base, old.quote) {
            return Err(format!("record {lsn}: these parameters of {market} do not follow version {}", old.version));
        }
        let same_units = (new.tick, new.step) == (old.tick, old.step);
        let has_orders = self.open.values().any(|order| order.market == market);
        let has_quotes = self.quotes.keys().any(|(of, _, _)| *of == market);
        if !same_units && (has_orders || has_quotes) {
            return Err(format!("record {lsn} changes tick or step of {market} under its orders"));
        }
        self.params.insert(market, new.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Open, Stage};
    use super::*;
    use xng_core::ids::{AccountId, AssetId, OrderId};
    use xng_core::market::Side;
    use xng_core::money::{Amount, FeePpm, Lots, Ticks};
    use xng_core::spot::LevelFees;

    const MARKET: MarketId = MarketId(1);

    fn params() -> MarketParams {
        MarketParams {
            market: MARKET,
            version: 3,
            symbol: "M1".into(),
            base: AssetId(1),
            quote: AssetId(3),
            tick: Amount(1_000_000),
            step: Amount(1_000),
            min_lots: Lots(1),
            max_lots: Lots(1_000),
            min_notional: Amount::ZERO,
            band_ppm: 100_000,
            protection_ppm: 100_000,
            max_open_orders: 5,
            fees: vec![LevelFees { maker: FeePpm(0), taker: FeePpm(1) }],
            stale_after_ms: 0,
            house_quoted: false,
            stock: None,
        }
    }

    fn order() -> Open {
        let (account, lock) = (AccountId(100_001), (AssetId(1), 1));
        Open { account, market: MARKET, side: Side::Sell, ticks: 1, whole: 1, lots: 1, lock, stage: Stage::Pending }
    }

    #[test]
    fn a_version_that_is_left_out_another_pair_and_other_units_under_orders_are_found() {
        let mut auditor = Auditor::default();
        let tell = |auditor: &mut Auditor, new: MarketParams| auditor.params_changed(Lsn(9), &new).err();
        let next = MarketParams { version: 4, ..params() };
        assert!(tell(&mut auditor, next.clone()).is_some_and(|said| said.contains("not listed")));
        auditor.params.insert(MARKET, params());
        for wrong in
            [params(), MarketParams { version: 5, ..params() }, MarketParams { quote: AssetId(4), ..next.clone() }]
        {
            assert!(tell(&mut auditor, wrong).is_some_and(|said| said.contains("do not follow version 3")));
        }
        let coarser = MarketParams { tick: Amount(2_000_000), ..next.clone() };
        auditor.open.insert(OrderId(1), order());
        assert!(tell(&mut auditor, coarser.clone()).is_some_and(|said| said.contains("under its orders")));
        auditor.open.clear();
        auditor.quotes.insert((MARKET, Side::Buy, Ticks(1)), (OrderId(2), 1));
        assert!(tell(&mut auditor, coarser.clone()).is_some_and(|said| said.contains("under its orders")));
        assert_eq!(tell(&mut auditor, next), None, "the same units may change under them");
        auditor.quotes.clear();
        assert_eq!(tell(&mut auditor, MarketParams { version: 5, ..coarser }), None);
        assert_eq!(auditor.market_params(MARKET).map(|p| p.version), Some(5));
    }
}
