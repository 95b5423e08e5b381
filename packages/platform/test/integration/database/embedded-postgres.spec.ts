import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedPostgres, findEmbeddedPostgres } from '@family-watch/platform/database/embedded/embedded-postgres';
import { Logger } from '@nestjs/common';
import { canRun } from '@family-watch/platform/database/embedded/service-account';
import { copyBinaries, locateBinaries } from '@family-watch/platform/database/embedded/binaries';
import { waitFor, waitUntil } from '@family-watch/testing/waiting/wait-for';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  HostProcess,
  isRunning,
  nobodyCanRunProject,
  query,
  spawnHost,
  untilGone,
  watchdogsOf,
} from './host-process.js';

const isRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65534, gid: 65534 };

// The failures that these suites cause are expected, and so is what is logged about them.
Logger.overrideLogger(false);

describe('embedded Postgres', () => {
  let folder: string;
  let dataDir: string;
  let systemFolder: string;
  let hosts: HostProcess[];
  /** Holds a data folder whose cluster was made, and stopped. */
  let prepared: string;

  beforeAll(async () => {
    prepared = mkdtempSync(join(tmpdir(), 'fw-embedded-'));
    chmodSync(prepared, 0o755);
    await (await HostProcess.start(join(prepared, 'data'), join(prepared, 'system'))).end('SIGTERM');
  });
  afterAll(() => rmSync(prepared, { recursive: true, force: true }));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fw-embedded-'));
    chmodSync(folder, 0o755);
    dataDir = join(folder, 'data');
    systemFolder = join(folder, 'system');
    hosts = [];
  });

  afterEach(async () => {
    for (const host of hosts) {
      await host.end('SIGKILL');
      if ('pid' in host.answer) await untilGone(host.answer.pid);
    }
    rmSync(folder, { recursive: true, force: true });
  });

  async function host(account = {}): Promise<HostProcess> {
    const started = await HostProcess.start(dataDir, systemFolder, account);
    hosts.push(started);
    return started;
  }

  /** Puts a cluster into the data folder: making one takes far longer than what most tests are about. */
  function copyCluster(): void {
    mkdirSync(dirname(dataDir), { recursive: true });
    execFileSync('cp', ['-a', join(prepared, 'data'), dataDir]);
    systemFolder = join(prepared, 'system');
  }

  /** A start of which the cluster is there already. */
  async function hostAgain(): Promise<HostProcess> {
    copyCluster();
    return host();
  }

  it('starts, stops cleanly on SIGTERM, and keeps its rows', async () => {
    const first = await host();
    await query(first.started.info.migrationUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.end('SIGTERM');
    expect(first.child.exitCode).toBe(0);
    expect(isRunning(first.started.pid)).toBe(false);
    expect(readFileSync(join(dataDir, 'postgres/postgres.log'), 'utf8')).toContain('database system is shut down');

    const second = await host();
    expect(await query(second.started.info.migrationUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('syncs every commit to disk and listens on nothing but its private socket', async () => {
    const { info } = (await hostAgain()).started;
    const settings = await query(
      info.adminUrl,
      `SELECT name, setting FROM pg_settings
       WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses') ORDER BY name`,
    );
    expect(settings.map(({ setting }) => setting)).toEqual(['on', 'on', '', 'on']);
    const socket = decodeURIComponent(new URL(info.url.replace('@/', '@socket/')).searchParams.get('host') ?? '');
    expect(statSync(socket).mode & 0o777).toBe(0o700);
  });

  it('goes down by itself when its process is killed, and comes back with every acknowledged row', async () => {
    const first = await hostAgain();
    const { info, pid } = first.started;
    await query(info.migrationUrl, 'CREATE TABLE acknowledged (n int)');
    let acknowledged = 0;
    const writer = (async () => {
      for (;;)
        await query(info.migrationUrl, `INSERT INTO acknowledged VALUES (${acknowledged + 1})`).then(
          () => acknowledged++,
        );
    })().catch(() => undefined);
    await waitUntil('twenty acknowledged rows', () => acknowledged >= 20);
    await first.end('SIGKILL');
    await writer;
    await untilGone(pid);

    const second = await host();
    const [row] = await query(second.started.info.migrationUrl, 'SELECT count(*)::int AS n FROM acknowledged');
    // One more may have been committed whose acknowledgement the writer did not live to see.
    expect([acknowledged, acknowledged + 1]).toContain(row?.n);
  });

  it('starts at once after a kill, while the server of the killed process is still going down', async () => {
    const first = await hostAgain();
    await first.end('SIGKILL');
    const second = await host();
    expect(second.started.pid).not.toBe(first.started.pid);
    expect(isRunning(first.started.pid)).toBe(false);
  });

  it('stops the server that a killed process left behind when its watchdog was killed too', async () => {
    const first = await hostAgain();
    for (const watchdog of watchdogsOf(first.child.pid)) process.kill(watchdog, 'SIGKILL');
    await first.end('SIGKILL');
    await sleep(300);
    expect(isRunning(first.started.pid)).toBe(true);
    const second = await host();
    expect(isRunning(first.started.pid)).toBe(false);
    expect(await query(second.started.info.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('tells other processes of its user how to reach it, while it runs', async () => {
    const first = await hostAgain();
    expect(findEmbeddedPostgres(dataDir)).toEqual(first.started.info);
    await first.end('SIGTERM');
    expect(findEmbeddedPostgres(dataDir)).toBeUndefined();
  });

  it('puts its socket elsewhere when the data folder’s path is too long for one', async () => {
    dataDir = join(folder, 'd'.repeat(60), 'e'.repeat(60));
    const { info } = (await hostAgain()).started;
    expect(info.url).not.toContain('dddd');
    expect(await query(info.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    rmSync(decodeURIComponent(info.url.split('host=')[1] ?? ''), { recursive: true });
  });

  it('refuses a second process on the same folder, naming folder and pid', async () => {
    const first = await hostAgain();
    const second = await host();
    expect(second.failure.name).toBe('DataDirInUseError');
    expect(second.failure.message).toContain(dataDir);
    expect(second.failure.message).toContain(`process ${first.child.pid}`);
    expect(await query(first.started.info.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('is not fooled by a stale postmaster.pid whose id belongs to another program now', async () => {
    const first = await hostAgain();
    await first.end('SIGTERM');
    const cluster = first.started.info.cluster;
    const { uid, gid } = statSync(cluster);
    const pidFile = join(cluster, 'postmaster.pid');
    // Of the server's own user: Postgres takes only such a process for a rival.
    const stranger = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
    const rest = [cluster, '1700000000', '5432', '/nowhere', '', '  1234567         0', 'ready   ', ''];
    writeFileSync(pidFile, [stranger.pid, ...rest].join('\n'));
    if (isRoot) chownSync(pidFile, uid, gid);
    try {
      expect((await host()).started.pid).toBeGreaterThan(0);
      expect(isRunning(stranger.pid ?? 0)).toBe(true);
    } finally {
      stranger.kill();
    }
  });

  it('makes the cluster anew when the first start was cut off in the middle', async () => {
    const home = join(dataDir, 'postgres');
    const unfinished = (): string[] =>
      existsSync(home) ? readdirSync(home).filter((name) => name.startsWith('cluster.unfinished')) : [];
    const killed = spawnHost(dataDir, systemFolder);
    await waitUntil('an unfinished cluster', () =>
      unfinished().some((name) => existsSync(join(home, name, 'PG_VERSION'))),
    );
    const exit = once(killed, 'exit');
    killed.kill('SIGKILL');
    await exit;
    expect(existsSync(join(home, 'cluster'))).toBe(false);

    expect((await host()).started.pid).toBeGreaterThan(0);
    expect(existsSync(join(home, 'cluster', 'PG_VERSION'))).toBe(true);
    expect(unfinished()).toEqual([]);
  });

  it('gives the run-time role no DDL, not even temporary tables', async () => {
    const { info } = (await hostAgain()).started;
    for (const sql of ['CREATE SCHEMA evil', 'CREATE TABLE public.evil (n int)', 'CREATE TEMP TABLE evil (n int)']) {
      await expect(query(info.url, sql)).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('is started again when it dies while its process lives', async () => {
    copyCluster();
    const postgres = await EmbeddedPostgres.start({ dataDir, systemFolder });
    try {
      const pid = postgres.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      await untilGone(pid);
      expect(await waitFor(() => query(postgres.info.url, 'SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    } finally {
      await postgres.stop();
    }
  });

  it('works by loopback TCP with a password where there are no sockets', async () => {
    const postgres = await EmbeddedPostgres.start({ dataDir, systemFolder, transport: 'tcp' });
    try {
      expect(await query(postgres.info.url, 'SELECT current_user::text AS role')).toEqual([
        { role: 'family_watch_app' },
      ]);
      const wrong = postgres.info.url.replace(/:[^:@]+@/, ':wrong@');
      await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    } finally {
      await postgres.stop();
    }
  });

  (isRoot ? describe : describe.skip)('as root', () => {
    it('runs as another user in a folder that this user can reach', async () => {
      const { info, pid } = (await host()).started;
      expect(info.relocated).toBe(false);
      expect(statSync(`/proc/${pid}`).uid).not.toBe(0);
      expect(statSync(info.cluster).uid).toBe(info.uid);
    });

    it('moves to the system folder when only root may enter the project, and stays there', async () => {
      chmodSync(folder, 0o700);
      const outside = mkdtempSync(join(tmpdir(), 'fw-system-'));
      try {
        chmodSync(outside, 0o755);
        systemFolder = join(outside, 'family-watch');
        const first = await host();
        expect(first.started.info.relocated).toBe(true);
        expect(first.started.info.cluster.startsWith(systemFolder)).toBe(true);
        expect(readFileSync(join(dataDir, 'postgres-location.txt'), 'utf8')).toContain(systemFolder);
        await first.end('SIGTERM');

        chmodSync(folder, 0o755);
        const second = await host();
        expect(second.started.info.cluster).toBe(first.started.info.cluster);
        await second.end('SIGTERM');
      } finally {
        rmSync(outside, { recursive: true, force: true });
      }
    });

    it('copies the binaries to a folder that every user can read', () => {
      chmodSync(folder, 0o755);
      const copy = copyBinaries(locateBinaries(), systemFolder);
      expect(copy.postgres.startsWith(systemFolder)).toBe(true);
      expect(canRun(copy.postgres, NOBODY)).toBe(true);
      chmodSync(systemFolder, 0o700);
      expect(canRun(copy.postgres, NOBODY)).toBe(false);
    });

    const canSwitch = nobodyCanRunProject();
    (canSwitch ? it : it.skip)(
      'works for an ordinary user (skipped where that user cannot read the project)',
      async () => {
        mkdirSync(dataDir);
        chownSync(dataDir, NOBODY.uid, NOBODY.gid);
        const started = (await host(NOBODY)).started;
        expect(started.info.uid).toBe(NOBODY.uid);
        expect(await query(started.info.url, 'SELECT 1 AS one').catch(String)).toMatch(/Peer authentication failed/);
        expect(existsSync(join(dataDir, 'postgres/cluster/PG_VERSION'))).toBe(true);
      },
    );
  });
});
