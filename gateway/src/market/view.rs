//! The market view: one thread that follows durable facts and the reference tape, keeps the boards, and publishes.
//!
//! Owns: which stream is at which publication, the diff of each depth speed; who reads what is the topics' business.
//! Never does: decide, touch money, wait for a socket.
//! Invariants: subscriptions and publications happen on this one thread, so a snapshot and the first diff after it
//! join without a gap; each publication is serialised once.
//! Known limits: sequence numbers of streams begin anew with the process; update and trade ids do not.

use super::aggregates::aggregated;
use super::board::{Board, Boards, read, write};
use super::campaigns::Campaigns;
use super::candle_rows::CandleRows;
use super::candles::TapeTrade;
use super::contract_board;
use super::contract_stream::ContractStream;
use super::contracts::Fold;
use super::depth::{Changes, Depth};
use super::desks::Desks;
use super::payload::{self, DepthFormat};
use super::stocks::Stocks;
use super::tape::WaitingTape;
use super::topics::Topics;
use super::traders::Traders;
use crate::api::ws::outbox::{Conflation, Mode, Outbox};
use crate::api::ws::stream::{Speed, Stream};
use crate::common::time::{Ms, TimeUnit, ms, now_ms};
use crate::custody::chains::Chains;
use crate::feed::sources::Sources;
use crate::market::catalog::SharedCatalog;
use crate::observe::health::Health;
use crate::observe::metrics::sockets::Dropped;
use crossbeam::channel::{Receiver, Sender, select_biased};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};
use xng_core::account::leg_orders::LegOrder;
use xng_core::contract::book::facts::BookFact;
use xng_core::contract::facts::ContractFact;
use xng_core::entity::Applied;
use xng_core::ids::MarketId;
use xng_core::journal::{Batch, Lsn};
use xng_core::price::PriceKind;
use xng_core::price::facts::PriceFact;
use xng_core::record::{Fact, Record};
use xng_core::spot::facts::SpotFact;
use xng_core::spot::{MarketState, Side};

/// Inputs taken after each batch of the journal.
const INPUTS_A_BATCH: usize = 64;
/// Inputs that wait at most; a session that finds no room is closed.
pub const INPUTS: usize = 16_384;
const FAST: Duration = Duration::from_millis(100);
/// Fast ticks in a slow one.
pub(super) const SLOW_EVERY: u64 = 10;
/// Fast ticks between two depth diffs of a contract, where no other speed is asked for …
const CONTRACT_SLOW: u64 = 2;
/// … and of half a second.
const CONTRACT_HALF: u64 = 5;

/// What the view is told besides journal batches.
#[derive(Debug)]
pub enum ViewInput {
    /// A session wants streams; `answer` is its control answer, which goes first.
    Subscribe(Arc<Outbox>, Vec<Stream>, String),
    /// A session was opened, for the streams of its path if that names some; from now on it is cut off when it stalls.
    Join(Arc<Outbox>, Vec<Stream>),
    /// A session no longer wants streams.
    Unsubscribe(Arc<Outbox>, Vec<Stream>, String),
    /// A session ended.
    Gone(u64),
}

pub(super) struct MarketEdge {
    pub(super) board: Arc<RwLock<Board>>,
    pub(super) format: Arc<DepthFormat>,
    fast: Changes,
    slow: Changes,
    /// Of a contract: the stream of every half second.
    half: Changes,
    touched: bool,
    pub(super) ticker_touched: bool,
    best: Option<[(i64, i64); 2]>,
    /// The state that was last told; price and time are told with the full status.
    pub(super) published_state: Option<MarketState>,
    /// Begin of the candle that was current a second ago, per zone and period: its last word is told when it has closed.
    pub(super) current: [[Ms; 16]; 2],
}

/// Hears of facts.
type Listener = Box<dyn Fn(&Fact) + Send>;

