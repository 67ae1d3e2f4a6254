// Lets the clients' scripts, which are Python, use a client of JavaScript: a line of JSON asks, a line of JSON answers.
//
// A request is {id, of, method, words}: a method of the client that was made as number `of`, or `make`, which makes one. The
// answer is {id, is} or {id, raised}; {heard} is something that a client told by itself.
import { createInterface } from 'node:readline';

// What clients log goes elsewhere than the answers.
console.log = console.info = console.debug = console.error;

const plain = (_, value) => {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
};
const tell = (row) => process.stdout.write(`${JSON.stringify(row, plain)}\n`);

/** Tells what a client told by itself. */
export const hear = (heard) => tell({ heard });

/** Answers until nothing more is asked; `make` makes a client of the words that it is given. */
export function serve(make) {
  const clients = [];
  const done = async (of, method, words) => {
    if (method !== 'make') return await clients[of][method](...words);
    return clients.push(await make(...words)) - 1;
  };
  const lines = createInterface({ input: process.stdin });
  lines.on('line', async (line) => {
    const { id, of, method, words } = JSON.parse(line);
    try {
      // What is left out is undefined here, and nothing else.
      tell({ id, is: await done(of, method, words.map((word) => word ?? undefined)) });
    } catch (error) {
      // Not all that clients throw are errors: some are what the exchange said.
      const text = error.message ?? error.msg;
      tell({ id, raised: { kind: error.constructor.name, text, code: error.code } });
    }
  });
  lines.on('close', () => process.exit(0));
}
