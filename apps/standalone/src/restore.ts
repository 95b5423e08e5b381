import 'reflect-metadata';
import { runCommandLine } from '@family-watch/platform/app/operator/command-line';
import { runRestore } from './backup/commands.js';

/** Entry point of `npm run restore`: restores a backup into an empty database. */
await runCommandLine(() => runRestore(process.argv.slice(2)));
