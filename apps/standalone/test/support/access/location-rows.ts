import { randomBytes } from 'node:crypto';
import type { OperationRow } from './operation-row.js';

const CHILD_NOT_FOUND = { cid: 'CHILD_NOT_FOUND' } as const;

const correctionRow: OperationRow = {
  access: ['user'],
  request: ({ cid, did, reportedAt }) => ({ body: { cid, did, positionTime: reportedAt, pointType: 1 } }),
  refuses: { ...CHILD_NOT_FOUND, did: 'POINT_NOT_FOUND' },
  destroys: true,
};

/** Operations on visits, location corrections and location shares. */
export const LOCATION_ROWS: Readonly<Record<string, OperationRow>> = {
  getVisits: {
    access: ['user'],
    request: ({ cid }) => ({ query: { cid, from: 0, to: 1 } }),
    refuses: CHILD_NOT_FOUND,
  },
  reportWrongLocation: correctionRow,
  withdrawWrongLocation: correctionRow,
  createLocationShare: {
    access: ['user'],
    request: ({ cid }) => ({ body: { cid, expiresIn: 60 } }),
    refuses: CHILD_NOT_FOUND,
    destroys: true,
  },
  listLocationShares: { access: ['user'], request: ({ cid }) => ({ query: { cid } }), refuses: CHILD_NOT_FOUND },
  deleteLocationShare: {
    access: ['user'],
    request: ({ shareId }) => ({ body: { shareId } }),
    refuses: { shareId: 'SHARE_NOT_FOUND' },
    // The guardian's request runs first and has deleted the location share.
    owner: 'SHARE_NOT_FOUND',
    destroys: true,
  },
  getSharedLocation: {
    access: 'public',
    cases: [
      {
        about: 'rejects an unknown token',
        request: () => ({ path: { token: randomBytes(32).toString('base64url') } }),
        outcome: 'LINK_NOT_FOUND',
      },
      {
        about: 'rejects the id of a share as token',
        request: ({ shareId }) => ({ path: { token: shareId } }),
        outcome: 'LINK_NOT_FOUND',
      },
    ],
  },
};
