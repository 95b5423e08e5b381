import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { SmsMessageRepository } from '../sms/sms-message.repository.js';
import { SosEscalationService } from './sos-escalation.service.js';
import { SosRepository } from './sos.repository.js';

/** Escalates SOS calls and changes their states on events, and deletes the SOS calls of erased children. */
@Injectable()
export class SosEventHandlers {
  constructor(
    private readonly repository: SosRepository,
    private readonly escalation: SosEscalationService,
    private readonly smsMessages: SmsMessageRepository,
  ) {}

  /** Deletes the SOS calls of an erased child. */
  @OnEvent('userctx.child.erased', { handler: 'userctx.sos.erase-child' })
  async eraseChildSos({ payload: { familyId, cid } }: HandledEvent<'userctx.child.erased'>): Promise<void> {
    await this.repository.erase(familyId, cid);
    await this.smsMessages.removeByChild(cid);
  }

  /** Sends the SMS of an SOS immediately to a member whose apps did not receive the alert. */
  @OnEvent('gateway.alert.undelivered', { handler: 'userctx.sos.escalate-undelivered-alert' })
  async escalateUndeliveredAlert({ payload }: HandledEvent<'gateway.alert.undelivered'>): Promise<void> {
    const { userId, familyId, cid, about } = payload;
    if (about !== null && isUuid(about)) await this.escalation.escalateNow({ familyId, cid, sosId: about, userId });
  }

  /** Sends an SMS again that did not reach the phone, as the provider reported: once, by the other provider. */
  @OnEvent('userctx.sms.undelivered', { handler: 'userctx.sos.send-sms-again' })
  async sendUndeliveredSmsAgain({ payload }: HandledEvent<'userctx.sms.undelivered'>): Promise<void> {
    await this.escalation.sendSmsAgain(payload);
  }

  /**
   * Changes an SOS to NOTIFYING once its event is on the event bus, because the gateway then notifies the apps. Has no
   * effect if a guardian has already acknowledged the SOS.
   */
  @OnEvent('userctx.sos.raised', { handler: 'userctx.sos.begin-notifying' })
  async startSosNotification({ payload, time }: HandledEvent<'userctx.sos.raised'>): Promise<void> {
    await this.repository.transition(payload, 'NOTIFY', { by: null, time });
  }
}
