/** A fresh request key (Idempotency-Key, 1-64 characters). */
export function requestKey(): string {
  // randomUUID exists only on secure origins; a phone on the local network is not one.
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
