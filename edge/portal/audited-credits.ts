/** Every movement of money is in the account's audit log, once, whoever brought it: a delivery or the re-drive. */
import type { RecordAudit } from '../audit/record.ts';
import type { RecordCredits } from '../payments/settle.ts';

export const auditedCredits =
  (record: RecordCredits, audit: RecordAudit): RecordCredits =>
  async (accountId, movement) => {
    await record(accountId, movement);
    const { id, kind, credits, reference } = movement;
    await audit({
      of: { accountId },
      actor: 'payments',
      action: `money.${kind}`,
      subject: reference,
      detail: `${credits} credits`,
      once: id,
    });
  };
