import type { DatabaseDeclaration } from '@family-watch/platform/database/app-database';
import { gatewayEntities } from './gateway-entities.js';
import { gatewayAdoption } from './gateway-adoption.js';
import { gatewayMigrations } from './gateway-migrations.js';
import { gatewayRestoreSteps } from './gateway-restore.sql.js';

/** The database of the gateway: its schema, migrations and entities. */
export const gatewayDatabase: DatabaseDeclaration = {
  name: 'gateway',
  schema: 'gateway',
  migrations: gatewayMigrations,
  adoption: gatewayAdoption,
  entities: gatewayEntities,
  restoreSteps: gatewayRestoreSteps,
};
