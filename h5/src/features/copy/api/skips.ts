/** Copies that were not opened, newest first. */
import { usePaged } from '@/lib/api/paged';
import { type FollowSkip, followLog } from '@/lib/api/schema/followCalls';

export type { FollowSkip };

const PAGE = 15;

export const useSkips = () => usePaged(followLog, {}, ({ data }) => data, PAGE);
