import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { Environment } from '@family-watch/platform/config/environment';
import { parseDockerfile } from './support/dockerfile.js';
import { APPS, DOCKER_DIRECTORY } from './support/deployment.js';

interface ComposeService {
  image: string;
  build?: { context: string; dockerfile: string; target: string };
  command?: string[];
  env_file?: string | object[];
  profiles?: string[];
  networks?: unknown;
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, unknown> | string[];
  stop_grace_period?: string;
}
interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

const readYaml = (name: string): ComposeFile =>
  parse(readFileSync(join(DOCKER_DIRECTORY, name), 'utf8'), { merge: true }) as ComposeFile;

describe.each(['compose.yml', 'compose.dev.yml'])('%s', (file) => {
  const { services, volumes } = readYaml(file);

  test('refers only to existing stages, files, services and volumes', () => {
    const stages = parseDockerfile(readFileSync(join(DOCKER_DIRECTORY, 'Dockerfile'), 'utf8')).map(({ name }) => name);
    for (const { build, depends_on, volumes: mounts } of Object.values(services)) {
      if (build) {
        expect(stages).toContain(build.target);
        expect(existsSync(resolve(DOCKER_DIRECTORY, build.context, build.dockerfile))).toBe(true);
      }
      const others = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on ?? {});
      for (const other of others) expect(Object.keys(services)).toContain(other);
      for (const mount of mounts ?? []) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('.'))
          expect([source, existsSync(resolve(DOCKER_DIRECTORY, source))]).toEqual([source, true]);
        else expect(Object.keys(volumes)).toContain(source);
      }
    }
  });

  test('contains no passwords, keys or URLs with credentials', () => {
    for (const { environment, command } of Object.values(services)) {
      expect(Object.keys(environment ?? {}).filter((name) => /PASSWORD|SECRET|KEY$/.test(name))).toEqual([]);
      expect(JSON.stringify([environment, command])).not.toMatch(/:\/\/[^/"]*:[^/"]*@/);
    }
  });

  test('publishes ports to this machine only by default', () => {
    for (const port of Object.values(services).flatMap(({ ports }) => ports ?? []))
      expect(port).toMatch(/^(127\.0\.0\.1|\$\{(EDGE|TURN)_HOST:-127\.0\.0\.1\}):/);
  });
});

describe('compose.yml', () => {
  const { services } = readYaml('compose.yml');

  test('publishes only the edge, the relay of video calls with the profile `calls`, and the dashboards with `monitoring`', () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports)).toEqual(['edge', 'turn', 'grafana']);
    const profiles = Object.entries(services).flatMap(([name, { profiles: names }]) =>
      names ? [[name, ...names]] : [],
    );
    expect(profiles).toEqual([
      ['turn', 'calls'],
      ['prometheus', 'monitoring'],
      ['grafana', 'monitoring'],
    ]);
  });

  test('only the apps and published services have access to other hosts', () => {
    const internal = Object.keys(services).filter((name) => JSON.stringify(services[name]?.networks) === '["inside"]');
    const jobs = [...APPS.map((app) => `migrate-${app}`), 'maintenance'];
    expect(internal.sort()).toEqual([...jobs, 'postgres', 'nats', 'prometheus'].sort());
    for (const app of APPS) expect(services[app]?.networks).toEqual(['inside', 'egress']);
    expect(Object.keys(services.edge?.networks ?? {})).not.toContain('egress');
  });

  test('Prometheus scrapes the port at which each app serves its metrics', () => {
    const config = parse(readFileSync(join(DOCKER_DIRECTORY, 'prometheus/prometheus.yml'), 'utf8')) as {
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const [discovery] = config.scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs);
    expect(discovery?.names.toSorted()).toEqual(APPS.toSorted());
    for (const app of APPS) {
      const { METRICS_PORT, METRICS_HOST } = services[app]?.environment ?? {};
      expect([Number(METRICS_PORT), METRICS_HOST]).toEqual([discovery?.port, '0.0.0.0']);
    }
  });

  test('passes owner credentials only to migrations and maintenance', () => {
    const owners = Object.keys(services).filter((name) =>
      JSON.stringify(services[name]?.env_file)?.endsWith('-owner.env"'),
    );
    expect(owners.sort()).toEqual(['maintenance', ...APPS.map((app) => `migrate-${app}`).sort()]);
    for (const app of APPS) {
      expect(services[app]?.env_file).toBe(`env/${app}.env`);
      expect(services[app]?.depends_on).toHaveProperty(`migrate-${app}`, {
        condition: 'service_completed_successfully',
      });
    }
  });

  test('each app has a stop_grace_period that is longer than the time after which the app exits by itself', () => {
    const exitsAfterSeconds = new Environment().SHUTDOWN_GRACE + 10;
    for (const app of APPS)
      expect(Number(services[app]?.stop_grace_period?.replace(/s$/, ''))).toBeGreaterThan(exitsAfterSeconds);
  });
});
