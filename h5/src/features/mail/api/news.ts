import { usePaged } from '@/lib/api/paged';
import { indexNews } from '@/lib/api/schema/indexCalls';

/** What the home page's ticker shows as well. */
const ANNOUNCEMENTS = 4;

/** Announcements for who is not logged in: the server keeps for nobody what they have read. */
export const useNews = () => usePaged(indexNews, { c_id: ANNOUNCEMENTS }, ({ list }) => list, 20);
