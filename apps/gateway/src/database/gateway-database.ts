import type { DatabaseDeclaration } from '@family-watch/platform/database/database-declaration';
import { gatewayMigrations } from './gateway-migrations.js';

/** Declares the gateway's database, with its schema and migrations; the gateway has no TypeORM entities. */
export const gatewayDatabase: DatabaseDeclaration = {
  name: 'gateway',
  schema: 'gateway',
  migrations: gatewayMigrations,
  entities: [],
};
