/** What happens once at the start of the app, outside React. */
import { configQuery } from '@/lib/api/config';
import { BusinessError } from '@/lib/api/errors';
import { loadUser, renewUser } from '@/lib/api/user';
import { i18next } from '@/lib/i18n';
import { keepInstallOffer } from '@/lib/install';
import { type ArrivedDeposit, type MovedWithdrawal, marketClient } from '@/lib/market';
import { queryClient } from '@/lib/query';
import { currentToken, dispatchSession, onTokenChange } from '@/lib/session';
import { appStore, checkingAtom, followOtherTabs, forgetViews } from '@/lib/state';
import { toast } from '@/lib/toast';
import { serverIsNewer } from '@/lib/update';

/** In a chunk of its own, because hardly any start needs it; if it cannot be had, the entries wait for the next start. */
function takeUpChecking(): void {
  import('./resumeChecking').then(
    ({ resumeChecking }) => resumeChecking(),
    () => undefined,
  );
}

/** Likewise, for whom something arrives; without it the lists are read again as always. */
function tellDeposit(deposit: ArrivedDeposit): void {
  import('./depositArrived').then(
    ({ depositArrived }) => depositArrived(deposit),
    () => undefined,
  );
}

function tellWithdrawal(withdrawal: MovedWithdrawal): void {
  import('./withdrawalMoved').then(
    ({ withdrawalMoved }) => withdrawalMoved(withdrawal),
    () => undefined,
  );
}

function tellMail(): void {
  import('./mailArrived').then(
    ({ mailArrived }) => mailArrived(),
    () => undefined,
  );
}

function enter(token: string): void {
  if (token) {
    marketClient.login(token);
    void loadUser().then((known) => {
      if (known && appStore.get(checkingAtom).length > 0) takeUpChecking();
    });
  } else {
    marketClient.logout();
  }
}

/** What one account was told is nothing for the next. */
function change(token: string): void {
  queryClient.removeQueries({ predicate: (query) => query.meta?.private === true });
  if (!token) forgetViews();
  enter(token);
}

/**
 * What could not be fetched while the server was away is fetched when the stream is back; refusals are answers. The profile
 * is read again too, as it is when the page is seen again: the stream does not tell of a change of it.
 */
function followReturns(): void {
  let before = marketClient.connection().phase;
  let isReturn = false;
  marketClient.watch('connection', () => {
    const { phase } = marketClient.connection();
    if (phase === 'live' && before !== 'live') {
      if (isReturn) void loadUser();
      isReturn = true;
      void queryClient.refetchQueries({
        type: 'active',
        predicate: ({ state }) => state.status === 'error' && !(state.error instanceof BusinessError),
      });
    }
    before = phase;
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') renewUser('seen');
  });
}

export function boot(): void {
  followOtherTabs();
  followReturns();
  keepInstallOffer();
  onTokenChange(change);
  if (currentToken()) enter(currentToken());
  marketClient.onPrivateEvent((event) => {
    if (event.event === 'kicked' && currentToken()) {
      dispatchSession({ type: 'logout' });
      toast(i18next.t('common:loginFirst'));
    }
    if (event.event === 'deposit') tellDeposit(event.deposit);
    if (event.event === 'mail' || event.event === 'chat') tellMail();
    if (event.event === 'withdrawal') tellWithdrawal(event.withdrawal);
    if ('unknown' in event) for (const word of event.unknown ?? []) serverIsNewer(`private events: ${word}`);
  });
  void queryClient.prefetchQuery(configQuery);
  // Not every page shows fiat; whoever does brings the code, and without it the rates of the last start stay.
  import('@/lib/fiat').then(
    ({ refreshRates }) => refreshRates(),
    () => undefined,
  );
}
