import { useTranslation } from 'react-i18next';
import { usePrivateEvents } from '@/lib/market';
import { toast } from '@/lib/toast';
import { useRenewal } from './api/options';
import { netOf } from './numbers';
import { optionText, outcomeOf, signedMoney } from './state';

/** Tells of an option that ended the moment it does, unless it is the one that is looked at. */
export function useEndedToasts(watched: number | undefined): void {
  const { t } = useTranslation('seconds');
  const renew = useRenewal();
  usePrivateEvents((event) => {
    if (event.event !== 'closed_microorder') return;
    const { option } = event;
    renew();
    if (option.id === watched) return;
    const outcome = outcomeOf(option);
    const text = t('ended.text', {
      outcome: t(`outcome.${outcome}`),
      option: optionText(option, t),
      amount: `${signedMoney(netOf(option))} ${option.currency_name}`,
    });
    if (outcome === 'loss') toast(text);
    else toast.success(text);
  });
}
