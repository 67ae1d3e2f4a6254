//! The signer as its users have it: a program with a socket, killed at any time.

mod common;

use common::{PASSPHRASE, SignerProcess, WORDS, run};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use xng_core::chain::{Coin, CoinTransaction, Key, OutPoint, Payment, TxId, Units};
use xng_custody::bitcoin::{Account, Network};
use xng_custody::reserves::{self, Form};
use xng_custody::signer::{Signed, SignerError};

const SOMEBODY: &str = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
const COLD: &str = "bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6";

fn coin(n: u32, units: u128) -> Coin {
    let key = Key { ring: 0, change: false, index: n };
    Coin { at: OutPoint { txid: TxId([7; 32]), n }, units: Units(units), key }
}

fn pays(inputs: Vec<Coin>, address: &str, units: u128, fee: u128) -> CoinTransaction {
    let held: u128 = inputs.iter().map(|coin| coin.units.0).sum();
    let change = Some((Key { ring: 0, change: true, index: 0 }, Units(held.saturating_sub(units + fee))));
    let payments = vec![Payment { address: address.into(), units: Units(units) }];
    CoinTransaction { inputs, payments, change, fee: Units(fee) }
}

fn sign(signer: &SignerProcess, attempt: u32, of: &CoinTransaction) -> Result<Signed, String> {
    match signer.client().sign(1, attempt, of) {
        Ok(signed) => Ok(signed),
        Err(SignerError::Refused { code, .. }) => Err(code),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_killed_signer_signs_the_same_again_and_refuses_everything_else() {
    let mut signer = SignerProcess::start(1_000_000, 20_000, &[COLD]);
    let first = pays(vec![coin(0, 500_000)], SOMEBODY, 300_000, 1_000);
    let signed = sign(&signer, 0, &first).unwrap();
    for _ in 0..3 {
        signer.kill();
        assert!(matches!(signer.client().xpub(0), Err(SignerError::Unreachable(_))));
        signer.restart();
        assert_eq!(sign(&signer, 0, &first).as_ref(), Ok(&signed), "the same bytes");
    }

    let change = |key: Key| CoinTransaction { change: Some((key, Units(199_000))), ..first.clone() };
    let foreign = Coin { key: Key { ring: 1, change: false, index: 0 }, ..coin(1, 500_000) };
    let refused = [
        ("payees_differ", pays(vec![coin(0, 500_000)], COLD, 300_000, 2_000)),
        ("payees_differ", pays(vec![coin(0, 500_000), coin(1, 500_000)], SOMEBODY, 300_001, 2_000)),
        ("input_differs", pays(vec![coin(0, 500_001)], SOMEBODY, 300_000, 2_000)),
        ("foreign_change", change(Key { ring: 1, change: true, index: 0 })),
        ("foreign_change", change(Key { ring: 0, change: false, index: 0 })),
        ("foreign_key", pays(vec![foreign], SOMEBODY, 300_000, 2_000)),
        ("fee_above_cap", pays(vec![coin(0, 500_000)], SOMEBODY, 300_000, 20_001)),
        ("fee_not_higher", pays(vec![coin(0, 500_000)], SOMEBODY, 300_000, 999)),
        ("above_hour_cap", pays(vec![coin(2, 900_000)], SOMEBODY, 699_001, 1_000)),
        ("wrong_sum", CoinTransaction { fee: Units(1_001), ..first.clone() }),
        ("input_twice", pays(vec![coin(3, 500_000), coin(3, 500_000)], SOMEBODY, 300_000, 1_000)),
        ("malformed", CoinTransaction { fee: Units(1 << 70), ..first.clone() }),
    ];
    for (code, transaction) in &refused {
        assert_eq!(sign(&signer, 1, transaction).unwrap_err(), *code, "{transaction:?}");
    }

    let bumped = sign(&signer, 1, &pays(vec![coin(0, 500_000)], SOMEBODY, 300_000, 3_000)).unwrap();
    assert_ne!(bumped.txid, signed.txid);
    signer.restart();
    for (code, transaction) in &refused {
        assert_eq!(sign(&signer, 1, transaction).unwrap_err(), *code, "after a kill: {transaction:?}");
    }
    assert_eq!(sign(&signer, 0, &first), Ok(signed), "an older attempt has the same bytes, too");
    sign(&signer, 0, &pays(vec![coin(4, 90_000_000)], COLD, 80_000_000, 1_000)).expect("cold addresses have no cap");
}

/// Killed while it signs, again and again: whatever signature was told, its input pays nobody else afterwards.
#[test]
fn every_signature_that_was_told_is_remembered_whenever_the_kill_comes() {
    let mut signer = SignerProcess::start(1_000_000_000, 20_000, &[]);
    let mut told = Vec::new();
    for cycle in 0..6_u32 {
        let (client, count) = (signer.client(), Arc::new(AtomicUsize::new(0)));
        let counted = count.clone();
        let signing = thread::spawn(move || {
            let inputs = (0..200).map(|n| coin(cycle * 200 + n, 500_000));
            let plans = inputs.map(|input| pays(vec![input], SOMEBODY, 300_000, 1_000));
            let sign = |plan: CoinTransaction| {
                let signed = client.sign(1, 0, &plan).ok()?;
                counted.fetch_add(1, Ordering::Relaxed);
                Some((signed, plan))
            };
            plans.map_while(sign).collect::<Vec<_>>()
        });
        // Two are told before the kill, however slow the machine is.
        while count.load(Ordering::Relaxed) < 2 && !signing.is_finished() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(37 * u64::from(cycle)));
        signer.kill();
        told.extend(signing.join().unwrap());
        signer.restart();
    }
    assert!(told.len() > 10, "{} were told", told.len());
    for (signed, plan) in &told {
        let other = pays(plan.inputs.clone(), COLD, 300_000, 2_000);
        assert_eq!(sign(&signer, 1, &other).unwrap_err(), "payees_differ");
        assert_eq!(sign(&signer, 0, plan).as_ref(), Ok(signed));
    }
}

#[test]
fn a_torn_line_is_cut_off_and_a_damaged_or_missing_log_stops_the_start() {
    let mut signer = SignerProcess::start(1_000_000, 20_000, &[]);
    let first = pays(vec![coin(0, 500_000)], SOMEBODY, 300_000, 1_000);
    let signed = sign(&signer, 0, &first).unwrap();
    signer.kill();
    let log = signer.path("signed.log");
    let whole = fs::read(&log).unwrap();
    fs::write(&log, [&whole[..], &whole[..40]].concat()).unwrap();
    signer.restart();
    assert_eq!(fs::read(&log).unwrap(), whole);
    assert_eq!(sign(&signer, 0, &first), Ok(signed));
    let other = pays(vec![coin(0, 500_000)], COLD, 300_000, 2_000);
    assert_eq!(sign(&signer, 1, &other).unwrap_err(), "payees_differ");

    signer.kill();
    let mut damaged = whole.clone();
    damaged[60] ^= 1;
    fs::write(&log, damaged).unwrap();
    assert!(signer.refusal_to_run().contains("line 1 of the log"));
    fs::remove_file(&log).unwrap();
    assert!(signer.refusal_to_run().contains("signed.log"), "a missing log is no empty log");
    fs::write(&log, whole).unwrap();
    signer.restart();
}

#[test]
fn a_second_signer_of_the_same_folder_does_not_run() {
    let signer = SignerProcess::start(1_000_000, 20_000, &[]);
    let folder = signer.path("");
    let other = signer.folder.path().join("other");
    let arguments = ["run", "--socket", other.to_str().unwrap(), "--folder", folder.to_str().unwrap()];
    let refused = run(&arguments, &format!("{PASSPHRASE}\n"));
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another signer"), "{refused:?}");
    let wrong = run(&arguments, "incorrect horse battery\n");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("passphrase"), "{wrong:?}");
    assert!(signer.client().xpub(0).is_ok());
}

