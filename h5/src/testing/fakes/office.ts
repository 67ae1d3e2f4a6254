/**
 * The back office's calls in memory: about identity verification a queue, leases, pictures, revocations by two people; about
 * markets, their parameters and countries in files of their own. Whoever asks is logged in as the person that the fake was told.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Revocation, Session, ToSign, VerificationDetail, VerificationRow } from '../../admin/types';
import { builtFile, POLICY } from './builtApp';
import { type Asking, DAYS_MS, type Refusal, refuse } from './officeAsking';
import { FakeMarkets } from './officeMarkets';
import { FakeParameters } from './officeParameters';
import { FakeRegions } from './officeRegions';

const LEASE_MS = 15 * 60_000;

export interface OfficeCase extends VerificationRow {
  name: string;
  number: string;
  same_document: number[];
}

export class FakeOffice implements Asking {
  readonly parameters = new FakeParameters();
  readonly markets = new FakeMarkets();
  readonly regions = new FakeRegions();
  cases: OfficeCase[] = [];
  revocations: Revocation[] = [];
  pictures: Record<string, Buffer> = {};
  /** As decisions name the person. */
  me = 'anna@staff-1';
  may = ['SeeVerifications', 'ReviewVerifications', 'RevokeVerifications'];
  /** Moves on without anybody waiting. */
  aheadMs = 0;
  readonly asked: { path: string; body: Record<string, unknown> }[] = [];
  readonly #folder: string;
  readonly #credential: string;
  readonly #server: Server;
  #begun: { approves: boolean; reason: string } | null = null;

  /** Serves the built back office; signatures are asked of this credential. */
  constructor(folder: string, credential: string) {
    this.#folder = folder;
    this.#credential = credential;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, 'localhost', resolve));
    // Passkeys are made for names.
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  get now(): number {
    return Date.now() + this.aheadMs;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const answer = (status: number, type: string, body: string | Buffer) => {
      response.writeHead(status, {
        'Content-Type': type,
        'Content-Security-Policy': POLICY,
        'Cache-Control': 'no-store',
      });
      response.end(body);
    };
    if (!url.pathname.startsWith('/admin/api/')) {
      const file = await builtFile(this.#folder, url.pathname.replace(/^\/admin/, '/h5'));
      return answer(file ? 200 : 404, file?.type ?? 'text/plain', file?.body ?? '');
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString() || '{}') as Record<string, unknown>;
    const path = url.pathname.slice('/admin/api/'.length);
    if (request.method === 'POST') this.asked.push({ path, body });
    try {
      const said = this.#answer(path, url.searchParams, body);
      if (Buffer.isBuffer(said)) answer(200, 'image/png', said);
      else answer(200, 'application/json', JSON.stringify(said));
    } catch (refused) {
      const { status, error } = refused as Refusal;
      answer(status ?? 500, 'application/json', JSON.stringify({ error: error ?? String(refused) }));
    }
  }

  #answer(path: string, params: URLSearchParams, body: Record<string, unknown>): unknown {
    const [room, id = '', act = '', more = ''] = path.split('/');
    if (path === 'session') return { open: this.#session };
    if (path === 'verifications') return this.#list(params);
    if (path === 'verifications/revoke') return this.#propose(body);
    if (room === 'markets') return this.markets.answer(path, body, this);
    if (room === 'parameters' || room === 'parameter-cases') return this.parameters.answer(path, body, this);
    if (room === 'regions' || room === 'region-cases') return this.regions.answer(path, body, this);
    if (room === 'revocations') return this.#decideRevocation(Number(id), more, body);
    const found = this.cases.find((one) => String(one.case) === id) ?? refuse(404, 'There is no such case.');
    if (act === '') return this.#detail(found);
    if (act === 'claim') return this.#claim(found);
    if (!this.#isMine(found)) refuse(409, 'It is not yours: take it first.');
    if (act === 'pictures') return this.pictures[more] ?? refuse(404, 'There is no such picture.');
    return this.#decide(found, body);
  }

  get #session(): Session {
    const [name = ''] = this.me.split('@');
    const ends_ms = this.now + 8 * 3_600_000;
    return { id: 1, name, signs: this.me, role: 'compliance', account: null, ends_ms, word: 'word', may: this.may };
  }

  #isMine({ reviewer, leased_until_ms }: OfficeCase): boolean {
    return reviewer === this.me && (leased_until_ms ?? 0) > this.now;
  }

  #list(params: URLSearchParams) {
    const before = Number(params.get('before') ?? Number.POSITIVE_INFINITY);
    const rows = this.cases.filter((one) => one.state === params.get('state') && one.case < before);
    return {
      rows: rows.toSorted((one, other) => other.case - one.case).slice(0, 20),
      waiting: this.cases.filter(({ state }) => state === 'waiting').length,
      revocations: this.revocations,
      now_ms: this.now,
      me: this.me,
    };
  }

  #detail(one: OfficeCase): VerificationDetail {
    const mine = this.#isMine(one);
    return {
      ...one,
      number: mine ? one.number : `${one.number.slice(0, 2)}******${one.number.slice(-2)}`,
      pictures: one.level === 2 ? ['front', 'reverse'] : [],
      notes: [],
      mine,
    };
  }

  #claim(one: OfficeCase) {
    const isTaken = one.reviewer !== null && one.reviewer !== this.me && (one.leased_until_ms ?? 0) > this.now;
    if (isTaken) refuse(409, 'Somebody else reviews it.');
    one.reviewer = this.me;
    one.leased_until_ms = this.now + LEASE_MS;
    return { leased_until_ms: one.leased_until_ms };
  }

  #decide(one: OfficeCase, { passes, reason, note }: Record<string, unknown>) {
    one.state = passes ? 'passed' : 'failed';
    Object.assign(one, { decided_by: this.me, decided_ms: this.now, reason: reason || null, note: note || null });
    return { done: true };
  }

  #propose({ account, tier, reason }: Record<string, unknown>) {
    const id = 500 + this.revocations.length;
    this.revocations.unshift({
      case: id,
      account: account as number,
      tier: tier as Revocation['tier'],
      state: 'proposed',
      proposed_by: this.me,
      proposed_ms: this.now,
      proposed_reason: reason as string,
      expires_ms: this.now + DAYS_MS,
      decided_by: null,
      decided_ms: null,
      decided_reason: null,
    });
    return { case: id };
  }

  #decideRevocation(id: number, more: string, body: Record<string, unknown>) {
    const row = this.revocations.find((one) => one.case === id) ?? refuse(404, 'There is no such revocation.');
    if (more === 'begin') return this.begin(body, { case: id, account: row.account, tier: row.tier });
    const signed = this.signed();
    row.state = signed.approves ? 'approved' : 'refused';
    Object.assign(row, { decided_by: this.me, decided_ms: this.now, decided_reason: signed.reason });
    return { done: true };
  }

  signed(): { approves: boolean; reason: string } {
    return this.#begun ?? refuse(409, 'Nothing was begun.');
  }

  begin(body: Record<string, unknown>, about: object): ToSign {
    const { approves, reason } = body as { approves: boolean; reason: string };
    this.#begun = { approves, reason };
    const statement = JSON.stringify({ ...about, approves, reason, by: this.me });
    const digest = createHash('sha256').update(statement).digest();
    return {
      challenge: 'challenge-1',
      statement,
      digest: digest.toString('hex'),
      options: {
        challenge: digest.toString('base64url'),
        rpId: 'localhost',
        allowCredentials: [{ type: 'public-key', id: this.#credential }],
        userVerification: 'required',
        timeout: 60_000,
      },
    };
  }
}
