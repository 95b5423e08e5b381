import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller. The access guard sets `principal` on every route that is not public. */
    principal?: Principal;
  }
}

/** The authenticated caller. The principal comes from the access token, never from a field of the request. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!principal) throw new Error('@Caller() cannot be used in a public operation');
  return principal;
});
