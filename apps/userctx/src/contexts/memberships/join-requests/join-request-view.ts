import type { ApplicationDto } from '@family-watch/domain/families/dto/application.dto';
import type { JoinRequest } from './join-request.repository.js';

/** Converts a join request for the owner or, without details of the applicant, for the applicant. */
export function toJoinRequestDto(joinRequest: JoinRequest, { forOwner = false } = {}): ApplicationDto {
  const { applicationId, applicantUserId: userId, state, appellation, identityType } = joinRequest;
  const { name, areaCode, phoneNumber, createdAt, expiresAt, changedAt } = joinRequest;
  return {
    applicationId,
    state,
    appellation,
    identityType,
    ...(forOwner ? { applicant: { userId, name, areaCode, phoneNumber } } : {}),
    createTime: createdAt,
    expireTime: expiresAt,
    changeTime: changedAt,
  };
}
