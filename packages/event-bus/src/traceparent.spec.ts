import { describe, expect, test } from '@jest/globals';
import { parseTraceparent, UnpublishedTraces } from './traceparent.js';

const TRACEPARENT = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`;
const eventWith = (id: string) => ({ id, name: 'userctx.test.happened', key: 'key', time: 1, payload: {} });

describe('parseTraceparent', () => {
  test('returns trace, span and whether the trace is sampled', () => {
    const expected = { traceId: 'a1'.repeat(16), spanId: 'b2'.repeat(8), isSampled: true };
    expect(parseTraceparent(TRACEPARENT)).toEqual(expected);
    expect(parseTraceparent(TRACEPARENT.replace(/01$/, '00'))).toEqual({ ...expected, isSampled: false });
  });

  test.each([
    undefined,
    1,
    '',
    TRACEPARENT.toUpperCase(),
    `${TRACEPARENT}-more`,
    TRACEPARENT.replace(/^00/, 'ff'),
    `00-${'0'.repeat(32)}-${'b2'.repeat(8)}-01`,
    `00-${'a1'.repeat(16)}-${'0'.repeat(16)}-01`,
  ])('returns undefined for %p', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});

describe('UnpublishedTraces', () => {
  test('attaches the trace to its events until they are published, and to no other event', () => {
    const traces = new UnpublishedTraces();
    traces.add({ traceparent: TRACEPARENT, ids: ['1', '2'] });
    expect(traces.attachTo(eventWith('1'))).toEqual({ ...eventWith('1'), traceparent: TRACEPARENT });
    expect(traces.attachTo(eventWith('3'))).toEqual(eventWith('3'));
    traces.delete(['1']);
    expect(traces.attachTo(eventWith('1'))).toEqual(eventWith('1'));
    expect(traces.attachTo(eventWith('2'))).toHaveProperty('traceparent', TRACEPARENT);
  });

  test('ignores received data that is no trace', () => {
    const traces = new UnpublishedTraces();
    for (const data of [null, 'text', { ids: ['1'] }, { traceparent: 'x', ids: ['1'] }, { traceparent: TRACEPARENT }])
      traces.addReceived(data);
    traces.addReceived({ traceparent: TRACEPARENT, ids: [7, '2'] });
    expect(traces.attachTo(eventWith('1'))).toEqual(eventWith('1'));
    expect(traces.attachTo(eventWith('2'))).toHaveProperty('traceparent', TRACEPARENT);
  });

  test('forgets the oldest events above 10,000', () => {
    const traces = new UnpublishedTraces();
    traces.add({ traceparent: TRACEPARENT, ids: Array.from({ length: 10_001 }, (_, index) => String(index)) });
    expect(traces.attachTo(eventWith('0'))).toEqual(eventWith('0'));
    expect(traces.attachTo(eventWith('1'))).toHaveProperty('traceparent', TRACEPARENT);
  });
});
