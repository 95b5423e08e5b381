import type { OperationRow, ProtectedRow } from './operation-row.js';

const USERS_AND_WATCHES = ['user', 'watch'] as const;
const OFFER = { type: 'OFFER', data: 'v=0' };

/** Creates the row of an operation on an ended call of guardian and watch. The owner is not a party of the call. */
const endedCallRow = (request: ProtectedRow['request']): OperationRow => ({
  callerKinds: USERS_AND_WATCHES,
  request,
  rejections: { callId: 'CALL_NOT_FOUND' },
  owner: 'CALL_NOT_FOUND',
  guardian: 'CALL_STATE',
  caregiver: 'CALL_NOT_FOUND',
  watch: 'CALL_STATE',
});

export const CALL_ROWS: Readonly<Record<string, OperationRow>> = {
  createVideoCall: {
    callerKinds: USERS_AND_WATCHES,
    request: ({ cid }) => ({ body: { to: { cid } } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
    // Watches can call members but no children, including their own.
    watch: 'CHILD_NOT_FOUND',
    needsSeparateFamily: true,
    contact: 'ok',
  },
  acceptVideoCall: endedCallRow(({ callId }) => ({ body: { callId } })),
  rejectVideoCall: endedCallRow(({ callId }) => ({ body: { callId } })),
  hangUpVideoCall: endedCallRow(({ callId }) => ({ body: { callId } })),
  signalVideoCall: endedCallRow(({ callId }) => ({ body: { callId, signal: OFFER } })),
  getVideoCallToken: endedCallRow(({ callId }) => ({ query: { callId } })),
  getVideoToken: endedCallRow(({ callId }) => ({ query: { callId } })),
  listVideoCalls: {
    callerKinds: USERS_AND_WATCHES,
    request: ({ cid }) => ({ query: { cid } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
    contact: 'ok',
  },
};
