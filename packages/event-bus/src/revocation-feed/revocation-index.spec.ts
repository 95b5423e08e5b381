import { describe, expect, test } from '@jest/globals';
import { REVOCATION_RETENTION_MS, RevocationIndex, parseRevocation } from './revocation-index.js';

const NOW = 1_790_000_000_000;
const TOKEN = { principal: 'watch:7', sessionId: 's-1', issuedAt: NOW } as const;

describe('RevocationIndex', () => {
  test('revokes every token of a session, regardless of its issue time', () => {
    const index = new RevocationIndex();
    expect(index.isRevoked(TOKEN)).toBe(false);
    expect(index.add({ id: 'r-1', scope: { sessionId: 's-1' }, time: NOW - 5_000 })).toBe(true);
    expect(index.isRevoked(TOKEN)).toBe(true);
    expect(index.isRevoked({ ...TOKEN, sessionId: 's-2' })).toBe(false);
  });

  test('revokes the tokens of a principal that were issued before the revocation', () => {
    const index = new RevocationIndex();
    index.add({ id: 'r-2', scope: { principal: 'watch:7' }, time: NOW });
    index.add({ id: 'r-1', scope: { principal: 'watch:7' }, time: NOW - 1_000 });
    expect(index.isRevoked({ ...TOKEN, issuedAt: NOW - 1 })).toBe(true);
    expect(index.isRevoked({ ...TOKEN, issuedAt: NOW })).toBe(false);
    expect(index.isRevoked({ ...TOKEN, principal: 'watch:8', issuedAt: NOW - 1 })).toBe(false);
  });

  test('ignores a revocation that was already added', () => {
    const index = new RevocationIndex();
    const revocation = { id: 'r-1', scope: { sessionId: 's-1' }, time: NOW };
    expect(index.add(revocation)).toBe(true);
    expect(index.add(revocation)).toBe(false);
    expect(index.has('r-1')).toBe(true);
  });

  test('prunes only revocations that no valid token can match', () => {
    const index = new RevocationIndex();
    index.add({ id: 'r-1', scope: { sessionId: 's-1' }, time: NOW });
    index.add({ id: 'r-2', scope: { sessionId: 's-2' }, time: NOW + 1 });
    index.prune(NOW + REVOCATION_RETENTION_MS + 1);
    expect(index.isRevoked(TOKEN)).toBe(false);
    expect(index.has('r-1')).toBe(false);
    expect(index.isRevoked({ ...TOKEN, sessionId: 's-2' })).toBe(true);
  });
});

describe('parseRevocation', () => {
  test.each([
    { id: 'r-1', scope: { sessionId: 's-1' }, time: 1 },
    { id: 'r-1', scope: { principal: 'watch:7' }, time: 1 },
  ])('returns the revocation %j', (revocation) => {
    expect(parseRevocation(JSON.stringify(revocation))).toEqual(revocation);
  });

  test.each([
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
