import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SettingsAck, SettingsAckState } from '@family-watch/domain/watches/contracts/settings-state';
import { applySettingsAck, toSettingsStatus } from './settings-acknowledgement.js';

const acknowledgements = fc.array(
  fc.record({
    version: fc.integer({ min: -1, max: 12 }),
    status: fc.constantFrom('APPLIED' as const, 'REJECTED' as const),
    reason: fc.option(fc.constantFrom('MEMORY_FULL', 'UNSUPPORTED')),
  }),
  { maxLength: 20 },
);

/** Returns the expected status, computed from all acknowledgements in their order of arrival. */
function expectedStatus(history: readonly SettingsAck[], version: number) {
  const valid = history.filter((ack) => ack.version >= 1 && ack.version <= version);
  const inOrder = valid.filter((ack, index) => valid.slice(0, index).every((one) => one.version <= ack.version));
  const last = inOrder.at(-1);
  const appliedVersion = inOrder.findLast(({ status }) => status === 'APPLIED')?.version ?? null;
  if (!last || last.version !== version) return { version, state: 'PENDING', appliedVersion, reason: null };
  const reason = last.status === 'REJECTED' ? last.reason : null;
  return { version, state: last.status, appliedVersion, reason };
}

describe('toSettingsStatus', () => {
  test('returns the last acknowledgement of the newest version, even if older versions are acknowledged later', () => {
    fc.assert(
      fc.property(acknowledgements, fc.integer({ min: 1, max: 10 }), (history, version) => {
        const ackState = history.reduce<SettingsAckState | null>(
          (before, ack) => applySettingsAck(before, ack, version),
          null,
        );
        expect(toSettingsStatus(version, ackState)).toEqual(expectedStatus(history, version));
      }),
    );
  });

  test('returns PENDING after a change, with the unchanged applied version', () => {
    const applied = applySettingsAck(null, { version: 3, status: 'APPLIED', reason: null }, 3);
    expect(toSettingsStatus(3, applied)).toMatchObject({ state: 'APPLIED', appliedVersion: 3 });
    expect(toSettingsStatus(4, applied)).toMatchObject({ state: 'PENDING', appliedVersion: 3 });
    const rejected = applySettingsAck(applied, { version: 4, status: 'REJECTED', reason: 'MEMORY_FULL' }, 4);
    expect(toSettingsStatus(4, rejected)).toEqual({
      version: 4,
      state: 'REJECTED',
      appliedVersion: 3,
      reason: 'MEMORY_FULL',
    });
  });

  test('returns APPLIED for a resource that was never changed', () => {
    expect(toSettingsStatus(0, null)).toEqual({ version: 0, state: 'APPLIED', appliedVersion: 0, reason: null });
  });
});
