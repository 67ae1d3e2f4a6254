/** The whole back office: the door, the way between pages, who is logged in. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { Navigate, NavLink, Route, Routes, useLocation } from 'react-router';
import { Audit } from './Audit';
import css from './admin.module.css';
import { CLOSED, get, post, SessionContext } from './api';
import { Campaigns } from './Campaigns';
import { Chains } from './Chains';
import { Chats } from './Chats';
import { Content } from './Content';
import { Enrol, Login } from './Door';
import { Markets } from './Markets';
import { Parameters } from './Parameters';
import { Empty, Waiting } from './Parts';
import { Reconciliation } from './Reconciliation';
import { Regions } from './Regions';
import { Reports } from './Reports';
import { Staff } from './Staff';
import { Traders } from './Traders';
import type { Session } from './types';
import { Users } from './Users';
import { Verifications } from './Verifications';
import { Withdrawals } from './Withdrawals';

const PAGES = [
  { path: '/withdrawals', name: 'Withdrawals', needs: 'SeeWithdrawals', page: Withdrawals },
  { path: '/chains', name: 'Deposits and chains', needs: 'SeeChains', page: Chains },
  { path: '/verifications', name: 'Verification', needs: 'SeeVerifications', page: Verifications },
  { path: '/chats', name: 'Live service', needs: 'SeeChats', page: Chats },
  { path: '/content', name: 'Content', needs: 'SeeContent', page: Content },
  { path: '/campaigns', name: 'Campaigns', needs: 'SeeCampaigns', page: Campaigns },
  { path: '/markets', name: 'Markets', needs: 'SeeMarkets', page: Markets },
  { path: '/parameters', name: 'Parameters', needs: 'SeeParameters', page: Parameters },
  { path: '/regions', name: 'Regions', needs: 'SeeRegions', page: Regions },
  { path: '/traders', name: 'Traders', needs: 'SeeTraders', page: Traders },
  { path: '/users', name: 'Users', needs: 'SeeUsers', page: Users },
  { path: '/reports', name: 'Reports', needs: 'SeeReports', page: Reports },
  { path: '/reconciliation', name: 'Reconciliation', needs: 'SeeReports', page: Reconciliation },
  { path: '/audit', name: 'Audit', needs: 'SeeAudit', page: Audit },
  { path: '/staff', name: 'Staff', needs: 'SeeStaff', page: Staff },
] as const;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

function Pages({ me, trouble, leave }: { me: Session; trouble: string; leave: () => void }) {
  const pages = PAGES.filter(({ needs }) => me.may.includes(needs));
  const [first] = pages;
  const { pathname } = useLocation();
  const page = PAGES.find(({ path }) => pathname.startsWith(path));
  useEffect(() => {
    document.title = page ? `${page.name} · Back office` : 'Back office';
  }, [page]);
  return (
    <div className={css.office} data-office="meridian-back-office">
      <nav className={css.side} aria-label="Pages">
        <strong className={css.brand}>Back office</strong>
        {pages.map(({ path, name }) => (
          <NavLink key={path} to={path}>
            {name}
          </NavLink>
        ))}
        <span className={css.space} />
        <div className={css.person}>
          <strong>{me.name}</strong>
          <span className={css.dim}>{me.role}</span>
          <span className={css.dim}>until {clock.format(me.ends_ms)}</span>
          <button type="button" className={css.quiet} onClick={leave}>
            Log out
          </button>
          {trouble && (
            <p role="alert" data-tone="bad">
              {trouble}
            </p>
          )}
        </div>
      </nav>
      <main className={css.page}>
        <Routes>
          {pages.map(({ path, page: Page }) => (
            <Route key={path} path={path} element={<Page />} />
          ))}
          <Route
            path="*"
            element={
              first ? (
                <Navigate to={first.path} replace />
              ) : (
                <Empty title="There is nothing here for your role yet">
                  An owner can tell you which pages come next.
                </Empty>
              )
            }
          />
        </Routes>
      </main>
    </div>
  );
}

export function Office() {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [trouble, setTrouble] = useState('');
  const queries = useQueryClient();

  const look = useCallback(async () => {
    const said = await get<{ open: Session | null }>('session').catch(() => null);
    setSession(said?.open ?? null);
  }, []);
  const closed = useCallback(() => {
    queries.clear();
    setTrouble('');
    setSession(null);
  }, [queries]);

  useEffect(() => {
    void look();
    window.addEventListener(CLOSED, closed);
    return () => window.removeEventListener(CLOSED, closed);
  }, [look, closed]);

  const leave = async () => {
    // A session that the server did not end is still open here: whoever leaves must see that.
    await post('logout', {}, session?.word).then(closed, (why: Error) => setTrouble(why.message));
  };

  return (
    <Routes>
      <Route path="/enrol/:code" element={<Enrol />} />
      <Route
        path="*"
        element={
          session === undefined ? (
            <main className={css.door} aria-busy="true">
              <Waiting />
            </main>
          ) : session === null ? (
            <Login enter={look} />
          ) : (
            <SessionContext value={session}>
              <Pages me={session} trouble={trouble} leave={() => void leave()} />
            </SessionContext>
          )
        }
      />
    </Routes>
  );
}
