import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EMOJI } from '@family-watch/domain/messages/contracts/chat';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import { PAYLOAD_CLASSES } from '@family-watch/domain/messages/dto/payload-classes';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { FAST_PAYLOAD_VALIDATORS } from './fast-payload-validators.js';

/** Values near every bound of every rule, and values of every wrong type. */
const anyValue = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('', '\u0000', '\ud800', '\ufe0f', 'a\ufe0f', '😀', ' ', ...Object.values(EMOJI)),
  fc.constantFrom(65, 129, 2_001).map((length) => 'x'.repeat(length)),
  fc.constantFrom(33, 64, 1_001).map((length) => '😀'.repeat(length)),
  fc.constantFrom(-1, -0, 0.5, 101, 1_001, 2 ** 31, 2 ** 53, NaN, Infinity),
  fc.constantFrom(null, undefined, true, [], {}),
  fc.anything(),
);

const validText = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
    fc.constantFrom('a\ufe0f', ' ', 'x'.repeat(maxLength), '😀'.repeat(maxLength / 2)),
  );
const validInteger = (max: number) => fc.oneof(fc.constantFrom(0, max), fc.nat(max));

/** Valid values of all fields, by event. */
const VALID_FIELDS: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
  ChatTextMessage: { clientMsgId: validText(64), conversationId: validText(128), text: validText(2_000) },
  ChatEmojiMessage: {
    clientMsgId: validText(64),
    conversationId: validText(128),
    emoji: fc.constantFrom(...Object.values(EMOJI)),
  },
  AckMessage: { seq: fc.oneof(fc.constant(Number.MAX_SAFE_INTEGER), fc.nat()) },
  HeartbeatMessage: {
    battery: validInteger(100),
    charging: fc.boolean(),
    worn: fc.boolean(),
    signal: validInteger(1_000),
    signalMax: validInteger(1_000),
    stepTotal: validInteger(2 ** 31 - 1),
    firmwareVersion: validText(64),
  },
};

/** Generates valid payloads of which one field has any value, fields are missing or a field is added, and any values. */
function payloads(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.constantFrom(...Object.keys(fields)), anyValue);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.record(fields), change).map(([valid, [name, value]]) => ({ ...valid, [name]: value })),
    },
    { weight: 2, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.record({ ...fields, more: anyValue }, { noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.anything() },
  );
}

function validateByClass(event: string, payload: unknown): object | undefined {
  try {
    return { ...validateAs(PAYLOAD_CLASSES[event as MessageKind].inbound as new () => object, payload) };
  } catch {
    return undefined;
  }
}

describe.each([...FAST_PAYLOAD_VALIDATORS])('fast validator of %s', (event, check) => {
  const fields = VALID_FIELDS[event] ?? {};

  test('accepts only payloads that the payload class accepts, and returns them unchanged', () => {
    fc.assert(
      fc.property(payloads(fields), (payload) => {
        const result = check(payload);
        if (result !== undefined) expect(result).toEqual(validateByClass(event, payload));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test('accepts every valid payload, with the same result as the payload class', () => {
    fc.assert(
      fc.property(fc.record(fields, { noNullPrototype: true }), (payload) => {
        const result = check(payload);
        expect(result).toBeDefined();
        expect(result).toEqual(validateByClass(event, payload));
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

test.each([
  ['ChatTextMessage', { text: 'hi' }],
  ['ChatEmojiMessage', { emoji: 'SMILE' }],
])(
  'the fast validator of %s finds a conversation by its id in upper case, as the payload class does',
  (event, content) => {
    const conversationId = '0B2F6F0E-6D0E-4A53-9A3E-0F3AC7D1C0DE';
    const sent = { clientMsgId: '1', conversationId, ...content };
    const expected = { ...sent, conversationId: conversationId.toLowerCase() };
    expect(FAST_PAYLOAD_VALIDATORS.get(event)?.(sent)).toEqual(expected);
  },
);

test('the fast validator of heartbeats accepts the empty heartbeat of an app', () => {
  expect(FAST_PAYLOAD_VALIDATORS.get('HeartbeatMessage')?.({})).toEqual({});
});
