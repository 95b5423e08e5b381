import { describe, expect, test } from '@jest/globals';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { decidePurge, decideRestore } from './recycle-bin-decisions.js';
import type { RecycleBinContent } from './recycle-bin-decisions.js';

const owner: CloudActor = {
  cloudId: 'f',
  principal: 'user:o',
  role: 'OWNER',
  cid: null,
  rights: ['READ', 'ADD', 'DELETE', 'PURGE'],
  visibility: { mode: 'ALL_BUT', cids: [] },
};
const guardian: CloudActor = {
  ...owner,
  role: 'MANAGER',
  rights: ['READ', 'ADD', 'DELETE'],
  visibility: { mode: 'ALL_BUT', cids: ['hidden'] },
};
const caregiver: CloudActor = { ...guardian, role: 'MEMBER', rights: ['READ', 'ADD'] };

const content = (state: RecycleBinContent['state'], cid: string | null = null): RecycleBinContent => ({
  contentId: 'x',
  cid,
  state,
});

const outcome = (decide: typeof decidePurge, actor: CloudActor, found: RecycleBinContent) => {
  const { done, changed } = decide(actor, ['x'], [found]);
  return changed.length > 0 ? 'changes' : done.length > 0 ? 'is so' : 'fails';
};

describe('a restoration', () => {
  test.each([
    ['RECYCLED', 'changes'],
    ['ACTIVE', 'is so'],
    ['PURGED', 'fails'],
  ] as const)('of what is %s: %s', (state, expected) => {
    expect(outcome(decideRestore, owner, content(state))).toBe(expected);
    expect(outcome(decideRestore, guardian, content(state, 'seen'))).toBe(expected);
    expect(outcome(decideRestore, guardian, content(state, 'hidden'))).toBe('fails');
    expect(outcome(decideRestore, caregiver, content(state))).toBe('fails');
  });
});

describe('a purge', () => {
  test.each([
    ['RECYCLED', 'changes'],
    ['ACTIVE', 'fails'],
    ['PURGED', 'is so'],
  ] as const)('of what is %s: %s', (state, expected) => {
    expect(outcome(decidePurge, owner, content(state))).toBe(expected);
    expect(outcome(decidePurge, { ...owner, visibility: guardian.visibility }, content(state, 'hidden'))).toBe('fails');
    expect(outcome(decidePurge, guardian, content(state))).toBe('fails');
  });
});
