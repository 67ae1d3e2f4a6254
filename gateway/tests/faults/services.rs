//! Postgres and Redis are away, stand still, crawl, forget and come back while users trade: nobody waits for them, the lag
//! is shown and goes, and afterwards the store equals the journal. An outage lasts 2 s, in the long form 60 s.

use crate::client::Server;
use crate::harness::{is_long, one_pair_only};
use crate::line::{Line, Quality};
use crate::load::{self, User};
use crate::promises::Row;
use crate::wait::eventually;
use redis::Commands;
use std::time::{Duration, Instant};
use xng_persistence::services::{Postgres, Redis};

const STORE: &str = "the store is away";
const REDIS: &str = "Redis is away";
/// Requests that must be done in an outage at the least: a count, however fast the machine is.
const ENOUGH: usize = 40;
/// Between two requests of a user: what is looked up afterwards is then looked up in a minute.
const PAUSE: Duration = Duration::from_millis(10);
/// What the process may grow by through it all. The journal is the queue: what waits is on disk.
const GROWTH_MIB: u64 = 256;
/// Slow enough that rows come in faster than they get through.
const SLOW: Quality = Quality::Slow { delay: Duration::from_millis(30), bytes_per_second: 32 * 1_024 };

/// A server between services that can be broken, and those who trade on it.
struct Rig {
    postgres: Postgres,
    /// The database as its administrator reaches it.
    url: String,
    redis: Redis,
    to_postgres: Line,
    to_redis: Line,
    server: Server,
    users: Vec<User>,
    outage: Duration,
    outages: usize,
    /// Acknowledgements that were looked up after earlier outages.
    checked: usize,
}

/// What was seen in an outage.
struct Outage {
    acknowledged: usize,
    lag_records: usize,
    lag_seconds: f64,
}

impl Rig {
    /// Both services are away when the server starts.
    fn new() -> Rig {
        let (postgres, redis) = (Postgres::start().unwrap(), Redis::start().unwrap());
        let (to_postgres, to_redis) = (Line::to_socket(&postgres.socket()), Line::to_socket(&redis.socket()));
        let url = postgres.create_database().unwrap();
        let database = url.trim_start_matches("postgres:///").split('?').next().unwrap();
        let store = format!("postgres://exchange@127.0.0.1:{}/{database}?sslmode=disable", to_postgres.port);
        let hot = format!("redis://127.0.0.1:{}", to_redis.port);
        postgres.stop().unwrap();
        redis.kill();
        let mut server = Server::prepare(&[("XNG__STORE__URL", &store), ("XNG__REDIS__URL", &hot)]);
        one_pair_only(&mut server);
        server.launch();
        server.wait_open("BTCUSDT");
        let mut users = load::users(&server);
        users.iter_mut().for_each(|user| user.pause = PAUSE);
        let outage = Duration::from_secs(if is_long() { 60 } else { 2 });
        Rig { postgres, url, redis, to_postgres, to_redis, server, users, outage, outages: 0, checked: 0 }
    }

    fn sql(&self, sql: &str) -> String {
        self.postgres.execute(&self.url, sql).unwrap()
    }

    /// Lets an outage last, until enough was acknowledged in it.
    fn last(&self, mut meanwhile: impl FnMut()) -> Outage {
        let (begun, before) = (Instant::now(), load::acknowledged(&self.users));
        let (mut cleared, mut done) = (begun, 0);
        eventually("acknowledgements go on", || {
            meanwhile();
            // Or else too many orders rest.
            if cleared.elapsed() > Duration::from_secs(2) {
                self.users.iter().for_each(User::clear);
                cleared = Instant::now();
            }
            done = load::acknowledged(&self.users) - before;
            begun.elapsed() >= self.outage && done >= ENOUGH
        });
        let status = self.server.ops_get("/status");
        let lag_records = usize::try_from(status["lag_records"].as_u64().unwrap()).unwrap();
        Outage { acknowledged: done, lag_records, lag_seconds: status["lag_seconds"].as_f64().unwrap() }
    }

