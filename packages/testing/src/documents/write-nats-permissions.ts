import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_APPS } from '@family-watch/event-bus/event-map';
import { natsPermissionsFile } from './nats-permissions.js';

const DIRECTORY = join(import.meta.dirname, '../../../../docker/nats/permissions');

mkdirSync(DIRECTORY, { recursive: true });
for (const app of EVENT_APPS) writeFileSync(join(DIRECTORY, `${app}.conf`), natsPermissionsFile(app));
