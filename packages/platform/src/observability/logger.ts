import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type LogFn, type Logger, type LoggerOptions } from 'pino';
import { isDatabaseOutageError } from '../errors/database-errors.js';
import { InternalCallError } from '../errors/internal-call-error.js';

export type { Logger } from 'pino';

/**
 * Fields that are removed from every log line, also from the `body` and `headers` of a request in it. Logs contain ids,
 * never names, phone numbers, locations or tokens.
 */
const PRIVATE_FIELDS = [
  'authorization',
  'token',
  'accessToken',
  'refreshToken',
  'deviceToken',
  'password',
  'phoneNumber',
  'latitude',
  'longitude',
  'ticket',
  'proof',
  'signature',
];

/** Private fields of requests; a log line itself has the name of the process, and the code of an error. */
const PRIVATE_REQUEST_FIELDS = [...PRIVATE_FIELDS, 'code', 'name'];

/** Creates the process's logger: JSON lines on standard output, without private fields. */
export function createLogger(level: LoggerOptions['level'], name: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    name,
    level,
    redact: {
      paths: [...PRIVATE_FIELDS, ...PRIVATE_REQUEST_FIELDS.flatMap((field) => [`body.${field}`, `headers.${field}`])],
      remove: true,
    },
    serializers: { err: describeError },
    hooks: { logMethod: reportOutageOnce() },
  };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * A line about an unavailable database repeats an equal line if at most this number of milliseconds is between them.
 */
const OUTAGE_REPETITION_MS = 60_000;
const DEBUG_LEVEL = 20;

/**
 * Returns a hook that writes the same line about an unavailable database once per outage; repetitions have level
 * `debug`. `DatabaseCircuit` logs the beginning and the end of an outage, and during the outage every run of every job
 * fails.
 */
function reportOutageOnce(): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  const lastTimes = new Map<string, number>();
  return function (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
    const [fields, text] = args as unknown as [{ err?: unknown; context?: string; msg?: string }, string | undefined];
    if (level <= DEBUG_LEVEL || typeof fields !== 'object' || !isDatabaseOutageError(fields.err)) {
      method.apply(this, args);
      return;
    }
    const key = JSON.stringify([this.bindings(), fields.context, fields.msg ?? text]);
    const now = performance.now();
    const wasLoggedRecently = now - (lastTimes.get(key) ?? -Infinity) < OUTAGE_REPETITION_MS;
    lastTimes.set(key, now);
    if (wasLoggedRecently) this.debug(...args);
    else method.apply(this, args);
  };
}

/**
 * Serializes an error. A driver error contains the row that caused the error, so only fields without personal data are
 * included. Errors of an unavailable database or app have no stack.
 */
function describeError(error: unknown): object {
  return describeCause(error, !isDatabaseOutageError(error));
}

function describeCause(error: unknown, hasStack: boolean): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const isStackUseful = hasStack && !(error instanceof InternalCallError);
  return {
    type: error.name,
    message: error.message,
    ...(isStackUseful ? { stack: error.stack } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(error.cause instanceof Error ? { cause: describeCause(error.cause, isStackUseful) } : {}),
  };
}

/** Logger interface of packages without a logging library: the message first, then its fields. */
export interface StructuredLogger {
  info(message: string, context?: Record<string, unknown>): void;
  warn(message: string, context?: Record<string, unknown>): void;
  error(message: string, context?: Record<string, unknown>): void;
}

/** Adapts pino's logger to `StructuredLogger`. The field `error` is logged as `err`. */
export function toStructuredLogger(logger: Logger): StructuredLogger {
  const toFields = ({ error, ...rest }: Record<string, unknown> = {}) =>
    error === undefined ? rest : { ...rest, err: error };
  return {
    info: (message, context) => logger.info(toFields(context), message),
    warn: (message, context) => logger.warn(toFields(context), message),
    error: (message, context) => logger.error(toFields(context), message),
  };
}

/** A fixed, searchable message with fields. The field `err` contains an error. */
type LogEntry = { msg: string } & Record<string, unknown>;

/**
 * Forwards entries of Nest's `Logger` to the process's logger. Fields are preserved; `log` writes at level `info`.
 * Plain strings are start-up messages of the framework and are written at level `debug`.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger[typeof message === 'string' ? 'debug' : 'info'](toLogEntry(message, { context }));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn(toLogEntry(message, { context }));
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.logger.error(toLogEntry(message, { context, stack }));
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal(toLogEntry(message, { context }));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug(toLogEntry(message, { context }));
  }
}

function toLogEntry(message: unknown, origin: { context?: string; stack?: string }): LogEntry {
  if (message instanceof Error) return { ...origin, err: message, msg: 'Unexpected error' };
  if (isLogEntry(message)) return { ...origin, ...message };
  return { ...origin, msg: String(message) };
}

function isLogEntry(message: unknown): message is LogEntry {
  return typeof message === 'object' && message !== null && 'msg' in message;
}
