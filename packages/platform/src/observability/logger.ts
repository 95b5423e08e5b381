import { pino } from 'pino';
import type { DestinationStream, Logger, LoggerOptions } from 'pino';

export type { Logger } from 'pino';

/** Fields that are removed from every log line. Logs contain ids, never names, phone numbers, locations or tokens. */
const PRIVATE_FIELDS = [
  'authorization',
  'token',
  'accessToken',
  'refreshToken',
  'deviceToken',
  'password',
  'code',
  'phoneNumber',
  'name',
  'latitude',
  'longitude',
  'ticket',
  'proof',
  'signature',
];

/** Creates the process's logger: JSON lines on standard output, without private fields. */
export function createLogger(level: LoggerOptions['level'], name: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    name,
    level,
    redact: { paths: PRIVATE_FIELDS.flatMap((field) => [`body.${field}`, `headers.${field}`]), remove: true },
    serializers: { err: describeError },
  };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * Serializes an error. A driver error contains the row that caused the error, so only fields without personal data are
 * included.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  };
}
