//! Coins of a real Bitcoin node and a real signer, while exchange, node and signer are killed: each deposit is credited once, each
//! withdrawal paid once, and what is on the chain is what the ledger says. Cycles: the variable FAULT_CYCLES, default 10. Without a
//! node it says so and tests nothing, unless CHAINS_REQUIRED is set.

use crate::chain_settings::pay_by;
use crate::client::{Api, Server};
use crate::harness::{cycles, random};
use crate::promises::Row;
use crate::signer_process::SignerProcess;
use crate::tool::{good, tool};
use crate::wait::{asked_again, eventually};
use serde_json::{Value, json};
use std::time::Duration;
use xng_core::chain::Key;
use xng_core::money::Amount;
use xng_custody::bitcoin::{Account, Network};
use xng_custody::port::ChainAdapter;
use xng_custody::private_node::PrivateNode;

const BTC: &str = "1";
/// Satoshi of a coin.
const COIN: u64 = 100_000_000;
/// What the exchange keeps of a withdrawal, in satoshi.
const FEE: u64 = 50_000;

fn coins(satoshi: u64) -> String {
    format!("{}.{:08}", satoshi / COIN, satoshi % COIN)
}

fn satoshi(coins: &str) -> u64 {
    let (whole, part) = coins.split_once('.').unwrap_or((coins, ""));
    whole.parse::<u64>().unwrap() * COIN + format!("{part:0<8}").parse::<u64>().unwrap()
}

/// A user with an address here and one elsewhere; what they paid in and took out, in satoshi.
struct Customer {
    name: &'static str,
    api: Api,
    address: String,
    outside: String,
    balance: u64,
    arrived: u64,
}

impl Customer {
    fn new(name: &'static str, server: &Server, node: &PrivateNode) -> Customer {
        let api = server.demo(name);
        let address = api.post("/wallet/get_in_address", &[("currency", BTC)])["message"].as_str().unwrap().to_owned();
        let outside: String = node.call("getnewaddress", json!([])).unwrap();
        let saved = [("currency", BTC), ("address", outside.as_str()), ("pay_password", "demo1234")];
        assert_eq!(api.post("/user/wallet/save", &saved)["code"], 1);
        Customer { name, api, address, outside, balance: 0, arrived: 0 }
    }

    fn pay_in(&mut self, node: &PrivateNode) {
        let amount = random(1_000_000..5_000_000);
        node.pay(&self.address, &coins(amount)).unwrap();
        self.balance += amount;
    }

    /// Free and locked, in satoshi.
    fn has(&self) -> (u64, u64) {
        let asked = || self.api.post("/wallet/detail", &[("currency", BTC), ("type", "legal")]);
        let row = asked_again(asked, |row| row["code"] != 1)["message"].clone();
        let sum = |name: &str| satoshi(row[name].as_str().unwrap());
        (sum("legal_balance"), sum("lock_legal_balance"))
    }

    fn ask_for(&self, number: u64, key: &str) -> Option<Value> {
        let number = coins(number);
        let form = [
            ("currency", BTC),
            ("number", number.as_str()),
            ("type", "0"),
            ("address", self.outside.as_str()),
            ("version", "1"),
            ("pay_password", "demo1234"),
        ];
        self.api.try_post("/wallet/out", &form, Some(key)).ok()
    }

    fn received(&self, node: &PrivateNode) -> u64 {
        let coins: serde_json::Number = node.call("getreceivedbyaddress", json!([self.outside, 1])).unwrap();
        satoshi(&coins.to_string())
    }
}

/// Exchange, node and signer.
struct Rig {
    server: Server,
    node: PrivateNode,
    signer: SignerProcess,
    account: Account,
}

impl Rig {
    fn start() -> Option<Rig> {
        let node = PrivateNode::start_or_tell()?;
        let signer = SignerProcess::start();
        let key = signer.client().xpub(0).unwrap();
        let mut server = Server::prepare(&[("XNG__WITHDRAWALS__NEW_ADDRESS_WAIT_S", "0")]);
        pay_by(&mut server, &node, &key, &signer.socket());
        server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
        server.launch();
        let account = Account::new(&key, Network::Regtest).unwrap();
        Some(Rig { server, node, signer, account })
    }

    /// `kill -9` of some of the three, and all of them started again. The node keeps its blocks and loses its pool.
    fn kill_some(&mut self) -> usize {
        let which = random(1..8);
        if which & 1 != 0 {
            self.server.kill();
        }
        if which & 2 != 0 {
            self.signer.kill();
        }
        if which & 4 != 0 {
            // It writes its blocks down when it is asked this.
            self.node.call::<Value>("gettxoutsetinfo", json!([])).unwrap();
            self.node.kill();
            self.node.restart().unwrap();
        } else if random(0..2) == 0 {
            self.node.mine(1).unwrap();
        }
        if which & 2 != 0 {
            self.signer.launch();
        }
        if which & 1 != 0 {
            self.server.launch();
        }
        which.count_ones() as usize
    }

