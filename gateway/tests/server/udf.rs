//! TradingView's protocol: the same candles as klines, and charts' names for everything.

use crate::client::{Api, Server};
use serde_json::{Value, json};

/// Texts of decimals without their last zeros.
fn short(value: &Value) -> String {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).unwrap().to_string()
}

fn history(api: &Api, query: &str) -> Value {
    api.raw_get(&format!("/udf/history?symbol=BTCUSDT&{query}"))
}

#[test]
fn charts_are_told_what_there_is() {
    let server = Server::start(&[]);
    let api = server.api();
    let config = api.raw_get("/udf/config");
    assert_eq!((&config["supports_time"], &config["supports_search"]), (&json!(true), &json!(true)));
    let time = api.raw_get("/udf/time").as_i64().unwrap();
    assert!((time - i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap()).abs() < 60);
    let symbol = api.raw_get("/udf/symbols?symbol=BTC%2FUSDT");
    let scale = [&symbol["minmov"], &symbol["pricescale"], &symbol["volume_precision"]];
    assert_eq!(scale, [&json!(1), &json!(100), &json!(5)], "{symbol}");
    assert_eq!((&symbol["ticker"], &symbol["session"]), (&json!("BTCUSDT"), &json!("24x7")));
    assert_eq!(symbol["supported_resolutions"], config["supported_resolutions"]);
    let unknown = json!({ "s": "error", "errmsg": "unknown_symbol" });
    assert_eq!(api.raw_get("/udf/symbols?symbol=NOPE"), unknown);
    let found = api.raw_get("/udf/search?query=btc%2Fu&type=crypto&exchange=&limit=5");
    assert_eq!((found.as_array().unwrap().len(), &found[0]["full_name"]), (1, &json!("Meridian:BTCUSDT")));
    assert_eq!(api.raw_get("/udf/search?query=&type=stock"), json!([]));
    assert_eq!(api.raw_get("/udf/search?query=usdt&limit=1").as_array().unwrap().len(), 1);
    let quotes = api.raw_get("/udf/quotes?symbols=Meridian:BTCUSDT,NOPE");
    assert_eq!((&quotes["d"][0]["s"], &quotes["d"][1]["s"]), (&json!("ok"), &json!("error")));
    assert!(quotes["d"][0]["v"]["lp"].is_number());
    assert_eq!(api.raw_get("/udf/marks?symbol=BTCUSDT&from=0&to=1&resolution=1"), json!([]));
}

#[test]
fn bars_are_klines_within_what_is_asked() {
    let server = Server::start(&[]);
    let api = server.api();
    for (resolution, interval) in [("1", "1m"), ("60", "1h"), ("D", "1d")] {
        let klines = api.raw_get(&format!("/api/v3/klines?symbol=BTCUSDT&interval={interval}&limit=10"));
        let klines = klines.as_array().unwrap();
        // The last one still grows.
        let seconds = |at: usize| klines[at][0].as_i64().unwrap() / 1_000;
        let (from, to) = (seconds(2), seconds(9));
        let bars = history(&api, &format!("resolution={resolution}&from={from}&to={to}"));
        assert_eq!((&bars["s"], bars["t"].as_array().unwrap().len()), (&json!("ok"), 7), "{resolution} {bars}");
        for (n, kline) in klines[2..9].iter().enumerate() {
            assert_eq!(bars["t"][n], kline[0].as_i64().unwrap() / 1_000);
            for (at, name) in ["o", "h", "l", "c", "v"].into_iter().enumerate() {
                assert!(bars[name][n].is_number(), "{bars}");
                assert_eq!(short(&bars[name][n]), short(&kline[at + 1]), "{resolution} {name} {n}");
            }
        }
        let back = history(&api, &format!("resolution={resolution}&from={from}&to={to}&countback=3"));
        assert_eq!(back["t"], json!([seconds(6), seconds(7), seconds(8)]), "countback wins");
    }
}

#[test]
fn what_is_empty_or_wrong_is_told_as_charts_read_it() {
    let server = Server::start(&[]);
    let api = server.api();
    let newest = history(&api, "resolution=1&to=9999999999&countback=1")["t"][0].as_i64().unwrap();
    let empty = history(&api, "resolution=1&from=9999990000&to=9999999999");
    assert_eq!(empty["s"], "no_data");
    assert!((empty["nextTime"].as_i64().unwrap() - newest).abs() <= 60, "{empty}");
    assert_eq!(history(&api, "resolution=1&from=0&to=60"), json!({ "s": "no_data" }), "nothing lies before");
    for query in [
        "resolution=7&from=0&to=60",
        "from=0&to=60",
        "resolution=1&from=0",
        "resolution=1&to=60",
        "resolution=1&from=x&to=60",
        "resolution=1&from=1.5&to=60",
        "resolution=1&to=60&countback=-1",
        "resolution=1&from=99999999999999999999&to=60",
    ] {
        let reply = history(&api, query);
        assert!(reply["s"] == "error" && reply["errmsg"].is_string(), "{query}: {reply}");
    }
}
