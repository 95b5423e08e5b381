import { ERROR_CATALOGUE } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { MESSAGE_KINDS } from '@family-watch/domain/messages/contracts/message-kinds';
import type { MessageKind, MessageKindDefinition } from '@family-watch/domain/messages/contracts/message-kinds';
import { MESSAGE_CONTRACT_VERSION } from '@family-watch/domain/messages/contracts/socket-events';
import { PAYLOAD_CLASSES } from '@family-watch/domain/messages/dto/payload-classes';
import type { PayloadClass } from '@family-watch/domain/messages/dto/payload-classes';
import { TokenRenewalDto } from '@family-watch/domain/messages/dto/payloads.dto';
import { JsonSchemaCollection } from './json-schema.js';
import type { JsonSchema } from './json-schema.js';
import { CONNECTION_SCHEMAS, envelopeSchema, errorResponseSchema, successResponseSchema } from './protocol-schemas.js';

type DocumentSection = Record<string, JsonSchema>;

const kinds = Object.entries(MESSAGE_KINDS) as [MessageKind, MessageKindDefinition][];

/**
 * Generates the AsyncAPI 3 document of the socket from the table of message kinds and the payload classes. A kind
 * without a payload class is omitted. Operations are described from the service's perspective: `receive` means that a
 * client sends the message.
 */
export function asyncApiDocument(): JsonSchema {
  const document = new DocumentParts();
  document.addServerEvent('hello', 'First event of every connection', { $ref: '#/components/schemas/Hello' });
  const advice = { $ref: '#/components/schemas/ReconnectAdvice' };
  document.addServerEvent('reconnect', 'The service will close the connection; contains the reconnect delay', advice);
  document.addServerEvent('messages', 'Messages for the client, in one frame', document.frameSchema());
  document.addClientEvent('token', 'Renew the access token of the connection', TokenRenewalDto, undefined);
  for (const [kind, { inbound }] of kinds) {
    const { inbound: payload, response: answer } = PAYLOAD_CLASSES[kind] ?? {};
    if (inbound && payload) document.addClientEvent(kind, `From: ${inbound.from.join(', ')}`, payload, answer);
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Family Watch messages',
      version: `${MESSAGE_CONTRACT_VERSION}.0.0`,
      description:
        'Socket.IO 4 over WebSocket on the base URL, path /socket.io/, default namespace. A channel is an event. ' +
        'The client connects with `auth` of type SocketAuth. A rejected handshake is a `connect_error` whose `data` ' +
        'is a HandshakeRefusal. The service responds to every client event in its acknowledgement callback.',
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
class DocumentParts {
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

  addClientEvent(event: string, summary: string, type: PayloadClass, answer: PayloadClass | undefined): void {
    const responseName = `${event}.answer`;
    const success = successResponseSchema(event, answer && this.schemas.referenceTo(answer));
    this.messages[event] = { name: event, summary, payload: this.schemas.referenceTo(type) };
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
    const sequenceNumber = (description: string) => ({ type: 'integer', format: 'int64', minimum: 0, description });
    return {
      type: 'object',
      properties: {
        after: sequenceNumber('`through` of the previous frame; absent in a frame without durable messages'),
        through: sequenceNumber(
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
