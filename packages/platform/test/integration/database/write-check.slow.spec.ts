import { expect, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import { EmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { needs } from '@family-watch/testing/requirements/needs';

// This suite causes failures on purpose, which would fill the log.
Logger.overrideLogger(false);

const DATABASE_OPTIONS = { name: 'alpha', schema: 'alpha', entities: [] };

test('the runtime role can run the write check, which writes at most 200 bytes to the write-ahead log', async () => {
  const database = await createTestDatabase();
  const app = await openAppDatabase({ ...DATABASE_OPTIONS, url: database.url });
  const position = () =>
    app.dataSource.query<{ bytes: string }[]>(`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`);
  const checkOnce = async () => {
    const [before] = await position();
    expect(await app.writeCheck.run()).toBeUndefined();
    const [after] = await position();
    return Number(after?.bytes) - Number(before?.bytes);
  };
  try {
    // Other suites may write to the same server at the same time.
    await waitFor(async () => {
      const bytes = await checkOnce();
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(200);
    });
  } finally {
    await app.close();
    await database.drop();
  }
});

/** Mounts a file system in memory. The process needs the permission to mount. */
function mountDisk(path: string, mebibytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=755`, 'tmpfs', path], { stdio: 'ignore' });
}

needs('mount').describe('a full disk', () => {
  test('the write check reports a full disk until there is space, although existing rows can still be changed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fw-disk-'));
    chmodSync(directory, 0o755);
    mountDisk(directory, 256);
    const filler = join(directory, 'filler');
    const server = await EmbeddedPostgres.start({ dataDir: directory });
    try {
      await withClient(server.info.migrationUrl, async (client) => {
        await client.query('CREATE SCHEMA alpha CREATE TABLE alpha.page (id int, text text)');
        await client.query(`INSERT INTO alpha.page VALUES (1, 'x')`);
      });
      const app = await openAppDatabase({ ...DATABASE_OPTIONS, url: server.info.migrationUrl });
      const addRows = () =>
        app.dataSource.query(`INSERT INTO alpha.page SELECT n, repeat('x', 1000) FROM generate_series(1, 1000) n`);
      expect(await app.writeCheck.findProblem()).toBeUndefined();

      const { bavail, bsize } = statfsSync(directory);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
      await waitFor(async () => {
        expect(await app.writeCheck.findProblem()).toMatchObject({
          message: 'The database rejects writes (SQLSTATE 53100)',
          fields: { code: '53100' },
        });
      });
      await expect(addRows()).rejects.toMatchObject({ cause: { code: '53100' } });
      await app.dataSource.query(`UPDATE alpha.page SET text = 'y'`);
      expect(await app.isReachable()).toBe(true);

      rmSync(filler);
      await waitFor(async () => expect(await app.writeCheck.findProblem()).toBeUndefined());
      await addRows();
      await app.close();
    } finally {
      rmSync(filler, { force: true });
      await server.stop();
      execFileSync('umount', [directory]);
      rmdirSync(directory);
    }
  });
});
