import { DECORATORS } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '@family-watch/domain/kernel/contracts/error-catalogue';
import {
  MESSAGE_KINDS,
  type MessageKind,
  type MessageKindDefinition,
  type OutboundRule,
} from '@family-watch/domain/messages/contracts/message-kinds';
import { MESSAGE_CONTRACT_VERSION } from '@family-watch/domain/messages/contracts/socket-events';
import { PAYLOAD_CLASSES, type PayloadClass } from '@family-watch/domain/messages/dto/payload-classes';
import { TokenRenewalDto } from '@family-watch/domain/messages/dto/payloads.dto';
import { PRODUCT_VERSION } from '@family-watch/platform/config/product-version';

/** When clients reconnect, and when they must stop, by the reason of a HandshakeRefusal. */
const RECONNECTION_RULES =
  '**When to reconnect.** After a connection has ended or could not be opened: after a random delay within ' +
  '`reconnect` of `hello`, which grows with each failed attempt. After a refusal with `retryAfter`: not before that ' +
  'many seconds.\n\n' +
  '**When to stop.** After a refusal with TOKEN_MISSING or TOKEN_INVALID (401), refresh the token (a watch creates a ' +
  'new one) and connect once more. If that is refused with 401 too, or the refresh fails with 401, stop reconnecting ' +
  'and let the person sign in again (a watch enrols again). TOKEN_REVOKED means that the session has ended: ' +
  'a refresh is of no use. After a refusal with 403, stop. Other refusals are temporary. The service does not verify a ' +
  'token again that it has refused ten times within a minute from the same address: it responds RATE_LIMITED, after a ' +
  'delay.\n\n' +
  '**When the connection closes.** The service disconnects a client (`io server disconnect`) whose token expired a ' +
  'minute ago or was revoked, or that sends too many events: Socket.IO then does not reconnect itself. A frame of more ' +
  'than 64 KiB ends the connection with the WebSocket code 1009 and the limit as its reason (`details.context` of the ' +
  'event `disconnect`); do not send it again. Before the service ' +
  'closes a connection for another reason, it sends `reconnect` if it can.';

/** What the events and the fields of envelopes mean that all kinds have in common. */
const DELIVERY_RULES =
  '**Delivery.** The service delivers messages in the event `messages`, as envelopes with a `kind` and a `payload`. ' +
  '`from` is the sender; `did` and `cid` are the watch and the child that the message is about. A `durable` message ' +
  'is stored in the mailbox of each recipient and delivered again until a session has acknowledged its `seq`, for at ' +
  'most 30 days. Of `latest` messages only the newest one per child is delivered, without `seq`.';

