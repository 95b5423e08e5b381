import type { GeoJSONSource, Map, StyleSpecification } from 'maplibre-gl';
import { feature } from 'topojson-client';
import type { Topology } from 'topojson-specification';

/** Above this zoom, MapLibre enlarges the tiles of the outline instead of cutting new ones. */
const MAX_OUTLINE_ZOOM = 8;

const COLORS = {
  light: { water: '#dfe9ec', land: '#f7f6f2', coast: '#a9b8bd' },
  dark: { water: '#1b2529', land: '#2b3236', coast: '#51636b' },
};

const LAND = 'outline-land';
/** From this zoom on, the outline is too coarse to say where the coast is: everything has the colour of land. */
const MIN_LAND_ZOOM = 9;

/**
 * Returns a style that shows the outline of the continents, without borders of countries: these are disputed in places,
 * and a parent does not need them. {@link loadLand} draws it when it can be seen.
 */
export function createOutlineStyle(colorScheme: 'light' | 'dark'): StyleSpecification {
  const { water, land, coast } = COLORS[colorScheme];
  const data = { type: 'FeatureCollection' as const, features: [] };
  return {
    version: 8,
    sources: { [LAND]: { type: 'geojson', data, maxzoom: MAX_OUTLINE_ZOOM, attribution: 'Natural Earth' } },
    layers: [
      // The layers of streets have names of their own, such as "water".
      {
        id: 'outline-water',
        type: 'background',
        paint: { 'background-color': ['step', ['zoom'], water, MIN_LAND_ZOOM, land] },
      },
      { id: LAND, type: 'fill', source: LAND, maxzoom: MIN_LAND_ZOOM, paint: { 'fill-color': land } },
      { id: 'outline-coast', type: 'line', source: LAND, maxzoom: MIN_LAND_ZOOM, paint: { 'line-color': coast } },
    ],
  };
}

/**
 * Loads the continents of the outline when the map shows so much that they can be seen. Most maps show a town, and need
 * not wait for them.
 *
 * @returns the function that ends the wait
 */
export function loadLand(map: Map): () => void {
  let isEnded = false;
  const load = () => {
    if (map.getZoom() >= MIN_LAND_ZOOM) return;
    map.off('zoom', load);
    import('world-atlas/land-50m.json')
      .then(({ default: atlas }) => {
        const topology = atlas as unknown as Topology;
        const { land } = topology.objects;
        if (!isEnded && land) map.getSource<GeoJSONSource>(LAND)?.setData(feature(topology, land));
      })
      // The next time that the map is zoomed, it tries again.
      .catch(() => isEnded || map.once('zoomend', load));
  };
  map.on('zoom', load);
  load();
  return () => {
    isEnded = true;
    map.off('zoom', load);
    map.off('zoomend', load);
  };
}
