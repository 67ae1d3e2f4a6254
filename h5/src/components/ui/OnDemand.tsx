import { type ComponentType, useEffect, useRef, useState } from 'react';
import { i18next } from '@/lib/i18n';
import { toast } from '@/lib/toast';

export interface Opens {
  open: boolean;
  onClose(): void;
}

interface Props extends Opens {
  load(): Promise<ComponentType<Opens>>;
}

/**
 * A dialog in a chunk of its own, fetched when it is opened for the first time. A chunk that cannot be had closes it
 * again and says so; the next opening tries anew.
 */
export function OnDemand({ load, open, onClose }: Props) {
  const [Loaded, setLoaded] = useState<ComponentType<Opens>>();
  const close = useRef(onClose);
  close.current = onClose;

  useEffect(() => {
    if (!open || Loaded) return;
    let current = true;
    load().then(
      (component) => {
        if (current) setLoaded(() => component);
      },
      () => {
        if (!current) return;
        toast.error(i18next.t('common:error.network'));
        close.current();
      },
    );
    return () => {
      current = false;
    };
  }, [open, Loaded, load]);

  return Loaded && <Loaded open={open} onClose={onClose} />;
}
