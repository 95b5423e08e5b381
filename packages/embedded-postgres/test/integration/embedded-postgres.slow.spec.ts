import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedPostgres, findEmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';
import { Logger } from '@nestjs/common';
import { canRun } from '@family-watch/embedded-postgres/service-account';
import { copyBinaries, locateBinaries } from '@family-watch/embedded-postgres/binaries';
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
import { HostProcess, isRunning, queryDatabase, spawnHost, waitForExit, watchdogsOf } from './host-process.js';
import { needs } from '@family-watch/testing/requirements/needs';

const isRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65534, gid: 65534 };

// The suites of this file cause failures on purpose, which would fill the log.
Logger.overrideLogger(false);

describe('embedded Postgres', () => {
  let directory: string;
  let dataDir: string;
  let systemDirectory: string;
  let hosts: HostProcess[];
  /** Directory that contains a data directory with a stopped cluster. */
  let preparedDirectory: string;

  beforeAll(async () => {
    preparedDirectory = mkdtempSync(join(tmpdir(), 'fw-embedded-'));
    chmodSync(preparedDirectory, 0o755);
    await (await HostProcess.start(join(preparedDirectory, 'data'), join(preparedDirectory, 'system'))).end('SIGTERM');
  });
  afterAll(() => rmSync(preparedDirectory, { recursive: true, force: true }));

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fw-embedded-'));
    chmodSync(directory, 0o755);
    dataDir = join(directory, 'data');
    systemDirectory = join(directory, 'system');
    hosts = [];
  });

  afterEach(async () => {
    for (const host of hosts) {
      await host.end('SIGKILL');
      if ('pid' in host.outcome) await waitForExit(host.outcome.pid);
    }
    rmSync(directory, { recursive: true, force: true });
  });

  async function startHost(account = {}): Promise<HostProcess> {
    const started = await HostProcess.start(dataDir, systemDirectory, account);
    hosts.push(started);
    return started;
  }

  /** Copies the prepared cluster to the data directory, which is much faster than creating a cluster. */
  function copyCluster(): void {
    mkdirSync(dirname(dataDir), { recursive: true });
    execFileSync('cp', ['-a', join(preparedDirectory, 'data'), dataDir]);
    systemDirectory = join(preparedDirectory, 'system');
  }

  /** Starts a host whose cluster already exists. */
  async function startHostWithCluster(): Promise<HostProcess> {
    copyCluster();
    return startHost();
  }

  test('starts, stops cleanly on SIGTERM, and has the same rows after the next start', async () => {
    const first = await startHost();
    await queryDatabase(first.started.info.migrationUrl, 'CREATE TABLE stored AS SELECT 42 AS n');
    await first.end('SIGTERM');
    expect(first.child.exitCode).toBe(0);
    expect(isRunning(first.started.pid)).toBe(false);
    expect(readFileSync(join(dataDir, 'postgres/postgres.log'), 'utf8')).toContain('database system is shut down');

    const second = await startHost();
    expect(await queryDatabase(second.started.info.migrationUrl, 'SELECT n FROM stored')).toEqual([{ n: 42 }]);
  });

  test('syncs every commit to disk and listens only on its private socket', async () => {
    const { info } = (await startHostWithCluster()).started;
    const settings = await queryDatabase(
      info.adminUrl,
      `SELECT name, setting FROM pg_settings
       WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses') ORDER BY name`,
    );
    expect(settings.map(({ setting }) => setting)).toEqual(['on', 'on', '', 'on']);
    const socket = decodeURIComponent(new URL(info.url.replace('@/', '@socket/')).searchParams.get('host') ?? '');
    expect(statSync(socket).mode & 0o777).toBe(0o700);
  });

  test('stops when its parent process is killed, and has every acknowledged row after a restart', async () => {
    const first = await startHostWithCluster();
    const { info, pid } = first.started;
    await queryDatabase(info.migrationUrl, 'CREATE TABLE acknowledged (n int)');
    let acknowledged = 0;
    const writer = (async () => {
      for (;;)
        await queryDatabase(info.migrationUrl, `INSERT INTO acknowledged VALUES (${acknowledged + 1})`).then(
          () => acknowledged++,
        );
    })().catch(() => undefined);
    await waitUntil('twenty acknowledged rows', () => acknowledged >= 20);
    await first.end('SIGKILL');
    await writer;
    await waitForExit(pid);

    const second = await startHost();
    const [row] = await queryDatabase(second.started.info.migrationUrl, 'SELECT count(*)::int AS n FROM acknowledged');
    // One more row may have been committed without its acknowledgement reaching the writer.
    expect([acknowledged, acknowledged + 1]).toContain(row?.n);
  });

  test('starts when the server of a killed process is still shutting down', async () => {
    const first = await startHostWithCluster();
    await first.end('SIGKILL');
    const second = await startHost();
    expect(second.started.pid).not.toBe(first.started.pid);
    expect(isRunning(first.started.pid)).toBe(false);
  });

  test('stops the server of an earlier process that was killed together with its watchdog', async () => {
    const first = await startHostWithCluster();
    for (const watchdog of watchdogsOf(first.child.pid)) process.kill(watchdog, 'SIGKILL');
    await first.end('SIGKILL');
    await sleep(300);
    expect(isRunning(first.started.pid)).toBe(true);
    const second = await startHost();
    expect(isRunning(first.started.pid)).toBe(false);
    expect(await queryDatabase(second.started.info.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('findEmbeddedPostgres returns the connection data while the server runs', async () => {
    const first = await startHostWithCluster();
    expect(findEmbeddedPostgres(dataDir)).toEqual(first.started.info);
    await first.end('SIGTERM');
    expect(findEmbeddedPostgres(dataDir)).toBeUndefined();
  });

  test('uses another socket directory when the path of the data directory is too long', async () => {
    dataDir = join(directory, 'd'.repeat(60), 'e'.repeat(60));
    const { info } = (await startHostWithCluster()).started;
    expect(info.url).not.toContain('dddd');
    expect(await queryDatabase(info.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    rmSync(decodeURIComponent(info.url.split('host=')[1] ?? ''), { recursive: true });
  });

  test('rejects a second process on the same directory, naming directory and pid', async () => {
    const first = await startHostWithCluster();
    const second = await startHost();
    expect(second.failure.name).toBe('DataDirInUseError');
    expect(second.failure.message).toContain(dataDir);
    expect(second.failure.message).toContain(`process ${first.child.pid}`);
    expect(await queryDatabase(first.started.info.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('starts although the process id in a stale postmaster.pid belongs to another program', async () => {
    const first = await startHostWithCluster();
    await first.end('SIGTERM');
    const cluster = first.started.info.cluster;
    const { uid, gid } = statSync(cluster);
    const pidFile = join(cluster, 'postmaster.pid');
    // The program runs as the server's user, because Postgres checks only processes of that user.
    const unrelated = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
    const rest = [cluster, '1700000000', '5432', '/nowhere', '', '  1234567         0', 'ready   ', ''];
    writeFileSync(pidFile, [unrelated.pid, ...rest].join('\n'));
    if (isRoot) chownSync(pidFile, uid, gid);
    try {
      expect((await startHost()).started.pid).toBeGreaterThan(0);
      expect(isRunning(unrelated.pid ?? 0)).toBe(true);
    } finally {
      unrelated.kill();
    }
  });

  test('recreates the cluster when the first start was interrupted', async () => {
    const home = join(dataDir, 'postgres');
    const unfinished = (): string[] =>
      existsSync(home) ? readdirSync(home).filter((name) => name.startsWith('cluster.unfinished')) : [];
    const killed = spawnHost(dataDir, systemDirectory);
    await waitUntil('an unfinished cluster', () =>
      unfinished().some((name) => existsSync(join(home, name, 'PG_VERSION'))),
    );
    const exit = once(killed, 'exit');
    killed.kill('SIGKILL');
    await exit;
    expect(existsSync(join(home, 'cluster'))).toBe(false);

    expect((await startHost()).started.pid).toBeGreaterThan(0);
    expect(existsSync(join(home, 'cluster', 'PG_VERSION'))).toBe(true);
    expect(unfinished()).toEqual([]);
  });

  test('denies DDL to the runtime role, even temporary tables', async () => {
    const { info } = (await startHostWithCluster()).started;
    for (const sql of ['CREATE SCHEMA evil', 'CREATE TABLE public.evil (n int)', 'CREATE TEMP TABLE evil (n int)']) {
      await expect(queryDatabase(info.url, sql)).rejects.toMatchObject({ code: '42501' });
    }
  });

  test('restarts its server after the server was killed', async () => {
    copyCluster();
    const postgres = await EmbeddedPostgres.start({ dataDir, systemDirectory });
    try {
      const pid = postgres.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      await waitForExit(pid);
      expect(await waitFor(() => queryDatabase(postgres.info.url, 'SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    } finally {
      await postgres.stop();
    }
  });

  test('accepts connections over loopback TCP with a password', async () => {
    const postgres = await EmbeddedPostgres.start({ dataDir, systemDirectory, transport: 'tcp' });
    try {
      expect(await queryDatabase(postgres.info.url, 'SELECT current_user::text AS role')).toEqual([
        { role: 'family_watch_app' },
      ]);
      const wrong = postgres.info.url.replace(/:[^:@]+@/, ':wrong@');
      await expect(queryDatabase(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    } finally {
      await postgres.stop();
    }
  });

  needs('linux').test('a Ctrl-C of the terminal does not end the check of whether an account can run a program', () => {
    const program = join(directory, 'program');
    // The fifth field of this file is the process group, to all processes of which a terminal sends the signal.
    const script = '#!/bin/sh\nread -r pid name state parent group rest </proc/self/stat\n[ "$pid" = "$group" ]\n';
    writeFileSync(program, script, { mode: 0o755 });
    expect(canRun(program, undefined)).toBe(true);
  });

  needs('root').describe('as root', () => {
    test('runs as another user in a directory that this user can access', async () => {
      const { info, pid } = (await startHost()).started;
      expect(info.relocated).toBe(false);
      expect(statSync(`/proc/${pid}`).uid).not.toBe(0);
      expect(statSync(info.cluster).uid).toBe(info.uid);
    });

    test('stores the cluster in the system directory when only root can access the project, and finds it there after the project becomes accessible', async () => {
      chmodSync(directory, 0o700);
      const outside = mkdtempSync(join(tmpdir(), 'fw-system-'));
      try {
        chmodSync(outside, 0o755);
        systemDirectory = join(outside, 'family-watch');
        const first = await startHost();
        expect(first.started.info.relocated).toBe(true);
        expect(first.started.info.cluster.startsWith(systemDirectory)).toBe(true);
        expect(readFileSync(join(dataDir, 'postgres-location.txt'), 'utf8')).toContain(systemDirectory);
        await first.end('SIGTERM');

        chmodSync(directory, 0o755);
        const second = await startHost();
        expect(second.started.info.cluster).toBe(first.started.info.cluster);
        await second.end('SIGTERM');

        // A new data directory with the path of a deleted one gets a new database.
        chmodSync(directory, 0o700);
        rmSync(dataDir, { recursive: true });
        const third = await startHost();
        expect(third.started.info.cluster).not.toBe(first.started.info.cluster);
        await third.end('SIGTERM');
      } finally {
        rmSync(outside, { recursive: true, force: true });
      }
    });

    test('copyBinaries copies the binaries to a world-readable directory', () => {
      chmodSync(directory, 0o755);
      const copy = copyBinaries(locateBinaries(), systemDirectory);
      expect(copy.postgres.startsWith(systemDirectory)).toBe(true);
      expect(canRun(copy.postgres, NOBODY)).toBe(true);
      chmodSync(systemDirectory, 0o700);
      expect(canRun(copy.postgres, NOBODY)).toBe(false);
    });

    needs('nobody').test(
      'runs in a process of an unprivileged user and rejects connections of other users',
      async () => {
        mkdirSync(dataDir);
        chownSync(dataDir, NOBODY.uid, NOBODY.gid);
        const started = (await startHost(NOBODY)).started;
        expect(started.info.uid).toBe(NOBODY.uid);
        expect(await queryDatabase(started.info.url, 'SELECT 1 AS one').catch(String)).toMatch(
          /Peer authentication failed/,
        );
        expect(existsSync(join(dataDir, 'postgres/cluster/PG_VERSION'))).toBe(true);
      },
    );
  });
});