/// The view's state; [`run`](View::run) is its thread.
pub struct View {
    catalog: SharedCatalog,
    boards: Boards,
    sources: Arc<Sources>,
    pub(super) markets: BTreeMap<MarketId, MarketEdge>,
    pub(super) topics: Topics,
    /// All that are open, whether they read a stream or nothing but their account's events: a stalled session is not polled,
    /// so somebody else must cut it off.
    sessions: BTreeMap<u64, Arc<Outbox>>,
    /// The app's new readers of books, by session: each begins right behind the stream's next diff, for a snapshot in
    /// between would need a diff of its own.
    beginning: BTreeMap<(u64, Stream), Arc<Outbox>>,
    pub(super) slow_ticks: u64,
    pub(super) lsn: Lsn,
    pub(super) candles: Sender<CandleRows>,
    /// Trades of the reference feed that wait for the record of their ids.
    waiting: WaitingTape,
    /// Hears of every fact.
    listener: Option<Listener>,
    pub(super) contracts: Fold,
    desks: Arc<Desks>,
    pub(super) stocks: Arc<Stocks>,
    chains: Arc<Chains>,
    traders: Arc<Traders>,
    campaigns: Arc<Campaigns>,
    pub(super) contract_stream: ContractStream,
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "view of {} markets for {} sessions", self.markets.len(), self.sessions.len())
    }
}

impl View {
    /// A view that goes on from the boards as of `lsn`; candles that change go to `candles` for the store.
    #[must_use]
    pub fn new(
        catalog: SharedCatalog,
        boards: Boards,
        sources: Arc<Sources>,
        lsn: Lsn,
        candles: Sender<CandleRows>,
    ) -> View {
        let mut view = View {
            catalog,
            boards,
            sources,
            markets: BTreeMap::new(),
            topics: Topics::default(),
            sessions: BTreeMap::new(),
            beginning: BTreeMap::new(),
            slow_ticks: 0,
            lsn,
            candles,
            waiting: WaitingTape::default(),
            listener: None,
            contracts: Fold::default(),
            desks: Arc::default(),
            stocks: Arc::default(),
            traders: Arc::default(),
            campaigns: Arc::default(),
            chains: Arc::default(),
            contract_stream: ContractStream::default(),
        };
        for board in view.boards.every() {
            view.follow_market(board);
        }
        view
    }

    fn follow_market(&mut self, board: Arc<RwLock<Board>>) {
        let (market, edge) = {
            let b = read(&board);
            let changes = Changes::since(b.depth.update());
            let edge = MarketEdge {
                format: Arc::new(DepthFormat::new(&b)),
                fast: changes.clone(),
                half: changes.clone(),
                slow: changes,
                touched: false,
                ticker_touched: true,
                best: None,
                published_state: None,
                current: [[0; 16]; 2],
                board: board.clone(),
            };
            (b.params.market, edge)
        };
        self.markets.insert(market, edge);
    }

    /// Hands publications out as fast as so many threads write them to sockets.
    #[must_use]
    pub fn for_workers(mut self, workers: usize) -> View {
        self.topics = Topics::for_workers(workers);
        self
    }

    /// Publishes the trades of a reference tape where their ids are set apart.
    #[must_use]
    pub fn with_tape(mut self, waiting: WaitingTape) -> View {
        self.waiting = waiting;
        self
    }

    /// Goes on with contracts from there.
    #[must_use]
    pub fn with_contracts(mut self, contracts: Fold) -> View {
        self.contract_stream = ContractStream::of(contracts.shared());
        self.contracts = contracts;
        self
    }

    /// Goes on with traders from there.
    #[must_use]
    pub fn with_traders(self, traders: Arc<Traders>) -> View {
        View { traders, ..self }
    }

    /// Goes on with campaigns of coupons from there.
    #[must_use]
    pub fn with_campaigns(self, campaigns: Arc<Campaigns>) -> View {
        View { campaigns, ..self }
    }

