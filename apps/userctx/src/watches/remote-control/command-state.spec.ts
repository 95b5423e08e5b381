import { describe, expect, test } from '@jest/globals';
import {
  COMMAND_KIND,
  COMMAND_STATE,
  commandTtlMs,
  REMOTE_COMMAND,
} from '@family-watch/domain/watches/contracts/remote-command';
import { COMMAND_TRANSITIONS, type CommandTransition } from './command-state.js';

const TRANSITIONS: CommandTransition[] = ['SEND', 'BEGIN', 'REFUSE', 'SUCCEED', 'FAIL', 'CANCEL', 'EXPIRE'];

/** The next state for each state and transition, in the order of TRANSITIONS. `-`: the transition has no effect. */
const EXPECTED_STATES: Record<keyof typeof COMMAND_STATE, string> = {
  QUEUED: 'SENT ACKED REJECTED DONE REJECTED CANCELLED EXPIRED',
  SENT: '- ACKED REJECTED DONE REJECTED CANCELLED EXPIRED',
  ACKED: '- - REJECTED DONE REJECTED - EXPIRED',
  DONE: '- - - - - - -',
  REJECTED: '- - - - - - -',
  EXPIRED: '- - - - - - -',
  CANCELLED: '- - - - - - -',
};

describe('command transitions', () => {
  const cells = Object.values(COMMAND_STATE).flatMap((state) =>
    TRANSITIONS.map((transition, column) => [state, transition, EXPECTED_STATES[state].split(' ')[column]] as const),
  );

  test.each(cells)('in state %s, the transition %s leads to %s (-: no effect)', (state, transition, outcome) => {
    const { from, to } = COMMAND_TRANSITIONS[transition];
    expect(from.includes(state) ? to : '-').toBe(outcome);
  });

  test('TRANSITIONS of this test lists every transition of a command', () => {
    expect(Object.keys(COMMAND_TRANSITIONS)).toEqual(TRANSITIONS);
  });
});

test('the only remote commands are shutdown, reboot and find; none opens a microphone or camera', () => {
  expect(Object.keys(REMOTE_COMMAND)).toEqual(['SHUTDOWN', 'REBOOT', 'FIND']);
  expect(Object.keys(COMMAND_KIND)).toEqual(['SHUTDOWN', 'REBOOT', 'FIND']);
});

test('a remote command expires with its message: shutdown and reboot after ten minutes, find after two minutes', () => {
  expect(Object.values(REMOTE_COMMAND).map(commandTtlMs)).toEqual([600_000, 600_000, 120_000]);
});
