import { useTranslation } from 'react-i18next';
import { OptionList, Sheet } from '@/components/ui';
import { ORDER_KINDS, type OrderKind, type TimeInForce } from './kinds';
import type { TicketAction, TicketState } from './reducer';
import { tifNote, tifText } from './tifText';

interface Props {
  /** What is asked for: the kind of order, or how long a limit order stays. */
  open: 'type' | 'force' | undefined;
  ticket: TicketState;
  tifs: readonly TimeInForce[];
  dispatch(action: TicketAction): void;
  onClose(): void;
}

export function TypeSheet({ open, ticket, tifs, dispatch, onClose }: Props) {
  const { t } = useTranslation(['trade', 'stock']);
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
          options={tifs.map((tif) => ({ value: tif, label: tifText(tif, t), note: tifNote(tif, t) }))}
          onChange={(tif) => {
            dispatch({ type: 'tif', tif });
            onClose();
          }}
        />
      </Sheet>
    </>
  );
}
