import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { DeliverySubject } from '@family-watch/domain/messages/contracts/message-center';
import { SYSTEM_SENDER, type MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import {
  CALL_DIRECTION,
  CALL_STATE,
  type CallSignal,
  type CallState,
  type VideoCallInPayload,
  type VideoCallOutPayload,
} from '@family-watch/domain/messages/contracts/video-call';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../infrastructure/gateway-infrastructure.js';
import { toMailboxEntries, type NewMessage } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { MessageCenterService } from '../notifications/message-center/message-center.service.js';
import {
  CALL_TRANSITION,
  nextCallState,
  withCallState,
  calleeOf,
  callerOf,
  callDeliverySubject,
  type CallTransition,
  type VideoCall,
  type CallRole,
} from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';

/**
 * Subject without a family, so that the message reaches parties that may no longer receive the family's messages when
 * their call ends.
 */
const NO_FAMILY_SUBJECT: DeliverySubject = { familyId: null, cid: null, audience: 'MEMBERS' };

/** Final states in which the callee has missed the call. */
const MISSED_STATES: readonly CallState[] = [CALL_STATE.TIMED_OUT, CALL_STATE.CANCELLED, CALL_STATE.BUSY];

/**
 * Applies transitions to calls: stores the new state and notifies the parties through their mailboxes, in the
 * transaction that has locked the call. All state changes of calls go through this service.
 */
@Injectable()
export class CallTransitionsService {
  constructor(
    private readonly calls: VideoCallRepository,
    private readonly mailboxes: MailboxService,
    private readonly center: MessageCenterService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Stores the call's new state and notifies the parties.
   * @param causedBy the principal that causes the transition, or `null` for the service
   * @param acceptedSession the callee's session that accepts the call
   * @throws ServiceError CALL_STATE if the call's state does not allow the transition
   */
  async apply(
    call: VideoCall,
    transition: CallTransition,
    causedBy: PrincipalKey | null,
    acceptedSession: string | null = call.acceptedSession,
  ): Promise<VideoCall> {
    const state = nextCallState(call.state, transition);
    if (state === null) throw new ServiceError('CALL_STATE');
    const now = this.clock.now();
    const updated = { ...withCallState(call, state, now), acceptedSession };
    await this.calls.update(updated);
    if (transition === CALL_TRANSITION.PERMISSION_LOST) this.sendPermissionLost(updated, now);
    else await this.sendState(updated, causedBy, now);
    return updated;
  }

  /**
   * Sends the call's current state to both parties, on all of their devices. A callee who missed the call also receives
   * a center message.
   * @param causedBy the principal that caused the state, or `null` for the service
   */
  async sendState(call: VideoCall, causedBy: PrincipalKey | null, time: number): Promise<void> {
    this.sendNotice(call, 'CALLER', causedBy, time);
    // A busy callee receives no notice; the call appears only in the call log and the message centre.
    if (call.state !== CALL_STATE.BUSY) this.sendNotice(call, 'CALLEE', causedBy, time);
    if (!MISSED_STATES.includes(call.state) || call.direction === CALL_DIRECTION.TO_WATCH) return;
    const { callId, did, userId } = call;
    const params = { callId, state: call.state };
    const message = {
      ...callDeliverySubject(call),
      source: `call:${callId}`,
      type: 'CALL_MISSED',
      params,
      did,
      time,
    } as const;
    await this.center.publish({ ...message, userIds: [userId] });
  }

  /** Notifies both parties that the call has ended because they may no longer call each other. */
  private sendPermissionLost(call: VideoCall, time: number): void {
    this.sendNotice(call, 'CALLER', null, time, { subject: NO_FAMILY_SUBJECT });
    this.sendNotice(call, 'CALLEE', null, time, { subject: NO_FAMILY_SUBJECT });
  }

  /** Relays a signal to the other party only. */
  relay(call: VideoCall, from: CallRole, signal: CallSignal, time: number): void {
    if (from === 'CALLER') this.sendNotice(call, 'CALLEE', callerOf(call), time, { signal });
    else this.sendNotice(call, 'CALLER', calleeOf(call), time, { signal });
  }

  private sendNotice(
    call: VideoCall,
    to: CallRole,
    causedBy: PrincipalKey | null,
    time: number,
    options: { signal?: CallSignal; subject?: DeliverySubject } = {},
  ): void {
    const { callId, provider, state, acceptedSession, revision } = call;
    const { signal, subject = callDeliverySubject(call) } = options;
    const common = {
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
      from: causedBy === null ? SYSTEM_SENDER : toSender(causedBy),
      did: subject.familyId === null ? null : call.did,
    };
    if (to === 'CALLEE') {
      const payload: VideoCallInPayload = { ...common, from: callerOf(call) };
      this.mailboxes.enqueue(
        toMailboxEntries([calleeOf(call)], { ...notice, kind: 'VideoCallInNoticeMessage', payload }),
      );
    } else {
      const payload: VideoCallOutPayload = { ...common, to: calleeOf(call) };
      this.mailboxes.enqueue(
        toMailboxEntries([callerOf(call)], { ...notice, kind: 'VideoCallOutNoticeMessage', payload }),
      );
    }
  }
}

function toSender(key: PrincipalKey): { type: MessageParty; id: string } {
  const separator = key.indexOf(':');
  return { type: key.slice(0, separator) as MessageParty, id: key.slice(separator + 1) };
}