#[test]
fn files_and_socket_are_the_owners_and_secrets_are_shown_on_demand_only() {
    let mut signer = SignerProcess::start(1_000_000, 20_000, &[]);
    let mode = |path: std::path::PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(signer.path("")), 0o700);
    for file in ["seed.sealed", "signed.log"] {
        assert_eq!(mode(signer.path(file)), 0o600, "{file}");
    }
    assert_eq!(mode(signer.socket_path()), 0o600);

    signer.kill();
    for file in ["", "policy.toml", "signed.log"] {
        let before = fs::metadata(signer.path(file)).unwrap().permissions();
        fs::set_permissions(signer.path(file), fs::Permissions::from_mode(0o722)).unwrap();
        assert!(signer.refusal_to_run().contains("can be written by others"), "{file}");
        fs::set_permissions(signer.path(file), before).unwrap();
    }

    let folder = signer.folder.path().join("new");
    let folder = folder.to_str().unwrap();
    let init =
        |more: &[&str], input: &str| run(&[&["init", "--folder", folder, "--network", "main"], more].concat(), input);
    assert!(!init(&[], "short\n").status.success(), "a short passphrase");
    assert!(!init(&["--words"], &format!("{} abandon\n{PASSPHRASE}\n", WORDS)).status.success(), "wrong words");
    let shown = init(&["--show-words"], &format!("{PASSPHRASE}\n"));
    let shown = String::from_utf8(shown.stdout).unwrap();
    let (words, xpub) = shown.split_once('\n').unwrap();
    assert_eq!(words.split(' ').count(), 25, "a title and 24 words");
    assert!(xpub.starts_with("m/84'/0'/0' xpub"), "{xpub}");
    assert!(!init(&[], &format!("{PASSPHRASE}\n")).status.success(), "a seed is never overwritten");
}

