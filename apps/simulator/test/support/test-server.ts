import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@family-watch/testing/network/free-ports';
import { Program } from './programs.js';

const STANDALONE_PROGRAM = 'apps/standalone/dist/main.js';

/** Standalone on its embedded database, with a data directory that outlives the process. */
export class TestServer {
  private constructor(
    readonly url: string,
    readonly dataDir: string,
    private readonly port: number,
    private program: Program,
  ) {}

  static async start(): Promise<TestServer> {
    const dataDir = mkdtempSync(join(tmpdir(), 'fw-demo-test-'));
    // Postgres may run as another user, who needs search permission.
    chmodSync(dataDir, 0o711);
    const [port = 0] = await freePorts(1);
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
  const empty = { DATABASE_URL: '', MIGRATION_DATABASE_URL: '', NATS_URL: '', PUBLIC_URL: '' };
  const env = {
    ...empty,
    DATA_DIR: dataDir,
    PORT: String(port),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'test',
    SOS_STEP_SECONDS: '3',
  };
  return Program.run(STANDALONE_PROGRAM, [], env);
}
