import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { REMOTE_COMMAND } from '@family-watch/domain/remote-control/contracts/remote-control.events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { SosService } from '../sos/sos.service.js';
import { RemoteCommandRepository } from './remote-command.repository.js';
import { toCommandEventPayload } from './remote-control.service.js';

const SILENCING_COMMANDS = [REMOTE_COMMAND.SHUTDOWN, REMOTE_COMMAND.REBOOT];

/** Cancels pending shutdown and reboot commands when the child raises an SOS. */
@Injectable()
export class CancelCommandsOnSosHandler implements EventHandler<DomainEvents, 'userctx.sos.raised'>, OnModuleInit {
  readonly name = 'userctx.remote-control.cancel-for-sos';
  readonly event = 'userctx.sos.raised' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly outbox: UserctxOutbox,
    private readonly sos: SosService,
    private readonly commands: RemoteCommandRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload, time }: EventOf<DomainEvents, 'userctx.sos.raised'>): Promise<void> {
    const { familyId, cid, did } = payload;
    // The SOS was resolved before the event arrived. Commands issued after the resolution are not cancelled.
    if (!(await this.sos.isActive({ familyId, cid }))) return;
    const cancelled = await this.commands.cancelPending(familyId, cid, SILENCING_COMMANDS, time);
    for (const command of cancelled) {
      const eventPayload = { ...toCommandEventPayload(command), by: `watch:${did}` as const, time };
      await this.outbox.append({ name: 'userctx.remote-command.cancelled', key: familyId, payload: eventPayload });
    }
  }
}
