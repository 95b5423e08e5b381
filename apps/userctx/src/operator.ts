import 'reflect-metadata';
import { runOperatorCommand } from '@family-watch/platform/operator/operator-command';
import { userctxDatabase } from './database/userctx-database.js';

/** Lists, replays and drops dead letters of userctx, and reports on its outbox. */
await runOperatorCommand([userctxDatabase]);
