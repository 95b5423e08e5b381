import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min, MinLength, ValidateIf } from 'class-validator';
import { toInteger, URL_OPTIONS } from './environment-values.js';
import { FamilyCloudEnvironment } from './family-cloud-environment.js';

/** The driver's own form; a socket has its folder in the query and no host: `postgres://role@/database?host=%2Frun`. */
const POSTGRES_ADDRESS = /^postgres(ql)?:\/\/\S+$/;

/** Comma-separated addresses of ICE servers (RFC 7064, RFC 7065). */
const STUN_ADDRESSES = /^stuns?:[^\s,]+(,stuns?:[^\s,]+)*$/;
const TURN_ADDRESSES = /^turns?:[^\s,]+(,turns?:[^\s,]+)*$/;

/**
 * Every variable the service knows, with its default. Read once at start: a bad or missing value stops the start
 * and names the variable.
 */
export class Environment extends FamilyCloudEnvironment {
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  @Max(65_535)
  PORT = 8080;

  @IsString()
  @MinLength(1)
  HOST = '127.0.0.1';

  /** What links point to; absent means the address the service listens on. */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  PUBLIC_URL?: string;

  /** Comma-separated addresses or networks whose X-Forwarded-* headers are believed. */
  @IsOptional()
  @Matches(/^[0-9a-fA-F:./, ]+$/)
  TRUSTED_PROXIES?: string;

  @IsString()
  @MinLength(1)
  DATA_DIR = '.data';

  @IsOptional()
  @Matches(POSTGRES_ADDRESS, { message: 'must be a postgres:// address' })
  DATABASE_URL?: string;

