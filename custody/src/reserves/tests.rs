//! Statements that are true, and every way in which one is not.

use super::*;
use crate::{bitcoin, evm};
use std::io::{BufReader, Read};

const COIN: u128 = 1_000;

/// How a statement is spoiled before it is signed or after.
struct Draft {
    header: Header,
    /// Secret keys with what their addresses hold.
    holds: Vec<(u8, Vec<Units>)>,
    network: bitcoin::Network,
}

fn draft(form: Form) -> Draft {
    let asset = |name: &str, contract: Option<&str>, units: u128| HeaderAsset {
        asset: name.into(),
        contract: contract.map(Into::into),
        decimals: match (form, contract) {
            (Form::Bitcoin, _) => 8,
            (Form::Evm, None) => 18,
            (Form::Evm, Some(_)) => 6,
        },
        units: Units(units),
    };
    let (chain_id, assets) = match form {
        Form::Bitcoin => (None, vec![asset("BTC", None, 6 * COIN)]),
        Form::Evm => {
            let token = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
            (Some(1), vec![asset("ETH", None, 6 * COIN), asset("USDT", Some(token), 12)])
        }
    };
    let held = |n: u8| {
        let n = u128::from(n);
        [Units(n * COIN), Units((n - 1) * 4)].into_iter().take(assets.len()).collect()
    };
    let header = Header {
        format: FORMAT.into(),
        chain: form,
        name: "A chain".into(),
        chain_id,
        height: 840_000,
        hash: BlockHash([0xab; 32]),
        time_ms: 1_700_000_000_000,
        assets: assets.clone(),
        addresses: 3,
    };
    Draft { header, holds: (1..=3).map(|n| (n, held(n))).collect(), network: bitcoin::Network::Main }
}

impl Draft {
    fn signed(&self, secret: u8, text: &str) -> (String, String) {
        match self.header.chain {
            Form::Bitcoin => bitcoin::signed([secret; 32], self.network, text),
            Form::Evm => evm::signed([secret; 32], text),
        }
    }

    /// The first line and the signed rows, in the order of their addresses.
    fn statement(&self) -> (String, Vec<Row>) {
        let mut keys: Vec<(String, &(u8, Vec<Units>))> =
            self.holds.iter().map(|holds| (self.signed(holds.0, "").0, holds)).collect();
        keys.sort();
        let line = self.header.line().unwrap();
        let id = id(&line, keys.iter().map(|(address, (_, units))| (address.as_str(), units.as_slice())));
        let row = |(address, (secret, units)): (String, &(u8, Vec<Units>))| {
            let (_, signature) = self.signed(*secret, &message(&id));
            Row { address, units: units.clone(), signature }
        };
        (line, keys.into_iter().map(row).collect())
    }

    fn verify(&self) -> Result<Proven, Wrong> {
        let (line, rows) = self.statement();
        verify_text(&text(&line, &rows))
    }
}

fn text(line: &str, rows: &[Row]) -> String {
    let mut out = Vec::new();
    write(&mut out, line, rows).unwrap();
    String::from_utf8(out).unwrap()
}

fn verify_text(text: &str) -> Result<Proven, Wrong> {
    // A small buffer: no line is in it as a whole.
    verify(&mut BufReader::with_capacity(7, text.as_bytes()))
}

fn told(result: Result<Proven, Wrong>) -> String {
    result.map_or_else(|wrong| wrong.to_string(), |_| "true".into())
}

const FORMS: [Form; 2] = [Form::Bitcoin, Form::Evm];

#[test]
fn a_true_statement_is_proven_on_both_chains() {
    for form in FORMS {
        let draft = draft(form);
        let (line, rows) = draft.statement();
        let proven = verify_text(&text(&line, &rows)).unwrap();
        assert_eq!(proven.header, draft.header);
        let list = rows.iter().map(|row| (row.address.as_str(), row.units.as_slice()));
        assert_eq!(proven.id, id(&line, list));
        assert_eq!(proven.network, (form == Form::Bitcoin).then_some(bitcoin::Network::Main));
    }
    let tests = Draft { network: bitcoin::Network::Regtest, ..draft(Form::Bitcoin) };
    assert_eq!(tests.verify().unwrap().network, Some(bitcoin::Network::Regtest), "it is told that these are no coins");
}

