import { PASSWORD } from './account-rows.js';
import type { OperationRow } from './operation-row.js';

const stepUp = { password: PASSWORD };

/** Operations on join requests and family ownership. */
export const MEMBERSHIP_ROWS: Readonly<Record<string, OperationRow>> = {
  createFamilyCode: { access: ['watch'], request: () => ({ body: {} }), refuses: {}, destroys: true },
  createApplication: {
    access: ['user'],
    request: ({ familyCode }) => ({ body: { familyCode } }),
    // Any caller who has the code may create a join request, so there is no id of another family to reject.
    refuses: {},
    owner: 'ALREADY_MEMBER',
    guardian: 'ALREADY_MEMBER',
    // The request changes nothing, but a separate family provides a new code: a code is valid for five minutes.
    destroys: true,
  },
  listApplications: {
    access: ['user'],
    request: ({ familyId }) => ({ query: { familyId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
  },
  approveApplication: {
    access: ['user'],
    request: ({ familyId, familyApplicationId: applicationId }) => ({ body: { familyId, applicationId, role: 4 } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND', familyApplicationId: 'APPLICATION_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  rejectApplication: {
    access: ['user'],
    request: ({ familyId, familyApplicationId: applicationId }) => ({ body: { familyId, applicationId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND', familyApplicationId: 'APPLICATION_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  cancelApplication: {
    access: ['user'],
    request: ({ familyApplicationId: applicationId }) => ({ body: { applicationId } }),
    refuses: { familyApplicationId: 'APPLICATION_NOT_FOUND' },
    // Only the applicant may cancel the join request.
    owner: 'APPLICATION_NOT_FOUND',
    guardian: 'APPLICATION_NOT_FOUND',
  },
  transferFamily: {
    access: ['user'],
    request: ({ familyId, userId }) => ({ body: { familyId, userId, stepUp } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND', userId: 'MEMBER_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  dissolveFamily: {
    access: ['user'],
    request: ({ familyId }) => ({ body: { familyId, stepUp } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  createOwnershipClaim: {
    access: ['user'],
    request: ({ familyId }) => ({ body: { familyId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND' },
    owner: 'PERMISSION_MISSING',
    // The guardian already has an open claim.
    guardian: 'CLAIM_STATE',
  },
  listOwnershipClaims: {
    access: ['user'],
    request: ({ familyId }) => ({ query: { familyId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND' },
  },
  refuseOwnershipClaim: {
    access: ['user'],
    request: ({ familyId, claimId }) => ({ body: { familyId, claimId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND', claimId: 'CLAIM_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  withdrawOwnershipClaim: {
    access: ['user'],
    request: ({ familyId, claimId }) => ({ body: { familyId, claimId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND', claimId: 'CLAIM_NOT_FOUND' },
    owner: 'PERMISSION_MISSING',
    destroys: true,
  },
};
