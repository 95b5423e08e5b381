import type { OperationRow, ProtectedRow } from './operation-row.js';

const BOTH = ['user', 'watch'] as const;
const OFFER = { type: 'OFFER', data: 'v=0' };

/** About a call that is over: its parties hear that, and the owner, who is none of them, hears of no call. */
const aboutCall = (request: ProtectedRow['request']): OperationRow => ({
  access: BOTH,
  request,
  refuses: { callId: 'CALL_NOT_FOUND' },
  owner: 'CALL_NOT_FOUND',
  guardian: 'CALL_STATE',
  watch: 'CALL_STATE',
});

export const CALL_ROWS: Readonly<Record<string, OperationRow>> = {
  createVideoCall: {
    access: BOTH,
    request: ({ cid }) => ({ body: { to: { cid } } }),
    refuses: { cid: 'CHILD_NOT_FOUND' },
    // Watches call members and no children, not even their own.
    watch: 'CHILD_NOT_FOUND',
    destroys: true,
  },
  acceptVideoCall: aboutCall(({ callId }) => ({ body: { callId } })),
  rejectVideoCall: aboutCall(({ callId }) => ({ body: { callId } })),
  hangUpVideoCall: aboutCall(({ callId }) => ({ body: { callId } })),
  signalVideoCall: aboutCall(({ callId }) => ({ body: { callId, signal: OFFER } })),
  getVideoCallToken: aboutCall(({ callId }) => ({ query: { callId } })),
  listVideoCalls: {
    access: BOTH,
    request: ({ cid }) => ({ query: { cid } }),
    refuses: { cid: 'CHILD_NOT_FOUND' },
  },
};
