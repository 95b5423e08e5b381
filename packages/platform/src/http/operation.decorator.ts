import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';

/** Who may call an operation: the named kinds of principal, or anybody without a token. */
export type Access = readonly PrincipalType[] | 'public';

/** What the guard, the error filter and the documents know of a route. */
export interface OperationFacts {
  id: string;
  access: Access;
  /** False where the answer is not enveloped although its address has a prefix (a file's bytes). */
  enveloped: boolean;
}

export interface OperationOptions {
  /** OpenAPI operation id; the SDK names its method by it. */
  id: string;
  access: Access;
  summary: string;
  description?: string;
  /** Class of the response body; absent means `{}`. */
  response?: Type<unknown>;
  /** The errors of this operation beyond those every operation can answer. */
  errors?: readonly ErrorReason[];
  enveloped?: boolean;
}

export const OPERATION_METADATA = 'family-watch:operation';

/**
 * Says who may call a route, and documents it. A route without it does not start
 * (see `assertEveryRouteIsDeclared`): the service is closed by default.
 */
export function Operation(options: OperationOptions): MethodDecorator {
  const facts: OperationFacts = { id: options.id, access: options.access, enveloped: options.enveloped ?? true };
  return applyDecorators(
    SetMetadata(OPERATION_METADATA, facts),
    RouteConfig({ operation: facts }),
    HttpCode(200),
    ApiOperation({ operationId: options.id, summary: options.summary, description: options.description }),
    ApiExtension('x-family-watch', { access: options.access, errors: options.errors ?? [] }),
    ...(facts.enveloped ? [ApiOkResponse({ type: options.response ?? EmptyDto })] : []),
    ...(options.access === 'public' ? [] : [ApiBearerAuth()]),
  );
}
