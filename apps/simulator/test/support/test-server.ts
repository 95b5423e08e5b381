import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@family-watch/testing/network/free-ports';
import { Program } from './programs.js';

const STANDALONE_PROGRAM = 'apps/standalone/dist/main.js';

/** The standalone app with an embedded database. Its data directory remains when its process is killed. */
export class TestServer {
  private constructor(
    readonly url: string,
    readonly dataDir: string,
    private readonly port: number,
    private program: Program,
  ) {}

  static async start(): Promise<TestServer> {
    const dataDir = mkdtempSync(join(tmpdir(), 'fw-demo-test-'));
    // Postgres may run as another user, who must be able to enter the directory.
    chmodSync(dataDir, 0o711);
    const port = await freePort();
    const server = new TestServer(`http://127.0.0.1:${port}`, dataDir, port, startProgram(dataDir, port));
    await server.program.waitForLine(/ready at/);
    return server;
  }

  get smsFile(): string {
    return join(this.dataDir, 'sms-outbox.jsonl');
  }

  /** Kills the process with SIGKILL and restarts it with the same directory and port. */
  async crashAndRestart(): Promise<void> {
    await this.program.kill('SIGKILL');
    this.program = startProgram(this.dataDir, this.port);
    await this.program.waitForLine(/ready at/);
  }

  async stop(): Promise<void> {
    await this.program.kill('SIGTERM');
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

function startProgram(dataDir: string, port: number): Program {
  const clearedVariables = { DATABASE_URL: '', MIGRATION_DATABASE_URL: '', NATS_URL: '', PUBLIC_URL: '' };
  const env = {
    ...clearedVariables,
    DATA_DIR: dataDir,
    PORT: String(port),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'test',
    SOS_STEP_SECONDS: '3',
  };
  return Program.run(STANDALONE_PROGRAM, [], env);
}
