import 'reflect-metadata';
import { runMigrations } from '@family-watch/platform/app/run-migrations';
import { userctxDatabase } from './database/userctx-database.js';

await runMigrations(userctxDatabase, { setsUpNats: true });
