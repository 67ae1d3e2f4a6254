/** The built app and the fake API on one origin, with the content policy that the real server sends. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeBackend } from './backend.ts';
import { builtFile, POLICY } from './builtApp';
import { fakeRequest } from './http.ts';

export class FakeServer {
  readonly backend = new FakeBackend();
  readonly #folder: string;
  readonly #server: Server;

  constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => {
      void this.#serve(request).then(({ status, type, body }) => {
        response.writeHead(status, {
          'Content-Type': type,
          'Content-Security-Policy': POLICY,
          'X-Content-Type-Options': 'nosniff',
          'Cache-Control': 'no-store',
        });
        response.end(body);
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.backend.assertTruth();
  }

  async #serve(request: IncomingMessage): Promise<{ status: number; type: string; body: string | Buffer }> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname.startsWith('/api/')) {
      const answer = this.backend.handle(await fakeRequest(request, url));
      if (answer === 'lost') return { status: 502, type: 'text/plain', body: 'lost' };
      return { status: answer.status, type: 'application/json', body: JSON.stringify(answer.body) };
    }
    const file = await builtFile(this.#folder, url.pathname);
    return file ? { status: 200, ...file } : { status: 404, type: 'text/plain', body: 'not found' };
  }
}
