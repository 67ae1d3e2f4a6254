//! Coins and tokens of an EVM chain through the real binary, a real signer and a real node: what comes, is swept, leaves, fails.

use crate::chain_settings::pay_evm_by;
use crate::client::{Api, Server};
use crate::reserves::{file, prove, statements};
use crate::signer_process::SignerProcess;
use crate::tool::{good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};
use xng_custody::evm::Address;
use xng_custody::hex;
use xng_custody::private_evm::{CHAIN_ID, PrivateEvm, RICH};

/// A token with 6 decimals; it takes no ether, so that paying it fails.
const PLAIN: &str = include_str!("../../../custody/tests/contracts/plain.hex");
const ETHER: u128 = 1_000_000_000_000_000_000;
const SOMEBODY: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

struct Rig {
    node: PrivateEvm,
    token: Address,
    signer: SignerProcess,
    server: Server,
}

impl Rig {
    fn start() -> Option<Rig> {
        let node = PrivateEvm::start_or_tell()?;
        let token = node.deploy(PLAIN, 1_000_000_000_000).unwrap();
        node.mine(6).unwrap();
        let caps = format!("hour_units = \"{}\"\nfee_units = \"{}\"\n", 100 * ETHER, ETHER / 100);
        let policy = format!(
            "[ETH]\nchain_id = {CHAIN_ID}\n{caps}gas_price = \"100_000_000_000\"\ncold = []\n[[ETH.token]]\n\
             contract = \"{token}\"\nhour_units = \"1_000_000_000\"\n"
        );
        let signer = SignerProcess::with(&policy);
        let mut server = Server::prepare(&[("XNG__WITHDRAWALS__NEW_ADDRESS_WAIT_S", "0")]);
        let account = signer.client().xpub_evm(0).unwrap();
        pay_evm_by(&mut server, &node, token, &account, &signer.socket());
        server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
        server.launch();
        Some(Rig { node, token, signer, server })
    }

    fn demo(&self) -> Api {
        let api = self.server.demo("demo");
        eventually("the node is read", || {
            let networks = api.get("/wallet/networks")["message"].clone();
            networks.as_array().is_some_and(|all| all.len() == 2 && all.iter().all(|one| one["state"] == "open"))
        });
        api
    }

    fn pay_token(&self, to: Address, units: u128) {
        let data = format!("0xa9059cbb{:0>64}{units:064x}", hex::encode(&to.0));
        let token = self.token.to_string();
        self.node.send(json!({ "from": RICH, "to": token, "data": data, "gas": "0x30d40" })).unwrap();
    }

    /// Wei and units of the token that an address has.
    fn holds(&self, of: &str) -> (u128, u128) {
        let number = |text: String| u128::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
        let wei = self.node.call("eth_getBalance", json!([of, "latest"])).unwrap();
        let data = format!("0x70a08231{:0>64}", of.trim_start_matches("0x"));
        let call = json!([{ "to": self.token.to_string(), "data": data }, "latest"]);
        (number(wei), number(self.node.call("eth_call", call).unwrap()))
    }

    /// Blocks are found until it is so.
    fn mine_until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        eventually(what, || {
            self.node.mine(1).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(100));
            is_so()
        });
    }

    fn chains(&self) -> Value {
        let text = good(&tool(&self.server, &["admin", "chain", "list"]));
        json!(text)
    }
}

fn currency(api: &Api, network: &str) -> String {
    let networks = api.get("/wallet/networks")["message"].clone();
    let row = networks.as_array().unwrap().iter().find(|row| row["network"] == network).unwrap().clone();
    row["currency"].to_string()
}

fn legal(api: &Api, currency: &str) -> (String, String) {
    let row = api.post("/wallet/detail", &[("currency", currency), ("type", "legal")])["message"].clone();
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    (text("legal_balance"), text("lock_legal_balance"))
}

