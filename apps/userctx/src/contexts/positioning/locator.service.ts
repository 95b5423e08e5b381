import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { POINT_TYPE } from '@family-watch/domain/locations/contracts/location';
import type { PointType } from '@family-watch/domain/locations/contracts/location';
import { NETWORK_KIND, toObservedNetworks } from '@family-watch/domain/positioning/contracts/radio-network';
import type { ObservedNetwork, NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import type { RadioEnvironment } from '@family-watch/domain/positioning/contracts/radio-environment';
import { ConsentsService } from '../consents/consents.service.js';
import type { LocatedCircle } from './located-circle.js';
import { NetworkKeys } from './network-keys.js';
import { estimateLocation } from './location-estimate.js';
import type { LocatingNetwork } from './location-estimate.js';
import { GeolocationProvider } from './geolocation-provider.js';
import { RadioNetworkRepository } from './radio-network.repository.js';

/** What surroundings are to be located, and by what besides. */
export interface LocateRequest extends RadioEnvironment {
  /** The caller's network address. */
  address: string;
  considerIp?: boolean | null;
  fallbacks?: { lacf?: boolean | null; ipf?: boolean | null } | null;
}

const POINT_TYPES: Readonly<Record<NetworkKind, PointType>> = {
  [NETWORK_KIND.WIFI]: POINT_TYPE.WIFI,
  [NETWORK_KIND.CELL]: POINT_TYPE.CELL,
  [NETWORK_KIND.AREA]: POINT_TYPE.CELL,
};

/** The strongest of each kind: the others are further away, and say less. */
const MAX_OF_A_KIND = 30;

/** Says where somebody is by what is heard there. */
@Injectable()
export class LocatorService {
  constructor(
    private readonly consents: ConsentsService,
    private readonly keys: NetworkKeys,
    private readonly networks: RadioNetworkRepository,
    private readonly provider: GeolocationProvider,
  ) {}

  /**
   * By access points that are known here; else by the provider, if the caller's family has agreed to it, or the cells
   * and areas that are known here, whichever is the smaller circle.
   *
   * @throws ServiceError POSITION_NOT_FOUND, WATCH_UNBOUND
   */
  async locate(caller: Principal, whereabouts: LocateRequest): Promise<LocatedCircle> {
    const agreed = await this.consents.isGranted(caller, 'POSITIONING');
    const lacf = whereabouts.fallbacks?.lacf ?? true;
    const own = await this.locateHere(whereabouts, lacf);
    if (own?.pointType === POINT_TYPE.WIFI) return own;
    const theirs = agreed && this.provider.isConfigured ? await this.askProvider(whereabouts, lacf) : null;
    const found = smaller(own, theirs);
    if (!found) throw new ServiceError('POSITION_NOT_FOUND');
    return found;
  }

  private async locateHere(surroundings: RadioEnvironment, lacf: boolean): Promise<LocatedCircle | null> {
    const heard = strongest(toObservedNetworks(surroundings)).filter(({ kind }) => lacf || kind !== NETWORK_KIND.AREA);
    const byKey = new Map(heard.map((network) => [this.keys.keyOf(network), network]));
    if (byKey.size === 0) return null;
    const learned = await this.networks.findLearned([...byKey.keys()]);
    const recognised = [...byKey].flatMap(([key, { kind, signalStrength }]): LocatingNetwork[] => {
      const cloud = learned.get(key);
      return cloud ? [{ ...cloud, kind, signalStrength }] : [];
    });
    const circle = estimateLocation(recognised);
    if (!circle) return null;
    const { kind, latitude, longitude, radius } = circle;
    const fallback = kind === NETWORK_KIND.AREA ? { fallback: 'lacf' as const } : {};
    return { latitude, longitude, radius, pointType: POINT_TYPES[kind], ...fallback };
  }

  private askProvider(whereabouts: LocateRequest, lacf: boolean): Promise<LocatedCircle | null> {
    const { wifiAccessPoints, cellTowers, considerIp, fallbacks } = whereabouts;
    const address = (fallbacks?.ipf ?? considerIp ?? true) ? whereabouts.address : null;
    return this.provider.locate({ wifiAccessPoints, cellTowers, address, lacf });
  }
}

function strongest(heard: readonly ObservedNetwork[]): ObservedNetwork[] {
  const ordered = heard.toSorted((a, b) => (b.signalStrength ?? -Infinity) - (a.signalStrength ?? -Infinity));
  return Object.values(NETWORK_KIND).flatMap((kind) =>
    ordered.filter((network) => network.kind === kind).slice(0, MAX_OF_A_KIND),
  );
}

function smaller(one: LocatedCircle | null, other: LocatedCircle | null): LocatedCircle | null {
  if (!one || !other) return one ?? other;
  return other.radius < one.radius ? other : one;
}
