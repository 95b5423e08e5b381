import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess } from './service-process.js';
import type { EnvironmentVariables } from './service-process.js';
import type { RunningService, ServiceDatabase } from './running-service.js';

/** The standalone app (`npm start`) on a given database: the whole service in one process. */
export class StandaloneService implements RunningService {
  private constructor(
    readonly url: string,
    readonly dataDir: string,
    readonly secretKey: string,
    private readonly process: ServiceProcess,
  ) {}

  /** @param settings - environment variables besides database, data directory and port */
  static async start(database: ServiceDatabase, settings: EnvironmentVariables = {}): Promise<StandaloneService> {
    const dataDir = mkdtempSync(join(tmpdir(), 'fw-standalone-'));
    const secretKey = randomBytes(32).toString('base64url');
    const variables = {
      PORT: 0,
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      SECRET_KEY: secretKey,
      DATABASE_URL: database.url,
      MIGRATION_DATABASE_URL: database.migrationUrl,
      ...settings,
    };
    const logFile = join(dataDir, 'service.log');
    const process = ServiceProcess.start('standalone', 'apps/standalone/dist/main.js', variables, logFile);
    try {
      const url = await process.waitFor('its URL', () => findUrl(process.logs));
      await process.waitUntilReady(url);
      return new StandaloneService(url, dataDir, secretKey, process);
    } catch (error) {
      await process.kill();
      throw error;
    }
  }

  get processId(): number {
    return this.process.id;
  }

  get logs(): string[] {
    return this.process.logs;
  }

  async stop(): Promise<readonly (number | null)[]> {
    const exitCode = await this.process.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
    return [exitCode];
  }
}

function findUrl(logs: readonly string[]): string | undefined {
  for (const line of logs) {
    const [, url] = /^Family Watch is ready at (http\S+) after/.exec(line) ?? [];
    if (url) return url;
  }
  return undefined;
}
