/**
 * The edge's client of a fleet: which node is asked, and when the next one is. Nodes are scripted; time jumps
 * from one timer to the next.
 */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { originClient } from '../../../edge/origin/client.ts';
import { createNodeHealth } from '../../../edge/origin/node-health.ts';
import { type JobRequest, jobRequestSchema, type Outcome } from '../../../shared/job.ts';
import { resolveOptions } from '../../../shared/options.ts';
import { signingKey } from '../../support/service-keys.ts';
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts';

const trace = { requestId: 'req_1', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
const outcome: Outcome = { status: 'failed', code: 'no_product_found', detail: 'nothing there', retryable: false };
const answer = JSON.stringify({ outcome });

type Node = (init: RequestInit, clock: VirtualClock) => Promise<Response>;
const healthy: Node = async () => new Response(answer);
const refusing: Node = async () => Promise.reject(new TypeError('Network connection lost.'));
const silent: Node = () => new Promise(() => undefined);
const busy =
  (seconds: number): Node =>
  async () =>
    new Response('{}', { status: 503, headers: { 'retry-after': String(seconds) } });
const status =
  (code: number): Node =>
  async () =>
    new Response('gone', { status: code });

/**
 * Sends `parts`, each after its wait in ms, then ends; `null` ends the connection in place of a part,
 * `undefined` sends nothing more, ever.
 */
const streaming =
  (...parts: readonly (readonly [number, string | null | undefined])[]): Node =>
  async (_init, clock) => {
    const rest = [...parts];
    return new Response(
      new ReadableStream({
        async pull(controller) {
          const next = rest.shift();
          if (!next) return controller.close();
          if (next[0] > 0) await clock.wait(next[0]);
          if (next[1] === null) controller.error(new Error('Network connection lost.'));
          else if (next[1] === undefined) await new Promise(() => undefined);
          else controller.enqueue(new TextEncoder().encode(next[1]));
        },
      }),
    );
  };

/** Nodes are asked in the order in which they are given as long as none is in cooldown. */
const fleet = (
  nodes: Record<string, Node>,
  checkers: Record<string, Node> = nodes,
  access?: { clientId: string; clientSecret: string },
) => {
  const asked: { node: string; job: JobRequest }[] = [];
  const checks: string[] = [];
  const urls = Object.keys(nodes).map((name) => `https://${name}.example`);
  const clock = virtualClock();
  let draws = 0;
  const client = originClient(
    { urls, signingKey, access },
    {
      clock,
      random: () => (draws++ % 100) / 100,
      log: () => undefined,
      fetch: async (url, init) => {
        const node = new URL(url).hostname.replace('.example', '');
        if (url.endsWith('/v1/checks')) {
          checks.push(node);
          return (checkers[node] as Node)(init, clock);
        }
        asked.push({ node, job: jobRequestSchema.parse(JSON.parse(String(init.body))) });
        return (nodes[node] as Node)(init, clock);
      },
    },
  );
  const options = resolveOptions({});
  if (!options.ok) throw new Error('the default options must resolve');
  const start = (deadlineMs = 60_000) =>
    client.run(
      {
        job_id: 'img_1',
        account_id: 'acc_1',
        input_url: 'https://s3.example/in',
        outputs: { clean: 'https://s3.example/out', preview: 'https://s3.example/preview' },
        options: options.value,
        watermark: false,
        priority: 'interactive',
        deadline_at: clock.nowMs() + deadlineMs,
      },
      trace,
    );
  const check = () =>
    clock.run(
      client.check(
        {
          check_id: 'chk_1',
          account_id: 'acc_1',
          input_url: 'https://s3.example/in',
          options: options.value,
          deadline_at: clock.nowMs() + 30_000,
        },
        trace,
      ),
    );
  const run = (deadlineMs?: number) => clock.run(start(deadlineMs));
  const runTwo = () => clock.run(Promise.all([start(), start()]));
  return {
    run,
    runTwo,
    check,
    nodesChecked: () => checks,
    nodesAsked: () => asked.map(({ node }) => node),
    jobsAsked: () => asked.map(({ job }) => job.job_id),
  };
};

describe('a call of a node', () => {
  it('carries the service token of Cloudflare Access where one is configured, and else none', async () => {
    const sent: Headers[] = [];
    const noting: Node = async ({ headers }) => {
      sent.push(new Headers(headers as HeadersInit));
      return new Response(answer);
    };
    await fleet({ a: noting }, {}, { clientId: 'id.access', clientSecret: 'secret' }).run();
    await fleet({ a: noting }).run();
    expect(sent.map((headers) => [headers.get('cf-access-client-id'), headers.get('cf-access-client-secret')])).toEqual(
      [
        ['id.access', 'secret'],
        [null, null],
      ],
    );
  });
});

describe('a check', () => {
  const report = {
    width: 10,
    height: 10,
    product_box: null,
    matte_confidence: 0,
    findings: [],
    processing_ms: 1,
  };
  const checking: Node = async () => Response.json({ check: report });

  it('is offered to the next node where one cannot take it, and its answer is what the node said', async () => {
    const nodes = fleet({ a: healthy, b: healthy }, { a: busy(7), b: checking });
    expect(await nodes.check()).toEqual({ kind: 'outcome', outcome: { check: report } });
    expect(nodes.nodesChecked()).toEqual(['a', 'b']);
  });

  it('that a node refused after a while is busy or failed, as a job is', async () => {
    const refused = { code: 'origin_busy', detail: '', retry_after_seconds: 2 };
    const later = fleet({ a: healthy }, { a: streaming([1_000, ' '], [2_000, JSON.stringify({ refused })]) });
    expect(await later.check()).toEqual({ kind: 'busy', retryAfterMs: 2_000 });
    const broken = fleet(
      { a: healthy },
      { a: async () => Response.json({ refused: { code: 'internal_error', detail: '' } }) },
    );
    expect(await broken.check()).toEqual({ kind: 'failed' });
  });

  it.each<[string, Node]>([
    ['a node is busy with checks', busy(60)],
    ['a node of the version before knows no checks', status(404)],
    ['a node answers something else', async () => Response.json({ outcome })],
  ])('keeps no paid job from a node: where %s, the node is still asked first', async (_case, checker) => {
    const nodes = fleet({ a: healthy, b: healthy }, { a: checker, b: checker });
    await nodes.check();
    await nodes.run();
    expect(nodes.nodesAsked()).toEqual(['a']);
  });

  it('that finds a node dead spares the next job the wait', async () => {
    const nodes = fleet({ a: refusing, b: healthy }, { a: refusing, b: checking });
    await nodes.check();
    await nodes.run();
    expect(nodes.nodesAsked()).toEqual(['b']);
  });
});

describe('a job is offered to the next node, under the same id,', () => {
  it.each<[string, Node]>([
    ['where the first cannot be reached', refusing],
    ['where the first sends nothing', silent],
    ['where a proxy says that the first is not there', status(530)],
    ['where the first is busy', busy(7)],
    ['where the first does not know our secret', status(401)],
    ['where another server answers', async () => new Response('<h1>Welcome</h1>')],
    [
      'where the first says, after a while, that it is going away',
      streaming([1_000, ' '], [2_000, '{"refused":{"code":"not_ready","detail":"","retry_after_seconds":2}}']),
    ],
    ['where the first breaks off', streaming([1_000, ' '], [500, null])],
    ['where the first falls silent', streaming([1_000, ' '], [0, undefined])],
    ['where the first answers without end', streaming([0, 'x'.repeat(edgeLimits.origin.answerBytesMax)], [0, 'x'])],
  ])('%s', async (_name, first) => {
    const { run, nodesAsked, jobsAsked } = fleet({ a: first, b: healthy });
    expect(await run()).toEqual({ kind: 'outcome', outcome });
    expect(nodesAsked()).toEqual(['a', 'b']);
    expect(jobsAsked()).toEqual(['img_1', 'img_1']);
    expect(await run()).toEqual({ kind: 'outcome', outcome });
    expect(nodesAsked()).toEqual(['a', 'b', 'b']);
  });
});

describe('a job', () => {
  it('that takes long stays with a node that keeps sending', async () => {
    const { run, nodesAsked } = fleet({
      a: streaming([4_000, ' '], [9_000, ' '], [9_000, ' '], [9_000, answer]),
      b: healthy,
    });
    expect(await run()).toEqual({ kind: 'outcome', outcome });
    expect(nodesAsked()).toEqual(['a']);
  });

  it('whose time is over is no evidence against its node', async () => {
    const { run, nodesAsked } = fleet({ a: streaming([1_000, ' '], [9_000, ' '], [9_000, answer]), b: healthy });
    expect(await run(8_000)).toEqual({ kind: 'unreachable' });
    expect(nodesAsked()).toEqual(['a']);
  });

  it('that no node can take comes back when the first of them asks it to', async () => {
    const { run, nodesAsked } = fleet({ a: busy(9), b: busy(3), c: refusing });
    expect(await run()).toEqual({ kind: 'busy', retryAfterMs: 3_000 });
    expect(nodesAsked()).toEqual(['a', 'b', 'c']);
  });

  it('is offered to a bounded number of nodes', async () => {
    const { run, nodesAsked } = fleet(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}`, refusing])));
    expect(await run()).toEqual({ kind: 'unreachable' });
    expect(nodesAsked()).toHaveLength(edgeLimits.origin.nodesAskedMax);
  });

  it.each<[string, Node]>([
    ['at once', status(500)],
    [
      'after its headers',
      streaming([1_000, ' '], [1_000, '{"refused":{"code":"internal_error","detail":"unexpected"}}']),
    ],
  ])('at which a node fails %s is not tried on every other', async (_name, first) => {
    const { run, nodesAsked } = fleet({ a: first, b: healthy });
    expect(await run()).toEqual({ kind: 'failed' });
    expect(nodesAsked()).toEqual(['a']);
  });
});

describe('an unhealthy node', () => {
  const { cooldownMsBase, cooldownMsCap, headersMsMax } = edgeLimits.origin;
  const healthAt = () => {
    let now = 1_000_000;
    const health = createNodeHealth(
      ['a', 'b'],
      () => now,
      () => 0,
    );
    const wait = (ms: number): void => {
      now += ms;
    };
    return { health, wait };
  };

  it('is asked last until its cooldown is over, then by one call alone', () => {
    const { health, wait } = healthAt();
    health.asking('a');
    health.unhealthy('a');
    expect(health.order()).toEqual(['b', 'a']);
    wait(cooldownMsBase);
    expect(health.order()).toEqual(['a', 'b']);
    health.asking('a');
    expect(health.order()).toEqual(['b', 'a']);
    health.answered('a');
    expect(health.order()).toEqual(['a', 'b']);
  });

  it('has twice the cooldown after each half-open call that fails, up to a bound', () => {
    const { health, wait } = healthAt();
    health.unhealthy('a');
    wait(cooldownMsBase);
    health.asking('a');
    health.unhealthy('a');
    wait(2 * cooldownMsBase - 1);
    expect(health.order()).toEqual(['b', 'a']);
    wait(1);
    expect(health.order()).toEqual(['a', 'b']);
    for (let i = 0; i < 20; i++) {
      health.asking('a');
      health.unhealthy('a');
      wait(cooldownMsCap);
    }
    expect(health.order()).toEqual(['a', 'b']);
  });

  it('fails once, however many calls were waiting for it', () => {
    const { health, wait } = healthAt();
    for (let i = 0; i < 20; i++) health.unhealthy('a');
    wait(cooldownMsBase);
    expect(health.order()).toEqual(['a', 'b']);
  });

  it('whose half-open call never ended is tried again', () => {
    const { health, wait } = healthAt();
    health.unhealthy('a');
    wait(cooldownMsBase);
    health.asking('a');
    wait(headersMsMax);
    expect(health.order()).toEqual(['a', 'b']);
  });
});

describe('a call that got no headers', () => {
  it('does not make a node unhealthy that answered another call meanwhile', async () => {
    let calls = 0;
    const firstIsHeldBack: Node = (init, clock) => (calls++ === 0 ? silent(init, clock) : healthy(init, clock));
    const { run, runTwo, nodesAsked } = fleet({ a: firstIsHeldBack, b: healthy });
    const [heldBack, other] = await runTwo();
    expect([heldBack, other]).toEqual([
      { kind: 'outcome', outcome },
      { kind: 'outcome', outcome },
    ]);
    expect(nodesAsked()).toEqual(['a', 'a', 'b']);
    await run();
    expect(nodesAsked()).toEqual(['a', 'a', 'b', 'a']);
  });
});
