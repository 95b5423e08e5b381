import 'reflect-metadata';
import { runMigrations } from '@family-watch/platform/process/run-migrations';
import { gatewayDatabase } from './database/gateway-database.js';

await runMigrations(gatewayDatabase);
