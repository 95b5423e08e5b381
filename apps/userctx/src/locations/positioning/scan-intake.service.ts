import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { NetworkKind } from '@family-watch/domain/locations/contracts/radio-network';
import { SCAN_REJECTION_REASON, type ScanRejectionReason } from '@family-watch/domain/locations/contracts/scan';
import type { ScanDto, ScanResultDto } from '@family-watch/domain/locations/dto/positioning.dto';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { ConsentsService } from '../../accounts/consents/consents.service.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { NetworkKeys } from './network-keys.js';
import { addSightings, toSighting, utcDayOf, type Sighting } from './network-state.js';
import { toObservedNetworks, filterOptedOut, type ObservedNetwork } from './observed-networks.js';
import { RadioNetworkRepository } from './radio-network.repository.js';
import { validateScan } from './validate-scan.js';

/** Tolerated lead of the watch's clock over the server's. Milliseconds. */
const CLOCK_TOLERANCE_MS = 120_000;
/** Maximum age of a scan. Milliseconds. */
const MAX_SCAN_AGE_MS = 7 * 86_400_000;

const RETENTION_INTERVAL_MS = 3_600_000;
/** Days without a sighting after which a confirmed network is deleted. */
const CONFIRMED_RETENTION_DAYS = 365;
/** Days without a sighting after which an unconfirmed network is deleted. */
const UNCONFIRMED_RETENTION_DAYS = 30;
/** Maximum number of rows that one statement deletes. Limits how long rows are locked. */
const RETENTION_BATCH_SIZE = 5_000;

type ValidatedScan = { scan: ScanDto; networks: ObservedNetwork[] } | { reason: ScanRejectionReason };

/** The sightings of one network in one scan report. */
interface NetworkObservation {
  key: string;
  kind: NetworkKind;
  observerTag: number;
  sightings: Sighting[];
}

/** Estimates the locations of access points and cells from the scans of watches whose families consented. */
@Injectable()
export class ScanIntakeService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly consents: ConsentsService,
    private readonly roster: FamilyRosterService,
    private readonly keys: NetworkKeys,
    private readonly networks: RadioNetworkRepository,
  ) {}

  /**
   * Processes a scan report. Without the consent of the family's owner, nothing of the report is stored.
   * @returns one result per scan, in the order of the report
   * @throws ServiceError WATCH_UNBOUND
   */
  async process(watch: Principal, scans: readonly unknown[], now = Date.now()): Promise<ScanResultDto[]> {
    if (!(await this.consents.isGranted(watch, 'POSITIONING'))) return rejectWithoutConsent(scans);
    const link = await this.roster.findChildOfWatch(Number(watch.id));
    if (!link) throw new ServiceError('WATCH_UNBOUND');
    const validated = scans.map((scan) => validateRecentScan(scan, now));
    const observations = await this.collectObservations(link.familyId, validated, now);
    const optedOut = validated.flatMap((one) => ('scan' in one ? filterOptedOut(one.scan) : []));
    const optedOutKeys = optedOut.map((network) => this.keys.keyOf(network));
    // A separate transaction: within one transaction, the networks would not be locked in the order of their keys.
    if (optedOutKeys.length > 0) await this.networks.delete(optedOutKeys);
    return this.unitOfWork.run(async () => {
      // The consent is checked again with a lock, so that nothing is stored after a withdrawal was acknowledged.
      if (!(await this.consents.isGranted(watch, 'POSITIONING'))) return rejectWithoutConsent(scans);
      await this.updateNetworks(observations, now);
      return validated.map((one, index) => toResult(one, index));
    });
  }

  /** Deletes networks that were not observed for a long time, and salts of past days. */
  @OnJob('userctx.positioning.delete-old-networks', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteUnobserved(now: number): Promise<void> {
    const today = utcDayOf(now);
    await this.networks.deleteSaltsBefore(today);
    const days = { confirmed: today - CONFIRMED_RETENTION_DAYS, unconfirmed: today - UNCONFIRMED_RETENTION_DAYS };
    while ((await this.networks.deleteUnobserved(days, RETENTION_BATCH_SIZE)) === RETENTION_BATCH_SIZE);
  }

  private async updateNetworks(observations: ReadonlyMap<string, NetworkObservation>, now: number): Promise<void> {
    if (observations.size === 0) return;
    const locked = await this.networks.lock([...observations.values()], utcDayOf(now));
    const updated = locked.map((network) => {
      const { sightings = [], observerTag = 0 } = observations.get(network.key) ?? {};
      return { ...addSightings(network, sightings, { observerTag, now }), key: network.key };
    });
    await this.networks.save(updated);
  }

  /** Returns the sightings of each network in time order, by network key. */
  private async collectObservations(
    familyId: string,
    validated: readonly ValidatedScan[],
    now: number,
  ): Promise<Map<string, NetworkObservation>> {
    const salt = await this.networks.findOrCreateSalt(utcDayOf(now));
    const observations = new Map<string, NetworkObservation>();
    const valid = validated.flatMap((one) => ('scan' in one ? [one] : []));
    for (const { scan, networks } of valid.toSorted((a, b) => a.scan.positionTime - b.scan.positionTime)) {
      const point = { latitude: Number(scan.latitude), longitude: Number(scan.longitude) };
      for (const { kind, name, signalStrength } of networks) {
        const key = this.keys.keyOf({ kind, name });
        const observation = observations.get(key) ?? {
          key,
          kind,
          observerTag: this.keys.observerTag(salt, familyId, key),
          sightings: [],
        };
        observation.sightings.push(toSighting(point, { kind, signalStrength, radius: scan.radius }));
        observations.set(key, observation);
      }
    }
    return observations;
  }
}

function validateRecentScan(value: unknown, now: number): ValidatedScan {
  const validation = validateScan(value);
  if (!validation.isValid) return { reason: validation.reason };
  const { scan } = validation;
  if (scan.positionTime > now + CLOCK_TOLERANCE_MS || scan.positionTime < now - MAX_SCAN_AGE_MS) {
    return { reason: SCAN_REJECTION_REASON.NOT_RECENT };
  }
  return { scan, networks: toObservedNetworks(scan) };
}

function toResult(validated: ValidatedScan, index: number): ScanResultDto {
  if ('reason' in validated) return { index, accepted: false, reason: validated.reason };
  const accepted = validated.networks.length > 0;
  return { index, accepted, reason: accepted ? null : SCAN_REJECTION_REASON.NOTHING_TO_LEARN };
}

function rejectWithoutConsent(scans: readonly unknown[]): ScanResultDto[] {
  return scans.map((_, index) => ({ index, accepted: false, reason: SCAN_REJECTION_REASON.CONSENT_MISSING }));
}
