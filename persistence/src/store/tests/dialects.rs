//! One journal, two databases, the same rows; and Postgres when things happen to it.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::*;
use crate::journal::fake_disk::Faults;
use crate::store::{StoreError, sql::Table};

/// Rows that name what a schema is made of, the same text in both dialects.
fn schema(rig: &Rig) -> Vec<String> {
    rig.wait(rig.store.markets()).expect("has its tables");
    let sql = match rig.home {
        Home::File(_) => {
            "SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c
             WHERE m.type = 'table' AND m.name NOT LIKE '\\_%' ESCAPE '\\'
             UNION ALL
             SELECT m.tbl_name || ' by ' || group_concat(c.name, ',') FROM sqlite_master m, pragma_index_info(m.name) c
             WHERE m.type = 'index' AND m.sql IS NOT NULL GROUP BY m.tbl_name, m.name ORDER BY 1"
        }
        Home::Server(..) => {
            "SELECT table_name || '.' || column_name FROM information_schema.columns
             WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%'
             UNION ALL
             SELECT tablename || ' by ' || replace(substring(indexdef FROM '\\((.*)\\)'), ', ', ',') FROM pg_indexes
             WHERE schemaname = 'public' AND indexdef NOT LIKE 'CREATE UNIQUE%' ORDER BY 1"
        }
    };
    let mut names = rig.texts(sql);
    names.sort();
    names
}

#[test]
fn both_schemas_have_the_same_tables_columns_and_indexes() {
    let (sqlite, postgres) = (schema(&Rig::new(Dialect::Sqlite)), schema(&Rig::new(Dialect::Postgres)));
    assert!(sqlite.len() > 100 && sqlite.contains(&"ledger by account,asset,id".to_owned()), "{sqlite:?}");
    assert_eq!(sqlite, postgres);
}

#[test]
fn a_checksum_covers_every_table_and_tells_one_changed_digit() {
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let mut untold: Option<Vec<String>> = None;
        // A column that is empty in each row of one exchange has a value in another one; in these the first has all but a
        // stop order of a pair, which the second has.
        for seed in [31, 81].into_iter().chain(32..60) {
            let mut exchange = Exchange::new(seed, 3);
            exchange.play(200, 3);
            let rig = Rig::new(dialect);
            rig.project(&exchange);
            let columns = untold.take().unwrap_or_else(|| schema(&rig));
            let before = rig.sums();
            let columns =
                columns.into_iter().filter(|column| !is_told(&rig, &before, column, dialect)).collect::<Vec<_>>();
            assert_eq!(rig.sums(), before);
            if columns.is_empty() {
                break;
            }
            untold = Some(columns);
        }
        assert_eq!(untold, None, "{dialect:?}");
    }
}

/// Whether the checksum of a column's table tells that the column changed; first that the sums of a whole store have it.
fn is_told(rig: &Rig, before: &BTreeMap<&'static str, TableChecksum>, column: &str, dialect: Dialect) -> bool {
    let Some((table, column)) = column.split_once('.') else { return true };
    let is_text = |t: &Table| t.name == table && (t.texts.contains(&column) || t.bytes.contains(&column));
    if column == "epoch" || Table::all().any(is_text) {
        return true;
    }
    if table == "ledger" {
        let count = rig.execute("SELECT count(*), max(id) FROM ledger");
        assert_eq!(count[0][0], count[0][1], "no number of the ledger is left out");
        assert_eq!(before["ledger"].rows, count[0][0].cast_unsigned());
    }
    let before = before.get(table).unwrap_or_else(|| panic!("{dialect:?}: {table} is not covered"));
    if before.rows == 0 {
        return true;
    }
    let sum = || rig.wait(rig.store.checksum_of(table)).expect("reads");
    // Twice is once back, and no two keys become one.
    rig.execute(&format!("UPDATE {table} SET {column} = -{column} - 1"));
    let told = sum().sha256 != before.sha256;
    rig.execute(&format!("UPDATE {table} SET {column} = -{column} - 1"));
    assert_eq!(sum(), *before);
    told
}

/// Projects the same journal into both, with `fault` between batches on Postgres' side, and compares every table.
fn compare(seed: u64, rounds: usize, server: &Arc<Postgres>, mut fault: impl FnMut(usize, &Rig)) {
    let mut exchange = Exchange::new(seed, 5);
    let journal = Journaled::new();
    let mut started = journal.start();
    let (sqlite, postgres) = (Rig::new(Dialect::Sqlite), Rig::on_server(server));
    let (plain, _) = sqlite.persister(&started, 1, quick());
    let options = PersisterOptions { batch_records: 7, ..quick() };
    let (tried, fatal) = postgres.persister(&started, 1, options);
    for round in 0..rounds {
        exchange.play(60, 5);
        journal.append(&mut started, &exchange);
        fault(round, &postgres);
    }
    let end = Lsn(exchange.records.len() as u64);
    let messages = || fatal.lock().expect("no panic").clone();
    assert!(plain.handle().wait_for(end, SOON));
    assert!(tried.handle().wait_for(end, 3 * SOON), "{:?}", messages());
    plain.shutdown(SOON);
    tried.shutdown(SOON);
    assert_eq!(messages(), Vec::<String>::new());
    assert_eq!(sqlite.sums(), postgres.sums());
    check(&postgres, &exchange);
}

#[test]
fn the_same_journal_gives_the_same_rows_in_both() {
    compare(41, 10, &Postgres::shared().expect("starts"), |_, _| ());
}

