import { describe, expect, it } from '@jest/globals';
import { parseRevocation } from './revocation-message.js';

describe('parseRevocation', () => {
  it.each([
    { id: 'r-1', scope: { sessionId: 's-1' }, time: 1 },
    { id: 'r-1', scope: { principal: 'watch:7' }, time: 1 },
  ])('parses %j', (revocation) => {
    expect(parseRevocation(JSON.stringify(revocation))).toEqual(revocation);
  });

  it.each([
    '',
    'null',
    '7',
    '{}',
    '{"id":"r-1","time":1}',
    '{"id":"r-1","scope":{},"time":1}',
    '{"id":"r-1","scope":{"sessionId":"s","principal":"user:1"},"time":1}',
    '{"id":"r-1","scope":{"sessionId":"s"},"time":"now"}',
    '{"id":1,"scope":{"sessionId":"s"},"time":1}',
  ])('returns null for %s', (text) => {
    expect(parseRevocation(text)).toBeNull();
  });
});
