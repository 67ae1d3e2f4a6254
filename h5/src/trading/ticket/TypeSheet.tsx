import { useTranslation } from 'react-i18next';
import { OptionList, Sheet } from '@/components/ui';
import { ORDER_KINDS, type OrderKind, type TimeInForce } from './kinds';
import type { TicketAction, TicketState } from './reducer';

const TIFS: readonly TimeInForce[] = ['GTC', 'IOC', 'FOK', 'POST_ONLY'];

interface Props {
  /** What is asked for: the kind of order, or how long a limit order stays. */
  open: 'type' | 'force' | undefined;
  ticket: TicketState;
  dispatch(action: TicketAction): void;
  onClose(): void;
}

export function TypeSheet({ open, ticket, dispatch, onClose }: Props) {
  const { t } = useTranslation('trade');
  return (
    <>
      <Sheet open={open === 'type'} onClose={onClose} title={t('ticket.type')}>
        <OptionList<OrderKind>
          label={t('ticket.type')}
          value={ticket.kind}
          options={ORDER_KINDS.map((kind) => ({
            value: kind,
            label: t(`ticket.${kind}`),
            note: t(`ticket.${kind}Note`),
          }))}
          onChange={(kind) => {
            dispatch({ type: 'kind', kind });
            onClose();
          }}
        />
      </Sheet>
      <Sheet open={open === 'force'} onClose={onClose} title={t('ticket.advanced')}>
        <OptionList<TimeInForce>
          label={t('ticket.advanced')}
          value={ticket.tif}
          options={TIFS.map((tif) => ({
            value: tif,
            label: t(`ticket.tif.${tif}`),
            note: t(`ticket.tif.${tif}Note`),
          }))}
          onChange={(tif) => {
            dispatch({ type: 'tif', tif });
            onClose();
          }}
        />
      </Sheet>
    </>
  );
}
