import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { RemoteCommandRepository } from './remote-command.repository.js';

/** Deletes the commands of an erased child. */
@Injectable()
export class EraseChildCommandsHandler implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit {
  readonly name = 'userctx.remote-control.erase-child';
  readonly event = 'userctx.child.erased' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly commands: RemoteCommandRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { familyId, cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.commands.erase(familyId, cid);
  }
}
