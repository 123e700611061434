import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ensureModel } from '../../../models/ensure.ts';
import { type Device, startDevice } from '../../../origin/inference/device.ts';
import { type EngineEvents, startEngine } from '../../../origin/inference/engine.ts';
import type { SessionSettings } from '../../../origin/inference/session.ts';
import { faceFrames, faceSquares, facesIn } from '../../../shared/imaging/findings/faces.ts';
import type { Size } from '../../../shared/imaging/raster.ts';
import { persons, photoOfPerson } from '../../support/findings/person.ts';
import { childPids, cpuTicks, eventually, isAlive } from '../support/proc.ts';

const SIDE = 512;
const image = { rgb: new Uint8Array(SIDE * SIDE * 3).fill(180), width: SIDE, height: SIDE };
/** Far more work than the device is given time for in the tests that want it stuck. */
const large = { rgb: new Uint8Array(1024 * 1024 * 3).fill(180), width: 1024, height: 1024 };
const quiet: EngineEvents = { onNote: () => undefined, onDeviceDeath: () => undefined, onBatch: () => undefined };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let settings: SessionSettings;
beforeAll(async () => {
  const { path, model } = await ensureModel('isnet-int8');
  settings = {
    modelPath: path,
    input: { ...model.input, side: 256 },
    outputName: model.output.name,
    sessionEntries: {},
    providers: ['cpu'],
    threads: 2,
  };
});

describe('a device process', () => {
  let device: Device;
  const deaths: string[] = [];
  beforeAll(async () => {
    device = await startDevice(settings, 0, { onDeath: (how) => deaths.push(how), onReady: () => undefined });
  });
  afterAll(() => device.close());

  it('answers each image with a matte of its size', async () => {
    const result = await device.run([image]);
    expect(result.ok && result.value.map((matte) => matte.byteLength)).toEqual([SIDE * SIDE]);
  });

  it('keeps no answer in memory once it was given', async () => {
    const answered = async (): Promise<WeakRef<object>> => {
      const result = await device.run([image]);
      return new WeakRef(result.ok ? (result.value[0]?.buffer as object) : {});
    };
    const first = await answered();
    await answered();
    await new Promise(setImmediate);
    collectGarbage();
    expect(first.deref()).toBeUndefined();
  });

  it('reports what is wrong with a run and goes on', async () => {
    const odd = { rgb: new Uint8Array(100 * 100 * 3), width: 100, height: 100 };
    expect(await device.run([odd])).toMatchObject({ ok: false, failure: { kind: 'refused' } });
    expect((await device.run([image])).ok).toBe(true);
    expect(deaths).toEqual([]);
  });

  it('that dies in the middle of a run is replaced, and the run is reported as crashed', async () => {
    const pid = device.pid() ?? 0;
    const before = await cpuTicks(pid);
    const run = device.run([large]);
    await eventually(async () => (await cpuTicks(pid)) > before + 2, 'the run is under way');
    process.kill(pid, 'SIGKILL');
    expect(await run).toMatchObject({ ok: false, failure: { kind: 'crashed' } });
    expect((await device.run([image])).ok).toBe(true);
    expect(device.pid()).not.toBe(pid);
    expect(deaths).toEqual(['SIGKILL']);
  });
});

describe('the runtime in a device process', () => {
  it("leaves no log, identifier or cache on disk: its maker's telemetry never begins", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'packshot-device-'));
    const names = ['TMPDIR', 'HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME'] as const;
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = folder;
    try {
      const device = await startDevice(settings, 0, { onDeath: () => undefined, onReady: () => undefined });
      expect((await device.run([image])).ok).toBe(true);
      await device.close();
      expect(await readdir(folder, { recursive: true })).toEqual([]);
    } finally {
      for (const [i, name] of names.entries())
        if (before[i] === undefined) delete process.env[name];
        else process.env[name] = before[i];
      await rm(folder, { recursive: true });
    }
  });
});

describe('a run that takes too long', () => {
  it('is killed with its process, and the next run gets a new process', async () => {
    const device = await startDevice(settings, 0, { onDeath: () => undefined, onReady: () => undefined }, 10_000);
    const pid = device.pid() ?? 0;
    process.kill(pid, 'SIGSTOP');
    const stuck = await device.run([image]);
    expect(stuck).toMatchObject({ ok: false, failure: { kind: 'timed_out' } });
    expect(await isAlive(pid)).toBe(false);
    expect((await device.run([image])).ok).toBe(true);
    await device.close();
  });
});

