import type { AppDatabaseOptions } from './app-database.js';
import type { MigrationOptions } from './migrate.js';

/** An app's declaration of its database: schema, migrations and entities. */
export type DatabaseDeclaration = Pick<AppDatabaseOptions, 'name' | 'schema' | 'entities'> &
  Pick<MigrationOptions, 'migrations'>;
