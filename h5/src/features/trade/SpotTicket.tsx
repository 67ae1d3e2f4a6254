import { useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { PATHS } from '@/config/paths';
import type { Quote } from '@/lib/api/types';
import { Decimal } from '@/lib/decimal';
import { useScreen } from '@/lib/screen';
import { useToken } from '@/lib/session';
import { TicketForm } from '@/trading';
import { detailKey, openOrdersKey, useFunds } from './api/account';
import { usePlaceOrder } from './api/place';
import { useOtherPay } from './api/stock';
import { SpotFunds } from './SpotFunds';

interface Props
  extends Pick<
    ComponentProps<typeof TicketForm>,
    'rules' | 'marketStatus' | 'session' | 'queues' | 'bookKey' | 'handle'
  > {
  usdtRate: Quote['usdt_rate'];
}

/** The ticket with the spot account's balances. */
export function SpotTicket({ usdtRate, ...props }: Props) {
  const { t } = useTranslation('trade');
  const token = useToken();
  const screen = useScreen();
  const client = useQueryClient();
  const { currencyId, legalId } = props.rules;
  const funds = useFunds(currencyId, legalId);
  const other = useOtherPay(legalId, usdtRate);
  const rate = useMemo(() => (usdtRate === null ? undefined : new Decimal(usdtRate)), [usdtRate]);
  const payId = other?.currencyId ?? legalId;
  const onPlaced = useCallback(() => {
    // Until private events flow, the lists are the only witnesses.
    for (const queryKey of [...[currencyId, legalId, payId].map(detailKey), openOrdersKey]) {
      void client.invalidateQueries({ queryKey });
    }
  }, [client, currencyId, legalId, payId]);
  return (
    <>
      <TicketForm
        {...props}
        funds={funds}
        other={other}
        rate={rate}
        usePlace={usePlaceOrder}
        page={PATHS.currency}
        transferLabel={t('ticket.transfer')}
        onPlaced={onPlaced}
      />
      {screen === 'desk' && token && funds.known && <SpotFunds rules={props.rules} funds={funds} other={other} />}
    </>
  );
}
