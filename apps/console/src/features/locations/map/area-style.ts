import { layers, namedFlavor } from '@protomaps/basemaps';
import { addProtocol, type LayerSpecification, type StyleSpecification } from 'maplibre-gl';
import { Protocol } from 'pmtiles';
import type { Language } from '../../../core/texts.js';
import { createOutlineStyle } from './outline-style.js';

/** Source of the streets, which errors of the map name. */
export const AREA_SOURCE = 'family-watch-area';

addProtocol('pmtiles', new Protocol({ metadata: true }).tile);

/**
 * Returns a style that draws the streets of a PMTiles file over the outline of the continents. The browser draws the text itself, so that no fonts are loaded.
 *
 * @param path - path of the file on this service
 */
export function createAreaStyle(path: string, colorScheme: 'light' | 'dark', language: Language): StyleSpecification {
  const outline = createOutlineStyle(colorScheme);
  const streets = layers(AREA_SOURCE, namedFlavor(colorScheme), { lang: language === 'zh-CN' ? 'zh-Hans' : language });
  return {
    ...outline,
    sources: { ...outline.sources, [AREA_SOURCE]: { type: 'vector', url: `pmtiles://${location.origin}${path}` } },
    layers: [...outline.layers, ...streets.flatMap(withoutIcons)],
  };
}

/** Icons need a file of the style's server; a layer without them still has its names. */
function withoutIcons(layer: LayerSpecification): LayerSpecification[] {
  if (layer.type === 'background') return [];
  if (layer.type !== 'symbol' || layer.layout?.['icon-image'] === undefined) return [layer];
  const { 'icon-image': _, ...layout } = layer.layout;
  return 'text-field' in layout ? [{ ...layer, layout }] : [];
}
