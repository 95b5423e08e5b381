import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { isCredible } from '@family-watch/domain/locations/contracts/location';
import { validatePoint } from '@family-watch/domain/locations/contracts/validate-point';
import { SOS_STATE } from '@family-watch/domain/sos/contracts/sos';
import type {
  RaisedSosDto,
  RaiseSosDto,
  SosDto,
  SosListQueryDto,
  SosReferenceDto,
} from '@family-watch/domain/sos/dto/sos.dto';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxChildReads, UserctxOutbox, UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from '../families/family-access.service.js';
import { FamilyRosterService, type ChildKey, type ChildLink } from '../families/family-roster.service.js';
import { LocationIntakeService } from '../locations/location-intake.service.js';
import { LocationService } from '../locations/location.service.js';
import { assessFlags } from '../locations/point-assessment.js';
import { ActiveSos } from '../watches/active-sos.js';
import { DeviceSettingsService } from '../watches/settings/device-settings.service.js';
import { SosEscalationService } from './sos-escalation.service.js';
import { plausibleTime } from './sos-state.js';
import { SosRepository, type Sos, type SosLocation, type EscalationStep } from './sos.repository.js';

/** Milliseconds. Duration of live tracking after the child raises an SOS, unless the SOS is resolved earlier. */
const LIVE_TRACKING_MS = 12 * 3_600_000;
/**
 * Milliseconds. Live tracking is extended when the child raises an unresolved SOS again at least this long after the
 * last press, whether that one extended it or not.
 */
const LIVE_TRACKING_RENEWAL_MS = 3_600_000;

/**
 * Milliseconds. Maximum age of a last location that is attached to an SOS. Members without the permission LOCATION see
 * the location of an SOS, so it contains only what helps to find the child.
 */
const MAX_LAST_LOCATION_AGE_MS = 24 * 3_600_000;

const RETENTION_INTERVAL_MS = 3_600_000;
/** Time after which a resolved SOS is deleted: a year. Milliseconds. */
const RETENTION_MS = 365 * 24 * 3_600_000;

/** Manages SOS calls. A child has at most one unresolved SOS. A further call updates the unresolved SOS. */
@Injectable()
export class SosService implements OnModuleInit {
  private readonly logger = new Logger(SosService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly intake: LocationIntakeService,
    private readonly locations: LocationService,
    private readonly deviceSettings: DeviceSettingsService,
    private readonly escalation: SosEscalationService,
    private readonly repository: SosRepository,
    private readonly childReads: UserctxChildReads,
    private readonly activeSos: ActiveSos,
  ) {}

  onModuleInit(): void {
    this.activeSos.connect((child) => this.isActive(child));
  }

  /**
   * Raises an SOS. A repeated call of the same watch with the same plausible time returns the same SOS in its current
   * state. A call without a plausible time is a new press, because a call for help must not be lost.
   * @throws ServiceError WATCH_UNBOUND
   */
  async raise(watch: Principal, { time: reportedAt, location }: RaiseSosDto): Promise<RaisedSosDto> {
    const did = Number(watch.id);
    const time = plausibleTime(reportedAt, Date.now());
    const raised = await this.unitOfWork.run(async () => {
      const child = await this.roster.findChildOfWatch(did);
      if (!child) throw new ServiceError('WATCH_UNBOUND');
      const existing = time === null ? null : await this.repository.findByWatchTime(child, did, time);
      if (existing) return { sosId: existing.sosId, state: existing.state };
      const result = await this.createOrUpdate(child, did, time, location);
      if (time !== null) await this.repository.recordRaise(did, time, result.sosId);
      return result;
    });
    if (location !== undefined) await this.reportLocation(did, location);
    return raised;
  }

  /** Returns whether the child has an unresolved SOS. */
  async isActive({ familyId, cid }: Pick<ChildLink, 'familyId' | 'cid'>): Promise<boolean> {
    return (await this.repository.findActive(familyId, cid)) !== null;
  }

  /**
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor
   */
  async list(caller: Principal, query: SosListQueryDto): Promise<Page<SosDto>> {
    const requestedPage = decodeTimePage(query);
    const { familyId, cid } = await this.access.requireForChild(caller, query.cid, 'SEE_ALERTS');
    const page = await this.repository.findPage(familyId, cid, requestedPage);
    if (page.items.length > 0) this.childReads.recordCaller(caller, cid, 'SOS');
    const steps = await this.repository.findLastSteps(
      familyId,
      page.items.map(({ sosId }) => sosId),
    );
    return { ...page, items: page.items.map((sos) => toDto(sos, steps)) };
  }

