import { execFile } from 'node:child_process';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import type { FsckReport } from '../../src/storage/fsck/fsck-report.js';
import { mcdiskDatabase } from '../../src/database/mcdisk-database.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud } from '../support/test-cloud.js';
import { storeContent, type StoredContent } from '../support/stored-content.js';

const REPOSITORY_ROOT = join(import.meta.dirname, '../../../..');
const PROGRAM_PATH = join(REPOSITORY_ROOT, 'apps/mcdisk/dist/fsck.js');

/** Runs `fsck` in a separate process, as an operator does. */
function runFsck(variables: Record<string, string>, ...args: string[]) {
  return new Promise<{ exitCode: number; output: string }>((resolve) => {
    const env = { ...PROGRAM_ENVIRONMENT, ...variables };
    execFile(process.execPath, [PROGRAM_PATH, ...args], { env }, (error, stdout, stderr) => {
      resolve({ exitCode: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

describe('fsck', () => {
  describe('with a database server, while the service runs', () => {
    let server: CloudServer;
    let content: StoredContent;
    let variables: { DATABASE_URL: string; DATA_DIR: string };

    beforeAll(async () => {
      server = await CloudServer.start();
      variables = { DATABASE_URL: server.shared.databaseUrl, DATA_DIR: server.dataDir };
      content = await storeContent(server, (await createCloud(server)).cloudID);
      await server.query('UPDATE mcdisk.blob SET state_since = state_since - 3600000');
    });
    afterAll(() => server.stop());

    test('exits with 0 when store and database are consistent', async () => {
      const { exitCode, output } = await runFsck(variables, '--all-digests');
      expect([exitCode, output]).toEqual([0, expect.stringContaining('Store and database agree')]);
      expect(output).toContain('1 blobs with 50 bytes; 1 hashed');
    });

    test('exits with 1 and reports the inconsistencies, then repairs them', async () => {
      await server.query('UPDATE mcdisk.family_cloud SET used_size = 7');
      const found = await runFsck(variables);
      expect([found.exitCode, found.output]).toEqual([1, expect.stringMatching(/QUOTA: 1\n.*used 7, expected 50/)]);
      const repaired = await runFsck(variables, '--repair', '--json');
      const report = JSON.parse(repaired.output) as FsckReport;
      expect([repaired.exitCode, report.findings]).toEqual([1, [expect.objectContaining({ repaired: true })]]);
      expect((await runFsck(variables)).exitCode).toBe(0);
    });

    test('exits with 2 and changes nothing when a repair would delete too many blobs', async () => {
      const store = server.get(BlobStore);
      await server.query(`UPDATE mcdisk.content SET state = 'PURGED', blob_key = NULL`);
      await server.query('DELETE FROM mcdisk.blob');
      await server.query('UPDATE mcdisk.family_cloud SET used_size = 0');
      const time = Date.now() / 1_000 - 7_200;
      await utimes(join(server.dataDir, 'blobs', store.relativePathOf(content.key) ?? ''), time, time);
      const { exitCode, output } = await runFsck(variables, '--repair');
      expect([exitCode, output]).toEqual([2, expect.stringMatching(/ORPHAN: 1[^]*Nothing was repaired/)]);
      (await store.open(content.key)).destroy();
    });

    test.each(['--sample=x', '--allow=-1', '--what'])('exits with 2 and rejects the argument %s', async (argument) => {
      const { exitCode, output } = await runFsck(variables, argument);
      expect([exitCode, output]).toEqual([2, expect.stringContaining(argument.slice(0, 6))]);
    });

    test('prints its options for --help', async () => {
      const { exitCode, output } = await runFsck({}, '--help');
      expect([exitCode, output]).toEqual([0, expect.stringContaining('--repair')]);
    });

    test('reports an unreachable database in one line', async () => {
      const { exitCode, output } = await runFsck({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
      expect([exitCode, output.trim().split('\n')]).toEqual([2, [expect.stringContaining('DATABASE_URL')]]);
    });
  });

  describe('with the embedded database', () => {
    let dataDir: string;

    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'fw-fsck-'));
    });
    afterAll(() => rm(dataDir, { recursive: true, force: true }));

    test('connects to the embedded database while the service runs, and starts it otherwise', async () => {
      const postgres = await EmbeddedPostgres.start({ dataDir });
      const { url, migrationUrl } = postgres.info;
      await migrateAppDatabase({ ...mcdiskDatabase, url, migrationUrl });
      const beside = await runFsck({ DATA_DIR: dataDir });
      expect([beside.exitCode, beside.output]).toEqual([0, expect.stringContaining('agree')]);
      await postgres.stop();
      const alone = await runFsck({ DATA_DIR: dataDir });
      expect([alone.exitCode, alone.output]).toEqual([0, expect.stringContaining('agree')]);
    });
  });
});