    /// Goes on with chains from there.
    #[must_use]
    pub fn with_chains(self, chains: Arc<Chains>) -> View {
        View { chains, ..self }
    }

    /// Goes on with desks of seconds options from there.
    #[must_use]
    pub fn with_desks(self, desks: Arc<Desks>) -> View {
        View { desks, ..self }
    }

    /// Goes on with calendars of stocks from there.
    #[must_use]
    pub fn with_stocks(self, stocks: Arc<Stocks>) -> View {
        let view = View { stocks, ..self };
        view.boards.all().iter().for_each(|board| view.know_sessions(&mut write(board)));
        view
    }

    /// Tells somebody of every fact, as it comes from the journal.
    #[must_use]
    pub fn telling(mut self, listener: impl Fn(&Fact) + Send + 'static) -> View {
        self.listener = Some(Box::new(listener));
        self
    }

    /// Follows until the journal ends. A journal that is always ready does not keep subscribers waiting.
    pub fn run(mut self, journal: &Receiver<Arc<Batch>>, inputs: &Receiver<ViewInput>, health: &Health) {
        let mut next = Instant::now() + FAST;
        loop {
            select_biased! {
                recv(journal) -> batch => match batch {
                    Ok(batch) => {
                        self.batch(&batch);
                        health.trail.published(self.lsn);
                        inputs.try_iter().take(INPUTS_A_BATCH).for_each(|input| self.input(input));
                    }
                    Err(_) => return,
                },
                recv(inputs) -> input => match input {
                    Ok(input) => self.input(input),
                    Err(_) => return,
                },
                default(self.topics.due(next).saturating_duration_since(Instant::now())) => {}
            }
            self.topics.hand_out(Instant::now());
            if Instant::now() >= next {
                next = Instant::now() + FAST;
                health.view.made();
                if !self.tick() {
                    health.candles_late.add(1);
                }
                health.trail.went_round(self.lsn);
            }
        }
    }

    /// Applies the records of a durable batch.
    pub fn batch(&mut self, batch: &Batch) {
        let seen = self.lsn;
        for (lsn, bytes) in batch.records().filter(|(lsn, _)| *lsn > seen) {
            match Record::decode(bytes) {
                Ok(record) => {
                    self.contracts.follow(Applied { lsn, record: &record });
                    self.desks.follow(Applied { lsn, record: &record });
                    self.stocks.follow(Applied { lsn, record: &record });
                    self.traders.follow(Applied { lsn, record: &record });
                    self.campaigns.follow(Applied { lsn, record: &record });
                    self.chains.follow(Applied { lsn, record: &record });
                    self.contract_record(&record);
                    self.record(&record);
                }
                Err(error) => panic!("the journal's own record {lsn} cannot be read: {error}"),
            }
        }
        self.lsn = self.lsn.max(batch.last());
        self.book_tickers();
    }

    fn spot(&mut self, spot: &SpotFact, fact: &Fact) {
        match spot {
            SpotFact::MarketListed(f) => {
                let (state, _) = f.params.first_state();
                let source = self.sources.label(&f.params.symbol);
                let mut board = Board::new(f.params.clone(), state, source, Depth::default());
                self.know_sessions(&mut board);
                self.boards.insert(board);
                if let Some(board) = self.boards.get(f.params.market) {
                    self.follow_market(board);
                }
            }
            SpotFact::MarketParamsChanged(f) => {
                if let Some(edge) = self.markets.get_mut(&f.params.market) {
                    let mut board = write(&edge.board);
                    board.params = f.params.clone();
                    edge.format = Arc::new(DepthFormat::new(&board));
                }
            }
            SpotFact::OrderPlaced(f) => self.book(f.units.market, fact),
            SpotFact::QuotesSet(f) => self.book(f.units.market, fact),
            SpotFact::OrdersCanceled(f) => self.book(f.units.market, fact),
            SpotFact::OrdersChanged(f) => self.book(f.units.market, fact),
            SpotFact::MarketStateChanged(f) => self.book(f.units.market, fact),
            SpotFact::TradeIdsReserved(f) => {
                let trades = self.waiting.take(f.market, f.first, f.count);
                // The best prices first: a trade of the tape is one at what readers know.
                self.book_tickers();
                self.tape(f.market, &trades);
            }
        }
    }

