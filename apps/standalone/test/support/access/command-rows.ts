import { PASSWORD } from './account-rows.js';
import type { OperationRow } from './operation-row.js';

/** Operations on friends, remote commands, location requests and SOS. */
export const COMMAND_ROWS: Readonly<Record<string, OperationRow>> = {
  createFriendCode: { callerKinds: ['watch'], request: () => ({ body: {} }), rejections: {} },
  listFriends: {
    callerKinds: ['user', 'watch'],
    request: ({ did }) => ({ query: { did } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
  },
  applyFriend: {
    callerKinds: ['user', 'watch'],
    // Any caller who sees the friend code on the other watch may apply, so there is no id of another family to reject.
    request: ({ did, friendCode }) => ({ body: { did, friendCode } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
    // The row uses a separate family, because a friend code is valid for five minutes and the matrix runs longer.
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  confirmFriend: {
    callerKinds: ['user'],
    request: ({ did, applicationId }) => ({ body: { did, applicationId } }),
    rejections: { did: 'WATCH_NOT_FOUND', applicationId: 'APPLICATION_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  rejectFriend: {
    callerKinds: ['user'],
    request: ({ did, applicationId }) => ({ body: { did, applicationId } }),
    rejections: { did: 'WATCH_NOT_FOUND', applicationId: 'APPLICATION_NOT_FOUND' },
    // The friend request has already been accepted.
    owner: 'CONFLICT',
    guardian: 'CONFLICT',
    caregiver: 'PERMISSION_MISSING',
  },
  deleteFriend: {
    callerKinds: ['user'],
    request: ({ did, applicationId }) => ({ body: { did, applicationId } }),
    rejections: { did: 'WATCH_NOT_FOUND', applicationId: 'FRIEND_NOT_FOUND' },
    // The guardian's request runs first and has ended the friendship.
    owner: 'FRIEND_NOT_FOUND',
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  blockFriend: {
    callerKinds: ['user'],
    request: ({ did, applicationId }) => ({ body: { did, applicationId } }),
    rejections: { did: 'WATCH_NOT_FOUND', applicationId: 'FRIEND_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  unblockFriend: {
    callerKinds: ['user'],
    request: ({ did, applicationId }) => ({ body: { did, applicationId } }),
    rejections: { did: 'WATCH_NOT_FOUND', applicationId: 'FRIEND_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },

  shutDownWatch: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did, stepUp: { password: PASSWORD } } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
    // The guardian has no password for the step-up.
    guardian: 'STEP_UP_REQUIRED',
    caregiver: 'PERMISSION_MISSING',
  },
  rebootWatch: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  findWatch: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  listCommands: {
    callerKinds: ['user'],
    request: ({ did }) => ({ query: { did } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  cancelCommand: {
    callerKinds: ['user'],
    request: ({ did, commandId }) => ({ body: { did, commandId } }),
    rejections: { did: 'WATCH_NOT_FOUND', commandId: 'COMMAND_NOT_FOUND' },
    // The command is already completed.
    owner: 'COMMAND_STATE',
    guardian: 'COMMAND_STATE',
    caregiver: 'PERMISSION_MISSING',
  },
  reportCommandResult: {
    callerKinds: ['watch'],
    request: ({ commandId }) => ({ body: { commandId, ok: true } }),
    rejections: { commandId: 'COMMAND_NOT_FOUND' },
  },

  askLocation: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  getAskProgress: {
    callerKinds: ['user'],
    request: ({ askId }) => ({ query: { askId } }),
    rejections: { askId: 'ASK_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },

  raiseSos: {
    callerKinds: ['watch'],
    // The server ignores the ids in the body: a watch raises an SOS only for itself.
    request: ({ did, cid }) => ({ body: { did, cid, time: 1 } }),
    rejections: {},
    needsSeparateFamily: true,
  },
  listSos: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
  },
  acknowledgeSos: {
    callerKinds: ['user'],
    request: ({ cid, sosId }) => ({ body: { cid, sosId } }),
    rejections: { cid: 'CHILD_NOT_FOUND', sosId: 'SOS_NOT_FOUND' },
  },
  resolveSos: {
    callerKinds: ['user'],
    request: ({ cid, sosId }) => ({ body: { cid, sosId } }),
    rejections: { cid: 'CHILD_NOT_FOUND', sosId: 'SOS_NOT_FOUND' },
  },
};
