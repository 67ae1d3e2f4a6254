/** How the app comes to a home screen: at the touch of a button where the browser offers it, else in three steps. */
import { BadgeCheck, Copy, Download } from 'lucide-react';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, NavBar, Skeleton, Tabs } from '@/components/ui';
import type { CodeProps } from '@/components/ui/QrCode';
import { APP_NAME } from '@/config/name';
import { copyText } from '@/lib/clipboard';
import { isInstalled, useInstall } from '@/lib/install';
import { AppMark } from './AppMark';
import css from './DownloadPage.module.css';

const NoCode: ComponentType<CodeProps> = () => null;
/** With the library that draws it. Without it, when it cannot be loaded, there is still the address as a text. */
const QrCode = lazy<ComponentType<CodeProps>>(() =>
  import('@/components/ui/QrCode').catch(() => ({ default: NoCode })),
);

const PLATFORMS = ['android', 'ios', 'desktop'] as const;
type Platform = (typeof PLATFORMS)[number];
const STEPS = ['1', '2', '3'] as const;

/** Of the device that reads this. An iPad says that it is a Mac, but no Mac is touched. */
function ownPlatform(): Platform {
  const { userAgent, maxTouchPoints } = navigator;
  if (/iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1)) return 'ios';
  return /Android/.test(userAgent) ? 'android' : 'desktop';
}

/** Where this app is, whichever of its pages is open. */
const ownAddress = (): string => new URL(import.meta.env.BASE_URL, window.location.origin).href;

export default function DownloadPage() {
  const { t } = useTranslation('download');
  const install = useInstall();
  const [platform, setPlatform] = useState(ownPlatform);
  return (
    <>
      <NavBar title={t('title')} />
      <div className={css.hero}>
        <AppMark size={76} />
        <h2 className={css.claim}>{t('claim', { app: APP_NAME })}</h2>
        <p className={css.lead}>{t('lead')}</p>
        {isInstalled() ? (
          <p className={css.done}>
            <BadgeCheck size={18} aria-hidden="true" />
            {t('installed')}
          </p>
        ) : (
          install && (
            <Button size="l" block icon={<Download size={18} />} className={css.install} onClick={install}>
              {t('install')}
            </Button>
          )
        )}
      </div>
      <section className={css.card} aria-label={t('how')}>
        <h2 className={css.heading}>{t('how')}</h2>
        <Tabs
          look="segment"
          label={t('how')}
          controls="steps"
          items={PLATFORMS.map((value) => ({ value, label: t(`platform.${value}`) }))}
          value={platform}
          onChange={setPlatform}
        />
        <div id="steps" role="tabpanel" aria-label={t(`platform.${platform}`)}>
          <ol className={css.steps}>
            {STEPS.map((step) => (
              <li key={step}>
                <span className={css.step} aria-hidden="true">
                  {step}
                </span>
                <span>{t(`steps.${platform}.${step}`)}</span>
              </li>
            ))}
          </ol>
        </div>
      </section>
      <Scan />
    </>
  );
}

/** From a computer to a phone. */
function Scan() {
  const { t } = useTranslation('download');
  const address = ownAddress();
  return (
    <section className={css.card} aria-label={t('scan')}>
      <h2 className={css.heading}>{t('scan')}</h2>
      <div className={css.scan}>
        <div className={css.code}>
          <Suspense fallback={<Skeleton height="100%" />}>
            <QrCode text={address} label={t('code')} />
          </Suspense>
        </div>
        <div className={css.where}>
          <p>{t('scanNote')}</p>
          <p className={css.address}>{address}</p>
          <Button tone="secondary" icon={<Copy size={16} />} onClick={() => void copyText(address)}>
            {t('copy')}
          </Button>
        </div>
      </div>
    </section>
  );
}
