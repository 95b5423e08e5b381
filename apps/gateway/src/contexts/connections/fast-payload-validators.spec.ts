import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EMOJI } from '@family-watch/domain/messages/contracts/chat';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import { PAYLOAD_CLASSES } from '@family-watch/domain/messages/dto/payload-classes';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { FAST_PAYLOAD_VALIDATORS } from './fast-payload-validators.js';

/** Generates values near every bound of every rule, and values of every wrong type. */
const textValues = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('', '\u0000', '\ud800', '\ufe0f', 'a\ufe0f', '😀', ' ', 'SMILE'),
  fc.constantFrom(64, 65, 128, 129, 2_000, 2_001).map((length) => 'x'.repeat(length)),
  fc.constantFrom(32, 33, 64, 1_000, 1_001).map((length) => '😀'.repeat(length)),
);
const numberValues = fc.oneof(
  fc.integer({ min: -2, max: 1_002 }),
  fc.constantFrom(-0, 0.5, 100, 101, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER, 2 ** 53, NaN, Infinity),
);
const anyValue = fc.oneof(
  textValues,
  numberValues,
  fc.boolean(),
  fc.constantFrom(null, undefined, [], {}, ...Object.values(EMOJI)),
  fc.anything(),
);

const FIELD_VALUES_BY_EVENT: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
  ChatTextMessage: { clientMsgId: textValues, conversationId: textValues, text: textValues },
  ChatEmojiMessage: {
    clientMsgId: textValues,
    conversationId: textValues,
    emoji: fc.constantFrom(...Object.values(EMOJI), 'X'),
  },
  AckMessage: { seq: numberValues },
  HeartbeatMessage: {
    battery: numberValues,
    charging: fc.boolean(),
    worn: fc.boolean(),
    signal: numberValues,
    signalMax: numberValues,
    stepTotal: numberValues,
    firmwareVersion: textValues,
  },
};

/** Generates payloads: mostly matching each field, sometimes with any value, a missing field or an extra field. */
function payloads(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const shape = Object.fromEntries(
    Object.entries(fields).map(([name, arbitrary]) => [name, fc.oneof({ weight: 9, arbitrary }, anyValue)]),
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.record(shape, { noNullPrototype: true }) },
    { weight: 2, arbitrary: fc.record(shape, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.record({ ...shape, more: anyValue }, { noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.anything() },
  );
}

function validateByClass(event: string, payload: unknown): object | undefined {
  try {
    return validateAs(PAYLOAD_CLASSES[event as MessageKind].inbound as new () => object, payload);
  } catch {
    return undefined;
  }
}

describe.each([...FAST_PAYLOAD_VALIDATORS])('fast validator of %s', (event, check) => {
  test('accepts only payloads that the payload class accepts, and returns them unchanged', () => {
    let accepted = 0;
    fc.assert(
      fc.property(payloads(FIELD_VALUES_BY_EVENT[event] ?? {}), (payload) => {
        const result = check(payload);
        if (result === undefined) return;
        accepted += 1;
        expect(result).toEqual({ ...validateByClass(event, payload) });
      }),
      { numRuns: propertyRuns(3_000) },
    );
    // If nearly all generated payloads were rejected, the property would prove nothing.
    expect(accepted).toBeGreaterThan(20);
  });
});

test('fast validators find a conversation by its id in upper case, as the payload class does', () => {
  const conversationId = '0B2F6F0E-6D0E-4A53-9A3E-0F3AC7D1C0DE';
  const payload = { clientMsgId: '1', conversationId, text: 'hi', emoji: Object.values(EMOJI)[0] };
  for (const [event, field] of [
    ['ChatTextMessage', 'text'],
    ['ChatEmojiMessage', 'emoji'],
  ] as const) {
    const { clientMsgId, [field]: content } = payload;
    const sent = { clientMsgId, conversationId, [field]: content };
    expect(FAST_PAYLOAD_VALIDATORS.get(event)?.(sent)).toEqual({
      ...sent,
      conversationId: conversationId.toLowerCase(),
    });
  }
});

test('fast validators accept the payloads that clients send most often', () => {
  const ids = { clientMsgId: 'a', conversationId: 'b' };
  const heartbeat = {
    battery: 82,
    charging: false,
    worn: true,
    signal: 3,
    signalMax: 4,
    stepTotal: 9,
    firmwareVersion: '1',
  };
  const frequent = [
    ['ChatTextMessage', { ...ids, text: 'Hello' }],
    ['ChatEmojiMessage', { ...ids, emoji: 'SMILE' }],
    ['AckMessage', { seq: 7 }],
    ['HeartbeatMessage', heartbeat],
    ['HeartbeatMessage', {}],
  ] as const;
  for (const [event, payload] of frequent)
    expect([event, FAST_PAYLOAD_VALIDATORS.get(event)?.(payload)]).toEqual([event, payload]);
});
