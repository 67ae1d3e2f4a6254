import { ChevronRight, Headset, Landmark, type LucideIcon, RotateCcw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Count, Entry } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useUnread } from '@/lib/api/mail';
import css from './ContactLinks.module.css';

const TOPICS: readonly (readonly [topic: 'support' | 'loan' | 'repay', icon: LucideIcon])[] = [
  ['support', Headset],
  ['loan', Landmark],
  ['repay', RotateCcw],
];

/** Whom one can write to, and how many of their answers are unread. */
export function ChatEntries() {
  const { t } = useTranslation('chat');
  const unread = useUnread()?.service ?? 0;
  return (
    <ul className={css.links} aria-label={t('live')}>
      {TOPICS.map(([topic, Icon]) => (
        <li key={topic}>
          <Entry to={{ path: PATHS.chat, query: { topic } }} className={css.topic}>
            <Icon size={19} aria-hidden="true" />
            <span>
              <b>{t(`topic.${topic}`)}</b>
              <small>{t(`about.${topic}`)}</small>
            </span>
            {topic === 'support' && <Count value={unread} />}
            <ChevronRight size={16} aria-hidden="true" />
          </Entry>
        </li>
      ))}
    </ul>
  );
}
