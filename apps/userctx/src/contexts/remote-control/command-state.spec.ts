import { describe, expect, test } from '@jest/globals';
import {
  COMMAND_KIND,
  COMMAND_STATE,
  commandTtlMs,
} from '@family-watch/domain/remote-control/contracts/remote-command';
import { REMOTE_COMMAND } from '@family-watch/domain/remote-control/contracts/remote-control.events';
import { COMMAND_TRANSITIONS } from './command-state.js';
import type { CommandTransition } from './command-state.js';

const SIGNALS: CommandTransition[] = ['SEND', 'BEGIN', 'REFUSE', 'SUCCEED', 'FAIL', 'CANCEL', 'EXPIRE'];

/** Every state by every signal, in the order of SIGNALS; `-` changes nothing. */
const TABLE: Record<keyof typeof COMMAND_STATE, string> = {
  QUEUED: 'SENT ACKED REJECTED DONE REJECTED CANCELLED EXPIRED',
  SENT: '- ACKED REJECTED DONE REJECTED CANCELLED EXPIRED',
  ACKED: '- - REJECTED DONE REJECTED - EXPIRED',
  DONE: '- - - - - - -',
  REJECTED: '- - - - - - -',
  EXPIRED: '- - - - - - -',
  CANCELLED: '- - - - - - -',
};

describe('every state by every signal', () => {
  const cells = Object.values(COMMAND_STATE).flatMap((state) =>
    SIGNALS.map((signal, column) => [state, signal, TABLE[state].split(' ')[column]] as const),
  );

  test.each(cells)('%s, %s: %s', (state, signal, outcome) => {
    const { from, to } = COMMAND_TRANSITIONS[signal];
    expect(from.includes(state) ? to : '-').toBe(outcome);
  });

  test('no signal is left out', () => {
    expect(Object.keys(COMMAND_TRANSITIONS)).toEqual(SIGNALS);
  });
});

test('A14, A15: the list of commands is closed, and none listens or looks', () => {
  expect(Object.keys(REMOTE_COMMAND)).toEqual(['SHUTDOWN', 'REBOOT', 'FIND']);
  expect(Object.keys(COMMAND_KIND)).toEqual(['SHUTDOWN', 'REBOOT', 'FIND']);
});

test('a command lives as long as its message', () => {
  expect(Object.values(REMOTE_COMMAND).map(commandTtlMs)).toEqual([600_000, 600_000, 120_000]);
});