  /**
   * Acknowledges the SOS. Only the first acknowledgement counts; later callers receive the SOS with the member who
   * acknowledged it first.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, SOS_NOT_FOUND
   */
  acknowledge(caller: Principal, request: SosReferenceDto): Promise<SosDto> {
    return this.applyTransition(caller, request, 'ACKNOWLEDGE');
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, SOS_NOT_FOUND */
  resolve(caller: Principal, request: SosReferenceDto): Promise<SosDto> {
    return this.applyTransition(caller, request, 'RESOLVE');
  }

  /** Deletes resolved SOS calls older than a year. */
  @OnJob('userctx.sos.delete-old', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.repository.deleteResolved(now - RETENTION_MS);
  }

  /**
   * Creates an SOS, or updates the child's unresolved SOS.
   * @param time when the child raised the SOS, by the watch's clock; null for the time of receipt
   */
  private async createOrUpdate(
    { familyId, cid }: ChildLink,
    did: number,
    time: number | null,
    reportedLocation: unknown,
  ): Promise<RaisedSosDto> {
    const now = Date.now();
    const raisedAt = Math.min(time ?? now, now);
    const location = await this.locate({ familyId, cid }, reportedLocation, now);
    const active = await this.repository.findActive(familyId, cid);
    if (active) {
      await this.raiseActiveAgain(active, did, raisedAt, location);
      return { sosId: active.sosId, state: active.state };
    }
    const sosId = randomUUID();
    await this.repository.add({ sosId, familyId, cid, did, raisedAt, ...location });
    await this.escalation.start({ familyId, cid, sosId }, now);
    await this.deviceSettings.startLiveTracking({ familyId, cid }, now + LIVE_TRACKING_MS, `watch:${did}`);
    await this.outbox.appendForFamily('userctx.sos.raised', { familyId, cid, did, sosId, time: raisedAt });
    return { sosId, state: 'RAISED' };
  }

  /**
   * Returns the location that the watch sent if it is credible, or else the child's last location of the last
   * {@link MAX_LAST_LOCATION_AGE_MS}. Without such a last location, a location that is not credible is better than none.
   * A time in the future counts as the time of receipt: a wrong clock must not hide where the child is.
   */
  private async locate(child: ChildKey, reported: unknown, receivedAt: number): Promise<SosLocation> {
    const validation = validatePoint(reported);
    const last = await this.locations.findLastOf(child, receivedAt - MAX_LAST_LOCATION_AGE_MS);
    if (!validation.isValid) return { location: last, isLastLocation: last !== null };
    const location = { ...validation.point, positionTime: Math.min(validation.point.positionTime, receivedAt) };
    if (last && !isCredible(assessFlags(location, last, receivedAt))) return { location: last, isLastLocation: true };
    return { location, isLastLocation: false };
  }

  /**
   * Processes the location of the SOS like any other location report. If the report fails, the SOS is unaffected.
   */
  private async reportLocation(did: number, location: unknown): Promise<void> {
    try {
      await this.intake.process({ did, points: [location], receivedAt: Date.now() });
    } catch (error) {
      this.logger.error({ msg: 'Location of an SOS was not stored', did, errorName: (error as Error).name });
    }
  }

  private async raiseActiveAgain(active: Sos, did: number, raisedAt: number, location: SosLocation): Promise<void> {
    const now = Date.now();
    await this.repository.raiseAgain(active.familyId, active.sosId, raisedAt, newerLocation(active, location));
    if (active.state === SOS_STATE.ACKNOWLEDGED) await this.escalation.notifyAppsAgain(active, now);
    if (raisedAt - active.lastRaisedAt < LIVE_TRACKING_RENEWAL_MS) return;
    await this.deviceSettings.startLiveTracking(active, now + LIVE_TRACKING_MS, `watch:${did}`);
  }

  private async applyTransition(
    caller: Principal,
    request: SosReferenceDto,
    transition: 'ACKNOWLEDGE' | 'RESOLVE',
  ): Promise<SosDto> {
    const { sosId } = request;
    const sos = await this.unitOfWork.run(async () => {
      const { familyId, cid } = await this.access.requireForChild(caller, request.cid, 'SEE_ALERTS');
      if (!isUuid(sosId)) throw new ServiceError('SOS_NOT_FOUND');
      const [by, time] = [principalKey(caller), Date.now()];
      const hasChanged = await this.repository.transition({ familyId, cid, sosId }, transition, { by, time });
      const found = await this.repository.find({ familyId, cid, sosId });
      if (!found) throw new ServiceError('SOS_NOT_FOUND');
      if (hasChanged) await this.endEscalation(found, transition, by, time);
      return found;
    });
    // The response contains the location of the call.
    this.childReads.recordCaller(caller, sos.cid, 'SOS');
    return toDto(sos, await this.repository.findLastSteps(sos.familyId, [sosId]));
  }

  /** Publishes the transition, cancels unsent SMS and, if the SOS is resolved, stops live tracking. */
  private async endEscalation(
    sos: Sos,
    transition: 'ACKNOWLEDGE' | 'RESOLVE',
    by: PrincipalKey,
    time: number,
  ): Promise<void> {
    const { familyId, cid, did, sosId } = sos;
    const resolved = transition === 'RESOLVE';
    const name = resolved ? 'userctx.sos.resolved' : 'userctx.sos.acknowledged';
    await this.outbox.appendForFamily(name, { familyId, cid, did, sosId, time, by });
    await this.escalation.cancelPendingSms(sos);
    if (resolved) await this.deviceSettings.stopLiveTracking(sos, by);
  }
}

/** A location that the watch sent replaces the stored one; the last location does so only if it is newer. */
function newerLocation(stored: SosLocation, current: SosLocation): SosLocation | null {
  if (!current.location) return null;
  const isNewer = current.location.positionTime > (stored.location?.positionTime ?? 0);
  return isNewer || !current.isLastLocation ? current : null;
}

function toDto({ familyId, cid, ...fields }: Sos, steps: ReadonlyMap<string, EscalationStep[]>): SosDto {
  return { ...fields, steps: steps.get(fields.sosId) ?? [] };
}
