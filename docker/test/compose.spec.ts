import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { parseDockerfile } from './support/dockerfile.js';
import { APPS, DOCKER_FOLDER } from './support/deployment.js';

interface Service {
  image: string;
  build?: { context: string; dockerfile: string; target: string };
  command?: string[];
  env_file?: string;
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, unknown>;
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

const read = (name: string): Compose =>
  parse(readFileSync(join(DOCKER_FOLDER, name), 'utf8'), { merge: true }) as Compose;

describe.each(['compose.yml', 'compose.dev.yml'])('%s', (file) => {
  const { services, volumes } = read(file);

  test('names only what there is: stages, files, services and volumes', () => {
    const stages = parseDockerfile(readFileSync(join(DOCKER_FOLDER, 'Dockerfile'), 'utf8')).map(({ name }) => name);
    for (const { build, depends_on, volumes: mounts } of Object.values(services)) {
      if (build) {
        expect(stages).toContain(build.target);
        expect(existsSync(resolve(DOCKER_FOLDER, build.context, build.dockerfile))).toBe(true);
      }
      for (const other of Object.keys(depends_on ?? {})) expect(Object.keys(services)).toContain(other);
      for (const mount of mounts ?? []) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('.'))
          expect([source, existsSync(resolve(DOCKER_FOLDER, source))]).toEqual([source, true]);
        else expect(Object.keys(volumes)).toContain(source);
      }
    }
  });

  test('holds no password', () => {
    for (const { environment, command } of Object.values(services)) {
      expect(Object.keys(environment ?? {}).filter((name) => /PASSWORD|SECRET|KEY$/.test(name))).toEqual([]);
      expect(JSON.stringify([environment, command])).not.toMatch(/:\/\/[^/"]*:[^/"]*@/);
    }
  });

  test('opens ports to this machine alone, unless told otherwise', () => {
    for (const port of Object.values(services).flatMap(({ ports }) => ports ?? []))
      expect(port).toMatch(/^(127\.0\.0\.1|\$\{EDGE_HOST:-127\.0\.0\.1\}):/);
  });
});

describe('compose.yml', () => {
  const { services } = read('compose.yml');

  test('publishes the edge and nothing else', () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports)).toEqual(['edge']);
  });

  test('gives the right to change a schema to jobs alone', () => {
    const owners = Object.keys(services).filter((name) => services[name]?.env_file?.endsWith('-owner.env'));
    expect(owners.sort()).toEqual(['maintenance', ...APPS.map((app) => `migrate-${app}`).sort()]);
    for (const app of APPS) {
      expect(services[app]?.env_file).toBe(`env/${app}.env`);
      expect(services[app]?.depends_on).toHaveProperty(`migrate-${app}`, {
        condition: 'service_completed_successfully',
      });
    }
  });
});
