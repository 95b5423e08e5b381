import { PASSWORD } from './account-rows.js';
import type { OperationRow } from './operation-row.js';

const stepUp = { password: PASSWORD };

/** Operations on join requests and family ownership. */
export const MEMBERSHIP_ROWS: Readonly<Record<string, OperationRow>> = {
  createFamilyCode: {
    callerKinds: ['watch'],
    request: () => ({ body: {} }),
    rejections: {},
    needsSeparateFamily: true,
  },
  createApplication: {
    callerKinds: ['user'],
    request: ({ familyCode }) => ({ body: { familyCode } }),
    // Any caller who has the code may create a join request, so there is no id of another family to reject.
    rejections: {},
    owner: 'ALREADY_MEMBER',
    guardian: 'ALREADY_MEMBER',
    // The request changes nothing, but a separate family provides a new family code, because codes expire.
    needsSeparateFamily: true,
    contact: 'ALREADY_MEMBER',
  },
  listApplications: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ query: { familyId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
  },
  approveApplication: {
    callerKinds: ['user'],
    request: ({ familyId, familyApplicationId: applicationId }) => ({ body: { familyId, applicationId, role: 4 } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND', familyApplicationId: 'APPLICATION_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  rejectApplication: {
    callerKinds: ['user'],
    request: ({ familyId, familyApplicationId: applicationId }) => ({ body: { familyId, applicationId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND', familyApplicationId: 'APPLICATION_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  cancelApplication: {
    callerKinds: ['user'],
    request: ({ familyApplicationId: applicationId }) => ({ body: { applicationId } }),
    rejections: { familyApplicationId: 'APPLICATION_NOT_FOUND' },
    // Only the applicant may cancel the join request.
    owner: 'APPLICATION_NOT_FOUND',
    guardian: 'APPLICATION_NOT_FOUND',
  },
  transferFamily: {
    callerKinds: ['user'],
    request: ({ familyId, userId }) => ({ body: { familyId, userId, stepUp } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND', userId: 'MEMBER_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  dissolveFamily: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ body: { familyId, stepUp } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  createOwnershipClaim: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ body: { familyId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
    owner: 'PERMISSION_MISSING',
    // The guardian already has an open claim.
    guardian: 'CLAIM_STATE',
    caregiver: 'PERMISSION_MISSING',
  },
  listOwnershipClaims: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ query: { familyId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  refuseOwnershipClaim: {
    callerKinds: ['user'],
    request: ({ familyId, claimId }) => ({ body: { familyId, claimId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND', claimId: 'CLAIM_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  withdrawOwnershipClaim: {
    callerKinds: ['user'],
    request: ({ familyId, claimId }) => ({ body: { familyId, claimId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND', claimId: 'CLAIM_NOT_FOUND' },
    owner: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
};