    fn record(&mut self, record: &Record) {
        self.catalog.follow(&record.fact);
        if let Some(listener) = &self.listener {
            listener(&record.fact);
        }
        if let Fact::Spot(fact) = &record.fact {
            self.spot(fact, &record.fact);
        } else if let Fact::Price(PriceFact::PriceTicked(f)) = &record.fact
            && f.kind == PriceKind::Index
        {
            for edge in f.markets().filter_map(|market| self.markets.get(&market)) {
                write(&edge.board).index = Some((f.index, ms(record.time)));
            }
        } else if let Fact::Stock(fact) = &record.fact {
            self.stock(fact, ms(record.time));
        }
        if let Some((market, trades)) = own_trades(record) {
            self.topics.event = record.time;
            self.tape(market, &trades);
            self.topics.event = 0;
        }
    }

    /// What a record says of contracts: after they are folded, for a board begins with what the contract has.
    fn contract_record(&mut self, record: &Record) {
        match &record.fact {
            Fact::Book(BookFact::BookListed(f)) => {
                let contract = self.contracts.contract(f.params.contract);
                let symbol = contract.and_then(|contract| contract.params()).map(|params| params.symbol.clone());
                let source = symbol.map_or("", |symbol| self.sources.label(&symbol));
                if let Some(board) = contract.and_then(|contract| contract_board::board_of(contract, source)) {
                    self.boards.insert(board);
                    if let Some(board) = self.boards.get(f.params.contract) {
                        self.follow_market(board);
                    }
                }
            }
            Fact::Book(BookFact::BookParamsChanged(f)) => self.contract_changed(f.params.contract),
            Fact::Book(fact) => {
                let contract = contract_board::book_changes(fact, |_, _, _| {}).map(|(contract, _)| contract);
                let edge = contract.and_then(|contract| self.markets.get_mut(&contract));
                if let Some(edge) = edge {
                    edge.touched |= write(&edge.board).depth.follow_contract(fact, &mut edge.fast);
                }
                if let BookFact::LegLiquidated(f) = fact
                    && let Some(order) = LegOrder::from_liquidation(f, record.time)
                {
                    self.forced(&order);
                }
            }
            Fact::Contract(ContractFact::ContractParamsChanged(f)) => self.contract_changed(f.params.contract),
            Fact::Contract(ContractFact::ContractStateChanged(f)) => self.contract_changed(f.contract),
            Fact::Contract(ContractFact::MarkSet(f)) => {
                if let Some(edge) = self.markets.get(&f.contract) {
                    write(&edge.board).mark(f, record.time);
                }
                if f.opens {
                    self.contract_changed(f.contract);
                }
            }
            Fact::Contract(_)
            | Fact::Spot(_)
            | Fact::Account(_)
            | Fact::Convert(_)
            | Fact::Seconds(_)
            | Fact::Copy(_)
            | Fact::Stock(_)
            | Fact::Chain(_)
            | Fact::Coupon(_)
            | Fact::Price(_)
            | Fact::Registry(_)
            | Fact::Cell(_) => {}
        }
    }

    /// A liquidation made an order, which has ended.
    fn forced(&mut self, order: &LegOrder) {
        let contract = order.units.contract;
        let Some(board) = self.markets.get(&contract).map(|edge| edge.board.clone()) else { return };
        let board = read(&board);
        for stream in [Stream::ForceOrder(contract), Stream::AllForceOrders] {
            self.publish(stream, Conflation::Each, |unit| payload::force_order(&board, order, unit));
        }
    }

