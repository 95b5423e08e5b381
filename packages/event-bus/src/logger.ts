/** What this package asks of a logger; pino, nestjs-pino and test doubles all fit behind it. */
export interface EventBusLogger {
  info(message: string, context?: Record<string, unknown>): void;
  warn(message: string, context?: Record<string, unknown>): void;
  error(message: string, context?: Record<string, unknown>): void;
}
