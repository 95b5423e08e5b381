import { describe, expect, test } from '@jest/globals';
import type { CloudActor } from '../clouds/cloud.access.js';
import { decidePurge, decideRestoration } from './bin-decisions.js';
import type { BinContent } from './bin-decisions.js';

const owner: CloudActor = {
  cloudID: 'f',
  principal: 'user:o',
  role: 'OWNER',
  cid: null,
  rights: ['READ', 'ADD', 'DELETE', 'PURGE'],
  sight: { mode: 'ALL_BUT', cids: [] },
};
const guardian: CloudActor = {
  ...owner,
  role: 'MANAGER',
  rights: ['READ', 'ADD', 'DELETE'],
  sight: { mode: 'ALL_BUT', cids: ['hidden'] },
};
const caregiver: CloudActor = { ...guardian, role: 'MEMBER', rights: ['READ', 'ADD'] };

const content = (state: BinContent['state'], cid: string | null = null): BinContent => ({ contentId: 'x', cid, state });

const outcome = (decide: typeof decidePurge, actor: CloudActor, found: BinContent) => {
  const { done, changed } = decide(actor, ['x'], [found]);
  return changed.length > 0 ? 'changes' : done.length > 0 ? 'is so' : 'fails';
};

describe('a restoration', () => {
  test.each([
    ['RECYCLED', 'changes'],
    ['ACTIVE', 'is so'],
    ['PURGED', 'fails'],
  ] as const)('of what is %s: %s', (state, expected) => {
    expect(outcome(decideRestoration, owner, content(state))).toBe(expected);
    expect(outcome(decideRestoration, guardian, content(state, 'seen'))).toBe(expected);
    expect(outcome(decideRestoration, guardian, content(state, 'hidden'))).toBe('fails');
    expect(outcome(decideRestoration, caregiver, content(state))).toBe('fails');
  });
});

describe('a purge', () => {
  test.each([
    ['RECYCLED', 'changes'],
    ['ACTIVE', 'fails'],
    ['PURGED', 'is so'],
  ] as const)('of what is %s: %s', (state, expected) => {
    expect(outcome(decidePurge, owner, content(state))).toBe(expected);
    expect(outcome(decidePurge, { ...owner, sight: guardian.sight }, content(state, 'hidden'))).toBe('fails');
    expect(outcome(decidePurge, guardian, content(state))).toBe('fails');
  });
});
