import 'reflect-metadata';
import { openDatabaseUrl } from '@family-watch/embedded-postgres/embedded-postgres';
import { runCreateAccountCommand } from '@family-watch/userctx/contexts/accounts/links/create-account-command';

/** Entry point of `npm run account:create`: creates an account without an SMS and prints a sign-in link. */
await runCreateAccountCommand(openDatabaseUrl);
