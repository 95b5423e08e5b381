import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Authenticator } from '../../src/auth/authenticator.js';
import { Environment } from '../../src/config/environment.js';
import { createApplication, type ApplicationOptions } from '../../src/http/create-application.js';
import { createLogger } from '../../src/observability/logger.js';

interface TestApplicationOptions extends Pick<ApplicationOptions, 'configure'> {
  settings?: Partial<Environment>;
  authenticate?: Authenticator['authenticate'];
  /** Called with each line of the log. */
  onLogLine?: (line: string) => void;
}

/** Creates an application with these controllers. */
export function createTestApplication(
  controllers: readonly Type<unknown>[],
  { settings, authenticate, onLogLine, configure }: TestApplicationOptions = {},
): Promise<NestFastifyApplication> {
  return createApplication({
    module: { module: class TestModule {}, controllers: [...controllers] },
    environment: Object.assign(new Environment(), settings),
    logger: onLogLine ? createLogger('info', 'test', { write: onLogLine }) : createLogger('silent', 'test'),
    authenticator: { authenticate } as Authenticator,
    ...(configure ? { configure } : {}),
  });
}

/** Creates an application that listens on a free port. */
export async function startTestApplication(
  ...parameters: Parameters<typeof createTestApplication>
): Promise<{ app: NestFastifyApplication; url: string }> {
  const app = await createTestApplication(...parameters);
  await app.listen(0, '127.0.0.1');
  return { app, url: await app.getUrl() };
}
