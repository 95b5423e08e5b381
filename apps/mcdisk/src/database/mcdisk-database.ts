import type { DatabaseDeclaration } from '@family-watch/platform/database/app-database';
import { mcdiskEntities } from './mcdisk-entities.js';
import { mcdiskMigrations } from './mcdisk-migrations.js';

/** The database of mcdisk: its schema, migrations and entities. */
export const mcdiskDatabase: DatabaseDeclaration = {
  name: 'mcdisk',
  schema: 'mcdisk',
  migrations: mcdiskMigrations,
  entities: mcdiskEntities,
};
