import { describe, expect, test } from '@jest/globals';
import { OUTLINE_MAP, readMapConfig } from './map-config.js';

describe('readMapConfig', () => {
  test('reads a style with its coordinate system', () => {
    const json = { mapStyleUrl: 'https://tiles.example.com/style.json', mapCoordinates: 'gcj02' };
    expect(readMapConfig(json)).toEqual({
      styleUrl: json.mapStyleUrl,
      coordinates: 'gcj02',
      file: null,
      hasPublicTiles: false,
    });
  });

  test('reads the file of an area, which is in WGS 84, and whether persons may choose other streets', () => {
    const json = { mapStyleUrl: null, mapCoordinates: 'gcj02', mapFile: '/map.pmtiles', publicTiles: true };
    expect(readMapConfig(json)).toEqual({
      styleUrl: null,
      coordinates: 'wgs84',
      file: '/map.pmtiles',
      hasPublicTiles: true,
    });
  });

  test('a file of another server is ignored', () => {
    expect(readMapConfig({ mapFile: 'https://maps.example/map.pmtiles' })).toEqual(OUTLINE_MAP);
  });

  test('expects WGS 84 of a style without a coordinate system', () => {
    expect(readMapConfig({ mapStyleUrl: '/style.json' }).coordinates).toBe('wgs84');
  });

  test.each([[null], [{}], ['text'], [{ mapStyleUrl: null, mapCoordinates: 'gcj02' }]])(
    'returns the outline, which is in WGS 84, for %j',
    (json) => {
      expect(readMapConfig(json)).toEqual(OUTLINE_MAP);
    },
  );
});
