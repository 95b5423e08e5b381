import { describe, expect, test } from '@jest/globals';
import {
  countEventsThatFit,
  MAX_ENVELOPE_EVENTS,
  MAX_EVENT_PAYLOAD_BYTES,
  parseEnvelope,
  createEnvelope,
} from './envelope.js';

const event = (id: string) => ({ id, name: 'userctx.family.created', key: 'f1', time: 1, payload: {} });

describe('createEnvelope', () => {
  test('derives the same id only for the same events in the same order', () => {
    const first = createEnvelope('userctx', 3, [event('a'), event('b')]);
    expect(createEnvelope('userctx', 3, [event('a'), event('b')]).id).toBe(first.id);
    expect(createEnvelope('userctx', 3, [event('b'), event('a')]).id).not.toBe(first.id);
    expect(createEnvelope('userctx', 3, [event('a')]).id).not.toBe(first.id);
  });
});

describe('countEventsThatFit', () => {
  test('stops at the maximum number of events', () => {
    expect(countEventsThatFit(new Array<number>(250).fill(10))).toBe(MAX_ENVELOPE_EVENTS);
  });

  test('stops before the maximum payload size is exceeded', () => {
    expect(countEventsThatFit(new Array<number>(100).fill(MAX_EVENT_PAYLOAD_BYTES))).toBe(16);
  });

  test('returns at least one if there is an event, whatever its size', () => {
    expect(countEventsThatFit([10_000_000, 1])).toBe(1);
    expect(countEventsThatFit([])).toBe(0);
  });
});

describe('parseEnvelope', () => {
  test('parses a serialized envelope', () => {
    const envelope = createEnvelope('userctx', 3, [event('a')]);
    expect(parseEnvelope(JSON.stringify(envelope))).toEqual(envelope);
  });

  test.each(['{}', 'null', '[]', '{"id":"x","source":"s","partition":16,"events":[]}', '{"id":"x"', '"text"'])(
    'throws for the invalid envelope %p',
    (text) => {
      expect(() => parseEnvelope(text)).toThrow();
    },
  );
});
