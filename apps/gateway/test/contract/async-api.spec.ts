import { createRequire } from 'node:module';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { MESSAGE_KINDS } from '@family-watch/domain/messages/contracts/message-kinds';
import { PRODUCT_VERSION } from '@family-watch/platform/config/product-version';
import { asyncApiDocument } from '../../src/documents/async-api.js';

interface AsyncApi {
  asyncapi: string;
  info: { version: string };
  operations: Record<string, { action: string }>;
  components: { messages: Record<string, { payload: unknown }>; schemas: Record<string, { properties: object }> };
  'x-message-kinds': Record<string, { specified: boolean }>;
}

const document = asyncApiDocument() as unknown as AsyncApi;

describe('asyncApiDocument', () => {
  let diagnostics: { severity: number; message: string; path: (string | number)[] }[];

  beforeAll(async () => {
    // `@asyncapi/parser` is a CommonJS package with lazy `require` calls, which jest's module loader does not resolve.
    const { Parser } = createRequire(import.meta.url)('@asyncapi/parser') as typeof import('@asyncapi/parser');
    const parsed = await new Parser().parse(JSON.stringify(document));
    expect(parsed.document).toBeDefined();
    diagnostics = parsed.diagnostics;
  });

  test('returns a valid AsyncAPI document', () => {
    const errors = diagnostics.filter(({ severity }) => severity === 0);
    expect(errors.map(({ message, path }) => `${path.join('.')}: ${message}`)).toEqual([]);
  });

  test('describes message contract version 2 in AsyncAPI 3', () => {
    const description = expect.stringMatching(/^Version 2 of the message contract/) as unknown;
    expect(document).toMatchObject({ asyncapi: '3.0.0', info: { version: PRODUCT_VERSION, description } });
  });

  test('lists all message kinds: 22 of the specification and three additional ones', () => {
    const kinds = document['x-message-kinds'];
    expect(Object.keys(kinds)).toEqual(Object.keys(MESSAGE_KINDS));
    expect(Object.values(kinds).filter(({ specified }) => specified)).toHaveLength(22);
    expect(Object.values(kinds).filter(({ specified }) => !specified)).toHaveLength(3);
  });

  test('documents the rules of a message kind under the published keys in x-message-kinds', () => {
    expect(document['x-message-kinds']['AckMessage']).toEqual({
      specified: true,
      inbound: { from: ['user', 'watch'], whileUnbound: true },
      outbound: expect.objectContaining({ to: ['user', 'watch'], delivery: 'durable' }) as unknown,
    });
  });

  test('contains one operation for each socket event', () => {
    expect(Object.keys(document.operations).toSorted()).toEqual([
      'receive.AckMessage',
      'receive.ChatEmojiMessage',
      'receive.ChatImageMessage',
      'receive.ChatTextMessage',
      'receive.ChatVideoMessage',
      'receive.ChatVoiceMessage',
      'receive.HeartbeatMessage',
      'receive.LocationPointChangeMessage',
      'receive.WristwatchShutdownNoticeMessage',
      'receive.WristwatchStartupNoticeMessage',
      'receive.token',
      'send.hello',
      'send.messages',
      'send.reconnect',
    ]);
  });

  test('derives the payload schemas from the rules that validate payloads', () => {
    const { HeartbeatDto, LocationPointDto } = document.components.schemas;
    expect(HeartbeatDto).toMatchObject({
      required: [],
      properties: {
        battery: { type: ['integer', 'null'], minimum: 0, maximum: 100 },
        worn: { type: ['boolean', 'null'] },
      },
    });
    expect(LocationPointDto).toMatchObject({
      required: ['latitude', 'longitude', 'positionTime', 'radius', 'pointType'],
      properties: { pointType: { type: 'integer', enum: [0, 1, 2, 3, 4] }, latitude: { type: 'string' } },
    });
  });
});
