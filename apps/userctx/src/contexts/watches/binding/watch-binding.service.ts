import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { BindRequestDto } from '@family-watch/domain/watches/dto/binding.dto';
import type { WatchBindingEntity } from '@family-watch/domain/watches/entities/watch-binding.entity';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { MemberContactsService } from '../../contacts/member-contacts.service.js';
import { ChildWatchLinksService } from '../../families/child-watch-links.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { BindCodeService } from './bind-code.service.js';
import type { VerifiedBindCode } from './bind-code.service.js';
import { WatchBindingRepository } from './watch-binding.repository.js';
import type { BindingCollision } from './watch-binding.repository.js';
import { WatchRepository } from '../watch.repository.js';

const REFUSALS = {
  watch_binding_one_child: 'WATCH_ALREADY_BOUND',
  watch_binding_one_watch: 'CHILD_HAS_WATCH',
  watch_binding_one_imei: 'IMEI_TAKEN',
} as const satisfies Record<BindingCollision, string>;

/** Makes a watch act as a child, and ends it. Locks are taken in the order family, watch. */
@Injectable()
export class WatchBindingService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly links: ChildWatchLinksService,
    private readonly contacts: MemberContactsService,
    private readonly codes: BindCodeService,
    private readonly bindings: WatchBindingRepository,
    private readonly watches: WatchRepository,
  ) {}

  /**
   * Who may not bind, and a child that has a watch, are refused before the code is looked at, so that the answer says
   * nothing about codes and costs no try.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, CHILD_HAS_WATCH, BIND_CODE_INVALID, IMEI_TAKEN.
   */
  async bind(caller: Principal, request: BindRequestDto): Promise<number> {
    const { did: present } = await this.access.requireForChild(caller, request.cid, 'BIND_WATCH');
    if (present !== null) throw new ServiceError('CHILD_HAS_WATCH');
    const code = await this.codes.verify(request.bindCode, request.confirmCode);
    await this.unitOfWork.run(() => this.link(caller, request, code));
    return code.did;
  }

  /** To be called after the step-up. @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING. */
  async unbind(caller: Principal, did: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId, cid } = await this.access.requireForWatch(caller, did, 'UNBIND_WATCH');
      await this.release(familyId, cid, did, principalKey(caller));
    });
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING. */
  async assertMayUnbind(caller: Principal, did: number): Promise<void> {
    await this.access.requireForWatch(caller, did, 'UNBIND_WATCH');
  }

  /** Ends whatever binding the watch has, in the caller's unit of work. */
  async releaseWatch(did: number, by: PrincipalKey): Promise<void> {
    const link = await this.links.findByWatch(did);
    if (link) await this.release(link.familyId, link.cid, did, by);
  }

  /** The child is gone and took its link along: only the history is left to be closed. */
  async closeHistory(did: number, cid: string, time: number): Promise<void> {
    const binding = await this.bindings.findActive(did);
    if (binding?.cid === cid && binding.boundAt <= time) await this.bindings.end(binding.bindingId, time);
  }

  private async link(caller: Principal, request: BindRequestDto, code: VerifiedBindCode): Promise<void> {
    const { did } = code;
    const { familyId, cid, did: present } = await this.access.requireForChild(caller, request.cid, 'BIND_WATCH');
    if (present !== null) throw new ServiceError('CHILD_HAS_WATCH');
    const [now, by] = [Date.now(), principalKey(caller)];
    await this.claim({ familyId, cid, did }, code, now);
    await this.links.bind(familyId, cid, did);
    const { appellation, identityType } = request;
    await this.contacts.updateDescription({ familyId, cid, did }, caller.id, { appellation, identityType }, by);
    const payload = { familyId, cid, did, by, time: now };
    await this.outbox.append({ name: 'userctx.watch.bound', key: familyId, payload });
  }

  /** Uses the code up and gives the watch to the child, unless somebody else was faster. */
  private async claim(to: Pick<WatchBindingEntity, 'familyId' | 'cid' | 'did'>, code: VerifiedBindCode, now: number) {
    if (!(await this.watches.recordContact(to.did, now))) throw new ServiceError('BIND_CODE_INVALID');
    await this.codes.consume(code);
    const watch = await this.watches.find(to.did);
    if (!watch) throw new ServiceError('BIND_CODE_INVALID');
    const collision = await this.bindings.findCollision(to.did, to.cid, watch.imei);
    if (collision) throw new ServiceError(REFUSALS[collision]);
    const binding = { ...to, bindingId: randomUUID(), imei: watch.imei, boundAt: now, unboundAt: null };
    // Family and watch are locked: only another watch with the same claim can have come in between.
    if (!(await this.bindings.add(binding))) throw new ServiceError('IMEI_TAKEN');
  }

  private async release(familyId: string, cid: string, did: number, by: PrincipalKey): Promise<void> {
    const now = Date.now();
    const binding = await this.bindings.findActive(did);
    if (binding) await this.bindings.end(binding.bindingId, now);
    // First what happened, then the family without the watch: those who are told must still know it.
    const payload = { familyId, cid, did, by, time: now };
    await this.outbox.append({ name: 'userctx.watch.unbound', key: familyId, payload });
    await this.links.unbind(familyId, cid);
  }
}
