/** The whole console: the door, the bar, the panels. */
import { useEffect, useState } from 'react';
import { seconds } from './format';
import { Login } from './Login';
import { LogTail } from './LogTail';
import css from './ops.module.css';
import { Actors, Cell, Contracts, Feeds, Journal, Ledger, Machine, Persister, Sockets, Tiles } from './Panels';
import { Chains, Conversion, CopyTrading, Coupons, SecondsOptions, Stocks } from './Products';
import { Trace } from './Trace';
import type { Snapshot } from './types';
import { useConsole } from './useConsole';

/** Without a snapshot for this long what is shown is old. */
const STALE_MS = 3_000;

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Badge({ live, age, heardMs }: { live: boolean; age: number; heardMs: number }) {
  const words = live ? 'live' : heardMs === 0 ? 'waiting' : `stale, ${seconds(age / 1e3)}`;
  return (
    <span className={css.badge} data-tone={live ? 'good' : 'warn'}>
      {live ? '●' : '○'} {words}
    </span>
  );
}

function Health({ now }: { now: Snapshot }) {
  if (now.ready.length > 0) return <span data-tone="bad">not ready: {now.ready.join(', ')}</span>;
  if (now.warnings.length > 0) return <span data-tone="warn">ready, but {now.warnings.join(', ')}</span>;
  return <span data-tone="good">ready</span>;
}

export function Console() {
  const { door, model, connected, enter, leave } = useConsole();
  const age = useNow() - model.heardMs;
  const live = connected && age < STALE_MS;
  if (door === 'looking') return <main className={css.login} aria-busy="true" />;
  if (door === 'closed') return <Login enter={enter} />;
  const { snapshot: now, history } = model;
  return (
    <div className={css.console} data-console="meridian-operations">
      <header className={css.bar}>
        <h1>Operations</h1>
        <Badge live={live} age={age} heardMs={model.heardMs} />
        <div className={css.state} data-stale={!live}>
          {now && <Health now={now} />}
          <span className={css.space} />
          {now && (
            <span className={css.dim}>
              {now.build.version} · {now.build.commit} · up {seconds(now.uptime_s)}
            </span>
          )}
        </div>
        <button type="button" className={css.quiet} onClick={() => void leave()}>
          Log out
        </button>
      </header>
      <main data-stale={!live}>
        {now ? (
          <>
            <Tiles now={now} history={history} />
            <div className={css.panels}>
              <div className={css.column}>
                <Actors now={now} history={history} />
                <Trace recent={now.orders.recent} />
                <SecondsOptions now={now} history={history} />
                <Stocks now={now} history={history} />
                <Chains now={now} history={history} />
                <LogTail lines={model.log} />
              </div>
              <div className={css.column}>
                <Journal now={now} history={history} />
                <Persister now={now} history={history} />
                <Feeds now={now} history={history} />
                <Contracts now={now} history={history} />
              </div>
              <div className={css.column}>
                <Cell now={now} history={history} />
                <Sockets now={now} history={history} />
                <Ledger now={now} history={history} />
                <Machine now={now} history={history} />
                <Conversion now={now} history={history} />
                <CopyTrading now={now} history={history} />
                <Coupons now={now} history={history} />
              </div>
            </div>
          </>
        ) : (
          <p className={css.waiting}>
            {model.starting ? `The exchange is starting: ${model.starting}.` : 'Waiting for the first figures…'}
          </p>
        )}
      </main>
    </div>
  );
}
