/** What was converted. */
import { usePaged } from '@/lib/api/paged';
import { type Conversion, convertHistory } from '@/lib/api/schema/convertCalls';

export type { Conversion };

export const useRecords = () => usePaged(convertHistory, {}, (message) => message.data);
