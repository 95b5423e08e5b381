import type { OperatorProgram } from '@family-watch/platform/app/operator/operator-command';
import { auditCommandAt } from './commands/audited-command.js';
import { appReleaseCommands } from './commands/app-release-commands.js';
import { productCommands } from './commands/product-commands.js';
import { userctxDatabase } from './database/userctx-database.js';
import { userctxCommands } from './commands/operator-commands.js';

/** The commands of userctx's operator.js that are not programs of their own. */
export const operatorProgram: OperatorProgram = {
  declarations: [userctxDatabase],
  appCommands: [userctxCommands, productCommands, appReleaseCommands],
  programsUsage: `Accounts.

  npm run operator -- account create  creates an account without an SMS and prints a sign-in link; --help has its options
`,
  audit: auditCommandAt,
};
