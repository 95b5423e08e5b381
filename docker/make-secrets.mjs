#!/usr/bin/env node
/**
 * Generates the secrets of a deployment: `node docker/make-secrets.mjs [directory]` writes an env file for each
 * container of compose.yml, readable by its owner only. The program never overwrites files, because a
 * service with changed secrets could not use its database.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const APPS = ['userctx', 'mcdisk', 'gateway'];
const directory = resolve(process.argv[2] ?? join(import.meta.dirname, 'env'));
if (existsSync(directory)) {
  process.stderr.write(`${directory} already exists. It was not changed.\n`);
  process.exit(1);
}

/** Returns 256 random bits that need no quoting in files and URLs. nats.conf requires a leading letter. */
const secret = () => `k${randomBytes(32).toString('hex')}`;

const forEachApp = (make) => Object.fromEntries(APPS.map((app) => [app, make(app)]));
const roles = forEachApp(() => ({ app: secret(), owner: secret(), nats: secret() }));
const setupPassword = secret();
const nats = (user, password) => `nats://${user}:${password}@nats:4222`;
const database = (role, password) => `postgres://${role}:${password}@postgres:5432/family_watch`;

const files = {
  postgres: Object.assign(
    { POSTGRES_DB: 'family_watch', POSTGRES_USER: 'postgres', POSTGRES_PASSWORD: secret() },
    ...APPS.map((app) => ({
      [`${app.toUpperCase()}_PASSWORD`]: roles[app].app,
      [`${app.toUpperCase()}_OWNER_PASSWORD`]: roles[app].owner,
    })),
  ),
  nats: {
    ...Object.fromEntries(APPS.map((app) => [`NATS_${app.toUpperCase()}_PASSWORD`, roles[app].nats])),
    NATS_SETUP_PASSWORD: setupPassword,
  },
};
const secretKey = secret();
const internalSecret = secret();
const turnSecret = secret();
/** Access key of the bucket in `object-store`, in the form that Garage requires. */
const accessKey = { id: `GK${randomBytes(12).toString('hex')}`, secret: randomBytes(32).toString('hex') };
for (const app of APPS) {
  const url = database(app, roles[app].app);
  files[app] = {
    DATABASE_URL: url,
    NATS_URL: nats(app, roles[app].nats),
    // Authenticates requests between apps (/internal/).
    INTERNAL_SECRET: internalSecret,
    // userctx encrypts its signing keys and computes keyed digests of codes with this key. Other apps do not need the
    // key, because they verify tokens with public keys.
    ...(app === 'userctx' ? { SECRET_KEY: secretKey } : {}),
    // mcdisk mixes SECRET_KEY with the keys of signed URLs that its database stores. Without S3_BUCKET, mcdisk does not
    // use the access key.
    ...(app === 'mcdisk'
      ? { SECRET_KEY: secret(), S3_ACCESS_KEY_ID: accessKey.id, S3_SECRET_ACCESS_KEY: accessKey.secret }
      : {}),
    // The gateway encrypts the VAPID key of Web Push with SECRET_KEY, and creates credentials for `turn` with TURN_SECRET.
    ...(app === 'gateway' ? { SECRET_KEY: secret(), TURN_SECRET: turnSecret } : {}),
  };
  files[`${app}-owner`] = {
    DATABASE_URL: url,
    MIGRATION_DATABASE_URL: database(`${app}_owner`, roles[app].owner),
    // The migrations of userctx create the streams and consumers of all apps.
    ...(app === 'userctx' ? { NATS_URL: nats('setup', setupPassword) } : {}),
  };
}

/** Backup and restore read and write the data of all apps. */
files.backup = Object.assign(
  { S3_ACCESS_KEY_ID: accessKey.id, S3_SECRET_ACCESS_KEY: accessKey.secret },
  ...APPS.map((app) => ({
    [`${app.toUpperCase()}_DATABASE_URL`]: files[app].DATABASE_URL,
    [`${app.toUpperCase()}_MIGRATION_DATABASE_URL`]: files[`${app}-owner`].MIGRATION_DATABASE_URL,
    [`${app.toUpperCase()}_SECRET_KEY`]: files[app].SECRET_KEY,
  })),
);
files.turn = { TURN_SECRET: turnSecret };
files['object-store'] = {
  GARAGE_DEFAULT_ACCESS_KEY: accessKey.id,
  GARAGE_DEFAULT_SECRET_KEY: accessKey.secret,
  GARAGE_RPC_SECRET: randomBytes(32).toString('hex'),
};

mkdirSync(directory, { recursive: true, mode: 0o700 });
for (const [name, variables] of Object.entries(files)) {
  const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`);
  writeFileSync(join(directory, `${name}.env`), lines.join(''), { mode: 0o600, flag: 'wx' });
}
process.stdout.write(`Secrets written to ${directory}\n`);
