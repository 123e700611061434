/** What can go wrong, as probabilities per opportunity. All are zero once the world has calmed down. */
export type Faults = {
  /** A call to an object that never arrives. */
  requestLost: number;
  /** A call whose effect happened and whose answer is lost. */
  replyLost: number;
  /** An object that takes no more calls: `.overloaded`, nothing happened. */
  overloaded: number;
  /** An object loses its memory around a call: before it, in it, or when its writes are committed. */
  objectReset: number;
  /** A commit fails: the object is reset and everything since its last await is as if it had never been. */
  commitFails: number;
  /** An idle object is put away between two calls. */
  evicted: number;
  slow: number;
  alarmLate: number;
  alarmTwice: number;
  alarmLost: number;
  messageLost: number;
  messageDoubled: number;
  messageLate: number;
  consumerDies: number;
  storeFails: number;
  storeReplyLost: number;
  /** Answers of servers outside: origin, name servers, input hosts, webhook receivers. */
  fetchFails: number;
  fetchReplyLost: number;
  originBusy: number;
  originDies: number;
  /** Origin says completed and has stored nothing, or other files of the same length. */
  originClaims: number;
  isolateDies: number;
  clientLeaves: number;
  bodyBreaks: number;
  bodyStalls: number;
  answerLost: number;
  diskFull: number;
};

export const faultNames: readonly (keyof Faults)[] = [
  'requestLost',
  'replyLost',
  'overloaded',
  'objectReset',
  'commitFails',
  'evicted',
  'slow',
  'alarmLate',
  'alarmTwice',
  'alarmLost',
  'messageLost',
  'messageDoubled',
  'messageLate',
  'consumerDies',
  'storeFails',
  'storeReplyLost',
  'fetchFails',
  'fetchReplyLost',
  'originBusy',
  'originDies',
  'originClaims',
  'isolateDies',
  'clientLeaves',
  'bodyBreaks',
  'bodyStalls',
  'answerLost',
  'diskFull',
];

export const noFaults = (): Faults => Object.fromEntries(faultNames.map((name) => [name, 0])) as Faults;
