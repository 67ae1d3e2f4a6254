/** What products offer that the server does not have yet: their shapes stand here until its table of calls has them. */
import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { type Dec, decimal, describeCall, list, object, oneOf, text, whole } from '@/lib/api/shape';

interface Dual {
  id: number;
  name: string;
  currency_name: string;
  exercise_price: Dec;
  rate: Dec;
  holding_days: number;
}

const lockConfigs = describeCall(
  'GET',
  '/lh/deposit/config',
  list(
    object(
      { id: whole, currency_name: text, day: whole, interest_min: decimal, interest_max: decimal, save_min: decimal },
      { currency_logo: text },
    ),
  ),
);

const projects = describeCall(
  'GET',
  '/project',
  object({
    list: list(
      object(
        { id: whole, title: text, currency_name: text, percentage: decimal, time_status: oneOf(1, 2, 3) },
        { logo: text },
      ),
    ),
  }),
);

interface DualFields {
  currency_id: number;
  type: 'call';
}

const duals = describeCall<DualFields, { dual_currencys: Dual[] }>(
  'GET',
  '/dual/index',
  object({
    dual_currencys: list(
      object({
        id: whole,
        name: text,
        currency_name: text,
        exercise_price: decimal,
        rate: decimal,
        holding_days: whole,
      }),
    ),
  }),
);

export const useLockConfigs = (enabled: boolean) =>
  useQuery({
    queryKey: ['lockConfigs'],
    queryFn: ({ signal }) => fetchMessage(lockConfigs, {}, signal),
    enabled,
  });

export const useProjects = (enabled: boolean) =>
  useQuery({
    queryKey: ['projects'],
    queryFn: async ({ signal }) => (await fetchMessage(projects, {}, signal)).list,
    enabled,
  });

export const useDuals = (currency: number, enabled: boolean) =>
  useQuery({
    queryKey: ['duals', currency],
    queryFn: async ({ signal }) =>
      (await fetchMessage(duals, { currency_id: currency, type: 'call' }, signal)).dual_currencys,
    enabled,
  });
