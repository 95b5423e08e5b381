import 'reflect-metadata';
import { runMigrations } from '@family-watch/platform/app/run-migrations';
import { gatewayDatabase } from './database/gateway-database.js';

await runMigrations(gatewayDatabase);
