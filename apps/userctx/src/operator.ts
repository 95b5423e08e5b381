import 'reflect-metadata';
import { runOperatorCommand } from '@family-watch/platform/operator/operator-command';
import type { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import { runProductsCommand } from './contexts/payments/products-command.js';
import { userctxDatabase } from './database/userctx-database.js';

/** Lists, replays and drops dead letters of userctx, reports on its outbox, and sets the products on sale. */
const [subject, ...args] = process.argv.slice(2);
if (subject === 'products') await runProductsCommand(args, openDatabaseServer);
else await runOperatorCommand([userctxDatabase]);

function openDatabaseServer({ DATABASE_URL: url }: Environment) {
  if (url === undefined) throw new EnvironmentError(['DATABASE_URL is required']);
  return Promise.resolve({ url, stop: () => Promise.resolve() });
}
