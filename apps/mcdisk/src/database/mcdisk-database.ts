import type { DatabaseDeclaration } from '@family-watch/platform/database/database-declaration';
import { mcdiskEntities } from './mcdisk-entities.js';
import { mcdiskMigrations } from './mcdisk-migrations.js';

/** The database of mcdisk: the schema it owns, what makes it, and the entities on it. */
export const mcdiskDatabase: DatabaseDeclaration = {
  name: 'mcdisk',
  schema: 'mcdisk',
  migrations: mcdiskMigrations,
  entities: mcdiskEntities,
};
