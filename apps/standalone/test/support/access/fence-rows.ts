import { CIRCLE } from './fence-ids.js';
import type { OperationRow } from './operation-row.js';

const CHILD_NOT_FOUND = { cid: 'CHILD_NOT_FOUND' } as const;

/** Operations on fences. */
export const FENCE_ROWS: Readonly<Record<string, OperationRow>> = {
  listFences: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    rejections: CHILD_NOT_FOUND,
  },
  createFence: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ body: { cid, name: 'School', circle: CIRCLE } }),
    rejections: CHILD_NOT_FOUND,
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  updateFence: {
    callerKinds: ['user'],
    request: ({ cid, fenceId }) => ({ body: { cid, fenceId, name: 'Grandma' } }),
    rejections: { ...CHILD_NOT_FOUND, fenceId: 'FENCE_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  deleteFence: {
    callerKinds: ['user'],
    request: ({ cid, fenceId }) => ({ body: { cid, fenceId } }),
    rejections: { ...CHILD_NOT_FOUND, fenceId: 'FENCE_NOT_FOUND' },
    // The guardian's request runs first and has deleted the fence.
    owner: 'FENCE_NOT_FOUND',
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  listFenceEvents: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    rejections: CHILD_NOT_FOUND,
  },
};
