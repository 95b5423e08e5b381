import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess, type EnvironmentVariables } from './service-process.js';
import type { RunningService, ServiceDatabase } from './running-service.js';

/** The standalone app (`npm start`), which runs the whole service in one process, on a given database. */
export class StandaloneService implements RunningService {
  private constructor(
    readonly url: string,
    readonly dataDir: string,
    readonly secretKey: string,
    private readonly process: ServiceProcess,
    private readonly ownsDataDir: boolean,
  ) {}

  /**
   * @param settings - environment variables in addition to database and port
   * @param program - path of the built program, by default that of this repository
   */
  static async start(
    database: ServiceDatabase,
    settings: EnvironmentVariables = {},
    program = 'apps/standalone/dist/main.js',
  ): Promise<StandaloneService> {
    const { DATA_DIR, SECRET_KEY } = settings;
    const dataDir = DATA_DIR === undefined ? mkdtempSync(join(tmpdir(), 'fw-standalone-')) : String(DATA_DIR);
    const secretKey = SECRET_KEY === undefined ? randomBytes(32).toString('base64url') : String(SECRET_KEY);
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
    const process = ServiceProcess.start('standalone', program, variables, logFile);
    try {
      const url = await process.waitFor('its URL', () => findUrl(process.logs));
      await process.waitUntilReady(url);
      return new StandaloneService(url, dataDir, secretKey, process, DATA_DIR === undefined);
    } catch (error) {
      await process.kill();
      throw error;
    }
  }

  get gatewayUrls(): string[] {
    return [this.url];
  }

  get processId(): number {
    return this.process.id;
  }

  get logs(): string[] {
    return this.process.logs;
  }

  async stop(): Promise<readonly (number | null)[]> {
    const exitCode = await this.process.stop();
    if (this.ownsDataDir) rmSync(this.dataDir, { recursive: true, force: true });
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
