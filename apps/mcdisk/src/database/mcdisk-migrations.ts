import type { MigrationClass } from '@family-watch/platform/database/schema-compatibility';
import { Baseline1790000000001 } from './0001-baseline.migration.js';

/** Migrations in execution order. Numbers are multiples of ten (docs/contributing.md, "Add a migration"). */
export const mcdiskMigrations: readonly MigrationClass[] = [Baseline1790000000001];
