/**
 * One picture of a document: chosen, made smaller, uploaded. What was chosen is shown from this device alone: the server
 * shows it to nobody but its reviewers.
 */
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { smallPicture } from '@/lib/smallPicture';
import { sendPicture } from './api/picture';

export type Upload =
  | { at: 'empty' }
  /** Not a picture. */
  | { at: 'unreadable' }
  | { at: 'waiting'; url: string }
  | { at: 'sending'; url: string; percent: number }
  | { at: 'done'; url: string; reference: string }
  | { at: 'failed'; url: string; why: string };

export interface Picture {
  upload: Upload;
  pick(file: File): void;
  retry(): void;
}

export function usePicture(): Picture {
  const { t } = useTranslation();
  const [upload, setUpload] = useState<Upload>({ at: 'empty' });
  /** The picture that counts, and how its upload is stopped. */
  const current = useRef<{ small: Blob; url: string; stop: AbortController } | null>(null);

  /** Of several that are chosen quickly the last counts. */
  const picks = useRef(0);

  function drop(): void {
    picks.current += 1;
    current.current?.stop.abort();
    if (current.current) URL.revokeObjectURL(current.current.url);
    current.current = null;
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads nothing but what outlives a render.
  useEffect(() => drop, []);

  async function send(small: Blob, url: string): Promise<void> {
    const stop = new AbortController();
    current.current = { small, url, stop };
    setUpload({ at: 'waiting', url });
    const sent = await sendPicture(small, stop.signal, (part) => {
      if (!stop.signal.aborted) setUpload({ at: 'sending', url, percent: Math.round(part * 100) });
    });
    if (stop.signal.aborted) return;
    setUpload(
      'reference' in sent
        ? { at: 'done', url, reference: sent.reference }
        : { at: 'failed', url, why: sent.why || t('error.unknown') },
    );
  }

  async function pick(file: File): Promise<void> {
    drop();
    const own = picks.current;
    setUpload({ at: 'empty' });
    const small = await smallPicture(file).catch(() => null);
    if (own !== picks.current) return;
    if (small) await send(small, URL.createObjectURL(small));
    else setUpload({ at: 'unreadable' });
  }

  return {
    upload,
    pick: (file) => void pick(file),
    retry: () => {
      if (current.current) void send(current.current.small, current.current.url);
    },
  };
}
