import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort } from '@family-watch/testing/network/free-ports';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { programPath } from '@family-watch/testing/requirements/requirements';

export const PROMETHEUS_CONFIGURATION = resolve(import.meta.dirname, '../../../../docker/prometheus');

export interface Sample {
  metric: Record<string, string>;
  value: [time: number, text: string];
}

interface AlertRule {
  name: string;
  health: 'unknown' | 'ok' | 'err';
  lastError?: string;
}

/** A Prometheus server with the configuration of docker/prometheus, which scrapes the given targets once a second. */
export class PrometheusServer {
  private constructor(
    private readonly url: string,
    private readonly directory: string,
    private readonly child: ChildProcess,
  ) {}

  /** @param targets - hosts with ports */
  static async start(targets: readonly string[]): Promise<PrometheusServer> {
    const directory = mkdtempSync(join(tmpdir(), 'fw-prometheus-'));
    const port = await freePort();
    const config = parse(readFileSync(join(PROMETHEUS_CONFIGURATION, 'prometheus.yml'), 'utf8')) as {
      scrape_configs: object[];
    };
    const [{ dns_sd_configs: _, ...scrape } = {}] = config.scrape_configs as { dns_sd_configs?: object }[];
    const local = {
      ...config,
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [join(PROMETHEUS_CONFIGURATION, 'alerts.yml')],
      scrape_configs: [{ ...scrape, static_configs: [{ targets }] }],
    };
    const file = join(directory, 'prometheus.yml');
    writeFileSync(file, stringify(local));
    const flags = [`--config.file=${file}`, `--storage.tsdb.path=${directory}/data`];
    const child = spawn(programPath('prometheus'), [...flags, `--web.listen-address=127.0.0.1:${port}`], {
      stdio: 'ignore',
    });
    const server = new PrometheusServer(`http://127.0.0.1:${port}`, directory, child);
    await waitUntilFound('Prometheus', () =>
      fetch(`${server.url}/-/ready`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    );
    return server;
  }

  /** @throws Error with Prometheus' message for an invalid expression */
  async query(expression: string): Promise<Sample[]> {
    const { result } = await this.get<{ result: Sample[] }>(
      `query?${new URLSearchParams({ query: expression }).toString()}`,
    );
    return result;
  }

  async listAlertRules(): Promise<AlertRule[]> {
    const { groups } = await this.get<{ groups: { rules: AlertRule[] }[] }>('rules?type=alert');
    return groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async get<Data>(path: string): Promise<Data> {
    const response = await fetch(`${this.url}/api/v1/${path}`);
    const { status, data, error } = (await response.json()) as { status: string; data: Data; error?: string };
    if (status !== 'success') throw new Error(`${path}: ${error}`);
    return data;
  }
}
