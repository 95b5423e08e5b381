import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Environment } from './environment.js';

/**
 * Environment variables are missing or invalid. The message names each missing or invalid variable and never contains a
 * value.
 */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';

  constructor(readonly problems: readonly string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/**
 * Reads the variables of {@link Environment} from `source`. Empty variables count as absent.
 *
 * @param required - optional variables that this process requires
 * @throws EnvironmentError
 */
export function loadEnvironment(
  source: NodeJS.ProcessEnv = process.env,
  required: readonly (keyof Environment)[] = [],
): Environment {
  const defaults = new Environment();
  const names = new Set([...Object.keys(defaults), ...OPTIONAL_VARIABLES]);
  const present = Object.fromEntries(Object.entries(source).filter(([name, value]) => names.has(name) && value !== ''));
  const environment = plainToInstance(Environment, present, { exposeDefaultValues: true });
  const problems = validateSync(environment).map(
    (error) => `${error.property}: ${Object.values(error.constraints ?? {}).join(', ')}`,
  );
  const missing = required.filter((name) => environment[name] === undefined).map((name) => `${name} is required`);
  if (problems.length + missing.length > 0) throw new EnvironmentError([...problems, ...missing]);
  return environment;
}

const OPTIONAL_VARIABLES = [
  'PUBLIC_URL',
  'PUBLIC_HOSTS',
  'TRUSTED_PROXIES',
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'NATS_URL',
  'SECRET_KEY',
  'JWKS_URL',
  'INTERNAL_SECRET',
  'MCDISK_URL',
  'WATCH_ENROLMENT',
  'BLOB_DIR',
  'S3_BUCKET',
  'S3_ENDPOINT',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_PREFIX',
  'S3_FORCE_PATH_STYLE',
  'FILE_OFFLOAD',
  'POSITION_PROVIDER_URL',
  'LIVEKIT_URL',
  'LIVEKIT_API_KEY',
  'LIVEKIT_API_SECRET',
  'STUN_URLS',
  'TURN_URLS',
  'TURN_SECRET',
  'PUSH_VAPID_PUBLIC_KEY',
  'PUSH_VAPID_PRIVATE_KEY',
  'PUSH_FCM_SERVICE_ACCOUNT',
  'PUSH_APNS_KEY',
  'PUSH_APNS_KEY_ID',
  'PUSH_APNS_TEAM_ID',
  'PUSH_APNS_TOPIC',
  'PUSH_HMS_APP_ID',
  'PUSH_HMS_APP_SECRET',
] satisfies (keyof Environment)[];
