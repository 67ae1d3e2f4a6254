/** How wide the screen is. The styles have the same limits in their media queries (styles/tokens.css names them). */
import { useSyncExternalStore } from 'react';

/** One column; two columns; everything at once, with the navigation on top. */
export type Screen = 'phone' | 'tablet' | 'desk';

const tablet = window.matchMedia('(min-width: 600px)');
const desk = window.matchMedia('(min-width: 1024px)');

function subscribe(listener: () => void): () => void {
  for (const query of [tablet, desk]) query.addEventListener('change', listener);
  return () => {
    for (const query of [tablet, desk]) query.removeEventListener('change', listener);
  };
}

const read = (): Screen => (desk.matches ? 'desk' : tablet.matches ? 'tablet' : 'phone');

/** Renders again when a limit is crossed, not with every pixel. */
export const useScreen = (): Screen => useSyncExternalStore(subscribe, read);
