/** A tier's process and its files, on a disk that takes nothing any more: /dev/full. */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../local/child.ts';
import { writeAtomically } from '../../local/secrets.ts';

const CHATTY = `for (let i = 0; i < 4_000; i++) require('fs').writeSync(1, 'a line of a thousand characters'.padEnd(1_000, '.') + '\\n');`;

const startChatty = (logFile: string) =>
  startChild({
    name: 'chatty',
    command: process.execPath,
    args: ['-e', CHATTY],
    env: {},
    cwd: tmpdir(),
    logFile,
  });

describe.skipIf(process.platform !== 'linux')('a tier whose log cannot be written', () => {
  it('runs on and ends as it would: neither it nor the launcher waits for the disk, or dies of it', async () => {
    expect(await startChatty('/dev/full').exited).toBe(0);
  });
});

describe('a tier whose log can be written', () => {
  it('has every line there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'packshot-child-'));
    const file = join(folder, 'chatty.log');
    const child = startChatty(file);
    expect(await child.exited).toBe(0);
    await expect.poll(async () => (await readFile(file, 'utf8')).split('\n').length).toBe(4_001);
    await rm(folder, { recursive: true });
  });
});

describe('a file that is written as a whole', () => {
  it('leaves no draft where it cannot take its place', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'packshot-write-'));
    // A folder that is not empty is replaced by no file.
    await mkdir(join(folder, 'pids.json', 'inside'), { recursive: true });
    await expect(writeAtomically(join(folder, 'pids.json'), 'text')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['pids.json']);
    await rm(folder, { recursive: true });
  });

  it('is one of those written at once, and leaves no draft', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'packshot-write-'));
    const file = join(folder, 'pids.json');
    const texts = Array.from({ length: 20 }, (_, i) => `[${i}]`.repeat(1_000));
    await Promise.all(texts.map((text) => writeAtomically(file, text)));
    expect(texts).toContain(await readFile(file, 'utf8'));
    expect(await readdir(folder)).toEqual(['pids.json']);
    await rm(folder, { recursive: true });
  });
});
