"""A strategy that is always in the market: it buys whenever it holds nothing, and sells after a while unless its stop-loss on
the exchange was there first."""

from datetime import timedelta

from freqtrade.strategy import IStrategy

SELLS_AFTER = timedelta(seconds=75)


class StaysIn(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "1m"
    process_only_new_candles = False
    startup_candle_count = 1
    # Near the market, so that some are triggered within minutes.
    stoploss = -0.004
    minimal_roi = {"0": 1}
    order_types = {
        "entry": "limit",
        "exit": "limit",
        "emergency_exit": "market",
        "stoploss": "limit",
        "stoploss_on_exchange": True,
        "stoploss_on_exchange_interval": 10,
        "stoploss_on_exchange_limit_ratio": 0.99,
    }

    def populate_indicators(self, dataframe, metadata):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        return dataframe

    def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **more):
        return "long enough" if current_time - trade.date_last_filled_utc > SELLS_AFTER else None
