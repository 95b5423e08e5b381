import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { createApplication, type ApplicationOptions } from '../http/create-application.js';

const HEALTH_PATH = '/health/';
const RETRY_AFTER_SECONDS = 10;

/**
 * Creates an application that serves only the health checks, for an app that must not use its database. Requests except
 * those of health checks get 503 DATABASE_UNAVAILABLE.
 *
 * @param options.module - the `HealthModule`
 */
export function createHealthApplication(
  options: Omit<ApplicationOptions, 'configure'>,
): Promise<NestFastifyApplication> {
  return createApplication({
    ...options,
    configure: (app) => {
      const fastify = app.getHttpAdapter().getInstance();
      fastify.addHook('onRequest', (request, _reply, done) => {
        if (request.url.startsWith(HEALTH_PATH)) done();
        else done(new ServiceError('DATABASE_UNAVAILABLE', { retryAfter: RETRY_AFTER_SECONDS }));
      });
    },
  });
}
