import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsUrl } from '../service/nats-url.js';

/** Programs of the machine, each with the places where its files may be. All files of a place must exist. */
const PROGRAMS = {
  nginx: { paths: ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'], also: [], package: 'nginx-light' },
  'nats-server': {
    paths: ['/usr/sbin/nats-server', '/usr/local/bin/nats-server', '/usr/bin/nats-server'],
    also: [],
    package: 'nats-server',
  },
  chromium: {
    paths: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
    also: [],
    package: 'chromium',
  },
  psql: { paths: ['/usr/bin/psql', '/usr/local/bin/psql'], also: [], package: 'postgresql-client' },
  turnserver: { paths: ['/usr/bin/turnserver'], also: ['/usr/bin/turnutils_uclient'], package: 'coturn' },
  curl: { paths: ['/usr/bin/curl', '/usr/local/bin/curl'], also: [], package: 'curl' },
  ffmpeg: { paths: ['/usr/bin/ffmpeg', '/usr/local/bin/ffmpeg'], also: [], package: 'ffmpeg' },
  prometheus: { paths: ['/usr/bin/prometheus'], also: ['/usr/bin/promtool'], package: 'prometheus' },
  swift: {
    paths: ['/usr/bin/swift-proxy-server'],
    also: ['account', 'container', 'object'].map((name) => `/usr/bin/swift-${name}-server`),
    package: 'swift-proxy swift-account swift-container swift-object',
  },
} as const;

type Program = keyof typeof PROGRAMS;

/** What tests can need of the machine besides Node. Each function returns what is missing, or undefined. */
const REQUIREMENTS = {
  nginx: () => findMissingProgram('nginx'),
  'nats-server': () => findMissingProgram('nats-server'),
  chromium: () => findMissingProgram('chromium'),
  psql: () => findMissingProgram('psql'),
  turnserver: () => findMissingProgram('turnserver'),
  curl: () => findMissingProgram('curl'),
  ffmpeg: () => findMissingProgram('ffmpeg'),
  prometheus: () => findMissingProgram('prometheus'),
  swift: () => findMissingProgram('swift'),
  'python-socketio': () =>
    spawnSync('/usr/bin/python3', ['-c', 'import socketio, websocket']).status === 0
      ? undefined
      : 'python3-socketio and python3-websocket are not installed',
  nats: findMissingNats,
  linux: () => (process.platform === 'linux' ? undefined : 'the system is not Linux'),
  root: () => (process.getuid?.() === 0 ? undefined : 'the user is not root'),
  mount: () => (canMount() ? undefined : 'mounting is not permitted'),
  nobody: () => (canNobodyRunProject() ? undefined : 'the user nobody cannot run Node with these sources'),
} satisfies Record<string, () => string | undefined>;

export type Requirement = keyof typeof REQUIREMENTS;

export const REQUIREMENT_NAMES = Object.keys(REQUIREMENTS) as Requirement[];

const missingByRequirement = new Map<Requirement, string | undefined>();

/** Returns the path of a program that a suite has declared with {@link needs}. @throws Error if it is missing */
export function programPath(program: Program): string {
  const path = findPath(program);
  if (path === undefined) throw new Error(findMissingProgram(program));
  return path;
}

/** Returns what is missing, or undefined if nothing is. */
export function findMissing(requirement: Requirement): string | undefined {
  if (!missingByRequirement.has(requirement)) missingByRequirement.set(requirement, REQUIREMENTS[requirement]());
  return missingByRequirement.get(requirement);
}

function findPath(program: Program): string | undefined {
  const { paths, also } = PROGRAMS[program];
  return also.every((path) => existsSync(path)) ? paths.find((path) => existsSync(path)) : undefined;
}

function findMissingProgram(program: Program): string | undefined {
  return findPath(program) === undefined ? `Debian's package ${PROGRAMS[program].package} is not installed` : undefined;
}

/** Looks for the greeting of a server with JetStream, in a process of its own, because declarations are synchronous. */
function findMissingNats(): string | undefined {
  const { hostname, port } = new URL(natsUrl);
  const program = `
    const socket = require('node:net').connect({ host: ${JSON.stringify(hostname)}, port: ${Number(port || 4222)} });
    socket.setTimeout(2_000, () => process.exit(1));
    socket.once('error', () => process.exit(1));
    socket.once('data', (greeting) => process.exit(/"jetstream": ?true/.test(String(greeting)) ? 0 : 1));`;
  return spawnSync(process.execPath, ['-e', program]).status === 0
    ? undefined
    : `no NATS server with JetStream at ${natsUrl}`;
}

function canMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'fw-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path], { stdio: 'ignore' });
    execFileSync('umount', [path]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(path);
  }
}

function canNobodyRunProject(): boolean {
  const loader = join(import.meta.dirname, '../../jest/load-typescript.mjs');
  const options = { uid: 65_534, gid: 65_534, cwd: import.meta.dirname };
  return spawnSync(process.execPath, ['--import', loader, '-e', '0'], options).status === 0;
}
