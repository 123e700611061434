/** An account's ledger as the edge itself has it, by the local administration. */
import type { Entry, Totals } from '../../edge/account/ledger/types.ts';
import type { System } from '../../local/system.ts';

/** `holds`: what is not settled of each batch. */
export type Ledger = {
  readonly totals: Totals;
  readonly holds: readonly { readonly batchId: string; readonly pending: number }[];
  readonly entries: readonly Entry[];
};

const ANSWER_MS_MAX = 20_000;

/** Throws where the edge does not answer. */
export const readLedger = async (
  { baseUrl, secrets }: Pick<System, 'baseUrl' | 'secrets'>,
  accountId: string,
): Promise<Ledger> => {
  const answer = await fetch(`${baseUrl}/api/local/accounts/${accountId}/ledger`, {
    headers: { authorization: `Bearer ${secrets.localAdmin}` },
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  if (!answer.ok) throw new Error(`the ledger answers ${answer.status}`);
  return (await answer.json()) as Ledger;
};
