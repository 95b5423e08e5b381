import 'reflect-metadata';
import { runOperatorCommand } from '@family-watch/platform/operator/operator-command';
import { auditCommandAt } from './audited-command.js';
import { appReleaseCommands } from './contexts/app-releases/app-release-commands.js';
import { productCommands } from './contexts/payments/product-commands.js';
import { userctxDatabase } from './database/userctx-database.js';
import { userctxCommands } from './operator-commands.js';

/**
 * Creates operators, maintains the enrolment list and the products on sale, diagnoses deliveries, lists, replays and
 * drops dead letters of all apps, and reports on their outboxes. Uses the database of userctx, and asks the other apps at
 * MCDISK_URL and GATEWAY_URL.
 */
await runOperatorCommand(
  {
    declarations: [userctxDatabase],
    appCommands: [userctxCommands, productCommands, appReleaseCommands],
    audit: auditCommandAt,
  },
  process.argv.slice(2),
);
