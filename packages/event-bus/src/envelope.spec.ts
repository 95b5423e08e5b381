import { describe, expect, test } from '@jest/globals';
import {
  countEventsThatFit,
  MAX_ENVELOPE_EVENTS,
  MAX_EVENT_PAYLOAD_BYTES,
  parseEnvelope,
  createEnvelope,
} from './envelope.js';

const createEvent = (id: string) => ({ id, name: 'userctx.family.created', key: 'f1', time: 1, payload: {} });

describe('createEnvelope', () => {
  test('assigns the same id only to the same events in the same order', () => {
    const first = createEnvelope('userctx', 3, [createEvent('a'), createEvent('b')]);
    expect(createEnvelope('userctx', 3, [createEvent('a'), createEvent('b')]).id).toBe(first.id);
    expect(createEnvelope('userctx', 3, [createEvent('b'), createEvent('a')]).id).not.toBe(first.id);
    expect(createEnvelope('userctx', 3, [createEvent('a')]).id).not.toBe(first.id);
  });
});

describe('countEventsThatFit', () => {
  test('stops at the maximum number of events', () => {
    expect(countEventsThatFit(new Array<number>(250).fill(10))).toBe(MAX_ENVELOPE_EVENTS);
  });

  test('stops before the maximum payload size is exceeded', () => {
    expect(countEventsThatFit(new Array<number>(100).fill(MAX_EVENT_PAYLOAD_BYTES))).toBe(16);
  });

  test('returns 1 if the first payload exceeds the maximum payload size, and 0 for an empty list', () => {
    expect(countEventsThatFit([10_000_000, 1])).toBe(1);
    expect(countEventsThatFit([])).toBe(0);
  });
});

describe('parseEnvelope', () => {
  const id = '7d1c3c53-3f3c-4a2c-9a75-3d0f6e0c8a11';

  test('parses a serialized envelope', () => {
    const envelope = createEnvelope('userctx', 3, [createEvent(id)]);
    expect(parseEnvelope(JSON.stringify(envelope))).toEqual({ ...envelope, malformed: [] });
  });

  test.each(['{}', 'null', '[]', '{"id":"x","source":"s","partition":16,"events":[]}', '{"id":"x"', '"text"'])(
    'throws for the invalid envelope %p',
    (text) => {
      expect(() => parseEnvelope(text)).toThrow();
    },
  );

  test('keeps the trace of an event, and removes a malformed trace', () => {
    const traced = { ...createEvent(id), traceparent: `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01` };
    const malformed = { ...createEvent(id), traceparent: 'x' };
    const envelope = createEnvelope('userctx', 3, [traced, malformed]);
    expect(parseEnvelope(JSON.stringify(envelope)).events).toEqual([traced, createEvent(id)]);
  });

  test.each([
    ['no object', null],
    ['an id that is no UUID', { ...createEvent(id), id: 'not-a-uuid' }],
    ['no name', { ...createEvent(id), name: '' }],
    ['no key', { ...createEvent(id), key: undefined }],
    ['a key with NUL', { ...createEvent(id), key: 'f\u0000' }],
    ['a key with a lone surrogate', { ...createEvent(id), key: '\ud800' }],
    ['a key that is too long', { ...createEvent(id), key: 'f'.repeat(257) }],
    ['a time that is no integer', { ...createEvent(id), time: '1' }],
    ['no payload', { ...createEvent(id), payload: undefined }],
  ])('separates an event with %s from the valid events', (_, malformed) => {
    const parsed = parseEnvelope(
      JSON.stringify({
        id: 'e',
        source: 'userctx',
        partition: 3,
        events: [createEvent(id), malformed, createEvent(id)],
      }),
    );
    expect(parsed.events).toEqual([createEvent(id), createEvent(id)]);
    expect(parsed.malformed).toEqual([{ text: JSON.stringify(malformed), reason: expect.any(String) }]);
  });
});
