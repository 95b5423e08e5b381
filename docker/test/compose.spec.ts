import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { Environment } from '@family-watch/platform/config/environment';
import { parseDockerfile } from './support/dockerfile.js';
import { containerEnvironment, DOCKER_DIRECTORY, envFilesOf, readComposeFile } from './support/compose-file.js';
import { APPS } from './support/deployment.js';
import { readIgnoreRules } from './support/image-builder.js';

test('the Dockerfile copies only files of the context that exist and that .dockerignore does not exclude', () => {
  const context = resolve(DOCKER_DIRECTORY, '..');
  const isIncluded = readIgnoreRules(context);
  const instructions = parseDockerfile(readFileSync(join(DOCKER_DIRECTORY, 'Dockerfile'), 'utf8')).flatMap(
    (stage) => stage.instructions,
  );
  const sources = instructions
    .filter(({ name, flags }) => name === 'COPY' && flags['from'] === undefined)
    .flatMap(({ text }) => text.split(/\s+/).slice(0, -1));
  expect(sources.length).toBeGreaterThan(5);
  // The builds of the client and of the console read these files.
  const extended = globSync('{apps,packages}/*/tsconfig.json', { cwd: context }).map((path) => {
    const { extends: base } = JSON.parse(readFileSync(join(context, path), 'utf8')) as { extends: string };
    return relative(context, resolve(context, dirname(path), base));
  });
  expect(extended.length).toBeGreaterThan(1);
  expect(extended.filter((path) => !sources.includes(path))).toEqual([]);
  expect(sources.filter((source) => !isIncluded(source) || !existsSync(join(context, source)))).toEqual([]);
});

/** Returns the names of a stage of the Dockerfile and of all stages that it is made of. */
function stagesOf(
  name: string,
  stages = parseDockerfile(readFileSync(join(DOCKER_DIRECTORY, 'Dockerfile'), 'utf8')),
): string[] {
  const stage = stages.find((each) => each.name === name);
  if (!stage) return [name];
  const copied = stage.instructions.flatMap(({ flags }) => flags['from'] ?? []);
  return [name, ...stagesOf(stage.base, stages), ...copied.flatMap((each) => stagesOf(each, stages))];
}

test.each(APPS)('the image of %s is built from its own part of the workspace', (app) => {
  const others = [...APPS, 'console', 'standalone'].filter((other) => other !== app);
  expect(stagesOf(app)).toContain(`${app}-build`);
  expect(stagesOf(app).filter((stage) => others.some((other) => stage.startsWith(other)))).toEqual([]);
});

describe.each(['compose.yml', 'compose.dev.yml'])('%s', (file) => {
  const { services, volumes } = readComposeFile(file);

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
  const { services } = readComposeFile('compose.yml');

  test('publishes only the edge, the relay with the profile `calls`, and the dashboards with `monitoring`', () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports)).toEqual(['edge', 'turn', 'grafana']);
    const profiles = Object.entries(services).flatMap(([name, { profiles: names }]) =>
      names ? [[name, ...names]] : [],
    );
    expect(profiles).toEqual([
      ['turn', 'calls'],
      ['backup', 'backup'],
      ['object-store', 'object-store'],
      ['prometheus', 'monitoring'],
      ['grafana', 'monitoring'],
    ]);
  });

  test('only the apps, backups and published services have access to other hosts', () => {
    const internal = Object.keys(services).filter((name) => JSON.stringify(services[name]?.networks) === '["inside"]');
    const jobs = [...APPS.map((app) => `migrate-${app}`), 'maintenance'];
    expect(internal.sort()).toEqual([...jobs, 'postgres', 'nats', 'object-store', 'prometheus'].sort());
    for (const name of [...APPS, 'backup']) expect(services[name]?.networks).toEqual(['inside', 'egress']);
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
      const expected = app === 'mcdisk' ? ['env/mcdisk.env', 'blob-store/local-disk.env'] : [`env/${app}.env`];
      expect(envFilesOf(services[app]!)).toEqual(expected);
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

describe('the profile object-store', () => {
  const { services, volumes } = readComposeFile('compose.yml');
  const directory = mkdtempSync(join(tmpdir(), 'fw-secrets-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const environmentOf = (name: string, variables: NodeJS.ProcessEnv) => {
    const readSecrets = (file: string) => parseEnv(readFileSync(join(directory, 'env', `${file}.env`), 'utf8'));
    return containerEnvironment(services[name]!, readSecrets, variables);
  };
  beforeAll(() => {
    execFileSync(process.execPath, [join(DOCKER_DIRECTORY, 'make-secrets.mjs'), join(directory, 'env')]);
  });

  test('mcdisk stores blobs on the local disk by default, and the edge sends them', () => {
    const { S3_BUCKET, FILE_OFFLOAD } = environmentOf('mcdisk', {});
    expect([S3_BUCKET, FILE_OFFLOAD]).toEqual([undefined, 'x-accel:/_blobs/']);
  });

  test('names the same bucket, access key, region and port for mcdisk and the store', () => {
    const mcdisk = environmentOf('mcdisk', { BLOB_STORE: 'object-store' });
    const store = environmentOf('object-store', {});
    const config = readFileSync(join(DOCKER_DIRECTORY, 'object-store/garage.toml'), 'utf8');
    const [, port] = /api_bind_addr = "0\.0\.0\.0:(\d+)"/.exec(config) ?? [];
    const [, region] = /s3_region = "([\w-]+)"/.exec(config) ?? [];
    expect(mcdisk).toMatchObject({
      S3_BUCKET: store['GARAGE_DEFAULT_BUCKET'],
      S3_ACCESS_KEY_ID: store['GARAGE_DEFAULT_ACCESS_KEY'],
      S3_SECRET_ACCESS_KEY: store['GARAGE_DEFAULT_SECRET_KEY'],
      S3_ENDPOINT: `http://object-store:${port}`,
      S3_REGION: region,
    });
    expect(mcdisk['FILE_OFFLOAD']).toBeUndefined();
    expect(services['object-store']?.healthcheck?.test?.at(-1)).toBe(mcdisk['S3_BUCKET']);
    expect(services['mcdisk']?.depends_on).toMatchObject({
      'object-store': { condition: 'service_healthy', required: false },
    });
  });

  test('the store has a pinned version and a volume, and its secrets have the form that Garage requires', () => {
    const { image, volumes: mounts = [] } = services['object-store'] ?? {};
    expect(image).toMatch(/^dxflrs\/garage:v\d+\.\d+\.\d+$/);
    expect(mounts).toContain('object-store:/var/lib/garage');
    expect(Object.keys(volumes)).toContain('object-store');
    expect(environmentOf('object-store', {})).toMatchObject({
      GARAGE_DEFAULT_ACCESS_KEY: expect.stringMatching(/^GK[0-9a-f]{24}$/),
      GARAGE_DEFAULT_SECRET_KEY: expect.stringMatching(/^[0-9a-f]{64}$/),
      GARAGE_RPC_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});
