//! Who works in the back office, once it has two owners: they decide, and neither of them alone.

use crate::back_office::{Browser, change, code_of, open_office, person};
use crate::client::Server;
use crate::tool::{bad, good, tool};
use serde_json::{Value, json};

const REFUSED: i32 = 2;

fn proposal(action: &str, name: &str, role: &str) -> Value {
    json!({ "action": action, "name": name, "role": role, "account": null, "reason": "joined in May" })
}

/// What one owner proposes and the other one approves: both halves of the code.
fn agreed((one, other): (&Browser, &Browser), wanted: &Value) -> (String, String) {
    let (status, proposed) = one.post("staff/propose", wanted);
    assert_eq!(status, 200, "{proposed}");
    let path = format!("staff-cases/{}/decide", proposed["case"]);
    let decision = json!({ "approves": true, "reason": "I know them" });
    assert_eq!(one.decide(&path, &decision).0, 409, "not who proposed it");
    let (status, decided) = other.decide(&path, &decision);
    assert_eq!(status, 200, "{decided}");
    (code_of(&proposed), decided["half"].as_str().unwrap().to_owned())
}

fn row(owner: &Browser, name: &str) -> Value {
    let rows = owner.get("staff").1["rows"].clone();
    rows.as_array().unwrap().iter().find(|row| row["name"] == name).cloned().unwrap_or_else(|| panic!("{rows}"))
}

#[test]
fn two_owners_decide_who_works_here_and_neither_enrols_as_somebody_else() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    let olga = person(&server, port, "olga", "owner", &[]);
    let otto = person(&server, port, "otto", "owner", &[]);
    let owners = (&olga, &otto);

    // Half of a code is nobody's way in, in whatever order; both are, once.
    let (first, second) = agreed(owners, &proposal("add", "fay", "finance"));
    let of_fay = (first.clone(), second.clone());
    let enrols = |code: &str| Browser::new(port).enrol(code).0;
    for half in [first.clone(), second.clone(), format!(".{second}"), format!("{second}.{first}"), format!("{first}x")]
    {
        assert_eq!(enrols(&half), 403, "{half}");
    }
    let mut fay = Browser::new(port);
    let whole = format!("{first}{second}");
    assert_eq!((fay.enrol(&whole).0, enrols(&whole)), (200, 403));
    assert_eq!(fay.login("fay"), 204);
    assert_eq!(fay.get("session").1["open"]["role"], "finance");
    assert_eq!(fay.post("staff/propose", &proposal("add", "eve", "owner")).0, 403, "no owner");

    // What makes no sense, or is about oneself.
    let propose = |wanted: Value| olga.post("staff/propose", &wanted).0;
    assert_eq!(propose(proposal("add", "fay", "owner")), 409, "taken");
    assert_eq!((propose(proposal("add", "Eve", "owner")), propose(proposal("add", "eve", "boss"))), (400, 400));
    assert_eq!((propose(proposal("renew", "eve", "")), propose(proposal("renew", "olga", ""))), (404, 409));
    let twice = otto.post("staff/propose", &proposal("renew", "fay", "")).1["case"].clone();
    assert_eq!(propose(proposal("renew", "fay", "")), 409, "something about this name is open");
    let no = json!({ "approves": false, "reason": "no" });
    assert_eq!(otto.decide(&format!("staff-cases/{twice}/decide"), &no).0, 200, "who proposed it takes it back");
    let about_otto = olga.post("staff/propose", &proposal("renew", "otto", "")).1["case"].clone();
    let decision = json!({ "approves": true, "reason": "it is me" });
    assert_eq!(otto.decide(&format!("staff-cases/{about_otto}/decide"), &decision).0, 409, "it is about them");
    assert_eq!(
        olga.decide(&format!("staff-cases/{about_otto}/decide"), &json!({ "approves": false, "reason": "no" })).0,
        200
    );

    // Who enrols anew has neither password, passkey nor session of before.
    let (first, second) = agreed(owners, &proposal("renew", "fay", ""));
    assert!(fay.get("session").1["open"].is_null());
    assert_eq!(fay.login("fay"), 401);
    assert_eq!(row(&olga, "fay")["enrolment"]["expires_ms"].as_u64().map(|ms| ms > 0), Some(true));
    let mut again = Browser::new(port);
    assert_eq!(again.enrol(&format!("{first}{second}")).0, 200);
    assert_eq!((again.login("fay"), row(&olga, "fay")["role"].clone()), (204, json!("finance")));

    // One owner disables somebody at once, but not themselves.
    let (id, why) = (row(&olga, "fay")["id"].clone(), json!({ "reason": "left" }));
    assert_eq!(otto.post(&format!("staff/{}/disable", row(&olga, "otto")["id"]), &why).0, 409);
    assert_eq!(otto.post(&format!("staff/{}/disable", row(&olga, "olga")["id"]), &why).0, 409, "one of the last two");
    assert_eq!(otto.post(&format!("staff/{id}/disable"), &why).0, 200);
    assert_eq!((again.get("withdrawals").0, again.login("fay")), (401, 401));
    assert_eq!(otto.post(&format!("staff/{id}/disable"), &why).0, 404, "nobody who works here");

    // Both names are on record.
    let added = olga.get("audit?action=add%20staff").1["rows"][0].clone();
    assert_eq!((&added["actor"], &added["subject"]), (&json!("otto@staff-2"), &json!("staff:fay")));
    assert_eq!(added["detail"]["proposed_by"], "olga@staff-1");
    for half in [&of_fay.0, &of_fay.1, &first, &second] {
        assert!(!server.log().contains(half.trim_end_matches('.')), "no half is in the log");
    }
}

