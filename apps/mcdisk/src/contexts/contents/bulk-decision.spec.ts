import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideBulkOutcomes, ITEM_OUTCOME } from './bulk-decision.js';
import type { ItemOutcome } from './bulk-decision.js';

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
