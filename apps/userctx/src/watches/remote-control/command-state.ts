import { COMMAND_STATE, type CommandState } from '@family-watch/domain/watches/contracts/remote-command';

const { QUEUED, SENT, ACKED, DONE, REJECTED, EXPIRED, CANCELLED } = COMMAND_STATE;

/**
 * `SEND`: the gateway stored the message with the command. `BEGIN`, `REFUSE`: the watch acknowledged or rejected the
 * message. `SUCCEED`, `FAIL`: the watch reported the result, possibly before the acknowledgement. `CANCEL`: a guardian
 * or an SOS cancelled the command. `EXPIRE`: the deadline has passed.
 */
export type CommandTransition = 'SEND' | 'BEGIN' | 'REFUSE' | 'SUCCEED' | 'FAIL' | 'CANCEL' | 'EXPIRE';

/**
 * Source states and target state of each transition. A transition has no effect in a state that is not one of its
 * source states. Final states have no transitions.
 */
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

/** Time for a watch to report the result of a command that it has begun. Milliseconds. */
export const COMMAND_RESULT_TIMEOUT_MS = 10 * 60_000;
