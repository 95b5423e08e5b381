import type { AppDatabaseOptions } from './app-database.js';
import type { MigrationOptions } from './migrate.js';

/** The database of an app, as the app itself declares it: the schema it owns, what makes it, and its entities. */
export type DatabaseDeclaration = Pick<AppDatabaseOptions, 'name' | 'schema' | 'entities'> &
  Pick<MigrationOptions, 'migrations'>;
