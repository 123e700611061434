// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the lines that are replaced are code.
/**
 * Bugs that must not live long: each rewrites lines of the edge as they are loaded. A line that is not there any more
 * fails the test, so that a bug is planted anew where the code has moved.
 */
import type { Law } from './auditor/laws.ts';
import type { Patch } from './platform/hooks.ts';

export type PlantedBug = {
  readonly name: string;
  /** A law it breaks (others may be seen first), and the number of seeds within which that is found. */
  readonly law: Law;
  readonly seeds: number;
  readonly patches: readonly Patch[];
};

/** Rewrites lines of one file: [as it reads, as it shall read] … */
export const inFile = (file: string, ...lines: readonly (readonly [string, string])[]): Patch[] =>
  lines.map(([find, replace]) => ({ file, find, replace }));

const LEDGER = 'edge/account/ledger/machine.ts';
const CAPS = 'edge/account/ledger/spending-caps.ts';
const BATCH = 'edge/batch/machine/batch.ts';
const STEPS = 'edge/batch/machine/steps.ts';
const SAGA = 'edge/batch/batch-saga.ts';
const LIFE = 'edge/batch/end-of-life.ts';
const RECORD = 'edge/account/idempotency/record.ts';

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a settlement said twice is booked twice',
    law: 'once',
    seeds: 200,
    patches: [
      ...inFile(
        LEDGER,
        ['  if (earlier !== PENDING) return', '  if (earlier === undefined) return'],
        [
          'const commandId = `${kind}:${batchId}:${images}`',
          'const commandId = `${kind}:${batchId}:${images}:${totals.entries}`',
        ],
      ),
    ],
  },
  {
    name: 'a grant said twice is booked twice',
    law: 'balance',
    seeds: 100,
    patches: inFile(LEDGER, [
      'const commandId = `${command.type}:${command.id}`',
      'const commandId = `${command.type}:${command.id}:${view.totals().entries}`',
    ]),
  },
  {
    name: 'a hold said twice takes credits twice',
    law: 'held',
    seeds: 400,
    patches: inFile(
      LEDGER,
      [
        "  if (earlier) {\n    if (earlier.state === 'released')",
        "  if (earlier && nowMs < 0) {\n    if (earlier.state === 'released')",
      ],
      ['commandId: `hold:${batchId}`', 'commandId: `hold:${batchId}:${totals.entries}`'],
    ),
  },
  {
    name: 'a low balance is told again with every credit that is spent below the level',
    law: 'low',
    seeds: 100,
    patches: inFile('edge/account/ledger/balance-crossing.ts', [' && balance - change > level', '']),
  },
  {
    name: 'a hold ends by itself after a minute',
    law: 'agree',
    seeds: 100,
    patches: [
      ...inFile('edge/limits.ts', ['holdFirstCheckAfterMs: 30 * MINUTE', 'holdFirstCheckAfterMs: MINUTE']),
      ...inFile('edge/account/ledger/ledger.ts', [
        "answer === 'unknown' ?",
        "answer === 'unknown' || answer === 'known' ?",
      ]),
    ],
  },
  {
    name: 'an outcome is settled before it is saved',
    law: 'agree',
    seeds: 400,
    patches: inFile(SAGA, [
      "    const { reply, effects } = this.#execute({ type: 'record', index, outcome });",
      `    const own = jobOf(this.#sql, this.#batch(), index);
    const as = outcome.status === 'completed' ? 'posted' : 'voided';
    await this.#services.ledgerOf(own.accountId).resolve(own.batchId, [{ index, as }]);
    const { reply, effects } = this.#execute({ type: 'record', index, outcome });`,
    ]),
  },
  {
    name: 'a second delivery decides an image again',
    law: 'agree',
    seeds: 400,
    patches: inFile(
      BATCH,
      [
        "  if (!mayRun(batch, index)) return reply('not_open');\n  if (image.outcome) return decided(image.outcome);",
        "  if (!mayRun(batch, index)) return reply('not_open');",
      ],
      [
        '  if (image.outcome) return decided(image.outcome);\n  if (nowMs >= batch.deadlineAtMs)',
        '  if (nowMs >= batch.deadlineAtMs)',
      ],
    ),
  },
  {
    name: 'an image is called completed before its file is stored',
    law: 'file',
    seeds: 300,
    patches: inFile('edge/batch/run-image.ts', [
      'if (await isStored(services, job, index, outcome)) return',
      'if (outcome) return',
    ]),
  },
  {
    name: 'only the first file of an image is looked for in the store',
    law: 'file',
    seeds: 400,
    patches: inFile('edge/batch/run-image.ts', [
      'told.every((file, i) => isSame(file, stored[i]))',
      'told.every((file, i) => i > 0 || isSame(file, stored[i]))',
    ]),
  },
  {
    name: 'any file of the right length is taken for the one that the node told of',
    law: 'file',
    seeds: 400,
    patches: inFile('edge/batch/run-image.ts', [
      'object?.bytes === bytes && object.md5 === md5;',
      'object?.bytes === bytes;',
    ]),
  },
  {
    name: 'a key passes its cap with its last batch',
    law: 'cap',
    seeds: 200,
    patches: inFile(CAPS, ['credits + required > creditsMax', 'credits >= creditsMax']),
  },
  {
    name: 'an image that is charged gives its credit back to the cap',
    law: 'cap',
    seeds: 400,
    patches: inFile(LEDGER, [
      "const voided = hold.mode === 'live' ? fresh.length - posted : 0;",
      "const voided = hold.mode === 'live' ? fresh.length : 0;",
    ]),
  },
  {
    name: 'batches of test keys are charged',
    law: 'free',
    seeds: 50,
    patches: inFile('edge/batch/effects.ts', [
      'ledger.hold({ batchId, images, keyId, mode, style,',
      'ledger.hold({ batchId, images, keyId, style,',
    ]),
  },
  {
    name: 'a settlement that was lost is not said again',
    law: 'held',
    seeds: 100,
    patches: inFile(STEPS, ["effects: [{ type: 'settle', settlements }]", 'effects: []']),
  },
  {
    name: 'a message that was lost is not sent again',
    law: 'prompt',
    seeds: 200,
    patches: inFile(STEPS, [
      "effects: [{ type: 'dispatch', indexes: images.map((image) => image.index) }]",
      'effects: []',
    ]),
  },
  {
    name: 'nobody wakes the batch',
    law: 'outcome',
    seeds: 100,
    patches: inFile(BATCH, ['return owed.length > 0 ? Math.min(...owed) : null', 'return null']),
  },
  {
    name: 'a batch is opened before its credits are held',
    law: 'agree',
    seeds: 200,
    patches: inFile(
      BATCH,
      ["  if (answer === 'refused')\n    return", '  if (moment.nowMs < 0)\n    return'],
      [
        "fillWindow({ ...batch, hold: 'held', window, retentionDays }, moment)",
        "fillWindow({ ...batch, hold: 'held', window: 8, retentionDays }, moment)",
      ],
    ),
  },
  {
    name: 'a batch whose caller was told of an error is opened all the same',
    law: 'told',
    seeds: 200,
    patches: inFile(BATCH, [
      "    batch: { ...owing(refuse(batch), moment), isGivenUp: true },\n    effects: [{ type: 'release_hold' }, { type: 'discard_inputs' }],",
      '    effects: [],',
    ]),
  },
  {
    name: 'a lost image is sent again ever more rarely',
    law: 'prompt',
    seeds: 400,
    patches: inFile(STEPS, [
      'nowMs + backoffMs(image.dispatches, redispatchBackoff)',
      'nowMs + redispatchBackoff.baseMs * 8 ** (image.dispatches + 1)',
    ]),
  },
  {
    name: 'a retry after a death opens a batch of its own',
    law: 'key',
    seeds: 300,
    patches: inFile(RECORD, [
      'return { reply: takenOver, record: { ...earlier, owner, leaseUntilMs } };',
      "return { reply: { result: 'fresh' }, record: { batchId, owner, createdAtMs: nowMs, leaseUntilMs, answer: null } };",
    ]),
  },
  {
    name: 'the answer to an idempotency key is forgotten',
    law: 'key',
    seeds: 100,
    patches: inFile(
      RECORD,
      ['return own && { ...own, answer };', 'return own && undefined;'],
      ['if (!earlier || isExpired(earlier, nowMs))', 'if (!earlier || nowMs > 0)'],
    ),
  },
  {
    name: 'a deleted batch keeps the names of its files',
    law: 'erased',
    seeds: 200,
    patches: inFile(LIFE, ['      forget(sql, index, now());\n', '']),
  },
  {
    name: 'the answer to an upload outlives its deletion',
    law: 'erased',
    seeds: 400,
    patches: inFile('edge/services.ts', ['    await accountOf(accountId).erasures.eraseBatch(batchId, index);\n', '']),
  },
  {
    name: 'a result that was delivered stays',
    law: 'files',
    seeds: 400,
    patches: inFile(LIFE, [
      "if (noteDelivered(sql, output, objectKey)) noteRemoval(sql, 'files', output.index, now(), 'alarm');",
      'noteDelivered(sql, output, objectKey);',
    ]),
  },
  {
    name: 'files are kept for as long as by default, whatever the account wants',
    law: 'files',
    seeds: 400,
    patches: inFile('edge/batch/machine/retention.ts', [': retentionDays * DAY_MS);', ': limits.downloads.objectMs);']),
  },
  {
    name: 'requests that were added up are added up again',
    law: 'shown',
    seeds: 200,
    patches: inFile('edge/account/requests/days.ts', [
      "    storage.sql.exec('update history set rolledThrough = ?', last.logId);\n",
      '',
    ]),
  },
  {
    name: 'lines that were split by key and marketplaces are split again',
    law: 'shown',
    seeds: 200,
    patches: inFile('edge/account/ledger/image-split.ts', [
      'all<Group>(sql, LINES, after, through)',
      'all<Group>(sql, LINES, Math.min(0, after), through)',
    ]),
  },
  {
    name: 'what failed last of a test key is not split',
    law: 'shown',
    seeds: 400,
    patches: inFile('edge/account/ledger/image-split.ts', [
      "closed.state === 'released' ? before.voided : closed.voided",
      'before.voided',
    ]),
  },
  {
    name: 'the first line of each fold is left out of the chain',
    law: 'past',
    seeds: 200,
    patches: inFile('edge/account/ledger/fold.ts', ['const lines = rows.map(', 'const lines = rows.slice(1).map(']),
  },
  {
    name: 'a batch of which every image failed is not told of',
    law: 'events',
    seeds: 400,
    patches: inFile('edge/account/account.ts', [
      'else if (ended) this.#noteEnd(batchId);',
      "else if (ended && ended.status !== 'failed') this.#noteEnd(batchId);",
    ]),
  },
  {
    name: 'an event that the history did not take is forgotten',
    law: 'endpoint',
    seeds: 400,
    patches: inFile('edge/account/webhook-endpoints/events.ts', [
      "    sql.exec('update webhookEvent set dueAtMs = ?', now() + handOverRetryMs);",
      "    sql.exec('delete from webhookEvent where sequence <= ?', last.sequence);",
    ]),
  },
  {
    name: 'a secret that was rolled goes on',
    law: 'keys',
    seeds: 200,
    patches: inFile('edge/account/access/access.ts', [
      ' || (secretEndsAtMs ?? Number.POSITIVE_INFINITY) <= nowMs;',
      ' || (secretEndsAtMs ?? 0) < 0;',
    ]),
  },
];