    /// A contract has another state or other parameters.
    fn contract_changed(&mut self, id: MarketId) {
        let (Some(contract), Some(edge)) = (self.contracts.contract(id), self.markets.get_mut(&id)) else { return };
        let (Some(params), Some(book)) = (contract.params(), contract.book()) else { return };
        let mut board = write(&edge.board);
        board.params = contract_board::market_params(params, book.params());
        board.state = contract.state().0;
        edge.format = Arc::new(DepthFormat::new(&board));
        drop(board);
        let known = self.contracts.shared().now();
        if let Some(face) = known.contract(id) {
            let now = now_ms();
            self.publish(Stream::ContractInfo, Conflation::Each, |unit| payload::contract_info(face, now, unit));
        }
    }

    fn book(&mut self, market: MarketId, fact: &Fact) {
        let Some(edge) = self.markets.get_mut(&market) else { return };
        let mut board = write(&edge.board);
        if let Some((_, state, _)) = fact.market_state() {
            board.state = state;
        }
        edge.touched |= board.depth.follow(fact, &mut edge.fast);
    }

    fn tape(&mut self, market: MarketId, trades: &[TapeTrade]) {
        let Some(edge) = self.markets.get_mut(&market) else { return };
        let board = edge.board.clone();
        if trades.is_empty() {
            return;
        }
        edge.ticker_touched = true;
        {
            let mut board = write(&board);
            let own = trades.iter().filter(|t| t.own()).count() as u64;
            board.own_trades += own;
            board.tape_trades += trades.len() as u64 - own;
            trades.iter().for_each(|t| board.add_trade(*t));
        }
        let board = read(&board);
        for t in trades {
            self.publish(Stream::Trade(market), Conflation::Each, |unit| payload::trade(&board, t, unit));
        }
        if self.topics.wanted(Stream::AggTrade(market)) {
            for a in aggregated(trades) {
                self.publish(Stream::AggTrade(market), Conflation::Each, |unit| payload::agg_trade(&board, &a, unit));
            }
        }
    }

    fn input(&mut self, input: ViewInput) {
        match input {
            ViewInput::Subscribe(outbox, streams, answer) => {
                outbox.push_text(answer);
                self.join(&outbox, streams);
            }
            ViewInput::Join(outbox, streams) => self.join(&outbox, streams),
            ViewInput::Unsubscribe(outbox, streams, answer) => {
                for stream in streams {
                    self.beginning.remove(&(outbox.id, stream));
                    self.topics.leave(&outbox, stream);
                    outbox.forget(stream);
                }
                outbox.push_text(answer);
            }
            ViewInput::Gone(id) => self.gone(id),
        }
    }

    fn join(&mut self, outbox: &Arc<Outbox>, streams: Vec<Stream>) {
        self.sessions.entry(outbox.id).or_insert_with(|| outbox.clone());
        // Nothing is worked out for a reader that is gone or does not keep up.
        for stream in streams {
            if !outbox.takes_more() {
                return;
            }
            if outbox.mode() != Mode::App || !matches!(stream, Stream::Depth(..)) {
                self.subscribe(outbox, stream);
            } else {
                self.beginning.insert((outbox.id, stream), outbox.clone());
            }
        }
    }

    /// What was published of books a moment ago is where these snapshots stand, and where the next diffs begin.
    fn begin_books(&mut self, slow: bool) {
        let is_due = |stream: Stream| slow || matches!(stream, Stream::Depth(_, Speed::Fast));
        let due: Vec<(u64, Stream)> = self.beginning.keys().copied().filter(|(_, stream)| is_due(*stream)).collect();
        for key in due {
            if let Some(outbox) = self.beginning.remove(&key).filter(|outbox| outbox.takes_more()) {
                self.subscribe(&outbox, key.1);
            }
        }
    }

    fn gone(&mut self, id: u64) {
        self.sessions.remove(&id);
        self.beginning.retain(|(reader, _), _| *reader != id);
        self.topics.gone(id);
    }

