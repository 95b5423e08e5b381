import type { Logger } from './logger.js';

/** The shape that packages without a logging library ask for: the message first, then what it is about. */
export interface StructuredLogger {
  info(message: string, context?: Record<string, unknown>): void;
  warn(message: string, context?: Record<string, unknown>): void;
  error(message: string, context?: Record<string, unknown>): void;
}

/** Speaks to the process's logger in that shape; an `error` member is described like any thrown error. */
export function toStructuredLogger(logger: Logger): StructuredLogger {
  const facts = ({ error, ...rest }: Record<string, unknown> = {}) =>
    error === undefined ? rest : { ...rest, err: error };
  return {
    info: (message, context) => logger.info(facts(context), message),
    warn: (message, context) => logger.warn(facts(context), message),
    error: (message, context) => logger.error(facts(context), message),
  };
}
