import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withClient } from '@family-watch/testing/database/test-server';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { describeBothDeploymentsAtOnce, type Deployment } from '../support/deployments.js';
import { TestService } from '../support/test-service.js';

interface ProcessState {
  status: number;
  problems: string[];
}

const READY: ProcessState = { status: 200, problems: [] };

/** A service of this suite alone, whose database and blob store can be made to reject writes. */
class ServiceWithFaults {
  private constructor(
    private readonly service: TestService,
    private readonly blobDirectory: string,
  ) {}

  static async start(deployment: Deployment): Promise<ServiceWithFaults> {
    const blobDirectory = mkdtempSync(join(tmpdir(), 'fw-blobs-'));
    return new ServiceWithFaults(await TestService.start(deployment, { BLOB_DIR: blobDirectory }), blobDirectory);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    rmSync(this.blobDirectory, { recursive: true, force: true });
  }

  async testDatabaseFault(): Promise<void> {
    const { processUrls } = this.service;
    await this.waitUntilReady();
    await this.setReadOnly('on');
    try {
      const problems = ['databaseWrites: The database rejects writes (SQLSTATE 25006)'];
      await this.waitForReadiness(processUrls.map(() => ({ status: 503, problems })));
      for (const url of processUrls) expect((await fetch(`${url}/health/live`)).status).toBe(200);
    } finally {
      await this.setReadOnly('off');
    }
    await this.waitUntilReady();
    // A check that fails because its connection broke does not change the result, so each process logs the fault once.
    await this.waitForLines('Database rejects writes', processUrls.length);
    await this.waitForLines('Database accepts writes again', processUrls.length);
  }

  async testBlobStoreFault(): Promise<void> {
    const [staging, moved] = [join(this.blobDirectory, 'staging'), join(this.blobDirectory, 'moved')];
    await this.waitUntilReady();
    renameSync(staging, moved);
    writeFileSync(staging, '');
    const problem = { status: 503, problems: ['blobStore: The blob store rejects writes (ENOTDIR)'] };
    await this.waitForReadiness(this.service.deployment === 'standalone' ? [problem] : [READY, problem, READY, READY]);
    rmSync(staging);
    renameSync(moved, staging);
    await this.waitUntilReady();
    await this.waitForLines('Blob store rejects writes', 1);
    await this.waitForLines('Blob store accepts writes again', 1);
  }

  private waitUntilReady(): Promise<void> {
    return this.waitForReadiness(this.service.processUrls.map(() => READY));
  }

  private waitForReadiness(expected: readonly ProcessState[]): Promise<void> {
    return waitFor(async () => expect(await this.readReadiness()).toEqual(expected));
  }

  /** Returns the readiness status and the failed components of each process. */
  private readReadiness(): Promise<ProcessState[]> {
    return Promise.all(
      this.service.processUrls.map(async (url) => {
        const response = await fetch(`${url}/health/ready`);
        const { details = [] } = (await response.json()) as { details?: { field: string; message: string }[] };
        return { status: response.status, problems: details.map(({ field, message }) => `${field}: ${message}`) };
      }),
    );
  }

  /** Waits until the log has `count` lines with the message: lines may arrive after a response shows the same state. */
  private waitForLines(message: string, count: number): Promise<void> {
    return waitFor(() => expect(this.service.logs.filter((line) => line.includes(message))).toHaveLength(count));
  }

  private async setReadOnly(value: 'on' | 'off'): Promise<void> {
    const { databaseName, databaseUrl } = this.service;
    await withClient(databaseUrl.replace(databaseName, 'postgres'), async (client) => {
      await client.query(`ALTER DATABASE ${databaseName} SET default_transaction_read_only = ${value}`);
      // Open connections would keep the previous setting, so they are terminated.
      await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [databaseName]);
    });
  }
}

describeBothDeploymentsAtOnce('readiness while writes fail', (deployments) => {
  let services: ServiceWithFaults[] = [];

  beforeAll(async () => {
    services = await Promise.all(deployments.map((deployment) => ServiceWithFaults.start(deployment)));
  });
  afterAll(() => Promise.all(services.map((service) => service.stop())));

  test('no process is ready while the database rejects writes, and all are ready when it accepts them', async () => {
    await Promise.all(services.map((service) => service.testDatabaseFault()));
  });

  test('the process of the family cloud is not ready while its blob directory cannot be written', async () => {
    await Promise.all(services.map((service) => service.testBlobStoreFault()));
  });
});
