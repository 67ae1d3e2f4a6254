import clsx from 'clsx';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import css from './Tabs.module.css';

export interface TabItem<V extends string> {
  value: V;
  label: ReactNode;
}

interface Props<V extends string> {
  items: readonly TabItem<V>[];
  value: V;
  onChange(value: NoInfer<V>): void;
  label: string;
  /** `line` underlines, `pill` fills, `segment` shares the width. */
  look?: 'line' | 'pill' | 'segment';
  /** The element that the tabs govern, if it has an id. */
  controls?: string;
  className?: string | undefined;
}

/** Arrow keys move and choose; the chosen tab scrolls into view. */
export function Tabs<V extends string>({
  items,
  value,
  onChange,
  label,
  look = 'line',
  controls,
  className,
}: Props<V>) {
  const list = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen tab is read from the document after it changed.
  useEffect(() => {
    const strip = list.current;
    const chosen = strip?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (!strip || !chosen) return;
    const left = chosen.offsetLeft - (strip.clientWidth - chosen.offsetWidth) / 2;
    strip.scrollTo?.({ left, behavior: 'smooth' });
  }, [value]);

  function onKeyDown(event: KeyboardEvent) {
    const index = items.findIndex((item) => item.value === value);
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const next = items[(index + step + items.length) % items.length];
    if (!next) return;
    onChange(next.value);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.value}"]`)?.focus();
  }

  return (
    <div ref={list} role="tablist" aria-label={label} className={clsx(css.tabs, css[look], className)}>
      {items.map((item) => (
        <button
          key={item.value}
          type="button"
          role="tab"
          data-tab={item.value}
          aria-selected={item.value === value}
          aria-controls={controls}
          tabIndex={item.value === value ? 0 : -1}
          className={css.tab}
          onClick={() => onChange(item.value)}
          onKeyDown={onKeyDown}
        >
          <span>{item.label}</span>
        </button>
      ))}
    </div>
  );
}
