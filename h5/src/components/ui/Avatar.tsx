import { UserRound } from 'lucide-react';
import css from './Avatar.module.css';

interface Props {
  src?: string | undefined;
  /** Its first letter stands in for a missing picture; a guest has none. */
  name?: string | undefined;
  size: number;
}

/** Decoration beside a name. */
export function Avatar({ src, name, size }: Props) {
  if (src) return <img src={src} alt="" width={size} height={size} className={css.avatar} />;
  const letter = Array.from(name ?? '')[0]?.toUpperCase();
  return (
    <span
      className={css.avatar}
      data-guest={letter ? undefined : true}
      style={{ width: size, height: size }}
      aria-hidden="true"
    >
      {letter ? (
        <svg width={size} height={size} viewBox="0 0 40 40" aria-hidden="true">
          <text x="20" y="26.5" textAnchor="middle" fontSize="18" fontWeight="650" fill="#fff">
            {letter}
          </text>
        </svg>
      ) : (
        <UserRound size={size * 0.55} strokeWidth={1.8} />
      )}
    </span>
  );
}
