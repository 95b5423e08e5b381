import 'reflect-metadata';
import { runOperatorCommand } from '@family-watch/platform/operator/operator-command';
import { operatorProgram } from './operator-program.js';

/** Entry point of `npm run operator`. */
await runOperatorCommand(operatorProgram, process.argv.slice(2));
