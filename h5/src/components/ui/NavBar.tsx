import { ChevronLeft } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { APP_NAME } from '@/config/name';
import { back } from '@/lib/navigation';
import { IconButton } from './Button';
import css from './NavBar.module.css';

interface Props {
  title: string;
  /** Shown instead of the title, which stays the document's. */
  heading?: ReactNode;
  right?: ReactNode;
  left?: ReactNode;
  /** A tab's page has nowhere to go back to. */
  noBack?: boolean;
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${APP_NAME}`;
  }, [title]);
}

export function NavBar({ title, heading, right, left, noBack }: Props) {
  const { t } = useTranslation();
  useDocumentTitle(title);
  return (
    <header className={css.bar}>
      <div className={css.side}>
        {left}
        {!noBack && (
          <IconButton label={t('back')} onClick={() => back()}>
            <ChevronLeft size={24} />
          </IconButton>
        )}
      </div>
      {heading ?? <h1 className={css.title}>{title}</h1>}
      <div className={css.right}>{right}</div>
    </header>
  );
}
