import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Dialog } from '@/components/ui';
import { PATHS } from '@/config/paths';
import type { Article } from '@/lib/api/types';
import { navigateTo } from '@/lib/navigation';
import { store, stored } from '@/lib/storage';
import { popupQuery } from './api';
import css from './NoticePopup.module.css';

const KEPT_IDS = 50;

/** A notice without a summary speaks with its whole text, marks of its HTML left out. */
function wordsOf({ abstract, content }: Article): string {
  return abstract || (new DOMParser().parseFromString(content, 'text/html').body.textContent ?? '');
}

/** The newest notice, once an id: closing it is remembered. */
export function NoticePopup() {
  const { t } = useTranslation('home');
  const { data } = useQuery(popupQuery);
  const [closed, setClosed] = useState(false);
  if (!data || stored().closedNotices.includes(data.id)) return null;

  function close(id: number) {
    setClosed(true);
    store({ closedNotices: [...stored().closedNotices, id].slice(-KEPT_IDS) });
  }

  return (
    <Dialog
      open={!closed}
      onClose={() => close(data.id)}
      title={data.title}
      footer={
        <Button
          block
          onClick={() => {
            close(data.id);
            navigateTo(PATHS.article, { id: data.id });
          }}
        >
          {t('readMore')}
        </Button>
      }
    >
      <p className={css.words}>{wordsOf(data)}</p>
    </Dialog>
  );
}
