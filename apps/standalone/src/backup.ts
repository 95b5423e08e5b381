import 'reflect-metadata';
import { runCommandLine } from '@family-watch/platform/app/operator/command-line';
import { runBackup } from './backup/commands.js';

/** Entry point of `npm run backup`: writes a backup of the running service. */
await runCommandLine(() => runBackup(process.argv.slice(2)));
