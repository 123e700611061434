import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../origin/config.ts';
import { createMetrics } from '../../origin/metrics.ts';
import { publicKeySet } from '../support/service-keys.ts';

const read = (name: string): string => readFileSync(new URL(`../../origin/deploy/${name}`, import.meta.url), 'utf8');
const metrics = createMetrics(
  { node: 'n', provider: 'cpu', model: 'm' },
  {
    queued: () => 0,
    running: () => 0,
    leases: () => 0,
    waitingForModel: () => 0,
    devicePids: () => [],
    decoderPids: () => [],
    deviceReady: () => true,
    database: () => ({ total: 0, idle: 0, waiting: 0 }),
  },
);

describe('what is deployed', () => {
  it('points probes and scrapers at the port of operators, and the tunnel at the other, /v1/* alone', () => {
    expect(read('kubernetes/origin.yaml').match(/path: \/(readyz|healthz), port: (\w+)/g)).toEqual([
      'path: /readyz, port: management',
      'path: /readyz, port: management',
      'path: /healthz, port: management',
    ]);
    expect(read('prometheus/prometheus.yml')).toMatch(/port: 8789/);
    expect(read('compose.yaml')).toMatch(/127\.0\.0\.1:8789\/readyz/);
    const tunnel = parse(read('tunnel/config.yaml'));
    expect(tunnel.ingress).toMatchObject([
      { path: '^/v1/', service: 'http://origin:8788', originRequest: { access: { required: true } } },
      { service: 'http_status:404' },
    ]);
  });

  it('watches only metrics that nodes export', async () => {
    const exported = (await metrics.registry.getMetricsAsJSON()).map((metric) => metric.name);
    const watched = ['prometheus/alerts.yml', 'grafana/dashboard.json', 'kubernetes/autoscaling.yaml'].flatMap(
      (file) => read(file).match(/\b(packshot|process|nodejs)_[a-z0-9_]+/g) ?? [],
    );
    expect(watched.length).toBeGreaterThan(20);
    const unknown = watched
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''))
      .filter((name) => !exported.includes(name));
    expect(unknown).toEqual([]);
  });

  it('says what to do when each alert fires', () => {
    const alerts = Array.from(read('prometheus/alerts.yml').matchAll(/- alert: (\w+)/g), (match) => match[1] ?? '');
    const explained = Array.from(read('README.md').matchAll(/^### (\w+)$/gm), (match) => match[1] ?? '');
    expect(alerts.length).toBeGreaterThan(5);
    expect(alerts.filter((alert) => !explained.includes(alert))).toEqual([]);
  });

  it('sets only variables that a node knows', () => {
    const known = Array.from(
      readFileSync(new URL('../../origin/config.ts', import.meta.url), 'utf8').matchAll(/^ {2}([A-Z_]+):/gm),
      (match) => match[1],
    );
    const documented = Array.from(
      read('README.md').matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \|/gm),
      (match) => match[1] ?? '',
    ).flatMap((cell) => cell.match(/[A-Z_]+/g) ?? []);
    for (const name of known) expect(documented, `${name} is not in the operator's guide`).toContain(name);
    const images = Array.from(read('Dockerfile').matchAll(/\b([A-Z_]+)=/g), (match) => match[1]).filter(
      (name) => name !== 'NODE_ENV',
    );
    expect(images.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('gives nodes more time to drain than they take', () => {
    const grace = Number(/terminationGracePeriodSeconds: (\d+)/.exec(read('kubernetes/origin.yaml'))?.[1]);
    const stop = Number(/stop_grace_period: (\d+)s/.exec(read('compose.yaml'))?.[1]);
    expect(Math.min(grace, stop)).toBeGreaterThan(30);
  });

  it('asks for providers in a form that a node takes', () => {
    for (const [, value] of read('Dockerfile').matchAll(/EXECUTION_PROVIDERS=(\S+)/g)) {
      expect(
        readConfig({
          ENVIRONMENT: 'local',
          SERVICE_PUBLIC_KEYS: publicKeySet,
          STORAGE_URLS: 'https://storage.example/packshot',
          EXECUTION_PROVIDERS: value,
        }).providers.join(','),
      ).toBe(value);
    }
  });
});
