import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import type { RemoteControlPayload } from '@family-watch/domain/messages/contracts/watch-notices';
import { COMMAND_KIND } from '@family-watch/domain/remote-control/contracts/remote-command';
import type { Clock } from '@family-watch/event-bus/clock';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { GatewayOutbox } from '../../infrastructure/gateway.outbox.js';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import type { MailboxEntry } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';

type CommandEvent = 'userctx.remote-command.queued' | 'userctx.remote-command.cancelled';

/**
 * Sends remote commands to the watch only. The message has the id of the command, by which the watch acknowledges the
 * command and the gateway withdraws a cancelled command. A command that is queued and cancelled in one transaction is
 * not sent.
 */
@Injectable()
export class SendRemoteCommandHandler implements EventHandler<DomainEvents, CommandEvent>, OnModuleInit {
  readonly name = 'gateway.notices.bring-remote-command';
  // One handler processes queued and cancelled commands, so that a cancellation cannot overtake the command.
  readonly event = ['userctx.remote-command.queued', 'userctx.remote-command.cancelled'] as const;
  /** Ids of the commands cancelled in the current transaction, keyed by its entity manager. */
  private readonly cancelledIds = new WeakMap<object, Set<string>>();

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly outbox: GatewayOutbox,
    private readonly mailboxes: MailboxService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.consumer.register<CommandEvent>(this);
  }

  async handle({ name, payload: remoteCommand }: EventOf<DomainEvents, CommandEvent>): Promise<void> {
    const { did, commandId } = remoteCommand;
    if (name === 'userctx.remote-command.cancelled') {
      this.cancelledIdsOfTransaction().add(commandId);
      await this.mailboxes.withdraw([`watch:${did}`], [commandId]);
      return;
    }
    const cancelled = this.cancelledIdsOfTransaction();
    this.mailboxes.enqueueBeforeCommit(() =>
      Promise.resolve(cancelled.has(commandId) ? [] : toCommandEntries(remoteCommand)),
    );
    const sent = { did, commandId, time: this.clock.now() };
    await this.outbox.append({ name: 'gateway.remote-command.sent', key: `watch:${did}`, payload: sent });
  }

  private cancelledIdsOfTransaction(): Set<string> {
    const transaction = this.unitOfWork.manager;
    const commandIds = this.cancelledIds.get(transaction) ?? new Set<string>();
    this.cancelledIds.set(transaction, commandIds);
    return commandIds;
  }
}

function toCommandEntries(remoteCommand: DomainEvents['userctx.remote-command.queued']): MailboxEntry[] {
  const { familyId, cid, did, commandId, command, time } = remoteCommand;
  const payload: RemoteControlPayload = { commandId };
  const subject = { familyId, cid, audience: 'REMOTE' } as const;
  const notice = {
    ...subject,
    source: commandId,
    kind: COMMAND_KIND[command],
    time,
    from: SYSTEM_SENDER,
    did,
    payload,
  };
  return toMailboxEntries([`watch:${did}`], notice).map((entry) => ({ ...entry, id: commandId }));
}
