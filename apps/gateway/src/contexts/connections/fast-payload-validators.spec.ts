import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EMOJI } from '@family-watch/domain/messages/contracts/chat';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import { PAYLOAD_CLASSES } from '@family-watch/domain/messages/dto/payload-classes';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { FAST_PAYLOAD_VALIDATORS } from './fast-payload-validators.js';

/** Values near every bound of every rule, and of every wrong type. */
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('', '\u0000', '\ud800', '\ufe0f', 'a\ufe0f', '😀', ' ', 'SMILE'),
  fc.constantFrom(64, 65, 128, 129, 2_000, 2_001).map((length) => 'x'.repeat(length)),
  fc.constantFrom(32, 33, 64, 1_000, 1_001).map((length) => '😀'.repeat(length)),
);
const numbers = fc.oneof(
  fc.integer({ min: -2, max: 1_002 }),
  fc.constantFrom(-0, 0.5, 100, 101, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER, 2 ** 53, NaN, Infinity),
);
const anyValue = fc.oneof(
  words,
  numbers,
  fc.boolean(),
  fc.constantFrom(null, undefined, [], {}, ...Object.values(EMOJI)),
  fc.anything(),
);

const FIELDS: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
  ChatTextMessage: { clientMsgId: words, conversationId: words, text: words },
  ChatEmojiMessage: { clientMsgId: words, conversationId: words, emoji: fc.constantFrom(...Object.values(EMOJI), 'X') },
  AckMessage: { seq: numbers },
  HeartbeatMessage: {
    battery: numbers,
    charging: fc.boolean(),
    worn: fc.boolean(),
    signal: numbers,
    signalMax: numbers,
    stepTotal: numbers,
    firmwareVersion: words,
  },
};

/** Mostly what fits each field, sometimes anything, sometimes absent, sometimes with more. */
function payloads(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const shape = Object.fromEntries(
    Object.entries(fields).map(([name, fitting]) => [name, fc.oneof({ weight: 9, arbitrary: fitting }, anyValue)]),
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.record(shape, { noNullPrototype: true }) },
    { weight: 2, arbitrary: fc.record(shape, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.record({ ...shape, more: anyValue }, { noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.anything() },
  );
}

function verdictOfClass(event: string, payload: unknown): object | undefined {
  try {
    return validateAs(PAYLOAD_CLASSES[event as MessageKind].inbound as new () => object, payload);
  } catch {
    return undefined;
  }
}

describe.each([...FAST_PAYLOAD_VALIDATORS])('the check by hand of %s', (event, check) => {
  test('accepts nothing that its class refuses, and gives what its class gives', () => {
    let accepted = 0;
    fc.assert(
      fc.property(payloads(FIELDS[event] ?? {}), (payload) => {
        const given = check(payload);
        if (given === undefined) return;
        accepted += 1;
        expect(given).toEqual({ ...verdictOfClass(event, payload) });
      }),
      { numRuns: propertyRuns(3_000) },
    );
    // Or it would prove nothing.
    expect(accepted).toBeGreaterThan(20);
  });
});

test('what clients send all the time is accepted by hand', () => {
  const said = { clientMsgId: 'a', conversationId: 'b' };
  const beat = {
    battery: 82,
    charging: false,
    worn: true,
    signal: 3,
    signalMax: 4,
    stepTotal: 9,
    firmwareVersion: '1',
  };
  const ordinary = [
    ['ChatTextMessage', { ...said, text: 'Hello' }],
    ['ChatEmojiMessage', { ...said, emoji: 'SMILE' }],
    ['AckMessage', { seq: 7 }],
    ['HeartbeatMessage', beat],
    ['HeartbeatMessage', {}],
  ] as const;
  for (const [event, payload] of ordinary)
    expect([event, FAST_PAYLOAD_VALIDATORS.get(event)?.(payload)]).toEqual([event, payload]);
});
