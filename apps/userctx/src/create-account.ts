import 'reflect-metadata';
import { runCreateAccountCommand } from './contexts/accounts/links/create-account-command.js';

/** Creates an account in the database of DATABASE_URL; `npm run account:create` also supports the embedded database. */
await runCreateAccountCommand();
