import 'reflect-metadata';
import { openDatabaseUrl } from '@family-watch/embedded-postgres/embedded-postgres';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { runOperatorCommand } from '@family-watch/platform/operator/operator-command';
import { runProductsCommand } from '@family-watch/userctx/contexts/payments/products-command';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';

/**
 * Entry point of `npm run operator`: lists, replays and drops dead letters of all apps, reports on their outboxes, and
 * sets the products that families can buy.
 */
const [subject, ...args] = process.argv.slice(2);
if (subject === 'products') await runProductsCommand(args, openDatabaseUrl);
else await runOperatorCommand([userctxDatabase, mcdiskDatabase, gatewayDatabase], openDatabaseUrl);
