import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import type { Dec } from '@/lib/api/types';

export interface LockConfig {
  id: number;
  currency_name: string;
  currency_logo?: string;
  day: number;
  interest_min: Dec;
  interest_max: Dec;
  save_min: Dec;
}

export interface Project {
  id: number;
  title: string;
  logo?: string;
  currency_name: string;
  percentage: Dec;
  time_status: 1 | 2 | 3;
}

export interface Dual {
  id: number;
  name: string;
  currency_name: string;
  exercise_price: Dec;
  rate: Dec;
  holding_days: number;
}

export const useLockConfigs = (enabled: boolean) =>
  useQuery({
    queryKey: ['lockConfigs'],
    queryFn: ({ signal }) => fetchMessage<LockConfig[]>('GET', '/lh/deposit/config', {}, signal),
    enabled,
  });

export const useProjects = (enabled: boolean) =>
  useQuery({
    queryKey: ['projects'],
    queryFn: async ({ signal }) => (await fetchMessage<{ list: Project[] }>('GET', '/project', {}, signal)).list,
    enabled,
  });

export const useDuals = (currency: number, enabled: boolean) =>
  useQuery({
    queryKey: ['duals', currency],
    queryFn: async ({ signal }) =>
      (
        await fetchMessage<{ dual_currencys: Dual[] }>(
          'GET',
          '/dual/index',
          { currency_id: currency, type: 'call' },
          signal,
        )
      ).dual_currencys,
    enabled,
  });
