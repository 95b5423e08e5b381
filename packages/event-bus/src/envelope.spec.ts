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
  test('names the same events in the same order the same', () => {
    const first = createEnvelope('userctx', 3, [event('a'), event('b')]);
    expect(createEnvelope('userctx', 3, [event('a'), event('b')]).id).toBe(first.id);
    expect(createEnvelope('userctx', 3, [event('b'), event('a')]).id).not.toBe(first.id);
    expect(createEnvelope('userctx', 3, [event('a')]).id).not.toBe(first.id);
  });
});

describe('countEventsThatFit', () => {
  test('stops at the number of events', () => {
    expect(countEventsThatFit(new Array<number>(250).fill(10))).toBe(MAX_ENVELOPE_EVENTS);
  });

  test('stops before the bytes are too many', () => {
    expect(countEventsThatFit(new Array<number>(100).fill(MAX_EVENT_PAYLOAD_BYTES))).toBe(16);
  });

  test('takes at least one event', () => {
    expect(countEventsThatFit([10_000_000, 1])).toBe(1);
    expect(countEventsThatFit([])).toBe(0);
  });
});

describe('parseEnvelope', () => {
  test('reads back what was sealed', () => {
    const envelope = createEnvelope('userctx', 3, [event('a')]);
    expect(parseEnvelope(JSON.stringify(envelope))).toEqual(envelope);
  });

  test.each(['{}', 'null', '[]', '{"id":"x","source":"s","partition":16,"events":[]}', '{"id":"x"', '"text"'])(
    'refuses %p',
    (text) => {
      expect(() => parseEnvelope(text)).toThrow();
    },
  );
});
