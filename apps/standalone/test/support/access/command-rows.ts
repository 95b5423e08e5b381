import { PASSWORD } from './account-rows.js';
import type { OperationRow } from './operation-row.js';

/** Operations on friends, remote commands, location requests and SOS. */
export const COMMAND_ROWS: Readonly<Record<string, OperationRow>> = {
  createFriendCode: { access: ['watch'], request: () => ({ body: {} }), refuses: {} },
  listFriends: {
    access: ['user', 'watch'],
    request: ({ did }) => ({ query: { did } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
  },
  applyFriend: {
    access: ['user', 'watch'],
    // Any caller who sees the friend code on the other watch may apply, so there is no id of another family to reject.
    request: ({ did, friendCode }) => ({ body: { did, friendCode } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
    // A separate family, because a code is valid for five minutes and the matrix runs longer.
    destroys: true,
  },
  confirmFriend: {
    access: ['user'],
    request: ({ did, applicationId }) => ({ body: { did, applicationId } }),
    refuses: { did: 'WATCH_NOT_FOUND', applicationId: 'APPLICATION_NOT_FOUND' },
  },
  rejectFriend: {
    access: ['user'],
    request: ({ did, applicationId }) => ({ body: { did, applicationId } }),
    refuses: { did: 'WATCH_NOT_FOUND', applicationId: 'APPLICATION_NOT_FOUND' },
    // The friend request has already been accepted.
    owner: 'CONFLICT',
    guardian: 'CONFLICT',
  },
  deleteFriend: {
    access: ['user'],
    request: ({ did, applicationId }) => ({ body: { did, applicationId } }),
    refuses: { did: 'WATCH_NOT_FOUND', applicationId: 'FRIEND_NOT_FOUND' },
    // The guardian's request runs first and has ended the friendship.
    owner: 'FRIEND_NOT_FOUND',
    destroys: true,
  },
  blockFriend: {
    access: ['user'],
    request: ({ did, applicationId }) => ({ body: { did, applicationId } }),
    refuses: { did: 'WATCH_NOT_FOUND', applicationId: 'FRIEND_NOT_FOUND' },
    destroys: true,
  },
  unblockFriend: {
    access: ['user'],
    request: ({ did, applicationId }) => ({ body: { did, applicationId } }),
    refuses: { did: 'WATCH_NOT_FOUND', applicationId: 'FRIEND_NOT_FOUND' },
  },

  shutDownWatch: {
    access: ['user'],
    request: ({ did }) => ({ body: { did, stepUp: { password: PASSWORD } } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
    // The guardian has no password for the step-up.
    guardian: 'STEP_UP_REQUIRED',
  },
  rebootWatch: {
    access: ['user'],
    request: ({ did }) => ({ body: { did } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
  },
  findWatch: {
    access: ['user'],
    request: ({ did }) => ({ body: { did } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
  },
  listCommands: {
    access: ['user'],
    request: ({ did }) => ({ query: { did } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
  },
  cancelCommand: {
    access: ['user'],
    request: ({ did, commandId }) => ({ body: { did, commandId } }),
    refuses: { did: 'WATCH_NOT_FOUND', commandId: 'COMMAND_NOT_FOUND' },
    // The command is already completed.
    owner: 'COMMAND_STATE',
    guardian: 'COMMAND_STATE',
  },
  reportCommandResult: {
    access: ['watch'],
    request: ({ commandId }) => ({ body: { commandId, ok: true } }),
    refuses: { commandId: 'COMMAND_NOT_FOUND' },
  },

  askLocation: {
    access: ['user'],
    request: ({ did }) => ({ body: { did } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
  },
  getAskProgress: {
    access: ['user'],
    request: ({ askId }) => ({ query: { askId } }),
    refuses: { askId: 'ASK_NOT_FOUND' },
  },

  raiseSos: {
    access: ['watch'],
    // The server ignores the ids in the body: a watch raises an SOS only for itself.
    request: ({ did, cid }) => ({ body: { did, cid, time: 1 } }),
    refuses: {},
    destroys: true,
  },
  listSos: {
    access: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    refuses: { cid: 'CHILD_NOT_FOUND' },
  },
  acknowledgeSos: {
    access: ['user'],
    request: ({ cid, sosId }) => ({ body: { cid, sosId } }),
    refuses: { cid: 'CHILD_NOT_FOUND', sosId: 'SOS_NOT_FOUND' },
  },
  resolveSos: {
    access: ['user'],
    request: ({ cid, sosId }) => ({ body: { cid, sosId } }),
    refuses: { cid: 'CHILD_NOT_FOUND', sosId: 'SOS_NOT_FOUND' },
  },
};
