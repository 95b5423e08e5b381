import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validateScan, SCAN_REJECTION_REASON } from '@family-watch/domain/positioning/contracts/validate-scan';
import type { Scan, ScanRejectionReason } from '@family-watch/domain/positioning/contracts/validate-scan';
import { toObservedNetworks, filterOptedOut } from '@family-watch/domain/positioning/contracts/radio-network';
import type { ObservedNetwork, NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import type { ScanResultDto } from '@family-watch/domain/positioning/dto/scan-report.dto';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { ConsentsService } from '../consents/consents.service.js';
import { utcDayOf } from './utc-day.js';
import { NetworkKeys } from './network-keys.js';
import { learnNetwork } from './network-learning.js';
import type { Sighting } from './network-learning.js';
import { RadioNetworkRepository } from './radio-network.repository.js';
import { toSighting } from './sighting.js';
import { DailySaltRepository } from './daily-salt.repository.js';

/** Ahead of our clock, and behind it. Milliseconds. */
const CLOCK_TOLERANCE = 120_000;
const RECENT = 7 * 86_400_000;

type Judged = { scan: Scan; networks: ObservedNetwork[] } | { reason: ScanRejectionReason };

/** What one report says of one network. */
interface HeardAgain {
  key: string;
  kind: NetworkKind;
  witness: number;
  sightings: Sighting[];
}

/** Learns where access points and cells are from what consenting families' watches hear. */
@Injectable()
export class ScanIntakeService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly consents: ConsentsService,
    private readonly keys: NetworkKeys,
    private readonly salts: DailySaltRepository,
    private readonly networks: RadioNetworkRepository,
  ) {}

  /**
   * One verdict per scan, in the order of the report. Without consent nothing of it is kept.
   * @throws ServiceError WATCH_UNBOUND
   */
  async process(watch: Principal, scans: readonly unknown[], now = Date.now()): Promise<ScanResultDto[]> {
    if (!(await this.consents.isGranted(watch, 'POSITIONING'))) return withoutConsent(scans);
    const judged = scans.map((scan) => judge(scan, now));
    const heard = await this.heardBy(Number(watch.id), judged, now);
    const unwanted = judged.flatMap((one) => ('scan' in one ? filterOptedOut(one.scan) : []));
    const forgotten = unwanted.map((network) => this.keys.keyOf(network));
    return this.unitOfWork.run(async () => {
      // Asked again: here a withdrawal waits, so that nothing is stored after it was answered.
      if (!(await this.consents.isGranted(watch, 'POSITIONING'))) return withoutConsent(scans);
      if (forgotten.length > 0) await this.networks.delete(forgotten);
      await this.learn(heard, now);
      return judged.map((one, index) => verdictOn(one, index));
    });
  }

  private async learn(heard: ReadonlyMap<string, HeardAgain>, now: number): Promise<void> {
    if (heard.size === 0) return;
    const day = utcDayOf(now);
    const known = await this.networks.lock([...heard.values()], day);
    const learned = known.map((network) => {
      const { sightings = [], witness = 0 } = heard.get(network.key) ?? {};
      return { ...learnNetwork(network, sightings, { witness, now }), key: network.key };
    });
    await this.networks.save(learned, day);
  }

  /** Sightings of each network in the order of their times, by its key. */
  private async heardBy(did: number, judged: readonly Judged[], now: number): Promise<Map<string, HeardAgain>> {
    const salt = await this.salts.findOrCreate(utcDayOf(now));
    const heard = new Map<string, HeardAgain>();
    const good = judged.flatMap((one) => ('scan' in one ? [one] : []));
    for (const { scan, networks } of good.toSorted((a, b) => a.scan.positionTime - b.scan.positionTime)) {
      const place = { latitude: Number(scan.latitude), longitude: Number(scan.longitude) };
      for (const { kind, name, signalStrength } of networks) {
        const key = this.keys.keyOf({ kind, name });
        const again = heard.get(key) ?? { key, kind, witness: this.keys.observerTag(salt, did, key), sightings: [] };
        again.sightings.push(toSighting(place, { kind, signalStrength, radius: scan.radius }));
        heard.set(key, again);
      }
    }
    return heard;
  }
}

function judge(value: unknown, now: number): Judged {
  const check = validateScan(value);
  if (!check.ok) return { reason: check.reason };
  const { scan } = check;
  if (scan.positionTime > now + CLOCK_TOLERANCE || scan.positionTime < now - RECENT) {
    return { reason: SCAN_REJECTION_REASON.NOT_RECENT };
  }
  return { scan, networks: toObservedNetworks(scan) };
}

function verdictOn(judged: Judged, index: number): ScanResultDto {
  if ('reason' in judged) return { index, accepted: false, reason: judged.reason };
  const accepted = judged.networks.length > 0;
  return { index, accepted, reason: accepted ? null : SCAN_REJECTION_REASON.NOTHING_TO_LEARN };
}

function withoutConsent(scans: readonly unknown[]): ScanResultDto[] {
  return scans.map((_, index) => ({ index, accepted: false, reason: SCAN_REJECTION_REASON.CONSENT_MISSING }));
}