#[test]
fn what_the_tool_adds_alone_waits_72_hours_once_there_are_two_owners() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    let olga = person(&server, port, "olga", "owner", &[]);
    let why = ["--by", "owner", "--reason", "alone"];
    let asked =
        |words: &[&str]| -> Value { serde_json::from_str(&good(&tool(&server, &[words, &why[..]].concat()))).unwrap() };
    let add = |name: &str| asked(&["admin", "staff", "add", name, "--role", "finance"]);
    let early = add("early");
    assert!(early.get("opens_ms").is_none(), "one owner is not two");
    let otto = person(&server, port, "otto", "owner", &[]);
    assert_eq!(Browser::new(port).enrol(&code_of(&early)).0, 403, "it waits from now on, too");

    let said = add("late");
    let opens_ms = said["opens_ms"].as_u64().unwrap_or_else(|| panic!("{said}"));
    let enrolment = row(&otto, "late")["enrolment"].clone();
    assert_eq!((&enrolment["opens_ms"], &enrolment["alone"]), (&json!(opens_ms), &json!(true)));
    let code = code_of(&said);
    assert_eq!(Browser::new(port).enrol(&code).0, 403, "it does not open yet");
    // Later it does, unless somebody stopped it.
    change(&server, &["UPDATE staff_enrolments SET opens_ms = 1"]);
    assert_eq!(Browser::new(port).enrol(&code).0, 200);

    let code = code_of(&add("later"));
    let stop = format!("staff/{}/stop-enrolment", row(&otto, "later")["id"]);
    assert_eq!(otto.post(&stop, &json!({ "reason": "who is this?" })).0, 200);
    assert_eq!(otto.post(&stop, &json!({ "reason": "who is this?" })).0, 409);
    change(&server, &["UPDATE staff_enrolments SET opens_ms = 1"]);
    assert_eq!(Browser::new(port).enrol(&code).0, 403);

    // Both owners are renewed: they still work here, see it and stop it.
    let renewed = ["olga", "otto"].map(|name| asked(&["admin", "staff", "renew", name]));
    for (said, (owner, name)) in renewed.iter().zip([(&otto, "olga"), (&olga, "otto")]) {
        assert!(said["opens_ms"].as_u64().is_some_and(|ms| ms >= opens_ms), "{said}");
        assert_eq!(Browser::new(port).enrol(&code_of(said)).0, 403);
        let stop = format!("staff/{}/stop-enrolment", row(owner, name)["id"]);
        let themselves = if name == "olga" { &olga } else { &otto };
        assert_eq!(themselves.post(&stop, &json!({ "reason": "a thief would" })).0, 409);
        assert_eq!(owner.post(&stop, &json!({ "reason": "not me" })).0, 200);
    }
    let words = ["admin", "staff", "disable", "olga"];
    assert!(bad(&tool(&server, &[&words[..], &why].concat()), REFUSED).contains("last two owners"));
    let words = ["admin", "staff", "add", "late", "--role", "risk"];
    assert!(bad(&tool(&server, &[&words[..], &why].concat()), REFUSED).contains("taken"));
}