/// The format is other people's, too: its bytes, its id and its message are permanent.
#[test]
fn lines_id_and_message_have_their_form() {
    let (line, rows) = draft(Form::Evm).statement();
    let header = [
        r#"{"format":"xng/reserves/1","chain":"evm","name":"A chain","chain_id":1,"height":840000,"#,
        r#""hash":"abababababababababababababababababababababababababababababababab","time_ms":1700000000000,"#,
        r#""assets":[{"asset":"ETH","contract":null,"decimals":18,"units":"6000"},"#,
        r#"{"asset":"USDT","contract":"0xdAC17F958D2ee523a2206206994597C13D831ec7","decimals":6,"units":"12"}],"#,
        r#""addresses":3}"#,
    ];
    assert_eq!(line, header.concat());
    let text = text(&line, &rows);
    let first = format!(r#"{{"address":"{}","units":["{}","{}"],"signature":"0x"#, rows[0].address, 1_000, 0);
    assert!(text.lines().nth(1).unwrap().starts_with(&first), "{text}");
    let mut hashed = format!("{line}\n");
    for row in &rows {
        hashed += &format!("{} {} {}\n", row.address, row.units[0].0, row.units[1].0);
    }
    let hash = sha256::Hash::hash(hashed.as_bytes()).to_byte_array();
    let list = rows.iter().map(|row| (row.address.as_str(), row.units.as_slice()));
    assert_eq!(id(&line, list), hash);
    assert_eq!(message(&[0x0f; 32]), format!("Statement of reserves {}", "0f".repeat(32)));
}

#[test]
fn what_is_false_has_its_own_words() {
    for form in FORMS {
        let (line, rows) = draft(form).statement();
        let changed = |change: &dyn Fn(&mut Vec<Row>)| {
            let mut rows = rows.clone();
            change(&mut rows);
            told(verify_text(&text(&line, &rows)))
        };
        let false_ = |text: String| format!("a false statement of reserves: {text}");
        assert_eq!(changed(&|_| {}), "true");
        let (first, second) = (&rows[0].address, &rows[1].address);
        // Of another key, and of another statement.
        let unsigned = false_(format!("line 3: {second} did not sign this statement"));
        assert_eq!(changed(&|rows| rows[1].signature = rows[0].signature.clone()), unsigned);
        let (_, others) = Draft { header: Header { height: 1, ..draft(form).header }, ..draft(form) }.statement();
        assert_eq!(changed(&|rows| rows[1].signature.clone_from(&others[1].signature)), unsigned);
        // Another header over the same rows.
        let other = line.replace("840000", "840001");
        let told_of = told(verify_text(&text(&other, &rows)));
        assert_eq!(told_of, false_(format!("line 2: {first} did not sign this statement")));
        // Amounts that still come to the sum, and such that do not.
        let moved = changed(&|rows| {
            rows[0].units[0].0 += 1;
            rows[1].units[0].0 -= 1;
        });
        assert_eq!(moved, false_(format!("line 2: {first} did not sign this statement")));
        let asset = &draft(form).header.assets[0].asset;
        let sum =
            |found: &str| false_(format!("the header says 6000 units of {asset}, and the addresses hold {found}"));
        assert_eq!(changed(&|rows| rows[0].units[0].0 += 1), sum("6001"));
        assert_eq!(changed(&|rows| rows[0].units[0].0 = u128::MAX), sum("more than there can be"));
        let order = false_(format!("line 3: {first} does not come after the address before it"));
        assert_eq!(changed(&|rows| rows.swap(0, 1)), order);
        assert_eq!(changed(&|rows| rows[1] = rows[0].clone()), false_(format!("line 3: {first} is there twice")));
        let fewer = false_("the header counts 3 addresses, and there are 2".into());
        assert_eq!(changed(&|rows| drop(rows.pop())), fewer);
        assert_eq!(changed(&|rows| drop(rows.remove(0))), fewer);
        let more = false_("the header counts 3 addresses, and there are more".into());
        assert_eq!(changed(&|rows| rows.push(rows[2].clone())), more);
        let none = changed(&|rows| rows[1].units.iter_mut().for_each(|units| units.0 = 0));
        assert_eq!(none, false_(format!("line 3: {second} holds nothing")));
    }
}

/// As before, with every signature of the false statement itself.
#[test]
fn signatures_do_not_make_a_false_statement_true() {
    for form in FORMS {
        let with = |change: &dyn Fn(&mut Draft)| {
            let mut draft = draft(form);
            change(&mut draft);
            draft.verify()
        };
        let sum = with(&|draft| draft.header.assets[0].units.0 += 1);
        assert!(matches!(sum, Err(Wrong::False(False::Sum { said: 6_001, found: Some(6_000), .. }))), "{sum:?}");
        let count = with(&|draft| draft.header.addresses = 4);
        assert!(matches!(count, Err(Wrong::False(False::TooFew { counted: 4, found: 3 }))), "{count:?}");
        let count = with(&|draft| draft.header.addresses = 2);
        assert!(matches!(count, Err(Wrong::False(False::TooMany { counted: 2 }))), "{count:?}");
        let twice = with(&|draft| draft.holds[1] = draft.holds[0].clone());
        assert!(matches!(twice, Err(Wrong::False(False::Twice { .. }))), "{twice:?}");
        let nothing = with(&|draft| draft.holds[1].1.iter_mut().for_each(|units| units.0 = 0));
        assert!(matches!(nothing, Err(Wrong::False(False::Nothing { .. }))), "{nothing:?}");
    }
}

#[test]
fn addresses_of_two_networks_are_not_counted_together() {
    let (line, mut rows) = draft(Form::Bitcoin).statement();
    let (_, others) = Draft { network: bitcoin::Network::Test, ..draft(Form::Bitcoin) }.statement();
    rows[2] = others[2].clone();
    let wrong = verify_text(&text(&line, &rows)).unwrap_err();
    assert!(matches!(wrong, Wrong::False(False::Network { line: 4, .. })), "{wrong}");
}

#[test]
fn what_is_no_statement_is_told_apart_from_a_false_one() {
    for form in FORMS {
        let (line, rows) = draft(form).statement();
        let whole = text(&line, &rows);
        let malformed = |text: &str| match verify_text(text) {
            Err(Wrong::Malformed { line, why }) => (line, why),
            other @ (Ok(_) | Err(Wrong::Read(_) | Wrong::False(_))) => panic!("{other:?}: {text}"),
        };
        let in_row = |from: &str, to: &str| {
            assert_eq!(whole.matches(from).count(), 1, "{from}");
            malformed(&whole.replacen(from, to, 1))
        };
        assert_eq!(malformed(""), (1, Malformed::Missing));
        assert_eq!(malformed(&whole[..whole.len() - 1]), (4, Malformed::Unfinished));
        assert_eq!(malformed(&whole.replace('\n', "\r\n")), (1, Malformed::NotText));
        let long = "x".repeat(1 << 16);
        assert_eq!(malformed(&format!("{long}\n")), (1, Malformed::TooLong));
        assert!(matches!(malformed(&format!("{}\n", &long[1..])), (1, Malformed::Json(_))), "one byte less is read");
        for trailing in ["\n", "{}\n", "x\n", "[]\n"] {
            assert_eq!(malformed(&format!("{whole}{trailing}")), (5, Malformed::Trailing), "{trailing}");
        }
        assert_eq!(malformed(&format!("{whole}x")), (5, Malformed::Unfinished));
        assert!(matches!(malformed(&whole.replacen('\n', "\n\n", 1)), (2, Malformed::Json(_))));
        assert_eq!(in_row("xng/reserves/1", "xng/reserves/2"), (1, Malformed::Format));
        assert!(matches!(in_row(r#""height":840000"#, r#""height":"840000""#), (1, Malformed::Json(_))));
        assert!(matches!(in_row(r#""height":840000"#, r#""height":840000,"more":1"#), (1, Malformed::Json(_))));
        assert!(matches!(in_row(r#""height":840000"#, r#""height":1,"height":840000"#), (1, Malformed::Json(_))));
        assert!(matches!(in_row(&"ab".repeat(32), &"AB".repeat(32)), (1, Malformed::Json(_))));
        assert!(matches!(in_row(r#""units":"6000""#, r#""units":"06000""#), (1, Malformed::Json(_))));
        assert!(matches!(in_row(r#""units":"6000""#, r#""units":"+6000""#), (1, Malformed::Json(_))));
        assert_eq!(in_row("A chain", ""), (1, Malformed::Name));
        assert_eq!(in_row("A chain", "A ch\u{430}in"), (1, Malformed::Name), "it looks like an a");
        // The same said otherwise would be another text with the same id, or another id of the same.
        assert!(matches!(in_row(r#""height":840000"#, r#""height": 840000"#), (1, Malformed::Json(_))));
        let units: Vec<String> = rows[0].units.iter().map(|units| units.0.to_string()).collect();
        let listed = serde_json::to_string(&(&rows[0].address, units, &rows[0].signature)).unwrap();
        let as_list = malformed(&whole.replacen(&serde_json::to_string(&rows[0]).unwrap(), &listed, 1));
        assert!(matches!(as_list, (2, Malformed::Json(_))), "{as_list:?}");
        assert_eq!(in_row("A chain", r"A\u001b[2J"), (1, Malformed::Name), "a terminal would obey");
        assert_eq!(in_row(r#""addresses":3"#, r#""addresses":0"#), (1, Malformed::NoAddress));
        let chain_id = if form == Form::Evm {
            (r#""chain_id":1,"#, r#""chain_id":null,"#)
        } else {
            (r#""chain_id":null,"#, r#""chain_id":1,"#)
        };
        assert_eq!(in_row(chain_id.0, chain_id.1), (1, Malformed::ChainId));
        assert!(matches!(in_row(chain_id.0, ""), (1, Malformed::Json(_))), "none is said as null");
        assert!(matches!(in_row(r#""contract":null,"#, ""), (1, Malformed::Json(_))));
        let address = &rows[1].address;
        let spoiled = address.chars().rev().collect::<String>();
        assert!(matches!(in_row(address, &spoiled), (3, Malformed::Address(_))));
        assert!(matches!(in_row(&rows[1].signature, ""), (3, Malformed::Signature(_))));
        let (amounts, assets) = (r#""units":["2000""#, draft(form).header.assets.len());
        assert_eq!(in_row(amounts, r#""units":["5","2000""#).1, Malformed::Amounts { found: assets + 1, assets });
        assert!(matches!(in_row(amounts, r#""units":["2e3""#).1, Malformed::Json(_)));
        assert!(matches!(in_row(amounts, r#""units":["""#).1, Malformed::Json(_)));
        assert!(matches!(in_row(amounts, r#""units":[2000"#).1, Malformed::Json(_)));
    }
}

#[test]
fn one_asset_is_counted_once() {
    let with = |form: Form, change: &dyn Fn(&mut Vec<HeaderAsset>)| {
        let mut draft = draft(form);
        change(&mut draft.header.assets);
        match draft.verify() {
            Err(Wrong::Malformed { line: 1, why }) => why,
            other @ (Ok(_) | Err(_)) => panic!("{other:?}"),
        }
    };
    let second = |of: &mut Vec<HeaderAsset>, name: &str, contract: Option<&str>| {
        let asset = HeaderAsset { asset: name.into(), contract: contract.map(Into::into), ..of[0].clone() };
        of.truncate(1);
        of.push(asset);
    };
    assert_eq!(with(Form::Bitcoin, &Vec::clear), Malformed::Assets);
    assert_eq!(with(Form::Evm, &Vec::clear), Malformed::Assets);
    assert_eq!(with(Form::Bitcoin, &|of| second(of, "BTC2", None)), Malformed::Assets);
    assert_eq!(with(Form::Evm, &|of| second(of, "ETH2", None)), Malformed::Assets);
    assert_eq!(with(Form::Evm, &|of| of[1].asset = "ETH".into()), Malformed::Assets);
    assert_eq!(with(Form::Evm, &|of| of.push(HeaderAsset { asset: "T".into(), ..of[1].clone() })), Malformed::Assets);
    let token = "0xdac17f958d2ee523a2206206994597c13d831ec7";
    assert_eq!(with(Form::Evm, &|of| second(of, "T", Some(token))), Malformed::Assets, "one contract has one text");
    assert_eq!(
        with(Form::Bitcoin, &|of| of[0].contract = Some("0xdAC17F958D2ee523a2206206994597C13D831ec7".into())),
        Malformed::Assets
    );
    assert_eq!(with(Form::Evm, &|of| of[1].asset = "x".repeat(65)), Malformed::Name);
    // With fewer places the same units would be told as more.
    assert_eq!(with(Form::Bitcoin, &|of| of[0].decimals = 0), Malformed::Places);
    assert_eq!(with(Form::Evm, &|of| of[0].decimals = 8), Malformed::Places);
    assert_eq!(with(Form::Evm, &|of| of[1].decimals = 39), Malformed::Places);
}

#[test]
fn a_source_that_fails_says_nothing_about_the_statement() {
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }
    let (line, _) = draft(Form::Bitcoin).statement();
    let wrong = verify(&mut BufReader::new(format!("{line}\n").as_bytes().chain(Fails))).unwrap_err();
    assert!(matches!(wrong, Wrong::Read(_)), "{wrong}");
    assert_eq!(wrong.to_string(), "the text cannot be read: gone");
}

#[test]
fn one_signature_can_be_checked_alone() {
    for form in FORMS {
        let draft = draft(form);
        let (address, signature) = draft.signed(1, &message(&[5; 32]));
        assert_eq!(holds(form, &address, &[5; 32], &signature), Ok(true));
        assert_eq!(holds(form, &address, &[6; 32], &signature), Ok(false));
        assert_eq!(holds(form, &draft.signed(2, "").0, &[5; 32], &signature), Ok(false));
        assert!(matches!(holds(form, "", &[5; 32], &signature), Err(Malformed::Address(_))));
        assert!(matches!(holds(form, &address, &[5; 32], ""), Err(Malformed::Signature(_))));
    }
}
