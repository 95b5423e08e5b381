import 'reflect-metadata';
import { runMigrations } from '@family-watch/platform/app/run-migrations';
import { mcdiskDatabase } from './database/mcdisk-database.js';

await runMigrations(mcdiskDatabase);
