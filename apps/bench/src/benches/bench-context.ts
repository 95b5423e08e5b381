import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchOptions } from '../options.js';
import { BenchDatabase } from '../servers/bench-database.js';
import { startNats } from '../servers/nats.js';
import type { Nats } from '../servers/nats.js';
import { openBenchDatabaseServer } from '../servers/database-server.js';
import type { BenchDatabaseServer } from '../servers/database-server.js';

/** What every bench stands on, and what is taken down at the end. */
export class BenchContext {
  private readonly endings: (() => Promise<unknown>)[] = [];
  private kept = false;

  private constructor(
    readonly options: BenchOptions,
    /** For the run alone; gone afterwards, unless somebody wants to keep it. */
    readonly folder: string,
    private readonly databaseServer: BenchDatabaseServer,
    readonly nats: Nats,
    readonly say: (text: string) => void,
  ) {}

  static async open(options: BenchOptions, say: (text: string) => void): Promise<BenchContext> {
    const folder = await mkdtemp(join(tmpdir(), 'family-watch-bench-'));
    const databaseServer = await openBenchDatabaseServer(folder, options.database);
    const nats = await startNats(folder, options.nats);
    return new BenchContext(options, folder, databaseServer, nats, say);
  }

  /** A database of its own for each server that is measured. */
  async database(): Promise<BenchDatabase> {
    const database = await BenchDatabase.create(this.databaseServer.adminUrl);
    this.onClose(() => database.drop());
    return database;
  }

  /** What the clients saw is worth a look. */
  keepFolder(): void {
    this.kept = true;
  }

  /** Done at the end, the last first, whatever happens. */
  onClose(ending: () => Promise<unknown>): void {
    this.endings.push(ending);
  }

  async close(): Promise<void> {
    for (const ending of this.endings.reverse()) {
      await ending().catch((error: unknown) => this.say(`Something could not be taken down: ${String(error)}`));
    }
    await this.nats.process?.stop();
    await this.databaseServer.close();
    if (this.kept) this.say(`What the clients saw is in ${this.folder}`);
    else await rm(this.folder, { recursive: true, force: true });
  }
}
