import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withClient } from '@family-watch/testing/database/test-server';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { describeBothDeployments } from '../support/deployments.js';
import { TestService } from '../support/test-service.js';

/** Uses a separate service, because its database and its blob store reject writes. */
describeBothDeployments('readiness while writes fail', (deployment) => {
  let service: TestService;
  let blobDirectory: string;

  beforeAll(async () => {
    blobDirectory = mkdtempSync(join(tmpdir(), 'fw-blobs-'));
    service = await TestService.start(deployment, { BLOB_DIR: blobDirectory });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(blobDirectory, { recursive: true, force: true });
  });

  /** Status and failed components of each process. */
  const readReadiness = () =>
    Promise.all(
      service.processUrls.map(async (url) => {
        const response = await fetch(`${url}/health/ready`);
        const { details = [] } = (await response.json()) as { details?: { field: string; message: string }[] };
        return { status: response.status, problems: details.map(({ field, message }) => `${field}: ${message}`) };
      }),
    );
  const everyProcess = (state: { status: number; problems: string[] }) => service.processUrls.map(() => state);
  const ready = { status: 200, problems: [] };
  const linesWith = (message: string) => service.logs.filter((line) => line.includes(message));

  async function setReadOnly(value: 'on' | 'off'): Promise<void> {
    const server = service.databaseUrl.replace(service.databaseName, 'postgres');
    await withClient(server, async (client) => {
      await client.query(`ALTER DATABASE ${service.databaseName} SET default_transaction_read_only = ${value}`);
      // Open connections would keep the previous setting, so they are terminated.
      await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
        service.databaseName,
      ]);
    });
  }

  test('no process is ready while the database rejects writes, and all are ready when it accepts them', async () => {
    await waitFor(async () => expect(await readReadiness()).toEqual(everyProcess(ready)));
    await setReadOnly('on');
    try {
      const problems = ['databaseWrites: The database rejects writes (SQLSTATE 25006)'];
      await waitFor(async () => expect(await readReadiness()).toEqual(everyProcess({ status: 503, problems })));
      for (const url of service.processUrls) expect((await fetch(`${url}/health/live`)).status).toBe(200);
    } finally {
      await setReadOnly('off');
    }
    await waitFor(async () => expect(await readReadiness()).toEqual(everyProcess(ready)));
    // A check that fails because its connection broke does not change the result, so each process logs the fault once.
    expect(linesWith('Database rejects writes')).toHaveLength(service.processUrls.length);
    expect(linesWith('Database accepts writes again')).toHaveLength(service.processUrls.length);
  });

  test('the process of the family cloud is not ready while its blob directory cannot be written', async () => {
    const [staging, moved] = [join(blobDirectory, 'staging'), join(blobDirectory, 'moved')];
    await waitFor(async () => expect(await readReadiness()).toEqual(everyProcess(ready)));
    renameSync(staging, moved);
    writeFileSync(staging, '');
    const problem = { status: 503, problems: ['blobStore: The blob store rejects writes (ENOTDIR)'] };
    const expected = deployment === 'standalone' ? [problem] : [ready, problem, ready, ready];
    await waitFor(async () => expect(await readReadiness()).toEqual(expected));
    rmSync(staging);
    renameSync(moved, staging);
    await waitFor(async () => expect(await readReadiness()).toEqual(everyProcess(ready)));
    expect(linesWith('Blob store rejects writes')).toHaveLength(1);
    expect(linesWith('Blob store accepts writes again')).toHaveLength(1);
  });
});
