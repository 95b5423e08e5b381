import { describe, expect, it } from '@jest/globals';
import { REVOCATION_RETENTION_MS } from './revocation-limits.js';
import { RevocationIndex } from './revocation-index.js';

const NOW = 1_790_000_000_000;
const token = { principal: 'watch:7', sessionId: 's-1', issuedAt: NOW } as const;

describe('RevocationIndex', () => {
  it('ends every token of a session, whenever it was issued', () => {
    const register = new RevocationIndex();
    expect(register.isRevoked(token)).toBe(false);
    expect(register.add({ id: 'r-1', scope: { sessionId: 's-1' }, time: NOW - 5_000 })).toBe(true);
    expect(register.isRevoked(token)).toBe(true);
    expect(register.isRevoked({ ...token, sessionId: 's-2' })).toBe(false);
  });

  it('ends the tokens of a principal that were issued before', () => {
    const register = new RevocationIndex();
    register.add({ id: 'r-2', scope: { principal: 'watch:7' }, time: NOW });
    register.add({ id: 'r-1', scope: { principal: 'watch:7' }, time: NOW - 1_000 });
    expect(register.isRevoked({ ...token, issuedAt: NOW - 1 })).toBe(true);
    expect(register.isRevoked({ ...token, issuedAt: NOW })).toBe(false);
    expect(register.isRevoked({ ...token, principal: 'watch:8', issuedAt: NOW - 1 })).toBe(false);
  });

  it('knows a revocation it has had', () => {
    const register = new RevocationIndex();
    const revocation = { id: 'r-1', scope: { sessionId: 's-1' }, time: NOW };
    expect(register.add(revocation)).toBe(true);
    expect(register.add(revocation)).toBe(false);
    expect(register.has('r-1')).toBe(true);
  });

  it('forgets what no living token can meet, and nothing younger', () => {
    const register = new RevocationIndex();
    register.add({ id: 'r-1', scope: { sessionId: 's-1' }, time: NOW });
    register.add({ id: 'r-2', scope: { sessionId: 's-2' }, time: NOW + 1 });
    register.prune(NOW + REVOCATION_RETENTION_MS + 1);
    expect(register.isRevoked(token)).toBe(false);
    expect(register.has('r-1')).toBe(false);
    expect(register.isRevoked({ ...token, sessionId: 's-2' })).toBe(true);
  });
});