    pub(super) fn subscribe(&mut self, outbox: &Arc<Outbox>, stream: Stream) {
        let catalog = self.catalog.now();
        let (name, seq) = self.topics.join(outbox, stream, || stream.app_name(&catalog));
        if outbox.mode() == Mode::App
            && let Some(data) = self.snapshot(stream)
        {
            outbox.push_text(format!(r#"{{"stream":"{name}","seq":{seq},"snapshot":true,"data":{data}}}"#));
        }
    }

    pub(super) fn publish(&mut self, stream: Stream, kind: Conflation, data: impl Fn(TimeUnit) -> String) {
        self.topics.publish(stream, kind, data);
    }

    fn flush_depth(&mut self, market: MarketId, slow: bool) {
        let Some(edge) = self.markets.get_mut(&market) else { return };
        let format = edge.format.clone();
        let board = edge.board.clone();
        let board = read(&board);
        let is_contract = board.is_contract();
        let slow = if is_contract { self.slow_ticks.is_multiple_of(CONTRACT_SLOW) } else { slow };
        let half = is_contract && self.slow_ticks.is_multiple_of(CONTRACT_HALF);
        let fast = board.depth.diff(&mut edge.fast);
        if let Some(diff) = &fast {
            edge.slow.also(diff);
            if is_contract {
                edge.half.also(diff);
            }
        }
        let slow = if slow { board.depth.diff(&mut edge.slow) } else { None };
        let half = if half { board.depth.diff(&mut edge.half) } else { None };
        let second = slow.as_ref().filter(|_| !is_contract);
        let due = [(Speed::Fast, fast.as_ref()), (Speed::Slow, slow.as_ref()), (Speed::Second, second)];
        for (speed, diff) in due.into_iter().chain([(Speed::Half, half.as_ref())]) {
            let Some(diff) = diff else { continue };
            let stream = Stream::Depth(market, speed);
            if self.topics.wanted(stream) {
                let kind = Conflation::Depth(diff.clone(), format.clone());
                self.publish(stream, kind, |unit| format.update(diff, unit));
            }
            for n in [5u8, 10, 20] {
                let stream = Stream::Partial(market, n, speed);
                self.publish(stream, Conflation::Latest, |unit| format.partial(&board, usize::from(n), unit));
            }
        }
    }

    fn book_tickers(&mut self) {
        let touched: Vec<MarketId> = self.markets.iter().filter(|(_, e)| e.touched).map(|(m, _)| *m).collect();
        for market in touched {
            let Some(edge) = self.markets.get_mut(&market) else { continue };
            edge.touched = false;
            let board = edge.board.clone();
            let board = read(&board);
            let best = [Side::Buy, Side::Sell].map(|s| board.depth.best(s).map_or((0, 0), |(t, l)| (t.0, l.0)));
            if edge.best == Some(best) {
                continue;
            }
            edge.best = Some(best);
            self.publish(Stream::BookTicker(market), Conflation::Latest, |unit| payload::book_ticker(&board, unit));
            if board.is_contract() {
                let all = Stream::AllContractBookTickers;
                self.publish(all, Conflation::Each, |unit| payload::book_ticker(&board, unit));
            }
        }
    }

    /// Every 100 ms. False when candles wait for a writer that does not keep up.
    pub fn tick(&mut self) -> bool {
        self.slow_ticks += 1;
        let slow = self.slow_ticks.is_multiple_of(SLOW_EVERY);
        let markets: Vec<MarketId> = self.markets.keys().copied().collect();
        for market in &markets {
            self.flush_depth(*market, slow);
        }
        self.begin_books(slow);
        self.contracts_changed();
        !slow || self.second(&markets)
    }

    pub(super) fn watch_sessions(&mut self, now: Ms) {
        let over: BTreeSet<u64> =
            self.sessions.values().filter(|o| o.is_closed() || o.is_stalled(now)).map(|o| o.id).collect();
        for id in over {
            if let Some(outbox) = self.sessions.get(&id) {
                if !outbox.is_closed() {
                    outbox.dropped(Dropped::Stalled);
                }
                outbox.cut();
            }
            self.gone(id);
        }
    }
}

/// The trades of a record as the tape shows them.
#[must_use]
pub fn own_trades(record: &Record) -> Option<(MarketId, Vec<TapeTrade>)> {
    let time_ms = ms(record.time);
    if let Fact::Book(fact) = &record.fact {
        return contract_board::trades(fact, record.time);
    }
    let mut found: Option<(MarketId, Vec<TapeTrade>)> = None;
    record.fact.each_execution(|e| {
        let (_, trades) = found.get_or_insert_with(|| (e.units.market, Vec::new()));
        trades.push(TapeTrade {
            id: e.id.count(),
            price: e.units.price(e.trade.ticks),
            quantity: e.units.base_amount(e.trade.lots),
            quote: e.units.notional(e.trade.ticks, e.trade.lots),
            time_ms,
            buyer_is_maker: e.taker_side == Side::Sell,
            taker: Some(e.taker_order),
        });
    });
    found
}

/// The way to the view from any thread.
pub type ViewSender = Sender<ViewInput>;

#[cfg(test)]
mod tests {
    use super::super::depth::DepthDiff;
    use super::*;
    use crate::api::ws::outbox::STALL_MS;
    use crate::config::{Feed, FeedKind};
    use crate::market::catalog::{Catalog, Seeds};
    use crate::market::interval::{Interval, Zone};
    use serde_json::Value;
    use std::path::Path;
    use xng_core::ids::{AssetId, UpdateId};
    use xng_core::money::{Amount, Lots, Ticks};
    use xng_core::stock::ActionKind;
    use xng_core::stock::facts::{Action, ActionSet, StockFact};

    fn view() -> (View, MarketId, Receiver<CandleRows>) {
        let seeds = Seeds::load(Path::new("../config/markets.toml")).unwrap();
        let params = seeds.params(&seeds.market[0]).unwrap();
        let (market, boards) = (params.market, Boards::default());
        boards.insert(Board::new(params, MarketState::Trading, "simulated", Depth::default()));
        let (candles, kept) = crossbeam::channel::unbounded();
        let catalog = SharedCatalog::new(Catalog::default(), Arc::new(seeds));
        let feed = Feed { kind: FeedKind::Simulator, source: String::new(), rest: String::new(), seed: None };
        let sources = Sources::plan(&feed, std::iter::empty(), std::iter::empty()).unwrap();
        (View::new(catalog, boards, Arc::new(sources), Lsn::ZERO, candles), market, kept)
    }

    /// The book changes: its only level is named by the update id.
    fn change(view: &mut View, market: MarketId, update: u64) {
        let edge = view.markets.get_mut(&market).unwrap();
        let level = (Ticks(i64::try_from(update).unwrap()), Lots(1));
        write(&edge.board).depth = Depth::new([level].into_iter(), std::iter::empty(), UpdateId(update));
        edge.fast.also(&DepthDiff { bids: vec![level], ..DepthDiff::default() });
    }

    fn published(view: &mut View, outbox: &Outbox) -> Vec<Value> {
        view.topics.hand_out(Instant::now() + FAST);
        outbox.drain().unwrap().iter().map(|text| serde_json::from_str(text).unwrap()).collect()
    }

    #[test]
    fn readers_of_a_book_that_join_and_leave_push_nothing_to_the_others_and_miss_nothing() {
        let (mut view, market, _kept) = view();
        let [reader, app, slow] =
            [(1, Mode::Raw), (2, Mode::App), (3, Mode::App)].map(|(id, mode)| Arc::new(Outbox::new(id, mode, None)));
        let [fast_stream, slow_stream] = [Speed::Fast, Speed::Slow].map(|speed| Stream::Depth(market, speed));
        view.input(ViewInput::Join(reader.clone(), vec![fast_stream]));
        for update in 1..=20 {
            change(&mut view, market, update);
            view.input(ViewInput::Join(app.clone(), vec![fast_stream]));
            view.input(ViewInput::Join(slow.clone(), vec![slow_stream]));
            assert!(published(&mut view, &reader).is_empty(), "nothing before it is due");
            view.input(ViewInput::Unsubscribe(app.clone(), vec![fast_stream], "{}".into()));
        }
        view.input(ViewInput::Join(app.clone(), vec![fast_stream]));
        view.tick();
        let diffs = published(&mut view, &reader);
        assert_eq!((diffs.len(), &diffs[0]["U"], &diffs[0]["u"]), (1, &1.into(), &20.into()));
        let begun = published(&mut view, &app).pop().unwrap();
        assert_eq!((&begun["snapshot"], &begun["data"]["lastUpdateId"]), (&true.into(), &20.into()));
        assert!(published(&mut view, &slow).is_empty(), "its stream is not due yet");
        change(&mut view, market, 21);
        view.tick();
        let frames = published(&mut view, &app);
        let seq = begun["seq"].as_u64().unwrap();
        assert_eq!((frames.len(), &frames[0]["from"], &frames[0]["data"]["U"]), (1, &(seq + 1).into(), &21.into()));
        assert!((2..SLOW_EVERY).all(|_| view.tick()));
        let begun = published(&mut view, &slow);
        assert_eq!((begun.len(), &begun[0]["data"]["lastUpdateId"]), (1, &21.into()));
    }

    #[test]
    fn after_a_split_readers_of_candles_begin_anew_and_programs_go_on() {
        let (mut view, market, _kept) = view();
        let stream = Stream::Kline(market, Interval::M1, Zone::Utc);
        let (price, quantity, quote) = (Amount::whole(400), Amount::whole(1), Amount::whole(400));
        let trade = TapeTrade { id: 1, price, quantity, quote, time_ms: 1_000, buyer_is_maker: false, taker: None };
        view.tape(market, &[trade]);
        let [app, program] = [(1, Mode::App), (2, Mode::Raw)].map(|(id, mode)| Arc::new(Outbox::new(id, mode, None)));
        for outbox in [&app, &program] {
            view.input(ViewInput::Join(outbox.clone(), vec![stream]));
        }
        let begun = |frames: Vec<Value>| -> Vec<Value> {
            let snapshots = frames.iter().filter(|frame| frame["snapshot"] == true);
            snapshots.map(|frame| frame["data"]["k"]["c"].clone()).collect()
        };
        assert_eq!(begun(published(&mut view, &app)), ["400.00"]);
        let kind = ActionKind::Split { new: 4, old: 1 };
        let action = Action { market, asset: AssetId(1), quote: AssetId(3), id: 1, kind };
        let set = ActionSet { action, board_lot: Amount::whole(1), odd_price: Amount::whole(100), holders: 0 };
        view.stock(&StockFact::ActionSet(Box::new(set)), 2_000);
        assert_eq!(begun(published(&mut view, &app)), ["100.00"]);
        assert!(published(&mut view, &program).is_empty());
    }

    #[test]
    fn who_reads_no_stream_and_takes_nothing_is_cut_off_too() {
        let (mut view, _market, _kept) = view();
        let [stalled, reader] = [1, 2].map(|id| Arc::new(Outbox::new(id, Mode::App, None)));
        for outbox in [&stalled, &reader] {
            view.input(ViewInput::Join(outbox.clone(), Vec::new()));
            outbox.push_text("an event of its account");
        }
        reader.drain();
        view.watch_sessions(now_ms());
        assert!(!stalled.is_closed(), "it has time");
        view.watch_sessions(now_ms() + 2 * STALL_MS);
        assert_eq!([stalled.is_closed(), reader.is_closed()], [true, false]);
        assert_eq!(view.sessions.keys().collect::<Vec<_>>(), [&2]);
    }
}
