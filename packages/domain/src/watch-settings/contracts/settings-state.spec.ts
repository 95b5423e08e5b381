import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applySettingsAck, toSettingsStatus } from './settings-state.js';
import type { SettingsAck, SettingsAckState } from './settings-state.js';

const answers = fc.array(
  fc.record({
    version: fc.integer({ min: -1, max: 12 }),
    status: fc.constantFrom('APPLIED' as const, 'REJECTED' as const),
    reason: fc.option(fc.constantFrom('MEMORY_FULL', 'UNSUPPORTED')),
  }),
  { maxLength: 20 },
);

/** Everything that was ever said, looked at from its end: the rules without any memory. */
function expected(said: readonly SettingsAck[], version: number) {
  const heard = said.filter((answer) => answer.version >= 1 && answer.version <= version);
  const inOrder = heard.filter((answer, at) => heard.slice(0, at).every((before) => before.version <= answer.version));
  const last = inOrder.at(-1);
  const appliedVersion = inOrder.findLast(({ status }) => status === 'APPLIED')?.version ?? null;
  if (!last || last.version !== version) return { version, state: 'PENDING', appliedVersion, reason: null };
  const reason = last.status === 'REJECTED' ? last.reason : null;
  return { version, state: last.status, appliedVersion, reason };
}

describe('the state of settings', () => {
  test('is what the newest answer about the newest version says, whatever came before it or late', () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: 1, max: 10 }), (said, version) => {
        const standing = said.reduce<SettingsAckState | null>(
          (before, answer) => applySettingsAck(before, answer, version),
          null,
        );
        expect(toSettingsStatus(version, standing)).toEqual(expected(said, version));
      }),
    );
  });

  test('a change makes it pending again, and the version that was applied stays known', () => {
    const standing = applySettingsAck(null, { version: 3, status: 'APPLIED', reason: null }, 3);
    expect(toSettingsStatus(3, standing)).toMatchObject({ state: 'APPLIED', appliedVersion: 3 });
    expect(toSettingsStatus(4, standing)).toMatchObject({ state: 'PENDING', appliedVersion: 3 });
    const refused = applySettingsAck(standing, { version: 4, status: 'REJECTED', reason: 'MEMORY_FULL' }, 4);
    expect(toSettingsStatus(4, refused)).toEqual({
      version: 4,
      state: 'REJECTED',
      appliedVersion: 3,
      reason: 'MEMORY_FULL',
    });
  });

  test('what was never changed is applied everywhere', () => {
    expect(toSettingsStatus(0, null)).toEqual({ version: 0, state: 'APPLIED', appliedVersion: 0, reason: null });
  });
});
