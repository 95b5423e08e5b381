import { randomBytes } from 'node:crypto';
import { openDedicatedConnection } from '@family-watch/platform/database/connection';
import { cpuSecondsOf } from './process-figures.js';

type Connection = Awaited<ReturnType<typeof openDedicatedConnection>>;

const URL_VARIABLE = 'DATABASE_URL';
const SAMPLE_INTERVAL_MS = 500;

/** CPU seconds of the database server that are attributed to one database. */
export interface DatabaseCpu {
  /** CPU seconds of the Postgres backends of this database. */
  backends: number;
  /**
   * The database's share of the CPU seconds of Postgres's writer processes, in proportion to the rows written to it.
   */
  shared: number;
}

/** A temporary database for one server under test. */
export class BenchDatabase {
  private constructor(
    readonly url: string,
    readonly name: string,
    private readonly adminUrl: string,
    /** Database connection of the superuser. */
    readonly connection: Connection,
  ) {}

  /** @param adminUrl - URL with a role that may create databases and read `pg_stat_activity` */
  static async create(adminUrl: string): Promise<BenchDatabase> {
    const name = `family_watch_bench_${randomBytes(4).toString('hex')}`;
    const admin = await openDedicatedConnection({ url: adminUrl, variableName: URL_VARIABLE }, 'bench');
    try {
      await admin.query(`CREATE DATABASE ${name}`);
      await admin.query(`ALTER DATABASE ${name} SET synchronous_commit = on`);
    } finally {
      await admin.end();
    }
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    return new BenchDatabase(
      url.href,
      name,
      adminUrl,
      await openDedicatedConnection({ url: url.href, variableName: URL_VARIABLE }, 'bench'),
    );
  }

  /** Prefix of NATS subjects that only the apps of this database use. */
  get natsPrefix(): string {
    return this.name.replaceAll('_', '-');
  }

  async query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.connection.query(sql, values);
    return rows as Row[];
  }

  /** Returns the server's version and the settings that determine the cost of a commit. */
  async describe(): Promise<Record<string, string>> {
    const names = ['server_version', 'synchronous_commit', 'fsync', 'full_page_writes', 'shared_buffers', 'wal_level'];
    const rows = await this.query<{ name: string; setting: string }>(
      'SELECT name, current_setting(name) AS setting FROM unnest($1::text[]) AS name',
      [names],
    );
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  }

  /**
   * Starts measuring the CPU time of the database by a short query every 500 ms.
   *
   * @returns a function that stops measuring and returns the CPU seconds
   */
  async measureCpu(): Promise<() => Promise<DatabaseCpu>> {
    const meter = new DatabaseCpuMeter(this);
    await meter.start();
    const timer = setInterval(() => void meter.sample().catch(() => undefined), SAMPLE_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      return meter.stop();
    };
  }

  async drop(): Promise<void> {
    await this.connection.end();
    const admin = await openDedicatedConnection({ url: this.adminUrl, variableName: URL_VARIABLE }, 'bench');
    try {
      await admin.query(`DROP DATABASE ${this.name} WITH (FORCE)`);
    } finally {
      await admin.end();
    }
  }
}

interface ServerProcessRow {
  pid: number;
  isOwn: boolean;
}

const SELECT_PROCESSES = `
  SELECT pid, datname IS NOT NULL AS "isOwn" FROM pg_stat_activity
  WHERE (datname = current_database() AND pid <> pg_backend_pid())
     OR backend_type IN ('walwriter', 'background writer', 'checkpointer')`;

const COUNT_WRITTEN_ROWS = `
  SELECT sum(tup_inserted + tup_updated + tup_deleted)::float8 AS total,
         sum(tup_inserted + tup_updated + tup_deleted) FILTER (WHERE datname = current_database())::float8 AS own
  FROM pg_stat_database`;

/** Sums the CPU time of the server's processes, including those that start or exit during the measurement. */
class DatabaseCpuMeter {
  /** CPU seconds per process id when the measurement started. */
  private readonly secondsAtStart = new Map<number, number>();
  /** CPU seconds per process id at the latest sample. */
  private readonly latestSeconds = new Map<number, number>();
  private readonly ownPids = new Set<number>();
  private writtenRows = { total: 0, own: 0 };

  constructor(private readonly database: BenchDatabase) {}

  async start(): Promise<void> {
    this.writtenRows = await this.countWrittenRows();
    await this.sample();
    for (const [pid, seconds] of this.latestSeconds) this.secondsAtStart.set(pid, seconds);
  }

  async sample(): Promise<void> {
    for (const { pid, isOwn } of await this.database.query<ServerProcessRow>(SELECT_PROCESSES)) {
      const seconds = cpuSecondsOf(pid);
      if (seconds === undefined) continue;
      this.latestSeconds.set(pid, seconds);
      if (isOwn) this.ownPids.add(pid);
    }
  }

  async stop(): Promise<DatabaseCpu> {
    await this.sample();
    const { total, own } = await this.countWrittenRows();
    const written = total - this.writtenRows.total;
    const share = written > 0 ? (own - this.writtenRows.own) / written : 1;
    const used = { backends: 0, shared: 0 };
    for (const [pid, seconds] of this.latestSeconds) {
      const delta = seconds - (this.secondsAtStart.get(pid) ?? 0);
      if (this.ownPids.has(pid)) used.backends += delta;
      else used.shared += delta * share;
    }
    return used;
  }

  private async countWrittenRows(): Promise<{ total: number; own: number }> {
    const [row] = await this.database.query<{ total: number; own: number }>(COUNT_WRITTEN_ROWS);
    return row ?? { total: 0, own: 0 };
  }
}
