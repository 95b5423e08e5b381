import { Inject, Injectable } from '@nestjs/common';
import {
  areRulesStale,
  COMMUNICATION_CHANNEL,
  checkMember,
  type CommunicationRefusal,
} from '@family-watch/domain/watches/check-communication';
import { memberHasPermission, type FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CALL_DIRECTION } from '@family-watch/domain/messages/contracts/video-call';
import type { CallTargetDto } from '@family-watch/domain/messages/dto/video-call.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { GatewayProjections, PROJECTION, CLOCK } from '../infrastructure/gateway-infrastructure.js';
import { communicationRefusedError, ChildRulesLookupService } from '../projections/child-rules-lookup.service.js';
import { mayReceive } from '../projections/delivery-access.js';
import { FamilyLookupService } from '../projections/family-lookup.service.js';
import {
  calleeOf,
  callerOf,
  callRoleOf,
  callDeliverySubject,
  type CallParties,
  type CallRole,
  type VideoCall,
} from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';

/**
 * Decides which principals may call each other, and which may take part in a call. Always reads the database and never
 * a cache, because a call gives access to a camera.
 */
@Injectable()
export class CallAccessService {
  constructor(
    private readonly families: FamilyLookupService,
    private readonly calls: VideoCallRepository,
    private readonly rules: ChildRulesLookupService,
    private readonly projections: GatewayProjections,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Returns the two parties of a call that the caller may start. A callee that the caller may not see causes the same
   * error as an unknown callee, before anything is stored or sent.
   * @throws ServiceError VALIDATION_FAILED, CHILD_NOT_FOUND, MEMBER_NOT_FOUND, PERMISSION_MISSING, WATCH_NOT_FOUND for
   * a child without a watch, WATCH_UNBOUND
   * @throws ServiceError SCHOOL_TIME, CONTACT_NOT_ALLOWED
   */
  async resolveParties(caller: Principal, to: CallTargetDto): Promise<CallParties> {
    if ((to.userId === undefined) === (to.cid === undefined)) {
      throw validationError('to', 'isEither', 'to must contain either userId or cid, not both');
    }
    const parties = await (caller.type === 'watch'
      ? this.findPartiesOfCallFromWatch(Number(caller.id), to.userId)
      : this.findPartiesOfCallToWatch(caller.id, to.cid));
    const refusal = await this.findRefusal(parties);
    if (refusal) throw communicationRefusedError(refusal, 'to', this.clock.now());
    return parties;
  }

  /**
   * Returns why the parties may not start a call now, or `undefined` if they may. Locks the rules for share until the
   * current transaction ends: a concurrent change of the rules waits for this transaction, and then ends the call if
   * the new rules forbid the call.
   * @throws ServiceError FAMILY_NOT_READY while the rules of the child are unknown
   */
  async findRefusal({ familyId, cid, userId }: CallParties): Promise<CommunicationRefusal | undefined> {
    this.projections.assertKnown(PROJECTION.CHILD_RULES, familyId);
    const rules = await this.rules.lockForShare(cid);
    if (!rules) return undefined;
    const { version } = await this.families.get(familyId);
    if (areRulesStale(rules, userId, version)) return undefined;
    return checkMember(rules, userId, COMMUNICATION_CHANNEL.VIDEO, this.clock.now());
  }

  /**
   * Returns the principal's role in the call.
   * @throws ServiceError CALL_NOT_FOUND if the principal is not a party of the call, or may no longer take part in the
   * call
   */
  async roleIn(call: VideoCall | null, principal: Principal): Promise<CallRole> {
    const role = call && callRoleOf(call, principal);
    if (!call || !role) throw new ServiceError('CALL_NOT_FOUND');
    const family = await this.families.get(call.familyId);
    if (!mayReceive(principalKey(principal), callDeliverySubject(call), family))
      throw new ServiceError('CALL_NOT_FOUND');
    return role;
  }

  /**
   * Locks the call in the current transaction; returns it with the principal's role, or throws the errors of
   * {@link roleIn}.
   */
  async lock(principal: Principal, callId: string): Promise<{ call: VideoCall; role: CallRole }> {
    const call = isUuid(callId) ? await this.calls.lock(callId) : null;
    const role = await this.roleIn(call, principal);
    return { call: call as VideoCall, role };
  }

  private async findPartiesOfCallFromWatch(did: number, userId: string | undefined): Promise<CallParties> {
    const binding = await this.families.findByWatch(did);
    if (!binding) throw new ServiceError('WATCH_UNBOUND');
    // Watches cannot call each other: another child is reported as unknown, even if it is a friend.
    if (userId === undefined) throw new ServiceError('CHILD_NOT_FOUND');
    const { family, cid } = binding;
    const member = family.members.find((candidate) => candidate.userId === userId);
    if (!member || !memberHasPermission(member, 'CALL', cid)) throw new ServiceError('MEMBER_NOT_FOUND');
    return { familyId: family.familyId, cid, did, userId, direction: CALL_DIRECTION.FROM_WATCH };
  }

  private async findPartiesOfCallToWatch(userId: string, cid: string | undefined): Promise<CallParties> {
    if (cid === undefined) throw new ServiceError('MEMBER_NOT_FOUND');
    const families = await this.families.findByMember(userId);
    const family = families.find(({ children }) => children.some((child) => child.cid === cid));
    const member = family?.members.find((candidate) => candidate.userId === userId);
    if (!family || !member) throw new ServiceError('CHILD_NOT_FOUND');
    if (!memberHasPermission(member, 'CALL', cid)) throw new ServiceError('PERMISSION_MISSING');
    const did = family.children.find((child) => child.cid === cid)?.did ?? null;
    if (did === null) throw new ServiceError('WATCH_NOT_FOUND');
    return { familyId: family.familyId, cid, did, userId, direction: CALL_DIRECTION.TO_WATCH };
  }
}

/** Returns whether both parties may still take part in the call, by this snapshot of their family. */
export function isCallStillAllowed(call: VideoCall, family: FamilySnapshot | undefined): boolean {
  return [callerOf(call), calleeOf(call)].every((party) => mayReceive(party, callDeliverySubject(call), family));
}
