/** Requests of the fake servers, as the back end reads them. */
import type { IncomingMessage } from 'node:http';
import type { FakeRequest } from './call.ts';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

export async function fakeRequest(request: IncomingMessage, url: URL): Promise<FakeRequest> {
  const text = await bodyOf(request);
  // A file's bytes are no fields.
  const isForm = !request.headers['content-type']?.startsWith('multipart/');
  const body = new URLSearchParams(isForm ? text : '');
  return {
    method: request.method ?? 'GET',
    path: url.pathname.slice('/api'.length),
    params: { ...Object.fromEntries(url.searchParams), ...Object.fromEntries(body) },
    token: request.headers.authorization ?? '',
    key: String(request.headers['idempotency-key'] ?? ''),
  };
}
