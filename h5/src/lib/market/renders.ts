/** Counts renders for the browser tests; in any other build the function is empty and disappears. */
const counts: Record<string, number> = {};

export function countRender(name: string): void {
  if (import.meta.env.MODE !== 'e2e') return;
  counts[name] = (counts[name] ?? 0) + 1;
}

if (import.meta.env.MODE === 'e2e') Object.assign(globalThis, { __renders: counts });
