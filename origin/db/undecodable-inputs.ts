/** Files that killed their decoder, known to the whole fleet for a while. By the SHA-256 of their bytes, lower-case hex. */
import type { Database } from './database.ts';

export type UndecodableInputs = {
  has(sha256: string): Promise<boolean>;
  remember(sha256: string): Promise<void>;
  /** Removes at most `rowsMax` whose time is over; gives their number. */
  sweep(rowsMax: number): Promise<number>;
};

const HAS = 'select 1 from undecodable_inputs where sha256 = $1 and until > clock_timestamp()';
const REMEMBER = `
insert into undecodable_inputs (sha256, until) values ($1, clock_timestamp() + $2 * interval '1 ms')
on conflict (sha256) do update set until = greatest(undecodable_inputs.until, excluded.until)`;
const SWEEP = `
delete from undecodable_inputs
 where sha256 in (
   select sha256 from undecodable_inputs where until <= clock_timestamp() order by until limit $1 for update skip locked)
returning sha256`;

/** Every operation is safe to repeat. */
export const createUndecodableInputs = (database: Database, rememberedMs: number): UndecodableInputs => ({
  has: async (sha256) => (await database.query(HAS, [sha256])).length > 0,
  remember: async (sha256) => void (await database.query(REMEMBER, [sha256, rememberedMs])),
  sweep: async (rowsMax) => (await database.query(SWEEP, [rowsMax])).length,
});
