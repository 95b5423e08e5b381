import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  decideBulkOutcomes,
  ITEM_OUTCOME,
  decideDeletion,
  decidePurge,
  decideRestore,
  type ItemOutcome,
  type DeletableContent,
  type RecycleBinContent,
} from './bulk-decisions.js';
import type { CloudActor } from '../../clouds/cloud-actor.js';

interface ContentWithOutcome {
  contentId: string;
  outcome: ItemOutcome;
}

const IDS = [...'abcdefgh', '__proto__', 'constructor', ''];
const requested = fc.array(fc.constantFrom(...IDS), { maxLength: 40 });
const contentsArbitrary = fc.uniqueArray(
  fc.record<ContentWithOutcome>({
    contentId: fc.constantFrom(...IDS),
    outcome: fc.constantFrom(...Object.values(ITEM_OUTCOME)),
  }),
  { selector: ({ contentId }) => contentId },
);

describe('decideBulkOutcomes', () => {
  test('returns disjoint lists in request order that together contain each requested id once', () => {
    fc.assert(
      fc.property(requested, contentsArbitrary, (ids, found) => {
        const { doneIds, failedIds, changedContents } = decideBulkOutcomes(ids, found, ({ outcome }) => outcome);
        const distinct = [...new Set(ids)];
        const outcomes = new Map(found.map(({ contentId, outcome }) => [contentId, outcome]));
        const fails = (id: string) => (outcomes.get(id) ?? ITEM_OUTCOME.FAILS) === ITEM_OUTCOME.FAILS;
        expect(failedIds).toEqual(distinct.filter(fails));
        expect(doneIds).toEqual(distinct.filter((id) => !fails(id)));
        expect(changedContents.map(({ contentId }) => contentId)).toEqual(
          doneIds.filter((id) => outcomes.get(id) === ITEM_OUTCOME.CHANGES),
        );
      }),
    );
  });
});

const owner: CloudActor = {
  cloudId: 'f',
  principal: 'user:o',
  role: 'OWNER',
  cid: null,
  rights: ['READ', 'ADD', 'DELETE', 'PURGE'],
  visibility: { mode: 'ALL_BUT', cids: [] },
};

const content = (contentId: string, changes: Partial<DeletableContent> = {}): DeletableContent => ({
  contentId,
  cid: null,
  size: 1,
  state: 'ACTIVE',
  pathIds: ['a', 'b'],
  ...changes,
});

const outcome = (actor: CloudActor, item: DeletableContent, path = '') => {
  const { deletedIds, recycledContents } = decideDeletion(actor, [item.contentId], [item], path);
  return [deletedIds.length > 0 ? 'deleted' : 'failed', recycledContents.length > 0];
};

describe('decideDeletion', () => {
  test.each([
    ['', ['deleted', true]],
    ['root:', ['deleted', true]],
    ['root:/a', ['deleted', true]],
    ['root:/a/b/', ['deleted', true]],
    ['root:/a/b/c', ['failed', false]],
    ['root:/b', ['failed', false]],
    ['nonsense', ['failed', false]],
  ])('for the path %j and an active file in root:/a/b returns [outcome, is recycled] = %j', (path, expected) => {
    expect(outcome(owner, content('x'), path)).toEqual(expected);
  });

  test.each(['RECYCLED', 'PURGED'] as const)('returns a content in state %s as deleted, whatever the path', (state) => {
    expect(outcome(owner, content('x', { state }))).toEqual(['deleted', false]);
    expect(outcome(owner, content('x', { state }), 'root:/elsewhere')).toEqual(['deleted', false]);
  });

  test.each(['ACTIVE', 'RECYCLED', 'PURGED'] as const)(
    'returns a content in state %s as failed without the right to delete or without visibility',
    (state) => {
      const caregiver: CloudActor = { ...owner, role: 'MEMBER', rights: ['READ', 'ADD'] };
      const guardian: CloudActor = { ...owner, role: 'MANAGER', visibility: { mode: 'ALL_BUT', cids: ['c'] } };
      expect(outcome(caregiver, content('x', { state }))).toEqual(['failed', false]);
      expect(outcome(guardian, content('x', { state, cid: 'c' }))).toEqual(['failed', false]);
      expect(outcome(guardian, content('x', { state, cid: 'd' }))[0]).toBe('deleted');
    },
  );
});

const guardian: CloudActor = {
  ...owner,
  role: 'MANAGER',
  rights: ['READ', 'ADD', 'DELETE'],
  visibility: { mode: 'ALL_BUT', cids: ['hidden'] },
};
const caregiver: CloudActor = { ...guardian, role: 'MEMBER', rights: ['READ', 'ADD'] };

const recycleBinContent = (state: RecycleBinContent['state'], cid: string | null = null): RecycleBinContent => ({
  contentId: 'x',
  cid,
  state,
});

const outcomeOf = (decide: typeof decidePurge, actor: CloudActor, found: RecycleBinContent) => {
  const { doneIds, changedContents } = decide(actor, ['x'], [found]);
  return changedContents.length > 0 ? 'is changed' : doneIds.length > 0 ? 'is already done' : 'fails';
};

describe('decideRestore', () => {
  test.each([
    ['RECYCLED', 'is changed'],
    ['ACTIVE', 'is already done'],
    ['PURGED', 'fails'],
  ] as const)('decides that a content in state %s %s', (state, expected) => {
    expect(outcomeOf(decideRestore, owner, recycleBinContent(state))).toBe(expected);
    expect(outcomeOf(decideRestore, guardian, recycleBinContent(state, 'visible'))).toBe(expected);
    expect(outcomeOf(decideRestore, guardian, recycleBinContent(state, 'hidden'))).toBe('fails');
    expect(outcomeOf(decideRestore, caregiver, recycleBinContent(state))).toBe('fails');
  });
});

describe('decidePurge', () => {
  test.each([
    ['RECYCLED', 'is changed'],
    ['ACTIVE', 'fails'],
    ['PURGED', 'is already done'],
  ] as const)('decides that a content in state %s %s', (state, expected) => {
    expect(outcomeOf(decidePurge, owner, recycleBinContent(state))).toBe(expected);
    expect(
      outcomeOf(decidePurge, { ...owner, visibility: guardian.visibility }, recycleBinContent(state, 'hidden')),
    ).toBe('fails');
    expect(outcomeOf(decidePurge, guardian, recycleBinContent(state))).toBe('fails');
  });
});