    /// An outage in which the store takes nothing: the lag tells all that was done since.
    fn last_without_store(&self, meanwhile: impl FnMut()) -> Outage {
        let outage = self.last(meanwhile);
        let status = self.server.ops_get("/status");
        assert!(outage.lag_records >= outage.acknowledged && outage.lag_seconds > 0.0, "the lag is shown: {status}");
        outage
    }

    /// Users trade through an outage of the store and until what was done in it is there, and find everything.
    fn without_store(&mut self, how: &str, outage: impl FnOnce(&Rig) -> Outage) {
        let mut seen = None;
        load::trade_while(&self.users, 1, || {
            seen = Some(outage(self));
            self.server.wait_persisted();
        });
        eventually("nothing lags", || self.server.status("lag_records") == 0);
        let Outage { acknowledged, lag_records, lag_seconds } = seen.unwrap();
        let mib = resident_mib(&self.server);
        eprintln!("{how}: {acknowledged} acknowledged, {lag_records} records and {lag_seconds:.1} s behind, {mib} MiB");
        let row = Row { promise: STORE, how, tried: 1, ..Row::default() };
        let mut audit = load::audit(&self.users, false);
        audit.checked -= std::mem::replace(&mut self.checked, audit.checked);
        audit.tell(row);
        self.users.iter().for_each(User::clear);
        self.outages += 1;
    }

    /// An outage of Redis while users trade: all that was there comes back by itself.
    fn without_redis(&self, how: &str, begin: impl FnOnce(&Rig), end: impl FnOnce(&Rig)) {
        let redis = |name: &str| self.server.ops_get("/status")["redis"][name].clone();
        eventually("Redis is there", || redis("up") == true);
        begin(self);
        let acknowledged = self.last(|| ()).acknowledged;
        end(self);
        eprintln!("{how}: {acknowledged} acknowledged");
        eventually("the views are there", || {
            // What a flush or a kill took is there again only when all was written anew: the mark comes with that.
            let there = |key: &str| self.connect()?.get::<_, Option<String>>(key);
            let both = ["xng:hot", "xng:depth:BTCUSDT"].map(|key| there(key).is_ok_and(|value| value.is_some()));
            redis("up") == true && both == [true; 2]
        });
        // What was acknowledged meanwhile is looked up when the outage of the store around it is over.
        Row { promise: REDIS, how, tried: 1, ..Row::default() }.tell();
    }

    fn connect(&self) -> redis::RedisResult<redis::Connection> {
        redis::Client::open(self.redis.url())?.get_connection()
    }

    /// Waits until the server says that Redis is away.
    fn redis_is_missed(&self) {
        eventually("Redis is missed", || self.server.ops_get("/status")["redis"]["up"] == false);
    }

    /// Nobody but its holder reaches the tables that every batch writes.
    fn with_locked_tables<T>(&self, work: impl FnOnce() -> T) -> T {
        let held = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted \
            AND relation = 'ledger'::regclass";
        let release = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LOCK TABLE%'";
        // It ends by itself should the test fail meanwhile.
        let limit = 2 * self.outage.as_secs() + 60;
        // In the order in which a batch writes them: in the other, Postgres may see a deadlock and refuse this one.
        let lock = format!("LOCK TABLE checkpoint, ledger IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({limit})");
        std::thread::scope(|scope| {
            let holder = scope.spawn(|| self.postgres.execute(&self.url, &lock));
            eventually("the tables are locked", || {
                assert!(!holder.is_finished(), "the lock was refused");
                self.sql(held).trim() == "1"
            });
            let done = work();
            self.sql(release);
            assert!(holder.join().unwrap().is_err(), "it was held to the end");
            done
        })
    }

    /// Ends what the exchange's connections are doing, as a statement timeout does.
    fn cancel_statements(&self) {
        self.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'exchange'");
    }

    fn retries(&self) -> u64 {
        self.server.ops_get("/status")["persister"]["retries"].as_u64().unwrap()
    }
}

