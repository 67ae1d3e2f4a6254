/** What the tests of the ticket share: one pair, its fees, an account's funds. */
import { Decimal } from '@/lib/decimal';
import { EMPTY_TICKET, type TicketAction, type TicketState, ticketReducer } from '@/trading/ticket/reducer';
import { pairRules, type RulesRow } from '@/trading/ticket/rules';

export const d = (text: string | number) => new Decimal(text);

export const ROW: RulesRow = {
  symbol: 'BTC/USDT',
  currency_name: 'BTC',
  legal_name: 'USDT',
  currency_id: 1,
  legal_id: 3,
  kind: 'coin',
  tick: '0.01',
  step_table: '',
  step: '0.00001',
  min_amount: '0.00001',
  max_amount: '900000000',
  min_notional: '5',
  precision_length: 2,
  amount_precision: 5,
  price_band: '10',
  protection: '5',
  lock_fee: '0',
};
export const FEES = { maker: '0.08', taker: '0.1' };
export const rules = pairRules(ROW, FEES);

export const funds = { base: d('2'), quote: d('10000') };

/** A ticket after these actions, one after the other. */
export const run = (...actions: TicketAction[]): TicketState =>
  actions.reduce((state, action) => ticketReducer(state, action, rules), EMPTY_TICKET);
