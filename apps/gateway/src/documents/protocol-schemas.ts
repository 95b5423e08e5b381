import type { MessageKind, OutboundRule } from '@family-watch/domain/messages/contracts/message-kinds';
import { MESSAGE_CONTRACT_VERSION } from '@family-watch/domain/messages/contracts/socket-events';
import type { JsonSchema } from './json-schema.js';

const text = { type: 'string' };
const int32Schema = { type: 'integer', format: 'int32' };
const int64Schema = { type: 'integer', format: 'int64', minimum: 0 };
const unixMilliseconds = { ...int64Schema, description: 'Unix milliseconds' };

function objectSchema(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

/** Schemas of the events that concern the connection itself instead of a message kind. */
export const CONNECTION_SCHEMAS: Record<string, JsonSchema> = {
  SocketAuth: objectSchema(
    {
      token: { ...text, description: 'Access token; must never be part of a URL' },
      last: { ...int64Schema, description: 'Sequence number of the last durable message that the client has' },
      epoch: { ...int64Schema, description: '`epoch` of the `hello` that `last` belongs to' },
    },
    ['last', 'epoch'],
  ),
  HandshakeRefusal: objectSchema(
    {
      code: int32Schema,
      reason: text,
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
      principal: { ...text, description: '`user:<userId>` or `watch:<did>`' },
      sessionId: text,
      head: { ...int64Schema, description: 'Sequence number of the newest message in the mailbox' },
      epoch: { ...int64Schema, description: 'Changes only when sequence numbers are reset' },
      heartbeatInterval: { ...int32Schema, description: 'Seconds' },
      serverTime: unixMilliseconds,
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
  Sender: objectSchema({ type: { enum: ['user', 'watch', 'system'] }, id: text }),
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
      id: { ...text, format: 'uuid' },
      kind: { const: kind },
      ...(isDurable ? { seq: { ...int64Schema, description: 'Strictly increasing per principal' } } : {}),
      time: unixMilliseconds,
      from: { $ref: '#/components/schemas/Sender' },
      did: int64Schema,
      cid: text,
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
    time: unixMilliseconds,
    ...(createsMessage ? { id: { ...text, format: 'uuid' } } : {}),
    ...(event === 'token' ? { expiresAt: unixMilliseconds } : {}),
  });
  return extra ? { allOf: [common, extra] } : common;
}

export function errorResponseSchema(reasons: readonly string[]): JsonSchema {
  const detail = objectSchema({ field: text, rule: text, message: text });
  return objectSchema(
    {
      ok: { const: false },
      code: int32Schema,
      reason: { enum: reasons },
      message: text,
      details: { type: 'array', items: detail },
      retryAfter: { ...int32Schema, description: 'Seconds' },
    },
    ['details', 'retryAfter'],
  );
}
