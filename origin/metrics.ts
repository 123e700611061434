/** Prometheus metrics of one node. Names and labels are what deploy/grafana and deploy/alerts refer to. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Outcome, Priority } from '../shared/job.ts';
import { usageOf } from './processes/usage.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Read at every scrape. */
export type MetricSources = {
  readonly queued: (priority: Priority) => number;
  readonly running: () => number;
  readonly leases: () => number;
  readonly waitingForModel: () => number;
  readonly devicePids: () => number[];
  readonly decoderPids: () => number[];
  readonly deviceReady: () => boolean;
  readonly database: () => { total: number; idle: number; waiting: number };
};

const residentBytes = (pids: readonly number[]): number =>
  pids.reduce((bytes, pid) => bytes + (usageOf(pid)?.rssBytes ?? 0), 0);

export type Metrics = ReturnType<typeof createMetrics>;

export const createMetrics = (labels: { node: string; provider: string; model: string }, sources: MetricSources) => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[], buckets = SECONDS) =>
    new Histogram<L>({ name, help, labelNames, buckets, registers });

  new Gauge({
    name: 'packshot_node_info',
    help: 'Always 1; its labels say what runs here',
    labelNames: ['node', 'provider', 'model'],
    registers,
  }).set(labels, 1);
  new Gauge({
    name: 'packshot_queue_jobs',
    help: 'Jobs that wait for a slot',
    labelNames: ['priority'],
    registers,
    collect() {
      for (const priority of ['interactive', 'batch'] as const) this.set({ priority }, sources.queued(priority));
    },
  });
  gauge('packshot_running_jobs', 'Jobs being worked on', sources.running);
  gauge('packshot_leases_held', 'Jobs this node holds a lease on', sources.leases);
  gauge('packshot_model_waiting_images', 'Images that wait for a device', sources.waitingForModel);
  gauge('packshot_device_ready', '1 while at least one device process can run the model', () =>
    Number(sources.deviceReady()),
  );
  gauge('packshot_device_resident_bytes', 'Memory of all device processes', () => residentBytes(sources.devicePids()));
  gauge('packshot_decoder_resident_bytes', 'Memory of all decoder processes', () =>
    residentBytes(sources.decoderPids()),
  );
  new Gauge({
    name: 'packshot_database_connections',
    help: 'Connections of the pool',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, value] of Object.entries(sources.database())) this.set({ state }, value);
    },
  });

  const stages = histogram('packshot_stage_seconds', 'Time of each stage of a completed job', ['stage']);
  const outcomes = new Counter({
    name: 'packshot_job_outcomes_total',
    help: 'Outcomes by code; completed ones have the code ok',
    labelNames: ['code', 'priority'],
    registers,
  });
  const jobs = histogram('packshot_job_seconds', "From a job's arrival to its outcome", ['priority']);
  return {
    registry,
    wait: histogram('packshot_queue_wait_seconds', "From a job's arrival to its claim", ['priority']),
    batchSizes: histogram('packshot_model_batch_images', 'Images per run of the model', [], [1, 2, 4, 8]),
    refused: new Counter({
      name: 'packshot_jobs_refused_total',
      help: 'Jobs answered with a problem instead of an outcome',
      labelNames: ['code'],
      registers,
    }),
    checks: new Counter({
      name: 'packshot_checks_total',
      help: 'Answered checks by code; completed ones have the code ok',
      labelNames: ['code'],
      registers,
    }),
    quickLooks: new Counter({
      name: 'packshot_quick_looks_total',
      help: 'Answered quick looks of visitors by code; completed ones have the code ok',
      labelNames: ['code'],
      registers,
    }),
    deviceDeaths: new Counter({
      name: 'packshot_device_deaths_total',
      help: 'Device processes that died or were killed',
      labelNames: ['device'],
      registers,
    }),
    faults: new Counter({
      name: 'packshot_faults_total',
      help: 'Unexpected errors, by place',
      labelNames: ['place'],
      registers,
    }),
    leasesLost: new Counter({
      name: 'packshot_leases_lost_total',
      help: 'Runs whose outcome did not count',
      registers,
    }),
    ledgerConflicts: new Counter({
      name: 'packshot_ledger_conflicts_total',
      help: 'Exported ledger rows that came again with other content; the edge sends them every hour until they agree',
      registers,
    }),
    swept: new Counter({
      name: 'packshot_journal_swept_rows_total',
      help: 'Rows of the job store removed by age',
      registers,
    }),
    outcome: (outcome: Outcome, priority: Priority): void => {
      outcomes.inc({ code: outcome.status === 'completed' ? 'ok' : outcome.code, priority });
      if (outcome.status !== 'completed') return;
      jobs.observe({ priority }, outcome.processing_ms / 1000);
      for (const [stage, ms] of Object.entries(outcome.stages_ms)) stages.observe({ stage }, ms / 1000);
    },
  };
};
