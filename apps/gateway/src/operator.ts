import 'reflect-metadata';
import { runOperatorCommand } from '@family-watch/platform/operator/operator-command';
import { gatewayDatabase } from './database/gateway-database.js';

/** Lists, replays and drops dead letters of the gateway, and reports on its outbox. */
await runOperatorCommand([gatewayDatabase]);
