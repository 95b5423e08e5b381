import 'reflect-metadata';
import { runOperatorCommand } from '@family-watch/platform/operator/operator-command';
import { mcdiskDatabase } from './database/mcdisk-database.js';

/** Lists, replays and drops dead letters of mcdisk, and reports on its outbox. */
await runOperatorCommand([mcdiskDatabase]);
