/** The signer's program and its socket. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { EXCHANGE } from './realServer';

export const SIGNER = join(EXCHANGE, '../exchange-signer');

/** One line is asked, one is answered. */
export async function asked(socket: string, question: object): Promise<Record<string, unknown>> {
  return await new Promise((resolve, reject) => {
    let answer = '';
    const stream = connect(socket, () => stream.write(`${JSON.stringify(question)}\n`));
    stream.on('data', (part) => {
      answer += part.toString();
      if (!answer.includes('\n')) return;
      stream.destroy();
      resolve(JSON.parse(answer));
    });
    stream.on('error', reject);
  });
}
