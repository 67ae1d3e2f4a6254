/**
 * Pictures on their way to the server. One at a time: it refuses a second one of a user meanwhile, so that whoever comes
 * later waits here. Not by `fetch`, which does not tell how much has been sent.
 */
import { currentLanguage } from '../i18n';
import { currentToken } from '../session';
import { API_BASE, type Reply, readEnvelope, TIMEOUT_MS } from './client';
import { TransportError } from './errors';
import { uploadUpload } from './schema/uploadCalls';

interface Options {
  /** Sealed, and never shown by an address: `document` to reviewers alone, `chat` to who answers and to its sender. */
  kind: 'document' | 'chat';
  signal: AbortSignal;
  /** The part that has been sent, 0 to 1. */
  onProgress(part: number): void;
}

let last: Promise<unknown> = Promise.resolve();

/** The picture's reference, or why it was refused; rejects with a TransportError when no answer came. */
export function uploadPicture(picture: Blob, options: Options): Promise<Reply<string>> {
  const own = last.then(() => send(picture, options));
  last = own.catch(() => undefined);
  return own;
}

function send(picture: Blob, { kind, signal, onProgress }: Options): Promise<Reply<string>> {
  if (signal.aborted) return Promise.reject(new TransportError('aborted'));
  const asked = currentToken();
  const body = new FormData();
  body.set('file', picture, 'picture.jpg');
  const request = new XMLHttpRequest();
  return new Promise<Reply<string>>((resolve, reject) => {
    const fail = (kind: TransportError['kind'], status = 0) => reject(new TransportError(kind, status));
    request.open('POST', `${API_BASE}${uploadUpload.path}?${new URLSearchParams({ kind, lang: currentLanguage() })}`);
    request.setRequestHeader('Authorization', asked);
    request.responseType = 'json';
    request.timeout = TIMEOUT_MS;
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => fail('network');
    request.ontimeout = () => fail('timeout');
    request.onabort = () => fail('aborted');
    request.onload = () => {
      if (request.status !== 200) return fail('http', request.status);
      try {
        resolve(readEnvelope(uploadUpload, request.response, true, asked));
      } catch (cause) {
        reject(cause);
      }
    };
    signal.addEventListener('abort', () => request.abort());
    request.send(body);
  });
}
