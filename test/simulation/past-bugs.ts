/**
 * Defects that a review found in the released code, planted again as they were. The simulation of that time could not
 * see them; this one must. platform/README.md lists those that no simulation sees, with the test that does.
 */
import { inFile, type PlantedBug } from './planted-bugs.ts';

const RELIABLE = 'edge/stores/reliable.ts';
const CLAIM = 'edge/batch/claim.ts';
const RECORD = 'edge/account/idempotency/record.ts';
const LEDGER = 'edge/account/ledger/machine.ts';
const MESSAGE = 'edge/batch/run-message.ts';

const neverAgain = inFile(RELIABLE, [
  'if (attempt + 1 >= triesMax || !mayTryAgain(error)) throw error;',
  'throw error;',
]);

/** A try that takes over goes on under the earlier try's batch id, whether or not that batch is open. */
const sharedBatchId = inFile(
  CLAIM,
  [
    'const batch = await openBatchOf(services, earlierId);',
    'const batch = await services.sagaOf(earlierId).snapshot();',
  ],
  [
    '  const renewed = await recorded(record.owner, idempotency.renewRequest(record));\n',
    "  return { kind: 'fresh', claim: claimOf(services, caller, earlier, false) };\n  const renewed = await recorded(record.owner, idempotency.renewRequest(record));\n",
  ],
);

/** A quota that seeds of a few images reach; alone it breaks no law. */
export const fewTestImages = inFile('shared/limits.ts', ['testImages: { perDay: 200 }', 'testImages: { perDay: 4 }']);

export const pastBugs: readonly PlantedBug[] = [
  {
    name: 'a batch whose opening had no answer is an error without its id',
    law: 'told',
    seeds: 600,
    patches: [
      ...neverAgain,
      ...inFile(
        'edge/batch/open.ts',
        ["      return { result: 'ledger_silent' } as const;", '      throw error;'],
        ["    return { result: 'unknown' };", '    throw error;'],
      ),
    ],
  },
  {
    name: 'an upload of which one record had no answer is an error without its id',
    law: 'told',
    seeds: 200,
    patches: [
      ...neverAgain,
      ...inFile('edge/upload/upload.ts', [
        '    return outcomeUnknownAnswer(batchId, record !== null);',
        '    throw error;',
      ]),
      ...inFile('edge/upload/run-images.ts', [
        "      logEvent('error', 'upload_image_threw'",
        "      throw error;\n      logEvent('error', 'upload_image_threw'",
      ]),
    ],
  },
  {
    name: 'two tries of one key share a batch id and its record',
    law: 'key',
    seeds: 400,
    patches: [
      ...sharedBatchId,
      ...inFile(RECORD, [
        'record.owner === owner && (owner !== null || record.batchId === batchId);',
        'record.batchId === batchId && owner !== undefined;',
      ]),
      ...inFile(CLAIM, ['  renewLater();\n  return () => {', '  return () => {']),
      // Bodies had no least speed either, so that a try could stall for minutes.
      ...inFile(
        'edge/upload/read-parts.ts',
        ['windowMs: edgeLimits.spool.clientWindowMs', 'windowMs: 1e9'],
        ['endsAtMs: clock.nowMs() + edgeLimits.upload.bodyMsMax', 'endsAtMs: clock.nowMs() + 1e9'],
      ),
    ],
  },
  {
    name: 'being told to wait is a failed try',
    law: 'patience',
    seeds: 400,
    patches: inFile(
      MESSAGE,
      ["const because = WAITS.has(tried.failure.code) ? 'wait' : 'failure';", "const because = 'failure';"],
      ['!WAITS.has(last.code) && failures + 1', 'failures + 1'],
    ),
  },
  {
    name: 'test keys make as many images as they like',
    law: 'free',
    seeds: 200,
    patches: [...fewTestImages, ...inFile(LEDGER, ['if (used > limits.testImages.perDay)', 'if (used < 0)'])],
  },
  {
    name: 'an alarm that the platform has dropped is never set again',
    law: 'held',
    seeds: 200,
    patches: inFile(
      'edge/alarm.ts',
      ['if ((await storage.getAlarm()) !== null) return;', 'return;'],
      ['      await arm();\n    },\n    /** With every call', '    },\n    /** With every call'],
    ),
  },
];
