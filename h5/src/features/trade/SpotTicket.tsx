import { useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { PATHS } from '@/config/paths';
import { useScreen } from '@/lib/screen';
import { useToken } from '@/lib/session';
import { TicketForm } from '@/trading';
import { detailKey, openOrdersKey, useFunds } from './api/account';
import { usePlaceOrder } from './api/place';
import { SpotFunds } from './SpotFunds';

type Props = Pick<ComponentProps<typeof TicketForm>, 'rules' | 'marketStatus' | 'bookKey' | 'handle'>;

/** The ticket with the spot account's balances. */
export function SpotTicket(props: Props) {
  const { t } = useTranslation('trade');
  const token = useToken();
  const screen = useScreen();
  const client = useQueryClient();
  const { currencyId, legalId } = props.rules;
  const funds = useFunds(currencyId, legalId);
  const onPlaced = useCallback(() => {
    // Until private events flow, the lists are the only witnesses.
    for (const queryKey of [detailKey(currencyId), detailKey(legalId), openOrdersKey]) {
      void client.invalidateQueries({ queryKey });
    }
  }, [client, currencyId, legalId]);
  return (
    <>
      <TicketForm
        {...props}
        funds={funds}
        usePlace={usePlaceOrder}
        page={PATHS.currency}
        transferLabel={t('ticket.transfer')}
        onPlaced={onPlaced}
      />
      {screen === 'desk' && token && funds.known && <SpotFunds rules={props.rules} funds={funds} />}
    </>
  );
}
