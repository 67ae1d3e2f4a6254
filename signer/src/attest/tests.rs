//! Signatures of statements by the desk, checked by the exchange's code, and the standard's vectors.

use super::*;
use crate::desk::Desk;
use crate::keys::Network;
use crate::policy::EvmPolicy;
use crate::protocol::Question;
use crate::seal::entropy_of;
use crate::signed_log;
use bitcoin::{Address, CompressedPublicKey, PrivateKey};
use std::io::BufReader;
use std::time::SystemTime;
use xng_core::chain::{self as core, BlockHash, Units};
use xng_custody::reserves::{self, FORMAT, False, Header, HeaderAsset, Proven, Row, Wrong};
use xng_custody::{bitcoin as custody, evm};

const WORDS: &str = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
const ID: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

struct Rig {
    desk: Desk,
    folder: tempfile::TempDir,
}

fn keys() -> Keys {
    Keys::new(Network::Regtest, &entropy_of(WORDS).unwrap()).unwrap()
}

fn rig(with_evm: bool) -> Rig {
    let folder = tempfile::tempdir().unwrap();
    signed_log::create(&folder.path().join("log")).unwrap();
    let (log, past) = signed_log::open(&folder.path().join("log")).unwrap();
    let evm = with_evm.then(|| EvmPolicy {
        chain_id: 31_337,
        hour_units: 0,
        fee_units: 0,
        gas_price: 0,
        cold: [].into(),
        tokens: [].into(),
    });
    let policy = Policy { rings: 2, hour_units: 0, fee_units: 0, fee_rate: 0, cold: [].into(), evm };
    Rig { desk: Desk::new(keys(), policy, log, past).unwrap(), folder }
}

impl Rig {
    /// As the socket asks; a refusal's code.
    fn attest(&mut self, chain: reserves::Form, key: Key, statement: &str) -> Result<String, &'static str> {
        let key = serde_json::to_value(key).unwrap();
        let question = serde_json::json!({ "attest": { "chain": chain, "key": key, "statement": statement } });
        let Ok(question) = serde_json::from_value::<Question>(question) else { return Err("malformed") };
        match self.desk.answer(question, SystemTime::UNIX_EPOCH).unwrap() {
            Answer::Attested { signature } => Ok(signature),
            Answer::Refused { code, .. } => Err(code),
            other @ (Answer::Xpub(_) | Answer::Signed { .. }) => panic!("{other:?}"),
        }
    }
}

fn key(ring: u32, change: bool, index: u32) -> Key {
    Key { ring, change, index }
}

/// As the exchange makes it, out of the public key.
fn address(form: reserves::Form, of: Key) -> String {
    let keys = keys();
    let place = core::Key { ring: of.ring, change: of.change, index: of.index };
    match form {
        reserves::Form::Bitcoin => {
            let account = custody::Account::new(&keys.xpub(of.ring).unwrap(), custody::Network::Regtest);
            account.unwrap().address(place).unwrap()
        }
        reserves::Form::Evm => {
            evm::Account::new(&keys.evm_xpub(of.ring).unwrap()).unwrap().address(place).unwrap().to_string()
        }
    }
}

/// A statement of some keys, each with its own place in the sum; signed by the desk.
fn statement(form: reserves::Form) -> (String, Vec<Row>) {
    let places = [key(0, false, 0), key(0, true, 5), key(1, false, 7), key(1, true, 2_147_483_647)];
    let mut held: Vec<(String, Key)> = places.iter().map(|place| (address(form, *place), *place)).collect();
    held.sort_by(|a, b| a.0.cmp(&b.0));
    let units: Vec<Vec<Units>> = (1..=4).map(|n| vec![Units(n * 1_000)]).collect();
    let decimals = if form == reserves::Form::Evm { 18 } else { 8 };
    let asset = HeaderAsset { asset: "COIN".into(), contract: None, decimals, units: Units(10_000) };
    let header = Header {
        format: FORMAT.into(),
        chain: form,
        name: "A chain".into(),
        chain_id: (form == reserves::Form::Evm).then_some(31_337),
        height: 840_000,
        hash: BlockHash([7; 32]),
        time_ms: 1_700_000_000_000,
        assets: vec![asset],
        addresses: 4,
    };
    let line = header.line().unwrap();
    let id = reserves::id(&line, held.iter().zip(&units).map(|((address, _), units)| (address.as_str(), &units[..])));
    let mut rig = rig(true);
    let mut row = |((address, place), units): ((String, Key), Vec<Units>)| {
        let signature = rig.attest(form, place, &id.to_lower_hex_string()).unwrap();
        assert_eq!(rig.attest(form, place, &id.to_lower_hex_string()).as_ref(), Ok(&signature), "asked again");
        assert_eq!(reserves::holds(form, &address, &id, &signature), Ok(true));
        assert_eq!(reserves::holds(form, &address, &[0; 32], &signature), Ok(false), "another statement's");
        Row { address, units, signature }
    };
    let rows: Vec<Row> = held.into_iter().zip(units).map(&mut row).collect();
    let log = std::fs::read_to_string(rig.folder.path().join("log")).unwrap();
    assert_eq!(log, "", "no coin moves, so nothing is bound");
    (line, rows)
}

fn verify(line: &str, rows: &[Row]) -> Result<Proven, Wrong> {
    let mut text = Vec::new();
    reserves::write(&mut text, line, rows).unwrap();
    reserves::verify(&mut BufReader::new(&text[..]))
}