    fn chain(&self) -> Value {
        // A line a chain.
        serde_json::from_str(&good(&tool(&self.server, &["admin", "chain", "list"]))).unwrap()
    }

    /// What the node shows on all addresses of ours, change of so many transactions among them.
    fn on_chain(&self, customers: &[Customer], transactions: u32) -> u64 {
        let change = (0..=transactions).map(|index| Key { ring: 0, change: true, index });
        let change = change.map(|key| self.account.address(key).unwrap());
        let all: Vec<String> = customers.iter().map(|one| one.address.clone()).chain(change).collect();
        u64::try_from(self.node.adapter().unspent(&all).unwrap().units().0).unwrap()
    }
}

/// Asks for a withdrawal while the exchange may be killed, until it is taken; its number.
fn withdraw(rig: &mut Rig, customer: &mut Customer, key: &str) -> u64 {
    let number = random(200_000..1_000_000);
    let mut answer = None;
    if random(0..3) == 0 {
        answer = std::thread::scope(|scope| {
            let asks = scope.spawn(|| customer.ask_for(number, key));
            std::thread::sleep(Duration::from_millis(random(0..60)));
            rig.server.kill();
            asks.join().unwrap()
        });
        rig.server.launch();
    }
    customer.api = rig.server.demo(customer.name);
    let taken = answer.filter(|answer| answer["type"] == "ok").unwrap_or_else(|| {
        let asked = || customer.ask_for(number, key).unwrap_or_default();
        asked_again(asked, |answer| answer["type"] != "ok")
    });
    let id = taken["data"]["id"].as_u64().unwrap_or_else(|| panic!("{taken}"));
    customer.balance -= number;
    customer.arrived += number - FEE;
    id
}

#[test]
fn on_the_chain_is_what_the_ledger_says_whoever_is_killed() {
    let cycles = cycles(10);
    let Some(mut rig) = Rig::start() else { return };
    let api = rig.server.demo("demo");
    eventually("the node is read", || api.get("/wallet/networks?currency=1")["message"][0]["state"] == "open");
    let mut customers: Vec<Customer> =
        ["demo", "demo2"].into_iter().map(|name| Customer::new(name, &rig.server, &rig.node)).collect();
    let (mut kills, mut transactions, mut checked, mut doubled) = (0, 0, 0, 0);
    for cycle in 0..cycles {
        for customer in &mut customers {
            customer.pay_in(&rig.node);
        }
        rig.node.mine(1).unwrap();
        if cycle > 0 {
            for customer in &mut customers {
                let id = withdraw(&mut rig, customer, &format!("{cycle}-{}", customer.name));
                transactions += 1;
                let words = ["admin", "withdrawal", "agree", &id.to_string(), "--by", "anna", "--reason", "a test"];
                good(&tool(&rig.server, &words));
            }
            std::thread::sleep(Duration::from_millis(random(0..1_500)));
        }
        kills += rig.kill_some();
        for customer in &mut customers {
            customer.api = rig.server.demo(customer.name);
        }
        // Blocks go on coming: what was sent becomes final.
        eventually("all is credited and paid", || {
            rig.node.mine(1).unwrap();
            std::thread::sleep(Duration::from_millis(500));
            customers.iter().all(|one| one.has() == (one.balance, 0) && one.received(&rig.node) >= one.arrived)
        });
        rig.node.mine(2).unwrap();
        let held = || rig.chain()["held"][0]["amount"].as_str()?.parse().ok().map(|Amount(units)| units.to_string());
        let on_chain = rig.on_chain(&customers, transactions);
        eventually("the ledger has read it", || held() == Some(on_chain.to_string()));
        assert!(rig.chain()["halted"].is_null(), "{}", rig.chain());
        // Less is waited for above.
        checked += customers.len();
        doubled += customers.iter().filter(|one| one.received(&rig.node) > one.arrived).count();
    }
    rig.server.kill();
    let audit = good(&tool(&rig.server, &["audit"]));
    let told = audit.split(" withdrawals").next().and_then(|text| text.rsplit(|c: char| !c.is_ascii_digit()).next());
    assert_eq!(told, Some(transactions.to_string().as_str()), "{audit}");
    let (promise, how) = ("exchange, chain's node or signer are killed", "kill -9, while coins come in and go out");
    Row { promise, how, tried: kills, checked, doubled, ..Row::default() }.tell();
    assert_eq!(doubled, 0, "paid twice");
}
