/** What the tests of contracts share: the rules of one contract. */
import { contractRules } from '@/features/contract/rules';
import { leverRules } from './fakes/lever';

export const RULES = contractRules(leverRules('BTC'), {
  symbol: 'BTC/USDT',
  currency_name: 'BTC',
  legal_name: 'USDT',
  currency_id: 1,
  legal_id: 3,
});
