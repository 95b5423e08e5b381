import { CIRCLE } from './fence-ids.js';
import type { OperationRow } from './operation-row.js';

const CHILD_NOT_FOUND = { cid: 'CHILD_NOT_FOUND' } as const;

/** Operations on fences. */
export const FENCE_ROWS: Readonly<Record<string, OperationRow>> = {
  listFences: {
    access: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    refuses: CHILD_NOT_FOUND,
  },
  createFence: {
    access: ['user'],
    request: ({ cid }) => ({ body: { cid, name: 'School', circle: CIRCLE } }),
    refuses: CHILD_NOT_FOUND,
    destroys: true,
  },
  updateFence: {
    access: ['user'],
    request: ({ cid, fenceId }) => ({ body: { cid, fenceId, name: 'Grandma' } }),
    refuses: { ...CHILD_NOT_FOUND, fenceId: 'FENCE_NOT_FOUND' },
    destroys: true,
  },
  deleteFence: {
    access: ['user'],
    request: ({ cid, fenceId }) => ({ body: { cid, fenceId } }),
    refuses: { ...CHILD_NOT_FOUND, fenceId: 'FENCE_NOT_FOUND' },
    // The guardian's request runs first and has deleted the fence.
    owner: 'FENCE_NOT_FOUND',
    destroys: true,
  },
  listFenceEvents: {
    access: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    refuses: CHILD_NOT_FOUND,
  },
};
