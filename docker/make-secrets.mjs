#!/usr/bin/env node
/**
 * Makes the secrets of a deployment, once: `node docker/make-secrets.mjs [folder]` writes an env file for each
 * container that compose.yml starts, readable by their owner alone. Nothing is overwritten: secrets that are lost or
 * changed lock the service out of its own database.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const APPS = ['userctx', 'mcdisk', 'gateway'];
const folder = resolve(process.argv[2] ?? join(import.meta.dirname, 'env'));
if (existsSync(folder)) {
  process.stderr.write(`${folder} is there already and stays as it is.\n`);
  process.exit(1);
}

/** 256 random bits that need no quoting in any file or address; nats.conf wants a letter first. */
const secret = () => `k${randomBytes(32).toString('hex')}`;

const each = (make) => Object.fromEntries(APPS.map((app) => [app, make(app)]));
const roles = each(() => ({ app: secret(), owner: secret(), nats: secret() }));
const database = (role, password) => `postgres://${role}:${password}@postgres:5432/family_watch`;

const files = {
  postgres: Object.assign(
    { POSTGRES_DB: 'family_watch', POSTGRES_USER: 'postgres', POSTGRES_PASSWORD: secret() },
    ...APPS.map((app) => ({
      [`${app.toUpperCase()}_PASSWORD`]: roles[app].app,
      [`${app.toUpperCase()}_OWNER_PASSWORD`]: roles[app].owner,
    })),
  ),
  nats: Object.fromEntries(APPS.map((app) => [`NATS_${app.toUpperCase()}_PASSWORD`, roles[app].nats])),
};
const secretKey = secret();
for (const app of APPS) {
  const url = database(app, roles[app].app);
  files[app] = {
    DATABASE_URL: url,
    NATS_URL: `nats://${app}:${roles[app].nats}@nats:4222`,
    // Signs and seals, so userctx alone has it; the others verify by its public keys. With one of its own the gateway
    // keeps the key that Web Push services know it by.
    ...(app === 'userctx' ? { SECRET_KEY: secretKey } : {}),
    // Mixed into the keys of addresses for reading, which lie in mcdisk's database.
    ...(app === 'mcdisk' ? { SECRET_KEY: secret() } : {}),
    ...(app === 'gateway' ? { SECRET_KEY: secret() } : {}),
  };
  files[`${app}-owner`] = { DATABASE_URL: url, MIGRATION_DATABASE_URL: database(`${app}_owner`, roles[app].owner) };
}

mkdirSync(folder, { recursive: true, mode: 0o700 });
for (const [name, variables] of Object.entries(files)) {
  const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`);
  writeFileSync(join(folder, `${name}.env`), lines.join(''), { mode: 0o600, flag: 'wx' });
}
process.stdout.write(`Secrets written to ${folder}\n`);
