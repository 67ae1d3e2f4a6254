import clsx from 'clsx';
import { Children, type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import css from './Swiper.module.css';

interface Props {
  label: string;
  children: ReactNode;
  className?: string | undefined;
}

/** Pages side by side on the browser's own snapping scroll: a finger moves them, the dots say where one is. */
export function Swiper({ label, children, className }: Props) {
  const { t } = useTranslation();
  const strip = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const slides = Children.toArray(children);

  function onScroll() {
    const box = strip.current;
    if (box?.clientWidth) setCurrent(Math.round(box.scrollLeft / box.clientWidth));
  }

  return (
    <section aria-label={label} className={className}>
      <div ref={strip} className={css.strip} onScroll={onScroll} tabIndex={slides.length > 1 ? 0 : -1}>
        {slides.map((slide, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: slides keep their places.
          <div key={index} className={css.slide}>
            {slide}
          </div>
        ))}
      </div>
      {slides.length > 1 && (
        <div className={css.dots} role="img" aria-label={t('slideOf', { index: current + 1, count: slides.length })}>
          {slides.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: dots have no identity.
            <i key={index} className={clsx(css.dot, index === current && css.on)} />
          ))}
        </div>
      )}
    </section>
  );
}
