import { randomBytes } from 'node:crypto';
import { countInRun } from '@family-watch/testing/reporting/run-counters';
import pg from 'pg';
import { eventBusSchemaSql } from '../../src/event-bus-schema.js';

/** Superuser URL of the server; `npm test` starts an embedded server if the environment variable is not set. */
const serverUrl = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** A database of one suite, with a schema per app. */
export class TestDatabase {
  #schemaCount = 0;

  private constructor(
    private readonly name: string,
    readonly url: string,
  ) {}

  static async create(): Promise<TestDatabase> {
    const name = `event_bus_${randomBytes(6).toString('hex')}`;
    await execute(serverUrl, `CREATE DATABASE ${name}`);
    countInRun('test-databases');
    return new TestDatabase(name, withDatabase(serverUrl, name));
  }

  /** Creates a schema with the event bus tables and `handled_event`, in which test handlers record events. */
  async createSchema(app: string): Promise<string> {
    const schema = `${app}_${++this.#schemaCount}`;
    await execute(
      this.url,
      `CREATE SCHEMA ${schema}`,
      ...eventBusSchemaSql(schema),
      `CREATE TABLE ${schema}.handled_event (
        position bigint GENERATED ALWAYS AS IDENTITY, node text, handler text, event_id uuid, key text, step integer
      )`,
    );
    return schema;
  }

  async drop(): Promise<void> {
    await execute(serverUrl, `DROP DATABASE ${this.name} WITH (FORCE)`);
  }
}

/** Replaces the database in a URL as text, because `URL` does not accept the empty host of Unix sockets. */
function withDatabase(url: string, database: string): string {
  return url.replace(/^([^?]*\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${database}`);
}

async function execute(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
