import { randomBytes } from 'node:crypto';
import type { OperationRow } from './operation-row.js';

const CHILD_NOT_FOUND = { cid: 'CHILD_NOT_FOUND' } as const;

const correctionRow: OperationRow = {
  callerKinds: ['user'],
  request: ({ cid, did, reportedAt }) => ({ body: { cid, did, positionTime: reportedAt, pointType: 1 } }),
  rejections: { ...CHILD_NOT_FOUND, did: 'POINT_NOT_FOUND' },
  caregiver: 'PERMISSION_MISSING',
  needsSeparateFamily: true,
};

/** Operations on visits, location corrections and location shares. */
export const LOCATION_ROWS: Readonly<Record<string, OperationRow>> = {
  getVisits: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid, from: 0, to: 1 } }),
    rejections: CHILD_NOT_FOUND,
  },
  reportWrongLocation: correctionRow,
  withdrawWrongLocation: correctionRow,
  createLocationShare: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ body: { cid, expiresIn: 60 } }),
    rejections: CHILD_NOT_FOUND,
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  listLocationShares: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    rejections: CHILD_NOT_FOUND,
    caregiver: 'PERMISSION_MISSING',
  },
  deleteLocationShare: {
    callerKinds: ['user'],
    request: ({ shareId }) => ({ body: { shareId } }),
    rejections: { shareId: 'SHARE_NOT_FOUND' },
    // The guardian's request runs first and has deleted the location share.
    owner: 'SHARE_NOT_FOUND',
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  getSharedLocation: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects an unknown token',
        request: () => ({ path: { token: randomBytes(32).toString('base64url') } }),
        outcome: 'LINK_NOT_FOUND',
      },
      {
        title: 'rejects the id of a share as token',
        request: ({ shareId }) => ({ path: { token: shareId } }),
        outcome: 'LINK_NOT_FOUND',
      },
    ],
  },
};