fn receive(api: &Api, currency: &str, network: &str) -> String {
    let answer = api.post("/wallet/get_in_address", &[("currency", currency), ("network", network)]);
    answer["message"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn out(api: &Api, (currency, network): (&str, &str), number: &str, address: &str) -> u64 {
    let place = [("currency", currency), ("network", network), ("address", address)];
    let saved = api.post("/user/wallet/save", &[&place[..], &[("pay_password", "demo1234")]].concat());
    assert_eq!(saved["code"], 1, "{saved}");
    let quoted = api.post("/user/withdraw/quote", &[&place[..], &[("number", number)]].concat())["message"].clone();
    let version = quoted["version"].to_string();
    let form = [("number", number), ("type", "0"), ("version", &version), ("pay_password", "demo1234")];
    let answer = api.post("/wallet/out", &[&place[..], &form].concat());
    answer["data"]["id"].as_u64().unwrap_or_else(|| panic!("{answer}"))
}

fn detail(api: &Api, id: u64) -> Value {
    api.get_patiently(&format!("/user/withdraw/detail?id={id}"))["message"].clone()
}

fn agree(server: &Server, id: u64, who: &str) {
    good(&tool(server, &["admin", "withdrawal", "agree", &id.to_string(), "--by", who, "--reason", "looked at it"]));
}

#[test]
fn ether_and_tokens_come_are_swept_and_leave_whoever_is_killed() {
    let Some(mut rig) = Rig::start() else { return };
    let api = rig.demo();
    let (eth, usdt) = (currency(&api, "ETH"), currency(&api, "ERC20"));
    let own = receive(&api, &eth, "ETH");
    assert_eq!(receive(&api, &usdt, "ERC20"), own, "one address for the coin and its tokens");
    assert_eq!(api.get("/wallet/networks?currency=1")["message"], json!([]));
    // Every demo account has play money.
    assert_eq!((legal(&api, &eth).0, legal(&api, &usdt).0), ("0".into(), "1000".into()));

    // Shown while they are not final, credited after; ether to less than an amount's last place.
    let address: Address = own.parse().unwrap();
    rig.node.pay(address, 2 * ETHER + 7).unwrap();
    rig.pay_token(address, 50_000_000);
    rig.node.mine(1).unwrap();
    let pending = || api.get("/recharge/pending")["message"].clone();
    eventually("both are shown", || pending().as_array().is_some_and(|rows| rows.len() == 2));
    let shown: Vec<String> = pending().as_array().unwrap().iter().map(|row| row["amount"].to_string()).collect();
    assert_eq!(shown, ["\"2\"", "\"50\""], "{}", pending());
    rig.mine_until("both are credited", || (legal(&api, &eth).0, legal(&api, &usdt).0) == ("2".into(), "1050".into()));
    let history = api.get_patiently("/recharge/log")["message"]["data"].clone();
    let networks: Vec<&str> = history.as_array().unwrap().iter().filter_map(|row| row["network"].as_str()).collect();
    assert!(networks.contains(&"ETH") && networks.contains(&"ERC20"), "{history}");

    // All of it is brought together. An address that has no coin for the gas of that gets some.
    let swept = |of: &str| rig.holds(of).1 == 0 && rig.holds(of).0 < ETHER / 10;
    rig.mine_until("the address is swept", || swept(&own));
    let other = rig.server.demo("demo2");
    let theirs = receive(&other, &usdt, "ERC20");
    rig.pay_token(theirs.parse().unwrap(), 20_000_000);
    rig.mine_until("it is credited", || legal(&other, &usdt).0 == "1020");
    rig.mine_until("the other address is swept", || rig.holds(&theirs).1 == 0);
    assert!(rig.holds(&theirs).0 > 0, "coin for gas came to it");

    // Nobody else's money moves when everybody is killed in between.
    let coins = out(&api, (&eth, "ETH"), "0.05", SOMEBODY);
    let tokens = out(&api, (&usdt, "ERC20"), "12.5", SOMEBODY);
    assert_eq!((legal(&api, &eth).1, legal(&api, &usdt).1), ("0.05".into(), "12.5".into()));
    rig.signer.kill();
    agree(&rig.server, coins, "anna");
    agree(&rig.server, tokens, "anna");
    eventually("one is planned", || detail(&api, coins)["state"] == "planned");
    rig.server.kill();
    rig.signer.launch();
    rig.server.launch();
    let api = rig.demo();
    rig.mine_until("both are paid", || [coins, tokens].iter().all(|id| detail(&api, *id)["state"] == "done"));
    assert_eq!(rig.holds(SOMEBODY), (ETHER * 49 / 1_000, 11_500_000));
    assert_eq!((legal(&api, &eth), legal(&api, &usdt)), (("1.95".into(), "0".into()), ("1037.5".into(), "0".into())));
    let steps = detail(&api, tokens)["timeline"].clone();
    let steps: Vec<&str> = steps.as_array().unwrap().iter().map(|step| step["state"].as_str().unwrap()).collect();
    assert_eq!(steps, ["requested", "approved", "planned", "signed", "done"]);

    // What the node shows is what the ledger says, and the records say the same.
    let metric = |name: &str| {
        let url = format!("http://127.0.0.1:{}/metrics", rig.server.ops);
        let text = ureq::get(url).call().unwrap().body_mut().read_to_string().unwrap();
        let line = text.lines().find(|line| line.starts_with(&format!("{name}{{")) && line.contains("Ethereum"));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
    };
    eventually("the balances were looked up", || {
        metric("xng_chain_reserve_checked_seconds").is_some_and(|at| at > 0.0)
    });
    assert_eq!((metric("xng_chain_reserve_missing"), metric("xng_chain_halted")), (Some(0.0), Some(0.0)));
    assert!(rig.chains().to_string().contains("Ethereum"));
    // Anybody can check it. It was made after the start, before either was paid.
    eventually("it is stated", || !statements(&api).is_empty());
    let statement = statements(&api).remove(0);
    let networks: Vec<&Value> = statement["assets"].as_array().unwrap().iter().map(|asset| &asset["network"]).collect();
    assert_eq!((&statement["chain"], networks), (&json!("evm"), vec![&json!("ETH"), &json!("ERC20")]));
    assert!(statement["hash"].as_str().is_some_and(|hash| hash.starts_with("0x") && hash.len() == 66), "{statement}");
    let text = file(&rig.server, statement["file"].as_str().unwrap()).unwrap();
    let proven = good(&prove(&rig.server, &text));
    assert!(proven.contains("70 USDT of contract") && proven.contains("(70000000 units)"), "{proven}");
    rig.server.kill();
    let audit = good(&tool(&rig.server, &["audit"]));
    assert!(audit.contains("2 withdrawals"), "{audit}");
}

#[test]
fn what_its_receiver_does_not_take_comes_back_when_people_say_so() {
    let Some(mut rig) = Rig::start() else { return };
    let api = rig.demo();
    let eth = currency(&api, "ETH");
    let own = receive(&api, &eth, "ETH");
    rig.node.pay(own.parse().unwrap(), ETHER).unwrap();
    rig.mine_until("it is credited", || legal(&api, &eth).0 == "1");
    // Nobody's tokens are lost in their own contract.
    let token = rig.token.to_string();
    let lost = [("currency", &*eth), ("network", "ETH"), ("address", &*token), ("pay_password", "demo1234")];
    assert_eq!(api.post("/user/wallet/save", &lost)["code"], 1001);
    let contract = rig.node.deploy(PLAIN, 1).unwrap().to_string();
    let id = out(&api, (&eth, "ETH"), "0.2", &contract);
    agree(&rig.server, id, "anna");
    rig.mine_until("its transaction failed", || {
        let row = detail(&api, id);
        let failed = row["txid"].as_str().unwrap_or_default();
        row["state"] == "pending" && failed.starts_with("0x") && failed.len() == 66
    });
    assert_eq!(legal(&api, &eth), ("0.8".into(), "0.2".into()));
    assert_eq!(rig.holds(&contract).0, 0);
    agree(&rig.server, id, "ben");
    assert_eq!(detail(&api, id)["state"], "pending", "it takes two to pay it again");
    let number = id.to_string();
    good(&tool(&rig.server, &["admin", "withdrawal", "refuse", &number, "--by", "ben", "--reason", "a contract"]));
    eventually("it is refused", || detail(&api, id)["state"] == "refused");
    assert_eq!(legal(&api, &eth), ("1".into(), "0".into()));
    rig.server.kill();
    good(&tool(&rig.server, &["audit"]));
}
