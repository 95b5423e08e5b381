import 'reflect-metadata';
import { runOperatorCommand } from '@family-watch/platform/operator/operator-command';
import type { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import { runProductsCommand } from './contexts/payments/products-command.js';
import { userctxDatabase } from './database/userctx-database.js';
import { userctxCommands } from './operator-commands.js';

/**
 * Creates operators, maintains the enrolment list and the products on sale, lists, replays and drops dead letters of
 * userctx, and reports on its outbox.
 */
const [subject, ...args] = process.argv.slice(2);
if (subject === 'products') await runProductsCommand(args, openDatabaseServer);
else await runOperatorCommand([userctxDatabase], undefined, userctxCommands);

function openDatabaseServer({ DATABASE_URL: url }: Environment) {
  if (url === undefined) throw new EnvironmentError(['DATABASE_URL is required']);
  return Promise.resolve({ url, stop: () => Promise.resolve() });
}