  @IsOptional()
  @Matches(POSTGRES_ADDRESS, { message: 'must be a postgres:// address' })
  MIGRATION_DATABASE_URL?: string;

  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['nats', 'tls'] })
  NATS_URL?: string;

  /** Deployments that share a NATS server have a prefix of their own. */
  @Matches(/^[a-z][a-z0-9-]{0,31}$/)
  NATS_PREFIX = 'fw';

  /** Encrypts the signing key at rest and keys the digests of codes; at least 32 characters. */
  @IsOptional()
  @MinLength(32)
  SECRET_KEY?: string;

  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  JWKS_URL?: string;

  @IsIn(['development', 'production', 'test'])
  NODE_ENV: 'development' | 'production' | 'test' = 'development';

  /** `file` appends codes to DATA_DIR/sms-outbox.jsonl. */
  @IsIn(['file'])
  SMS_PROVIDER: 'file' = 'file';

  /** `list` enrols only watches of the operator's list; the default in production. */
  @IsOptional()
  @IsIn(['open', 'list'])
  WATCH_ENROLMENT?: 'open' | 'list';

  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  /** Connections to the database of each app. */
  @Transform(toInteger)
  @IsInt()
  @Min(2)
  @Max(200)
  DATABASE_POOL_SIZE = 10;

  /** Requests a minute and person. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_REQUESTS = 600;

  /** Sign-in attempts a minute and address. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SIGN_IN = 60;

  /** Requests for an SMS code an hour and address. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_ADDRESS = 20;

  /** SMS codes an hour and phone number. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_PHONE = 5;

  /** SMS codes an hour altogether: what a flood may cost. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_TOTAL = 3_000;

  /** Events a second and socket; five seconds' worth may come at once. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_EVENTS = 100;

  /** Seconds that a call for help waits for somebody to acknowledge it, before the next contact gets an SMS. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_600)
  SOS_STEP_SECONDS = 30;

  /** Seconds after which all contacts are told again, once each had a turn. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(86_400)
  SOS_REPEAT_SECONDS = 600;

  /** Seconds between two heartbeats of a client. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_600)
  HEARTBEAT_INTERVAL = 30;

  /**
   * Keys that Web Push services know this service by (RFC 8292), base64url; without them they are made at the first
   * start and kept in the database.
   */
  @IsOptional()
  @Matches(/^[\w-]{87}$/)
  PUSH_VAPID_PUBLIC_KEY?: string;

  @IsOptional()
  @Matches(/^[\w-]{43}$/)
  PUSH_VAPID_PRIVATE_KEY?: string;

  /** How Web Push services reach whoever runs this service; some refuse one that cannot be reached. */
  @Matches(/^(mailto:\S+@\S+|https:\/\/\S+)$/, { message: 'must be a mailto: or https: address' })
  PUSH_VAPID_SUBJECT = 'mailto:push@family-watch.invalid';

  /** File of the Firebase service account; without it there is no FCM. */
  @IsOptional()
  @IsString()
  PUSH_FCM_SERVICE_ACCOUNT?: string;

  /** File of Apple's push key (.p8) with its id, the team's id and the app's; without them there is no APNS. */
  @IsOptional()
  @IsString()
  PUSH_APNS_KEY?: string;

  @IsOptional()
  @Matches(/^\w{10}$/)
  PUSH_APNS_KEY_ID?: string;

  @IsOptional()
  @Matches(/^\w{10}$/)
  PUSH_APNS_TEAM_ID?: string;

  @IsOptional()
  @IsString()
  PUSH_APNS_TOPIC?: string;

  /** `sandbox` for apps that were not installed from the store. */
  @IsIn(['production', 'sandbox'])
  PUSH_APNS_SERVER: 'production' | 'sandbox' = 'production';

  /** The app at Huawei's push service; without them there is no HMS. */
  @IsOptional()
  @Matches(/^\d+$/)
  PUSH_HMS_APP_ID?: string;

  @IsOptional()
  @IsString()
  PUSH_HMS_APP_SECRET?: string;

  /** `yes` sends Web Push over http: and to addresses of private networks, too: for tests with a service of their own. */
  @IsIn(['no', 'yes'])
  PUSH_ALLOW_INSECURE_ENDPOINTS: 'no' | 'yes' = 'no';

  /** How the picture of a call travels: from device to device, or through a LiveKit server. */
  @IsIn(['webrtc', 'livekit'])
  VIDEO_PROVIDER: 'webrtc' | 'livekit' = 'webrtc';

  /** Where clients reach the LiveKit server; needed with `livekit`, as are its key and secret. */
  @ValidateIf((environment: Environment) => environment.VIDEO_PROVIDER === 'livekit')
  @IsUrl({ ...URL_OPTIONS, protocols: ['ws', 'wss'] })
  LIVEKIT_URL?: string;

  @ValidateIf((environment: Environment) => environment.VIDEO_PROVIDER === 'livekit')
  @IsString()
  @MinLength(1)
  LIVEKIT_API_KEY?: string;

  /** LiveKit itself refuses a shorter one. */
  @ValidateIf((environment: Environment) => environment.VIDEO_PROVIDER === 'livekit')
  @IsString()
  @MinLength(32)
  LIVEKIT_API_SECRET?: string;

  /** Comma-separated `stun:` addresses that devices learn their own address from. */
  @IsOptional()
  @Matches(STUN_ADDRESSES, { message: 'must be comma-separated stun: addresses' })
  STUN_URLS?: string;

  /** Comma-separated `turn:` addresses of relays that share TURN_SECRET (coturn's `use-auth-secret`). */
  @IsOptional()
  @Matches(TURN_ADDRESSES, { message: 'must be comma-separated turn: addresses' })
  TURN_URLS?: string;

  /** Needed with TURN_URLS. */
  @ValidateIf(({ TURN_URLS, TURN_SECRET }: Environment) => TURN_URLS !== undefined || TURN_SECRET !== undefined)
  @IsString()
  @MinLength(16)
  TURN_SECRET?: string;

  /**
   * Service that is asked where surroundings are which nothing is known of here, by Ichnaea's geolocate interface;
   * absent means that none is. Only what families have agreed to is sent.
   */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  POSITION_PROVIDER_URL?: string;

  /** Milliseconds that an answer of that service is waited for. */
  @Transform(toInteger)
  @IsInt()
  @Min(50)
  @Max(10_000)
  POSITION_PROVIDER_TIMEOUT = 2_000;

  /** `forward` tells that service the caller's network address (X-Forwarded-For), so that it can locate by it. */
  @IsIn(['keep', 'forward'])
  POSITION_PROVIDER_ADDRESSES: 'keep' | 'forward' = 'keep';
}
