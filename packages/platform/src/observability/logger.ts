import { pino } from 'pino';
import type { DestinationStream, Logger, LoggerOptions } from 'pino';

export type { Logger } from 'pino';

/** Members that never reach a log line, whatever logs them: logs name ids, never names, numbers, positions or tokens. */
const SECRET_MEMBERS = [
  'authorization',
  'token',
  'accessToken',
  'refreshToken',
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

/** The process's logger: JSON lines on standard output, with what is private cut out. */
export function createLogger(level: LoggerOptions['level'], name: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    name,
    level,
    redact: { paths: SECRET_MEMBERS.flatMap((member) => [`body.${member}`, `headers.${member}`]), remove: true },
    serializers: { err: describeError },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Driver errors carry the row they failed on; only what helps to find the fault is kept. */
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
