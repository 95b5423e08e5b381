import { queryOptions } from '@tanstack/react-query';
import type { MapCoordinates } from './coordinates.js';

/** What the operator of the service has configured for maps. */
export interface MapConfig {
  /** URL of a MapLibre style. */
  styleUrl: string | null;
  /** Coordinate system of the style. */
  coordinates: MapCoordinates;
  /** Path of the streets of an area, if there is no style. */
  file: string | null;
  /** Whether each person may choose the streets of OpenFreeMap. */
  hasPublicTiles: boolean;
}

/** The outline of the continents, which needs no other server. */
export const OUTLINE_MAP: MapConfig = { styleUrl: null, coordinates: 'wgs84', file: null, hasPublicTiles: false };

const CONFIG_PATH = '/console-config.json';

/** The configuration of maps, which the page reads once. It is no operation of the API, so the SDK does not have it. */
export const mapConfigQuery = queryOptions({
  queryKey: ['map-config'],
  staleTime: Infinity,
  retry: false,
  queryFn: async ({ signal }): Promise<MapConfig> => {
    const response = await fetch(CONFIG_PATH, { signal }).catch(() => undefined);
    // A service without this file answers with its page or an error.
    if (!response?.ok || !response.headers.get('content-type')?.includes('json')) return OUTLINE_MAP;
    return readMapConfig(await response.json().catch(() => null));
  },
});

/** Reads the configuration; what is missing or unknown has its default. */
export function readMapConfig(json: unknown): MapConfig {
  const { mapStyleUrl, mapCoordinates, mapFile, publicTiles } = (json ?? {}) as Record<string, unknown>;
  if (typeof mapStyleUrl === 'string' && mapStyleUrl !== '')
    return { ...OUTLINE_MAP, styleUrl: mapStyleUrl, coordinates: mapCoordinates === 'gcj02' ? 'gcj02' : 'wgs84' };
  return {
    ...OUTLINE_MAP,
    file: typeof mapFile === 'string' && /^\/(?!\/)/.test(mapFile) ? mapFile : null,
    hasPublicTiles: publicTiles === true,
  };
}
