import type { DatabaseDeclaration } from '@family-watch/platform/database/database-declaration';
import { gatewayMigrations } from './gateway-migrations.js';

/** The database of gateway: the schema it owns, what makes it, and the entities on it. */
export const gatewayDatabase: DatabaseDeclaration = {
  name: 'gateway',
  schema: 'gateway',
  migrations: gatewayMigrations,
  entities: [],
};
