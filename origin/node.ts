/** Puts a node together from its configuration, and takes it apart again. */

import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import sharp from 'sharp';
import type { LedgerExport } from '../shared/ledger-export.ts';
import { limits } from '../shared/limits.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { type EmbeddedDatabase, startEmbedded } from './db/embedded.ts';
import { createJournal } from './db/journal.ts';
import { migrate } from './db/migrate.ts';
import { storeLedgerExport } from './db/store-ledger-export.ts';
import { createServer } from './http/server.ts';
import { type Engine, startEngine } from './inference/engine.ts';
import { createAdmission } from './jobs/admission.ts';
import { createLeases } from './jobs/leases.ts';
import { createPixelBudget } from './jobs/pixel-budget.ts';
import type { JobEvents } from './jobs/run-job.ts';
import { createJobService } from './jobs/serve-job.ts';
import { describeError, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createPipelinePool } from './pool/pool.ts';
import { fetchInput } from './storage/fetch-input.ts';
import { putOutput } from './storage/put-output.ts';

export type Node = {
  readonly url: string;
  readonly engine: Pick<Engine, 'model' | 'provider' | 'pids'>;
  /** Finishes what runs, sends the rest elsewhere, closes everything. */
  stop(): Promise<void>;
};

const now = (): number => performance.now();

/** The database and its embedded server, if it has one. */
const startDatabase = async (
  config: Config,
  log: Log,
  onDeath: (error: Error) => void,
): Promise<{ database: Database; embedded: EmbeddedDatabase | undefined }> => {
  const embedded = config.databaseUrl === undefined ? await startEmbedded(config.dataDir, onDeath) : undefined;
  const connection = embedded?.connection ?? { connectionString: config.databaseUrl };
  const database = openDatabase(connection, embedded?.poolMax ?? config.databasePool, (error) =>
    log.warn({ error: describeError(error) }, 'a database connection broke'),
  );
  const applied = await migrate(database);
  log.info({ embedded: embedded !== undefined, migrations: applied }, 'database ready');
  return { database, embedded };
};

const startInference = (config: Config, log: Log, metrics: () => Metrics | undefined): Promise<Engine> =>
  startEngine(
    { model: config.model, providers: config.providers, devices: config.devices, threads: config.modelThreads },
    {
      onNote: (note, fields) => log.info(fields, note),
      onBatch: (size) => metrics()?.batchSizes.observe(size),
      onDeviceDeath: (device, detail) => {
        metrics()?.deviceDeaths.inc({ device });
        log.error({ device, detail }, 'a device process died');
      },
    },
  );

/** Pixels of an encoded image by its header alone. */
const measurePixels = async (bytes: Uint8Array): Promise<number | undefined> => {
  const header = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  return header && header.width * header.height;
};

const jobEvents = (log: Log, metrics: Metrics): JobEvents => ({
  claimed: (job, fence, waitMs) => {
    metrics.wait.observe({ priority: job.priority }, waitMs / 1000);
    log.info({ fence: fence.toString(), wait_ms: Math.round(waitMs) }, 'job claimed');
  },
  finished: (job, fence, outcome, kept) => {
    if (kept || outcome.status === 'failed') metrics.outcome(outcome, job.priority);
    if (!kept && outcome.status === 'completed') metrics.leasesLost.inc();
    const told =
      outcome.status === 'completed'
        ? { ms: Math.round(outcome.processing_ms), stages_ms: rounded(outcome.stages_ms) }
        : { code: outcome.code, detail: outcome.detail };
    log.info({ fence: fence.toString(), outcome: outcome.status, kept, ...told }, 'job finished');
  },
});
const rounded = (stages: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(stages).map(([name, ms]) => [name, Math.round(ms)]));

/**
 * Resolves once the node can take jobs. `onDeath` is told when it can no longer work, so that its process can end.
 * Throws what kept it from starting.
 */
export const startNode = async (config: Config, log: Log, onDeath: (error: Error) => void): Promise<Node> => {
  let metrics: Metrics | undefined;
  const [{ database, embedded }, engine] = await Promise.all([
    startDatabase(config, log, onDeath),
    startInference(config, log, () => metrics),
  ]);
  const onFault = (place: string, error: unknown): void => {
    metrics?.faults.inc({ place });
    log.error({ place, error: describeError(error) }, 'fault');
  };
  const journal = createJournal(database, config.nodeId, config.leaseMs);
  const leases = createLeases(journal, config.leaseMs, now, (error) => onFault('leases', error));
  const pool = createPipelinePool(config.pipelines, engine.submit, (error) => onFault('pipeline', error));
  const admission = createAdmission({
    places: config.pipelines + limits.origin.jobsAroundPipelines,
    queueMax: config.queueJobs,
    now,
  });
  const pixels = createPixelBudget(limits.origin.pixelsInFlightMax, measurePixels);
  const jobs = createJobService(
    {
      fetchInput,
      putOutput,
      runPipeline: pool.run,
      pixels,
      model: engine.model,
      provider: engine.provider,
      now,
      journal,
      admission,
      leases,
    },
    Date.now,
  );
  const measured = createMetrics(
    { node: config.nodeId, provider: engine.provider, model: engine.model },
    {
      queued: admission.queued,
      running: admission.running,
      leases: leases.held,
      waitingForModel: engine.waiting,
      devicePids: engine.pids,
      deviceReady: engine.ready,
      database: database.stats,
    },
  );
  metrics = measured;

  let stopping = false;
  const readiness = async () => {
    const databaseReady = await database.query('select 1').then(
      () => true,
      () => false,
    );
    const ready = !stopping && databaseReady && engine.ready();
    return {
      ready,
      node: config.nodeId,
      provider: engine.provider,
      model: engine.model,
      database: databaseReady,
      inference: engine.ready(),
      draining: stopping,
    };
  };
  const app = createServer({
    secrets: config.serviceSecrets,
    log,
    serveJob: (job, gone, jobLog) => jobs.serve(job, gone, jobEvents(jobLog, measured)),
    storeLedgerExport: async (sent: LedgerExport) => {
      const stored = await storeLedgerExport(database, sent);
      if (stored.conflicting.length > 0) log.error({ ids: stored.conflicting }, 'exported rows came back changed');
      return stored;
    },
    readiness,
    metrics: async () => ({ contentType: measured.registry.contentType, text: await measured.registry.metrics() }),
    onRefused: (cause) => measured.refused.inc({ code: cause.code }),
    onFault,
  });
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;

  const sweeping = setInterval(() => {
    void journal.sweep(limits.origin.outcomeKeptMs).then(
      (rows) => measured.swept.inc(rows),
      (error: unknown) => onFault('sweep', error),
    );
  }, limits.origin.sweepEveryMs);

  return {
    url: `http://${config.host}:${port}`,
    engine,
    stop: async () => {
      stopping = true;
      clearInterval(sweeping);
      await jobs.drain(limits.origin.drainMsMax);
      const closed = new Promise((resolve) => server.close(resolve));
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      await closed;
      leases.stop();
      await pool.close();
      await engine.close();
      await database.close();
      await embedded?.close();
    },
  };
};
