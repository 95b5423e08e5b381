import type { StyleSpecification } from 'maplibre-gl';
import { feature } from 'topojson-client';
import type { Topology } from 'topojson-specification';

/** Above this zoom, MapLibre enlarges the tiles of the outline instead of cutting new ones. */
const MAX_OUTLINE_ZOOM = 8;

const COLORS = {
  light: { water: '#dfe9ec', land: '#f7f6f2', coast: '#a9b8bd' },
  dark: { water: '#1b2529', land: '#2b3236', coast: '#51636b' },
};

/**
 * Returns a style that shows the outline of the continents, without borders of countries: these are disputed in places,
 * and a parent does not need them.
 */
export async function createOutlineStyle(colorScheme: 'light' | 'dark'): Promise<StyleSpecification> {
  const { default: atlas } = await import('world-atlas/land-50m.json');
  const topology = atlas as unknown as Topology;
  const { land } = topology.objects;
  if (!land) throw new Error('The atlas has no land');
  const colors = COLORS[colorScheme];
  return {
    version: 8,
    sources: {
      land: { type: 'geojson', data: feature(topology, land), maxzoom: MAX_OUTLINE_ZOOM, attribution: 'Natural Earth' },
    },
    layers: [
      // The layers of streets have names of their own, such as "water".
      { id: 'outline-water', type: 'background', paint: { 'background-color': colors.water } },
      { id: 'outline-land', type: 'fill', source: 'land', paint: { 'fill-color': colors.land } },
      { id: 'outline-coast', type: 'line', source: 'land', paint: { 'line-color': colors.coast } },
    ],
  };
}