/** What each kind means, what a client does with it, and to whom the service sends it. */
const KIND_MEANINGS = `**Message kinds.** *Members* are here the owner, guardians and caregivers of the family of the child.

| kind | meaning |
| --- | --- |
| HeartbeatMessage | Every \`heartbeatInterval\` seconds; with the status of a watch. Invalid fields are dropped and named in the response (\`rejected\`). Without heartbeats for twice the interval, a watch is offline. |
| AckMessage | From a client: \`seq\` acknowledges all durable messages up to it; \`messageId\` and \`status\` report the outcome of one message. To the sender of chat messages: a recipient has received or read them. |
| ChatTextMessage, ChatVoiceMessage, ChatImageMessage, ChatVideoMessage, ChatEmojiMessage | A message of a conversation, to its other members and to the other sessions of the sender. |
| LocationPointChangeMessage | From a watch: measured points, with a result for each. To members with the permission LOCATION: the last location of the child. |
| WristwatchStartupNoticeMessage, WristwatchShutdownNoticeMessage | From a watch: it has started, or is about to switch off. To members: the same, and LOST_CONNECTION if the service detects it. |
| DeviceBindStateChangeNoticeMessage | A watch was bound or unbound, or its lost mode changed. To the watch (not for the lost mode, which is a setting) and to members. |
| ContactsChangeNoticeMessage | The contacts of a child changed: fetch \`device/contacts/list\` again. CHILD_UPDATED is about the child itself, and also sent to contacts. |
| AddFriendNoticeMessage | A friend request or friendship has a new state: fetch \`device/friends/list\`. To both watches and the members of both families. |
| AlarmClockChangeNoticeMessage, SchoolDisableChangeNoticeMessage, RejectStrangerChangeNoticeMessage, DeviceSettingsChangeNoticeMessage | Settings have a new version. The watch fetches them (\`watch/settings/get\`) and sends an AckMessage with the \`messageId\`, the fetched \`version\` and APPLIED or REJECTED. Members then receive the notice again, with \`state\`. |
| MessageCenterChangeNoticeMessage | The message centre of the person has a new or changed message: fetch \`message/center/list\`. |
| VideoCallInNoticeMessage, VideoCallOutNoticeMessage | The state of a call changed, or a WebRTC signal arrived. \`In\`: to the party that is called; \`Out\`: to the party that calls. |
| AskLocationPointNoticeMessage | A member requests the location: the watch shows who requests it, and reports a point before \`deadline\`. |
| RemoteControlShutdownNoticeMessage, RemoteControlRebootNoticeMessage, RemoteControlFindNoticeMessage | A command. The watch sends an AckMessage with the \`messageId\` and APPLIED or REJECTED, executes the command, and reports the result (\`watch/command/result\`). The \`id\` of the message is the \`commandId\`. |
| ConversationChangeNoticeMessage | A conversation was created or closed, its members changed, or a message was recalled: fetch \`message/conversation/list\`, or remove the message. |`;

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
  document.addServerEvent(
    'reconnect',
    'The service will close the connection; the delays replace those of `hello`',
    advice,
  );
  document.addServerEvent('messages', 'Messages for the client, in one frame', document.frameSchema());
  document.addClientEvent(
    'token',
    'Replace the access token of the connection by a new one',
    TokenRenewalDto,
    undefined,
  );
  for (const [kind, { inbound }] of kinds) {
    const { inbound: payload, response } = PAYLOAD_CLASSES[kind] ?? {};
    if (inbound && payload) document.addClientEvent(kind, `From: ${inbound.from.join(', ')}`, payload, response);
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Family Watch messages',
      version: PRODUCT_VERSION,
      description:
        `Version ${MESSAGE_CONTRACT_VERSION} of the message contract: ` +
        'Socket.IO 4 over WebSocket on the base URL, path /socket.io/, default namespace. A channel is an event. ' +
        "Set `transports: ['websocket']` in the client: long polling is rejected with 426 UPGRADE_REQUIRED. " +
        'The client connects with `auth` of type SocketAuth. A rejected handshake is a `connect_error` whose `data` ' +
        'is a HandshakeRefusal. The service responds to every client event in its acknowledgement callback. ' +
        '`null` in an optional field of a client event is the same as an omitted field.\n\n' +
        `${RECONNECTION_RULES}\n\n${DELIVERY_RULES}\n\n${KIND_MEANINGS}`,
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host: '{host}',
        protocol: 'wss',
        pathname: '/socket.io/',
        variables: { host: { default: 'localhost:8080', description: 'Host and port of the base URL of the service' } },
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
        after: sequenceNumberSchema(
          '`through` of the previous frame, otherwise frames are missing: reconnect. Absent in a frame without ' +
            'durable messages',
        ),
        through: sequenceNumberSchema(
          'Sequence number to acknowledge after the messages are stored; may exceed that of the last message. ' +
            'Absent in a frame without durable messages',
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

const errorDetailSchema = objectSchema({ field: textSchema, rule: textSchema, message: textSchema });

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
      details: { type: 'array', items: errorDetailSchema },
      retryAfter: { ...int32Schema, description: 'Seconds to wait before the next attempt' },
    },
    ['details', 'retryAfter'],
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
  return objectSchema(
    {
      ok: { const: false },
      code: int32Schema,
      reason: { enum: reasons },
      message: textSchema,
      details: { type: 'array', items: errorDetailSchema },
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
