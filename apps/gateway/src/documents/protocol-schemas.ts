import type { MessageKind, OutboundRule } from '@family-watch/domain/messages/contracts/message-kinds';
import { MESSAGE_CONTRACT_VERSION } from '@family-watch/domain/messages/contracts/socket-events';
import type { JsonSchema } from './json-schema.js';

const textSchema = { type: 'string' };
const int32Schema = { type: 'integer', format: 'int32' };
const int64Schema = { type: 'integer', format: 'int64', minimum: 0 };
const unixMillisecondsSchema = { ...int64Schema, description: 'Unix milliseconds' };

function objectSchema(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

/** Schemas of the events that concern the connection itself instead of a message kind. */
export const CONNECTION_SCHEMAS: Record<string, JsonSchema> = {
  SocketAuth: objectSchema(
    {
      token: { ...textSchema, description: 'Access token; must never be part of a URL' },
      last: { ...int64Schema, description: 'Sequence number of the last durable message that the client has' },
      epoch: { ...int64Schema, description: '`epoch` of the `hello` that `last` belongs to' },
    },
    ['last', 'epoch'],
  ),
  HandshakeRefusal: objectSchema(
    {
      code: int32Schema,
      reason: textSchema,
      retryAfter: { ...int32Schema, description: 'Seconds to wait before the next attempt' },
    },
    ['retryAfter'],
  ),
  ReconnectAdvice: objectSchema({
    minDelay: { ...int32Schema, minimum: 0, description: 'Milliseconds' },
    maxDelay: { ...int32Schema, minimum: 0, description: 'Milliseconds' },
  }),
  Hello: objectSchema(
    {
      version: { const: MESSAGE_CONTRACT_VERSION },
      principal: { ...textSchema, description: '`user:<userId>` or `watch:<did>`' },
      sessionId: textSchema,
      head: { ...int64Schema, description: 'Sequence number of the newest message in the mailbox' },
      epoch: { ...int64Schema, description: 'Changes only when sequence numbers are reset' },
      heartbeatInterval: { ...int32Schema, description: 'Seconds' },
      serverTime: unixMillisecondsSchema,
      reset: {
        const: true,
        description: 'The requested start is no longer stored; delivery starts at the oldest stored message',
      },
      reconnect: {
        $ref: '#/components/schemas/ReconnectAdvice',
        description: 'Range of the random delay before a client reconnects after the connection has closed',
      },
    },
    ['reset'],
  ),
  Sender: objectSchema({ type: { enum: ['user', 'watch', 'system'] }, id: textSchema }),
};

/** Returns the schema of a message as a client receives it. Only durable messages have a sequence number. */
export function envelopeSchema(
  kind: MessageKind,
  { to, delivery, ttl }: OutboundRule,
  payload: JsonSchema,
): JsonSchema {
  const isDurable = delivery === 'durable';
  const expiry = ttl === null ? '' : `, not delivered after ${ttl / 1_000} s`;
  const envelope = objectSchema(
    {
      id: { ...textSchema, format: 'uuid' },
      kind: { const: kind },
      ...(isDurable ? { seq: { ...int64Schema, description: 'Strictly increasing per principal' } } : {}),
      time: unixMillisecondsSchema,
      from: { $ref: '#/components/schemas/Sender' },
      did: int64Schema,
      cid: textSchema,
      payload,
    },
    ['did', 'cid'],
  );
  return { ...envelope, title: kind, description: `To: ${to.join(', ')}; ${delivery}${expiry}` };
}

/**
 * Returns the schema of a success response, sent only after the commit. `extra` is the schema of the fields that the
 * event adds to the response.
 */
export function successResponseSchema(event: string, extra: JsonSchema | undefined): JsonSchema {
  const createsMessage = !['HeartbeatMessage', 'AckMessage', 'token'].includes(event);
  const common = objectSchema({
    ok: { const: true },
    time: unixMillisecondsSchema,
    ...(createsMessage ? { id: { ...textSchema, format: 'uuid' } } : {}),
    ...(event === 'token' ? { expiresAt: unixMillisecondsSchema } : {}),
  });
  return extra ? { allOf: [common, extra] } : common;
}

export function errorResponseSchema(reasons: readonly string[]): JsonSchema {
  const detail = objectSchema({ field: textSchema, rule: textSchema, message: textSchema });
  return objectSchema(
    {
      ok: { const: false },
      code: int32Schema,
      reason: { enum: reasons },
      message: textSchema,
      details: { type: 'array', items: detail },
      retryAfter: { ...int32Schema, description: 'Seconds' },
    },
    ['details', 'retryAfter'],
  );
}
