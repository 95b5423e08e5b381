import { Injectable } from '@nestjs/common';
import {
  compareFirmwareVersions,
  FIRMWARE_TICKET,
  UPDATE_CONDITION,
  type UpdateCondition,
} from '@family-watch/domain/watches/contracts/firmware';
import type {
  FirmwareCheckDto,
  FirmwareCheckRequestDto,
  FirmwareReportDto,
} from '@family-watch/domain/watches/dto/firmware.dto';
import type { FirmwareDeploymentEntity } from '@family-watch/domain/watches/entities/firmware.entities';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { schoolHoursAt } from '@family-watch/domain/watches/schedule/school-hours';
import { ChildrenService } from '../../families/children/children.service.js';
import { ActiveSos } from '../active-sos.js';
import { SchoolTimesService } from '../settings/school-times.service.js';
import { WatchBindingRepository } from '../binding/watch-binding.repository.js';
import { WatchRepository } from '../watch.repository.js';
import { FirmwareImagesService } from './firmware-images.service.js';
import { FirmwareRepository } from './firmware.repository.js';
import {
  findCandidates,
  isActive,
  OPEN_STATES,
  type FirmwareOfWatch,
  type UpdateCandidate,
} from './rollout-decisions.js';
import { RolloutRepository } from './rollout.repository.js';
import { RolloutsService } from './rollouts.service.js';

/**
 * Seconds until a watch checks again: without a newer image; while it waits for its wave or the end of a pause; while a
 * condition is missing.
 */
const DAILY_S = 86_400;
const WAITING_FOR_ROLLOUT_S = 4 * 3_600;
const WAITING_FOR_CONDITION_S = 1_800;
/** Seconds after which a watch that has got an image checks again, in case it could not begin or finish the download. */
const UPDATING_S = 3_600;
/** Longest random delay after the end of school time, in seconds. */
const MAX_DELAY_AFTER_SCHOOL_S = 900;

/** A candidate whose deployment exists. */
interface Update extends UpdateCandidate {
  deployment: FirmwareDeploymentEntity;
}

/** A condition that is not fulfilled, and after how many seconds it is worthwhile to check again. */
interface MissingCondition {
  condition: UpdateCondition;
  retryAfter: number;
}

/** Tells watches which image to install, and receives their reports. */
@Injectable()
export class WatchUpdatesService {
  constructor(
    private readonly watches: WatchRepository,
    private readonly bindings: WatchBindingRepository,
    private readonly children: ChildrenService,
    private readonly schoolTimes: SchoolTimesService,
    private readonly sos: ActiveSos,
    private readonly images: FirmwareImagesService,
    private readonly firmware: FirmwareRepository,
    private readonly rollouts: RolloutRepository,
    private readonly rolloutsService: RolloutsService,
  ) {}

  /**
   * Returns the newest image that model, groups, waves and earlier failures of the watch allow, if the watch fulfils the
   * conditions now. The version that the watch sends is evidence of an update whose report was lost.
   * @param origin origin by which the watch reaches the service
   * @throws ServiceError WATCH_NOT_FOUND for a watch that was deleted meanwhile
   */
  async check(did: number, request: FirmwareCheckRequestDto, origin: string): Promise<FirmwareCheckDto> {
    const now = Date.now();
    const known = await this.findFirmware(did, request.firmwareVersion);
    await this.recordInstalled(did, known, now);
    const updates = await this.ensureDeployments(did, findCandidates(known), now);
    const update = updates.find(({ rollout, deployment }) => isActive(rollout, deployment.wave));
    if (!update) return noUpdate(updates.length > 0 ? WAITING_FOR_ROLLOUT_S : DAILY_S);
    const missing = await this.findMissingConditions(did, update, request, now);
    if (missing.length > 0) {
      const missingConditions = missing.map(({ condition }) => condition);
      return { update: null, missingConditions, retryAfter: Math.max(...missing.map((each) => each.retryAfter)) };
    }
    return this.offer(did, update, origin, now);
  }

  /** @throws ServiceError DEPLOYMENT_NOT_FOUND */
  report(did: number, { deploymentId, ...report }: FirmwareReportDto): Promise<void> {
    return this.rolloutsService.applyReport(did, deploymentId, report);
  }

  private async findFirmware(did: number, version: string): Promise<FirmwareOfWatch> {
    const watch = await this.watches.find(did);
    if (!watch) throw new ServiceError('WATCH_NOT_FOUND');
    const images = await this.images.findAvailable(watch.model);
    if (images.length === 0) return { version, groupIds: new Set(), images, rollouts: [], deployments: [] };
    const rollouts = await this.rollouts.findByImages(images.map(({ imageId }) => imageId));
    const rolloutIds = rollouts.map(({ rolloutId }) => rolloutId);
    const deployments = await this.rollouts.findDeployments(did, rolloutIds);
    const groupIds = await this.firmware.findGroupIds(
      did,
      rollouts.flatMap(({ groupId }) => groupId ?? []),
    );
    return { version, groupIds, images, rollouts, deployments };
  }

