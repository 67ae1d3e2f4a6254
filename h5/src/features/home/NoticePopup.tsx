import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Button, Dialog } from '@/components/ui';
import { PATHS } from '@/config/paths';
import type { Article } from '@/lib/api/types';
import { navigateTo } from '@/lib/navigation';
import { closedNoticesAtom, useAtom } from '@/lib/state';
import { popupQuery } from './api/content';
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
  const [closed, setClosed] = useAtom(closedNoticesAtom);
  if (!data) return null;

  function close(id: number) {
    setClosed([...closed, id].slice(-KEPT_IDS));
  }

  return (
    <Dialog
      open={!closed.includes(data.id)}
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
