import { memo, useState } from 'react';
import css from './CoinIcon.module.css';

/** Coins and stocks with a picture in `public/coins`; the sign on its colour stands in for one that does not load. */
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
  AVAX: ['#d8433a', 'A'],
  CFX: ['#12807f', 'C'],
  ACH: ['#2b3fb5', 'A'],
  HIGH: ['#4a35b8', 'H'],
  CHZ: ['#b81436', 'C'],
  SANTOS: ['#3a4049', 'S'],
  LAZIO: ['#3a8cc4', 'L'],
  PORTO: ['#123f9c', 'P'],
  APE: ['#1c3a94', 'A'],
  BLUR: ['#d1500f', 'B'],
  IMX: ['#11708f', 'I'],
  SAND: ['#0f74b8', 'S'],
  MANA: ['#c73552', 'M'],
  AXS: ['#1f54c4', 'A'],
  FDUSD: ['#0f8a58', 'F'],
  DAI: ['#b5740c', 'D'],
  AAPL: ['#4a525e', 'A'],
  MSFT: ['#1c5fa0', 'M'],
  NVDA: ['#43701a', 'N'],
  AMZN: ['#9c5a10', 'A'],
  GOOGL: ['#2a56ad', 'G'],
  META: ['#1d48a8', 'M'],
  TSLA: ['#96202b', 'T'],
  JPM: ['#594332', 'J'],
  KO: ['#931f1f', 'K'],
  DIS: ['#263d7a', 'D'],
  '0700': ['#16709f', 'T'],
  '9988': ['#b3560f', 'A'],
  '3690': ['#967409', 'M'],
  '0005': ['#842231', 'H'],
  '0939': ['#1f4780', 'C'],
  HKD: ['#86223a', 'H'],
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
