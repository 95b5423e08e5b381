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
  const { doneIds, changedContents } = decide(actor, ['x'], [found]);
  return changedContents.length > 0 ? 'is changed' : doneIds.length > 0 ? 'is already done' : 'fails';
};

describe('decideRestore', () => {
  test.each([
    ['RECYCLED', 'is changed'],
    ['ACTIVE', 'is already done'],
    ['PURGED', 'fails'],
  ] as const)('decides that a content in state %s %s', (state, expected) => {
    expect(outcome(decideRestore, owner, content(state))).toBe(expected);
    expect(outcome(decideRestore, guardian, content(state, 'visible'))).toBe(expected);
    expect(outcome(decideRestore, guardian, content(state, 'hidden'))).toBe('fails');
    expect(outcome(decideRestore, caregiver, content(state))).toBe('fails');
  });
});

describe('decidePurge', () => {
  test.each([
    ['RECYCLED', 'is changed'],
    ['ACTIVE', 'fails'],
    ['PURGED', 'is already done'],
  ] as const)('decides that a content in state %s %s', (state, expected) => {
    expect(outcome(decidePurge, owner, content(state))).toBe(expected);
    expect(outcome(decidePurge, { ...owner, visibility: guardian.visibility }, content(state, 'hidden'))).toBe('fails');
    expect(outcome(decidePurge, guardian, content(state))).toBe('fails');
  });
});
