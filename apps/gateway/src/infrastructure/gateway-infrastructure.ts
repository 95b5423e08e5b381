import type { DynamicModule } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ContentSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { systemClock, type Clock } from '@family-watch/event-bus/clock';
import { Outbox } from '@family-watch/event-bus/outbox';
import { ProjectionMonitor } from '@family-watch/event-bus/projection-monitor';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { ChildReadRecorder } from '@family-watch/platform/app/child-read-recorder';
import { DisplayNames } from '@family-watch/platform/app/display-names';
import { InfrastructureModule, type AppDependencies } from '@family-watch/platform/app/infrastructure.module';

/**
 * `PubSub` between the nodes of the gateway. A node does not receive its own messages. All messages between nodes use
 * this channel, because the channel delivers them in the order of publication: a node learns that a member was removed
 * before it receives the messages of the same commit.
 */
export const PEER_PUB_SUB = Symbol('Peers');

/** `RevocationFeed` of this process. */
export const REVOCATION_FEED = Symbol('RevocationFeed');

/** `Clock` of the gateway. */
export const CLOCK = Symbol('Clock');

/** `ContentSource` of mcdisk; null if the gateway is not configured to call mcdisk. */
export const CONTENT_SOURCE = Symbol('ContentSource');

export class GatewayUnitOfWork extends UnitOfWork {}

/** Records who saw the data of children. */
export class GatewayChildReads extends ChildReadRecorder {}

/** Names of the members of conversations, which the gateway does not store. */
export class GatewayNames extends DisplayNames {}

/** Outbox of the gateway. Events are appended in the transaction of the change that they publish. */
export class GatewayOutbox extends Outbox<DomainEvents> {}

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
  return new ServiceError('FAMILY_NOT_READY', { retryAfter: 2 });
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
   * Must be called before access is decided from a projection.
   *
   * @throws ServiceError FAMILY_NOT_READY while the projection is unknown for this family
   */
  assertKnown(projection: string, familyId: string): void {
    if (!this.isKnown(projection, familyId)) throw projectionUnknownError();
  }
}

export interface GatewayDependencies extends AppDependencies {
  /** Lists the contents stored in mcdisk, from which the projection of contents is repaired. */
  contents?: ContentSource;
  /** The clock of the app; by default the system clock. */
  clock?: Clock;
}

export function gatewayInfrastructure(dependencies: GatewayDependencies): DynamicModule {
  const { messaging, contents = null, clock = systemClock } = dependencies;
  return InfrastructureModule.forApp(
    {
      app: 'gateway',
      unitOfWork: GatewayUnitOfWork,
      outbox: GatewayOutbox,
      childReads: GatewayChildReads,
      projections: GatewayProjections,
      clock,
      providers: [
        { provide: PEER_PUB_SUB, useValue: messaging.peerPubSub },
        { provide: REVOCATION_FEED, useValue: messaging.revocations },
        { provide: CONTENT_SOURCE, useValue: contents },
        { provide: CLOCK, useValue: clock },
        { provide: GatewayNames, useValue: new GatewayNames(dependencies.names) },
      ],
    },
    dependencies,
  );
}
