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

/** What belongs to the connection and not to a kind. */
export const CONNECTION_SCHEMAS: Record<string, JsonSchema> = {
  SocketAuth: object(
    {
      token: { ...text, description: 'Access token; it never travels in an address' },
      last: { ...int64, description: 'Number of the last durable message that the client has' },
      epoch: { ...int64, description: '`epoch` of the `hello` that `last` was counted in' },
    },
    ['last', 'epoch'],
  ),
  HandshakeRefusal: object(
    { code: int32, reason: text, retryAfter: { ...int32, description: 'Seconds after which a new try makes sense' } },
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
      head: { ...int64, description: 'Number of the newest message in the mailbox' },
      epoch: { ...int64, description: 'Changes only if numbering was reset' },
      heartbeatInterval: { ...int32, description: 'Seconds' },
      serverTime: unixMilliseconds,
      reset: { const: true, description: 'The wanted start is not kept: what follows starts at the oldest kept' },
      reconnect: {
        $ref: '#/components/schemas/ReconnectAdvice',
        description: 'After the connection has ended, come back at a random moment between the two',
      },
    },
    ['reset'],
  ),
  Sender: object({ type: { enum: ['user', 'watch', 'system'] }, id: text }),
};

/** A message of a kind as a client receives it; only durable ones have a number. */
export function envelopeSchema(
  kind: MessageKind,
  { to, delivery, ttl }: OutboundRule,
  payload: JsonSchema,
): JsonSchema {
  const numbered = delivery === 'durable';
  const kept = ttl === null ? '' : `, not delivered after ${ttl / 1_000} s`;
  const envelope = object(
    {
      id: { ...text, format: 'uuid' },
      kind: { const: kind },
      ...(numbered ? { seq: { ...int64, description: 'Rises strictly within a principal' } } : {}),
      time: unixMilliseconds,
      from: { $ref: '#/components/schemas/Sender' },
      did: int64,
      cid: text,
      payload,
    },
    ['did', 'cid'],
  );
  return { ...envelope, title: kind, description: `To: ${to.join(', ')}; ${delivery}${kept}` };
}

/** Said only when what was sent is on disk. `more` is what the event adds. */
export function successResponseSchema(event: string, more: JsonSchema | undefined): JsonSchema {
  const makesMessage = !['HeartbeatMessage', 'AckMessage', 'token'].includes(event);
  const good = object({
    ok: { const: true },
    time: unixMilliseconds,
    ...(makesMessage ? { id: { ...text, format: 'uuid' } } : {}),
    ...(event === 'token' ? { expiresAt: unixMilliseconds } : {}),
  });
  return more ? { allOf: [good, more] } : good;
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
