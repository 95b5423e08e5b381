import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { validatePoint } from '@family-watch/domain/locations/contracts/validate-point';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { SOS_STATE } from '@family-watch/domain/sos/contracts/sos';
import type {
  RaisedSosDto,
  RaiseSosDto,
  SosDto,
  SosListQueryDto,
  SosReferenceDto,
} from '@family-watch/domain/sos/dto/sos.dto';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import type { ChildLink } from '../families/child-link.js';
import { ChildWatchLinksService } from '../families/child-watch-links.service.js';
import { FamilyAccessService } from '../families/family-access.service.js';
import { LocationIntakeService } from '../locations/intake/location-intake.service.js';
import { LiveTrackingService } from '../watch-settings/device-settings/live-tracking.service.js';
import { resolveRaisedAt } from './raise-time.js';
import { decodeSosCursor, encodeSosCursor } from './sos-cursor.js';
import { SosEscalationService } from './sos-escalation.service.js';
import { SosStepRepository } from './sos-step.repository.js';
import type { EscalationStep } from './sos-step.repository.js';
import { SosRepository } from './sos.repository.js';
import type { Sos } from './sos.repository.js';

/** As long the watch is followed after a call, unless it is resolved before. Milliseconds. */
const FOLLOW_MS = 12 * 3_600_000;
/** A call that joins another so much later is followed from then on. Milliseconds. */
const FOLLOW_AGAIN_MS = 3_600_000;

/** Calls for help. A child has at most one that is not resolved; calling again joins it. */
@Injectable()
export class SosService {
  private readonly logger = new Logger(SosService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly links: ChildWatchLinksService,
    private readonly intake: LocationIntakeService,
    private readonly modes: LiveTrackingService,
    private readonly escalation: SosEscalationService,
    private readonly calls: SosRepository,
    private readonly steps: SosStepRepository,
  ) {}

  /** The same watch and time again is the same call, whatever became of it. @throws ServiceError WATCH_UNBOUND. */
  async raise(watch: Principal, { time, location }: RaiseSosDto): Promise<RaisedSosDto> {
    const did = Number(watch.id);
    const raised = await this.unitOfWork.run(async () => {
      const child = await this.links.findByWatch(did);
      if (!child) throw new ServiceError('WATCH_UNBOUND');
      const known = time === undefined ? undefined : await this.calls.findByWatchTime(child.familyId, did, time);
      if (known) return { sosId: known.sosId, state: known.state };
      const opened = await this.open(child, did, { time, location });
      if (time !== undefined) await this.calls.recordRaise(did, time, opened.sosId);
      return opened;
    });
    if (location !== undefined) await this.report(did, location);
    return raised;
  }

  /** Has the child called for help, and nobody resolved it? */
  async isActive({ familyId, cid }: Pick<ChildLink, 'familyId' | 'cid'>): Promise<boolean> {
    return (await this.calls.findActive(familyId, cid)) !== undefined;
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING; VALIDATION_FAILED for a cursor that is none. */
  async list(caller: Principal, query: SosListQueryDto): Promise<Page<SosDto>> {
    const { cid, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    const after = cursor === undefined ? undefined : decodeSosCursor(cursor);
    const { familyId } = await this.access.requireForChild(caller, cid, 'SEE_ALERTS');
    const found = await this.calls.findPage(familyId, cid, after, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const steps = await this.steps.findLast(
      familyId,
      page.map(({ sosId }) => sosId),
    );
    return { items: page.map((sos) => toDto(sos, steps)), nextCursor: last ? encodeSosCursor(last) : null };
  }

  /**
   * The first one to acknowledge takes care of it; who comes later reads who that was.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, SOS_NOT_FOUND.
   */
  acknowledge(caller: Principal, request: SosReferenceDto): Promise<SosDto> {
    return this.settle(caller, request, 'ACKNOWLEDGE');
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, SOS_NOT_FOUND. */
  resolve(caller: Principal, request: SosReferenceDto): Promise<SosDto> {
    return this.settle(caller, request, 'RESOLVE');
  }

  private async open(
    { familyId, cid }: ChildLink,
    did: number,
    { time, location }: RaiseSosDto,
  ): Promise<RaisedSosDto> {
    const now = Date.now();
    const raisedAt = resolveRaisedAt(time, now);
    const check = validatePoint(location);
    const place = check.ok ? check.point : null;
    const active = await this.calls.findActive(familyId, cid);
    if (active) {
      await this.join(active, did, raisedAt, place);
      return { sosId: active.sosId, state: active.state };
    }
    const sosId = randomUUID();
    await this.calls.add({ sosId, familyId, cid, did, raisedAt, location: place });
    await this.escalation.start({ familyId, cid, sosId }, now);
    await this.modes.start({ familyId, cid }, now + FOLLOW_MS, `watch:${did}`);
    const payload = { familyId, cid, did, sosId, time: raisedAt };
    await this.outbox.append({ name: 'userctx.sos.raised', key: familyId, payload });
    return { sosId, state: 'RAISED' };
  }

  /** It is a report like any other: stored, judged, and told if it is the newest good one. The call stands without it. */
  private async report(did: number, location: unknown): Promise<void> {
    try {
      await this.intake.process({ did, points: [location], receivedAt: Date.now() });
    } catch (error) {
      this.logger.error({ msg: 'Location of an SOS was not stored', did, errorName: (error as Error).name });
    }
  }

  private async join(active: Sos, did: number, raisedAt: number, place: Location | null): Promise<void> {
    const now = Date.now();
    await this.calls.raiseAgain(active.familyId, active.sosId, raisedAt, place);
    if (active.state === SOS_STATE.ACKNOWLEDGED) await this.escalation.remind(active, now);
    if (raisedAt - active.lastRaisedAt < FOLLOW_AGAIN_MS) return;
    await this.modes.start(active, now + FOLLOW_MS, `watch:${did}`);
  }

  private async settle(
    caller: Principal,
    request: SosReferenceDto,
    signal: 'ACKNOWLEDGE' | 'RESOLVE',
  ): Promise<SosDto> {
    const { sosId } = request;
    return this.unitOfWork.run(async () => {
      const { familyId, cid } = await this.access.requireForChild(caller, request.cid, 'SEE_ALERTS');
      if (!isUuid(sosId)) throw new ServiceError('SOS_NOT_FOUND');
      const [by, time] = [principalKey(caller), Date.now()];
      const moved = await this.calls.transition({ familyId, cid, sosId }, signal, { by, time });
      const sos = await this.calls.find({ familyId, cid, sosId });
      if (!sos) throw new ServiceError('SOS_NOT_FOUND');
      if (moved) await this.told(sos, signal, by, time);
      return toDto(sos, await this.steps.findLast(familyId, [sosId]));
    });
  }

  private async told(sos: Sos, signal: 'ACKNOWLEDGE' | 'RESOLVE', by: PrincipalKey, time: number): Promise<void> {
    const { familyId, cid, did, sosId } = sos;
    const resolved = signal === 'RESOLVE';
    const name = resolved ? 'userctx.sos.resolved' : 'userctx.sos.acknowledged';
    await this.outbox.append({ name, key: familyId, payload: { familyId, cid, did, sosId, time, by } });
    await this.escalation.stop(sos);
    if (resolved) await this.modes.stop(sos, by);
  }
}

function toDto({ familyId, cid, ...seen }: Sos, steps: ReadonlyMap<string, EscalationStep[]>): SosDto {
  return { ...seen, steps: steps.get(seen.sosId) ?? [] };
}
