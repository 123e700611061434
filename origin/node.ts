/** Puts a node together from its configuration, and takes it apart again. */
import { systemClock } from '../shared/clock.ts';
import { monotonicClock as clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { eraseJobs } from './db/erase-jobs.ts';
import { createJobStore, type JobStore } from './db/job-store.ts';
import { openNodeDatabase } from './db/open.ts';
import { readLedgerArchive } from './db/read-ledger-archive.ts';
import { storeLedgerExport } from './db/store-ledger-export.ts';
import { createUndecodableInputs, type UndecodableInputs } from './db/undecodable-inputs.ts';
import { createDecoder, type Decoder } from './decoder/decoder.ts';
import { withoutNetwork } from './decoder/isolation.ts';
import { rememberUndecodable } from './decoder/remembered.ts';
import { listen } from './http/listen.ts';
import { createManagement, type Readiness } from './http/management.ts';
import { createServer } from './http/server.ts';
import { serviceTokenVerifier } from './http/service-token.ts';
import { type Engine, startEngine } from './inference/engine.ts';
import { reportJob } from './job-report.ts';
import { createAdmission } from './jobs/admission.ts';
import { createCheckService } from './jobs/check.ts';
import { createLeases } from './jobs/leases.ts';
import { createPixelBudget } from './jobs/pixel-budget.ts';
import { createQuickLookService } from './jobs/quick-look.ts';
import { createJobService } from './jobs/serve.ts';
import { originLimits } from './limits.ts';
import { describeError, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { requireHeicPackage } from './pipeline/heic-package.ts';
import { pixelsBy } from './pipeline/pixels.ts';
import { createCheckPool } from './pool/check-pool.ts';
import { createPipelinePool } from './pool/pool.ts';
import { storageUrlCheck } from './storage/allowed.ts';
import { fetchInput } from './storage/fetch-input.ts';
import { putOutput } from './storage/put-output.ts';

export type Node = {
  readonly url: string;
  readonly managementUrl: string;
  readonly engine: Pick<Engine, 'model' | 'provider' | 'pids'>;
  /** Finishes what runs, sends the rest to other nodes, closes everything. */
  stop(): Promise<void>;
};
type OnFault = (place: string, error: unknown) => void;

const { jobsAroundPipelines, pixelsInFlightMax, drainMsMax, sweepEveryMs, sweepRowsMax, outcomeKeptMs } =
  originLimits.jobs;
const { pipelinesPerProcess } = originLimits.decoder;

/**
 * Resolves once the node can take jobs. `onDeath` is called when it can no longer work, so that its process can end.
 * Throws what kept it from starting.
 */
export const startNode = async (config: Config, log: Log, onDeath: (error: Error) => void): Promise<Node> => {
  let metrics: Metrics | undefined;
  const onFault: OnFault = (place, error) => {
    metrics?.faults.inc({ place });
    log.error({ place, error: describeError(error) }, 'fault');
  };
  if (config.takesHeic) requireHeicPackage();
  const [database, engine] = await Promise.all([
    openNodeDatabase(config, databaseEvents(log, onDeath)),
    startEngine(
      { model: config.model, providers: config.providers, devices: config.devices, threads: config.modelThreads },
      engineEvents(log, () => metrics),
    ),
  ]);
  const jobStore = createJobStore(database, config.nodeId, config.leaseMs);
  const undecodable = createUndecodableInputs(database, originLimits.decoder.rememberedMs);
  const isolation = withoutNetwork();
  log.info({ network: isolation.length === 0 ? 'not taken away: the system does not allow it' : 'none' }, 'decoder');
  const decoder = createDecoder(
    Math.ceil(config.pipelines / pipelinesPerProcess),
    { isolation, takesHeic: config.takesHeic },
    {
      onDeath: (detail) => onFault('decoder', new Error(detail)),
    },
  );
  const work = createWork(config, jobStore, { engine, decoder, undecodable }, onFault);
  const measured = createMetrics(
    { node: config.nodeId, provider: engine.provider, model: engine.model },
    {
      queued: work.admission.queued,
      running: work.admission.running,
      leases: work.leases.held,
      waitingForModel: engine.waiting,
      devicePids: engine.pids,
      decoderPids: decoder.pids,
      deviceReady: engine.ready,
      database: database.stats,
    },
  );
  metrics = measured;
  let draining = false;
  const app = createServer({
    verifyToken: serviceTokenVerifier(config.serviceKeys, systemClock.nowMs),
    isStorageUrl: storageUrlCheck(config.storageUrls),
    log,
    serveJob: (job, callerSignal, jobLog) => work.jobs.serve(job, callerSignal, reportJob(jobLog, measured)),
    serveCheck: async (check, callerSignal) => {
      const answered = await work.checks.serve(check, callerSignal);
      if (answered.ok) measured.checks.inc({ code: 'failed' in answered.value ? answered.value.failed.code : 'ok' });
      return answered;
    },
    serveQuickLook: async (request, callerSignal) => {
      const answered = await work.quickLooks.serve(request, callerSignal);
      if (answered.ok)
        measured.quickLooks.inc({ code: 'failed' in answered.value ? answered.value.failed.code : 'ok' });
      return answered;
    },
    storeLedgerExport: async (sent) => {
      const stored = await storeLedgerExport(database, sent);
      if (stored.conflicting.length > 0) log.error({ ids: stored.conflicting }, 'exported rows came back changed');
      measured.ledgerConflicts.inc(stored.conflicting.length);
      return stored;
    },
    readLedgerArchive: (request) => readLedgerArchive(database, request),
    eraseJobs: (request) => eraseJobs(database, request),
    onRefused: ({ code }) => measured.refused.inc({ code }),
    onFault,
  });
  const management = createManagement({
    readiness: () => readinessOf(config.nodeId, database, engine, draining, log),
    metrics: async () => ({ contentType: measured.registry.contentType, text: await measured.registry.metrics() }),
    onFault,
  });
  const managing = await listen(management, config.managementHost, config.managementPort);
  const listening = await listen(app, config.host, config.port);
  const sweeping = setInterval(() => void sweep(jobStore, undecodable, measured, onFault), sweepEveryMs);
  return {
    url: listening.url,
    managementUrl: managing.url,
    engine,
    stop: async () => {
      draining = true;
      clearInterval(sweeping);
      work.checks.stop();
      work.quickLooks.stop();
      await work.jobs.drain(drainMsMax);
      await listening.close();
      await managing.close();
      await work.close();
      await decoder.close();
      await engine.close();
      await database.close();
    },
  };
};

/** Everything a job passes through between the route and the database. */
const createWork = (
  config: Config,
  jobStore: JobStore,
  { engine, decoder, undecodable }: { engine: Engine; decoder: Decoder; undecodable: UndecodableInputs },
  onFault: OnFault,
) => {
  const leases = createLeases(jobStore, {
    leaseMs: config.leaseMs,
    clock,
    onFault: (error) => onFault('leases', error),
  });
  const decode = rememberUndecodable(decoder.decode, undecodable);
  const decodeMatte = rememberUndecodable(decoder.decodeMatte, undecodable);
  const pool = createPipelinePool(config.pipelines, { decode, decodeMatte }, engine.submit, (error) =>
    onFault('pipeline', error),
  );
  const admission = createAdmission({
    slots: config.pipelines + jobsAroundPipelines,
    queueMax: config.queueJobs,
    clock,
  });
  const pixels = createPixelBudget(pixelsInFlightMax, pixelsBy(decoder.measure));
  const checkPool = createCheckPool(decode, engine.submit, (error) => onFault('check', error));
  const freeWork = {
    pool: checkPool,
    pixels,
    admission: createAdmission({ slots: 1, queueMax: originLimits.checks.queueMax, clock }),
    clock,
  };
  const checks = createCheckService({ ...freeWork, fetchInput }, systemClock);
  const quickLooks = createQuickLookService({ ...freeWork, measure: decoder.measure }, systemClock);
  const jobs = createJobService(
    {
      fetchInput,
      putOutput,
      runPipeline: pool.run,
      pixels,
      model: engine.model,
      provider: engine.provider,
      clock,
      jobStore,
      admission,
      leases,
    },
    systemClock,
  );
  const close = async (): Promise<void> => {
    leases.stop();
    await Promise.all([pool.close(), checkPool.close()]);
  };
  return { admission, leases, jobs, checks, quickLooks, close };
};

const readinessOf = async (
  node: string,
  database: Database,
  { provider, model, ready }: Engine,
  draining: boolean,
  log: Log,
): Promise<Readiness> => {
  const [databaseReady, inference] = [await answers(database, log), ready()];
  return {
    ready: !draining && databaseReady && inference,
    node,
    provider,
    model,
    database: databaseReady,
    inference,
    draining,
  };
};

const answers = async (database: Database, log: Log): Promise<boolean> => {
  try {
    await database.query('select 1');
    return true;
  } catch (error) {
    log.warn({ error: describeError(error) }, 'the database does not answer');
    return false;
  }
};

const sweep = async (
  jobStore: JobStore,
  undecodable: UndecodableInputs,
  metrics: Metrics,
  onFault: OnFault,
): Promise<void> => {
  try {
    metrics.swept.inc(await jobStore.sweep(outcomeKeptMs));
    await undecodable.sweep(sweepRowsMax);
  } catch (error) {
    onFault('sweep', error);
  }
};

const databaseEvents = (log: Log, onDeath: (error: Error) => void): Parameters<typeof openNodeDatabase>[1] => ({
  onDeath,
  onBrokenConnection: (error) => log.warn({ error: describeError(error) }, 'a database connection broke'),
  onReady: (facts) => log.info(facts, 'database ready'),
});

const engineEvents = (log: Log, metrics: () => Metrics | undefined): Parameters<typeof startEngine>[1] => ({
  onNote: (note, fields) => log.info(fields, note),
  onBatch: (size) => metrics()?.batchSizes.observe(size),
  onDeviceDeath: (device, detail) => {
    metrics()?.deviceDeaths.inc({ device });
    log.error({ device, detail }, 'a device process died');
  },
});
