import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { POINT_TYPE, type PointType } from '@family-watch/domain/locations/contracts/location';
import { NETWORK_KIND, type NetworkKind } from '@family-watch/domain/locations/contracts/radio-network';
import { ConsentsService } from '../../accounts/consents/consents.service.js';
import { GeolocationProvider, type LocatedCircle } from './geolocation-provider.js';
import { estimateLocation, type LocatingNetwork } from './location-estimate.js';
import { NetworkKeys } from './network-keys.js';
import { toObservedNetworks, type ObservedNetwork, type RadioEnvironment } from './observed-networks.js';
import { RadioNetworkRepository } from './radio-network.repository.js';

/** The radio environment to locate, and the fallbacks that are allowed. */
export interface LocateRequest extends RadioEnvironment {
  /** The caller's IP address. */
  ipAddress: string;
  considerIp?: boolean | null;
  fallbacks?: { lacf?: boolean | null; ipf?: boolean | null } | null;
}

const POINT_TYPES: Readonly<Record<NetworkKind, PointType>> = {
  [NETWORK_KIND.WIFI]: POINT_TYPE.WIFI,
  [NETWORK_KIND.CELL]: POINT_TYPE.CELL,
  [NETWORK_KIND.AREA]: POINT_TYPE.CELL,
};

/** Only the networks of a kind with the strongest signals are used. Weaker networks are further away. */
const MAX_NETWORKS_PER_KIND = 30;

/** Locates a device by the networks it observes. */
@Injectable()
export class LocatorService {
  constructor(
    private readonly consents: ConsentsService,
    private readonly keys: NetworkKeys,
    private readonly networks: RadioNetworkRepository,
    private readonly provider: GeolocationProvider,
  ) {}

  /**
   * Locates the device by access points that two families, or one family on two days, have reported. If the access
   * points are not sufficient, returns the smaller of two circles: the circle of the external provider, if the caller's
   * family consented, and the circle of confirmed cells and areas.
   *
   * @throws ServiceError POSITION_NOT_FOUND, WATCH_UNBOUND
   */
  async locate(caller: Principal, request: LocateRequest): Promise<LocatedCircle> {
    const hasConsent = await this.consents.isGranted(caller, 'POSITIONING');
    const allowsCellAreas = request.fallbacks?.lacf ?? true;
    const local = await this.locateLocally(request, allowsCellAreas);
    if (local?.pointType === POINT_TYPE.WIFI) return local;
    const external =
      hasConsent && this.provider.isConfigured ? await this.queryProvider(request, allowsCellAreas) : null;
    const found = smallerCircle(local, external);
    if (!found) throw new ServiceError('POSITION_NOT_FOUND');
    return found;
  }

  private async locateLocally(environment: RadioEnvironment, allowsCellAreas: boolean): Promise<LocatedCircle | null> {
    const observed = strongestNetworks(toObservedNetworks(environment)).filter(
      ({ kind }) => allowsCellAreas || kind !== NETWORK_KIND.AREA,
    );
    const byKey = new Map(observed.map((network) => [this.keys.keyOf(network), network]));
    if (byKey.size === 0) return null;
    const confirmed = await this.networks.findConfirmed([...byKey.keys()]);
    const recognized = [...byKey].flatMap(([key, { kind, signalStrength }]): LocatingNetwork[] => {
      const distribution = confirmed.get(key);
      return distribution ? [{ ...distribution, kind, signalStrength }] : [];
    });
    const circle = estimateLocation(recognized);
    if (!circle) return null;
    const { kind, latitude, longitude, radius } = circle;
    const fallback = kind === NETWORK_KIND.AREA ? { fallback: 'lacf' as const } : {};
    return { latitude, longitude, radius, pointType: POINT_TYPES[kind], ...fallback };
  }

  private queryProvider(request: LocateRequest, allowsCellAreas: boolean): Promise<LocatedCircle | null> {
    const { wifiAccessPoints, cellTowers, considerIp, fallbacks } = request;
    const ipAddress = (fallbacks?.ipf ?? considerIp ?? true) ? request.ipAddress : null;
    return this.provider.locate({ wifiAccessPoints, cellTowers, ipAddress, allowsCellAreas });
  }
}

function strongestNetworks(observed: readonly ObservedNetwork[]): ObservedNetwork[] {
  const ordered = observed.toSorted((a, b) => (b.signalStrength ?? -Infinity) - (a.signalStrength ?? -Infinity));
  return Object.values(NETWORK_KIND).flatMap((kind) =>
    ordered.filter((network) => network.kind === kind).slice(0, MAX_NETWORKS_PER_KIND),
  );
}

function smallerCircle(one: LocatedCircle | null, other: LocatedCircle | null): LocatedCircle | null {
  if (!one || !other) return one ?? other;
  return other.radius < one.radius ? other : one;
}
