import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min, MinLength, ValidateIf } from 'class-validator';
import { SMS_SCENES } from '@family-watch/domain/accounts/contracts/account';
import { SMS_LANGUAGES, SMS_PROVIDER_NAMES } from '@family-watch/domain/sms/contracts/sms';
import type { SmsProviderName } from '@family-watch/domain/sms/contracts/sms';

/** Converts the text of an environment variable to a number if it is an integer; other values are unchanged. */
const toInteger = ({ value }: { value: unknown }) =>
  typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;

/** Converts the text of an environment variable to a number if it is a decimal number; other values are unchanged. */
const toFraction = ({ value }: { value: unknown }) =>
  typeof value === 'string' && /^\d(\.\d{1,9})?$/.test(value) ? Number(value) : value;

/** Accepts host names without a top-level domain, as internal networks use them. */
const URL_OPTIONS = { require_tld: false, require_protocol: true };

/** Payment providers outside the service, which send callbacks to PUBLIC_URL. */
const EXTERNAL_PROVIDERS = ['wechatpay', 'alipay', 'stripe'];

/** Accepts the listed names, separated by commas. */
const PAYMENT_PROVIDERS = /^(sandbox|wechatpay|alipay|stripe)(,(sandbox|wechatpay|alipay|stripe))*$/;

/** Validates a variable that PAYMENT_PROVIDER requires if it lists the provider. The variable may always be set. */
function RequiredWithProvider(provider: string): PropertyDecorator {
  return (target, property) =>
    ValidateIf(
      (environment: PaymentEnvironment, value: unknown) => value !== undefined || usesProvider(environment, provider),
    )(target, property);
}

function usesProvider({ PAYMENT_PROVIDER = '' }: PaymentEnvironment, provider: string): boolean {
  return PAYMENT_PROVIDER.split(',').includes(provider);
}

/** Environment variables of payments. */
class PaymentEnvironment {
  /**
   * Comma-separated payment providers, the default provider first: `sandbox` (a page that pays without money),
   * `wechatpay`, `alipay`, `stripe`. By default, production has no provider, so that orders cannot be paid; other
   * environments have the sandbox. The providers except the sandbox require PUBLIC_URL.
   */
  @IsOptional()
  @Matches(PAYMENT_PROVIDERS, { message: 'must be comma-separated names of sandbox, wechatpay, alipay and stripe' })
  PAYMENT_PROVIDER?: string;

  /** `yes` permits the sandbox in production, where everybody could then pay without money. */
  @ValidateIf(
    (environment: Environment, value: unknown) =>
      value !== 'no' || (environment.NODE_ENV === 'production' && usesProvider(environment, 'sandbox')),
  )
  @IsIn(['yes'], { message: 'must be yes to use the payment provider sandbox in production' })
  PAYMENT_SANDBOX_IN_PRODUCTION: 'yes' | 'no' = 'no';

  /** Page that the payment provider opens after the payment; PUBLIC_URL by default. */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  PAYMENT_RETURN_URL?: string;

  /** Secret key of the Stripe account; required with `stripe`, as is STRIPE_WEBHOOK_SECRET. */
  @RequiredWithProvider('stripe')
  @Matches(/^[sr]k_\w+$/, { message: 'must be a secret key of Stripe' })
  STRIPE_SECRET_KEY?: string;

  /** Secret with which Stripe signs callbacks to `/apis/v2/payment/notify/stripe`. */
  @RequiredWithProvider('stripe')
  @Matches(/^whsec_\S+$/, { message: 'must be the signing secret of a webhook endpoint of Stripe' })
  STRIPE_WEBHOOK_SECRET?: string;

  /** URL of Stripe's API, for a proxy in front of it. */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  STRIPE_API_URL?: string;

  /** Merchant id of WeChat Pay; required with `wechatpay`, as are the following variables up to the API v3 key. */
  @RequiredWithProvider('wechatpay')
  @Matches(/^\d{8,10}$/)
  WECHATPAY_MERCHANT_ID?: string;

