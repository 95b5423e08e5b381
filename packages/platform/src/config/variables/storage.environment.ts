import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min, MinLength } from 'class-validator';
import { SetBy } from './set-by.decorator.js';
import { URL_OPTIONS, toInteger } from './text-values.js';

/**
 * The driver's URL format. The URL of a Unix socket has no host, and the socket's directory is in the query:
 * `postgres://role@/database?host=%2Frun`.
 */
const POSTGRES_URL = /^postgres(ql)?:\/\/\S+$/;

/** Database, event bus, secrets and backups. */
export class StorageEnvironment {
  /**
   * Directory of the embedded database, the files, the generated SECRET_KEY, and SMS of SMS_PROVIDER=file. If the service
   * runs as root, the database may be in another directory, which DATA_DIR/postgres-location.txt names.
   */
  @SetBy('every operator')
  @IsString()
  @MinLength(1)
  DATA_DIR = '.data';

  /**
   * URL of the Postgres server, with a role that reads and writes rows. If DATABASE_URL is absent, standalone starts an
   * embedded Postgres under DATA_DIR.
   */
  @SetBy('large operators')
  @IsOptional()
  @Matches(POSTGRES_URL, { message: 'must be a postgres:// URL' })
  DATABASE_URL?: string;

  /** URL of the same database with a role that may change the schemas; absent means DATABASE_URL. */
  @SetBy('large operators')
  @IsOptional()
  @Matches(POSTGRES_URL, { message: 'must be a postgres:// URL' })
  MIGRATION_DATABASE_URL?: string;

  /** Maximum number of database connections of each app in each process. */
  @SetBy('large operators')
  @Transform(toInteger)
  @IsInt()
  @Min(2)
  @Max(200)
  DATABASE_POOL_SIZE = 10;

  /** NATS server with JetStream; absent: standalone delivers events within its process. */
  @SetBy('large operators')
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['nats', 'tls'] })
  NATS_URL?: string;

  /** Prefix of streams and subjects; must be unique among deployments that share a NATS server. */
  @SetBy('large operators')
  @Matches(/^[a-z][a-z0-9-]{0,31}$/)
  NATS_PREFIX = 'fw';

  /**
   * Secret that encrypts the keys and second factors in the database and is the key of code digests; at least 32
   * characters. If SECRET_KEY is absent, standalone generates it in DATA_DIR/secret.key. Each separate app has its own.
   */
  @SetBy('large operators')
  @IsOptional()
  @MinLength(32)
  SECRET_KEY?: string;

  /** Directory of the backups that `npm run backup` writes and `npm run restore` reads. */
  @SetBy('every operator')
  @IsString()
  @MinLength(1)
  BACKUP_DIR = '.backups';

  /**
   * Public key (`age1…`) for which backups are encrypted. Only the private key in the file BACKUP_KEY_FILE can read
   * them; it is needed for a restore and should be kept elsewhere.
   */
  @SetBy('every operator')
  @IsOptional()
  @Matches(/^age1[02-9a-z]{58}$/, { message: 'must be a public key that begins with age1' })
  BACKUP_PUBLIC_KEY?: string;

  /**
   * Key that proves that this service has written an encrypted backup; 64 hexadecimal digits, derived from the private
   * key (`npm run backup -- create-key FILE` or `authentication-key FILE`). Without it, SECRET_KEY is used, which a
   * restore then needs in addition to BACKUP_KEY_FILE.
   */
  @SetBy('every operator')
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/, { message: 'must have 64 hexadecimal digits' })
  BACKUP_AUTHENTICATION_KEY?: string;

  /**
   * File with the private key of encrypted backups. A restore then refuses backups that are not encrypted or whose origin
   * is not proven.
   */
  @SetBy('every operator')
  @IsOptional()
  @IsString()
  BACKUP_KEY_FILE?: string;
}
