import clsx from 'clsx';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useThrottled } from '@/lib/throttle';
import { Entry, type Lead, leads } from './Entry';
import css from './List.module.css';
import { Spinner } from './Spinner';
import { Empty, ErrorState, SkeletonRows } from './States';

export function List({ title, children, className }: { title?: string; children: ReactNode; className?: string }) {
  return (
    <section className={clsx(css.group, className)}>
      {title && <h2 className={css.heading}>{title}</h2>}
      <ul className={css.list}>{children}</ul>
    </section>
  );
}

interface ItemProps {
  icon?: ReactNode;
  title: ReactNode;
  note?: ReactNode;
  value?: ReactNode;
  /** Present: the row is a button and shows an arrow. */
  onClick?: (() => void) | undefined;
  /** Instead of `onClick`: the page that the row leads to. */
  to?: Lead;
  /** Before that page is entered. */
  onGo?: () => void;
}

export function ListItem({ icon, title, note, value, onClick, to, onGo }: ItemProps) {
  const press = useThrottled(onClick);
  const inner = (
    <>
      {icon && <span className={css.icon}>{icon}</span>}
      <span className={css.text}>
        <span>{title}</span>
        {note && <span className={css.note}>{note}</span>}
      </span>
      {value !== undefined && <span className={css.value}>{value}</span>}
      {(onClick || (to && leads(to))) && <ChevronRight size={16} className={css.arrow} aria-hidden="true" />}
    </>
  );
  return (
    <li>
      {to !== undefined ? (
        <Entry to={to} className={css.item} {...(onGo ? { onGo } : {})}>
          {inner}
        </Entry>
      ) : onClick ? (
        <button type="button" className={css.item} onClick={() => press()}>
          {inner}
        </button>
      ) : (
        <div className={css.item}>{inner}</div>
      )}
    </li>
  );
}

interface InfiniteProps<T> {
  rows: readonly T[] | undefined;
  rowKey(row: T): string | number;
  renderRow(row: T): ReactNode;
  error: unknown;
  /** The first page is on its way. */
  loading: boolean;
  loadingMore: boolean;
  hasMore: boolean;
  onMore(): void;
  onRetry(): void;
  empty?: ReactNode;
  skeleton?: ReactNode;
  label: string;
}

/** Pages come as the end of the list nears. An error keeps the rows that are there. */
export function InfiniteList<T>(props: InfiniteProps<T>) {
  const { t } = useTranslation();
  const { hasMore, loadingMore, onMore, error } = props;
  const end = useRef<HTMLDivElement>(null);
  const failed = Boolean(error);
  const count = props.rows?.length ?? 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a short page can leave the mark in view, where nothing would be reported again; looking anew after each page (count) goes on.
  useEffect(() => {
    const mark = end.current;
    if (!mark || !hasMore || loadingMore || failed) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) onMore();
      },
      { rootMargin: '400px' },
    );
    observer.observe(mark);
    return () => observer.disconnect();
  }, [hasMore, loadingMore, onMore, failed, count]);

  if (!props.rows) {
    if (failed) return <ErrorState error={error} onRetry={props.onRetry} />;
    return props.skeleton ?? <SkeletonRows />;
  }
  if (props.rows.length === 0 && !failed) return props.empty ?? <Empty />;
  return (
    <>
      {failed && <ErrorState compact error={error} onRetry={props.onRetry} />}
      <ul aria-label={props.label}>
        {props.rows.map((row) => (
          <li key={props.rowKey(row)}>{props.renderRow(row)}</li>
        ))}
      </ul>
      <div ref={end} className={css.end}>
        {loadingMore ? <Spinner /> : hasMore ? null : t('noMore')}
      </div>
    </>
  );
}
