import 'reflect-metadata';
import { runOperatorCommand } from '@family-watch/platform/operator/operator-command';
import { productCommands } from './contexts/payments/product-commands.js';
import { userctxDatabase } from './database/userctx-database.js';
import { userctxCommands } from './operator-commands.js';

/**
 * Creates operators, maintains the enrolment list and the products on sale, lists, replays and drops dead letters of
 * userctx, and reports on its outbox.
 */
await runOperatorCommand([userctxDatabase], undefined, [userctxCommands, productCommands]);
