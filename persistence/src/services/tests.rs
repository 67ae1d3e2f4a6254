//! The private servers do what tests of the store rely on.

use super::{Postgres, Redis};

#[test]
fn a_private_postgres_keeps_what_was_committed_through_a_kill_and_ends_with_its_owner() {
    let server = Postgres::start().expect("starts");
    let url = server.create_database().expect("answers");
    server.execute(&url, "CREATE TABLE t (n INT)").expect("creates");
    server.execute(&url, "INSERT INTO t VALUES (7)").expect("inserts");
    assert_eq!(server.execute(&url, "SHOW fsync").expect("answers").trim(), "on");
    server.kill();
    assert!(server.execute(&url, "SELECT n FROM t").is_err(), "nobody answers");
    server.restart().expect("starts again");
    assert_eq!(server.execute(&url, "SELECT n FROM t").expect("answers").trim(), "7");
    server.stop().expect("stops");
    server.restart().expect("starts again");
    assert_eq!(server.execute(&url, "SELECT n FROM t").expect("answers").trim(), "7");
    let folder = server.folder();
    drop(server);
    assert!(!folder.exists());
}

#[test]
fn the_shared_server_is_one_as_long_as_somebody_uses_it() {
    let (one, other) = (Postgres::shared().expect("starts"), Postgres::shared().expect("starts"));
    assert_eq!(one.folder(), other.folder());
    assert_ne!(one.create_database().expect("answers"), other.create_database().expect("answers"));
}

#[test]
fn a_private_redis_answers_unless_it_is_stopped_frozen_or_killed() {
    let server = Redis::start().expect("starts");
    assert!(server.answers());
    server.freeze();
    assert!(!server.answers());
    server.thaw();
    assert!(server.answers());
    server.kill();
    assert!(!server.answers());
    server.restart().expect("starts again");
    assert!(server.answers());
    server.stop().expect("stops");
    assert!(!server.answers());
}
