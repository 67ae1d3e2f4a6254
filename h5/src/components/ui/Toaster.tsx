import clsx from 'clsx';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { navigateTo } from '@/lib/navigation';
import { useAtomValue } from '@/lib/state';
import { dismissToast, type ToastWay, toastsAtom } from '@/lib/toast';
import { Button } from './Button';
import css from './Toaster.module.css';

/** Lies in the browser's top layer and re-enters it with each message, so that no dialog covers it. */
export function Toaster() {
  const items = useAtomValue(toastsAtom);
  const ref = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const layer = ref.current;
    if (!layer?.showPopover) return;
    if (layer.matches(':popover-open')) layer.hidePopover();
    if (items.length > 0) layer.showPopover();
  }, [items]);

  return (
    <div ref={ref} popover="manual" className={css.layer}>
      <div role="status" aria-live="polite" className={css.stack}>
        {items.map((item) => (
          <div key={item.id} className={clsx(css.toast, css[item.tone])}>
            {item.tone === 'success' && <CircleCheck size={18} aria-hidden="true" />}
            {item.tone === 'error' && <CircleAlert size={18} aria-hidden="true" />}
            <span>{item.text}</span>
            {item.way && <Way id={item.id} way={item.way} />}
          </div>
        ))}
      </div>
    </div>
  );
}

function Way({ id, way }: { id: number; way: ToastWay }) {
  return (
    <Button
      tone="secondary"
      size="s"
      className={css.way}
      onClick={() => {
        dismissToast(id);
        navigateTo(way.path, way.query);
      }}
    >
      {way.label}
    </Button>
  );
}
