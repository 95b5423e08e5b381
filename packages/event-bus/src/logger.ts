/** Logger interface of this package; pino, nestjs-pino and test doubles can implement it. */
export interface EventBusLogger {
  info(message: string, context?: Record<string, unknown>): void;
  warn(message: string, context?: Record<string, unknown>): void;
  error(message: string, context?: Record<string, unknown>): void;
}