/// Memory of the server's process.
fn resident_mib(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_024
}

#[test]
fn services_that_are_away_slow_or_gone_delay_nobody_and_the_store_ends_as_the_journal() {
    let mut rig = Rig::new();
    let before = resident_mib(&rig.server);
    rig.without_store("away at the start, with Redis", |rig| {
        let outage = rig.last_without_store(|| ());
        rig.postgres.restart().unwrap();
        rig.redis.restart().unwrap();
        outage
    });
    store_outages(&mut rig);
    // The persister waits for its deadline meanwhile.
    rig.without_store("half-open connections, Redis breaks meanwhile", |rig| {
        rig.to_postgres.set(Quality::Dead);
        redis_outages(rig);
        let outage = rig.last_without_store(|| ());
        rig.to_postgres.set(Quality::Good);
        outage
    });
    let after = resident_mib(&rig.server);
    assert!(after < before + GROWTH_MIB, "memory is bounded: {before} MiB at first, {after} MiB in the end");
    let (how, tried) = ("afterwards the store equals the journal", rig.outages);
    load::audit(&rig.users, true).conclude(Row { promise: STORE, how, tried, ..Row::default() }, &mut rig.server);
}

fn store_outages(rig: &mut Rig) {
    rig.without_store("connections ended by an administrator", |rig| {
        let retries = rig.retries();
        let outage = rig.last(|| {
            rig.postgres.terminate_backends().unwrap();
            std::thread::sleep(Duration::from_millis(200));
        });
        assert!(rig.retries() > retries, "it was noticed");
        outage
    });
    rig.without_store("kill -9 and a start", |rig| {
        rig.postgres.kill();
        let outage = rig.last_without_store(|| ());
        let ready = rig.server.ops_get("/readyz");
        assert!(ready["warnings"].as_array().unwrap().contains(&"store away".into()), "{ready}");
        rig.postgres.restart().unwrap();
        outage
    });
    rig.without_store("SIGSTOP, SIGCONT", |rig| {
        rig.postgres.freeze();
        let outage = rig.last_without_store(|| ());
        rig.postgres.thaw();
        outage
    });
    rig.without_store("a slow line", |rig| {
        rig.to_postgres.set(SLOW);
        let outage = rig.last(|| ());
        assert!(outage.lag_records > 0, "rows come in faster than they get through");
        rig.to_postgres.set(Quality::Good);
        outage
    });
    rig.without_store("connections cut", |rig| {
        let retries = rig.retries();
        let outage = rig.last(|| {
            rig.to_postgres.cut();
            std::thread::sleep(Duration::from_millis(200));
        });
        assert!(rig.retries() > retries, "it was noticed");
        outage
    });
    rig.without_store("locked tables, statements run out of time", |rig| {
        let retries = rig.retries();
        rig.with_locked_tables(|| {
            let outage = rig.last_without_store(|| rig.cancel_statements());
            assert!(rig.retries() > retries, "it was noticed");
            outage
        })
    });
}

fn redis_outages(rig: &Rig) {
    let kill = |rig: &Rig| {
        rig.redis.kill();
        rig.redis_is_missed();
    };
    rig.without_redis("kill -9 and a start", kill, |rig| rig.redis.restart().unwrap());
    let freeze = |rig: &Rig| {
        rig.redis.freeze();
        rig.redis_is_missed();
    };
    rig.without_redis("SIGSTOP, SIGCONT", freeze, |rig| rig.redis.thaw());
    let flush = |rig: &Rig| redis::cmd("FLUSHALL").query::<()>(&mut rig.connect().unwrap()).unwrap();
    rig.without_redis("FLUSHALL", flush, |_| ());
    rig.without_redis("a slow line", |rig| rig.to_redis.set(SLOW), |rig| rig.to_redis.set(Quality::Good));
    let half_open = |rig: &Rig| {
        rig.to_redis.set(Quality::Dead);
        rig.redis_is_missed();
    };
    rig.without_redis("half-open connections", half_open, |rig| rig.to_redis.set(Quality::Good));
}