  @RequiredWithProvider('wechatpay')
  @Matches(/^\w{1,32}$/)
  WECHATPAY_APP_ID?: string;

  /** File with the merchant's private key (PEM). */
  @RequiredWithProvider('wechatpay')
  @IsString()
  @MinLength(1)
  WECHATPAY_PRIVATE_KEY?: string;

  /** Serial number of the merchant's certificate. */
  @RequiredWithProvider('wechatpay')
  @Matches(/^[0-9A-Fa-f]{8,64}$/)
  WECHATPAY_CERTIFICATE_SERIAL?: string;

  @RequiredWithProvider('wechatpay')
  @Matches(/^[\x21-\x7e]{32}$/, { message: 'must have 32 printable characters' })
  WECHATPAY_API_V3_KEY?: string;

  /**
   * File with WeChat Pay's public key (PEM), for merchants that have no platform certificates. Needs
   * WECHATPAY_PUBLIC_KEY_ID. Without it, the service downloads and replaces the platform certificates.
   */
  @IsOptional()
  @IsString()
  @MinLength(1)
  WECHATPAY_PUBLIC_KEY?: string;

  @ValidateIf(({ WECHATPAY_PUBLIC_KEY }: PaymentEnvironment) => WECHATPAY_PUBLIC_KEY !== undefined)
  @Matches(/^PUB_KEY_ID_\w+$/)
  WECHATPAY_PUBLIC_KEY_ID?: string;

  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  WECHATPAY_API_URL = 'https://api.mch.weixin.qq.com';

  /** App id of Alipay; required with `alipay`, as are both keys. */
  @RequiredWithProvider('alipay')
  @Matches(/^\d{1,32}$/)
  ALIPAY_APP_ID?: string;

  /** File with the app's private key (PEM). */
  @RequiredWithProvider('alipay')
  @IsString()
  @MinLength(1)
  ALIPAY_PRIVATE_KEY?: string;

  /** File with Alipay's public key for the app (PEM). */
  @RequiredWithProvider('alipay')
  @IsString()
  @MinLength(1)
  ALIPAY_PUBLIC_KEY?: string;

  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  ALIPAY_GATEWAY_URL = 'https://openapi.alipay.com/gateway.do';
}

/** Environment variables of the deletion of personal data. */
class PrivacyEnvironment extends PaymentEnvironment {
  /** Seconds between the request to delete an account and its erasure, during which the person can cancel it: 7 days. */
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  @Max(31_536_000)
  ACCOUNT_DELETION_GRACE = 604_800;

  /** Days after which the points of children's locations are deleted. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_650)
  RETENTION_LOCATION_DAYS = 30;

  /** Days after which chat messages are deleted. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_650)
  RETENTION_CHAT_DAYS = 90;

  /** Days after which voice messages are deleted; RETENTION_CHAT_DAYS if that is shorter. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_650)
  RETENTION_VOICE_DAYS = 30;

  /** Minutes after which SMS codes are deleted. A code is valid for five minutes. */
  @Transform(toInteger)
  @IsInt()
  @Min(5)
  @Max(1_440)
  RETENTION_CODE_MINUTES = 10;

