import { Injectable } from '@nestjs/common';
import { MESSAGE_STATUS } from '@family-watch/domain/messages/contracts/payloads';
import { COMMAND_KIND, REMOTE_COMMAND } from '@family-watch/domain/watches/contracts/remote-command';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import { ActiveSos } from '../active-sos.js';
import { RemoteCommandRepository } from './remote-command.repository.js';
import { toCommandEventPayload } from './remote-control.service.js';

type CommandMessage = 'gateway.remote-command.sent' | 'gateway.message.acknowledged';

const COMMAND_MESSAGE_KINDS: readonly string[] = Object.values(COMMAND_KIND);

/** The commands after which the watch is unreachable, at least for a while. */
const COMMANDS_CANCELLED_BY_SOS = [REMOTE_COMMAND.SHUTDOWN, REMOTE_COMMAND.REBOOT];

/**
 * Changes the states of remote commands on events of the gateway and of an SOS. Deletes commands of erased children.
 */
@Injectable()
export class RemoteControlEventHandlers {
  constructor(
    private readonly commands: RemoteCommandRepository,
    private readonly outbox: UserctxOutbox,
    private readonly sos: ActiveSos,
  ) {}

  /**
   * Changes the state of a command when the gateway has stored the message with the command, and when the watch has
   * acknowledged the message. The message id is the command id. Late events and acknowledgements by another watch have
   * no effect. One handler processes both events, so that the `sent` and `acknowledged` events of a key are processed
   * in order.
   */
  @OnEvent(['gateway.remote-command.sent', 'gateway.message.acknowledged'], {
    handler: 'userctx.remote-control.apply-command-message',
  })
  async applyCommandMessage(event: HandledEvent<CommandMessage>): Promise<void> {
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

  /** Cancels pending shutdown and reboot commands when the child raises an SOS. */
  @OnEvent('userctx.sos.raised', { handler: 'userctx.remote-control.cancel-for-sos' })
  async cancelCommandsOnSos({ payload, time }: HandledEvent<'userctx.sos.raised'>): Promise<void> {
    const { familyId, cid, did } = payload;
    // If the SOS was resolved before the event arrived, commands issued after the resolution must not be cancelled.
    if (!(await this.sos.isActive({ familyId, cid }))) return;
    const cancelled = await this.commands.cancelPending(familyId, cid, COMMANDS_CANCELLED_BY_SOS, time);
    for (const command of cancelled) {
      const eventPayload = { ...toCommandEventPayload(command), by: `watch:${did}` as const, time };
      await this.outbox.appendForFamily('userctx.remote-command.cancelled', eventPayload);
    }
  }

  /** Deletes the commands of an erased child. */
  @OnEvent('userctx.child.erased', { handler: 'userctx.remote-control.erase-child' })
  async eraseChildCommands({ payload: { familyId, cid } }: HandledEvent<'userctx.child.erased'>): Promise<void> {
    await this.commands.erase(familyId, cid);
  }
}
