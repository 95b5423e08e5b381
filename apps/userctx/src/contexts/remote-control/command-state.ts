import { COMMAND_STATE } from '@family-watch/domain/remote-control/contracts/remote-command';
import type { CommandState } from '@family-watch/domain/remote-control/contracts/remote-command';

const { QUEUED, SENT, ACKED, DONE, REJECTED, EXPIRED, CANCELLED } = COMMAND_STATE;

/**
 * `SEND`: the gateway has it. `BEGIN`, `REFUSE`: what the watch answers to the message. `SUCCEED`, `FAIL`: what it
 * reports afterwards, which may overtake the answer. `CANCEL`: a guardian, or a call for help. `EXPIRE`: time.
 */
export type CommandTransition = 'SEND' | 'BEGIN' | 'REFUSE' | 'SUCCEED' | 'FAIL' | 'CANCEL' | 'EXPIRE';

/** Where each signal leads, and from where; anywhere else it changes nothing. Nothing leads out of an end. */
export const COMMAND_TRANSITIONS: Readonly<
  Record<CommandTransition, { from: readonly CommandState[]; to: CommandState }>
> = {
  SEND: { from: [QUEUED], to: SENT },
  BEGIN: { from: [QUEUED, SENT], to: ACKED },
  REFUSE: { from: [QUEUED, SENT, ACKED], to: REJECTED },
  SUCCEED: { from: [QUEUED, SENT, ACKED], to: DONE },
  FAIL: { from: [QUEUED, SENT, ACKED], to: REJECTED },
  CANCEL: { from: [QUEUED, SENT], to: CANCELLED },
  EXPIRE: { from: [QUEUED, SENT, ACKED], to: EXPIRED },
};

/** How long a watch that has begun may take to say what came of it. Milliseconds. */
export const COMMAND_RESULT_TIMEOUT_MS = 10 * 60_000;
