import type { Logger } from './logger.js';

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