  /** Days after which entries of the audit list are deleted. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_650)
  RETENTION_AUDIT_DAYS = 365;
}

/** Environment variables of the family cloud's file storage. */
class FamilyCloudEnvironment extends PrivacyEnvironment {
  /** Directory of the family cloud's blobs (a path or `file:///…`); absent means DATA_DIR/blobs. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  BLOB_DIR?: string;

  /** Stores the family cloud's blobs in this S3 bucket instead of a directory. The bucket must exist. */
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'must be a valid bucket name' })
  S3_BUCKET?: string;

  /** URL of the S3 store; absent means Amazon S3 in S3_REGION. */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  S3_ENDPOINT?: string;

  @Matches(/^[\w-]{1,64}$/)
  S3_REGION = 'us-east-1';

  /**
   * Access key of the S3 store. Set both S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or neither if the environment
   * provides a role (EC2, ECS, a profile).
   */
  @ValidateIf(
    ({ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: FamilyCloudEnvironment) =>
      (S3_ACCESS_KEY_ID ?? S3_SECRET_ACCESS_KEY) !== undefined,
  )
  @IsString()
  @MinLength(1)
  S3_ACCESS_KEY_ID?: string;

  @ValidateIf(
    ({ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: FamilyCloudEnvironment) =>
      (S3_ACCESS_KEY_ID ?? S3_SECRET_ACCESS_KEY) !== undefined,
  )
  @IsString()
  @MinLength(1)
  S3_SECRET_ACCESS_KEY?: string;

  /** Prefix of every object name, for a bucket that is shared with other applications. */
  @IsOptional()
  @Matches(/^[\w.-]+(\/[\w.-]+)*\/?$/, { message: 'must be names separated by slashes' })
  S3_PREFIX?: string;

  /**
   * `yes`: `host/bucket/…`; `no`: `bucket.host/…`. S3_FORCE_PATH_STYLE defaults to `yes` with S3_ENDPOINT and to `no`
   * for Amazon S3.
   */
  @IsOptional()
  @IsIn(['yes', 'no'])
  S3_FORCE_PATH_STYLE?: 'yes' | 'no';

  /**
   * `x-accel:/_blobs/` delegates the sending of files to the nginx in front, which serves BLOB_DIR under that internal
   * location. If FILE_OFFLOAD is absent, the service process sends the files. FILE_OFFLOAD requires a local BLOB_DIR.
   */
  @IsOptional()
  @Matches(/^x-accel:\/([\w-]+\/)+$/, {
    message: 'must be x-accel: followed by a path that starts and ends with a slash',
  })
  FILE_OFFLOAD?: string;

  /**
   * Number of processes that render thumbnails and copies without location metadata; 0 disables renditions. By default,
   * one process per four cores renders, at least one and at most four.
   */
  @IsOptional()
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  @Max(16)
  MEDIA_WORKERS?: number;
}

/** `+86=aliyun,+1=twilio`: providers by country calling code. */
const SMS_ROUTE_LIST = new RegExp(`^(\\+\\d{1,4}=(${SMS_PROVIDER_NAMES.join('|')})(,|$))+$`);
/** `+86,+1=500,+7=0`: SMS codes per hour by country calling code; a calling code alone has no limit of its own. */
const SMS_COUNTRY_LIMIT_LIST = /^(\+\d{1,4}(=\d{1,9})?(,|$))+$/;
/** `CODE.zh=SMS_1,ALERT.zh=SMS_2`: ids of registered templates by scene and language. */
const SMS_TEMPLATE_LIST = new RegExp(
  `^((CODE|ALERT|${Object.keys(SMS_SCENES).join('|')})\\.(${SMS_LANGUAGES.join('|')})=[\\w-]{1,64}(,|$))+$`,
);

/**
 * Environment variables of SMS. Which variables a provider requires is checked where the provider is created, because
 * only userctx sends SMS.
 */
class SmsEnvironment extends FamilyCloudEnvironment {
  /**
   * The provider of SMS. `file` appends each SMS to DATA_DIR/sms-outbox.jsonl; the others need the variables with their
   * name: SMS_ALIYUN_…, SMS_TENCENTCLOUD_…, SMS_TWILIO_…, SMS_WEBHOOK_….
   */
  @IsIn(SMS_PROVIDER_NAMES)
  SMS_PROVIDER: SmsProviderName = 'file';

  /** The provider that sends an SMS if the first provider does not accept it. */
  @IsOptional()
  @IsIn(SMS_PROVIDER_NAMES.filter((name) => name !== 'file'))
  SMS_FALLBACK_PROVIDER?: SmsProviderName;

  /**
   * Another first provider for some country calling codes, such as `+86=aliyun,+852=tencentcloud`. For these codes,
   * SMS_PROVIDER is the second provider unless SMS_FALLBACK_PROVIDER is set.
   */
  @IsOptional()
  @Matches(SMS_ROUTE_LIST, { message: 'must be a list such as +86=aliyun,+1=twilio' })
  SMS_ROUTES?: string;

  /** `yes` allows SMS_PROVIDER=file with NODE_ENV=production: whoever can read the file can sign in to any account. */
  @IsIn(['no', 'yes'])
  SMS_FILE_IN_PRODUCTION: 'no' | 'yes' = 'no';

  /** Timeout of a request to an SMS provider, milliseconds. */
  @Transform(toInteger)
  @IsInt()
  @Min(500)
  @Max(15_000)
  SMS_TIMEOUT = 5_000;

  /**
   * SMS codes per hour by country calling code, such as `+86,+1=500,+7=0`. A calling code without a number has no limit
   * but RATE_LIMIT_SMS_TOTAL; a calling code with 0 gets no codes. RATE_LIMIT_SMS_COUNTRY applies to all others.
   */
  @Matches(SMS_COUNTRY_LIMIT_LIST, { message: 'must be a list such as +86,+1=500,+7=0' })
  SMS_COUNTRY_LIMITS = '+86';

  /**
   * SMS codes per hour to phone numbers of one country calling code that SMS_COUNTRY_LIMITS does not list; 0 sends codes
   * only to the calling codes of that list.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  RATE_LIMIT_SMS_COUNTRY = 200;

  /**
   * Secret last segment of the URLs to which Alibaba Cloud and Tencent Cloud send delivery receipts, which have no
   * signature; at least 32 characters. Without it, their receipts are rejected.
   */
  @IsOptional()
  @Matches(/^[\w-]{32,128}$/, { message: 'must have 32 to 128 letters, digits, - or _' })
  SMS_RECEIPT_TOKEN?: string;

  @IsOptional()
  @IsString()
  SMS_ALIYUN_ACCESS_KEY_ID?: string;

  @IsOptional()
  @IsString()
  SMS_ALIYUN_ACCESS_KEY_SECRET?: string;

  /** Name of the approved signature. */
  @IsOptional()
  @IsString()
  SMS_ALIYUN_SIGN_NAME?: string;

  /**
   * Ids of the approved templates by scene and language, such as `CODE.zh=SMS_1,CODE.en=SMS_2,ALERT.zh=SMS_3`. CODE is
   * for codes of all scenes; SIGN_UP, SIGN_IN, RESET_PASSWORD, CHANGE_PHONE and STEP_UP replace it for one scene. The
   * variable of a template is `code`, or `time` for ALERT.
   */
  @IsOptional()
  @Matches(SMS_TEMPLATE_LIST, { message: 'must be a list such as CODE.zh=SMS_1,ALERT.zh=SMS_2' })
  SMS_ALIYUN_TEMPLATES?: string;

  /** Host of Alibaba Cloud's SMS service. */
  @Matches(/^[\w.-]+$/)
  SMS_ALIYUN_ENDPOINT = 'dysmsapi.aliyuncs.com';

  @IsOptional()
  @IsString()
  SMS_TENCENTCLOUD_SECRET_ID?: string;

  @IsOptional()
  @IsString()
  SMS_TENCENTCLOUD_SECRET_KEY?: string;

  /** SdkAppId of the application in the SMS console. */
  @IsOptional()
  @Matches(/^\d+$/, { message: 'must be the number of the application (SdkAppId)' })
  SMS_TENCENTCLOUD_APP_ID?: string;

  /** Content of the approved signature. */
  @IsOptional()
  @IsString()
  SMS_TENCENTCLOUD_SIGN_NAME?: string;

  /** Like SMS_ALIYUN_TEMPLATES. A template has one variable: {1} is the code, or the time for ALERT. */
  @IsOptional()
  @Matches(SMS_TEMPLATE_LIST, { message: 'must be a list such as CODE.zh=1400001,ALERT.zh=1400002' })
  SMS_TENCENTCLOUD_TEMPLATES?: string;

  @Matches(/^[a-z]+-[a-z]+$/)
  SMS_TENCENTCLOUD_REGION = 'ap-guangzhou';

  @IsOptional()
  @Matches(/^AC\w{32}$/, { message: 'must be an account SID (AC and 32 characters)' })
  SMS_TWILIO_ACCOUNT_SID?: string;

  @IsOptional()
  @IsString()
  SMS_TWILIO_AUTH_TOKEN?: string;

  /** Phone number with + of the sender, or SID of a messaging service. */
  @IsOptional()
  @Matches(/^(\+\d{5,15}|MG\w{32})$/, { message: 'must be a phone number with + or the SID of a messaging service' })
  SMS_TWILIO_FROM?: string;

  /** URL that receives each SMS as a signed POST request (docs/sms.md). */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  SMS_WEBHOOK_URL?: string;

  /** Key of the signatures of the webhook and of its receipts; at least 32 characters. */
  @IsOptional()
  @MinLength(32)
  SMS_WEBHOOK_SECRET?: string;
}

/**
 * The driver's URL format. The URL of a Unix socket has no host, and the socket's directory is in the query:
 * `postgres://role@/database?host=%2Frun`.
 */
const POSTGRES_URL = /^postgres(ql)?:\/\/\S+$/;

/** Comma-separated URLs of ICE servers (RFC 7064, RFC 7065). */
const STUN_URL_LIST = /^stuns?:[^\s,]+(,stuns?:[^\s,]+)*$/;
const TURN_URL_LIST = /^turns?:[^\s,]+(,turns?:[^\s,]+)*$/;

const HOST_LIST = /^[\w.-]+(:\d{1,5})?(, ?[\w.-]+(:\d{1,5})?)*$/;

/**
 * All environment variables of the service with their defaults. The service reads the variables once at start. With an
 * invalid or missing value the start fails and reports the variable's name.
 */
export class Environment extends SmsEnvironment {
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  @Max(65_535)
  PORT = 8080;

  @IsString()
  @MinLength(1)
  HOST = '127.0.0.1';

  /**
   * Port of the Prometheus metrics, at `/metrics`; absent: no metrics are served. In standalone, one port serves the
   * metrics of the three apps.
   */
  @IsOptional()
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  @Max(65_535)
  METRICS_PORT?: number;

  /**
   * Address of METRICS_PORT. Everybody who can reach this address can read the metrics, so it must not be public: in a
   * container, `0.0.0.0` on an internal network.
   */
  @IsString()
  @MinLength(1)
  METRICS_HOST = '127.0.0.1';

  /** URL of an OpenTelemetry collector that receives traces (OTLP over HTTP); absent: nothing is traced. */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /** Fraction of the traces that are exported, 0 to 1. */
  @Transform(toFraction)
  @Min(0)
  @Max(1)
  OTEL_TRACES_SAMPLER_ARG = 0.05;

  /**
   * Base of the URLs that the service returns. If PUBLIC_URL is absent, the base is the IP address and port at which
   * the service received the request.
   */
  @ValidateIf(
    (environment: Environment) =>
      environment.PUBLIC_URL !== undefined || EXTERNAL_PROVIDERS.some((name) => usesProvider(environment, name)),
  )
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  PUBLIC_URL?: string;

  /**
   * Comma-separated hosts, with their ports unless they are the default. The URLs in the response to a request with one
   * of these hosts have that host instead of PUBLIC_URL.
   */
  @IsOptional()
  @Matches(HOST_LIST, { message: 'must be comma-separated hosts, each with an optional port' })
  PUBLIC_HOSTS?: string;

  /** Comma-separated IP addresses or networks whose X-Forwarded-* headers are trusted. */
  @IsOptional()
  @Matches(/^[0-9a-fA-F:./, ]+$/)
  TRUSTED_PROXIES?: string;

  /**
   * Seconds within which the headers of a request must arrive. For the first request of a connection, the time starts
   * when the connection is opened.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(300)
  HTTP_HEAD_TIMEOUT = 15;

  /**
   * Seconds within which the body of a request must arrive, except for file uploads. A client that sends the body with
   * at least 1 KB per second gets more time.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(300)
  HTTP_BODY_TIMEOUT = 30;

  /** Seconds after which a connection without requests is closed. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_600)
  HTTP_IDLE_TIMEOUT = 72;

  /**
   * Seconds without new bytes after which an upload ends. The service also gives a client this time to read a response,
   * plus one second per KB of the response.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_600)
  HTTP_STALL_TIMEOUT = 60;

  /**
   * Maximum number of connections per IP address (per /64 network with IPv6). WebSockets of signed-in clients and
   * connections from TRUSTED_PROXIES do not count. At the limit, a further connection replaces the connection of the
   * same address that has been inactive for the longest time.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(8)
  @Max(65_535)
  HTTP_CONNECTIONS_PER_ADDRESS = 1_000;

  @IsString()
  @MinLength(1)
  DATA_DIR = '.data';

  @IsOptional()
  @Matches(POSTGRES_URL, { message: 'must be a postgres:// URL' })
  DATABASE_URL?: string;

  @IsOptional()
  @Matches(POSTGRES_URL, { message: 'must be a postgres:// URL' })
  MIGRATION_DATABASE_URL?: string;

  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['nats', 'tls'] })
  NATS_URL?: string;

  /** Prefix of streams and subjects; must be unique among deployments that share a NATS server. */
  @Matches(/^[a-z][a-z0-9-]{0,31}$/)
  NATS_PREFIX = 'fw';

  /** Directory of the backups that `npm run backup` writes and `npm run restore` reads. */
  @IsString()
  @MinLength(1)
  BACKUP_DIR = '.backups';

  /**
   * Public key (`age1…`) for which backups are encrypted. Only the private key in the file BACKUP_KEY_FILE can read
   * them; it is needed for a restore and should be kept elsewhere.
   */
  @IsOptional()
  @Matches(/^age1[02-9a-z]{58}$/, { message: 'must be a public key that begins with age1' })
  BACKUP_PUBLIC_KEY?: string;

  /** File with the private key of encrypted backups. */
  @IsOptional()
  @IsString()
  BACKUP_KEY_FILE?: string;

  /** Secret that encrypts the stored signing key and is the key of code digests; at least 32 characters. */
  @IsOptional()
  @MinLength(32)
  SECRET_KEY?: string;

  /**
   * URL of the keys with which userctx signs access tokens. At the origin of this URL, the other apps also request
   * revocations and the current state of projected objects from userctx.
   */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  JWKS_URL?: string;

  /**
   * Secret with which the apps call each other's operations under `/internal/`; the same in all apps of a deployment,
   * at least 32 characters. Without INTERNAL_SECRET, these operations do not exist.
   */
  @IsOptional()
  @Matches(/^[\x21-\x7e]{32,}$/, { message: 'must have at least 32 printable characters and no spaces' })
  INTERNAL_SECRET?: string;

  /**
   * URL within the deployment at which the gateway requests the contents of family clouds from mcdisk, and userctx what
   * operators see of mcdisk.
   */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  MCDISK_URL?: string;

  /** URL within the deployment at which userctx requests from a process of the gateway what operators see of it. */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  GATEWAY_URL?: string;

  /** Seconds between two comparisons of an app's projections with the data that they copy. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(86_400)
  COMPARISON_INTERVAL = 600;

  /** Days for which the access logs of children are kept: who saw their locations, messages and files. */
  @Transform(toInteger)
  @IsInt()
  @Min(31)
  @Max(3_650)
  ACCESS_LOG_RETENTION_DAYS = 365;

  /** Days for which the archive of an export can be downloaded. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(90)
  DATA_EXPORT_RETENTION_DAYS = 7;

  /**
   * MiB that the archives of all exports may occupy in the blob store. An export whose archive would exceed it fails.
   * Each process of mcdisk assembles one archive at a time.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(1_000_000_000)
  DATA_EXPORT_STORAGE = 51_200;

  @IsIn(['development', 'production', 'test'])
  NODE_ENV: 'development' | 'production' | 'test' = 'development';

  /**
   * `list` enrols only watches on the operator's enrolment list, `open` enrols every watch. By default, production uses
   * `list`, other environments use `open`.
   */
  @IsOptional()
  @IsIn(['open', 'list'])
  WATCH_ENROLMENT?: 'open' | 'list';

  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  /**
   * Seconds from SIGTERM until the process has exited. Requests and responses in progress get 70 % of this time, then
   * their connections are closed.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(300)
  SHUTDOWN_GRACE = 10;

  /** Size of each app's database connection pool. */
  @Transform(toInteger)
  @IsInt()
  @Min(2)
  @Max(200)
  DATABASE_POOL_SIZE = 10;

  /** Requests without a token per minute, IP address and operation. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_REQUESTS = 600;

  /** Requests per minute and authenticated caller. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_CALLER_REQUESTS = 3_000;

  /**
   * Reads and uploads of files and thumbnails per minute and principal for whom the service created the URLs. With the
   * default of 6,000, a client can load the thumbnails of an album of 2,000 pictures.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_FILE_REQUESTS = 6_000;

  /** Requests of external providers (delivery receipts of SMS, callbacks of payments) per minute, IP address and operation. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_CALLBACKS = 6_000;

  /** Sign-in attempts per minute and IP address. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SIGN_IN = 60;

  /** Requests for an SMS code per hour and IP address. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_ADDRESS = 20;

  /** SMS codes per hour and phone number. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_PHONE = 5;

  /** SMS codes per hour in total; limits the cost of abuse. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_TOTAL = 3_000;

  /** Events per second and socket; a burst may contain five times as many. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_EVENTS = 100;

  /** Seconds that an SOS waits for an acknowledgement before the service sends an SMS to the next contact. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_600)
  SOS_STEP_SECONDS = 30;

  /**
   * Seconds after which the service notifies all contacts of an SOS again, after each contact has been notified once.
   */
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
   * VAPID keys that identify this service to Web Push services (RFC 8292), base64url. If the VAPID variables are
   * absent, the service generates the keys at the first start and stores them in the database.
   */
  @IsOptional()
  @Matches(/^[\w-]{87}$/)
  PUSH_VAPID_PUBLIC_KEY?: string;

  @IsOptional()
  @Matches(/^[\w-]{43}$/)
  PUSH_VAPID_PRIVATE_KEY?: string;

  /** Contact of the operator for Web Push services; some services reject requests without a valid contact. */
  @Matches(/^(mailto:\S+@\S+|https:\/\/\S+)$/, { message: 'must be a mailto: or https: URL' })
  PUSH_VAPID_SUBJECT = 'mailto:push@family-watch.invalid';

  /** File of the Firebase service account; FCM is disabled if the variable is absent. */
  @IsOptional()
  @IsString()
  PUSH_FCM_SERVICE_ACCOUNT?: string;

  /**
   * File of Apple's push key (.p8). APNS is disabled unless the file, the key id, the team id and the topic are set.
   */
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

  /** APNS environment: `sandbox` for apps that were not installed from the App Store. */
  @IsIn(['production', 'sandbox'])
  PUSH_APNS_SERVER: 'production' | 'sandbox' = 'production';

  /**
   * App id of Huawei's push service. Needs PUSH_HMS_APP_SECRET; HMS is disabled without the app id and the app secret.
   */
  @IsOptional()
  @Matches(/^\d+$/)
  PUSH_HMS_APP_ID?: string;

  @IsOptional()
  @IsString()
  PUSH_HMS_APP_SECRET?: string;

  /** `yes` also allows Web Push over http: and to private networks, for tests with a local push service. */
  @IsIn(['no', 'yes'])
  PUSH_ALLOW_INSECURE_ENDPOINTS: 'no' | 'yes' = 'no';

  /**
   * Public keys (Ed25519, base64url) whose signatures on firmware images the service accepts, by name:
   * `release-2026=KEY,test=KEY`. Without keys, no image is accepted; images of a key that was removed are not offered.
   */
  @IsOptional()
  @Matches(/^([\w.-]{1,32}=[\w-]{43}(,|$))+$/, { message: 'must be a list such as release-2026=KEY,test=KEY' })
  FIRMWARE_PUBLIC_KEYS?: string;

  /** Transport of call media: peer to peer (`webrtc`) or through a LiveKit server (`livekit`). */
  @IsIn(['webrtc', 'livekit'])
  VIDEO_PROVIDER: 'webrtc' | 'livekit' = 'webrtc';

  /** URL of the LiveKit server for clients; required with `livekit`, as are LIVEKIT_API_KEY and LIVEKIT_API_SECRET. */
  @ValidateIf((environment: Environment) => environment.VIDEO_PROVIDER === 'livekit')
  @IsUrl({ ...URL_OPTIONS, protocols: ['ws', 'wss'] })
  LIVEKIT_URL?: string;

  @ValidateIf((environment: Environment) => environment.VIDEO_PROVIDER === 'livekit')
  @IsString()
  @MinLength(1)
  LIVEKIT_API_KEY?: string;

  /** LiveKit requires at least 32 characters. */
  @ValidateIf((environment: Environment) => environment.VIDEO_PROVIDER === 'livekit')
  @IsString()
  @MinLength(32)
  LIVEKIT_API_SECRET?: string;

  /** Comma-separated `stun:` URLs from which devices learn their public IP address. */
  @IsOptional()
  @Matches(STUN_URL_LIST, { message: 'must be comma-separated stun: URLs' })
  STUN_URLS?: string;

  /** Comma-separated `turn:` URLs of relays that share TURN_SECRET (coturn's `use-auth-secret`). */
  @IsOptional()
  @Matches(TURN_URL_LIST, { message: 'must be comma-separated turn: URLs' })
  TURN_URLS?: string;

  /** Required with TURN_URLS. */
  @ValidateIf(({ TURN_URLS, TURN_SECRET }: Environment) => TURN_URLS !== undefined || TURN_SECRET !== undefined)
  @IsString()
  @MinLength(16)
  TURN_SECRET?: string;

  /**
   * URL of an external, Ichnaea-compatible geolocate service that locates Wi-Fi and cell networks whose location is not
   * stored. The external service receives only data of families that have consented; if the variable is absent, no
   * external service is used.
   */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  POSITION_PROVIDER_URL?: string;

  /** Timeout of requests to the external geolocate service, milliseconds. */
  @Transform(toInteger)
  @IsInt()
  @Min(50)
  @Max(10_000)
  POSITION_PROVIDER_TIMEOUT = 2_000;

  /**
   * `forward` sends the caller's IP address (X-Forwarded-For) to the external geolocate service, which can then locate
   * the caller by IP address. `keep` does not send the IP address.
   */
  @IsIn(['keep', 'forward'])
  POSITION_PROVIDER_ADDRESSES: 'keep' | 'forward' = 'keep';
}
