import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import type { MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import { CALL_DIRECTION, CALL_STATE } from '@family-watch/domain/messages/contracts/video-call';
import type {
  CallSignal,
  CallState,
  VideoCallInPayload,
  VideoCallOutPayload,
} from '@family-watch/domain/messages/contracts/video-call';
import type { DeliverySubject } from '../../protocol/delivery-access.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import type { NewMessage } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { MessageCenterService } from '../message-center/message-center.service.js';
import { calleeOf, callerOf, callDeliverySubject } from './video-call.js';
import type { CallRole, VideoCall } from './video-call.js';

/** Of no family, for parties that may not hear of this one any more: they are told that it is over and no more. */
const NOBODYS: DeliverySubject = { familyId: null, cid: null, audience: 'MEMBERS' };

/** A callee who never had a chance to answer has missed the call. */
const MISSED: readonly CallState[] = [CALL_STATE.TIMED_OUT, CALL_STATE.CANCELLED, CALL_STATE.BUSY];

/** Tells the two parties of a call, in the open unit of work, through their mailboxes. */
@Injectable()
export class CallNoticesService {
  constructor(
    private readonly mailboxes: MailboxService,
    private readonly center: MessageCenterService,
  ) {}

  /**
   * Tells both parties, on all of their devices, of the state that the call has now.
   * @param by who brought it there; `null` for the service itself
   */
  async sendState(call: VideoCall, by: PrincipalKey | null, time: number): Promise<void> {
    this.post(call, 'CALLER', by, time);
    // Who is called while in a call hears no ring; the log and the message centre know of it.
    if (call.state !== CALL_STATE.BUSY) this.post(call, 'CALLEE', by, time);
    if (!MISSED.includes(call.state) || call.direction === CALL_DIRECTION.TO_WATCH) return;
    const { callId, did, userId } = call;
    const params = { callId, state: call.state };
    const news = {
      ...callDeliverySubject(call),
      source: `call:${callId}`,
      type: 'CALL_MISSED',
      params,
      did,
      time,
    } as const;
    await this.center.publish({ ...news, userIds: [userId] });
  }

  /** Tells both that the call is over because they are none of one family any more. */
  sendPartyRemoved(call: VideoCall, time: number): void {
    this.post(call, 'CALLER', null, time, { subject: NOBODYS });
    this.post(call, 'CALLEE', null, time, { subject: NOBODYS });
  }

  /** Relays a signal to the other party, and to it alone. */
  relay(call: VideoCall, from: CallRole, signal: CallSignal, time: number): void {
    if (from === 'CALLER') this.post(call, 'CALLEE', callerOf(call), time, { signal });
    else this.post(call, 'CALLER', calleeOf(call), time, { signal });
  }

  private post(
    call: VideoCall,
    to: CallRole,
    by: PrincipalKey | null,
    time: number,
    more: { signal?: CallSignal; subject?: DeliverySubject } = {},
  ): void {
    const { callId, provider, state, acceptedSession, revision } = call;
    const { signal, subject = callDeliverySubject(call) } = more;
    const said = {
      callId,
      provider,
      state,
      ...(acceptedSession === null ? {} : { acceptedSessionId: acceptedSession }),
      ...(signal ? { signal } : {}),
    };
    const notice: Omit<NewMessage, 'kind' | 'payload'> = {
      ...subject,
      source: `call:${callId}:${revision}`,
      time,
      from: by === null ? SYSTEM_SENDER : senderOf(by),
      did: subject.familyId === null ? null : call.did,
    };
    if (to === 'CALLEE') {
      const payload: VideoCallInPayload = { ...said, from: callerOf(call) };
      this.mailboxes.enqueue(
        toMailboxEntries([calleeOf(call)], { ...notice, kind: 'VideoCallInNoticeMessage', payload }),
      );
    } else {
      const payload: VideoCallOutPayload = { ...said, to: calleeOf(call) };
      this.mailboxes.enqueue(
        toMailboxEntries([callerOf(call)], { ...notice, kind: 'VideoCallOutNoticeMessage', payload }),
      );
    }
  }
}

function senderOf(key: PrincipalKey): { type: MessageParty; id: string } {
  const separator = key.indexOf(':');
  return { type: key.slice(0, separator) as MessageParty, id: key.slice(separator + 1) };
}
