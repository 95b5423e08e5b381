import type { MigrationClass } from '@family-watch/platform/database/schema-compatibility';
import { Baseline1790000000001 } from './0001-baseline.migration.js';
import { OperatorLists1790000000010 } from './0010-operator-lists.migration.js';

/** Migrations in execution order. Numbers are multiples of ten (docs/contributing.md, "Add a migration"). */
export const userctxMigrations: readonly MigrationClass[] = [Baseline1790000000001, OperatorLists1790000000010];
