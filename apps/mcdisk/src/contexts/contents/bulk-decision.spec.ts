import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideItems, ITEM_OUTCOME } from './bulk-decision.js';
import type { ItemOutcome } from './bulk-decision.js';

interface Judged {
  contentId: string;
  verdict: ItemOutcome;
}

const IDS = [...'abcdefgh', '__proto__', 'constructor', ''];
const named = fc.array(fc.constantFrom(...IDS), { maxLength: 40 });
const rows = fc.uniqueArray(
  fc.record<Judged>({
    contentId: fc.constantFrom(...IDS),
    verdict: fc.constantFrom(...Object.values(ITEM_OUTCOME)),
  }),
  { selector: ({ contentId }) => contentId },
);

describe('judge', () => {
  test('both lists are disjoint, in the order first named, and together the distinct input', () => {
    fc.assert(
      fc.property(named, rows, (ids, found) => {
        const { done, failed, changed } = decideItems(ids, found, ({ verdict }) => verdict);
        const distinct = [...new Set(ids)];
        const verdicts = new Map(found.map(({ contentId, verdict }) => [contentId, verdict]));
        const fails = (id: string) => (verdicts.get(id) ?? ITEM_OUTCOME.FAILS) === ITEM_OUTCOME.FAILS;
        expect(failed).toEqual(distinct.filter(fails));
        expect(done).toEqual(distinct.filter((id) => !fails(id)));
        expect(changed.map(({ contentId }) => contentId)).toEqual(
          done.filter((id) => verdicts.get(id) === ITEM_OUTCOME.CHANGES),
        );
      }),
    );
  });
});
