//! The anchor of the office's audit, through the real binary: an audit whose end was cut off, or that was written anew, is found, and
//! accepted by somebody's word.

use crate::back_office::{change, open_office, person};
use crate::client::Server;
use crate::metrics::scrape;
use crate::tool::{bad, good, tool};
use crate::wait::eventually;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use xng_persistence::office::{AuditEntry, Office};

/// What the audit ends with that found a difference, and a tool that the server refused.
const FOUND: i32 = 1;
const REFUSED: i32 = 2;
const TWO_HOURS: Duration = Duration::from_secs(7_200);

/// Rows of two hours ago: younger ones are not anchored yet.
fn add_old_rows(data: &Path, actor: &str, count: u64) {
    let then = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() - TWO_HOURS;
    let text = |text: &str| text.to_owned();
    let (action, subject, detail) = (text("look at user"), text("user:1"), text("{}"));
    let entry = AuditEntry { actor: text(actor), action, subject, detail, ip: text("") };
    // As a first start makes it.
    DirBuilder::new().recursive(true).mode(0o700).create(data).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let office = Office::open(&data.join("office.db")).await.unwrap();
        for _ in 0..count {
            office.append_audit(&entry, then.as_millis() as u64).await.unwrap();
        }
        office.close().await;
    });
}

#[test]
fn an_audit_that_was_cut_off_or_written_anew_is_found_by_its_anchor() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    add_old_rows(&server.data_dir(), "ann", 5);
    server.launch();
    let audit = |server: &Server| tool(server, &["audit"]);
    let accept = ["admin", "audit", "accept", "--by", "olga", "--reason", "an older copy"];
    // Once a minute, and at a start.
    let figure = |server: &Server, name: &str| scrape(server).sum(name, &[]);
    eventually("the audit is anchored", || figure(&server, "xng_audit_anchored_rows") == 5.0);
    assert_eq!(figure(&server, "xng_audit_broken"), 0.0);
    let owner = person(&server, port, "olga", "owner", &[]);
    let check = || owner.get("audit/check").1;
    assert_eq!((&check()["anchor"]["rows"], &check()["anchor"]["holds"]), (&5.into(), &true.into()));
    assert!(bad(&tool(&server, &accept), REFUSED).contains("is what the journal says"));
    server.terminate();
    assert!(good(&audit(&server)).contains("anchors: 1"));

    // Nobody who writes into the office writes into the journal. What is put in the place of rows that are gone is another one.
    change(&server, &["DROP TRIGGER audit_is_not_removed", "DELETE FROM audit WHERE id >= 4"]);
    add_old_rows(&server.data_dir(), "eve", 3);
    let found = bad(&audit(&server), FOUND);
    assert!(found.contains("row 5 of the office's audit is not what record"), "{found}");
    server.launch();
    eventually("it is noticed", || figure(&server, "xng_audit_broken") == 1.0);
    assert_eq!((&check()["broken"], &check()["anchor"]["holds"]), (&serde_json::Value::Null, &false.into()));
    server.terminate();
    change(&server, &["DELETE FROM audit WHERE id >= 5"]);
    assert!(bad(&audit(&server), FOUND).contains("row 5"), "cut off");
    let (office, aside) = (server.data_dir().join("office.db"), server.data_dir().join("office.aside"));
    std::fs::rename(&office, &aside).unwrap();
    assert!(bad(&audit(&server), FOUND).contains("there is no office"));
    std::fs::rename(&aside, &office).unwrap();

    server.launch();
    eventually("it is noticed again", || figure(&server, "xng_audit_broken") == 1.0);
    good(&tool(&server, &accept));
    eventually("it holds again", || check()["anchor"]["holds"] == true);
    assert_eq!(figure(&server, "xng_audit_broken"), 0.0);
    server.terminate();
    let said = good(&audit(&server));
    assert!(said.contains("anchors: 1"), "what was accepted stands for all before it: {said}");
    let dump = good(&tool(&server, &["journal", "dump", "--kind", "AuditAnchored"]));
    assert!(dump.contains("olga"), "{dump}");
}

#[test]
fn rows_that_do_not_continue_what_was_anchored_are_not_anchored() {
    let mut server = Server::prepare(&[]);
    open_office(&mut server);
    add_old_rows(&server.data_dir(), "ann", 5);
    server.launch();
    let figure = |server: &Server, name: &str| scrape(server).sum(name, &[]);
    eventually("the audit is anchored", || figure(&server, "xng_audit_anchored_rows") == 5.0);
    server.terminate();
    // The anchored row keeps its hash; what comes after it continues other rows.
    add_old_rows(&server.data_dir(), "ann", 1_000);
    let forged = "UPDATE audit SET actor = 'eve' WHERE id > 900";
    change(&server, &["DROP TRIGGER audit_is_not_changed", forged]);
    server.launch();
    eventually("it is noticed", || figure(&server, "xng_audit_broken") == 1.0);
    assert_eq!(figure(&server, "xng_audit_anchored_rows"), 5.0);
    server.terminate();
    // Rows before the anchor are looked through at a start.
    let old = ["DELETE FROM audit WHERE id > 5", "UPDATE audit SET actor = 'eve' WHERE id = 2"];
    change(&server, &["DROP TRIGGER audit_is_not_removed", old[0], old[1]]);
    server.launch();
    eventually("it is noticed", || figure(&server, "xng_audit_broken") == 1.0);
}