#[test]
fn rows_are_the_same_although_connections_are_ended_at_any_moment() {
    let server = Arc::new(Postgres::start().expect("starts"));
    compare(42, 25, &server, |_, _| server.terminate_backends().expect("answers"));
}

#[test]
fn rows_are_the_same_although_the_server_is_killed_and_started_again() {
    let server = Arc::new(Postgres::start().expect("starts"));
    compare(43, 6, &server, |round, _| {
        if round % 2 == 1 {
            server.kill();
            server.restart().expect("starts again");
        }
    });
}

#[test]
fn rows_are_the_same_although_the_server_is_stopped_for_longer_than_anybody_waits() {
    let server = Arc::new(Postgres::start().expect("starts"));
    compare(44, 3, &server, |round, rig| {
        server.freeze();
        if round == 1 {
            let began = Instant::now();
            let error = rig.wait(rig.store.markets()).expect_err("nobody answers");
            assert!(matches!(error, StoreError::Database { .. }), "{error}");
            assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
            std::thread::sleep(impatient().write);
        }
        server.thaw();
    });
}

#[test]
fn rows_are_the_same_although_statements_run_out_of_time() {
    let server = Arc::new(Postgres::start().expect("starts"));
    compare(45, 3, &server, |round, rig| {
        if round == 1 {
            let lock = rig.lock();
            std::thread::sleep(2 * impatient().statement);
            drop(lock);
        }
    });
}

#[test]
fn a_server_that_is_away_at_first_is_migrated_when_it_comes() {
    let server = Arc::new(Postgres::start().expect("starts"));
    let url = server.create_database().expect("a database");
    server.stop().expect("stops");
    let rig = Rig::on(Home::Server(server.clone(), url));
    let mut exchange = Exchange::new(46, 3);
    let journal = Journaled::new();
    let mut started = journal.start();
    let (persister, fatal) = rig.persister(&started, 1, quick());
    exchange.play(100, 3);
    journal.append(&mut started, &exchange);
    let error = rig.wait(rig.store.checkpoint(CELL)).expect_err("nobody answers");
    assert!(matches!(error, StoreError::Database { .. }), "{error}");
    eventually("it fails", || persister.handle().metrics().errors.load(Ordering::Relaxed) >= 3);
    server.restart().expect("starts");
    assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
    persister.shutdown(SOON);
    assert!(fatal.lock().expect("no panic").is_empty());
    check(&rig, &exchange);
}

#[test]
fn a_database_that_is_made_anew_while_the_exchange_runs_is_migrated_and_filled_again() {
    let rig = Rig::new(Dialect::Postgres);
    let mut exchange = Exchange::new(47, 3);
    let journal = Journaled::new();
    let mut started = journal.start();
    let (persister, fatal) = rig.persister(&started, 1, quick());
    for round in 0..6 {
        exchange.play(100, 3);
        journal.append(&mut started, &exchange);
        assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON), "{fatal:?}");
        check(&rig, &exchange);
        rig.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        if round % 2 == 0 {
            // A reader finds it first.
            let until = Instant::now() + SOON;
            while rig.wait(rig.store.markets()).is_err() {
                assert!(Instant::now() < until, "it never finds its tables again");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
    persister.shutdown(SOON);
    assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new());
}

#[test]
fn a_journal_that_cannot_be_opened_for_a_while_delays_the_rows_and_nothing_else() {
    let rig = Rig::new(Dialect::Sqlite);
    let mut exchange = Exchange::new(48, 3);
    let journal = Journaled::new();
    let mut started = journal.start();
    exchange.play(100, 3);
    journal.append(&mut started, &exchange);
    // The journal's own keeper has nothing to open any more.
    let spares = Options::new(CELL).spare_segments;
    eventually("the spares are ready", || started.control.spare_segments() >= spares);
    journal.disk.set_faults(Faults { fail_opens: true, ..Faults::default() });
    let (persister, fatal) = rig.persister(&started, 1, quick());
    eventually("it tries again", || {
        assert!(!persister.handle().has_failed(), "it tries again");
        persister.handle().metrics().errors.load(Ordering::Relaxed) >= 3
    });
    journal.disk.set_faults(Faults::default());
    assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
    persister.shutdown(SOON);
    assert!(fatal.lock().expect("no panic").is_empty());
    check(&rig, &exchange);
}

#[test]
fn several_who_find_an_empty_database_migrate_it_once() {
    let server = Postgres::shared().expect("starts");
    let url = server.create_database().expect("a database");
    std::thread::scope(|s| {
        for _ in 0..4 {
            let home = Home::Server(server.clone(), url.clone());
            s.spawn(move || {
                let rig = Rig::on(home);
                eventually("it has its tables", || match rig.wait(rig.store.markets()) {
                    Ok(_) => true,
                    // On a slow machine one may have waited too long for another.
                    Err(error) => {
                        assert!(!error.is_final(), "{error}");
                        false
                    }
                });
            });
        }
    });
}

#[test]
fn tables_of_somebody_else_are_refused_for_good() {
    let rig = Rig::new(Dialect::Postgres);
    rig.execute("CREATE TABLE ledger (mine TEXT)");
    for _ in 0..2 {
        let error = rig.wait(rig.store.markets()).expect_err("not our schema");
        assert!(matches!(error, StoreError::Migration(_)), "{error}");
        assert!(error.to_string().contains("ledger"), "{error}");
    }
}
