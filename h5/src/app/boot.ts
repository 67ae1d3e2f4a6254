/** What happens once at the start of the app, outside React. */
import { configQuery } from '@/lib/api/config';
import { loadUser } from '@/lib/api/user';
import { refreshRates } from '@/lib/fiat';
import { i18next } from '@/lib/i18n';
import { marketClient } from '@/lib/market';
import { queryClient } from '@/lib/query';
import { currentToken, dispatchSession, followOtherTabs, onTokenChange } from '@/lib/session';
import { stored } from '@/lib/storage';
import { toast } from '@/lib/toast';
import { resumeChecking } from './resumeChecking';

/** The account's cached lists belong to its token. */
function enter(token: string): void {
  if (token) {
    marketClient.login(token);
    void loadUser();
  } else {
    marketClient.logout();
    queryClient.removeQueries({ predicate: (query) => query.meta?.private === true });
  }
}

export function boot(): void {
  followOtherTabs();
  onTokenChange(enter);
  if (currentToken()) enter(currentToken());
  marketClient.onPrivateEvent((event) => {
    if (event.event === 'kicked' && currentToken()) {
      dispatchSession({ type: 'logout' });
      toast(i18next.t('common:loginFirst'));
    }
  });
  void queryClient.prefetchQuery(configQuery);
  void refreshRates();
  resumeChecking(stored().checking);
}
