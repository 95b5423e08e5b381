import type { MigrationInterface } from 'typeorm';
import { EventBus1790000002010 } from './2010-event-bus.migration.js';
import { FamilyCloud1790000002020 } from './2020-family-cloud.migration.js';

/** In the order in which they run. */
export const mcdiskMigrations: readonly (new () => MigrationInterface)[] = [
  EventBus1790000002010,
  FamilyCloud1790000002020,
];
