import { Star } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { describeFailure } from '@/lib/api/client';
import { toast } from '@/lib/toast';
import css from './Chat.module.css';

const STARS = [1, 2, 3, 4, 5] as const;

interface Props {
  /** 0: none yet. */
  stars: number;
  rate(stars: (typeof STARS)[number]): Promise<void>;
  begin(): Promise<unknown>;
}

/** What can be done with a closed conversation: stars, once, and a new one. */
export function Rating({ stars, rate, begin }: Props) {
  const { t } = useTranslation('chat');
  const [isBusy, setIsBusy] = useState(false);
  const once = async (action: () => Promise<unknown>) => {
    setIsBusy(true);
    await action().catch((cause: unknown) => toast(describeFailure(cause), 'error'));
    setIsBusy(false);
  };
  return (
    <section className={css.rating} aria-label={t('closed')}>
      <h2>{t(stars === 0 ? 'rate' : 'thanks')}</h2>
      {stars === 0 ? (
        <div className={css.stars}>
          {STARS.map((count) => (
            <button
              key={count}
              type="button"
              disabled={isBusy}
              aria-label={t('stars', { n: count })}
              onClick={() => void once(() => rate(count))}
            >
              <Star size={28} aria-hidden="true" />
            </button>
          ))}
        </div>
      ) : (
        <p className={css.stars} role="img" aria-label={t('stars', { n: stars })}>
          {STARS.map((count) => (
            <Star key={count} size={28} aria-hidden="true" data-lit={count <= stars} />
          ))}
        </p>
      )}
      <Button tone="secondary" block loading={isBusy} onClick={() => void once(begin)}>
        {t('new')}
      </Button>
    </section>
  );
}
