import { DECORATORS } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { MESSAGE_KINDS } from '@family-watch/domain/messages/contracts/message-kinds';
import type {
  MessageKind,
  MessageKindDefinition,
  OutboundRule,
} from '@family-watch/domain/messages/contracts/message-kinds';
import { MESSAGE_CONTRACT_VERSION } from '@family-watch/domain/messages/contracts/socket-events';
import { PAYLOAD_CLASSES } from '@family-watch/domain/messages/dto/payload-classes';
import type { PayloadClass } from '@family-watch/domain/messages/dto/payload-classes';
import { TokenRenewalDto } from '@family-watch/domain/messages/dto/payloads.dto';

/** When clients reconnect, and when they must stop, by the reason of a HandshakeRefusal. */
const RECONNECTION_RULES =
  '**When to reconnect.** After a connection has ended or could not be opened: after a random delay within ' +
  '`reconnect` of `hello`, which grows with each failed attempt. After a refusal with `retryAfter`: not before that ' +
  'many seconds.\n\n' +
  '**When to stop.** A refusal with TOKEN_MISSING, TOKEN_INVALID or TOKEN_REVOKED (401) repeats until the token is ' +
  'another one. Refresh the token (a watch creates a new one) and connect once more; if that is refused with 401 too, ' +
  'or the refresh fails with 401, stop reconnecting and let the person sign in again (a watch enrols again). After a ' +
  'refusal with 403, stop. Other refusals are temporary. The service does not verify a token again that it has ' +
  'refused ten times within a minute from the same address: it responds RATE_LIMITED, after a delay.';

type DocumentSection = Record<string, JsonSchema>;

const kinds = Object.entries(MESSAGE_KINDS) as [MessageKind, MessageKindDefinition][];

/**
 * Generates the AsyncAPI 3 document of the socket from the table of message kinds and the payload classes. A kind
 * without a payload class is omitted. Operations are described from the service's perspective: `receive` means that a
 * client sends the message.
 */
export function asyncApiDocument(): JsonSchema {
  const document = new AsyncApiDocumentBuilder();
  document.addServerEvent('hello', 'First event of every connection', { $ref: '#/components/schemas/Hello' });
  const advice = { $ref: '#/components/schemas/ReconnectAdvice' };
  document.addServerEvent('reconnect', 'The service will close the connection; contains the reconnect delay', advice);
  document.addServerEvent('messages', 'Messages for the client, in one frame', document.frameSchema());
  document.addClientEvent('token', 'Renew the access token of the connection', TokenRenewalDto, undefined);
  for (const [kind, { inbound }] of kinds) {
    const { inbound: payload, response } = PAYLOAD_CLASSES[kind] ?? {};
    if (inbound && payload) document.addClientEvent(kind, `From: ${inbound.from.join(', ')}`, payload, response);
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Family Watch messages',
      version: `${MESSAGE_CONTRACT_VERSION}.0.0`,
      description:
        'Socket.IO 4 over WebSocket on the base URL, path /socket.io/, default namespace. A channel is an event. ' +
        "Set `transports: ['websocket']` in the client: long polling is rejected with 426 UPGRADE_REQUIRED. " +
        'The client connects with `auth` of type SocketAuth. A rejected handshake is a `connect_error` whose `data` ' +
        'is a HandshakeRefusal. The service responds to every client event in its acknowledgement callback. ' +
        '`null` in an optional field of a client event is the same as an omitted field.\n\n' +
        RECONNECTION_RULES,
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host: '{host}',
        protocol: 'wss',
        pathname: '/socket.io/',
        variables: { host: { default: 'localhost:8080', description: 'The base URL of the service' } },
      },
    },
    channels: document.channels,
    operations: document.operations,
    components: { messages: document.messages, schemas: { ...CONNECTION_SCHEMAS, ...document.schemas.namedSchemas } },
    'x-message-kinds': Object.fromEntries(kinds.map(([kind, definition]) => [kind, toDocumentedKind(definition)])),
  };
}

/** Returns the message kind as published in the document, where the key of `allowedWhileUnbound` is `whileUnbound`. */
function toDocumentedKind({ isSpecified: specified, inbound, outbound }: MessageKindDefinition): object {
  return {
    specified,
    ...(inbound && { inbound: { from: inbound.from, whileUnbound: inbound.allowedWhileUnbound } }),
    ...(outbound && { outbound }),
  };
}

/** Collects the sections of the document while it is generated. */
class AsyncApiDocumentBuilder {
  readonly schemas = new JsonSchemaCollection();
  readonly channels: DocumentSection = {};
  readonly operations: DocumentSection = {};
  readonly messages: DocumentSection = {};

  addServerEvent(event: string, summary: string, payload: JsonSchema): void {
    this.messages[event] = { name: event, summary, payload };
    this.addChannel(event, { [event]: event });
    this.operations[`send.${event}`] = {
      action: 'send',
      channel: { $ref: `#/channels/${event}` },
      summary,
      messages: [{ $ref: `#/channels/${event}/messages/${event}` }],
    };
  }

  addClientEvent(
    event: string,
    summary: string,
    payloadClass: PayloadClass,
    responseClass: PayloadClass | undefined,
  ): void {
    const responseName = `${event}.answer`;
    const success = successResponseSchema(event, responseClass && this.schemas.referenceTo(responseClass));
    this.messages[event] = { name: event, summary, payload: this.schemas.referenceTo(payloadClass) };
    this.messages[responseName] = {
      name: responseName,
      summary: 'Argument of the acknowledgement callback',
      payload: { oneOf: [success, errorResponseSchema(Object.keys(ERROR_CATALOGUE))] },
    };
    this.addChannel(event, { [event]: event, answer: responseName });
    this.operations[`receive.${event}`] = {
      action: 'receive',
      channel: { $ref: `#/channels/${event}` },
      summary,
      messages: [{ $ref: `#/channels/${event}/messages/${event}` }],
      reply: {
        channel: { $ref: `#/channels/${event}` },
        messages: [{ $ref: `#/channels/${event}/messages/answer` }],
      },
    };
  }

