import type { ApplicationDto } from '@family-watch/domain/families/dto/application.dto';
import type { JoinRequest } from './join-request.repository.js';

/** An application as its owner, or the applicant, who knows nothing of the family yet, sees it. */
export function toJoinRequestDto(application: JoinRequest, { forOwner = false } = {}): ApplicationDto {
  const { applicationId, applicantUserId: userId, state, appellation, identityType } = application;
  const { name, areaCode, phoneNumber, createdAt, expiresAt, changedAt } = application;
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
