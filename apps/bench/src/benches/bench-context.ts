import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchOptions } from '../options.js';
import { BenchDatabase } from '../servers/bench-database.js';
import { startNats, type Nats } from '../servers/nats.js';
import { openBenchDatabaseServer, type BenchDatabaseServer } from '../servers/database-server.js';

const QUICK_WARM_UP_MS = 500;

/**
 * Resources that every benchmark uses: options, database server, NATS and a temporary folder. `close` releases these
 * resources.
 */
export class BenchContext {
  private readonly cleanups = new AsyncDisposableStack();
  private isFolderKept = false;
  private closing?: Promise<void>;

  private constructor(
    readonly options: BenchOptions,
    /** Temporary folder of this run, which `close` deletes unless `keepFolder` was called. */
    readonly folder: string,
    private readonly databaseServer: BenchDatabaseServer,
    readonly nats: Nats,
    readonly log: (text: string) => void,
  ) {}

  static async open(options: BenchOptions, log: (text: string) => void): Promise<BenchContext> {
    const folder = await mkdtemp(join(tmpdir(), 'family-watch-bench-'));
    const databaseServer = await openBenchDatabaseServer(folder, options.database);
    const nats = await startNats(folder, { url: options.nats });
    return new BenchContext(options, folder, databaseServer, nats, log);
  }

  /** Arguments for Node that make a process write a CPU profile; empty without the option `--profile`. */
  get profilingArgs(): readonly string[] {
    const { profile } = this.options;
    return profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  }

  /** Returns a size of data or load: `full`, for which the goals are defined, or `small` with `--quick`. */
  size(full: number, small: number): number {
    return this.options.quick ? small : full;
  }

  /** Returns the duration of a warm-up in milliseconds: `full`, or half a second with `--quick`. */
  warmUpMs(full: number): number {
    return this.size(full, QUICK_WARM_UP_MS);
  }

  /** Creates a separate database for a server under test. `close` drops it. */
  async createDatabase(): Promise<BenchDatabase> {
    const database = await BenchDatabase.create(this.databaseServer.adminUrl);
    this.onClose(() => database.drop());
    return database;
  }

  /** Keeps the folder after the run, for example to examine the clients' history. */
  keepFolder(): void {
    this.isFolderKept = true;
  }

  /** Registers a callback for `close`. Callbacks run in reverse order, each even if another one fails. */
  onClose(callback: () => Promise<void>): void {
    this.cleanups.defer(() => callback().catch((error: unknown) => this.log(`Cleanup failed: ${String(error)}`)));
  }

  /** Releases the resources once, even if a signal closes the context of a running bench. */
  close(): Promise<void> {
    return (this.closing ??= this.release());
  }

  private async release(): Promise<void> {
    await this.cleanups.disposeAsync();
    await this.nats.process?.stop();
    await this.databaseServer.close();
    if (this.isFolderKept) this.log(`The clients’ histories are in ${this.folder}`);
    else await rm(this.folder, { recursive: true, force: true });
  }
}
