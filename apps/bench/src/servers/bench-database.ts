import { randomBytes } from 'node:crypto';
import { openDedicatedConnection } from '@family-watch/platform/database/connection';
import { cpuSecondsOf } from './process-figures.js';

type Connection = Awaited<ReturnType<typeof openDedicatedConnection>>;

const VARIABLE = 'DATABASE_URL';
const SAMPLE_MS = 500;

/** CPU seconds of the database server that belong to one database. */
export interface DatabaseCpu {
  /** Processes that serve this database alone. */
  backends: number;
  /** This database's part of the processes that write for all, by the rows that were written in each. */
  shared: number;
}

/** A database of the bench's own on somebody's server. */
export class BenchDatabase {
  private constructor(
    readonly url: string,
    readonly name: string,
    private readonly adminUrl: string,
    /** Of the server's superuser, in this database. */
    readonly connection: Connection,
  ) {}

  /** @param adminUrl - a role that may make databases and look into the server's processes */
  static async create(adminUrl: string): Promise<BenchDatabase> {
    const name = `family_watch_bench_${randomBytes(4).toString('hex')}`;
    const admin = await openDedicatedConnection({ url: adminUrl, variable: VARIABLE }, 'bench');
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
      await openDedicatedConnection({ url: url.href, variable: VARIABLE }, 'bench'),
    );
  }

  async query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.connection.query(sql, values);
    return rows as Row[];
  }

  /** The server's version and the settings that decide what a commit costs. */
  async describe(): Promise<Record<string, string>> {
    const names = ['server_version', 'synchronous_commit', 'fsync', 'full_page_writes', 'shared_buffers', 'wal_level'];
    const rows = await this.query<{ name: string; setting: string }>(
      'SELECT name, current_setting(name) AS setting FROM unnest($1::text[]) AS name',
      [names],
    );
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  }

  /** Starts measuring; the measuring itself costs one short query every half second. */
  async measureCpu(): Promise<() => Promise<DatabaseCpu>> {
    const meter = new DatabaseCpuMeter(this);
    await meter.begin();
    const timer = setInterval(() => void meter.sample().catch(() => undefined), SAMPLE_MS);
    return () => {
      clearInterval(timer);
      return meter.end();
    };
  }

  async drop(): Promise<void> {
    await this.connection.end();
    const admin = await openDedicatedConnection({ url: this.adminUrl, variable: VARIABLE }, 'bench');
    try {
      await admin.query(`DROP DATABASE ${this.name} WITH (FORCE)`);
    } finally {
      await admin.end();
    }
  }
}

interface ServerProcessRow {
  pid: number;
  mine: boolean;
}

const PROCESSES = `
  SELECT pid, datname IS NOT NULL AS mine FROM pg_stat_activity
  WHERE (datname = current_database() AND pid <> pg_backend_pid())
     OR backend_type IN ('walwriter', 'background writer', 'checkpointer')`;

const ROWS_WRITTEN = `
  SELECT sum(tup_inserted + tup_updated + tup_deleted)::float8 AS everywhere,
         sum(tup_inserted + tup_updated + tup_deleted) FILTER (WHERE datname = current_database())::float8 AS here
  FROM pg_stat_database`;

/** Adds up what the server's processes have used, also of those that begin or end meanwhile. */
class DatabaseCpuMeter {
  private readonly first = new Map<number, number>();
  private readonly last = new Map<number, number>();
  private readonly mine = new Set<number>();
  private written = { everywhere: 0, here: 0 };

  constructor(private readonly database: BenchDatabase) {}

  async begin(): Promise<void> {
    this.written = await this.rowsWritten();
    await this.sample();
    for (const [pid, seconds] of this.last) this.first.set(pid, seconds);
  }

  async sample(): Promise<void> {
    for (const { pid, mine } of await this.database.query<ServerProcessRow>(PROCESSES)) {
      const seconds = cpuSecondsOf(pid);
      if (seconds === undefined) continue;
      this.last.set(pid, seconds);
      if (mine) this.mine.add(pid);
    }
  }

  async end(): Promise<DatabaseCpu> {
    await this.sample();
    const { everywhere, here } = await this.rowsWritten();
    const all = everywhere - this.written.everywhere;
    const share = all > 0 ? (here - this.written.here) / all : 1;
    const used = { backends: 0, shared: 0 };
    for (const [pid, seconds] of this.last) {
      const delta = seconds - (this.first.get(pid) ?? 0);
      if (this.mine.has(pid)) used.backends += delta;
      else used.shared += delta * share;
    }
    return used;
  }

  private async rowsWritten(): Promise<{ everywhere: number; here: number }> {
    const [row] = await this.database.query<{ everywhere: number; here: number }>(ROWS_WRITTEN);
    return row ?? { everywhere: 0, here: 0 };
  }
}
