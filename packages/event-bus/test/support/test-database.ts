import { randomBytes } from 'node:crypto';
import { markServiceUsed } from '@family-watch/testing/reporting/backing-service-use';
import pg from 'pg';
import { eventBusSchemaSql } from '../../src/event-bus-schema.js';

/** A superuser's address of the server; `npm test` starts an embedded one where the environment names none. */
const serverUrl = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** A database of one suite, with schemas as apps have them. */
export class TestDatabase {
  #schemas = 0;

  private constructor(
    private readonly name: string,
    readonly url: string,
  ) {}

  static async create(): Promise<TestDatabase> {
    const name = `event_bus_${randomBytes(6).toString('hex')}`;
    await onServer(serverUrl, `create database ${name}`);
    markServiceUsed('postgres');
    return new TestDatabase(name, withDatabase(serverUrl, name));
  }

  /** Makes a schema with the tables of the event bus, and `seen`, where handlers leave their traces. */
  async createSchema(app: string): Promise<string> {
    const schema = `${app}_${++this.#schemas}`;
    await onServer(
      this.url,
      `create schema ${schema}`,
      ...eventBusSchemaSql(schema),
      `create table ${schema}.seen (
        position bigint generated always as identity, node text, handler text, event_id uuid, key text, n integer
      )`,
    );
    return schema;
  }

  async drop(): Promise<void> {
    await onServer(serverUrl, `drop database ${this.name} with (force)`);
  }
}

/** By text: addresses of Unix sockets have an empty host, which `URL` does not accept. */
function withDatabase(url: string, database: string): string {
  return url.replace(/^([^?]*\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${database}`);
}

async function onServer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
