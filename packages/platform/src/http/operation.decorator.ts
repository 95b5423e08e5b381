import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension, ApiExtraModels, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';

/** Who may call an operation: the named kinds of principal, or anybody without a token. */
export type AllowedCallers = readonly PrincipalType[] | 'public';

/** How errors look in a protocol that is not ours, at the addresses that speak it. */
export interface ErrorFormat {
  schema: Type<unknown>;
  bodyOf(error: ServiceError): object;
}

/** What the guard, the error filter and the documents know of a route. */
export interface OperationMetadata {
  id: string;
  access: AllowedCallers;
  /** False where the answer is not enveloped although its address has a prefix (a file's bytes). */
  enveloped: boolean;
  /** Absent where errors look as everywhere on the surface. */
  errorFormat?: ErrorFormat;
  /** See {@link OperationOptions.direct}. */
  direct?: true;
}

export interface OperationOptions {
  /** OpenAPI operation id; the SDK names its method by it. */
  id: string;
  access: AllowedCallers;
  summary: string;
  description?: string;
  /** Class of the response body; absent means `{}`. */
  response?: Type<unknown>;
  /** The errors of this operation beyond those every operation can answer. */
  errors?: readonly ErrorReason[];
  enveloped?: boolean;
  errorFormat?: ErrorFormat;
  /**
   * For what is asked for thousands of times a second: the method is called with the request and the reply alone, past
   * the framework's pipes and interceptors, and answers itself. Guard, limits and errors are those of every operation.
   */
  direct?: true;
}

export const OPERATION_METADATA = 'family-watch:operation';

/**
 * Says who may call a route, and documents it. A route without it does not start
 * (see `assertEveryRouteIsDeclared`): the service is closed by default.
 */
export function Operation(options: OperationOptions): MethodDecorator {
  const { id, access, enveloped = true, errorFormat, direct } = options;
  const facts: OperationMetadata = {
    id,
    access,
    enveloped,
    ...(errorFormat ? { errorFormat } : {}),
    ...(direct ? { direct } : {}),
  };
  const errorSchema = errorFormat?.schema;
  return applyDecorators(
    SetMetadata(OPERATION_METADATA, facts),
    RouteConfig({ operation: facts }),
    HttpCode(200),
    ApiOperation({ operationId: options.id, summary: options.summary, description: options.description }),
    ApiExtension('x-family-watch', {
      access,
      errors: options.errors ?? [],
      ...(errorSchema ? { errorSchema: errorSchema.name } : {}),
    }),
    ...(errorSchema ? [ApiExtraModels(errorSchema)] : []),
    ...(facts.enveloped ? [ApiOkResponse({ type: options.response ?? EmptyDto })] : []),
    ...(options.access === 'public' ? [] : [ApiBearerAuth()]),
  );
}
