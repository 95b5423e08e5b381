import type { MessageKind, OutboundRule } from '@family-watch/domain/messages/contracts/message-kinds';
import { MESSAGE_CONTRACT_VERSION } from '@family-watch/domain/messages/contracts/socket-events';
import type { JsonSchema } from './json-schema.js';

const text = { type: 'string' };
const int32 = { type: 'integer', format: 'int32' };
const int64 = { type: 'integer', format: 'int64', minimum: 0 };
const unixMilliseconds = { ...int64, description: 'Unix milliseconds' };

function object(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

/** Schemas of the events that concern the connection itself instead of a message kind. */
export const CONNECTION_SCHEMAS: Record<string, JsonSchema> = {
  SocketAuth: object(
    {
      token: { ...text, description: 'Access token; must never be part of a URL' },
      last: { ...int64, description: 'Sequence number of the last durable message that the client has' },
      epoch: { ...int64, description: '`epoch` of the `hello` that `last` belongs to' },
    },
    ['last', 'epoch'],
  ),
  HandshakeRefusal: object(
    { code: int32, reason: text, retryAfter: { ...int32, description: 'Seconds to wait before the next attempt' } },
    ['retryAfter'],
  ),
  ReconnectAdvice: object({
    minDelay: { ...int32, minimum: 0, description: 'Milliseconds' },
    maxDelay: { ...int32, minimum: 0, description: 'Milliseconds' },
  }),
  Hello: object(
    {
      version: { const: MESSAGE_CONTRACT_VERSION },
      principal: { ...text, description: '`user:<userId>` or `watch:<did>`' },
      sessionId: text,
      head: { ...int64, description: 'Sequence number of the newest message in the mailbox' },
      epoch: { ...int64, description: 'Changes only when sequence numbers are reset' },
      heartbeatInterval: { ...int32, description: 'Seconds' },
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
  Sender: object({ type: { enum: ['user', 'watch', 'system'] }, id: text }),
};

/** Returns the schema of a message as a client receives it. Only durable messages have a sequence number. */
export function envelopeSchema(
  kind: MessageKind,
  { to, delivery, ttl }: OutboundRule,
  payload: JsonSchema,
): JsonSchema {
  const isDurable = delivery === 'durable';
  const expiry = ttl === null ? '' : `, not delivered after ${ttl / 1_000} s`;
  const envelope = object(
    {
      id: { ...text, format: 'uuid' },
      kind: { const: kind },
      ...(isDurable ? { seq: { ...int64, description: 'Strictly increasing per principal' } } : {}),
      time: unixMilliseconds,
      from: { $ref: '#/components/schemas/Sender' },
      did: int64,
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
  const common = object({
    ok: { const: true },
    time: unixMilliseconds,
    ...(createsMessage ? { id: { ...text, format: 'uuid' } } : {}),
    ...(event === 'token' ? { expiresAt: unixMilliseconds } : {}),
  });
  return extra ? { allOf: [common, extra] } : common;
}

export function errorResponseSchema(reasons: readonly string[]): JsonSchema {
  const detail = object({ field: text, rule: text, message: text });
  return object(
    {
      ok: { const: false },
      code: int32,
      reason: { enum: reasons },
      message: text,
      details: { type: 'array', items: detail },
      retryAfter: { ...int32, description: 'Seconds' },
    },
    ['details', 'retryAfter'],
  );
}
