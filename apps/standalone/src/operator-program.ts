import { openDatabaseUrl } from '@family-watch/embedded-postgres/embedded-postgres';
import { useDeliveryDiagnosis } from '@family-watch/gateway/operations/diagnosis/use-delivery-diagnosis';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import type { OperatorProgram } from '@family-watch/platform/app/operator/operator-command';
import { auditCommandAt } from '@family-watch/userctx/commands/audited-command';
import { appReleaseCommands } from '@family-watch/userctx/commands/app-release-commands';
import { productCommands } from '@family-watch/userctx/commands/product-commands';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { userctxCommands } from '@family-watch/userctx/commands/operator-commands';
import { readSecretKey } from './secret-key.js';

/**
 * The commands of `npm run operator` that are not programs of their own: creates operators, maintains the enrolment list
 * and the products that families can buy, diagnoses deliveries, lists, replays and drops dead letters of all apps, and
 * reports on their outboxes.
 */
export const operatorProgram: OperatorProgram = {
  declarations: [userctxDatabase, mcdiskDatabase, gatewayDatabase],
  openServer: openDatabaseUrl,
  appCommands: [
    {
      ...userctxCommands,
      run: (args, environment, url) =>
        useDeliveryDiagnosis(url, (deliveries) =>
          userctxCommands.run(
            args,
            { ...environment, SECRET_KEY: environment.SECRET_KEY ?? readSecretKey(environment.DATA_DIR) },
            url,
            deliveries,
          ),
        ),
    },
    productCommands,
    appReleaseCommands,
  ],
  programsUsage: `Accounts and files. With --help, both commands explain their options.

  npm run operator -- account create  creates an account without an SMS and prints a sign-in link
  npm run operator -- fsck            checks the family cloud's store against its database
`,
  audit: auditCommandAt,
};
