/** Closes positions of books, several with one tap. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/toast';
import { type Position, proKey } from '../api/book';
import { closeEach } from '../api/closePositions';

export function useClosePositions() {
  const { t } = useTranslation('contract');
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  return {
    busy,
    /** At market, one after the other; with `everything` all orders of contracts of which nothing is left leave too. */
    close: async (positions: readonly Position[], everything: boolean): Promise<void> => {
      setBusy(true);
      const ends = await closeEach(positions, everything);
      await client.invalidateQueries({ queryKey: proKey });
      setBusy(false);
      // A refusal was told when it came.
      if (ends.includes('partly')) toast.error(t('pro.closedPartly'), { long: true });
      else if (!ends.includes('refused')) toast.success(t('close.allDone'));
    },
  };
}
