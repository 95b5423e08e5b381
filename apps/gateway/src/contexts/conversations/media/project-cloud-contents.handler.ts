import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler, Projection } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { PROJECTION } from '../../../infrastructure/gateway.projections.js';
import { CloudContentRepository } from './cloud-content.repository.js';

type ContentEvent = (typeof CONTENT_EVENTS)[number];

const CONTENT_EVENTS = [
  'mcdisk.content.added',
  'mcdisk.content.recycled',
  'mcdisk.content.restored',
  'mcdisk.content.purged',
] as const;

/**
 * Stores which files of family clouds can be sent. One handler processes all file events, so that the events of a file
 * stay in order.
 */
@Injectable()
export class ProjectCloudContentsHandler implements EventHandler<DomainEvents, ContentEvent>, OnModuleInit {
  readonly name = 'gateway.conversations.keep-contents';
  readonly event = CONTENT_EVENTS;
  // Content events contain no complete state of an object, so CloudContentComparisonJob repairs the projection.
  readonly projection: Projection = { name: PROJECTION.CONTENTS, findVersions: async () => new Map() };

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly contents: CloudContentRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register<ContentEvent>(this);
  }

  async handle({ name, payload }: EventOf<DomainEvents, ContentEvent>): Promise<void> {
    const { cloudID, contentIDs } = payload;
    const isAvailable = name === 'mcdisk.content.added' || name === 'mcdisk.content.restored';
    if (isAvailable) await this.contents.add(cloudID, contentIDs);
    else await this.contents.remove(cloudID, contentIDs);
  }
}
