/** The lists of a trading page, below its form: one tab each, and the way to the page of all of them. */
import { ClipboardList } from 'lucide-react';
import type { ReactNode } from 'react';
import { Checkbox, IconButton, type TabItem, Tabs } from '@/components/ui';
import css from './ListsPanel.module.css';

interface Props<V extends string> {
  /** Of the element that the tabs govern. */
  id: string;
  label: string;
  value: V;
  items: readonly TabItem<V>[];
  onChange(value: NoInfer<V>): void;
  /** The page of all of them. */
  all?: { label: string; onOpen(): void };
  children: ReactNode;
}

export function ListsPanel<V extends string>({ id, label, value, items, onChange, all, children }: Props<V>) {
  return (
    <section className={css.panel} id={id}>
      <div className={css.head}>
        <Tabs<V> label={label} controls={id} value={value} onChange={onChange} items={items} />
        {all && (
          <IconButton label={all.label} onClick={all.onOpen}>
            <ClipboardList size={19} />
          </IconButton>
        )}
      </div>
      {children}
    </section>
  );
}

interface ToolsProps {
  everywhere: { label: string; checked: boolean; onChange(checked: boolean): void };
  /** What is done to all rows. */
  action: { label: string; disabled?: boolean; onClick(): void } | undefined;
}

/** Above a list: rows of all pairs or of the shown one, and what is done to all of them. */
export function ListTools({ everywhere, action }: ToolsProps) {
  return (
    <div className={css.tools}>
      <Checkbox checked={everywhere.checked} onChange={everywhere.onChange}>
        {everywhere.label}
      </Checkbox>
      {action && (
        <button type="button" className={css.action} disabled={action.disabled} onClick={action.onClick}>
          {action.label}
        </button>
      )}
    </div>
  );
}
