/** What a reader types to check a statement of reserves. */
import type { ReserveStatement } from '@/lib/api/schema/reservesCalls';

/** What signs a message of an address, by kind of chain. */
export const STANDARDS: Readonly<Record<ReserveStatement['chain'], string>> = { bitcoin: 'BIP-322', evm: 'EIP-191' };

/** As the file is named on the reader's device. */
const fileName = (file: string): string => file.slice(file.lastIndexOf('/') + 1);

/** Checks the signatures of all addresses. */
export const signaturesCommand = ({ file }: ReserveStatement): string => `exchange prove ${fileName(file)}`;

/** What each address signs. */
export const signedMessage = ({ id }: ReserveStatement): string => `Statement of reserves ${id}`;

/** What an ERC-20 contract is asked: `balanceOf` of an address, which is filled up to 32 bytes. */
const BALANCE_OF = `0x70a08231${'0'.repeat(24)}`;

const ask = (method: string, params: readonly unknown[]): string =>
  `curl -s http://localhost:8545 -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}'`;

interface Command {
  /** What it asks for. */
  asset: string;
  text: string;
}

/** Asks the reader's own node for what an address has: of each asset of the chain. */
export function amountCommands({ chain, hash, assets }: ReserveStatement): Command[] {
  const block = { blockHash: hash };
  return assets.map(({ currency_name: asset, contract }) => {
    if (chain === 'bitcoin') return { asset, text: `bitcoin-cli scantxoutset start '["addr(ADDRESS)"]'` };
    if (contract === null) return { asset, text: ask('eth_getBalance', ['ADDRESS', block]) };
    return { asset, text: ask('eth_call', [{ to: contract, data: `${BALANCE_OF}ADDRESS` }, block]) };
  });
}
