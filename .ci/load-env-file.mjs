/*
 * `node --import ./.ci/load-env-file.mjs` reads .env if it exists; variables of the environment are preferred. Node's own
 * option `--env-file-if-exists` prints a line on stderr if there is no file.
 */
import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile('.env');