  /** Ends the updates to the version of the watch and to older versions. */
  private async recordInstalled(
    did: number,
    { version, images, rollouts, deployments }: FirmwareOfWatch,
    now: number,
  ): Promise<void> {
    const installed = new Set(
      images.filter((image) => compareFirmwareVersions(image.version, version) <= 0).map(({ imageId }) => imageId),
    );
    const imageIds = new Map(rollouts.map(({ rolloutId, imageId }) => [rolloutId, imageId]));
    const ended = deployments.filter(
      ({ rolloutId, state }) => OPEN_STATES.includes(state) && installed.has(imageIds.get(rolloutId) ?? ''),
    );
    if (ended.length > 0) await this.rolloutsService.recordInstalled(did, ended, now);
  }

  /** Adds the deployments of a watch that has joined the rollouts after their start. */
  private async ensureDeployments(did: number, candidates: UpdateCandidate[], now: number): Promise<Update[]> {
    const missing = candidates.flatMap(({ rollout, deployment }) => (deployment ? [] : [rollout]));
    const found = missing.length === 0 ? [] : await this.rolloutsService.addWatch(did, missing, now);
    const added = new Map(found.map((deployment) => [deployment.rolloutId, deployment]));
    return candidates.flatMap((candidate) => {
      const deployment = candidate.deployment ?? added.get(candidate.rollout.rolloutId);
      return deployment ? [{ ...candidate, deployment }] : [];
    });
  }

  private async findMissingConditions(
    did: number,
    { rollout }: Update,
    { battery, charging }: FirmwareCheckRequestDto,
    now: number,
  ): Promise<MissingCondition[]> {
    const missing: MissingCondition[] = [];
    const add = (condition: UpdateCondition, retryAfter = withJitter(WAITING_FOR_CONDITION_S)) =>
      missing.push({ condition, retryAfter });
    if (battery < rollout.minBattery) add(UPDATE_CONDITION.BATTERY);
    if (rollout.requiresCharging && !charging) add(UPDATE_CONDITION.CHARGING);
    const binding = await this.bindings.findActive(did);
    if (!binding) return missing;
    if (await this.sos.isActive(binding)) add(UPDATE_CONDITION.SOS);
    const schoolEnd = rollout.avoidsSchoolTime ? await this.findSchoolEnd(binding, now) : undefined;
    if (schoolEnd !== undefined) {
      const seconds = Math.ceil((schoolEnd - now) / 1_000);
      add(UPDATE_CONDITION.SCHOOL_TIME, seconds + Math.ceil(Math.random() * MAX_DELAY_AFTER_SCHOOL_S));
    }
    return missing;
  }

  /** Returns when the present school time ends, Unix milliseconds; undefined outside of school time. */
  private async findSchoolEnd(
    { familyId, cid }: { familyId: string; cid: string },
    now: number,
  ): Promise<number | undefined> {
    const timeZone = await this.children.findTimeZone(familyId, cid);
    if (timeZone === null) return undefined;
    const schedule = await this.schoolTimes.findSchedule(familyId, cid);
    const { range, until } = schoolHoursAt(schedule.schoolTimes, schedule, timeZone, now);
    return range && until;
  }

  private async offer(
    did: number,
    { image, deployment }: Update,
    origin: string,
    now: number,
  ): Promise<FirmwareCheckDto> {
    const { deploymentId, failures } = deployment;
    await this.rollouts.resetOthers(did, deploymentId, now);
    const { version, size, digest, signature, keyId } = image;
    const update = {
      deploymentId,
      attempt: failures + 1,
      version,
      size,
      digest,
      signature: signature.toString('base64url'),
      keyId,
      downloadUrl: await this.images.createUrl(image, 'download', { origin, sub: `watch:${did}` }),
      expiresIn: FIRMWARE_TICKET.lifetime,
    };
    return { update, missingConditions: [], retryAfter: withJitter(UPDATING_S) };
  }
}

function noUpdate(seconds: number): FirmwareCheckDto {
  return { update: null, missingConditions: [], retryAfter: withJitter(seconds) };
}

/** Returns a time that differs by up to a fifth at random, so that watches do not check at the same time. */
function withJitter(seconds: number): number {
  return Math.round(seconds * (0.8 + 0.4 * Math.random()));
}
