import { memo, useState } from 'react';
import css from './CoinIcon.module.css';

/** Coins with a picture in `public/coins`; the sign on its colour stands in for one that does not load. */
const KNOWN: Record<string, readonly [colour: string, sign: string]> = {
  BTC: ['#f7931a', '₿'],
  ETH: ['#627eea', 'Ξ'],
  USDT: ['#26a17b', '₮'],
  USDC: ['#2775ca', '$'],
  LTC: ['#5b7fb8', 'Ł'],
  XRP: ['#4a5a6a', '✕'],
  SOL: ['#8a5cf6', 'S'],
  DOGE: ['#ba9f33', 'Ð'],
  TRX: ['#e0233c', 'T'],
  ADA: ['#2456c9', '₳'],
  BNB: ['#c99a0a', 'B'],
  DOT: ['#e6007a', '●'],
  LINK: ['#2a5ada', '⬡'],
};

function colourOf(name: string): string {
  let hash = 7;
  for (const char of name) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 360;
  return `hsl(${hash} 45% 42%)`;
}

interface Props {
  name: string;
  logo?: string | undefined;
  size?: number;
}

/**
 * Decoration beside a coin's name. The server's logo wins, then the app's own picture; without any it is a sign, or the
 * first letter on a colour made from the name.
 */
export const CoinIcon = memo(function CoinIcon({ name, logo, size = 34 }: Props) {
  const [broken, setBroken] = useState('');
  const picture = logo || (name in KNOWN ? `${import.meta.env.BASE_URL}coins/${name.toLowerCase()}.svg` : '');
  if (picture && broken !== picture) {
    return (
      <img
        src={picture}
        alt=""
        width={size}
        height={size}
        loading="lazy"
        className={css.icon}
        onError={() => setBroken(picture)}
      />
    );
  }
  const [colour, sign] = KNOWN[name] ?? [colourOf(name), name.slice(0, 1)];
  return (
    <svg width={size} height={size} viewBox="0 0 34 34" className={css.icon} aria-hidden="true">
      <circle cx="17" cy="17" r="17" fill={colour} />
      <circle cx="17" cy="17" r="13.5" fill="none" stroke="#fff" strokeOpacity="0.22" />
      <text x="17" y="23" textAnchor="middle" fontSize="17" fontWeight="700" fill="#fff">
        {sign}
      </text>
    </svg>
  );
});