  /** Returns the schema of a frame, with one envelope per kind that the service delivers. */
  frameSchema(): JsonSchema {
    const envelopes = kinds.flatMap(([kind, { outbound }]) => {
      const payload = PAYLOAD_CLASSES[kind]?.outbound;
      return outbound && payload ? [envelopeSchema(kind, outbound, this.schemas.referenceTo(payload))] : [];
    });
    const sequenceNumberSchema = (description: string) => ({
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description,
    });
    return {
      type: 'object',
      properties: {
        after: sequenceNumberSchema('`through` of the previous frame; absent in a frame without durable messages'),
        through: sequenceNumberSchema(
          'Sequence number up to which the mailbox was sent; may exceed that of the last message',
        ),
        messages: { type: 'array', minItems: 1, items: { oneOf: envelopes } },
      },
      required: ['messages'],
    };
  }

  private addChannel(event: string, messages: Record<string, string>): void {
    this.channels[event] = {
      address: event,
      messages: Object.fromEntries(
        Object.entries(messages).map(([key, name]) => [key, { $ref: `#/components/messages/${name}` }]),
      ),
    };
  }
}

const textSchema = { type: 'string' };
const int32Schema = { type: 'integer', format: 'int32' };
const int64Schema = { type: 'integer', format: 'int64', minimum: 0 };
const unixMillisecondsSchema = { ...int64Schema, description: 'Unix milliseconds' };

function objectSchema(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

/** Schemas of the events that concern the connection itself instead of a message kind. */
const CONNECTION_SCHEMAS: Record<string, JsonSchema> = {
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
        description:
          '`last` does not exist, or the message after `last` is no longer stored; delivery starts at the oldest one',
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
function envelopeSchema(kind: MessageKind, { to, delivery, ttl }: OutboundRule, payload: JsonSchema): JsonSchema {
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
function successResponseSchema(event: string, extra: JsonSchema | undefined): JsonSchema {
  const createsMessage = !['HeartbeatMessage', 'AckMessage', 'token'].includes(event);
  const common = objectSchema({
    ok: { const: true },
    time: unixMillisecondsSchema,
    ...(createsMessage ? { id: { ...textSchema, format: 'uuid' } } : {}),
    ...(event === 'token' ? { expiresAt: unixMillisecondsSchema } : {}),
  });
  return extra ? { allOf: [common, extra] } : common;
}

function errorResponseSchema(reasons: readonly string[]): JsonSchema {
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

type JsonSchema = Record<string, unknown>;

/** OpenAPI 3.0 metadata of a property, from its field decorators. */
interface PropertyMetadata extends Record<string, unknown> {
  type?: unknown;
  isArray?: boolean;
  required?: boolean;
  nullable?: boolean;
  enum?: unknown[];
  example?: unknown;
}

/** Generates JSON Schemas of DTO classes from their validation decorators. Nested classes become named schemas. */
class JsonSchemaCollection {
  readonly namedSchemas: Record<string, JsonSchema> = {};

  /** Returns a reference to the schema of `type`; generates the schema if it does not exist yet. */
  referenceTo(type: PayloadClass): JsonSchema {
    if (!(type.name in this.namedSchemas)) {
      this.namedSchemas[type.name] = {};
      this.namedSchemas[type.name] = this.schemaOf(type);
    }
    return { $ref: `#/components/schemas/${type.name}` };
  }

  private schemaOf(type: PayloadClass): JsonSchema {
    const prototype = type.prototype as object;
    const names = (Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, prototype) ?? []) as string[];
    const properties = names
      .map((name) => name.slice(1))
      .map((name): [string, PropertyMetadata] => {
        return [name, Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, prototype, name) as PropertyMetadata];
      });
    return {
      type: 'object',
      properties: Object.fromEntries(properties.map(([name, metadata]) => [name, this.propertyOf(metadata)])),
      required: properties.filter(([, { required }]) => required !== false).map(([name]) => name),
    };
  }

  private propertyOf(metadata: PropertyMetadata): JsonSchema {
    const { type, isArray, required: _, nullable, example, minItems, maxItems, name: __, ...rules } = metadata;
    const isTypeArray = Array.isArray(type);
    const item = this.typeOf(isTypeArray ? (type as unknown[])[0] : type, rules);
    const schema = isArray || isTypeArray ? { type: 'array', items: item, minItems, maxItems } : item;
    const withExample = example === undefined ? schema : { ...schema, examples: [example] };
    return withoutUndefined(nullable ? asNullable(withExample) : withExample);
  }

  private typeOf(type: unknown, rules: JsonSchema): JsonSchema {
    if (type === String) return { type: 'string', ...rules };
    if (type === Boolean) return { type: 'boolean', ...rules };
    if (typeof type === 'string') return { type, ...rules };
    if (typeof type !== 'function') throw new Error('A documented field has no type');
    const isClass = /^class\b/.test(Function.prototype.toString.call(type));
    return this.referenceTo(isClass ? (type as PayloadClass) : (type as () => PayloadClass)());
  }
}

function asNullable(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema['enum']))
    return { ...schema, enum: [...(schema['enum'] as unknown[]), null], type: undefined };
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { oneOf: [schema, { type: 'null' }] };
}

function withoutUndefined(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
