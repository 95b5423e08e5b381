import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min, MinLength, ValidateIf } from 'class-validator';
import { usesExternalProvider, type PaymentEnvironment } from './payment.environment.js';
import { SetBy } from './set-by.decorator.js';
import { ORIGIN_LIST, toInteger, URL_OPTIONS } from './text-values.js';

const HOST_LIST = /^[\w.-]+(:\d{1,5})?(, ?[\w.-]+(:\d{1,5})?)*$/;

/** Address, log, time limits and connections of the HTTP server. */
export class ServerEnvironment {
  /**
   * In `production`, only listed watches can enrol (WATCH_ENROLMENT), nobody can pay without money (PAYMENT_PROVIDER), and
   * an SMS provider is required (SMS_PROVIDER).
   */
  @SetBy('every operator')
  @IsIn(['development', 'production', 'test'])
  NODE_ENV: 'development' | 'production' | 'test' = 'development';

  /** Port of the HTTP server; 0 selects a free port. */
  @SetBy('every operator')
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  @Max(65_535)
  PORT = 8080;

  /** IP address at which the HTTP server listens; `0.0.0.0` in a container. */
  @SetBy('every operator')
  @IsString()
  @MinLength(1)
  HOST = '127.0.0.1';

  /**
   * Base of the URLs that the service returns. If PUBLIC_URL is absent, the base is the IP address and port at which
   * the service received the request.
   */
  @SetBy('every operator')
  @ValidateIf(
    (environment: ServerEnvironment & PaymentEnvironment) =>
      environment.PUBLIC_URL !== undefined || usesExternalProvider(environment),
  )
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  PUBLIC_URL?: string;

  /**
   * Comma-separated hosts, with their ports unless they are the default. The URLs in the response to a request with one
   * of these hosts have that host instead of PUBLIC_URL.
   */
  @SetBy('large operators')
  @IsOptional()
  @Matches(HOST_LIST, { message: 'must be comma-separated hosts, each with an optional port' })
  PUBLIC_HOSTS?: string;

  /**
   * Comma-separated origins of web pages that may call the service, such as `https://app.example.com`. By default, a
   * browser lets only pages of the service itself read responses. Apps are not affected.
   */
  @SetBy('large operators')
  @IsOptional()
  @Matches(ORIGIN_LIST, {
    message: 'must be comma-separated origins such as https://app.example.com, in lower case and without a path',
  })
  CORS_ORIGINS?: string;

  /** Comma-separated IP addresses or networks of proxies whose X-Forwarded-* headers are trusted. */
  @SetBy('every operator')
  @IsOptional()
  @Matches(/^[0-9a-fA-F:./, ]+$/)
  TRUSTED_PROXIES?: string;

  /** Lowest level of the log lines that are written to stdout. */
  @SetBy('every operator')
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  /**
   * Seconds from SIGTERM until the process has exited. Requests and responses in progress get 70 % of this time, then
   * their connections are closed.
   */
  @SetBy('large operators')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(300)
  SHUTDOWN_GRACE = 10;

  /**
   * Seconds within which the headers of a request must arrive. For the first request of a connection, the time starts
   * when the connection is opened.
   */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(300)
  HTTP_HEAD_TIMEOUT = 15;

  /**
   * Seconds within which the body of a request must arrive, except for file uploads. A client that sends the body with
   * at least 1 KB per second gets more time.
   */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(300)
  HTTP_BODY_TIMEOUT = 30;

  /** Seconds after which a connection without requests is closed. */
  @SetBy('large operators')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_600)
  HTTP_IDLE_TIMEOUT = 72;

  /**
   * Seconds without new bytes after which an upload ends. The service also gives a client this time to read a response,
   * plus one second per KB of the response.
   */
  @SetBy('developers')
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
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(8)
  @Max(65_535)
  HTTP_CONNECTIONS_PER_ADDRESS = 1_000;
}
