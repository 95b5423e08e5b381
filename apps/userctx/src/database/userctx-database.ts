import type { DatabaseDeclaration } from '@family-watch/platform/database/app-database';
import { userctxEntities } from './userctx-entities.js';
import { userctxMigrations } from './userctx-migrations.js';

/** The database of userctx: its schema, migrations and entities. */
export const userctxDatabase: DatabaseDeclaration = {
  name: 'userctx',
  schema: 'userctx',
  migrations: userctxMigrations,
  entities: userctxEntities,
};
