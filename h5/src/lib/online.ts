/** Whether the device has a network at all. A server that is away is another matter: the calls themselves tell. */
import { useSyncExternalStore } from 'react';

export const isOnline = (): boolean => navigator.onLine;

export function onOnlineChange(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

export const useOnline = (): boolean => useSyncExternalStore(onOnlineChange, isOnline);
