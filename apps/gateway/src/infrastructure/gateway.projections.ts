import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ProjectionMonitor } from '@family-watch/event-bus/projection-monitor';

/** Names of the gateway's projections. */
export const PROJECTION = {
  FAMILIES: 'families',
  CHILD_RULES: 'child-rules',
  FAMILY_CONVERSATIONS: 'family-conversations',
  FRIEND_CONVERSATIONS: 'friend-conversations',
  CONTENTS: 'contents',
} as const;

/** Returns the error for access that cannot be decided because a projection is unknown. */
export function projectionUnknownError(): ServiceError {
  return new ServiceError('OVERLOADED', { retryAfter: 2 });
}

const CONVERSATION_PROJECTIONS = [
  PROJECTION.CHILD_RULES,
  PROJECTION.FAMILY_CONVERSATIONS,
  PROJECTION.FRIEND_CONVERSATIONS,
] as const;

/**
 * Monitors the projections of the gateway. A projection is unknown for a family while an event of the family could not
 * be processed: the stored state may be outdated.
 */
export class GatewayProjections extends ProjectionMonitor {
  /** Returns whether every projection that decides about conversations is known for this family. */
  areConversationsKnown(familyId: string): boolean {
    return CONVERSATION_PROJECTIONS.every((projection) => this.isKnown(projection, familyId));
  }

  /**
   * Must be called before a projection decides about access.
   *
   * @throws ServiceError OVERLOADED while the projection is unknown for this family
   */
  assertKnown(projection: string, familyId: string): void {
    if (!this.isKnown(projection, familyId)) throw projectionUnknownError();
  }
}