describe('the start-up check', () => {
  it('passes int8 on this processor, or runs fp32 and says so', async () => {
    const notes: Record<string, Record<string, unknown>> = {};
    const engine = await startEngine(
      { model: 'isnet-int8', providers: ['cpu'], devices: [0], threads: 2 },
      { ...quiet, onNote: (note, fields) => (notes[note] = fields) },
    );
    const checked = notes['int8 arithmetic checked'];
    expect(engine.model).toBe(Number(checked?.['mean_error']) <= 4 ? 'isnet-int8' : 'isnet-fp32');
    await engine.close();
  });

  it('falls back to fp32 where int8 arithmetic is wrong', async () => {
    const notes: string[] = [];
    const options = { model: 'isnet-int8', providers: ['cpu'], devices: [0], threads: 2, int8ErrorMax: -1 } as const;
    const engine = await startEngine(options, { ...quiet, onNote: (note) => notes.push(note) });
    expect(engine.model).toBe('isnet-fp32');
    expect(notes.join()).toMatch(/int8 arithmetic is wrong/);
    await engine.close();
  });

  it('ends the start where a provider that was asked for is not in use', async () => {
    for (const provider of ['cuda', 'tensorrt'] as const) {
      await expect(
        startEngine({ model: 'isnet-int8', providers: [provider, 'cpu'], devices: [0], threads: 1 }, quiet),
      ).rejects.toThrow(new RegExp(provider));
    }
  });
});

describe('faces', () => {
  const engineOptions = { model: 'isnet-int8', providers: ['cpu'], devices: [0], threads: 2 } as const;
  const never = new AbortController().signal;
  const squaresOf = async (bytes: Uint8Array) => {
    const { info } = await sharp(bytes).toBuffer({ resolveWithObject: true });
    const frames = faceFrames(info);
    const picture = async (size: Size) => ({
      data: new Uint8Array(
        await sharp(bytes)
          .resize({ ...size, fit: 'fill' })
          .removeAlpha()
          .raw()
          .toBuffer(),
      ),
      ...size,
    });
    const { data, width, height } = faceSquares(await picture(frames.whole), await picture(frames.halves));
    return { image: { rgb: data, width, height, wanted: 'faces' as const }, frames, size: info };
  };

  it('are found by the device process beside its mattes', async () => {
    const engine = await startEngine(engineOptions, quiet);
    const { bytes, face } = await photoOfPerson(persons[0]!);
    const { image: squares, frames, size } = await squaresOf(bytes);
    const found = await engine.submit(squares, 'interactive', never);
    if (!found.ok) throw new Error(found.failure.detail);
    const [first] = facesIn(new Float32Array(found.value.slice().buffer), frames, size);
    expect(Math.abs((first?.box.x ?? 0) - face.x)).toBeLessThan(face.width / 3);
    const matte = await engine.submit(image, 'interactive', never);
    expect(matte.ok && matte.value.byteLength).toBe(SIDE * SIDE);
    await engine.close();
  });

  it('are not looked for where the operator has brought no model for them: the node starts, and says so', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'packshot-models-'));
    for (const name of ['isnet-int8', 'isnet-fp32']) {
      const { path } = await ensureModel(name);
      for (const file of [path, `${path}.stamp`]) await copyFile(file, join(dir, basename(file)));
    }
    vi.stubEnv('MODEL_DIR', dir);
    const notes: string[] = [];
    const engine = await startEngine(engineOptions, { ...quiet, onNote: (note) => notes.push(note) });
    vi.unstubAllEnvs();
    expect(notes).toContain('faces are not looked for');
    const { image: squares } = await squaresOf((await photoOfPerson(persons[0]!)).bytes);
    expect(await engine.submit(squares, 'interactive', never)).toMatchObject({ ok: true, value: { byteLength: 0 } });
    await engine.close();
    await rm(dir, { recursive: true });
  });
});

describe('a node that is killed', () => {
  it('leaves no device process behind', async () => {
    const script = `
      import { startDevice } from ${JSON.stringify(fileURLToPath(new URL('../../../origin/inference/device.ts', import.meta.url)))};
      await startDevice(${JSON.stringify(settings)}, 0, { onDeath() {}, onReady() {} });
      console.log('ready');
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => parent.stdout.once('data', resolve));
    const [child] = await childPids(parent.pid ?? 0);
    expect(await isAlive(child ?? 0)).toBe(true);
    parent.kill('SIGKILL');
    await eventually(async () => !(await isAlive(child ?? 0)), 'the device process ends', 5_000);
  });

  it('leaves none behind even where the device process cannot notice that its socket is closed', async () => {
    // Stopped while its parent dies, the process has only its own check of its parent left when it goes on, as one
    // that is stuck in a run would.
    const script = `
      import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
      const child = spawn(process.execPath, ['--no-warnings', ${JSON.stringify(fileURLToPath(new URL('../../../origin/inference/child.ts', import.meta.url)))}, ${JSON.stringify(JSON.stringify(settings))}], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
      child.stdio[3].once('data', () => console.log('ready'));
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => parent.stdout.once('data', resolve));
    const [child] = await childPids(parent.pid ?? 0);
    process.kill(child ?? 0, 'SIGSTOP');
    parent.kill('SIGKILL');
    await eventually(async () => !(await isAlive(parent.pid ?? 0)), 'the parent ends');
    process.kill(child ?? 0, 'SIGCONT');
    await eventually(async () => !(await isAlive(child ?? 0)), 'the device process ends', 5_000);
  });
});
