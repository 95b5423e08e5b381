import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { MESSAGE_STATUS } from '@family-watch/domain/messages/contracts/payloads';
import { COMMAND_KIND } from '@family-watch/domain/remote-control/contracts/remote-command';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { RemoteCommandRepository } from './remote-command.repository.js';

type CommandMessage = 'gateway.remote-command.sent' | 'gateway.message.acknowledged';

const COMMAND_MESSAGE_KINDS: readonly string[] = Object.values(COMMAND_KIND);

/**
 * Updates commands from the gateway's events: the message was stored, and the watch acknowledged it. The message id is
 * the command id. Late messages and messages of another watch have no effect.
 */
@Injectable()
export class ApplyCommandMessageHandler implements EventHandler<DomainEvents, CommandMessage>, OnModuleInit {
  readonly name = 'userctx.remote-control.follow-message';
  // One handler processes both events, so that the `sent` and `acknowledged` events of a key are processed in order.
  readonly event = ['gateway.remote-command.sent', 'gateway.message.acknowledged'] as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly commands: RemoteCommandRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register<CommandMessage>(this);
  }

  async handle(event: EventOf<DomainEvents, CommandMessage>): Promise<void> {
    if (event.name === 'gateway.remote-command.sent') {
      const { did, commandId, time } = event.payload;
      await this.commands.transition(did, commandId, 'SEND', { time });
      return;
    }
    const { by, messageId, kind, did, status, reason } = event.payload;
    if (did === null || !COMMAND_MESSAGE_KINDS.includes(kind) || by !== `watch:${did}`) return;
    const { time } = event;
    if (status === MESSAGE_STATUS.APPLIED) await this.commands.transition(did, messageId, 'BEGIN', { time });
    if (status === MESSAGE_STATUS.REJECTED) await this.commands.transition(did, messageId, 'REFUSE', { time, reason });
  }
}