#[test]
fn the_exchange_takes_what_the_signer_signs_on_both_chains() {
    for form in [reserves::Form::Bitcoin, reserves::Form::Evm] {
        let (line, rows) = statement(form);
        let proven = verify(&line, &rows).unwrap();
        assert_eq!(proven.header.line().unwrap(), line);
        let network = (form == reserves::Form::Bitcoin).then_some(custody::Network::Regtest);
        assert_eq!(proven.network, network);
        // Another key's signature of the same statement.
        let mut swapped = rows.clone();
        swapped[2].signature.clone_from(&rows[1].signature);
        let wrong = verify(&line, &swapped).unwrap_err();
        let Wrong::False(False::Signature { line: 4, address }) = wrong else { panic!("{wrong}") };
        assert_eq!(address, rows[2].address);
    }
}

#[test]
fn releases_give_the_same_signatures() {
    let mut rig = rig(true);
    let mut attest = |chain| rig.attest(chain, key(0, false, 0), ID).unwrap();
    assert_eq!(
        attest(reserves::Form::Bitcoin),
        "AkcwRAIgcaAzjRqfwNGZKtZjvBOh3HbJeKmV17p2+mKhqEKjDAECIHGvPPKD7pAN63AbvP2mL0KjQgDFpGHAI7jlp9Y2rX/jASEC56slN7XUnpcD\
         Cargbp5J82zhyf671E7I4NHMoLT5wxk="
    );
    assert_eq!(
        attest(reserves::Form::Evm),
        "0xed126c1517bb95c5ca5e289c7cb1708940c16def1dddd37cb3e32652579ba7c93be2b0d53de80ce138bd8919d8624bb50058c3770c857fd0\
         4410e27092524dcc1b"
    );
}

#[test]
fn foreign_keys_other_chains_and_other_texts_are_refused() {
    let (bitcoin, evm) = (reserves::Form::Bitcoin, reserves::Form::Evm);
    let mut rig_with = rig(true);
    let ours = key(1, false, 0);
    for form in [bitcoin, evm] {
        assert!(rig_with.attest(form, ours, ID).is_ok());
        assert_eq!(rig_with.attest(form, key(2, false, 0), ID), Err("foreign_key"));
        assert_eq!(rig_with.attest(form, key(0, false, 1 << 31), ID), Err("foreign_key"), "no such child");
        let long = format!("{ID}00");
        for text in ["", &ID[1..], &ID.to_uppercase(), &long, &ID.replace('a', "g"), &format!("0x{}", &ID[2..])] {
            assert_eq!(rig_with.attest(form, ours, text), Err("malformed"), "{text}");
        }
    }
    let mut rig_without = rig(false);
    assert_eq!(rig_without.attest(evm, ours, ID), Err("wrong_chain"));
    assert!(rig_without.attest(bitcoin, ours, ID).is_ok());
}

#[test]
fn a_question_of_another_form_is_not_half_understood() {
    let asks = |of: serde_json::Value| serde_json::from_value::<Question>(serde_json::json!({ "attest": of })).is_ok();
    let key = serde_json::json!({ "ring": 0, "change": false, "index": 0 });
    assert!(asks(serde_json::json!({ "chain": "bitcoin", "key": key, "statement": ID })));
    assert!(!asks(serde_json::json!({ "chain": "dogecoin", "key": key, "statement": ID })));
    assert!(!asks(serde_json::json!({ "chain": "bitcoin", "key": key, "statement": ID, "message": "I owe you" })));
    assert!(!asks(serde_json::json!({ "chain": "bitcoin", "statement": ID })));
}

/// Of BIP 322: key, address, hashes, ids of the virtual transaction, and the shorter of the two signatures that it shows.
#[test]
fn bitcoins_signatures_are_those_of_the_standard() {
    let private = PrivateKey::from_wif("L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k").unwrap();
    let curve = bitcoin::secp256k1::Secp256k1::new();
    let public = CompressedPublicKey::from_private_key(&curve, &private).unwrap();
    let address = Address::p2wpkh(&public, bitcoin::Network::Bitcoin);
    assert_eq!(address.to_string(), "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l");
    let vectors = [
        (
            "",
            "c90c269c4f8fcbe6880f72a721ddfbf1914268a794cbb21cfafee13770ae19f1",
            "1e9654e951a5ba44c8604c4de6c67fd78a27e81dcadcfe1edf638ba3aaebaed6",
            "AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/EgAxlk\
             QpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=",
        ),
        (
            "Hello World",
            "f0eb03b1a75ac6d9847f55c624a99169b5dccba2a31f5b23bea77ba270de0a7a",
            "88737ae86f2077145f93cc4b153ae9a1cb8d56afa511988c149c5c8c9d93bddf",
            "AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlk\
             QpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=",
        ),
    ];
    for (text, hash, txid, signature) in vectors {
        assert_eq!(text_hash(text).to_lower_hex_string(), hash);
        let unsigned = virtual_transaction(address.script_pubkey(), text);
        assert_eq!(unsigned.compute_txid().to_string(), txid);
        assert_eq!(encoded(&keys().sign_with(&unsigned, private.inner)), signature);
    }
}

/// The example of web3.js.
#[test]
fn evm_chains_hash_is_that_of_the_standard() {
    let hash = evm_hash("Some data").to_lower_hex_string();
    assert_eq!(hash, "1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655");
}
