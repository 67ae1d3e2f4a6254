import { useTranslation } from 'react-i18next';
import { Empty, ErrorState, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { goToLogin, navigateTo } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { useAtom, viewAtom } from '@/lib/state';
import { ListsPanel, ListTools } from '@/trading';
import type { Option, useOpenOptions } from './api/options';
import { OptionRow } from './OptionRow';

const everyPairAtom = viewAtom(false);

interface Props {
  match: number;
  state: ReturnType<typeof useOpenOptions>;
  onOpen(option: Option): void;
}

/** What lies below the buttons: the options that run. */
export function OpenOptions({ match, state, onOpen }: Props) {
  const { t } = useTranslation('seconds');
  const token = useToken();
  const [everywhere, setEverywhere] = useAtom(everyPairAtom);
  const { options, error, isPending, refetch } = state;
  const rows = everywhere ? options : options?.filter(({ match_id }) => match_id === match);
  const others = options?.some(({ match_id }) => match_id !== match);
  return (
    <ListsPanel<'open'>
      id="open-options"
      label={t('list.which')}
      value="open"
      onChange={() => {}}
      items={[{ value: 'open', label: `${t('list.open')} (${rows?.length ?? 0})` }]}
      all={{ label: t('list.toAll'), onOpen: () => navigateTo(PATHS.secondsOrder, { match_id: match }) }}
    >
      {!token && <Empty title={t('list.guest')} action={{ label: t('entry.login'), onClick: goToLogin }} />}
      {others && (
        <ListTools
          everywhere={{ label: t('list.everyPair'), checked: everywhere, onChange: setEverywhere }}
          action={undefined}
        />
      )}
      {token && error && <ErrorState compact={options !== undefined} error={error} onRetry={() => void refetch()} />}
      {token && isPending && <SkeletonRows rows={3} icon={false} />}
      {rows?.length === 0 && <Empty title={t('list.none')} note={t('list.noneNote')} />}
      {rows && rows.length > 0 && (
        <ul aria-label={t('list.open')}>
          {rows.map((option) => (
            <li key={option.id}>
              <OptionRow option={option} onOpen={onOpen} />
            </li>
          ))}
        </ul>
      )}
    </ListsPanel>
  );
}