#[test]
fn a_question_without_its_form_gets_a_line_and_the_next_one_its_answer() {
    let signer = SignerProcess::start(1_000_000, 20_000, &[]);
    let stream = UnixStream::connect(signer.socket_path()).unwrap();
    let mut reader = BufReader::new(&stream);
    let mut ask = |line: &str| {
        (&stream).write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        reader.read_line(&mut answer).unwrap();
        answer
    };
    for wrong in ["\n", "{}\n", "[]\n", "{\"xpub\":-1}\n", "{\"sign\":{}}\n", "\u{0}\n", "{\"steal\":1}\n"] {
        let answer = ask(wrong);
        assert!(answer.starts_with("{\"refused\":{\"code\":\"malformed\""), "{wrong}: {answer}");
    }
    assert!(ask("{\"xpub\":0}\n").starts_with("{\"xpub\":\"tpub"));
    assert!(ask("{\"xpub\":1}\n").contains("foreign_key"));
    let long = ask(&"[".repeat(128 * 1024));
    assert!(long.contains("malformed"), "{long}");
    assert!(signer.client().xpub(0).is_ok());
}

#[test]
fn a_statement_of_reserves_is_signed_over_the_socket() {
    let btc = "rings = 1\n[BTC]\nhour_units = 1\nfee_units = 1\nfee_rate = 1\ncold = []\n";
    let eth = "[ETH]\nchain_id = 1\nhour_units = \"1\"\nfee_units = \"1\"\ngas_price = \"1\"\ncold = []\n";
    let signer = SignerProcess::over(&format!("{btc}{eth}"));
    let client = signer.client();
    let (key, id) = (Key { ring: 0, change: false, index: 3 }, [0xab; 32]);
    let bitcoin = Account::new(&client.xpub(0).unwrap(), Network::Regtest).unwrap().address(key).unwrap();
    let evm = xng_custody::evm::Account::new(&client.xpub_evm(0).unwrap()).unwrap().address(key).unwrap();
    for (form, address) in [(Form::Bitcoin, bitcoin), (Form::Evm, evm.to_string())] {
        let signature = client.attest(form, key, &id).unwrap();
        assert_eq!(reserves::holds(form, &address, &id, &signature), Ok(true));
        let foreign = client.attest(form, Key { ring: 1, ..key }, &id);
        assert!(matches!(foreign, Err(SignerError::Refused { ref code, .. }) if code == "foreign_key"), "{foreign:?}");
    }
    assert_eq!(fs::read_to_string(signer.path("signed.log")).unwrap(), "");
}
