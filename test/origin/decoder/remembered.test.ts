import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUndecodableInputs } from '../../../origin/db/undecodable-inputs.ts';
import { rememberUndecodable } from '../../../origin/decoder/remembered.ts';
import type { Photo } from '../../../origin/pipeline/main-image.ts';
import { type ErrorCode, failure } from '../../../shared/errors.ts';
import { fail, ok } from '../../../shared/result.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const KEPT_MS = 60_000;
const photo: Photo = { rgb: { data: new Uint8Array(3), width: 1, height: 1 }, alpha: undefined };
/** One node: how often its decoder was asked, and what it answers for each first byte. */
const node = (answers: Record<number, ErrorCode>, keptMs = KEPT_MS) => {
  const asked: number[] = [];
  const inputs = createUndecodableInputs(db.database, keptMs);
  const decode = rememberUndecodable(async (bytes) => {
    asked.push(bytes[0] ?? 0);
    const code = answers[bytes[0] ?? 0];
    return code ? fail(failure(code)) : ok(photo);
  }, inputs);
  const codeOf = async (...bytes: number[]) => {
    const result = await decode(Uint8Array.from(bytes));
    return result.ok ? 'ok' : result.failure.code;
  };
  return { asked, inputs, codeOf };
};

describe('a file that killed its decoder', () => {
  it('is refused at once from then on, by every node', async () => {
    const [first, second] = [node({ 1: 'undecodable_image' }), node({ 1: 'undecodable_image' })];
    expect(await first.codeOf(1, 2, 3)).toBe('undecodable_image');
    expect(await first.codeOf(1, 2, 3)).toBe('undecodable_image');
    expect(await second.codeOf(1, 2, 3)).toBe('undecodable_image');
    expect([first.asked, second.asked]).toEqual([[1], []]);
  });

  it('says nothing about any other file', async () => {
    const one = node({ 4: 'undecodable_image', 5: 'unreadable_image' });
    expect(await one.codeOf(4)).toBe('undecodable_image');
    expect(await one.codeOf(4, 4)).toBe('undecodable_image');
    expect(await one.codeOf(5)).toBe('unreadable_image');
    expect(await one.codeOf(5)).toBe('unreadable_image');
    expect(await one.codeOf(6)).toBe('ok');
    expect(one.asked).toEqual([4, 4, 5, 5, 6]);
  });

  it('is tried again once its time is over, and swept away then', async () => {
    const one = node({ 7: 'undecodable_image' }, 1);
    expect(await one.codeOf(7)).toBe('undecodable_image');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await one.codeOf(7)).toBe('undecodable_image');
    expect(one.asked).toEqual([7, 7]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await one.inputs.sweep(10)).toBe(1);
    expect(await one.inputs.sweep(10)).toBe(0);
  });
});
