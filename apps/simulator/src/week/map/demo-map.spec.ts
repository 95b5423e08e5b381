import { expect, test } from '@jest/globals';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles, type Source } from 'pmtiles';
import { createDemoMap } from './demo-map.js';

/** Reads the file as browsers do, by ranges. */
function readerOf(file: Buffer): PMTiles {
  const source: Source = {
    getKey: () => 'demo',
    getBytes: (offset, length) => {
      const { buffer, byteOffset } = file.subarray(offset, offset + length);
      return Promise.resolve({ data: buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer });
    },
  };
  return new PMTiles(source);
}

test('the map of the demo is a PMTiles file with the streets around the school', async () => {
  const map = readerOf(createDemoMap());
  expect(await map.getHeader()).toMatchObject({ specVersion: 3, minZoom: 11, maxZoom: 14, minLon: 120.1215 });
  expect(await map.getMetadata()).toEqual({ attribution: 'Drawn for the demo' });
  // The tile of the school: 30.2811, 120.1368.
  const tile = await map.getZxy(14, 13_659, 6_744);
  const { layers } = new VectorTile(new PbfReader(new Uint8Array(tile?.data ?? new ArrayBuffer(0))));
  expect(Object.keys(layers).sort()).toEqual(
    expect.arrayContaining(['buildings', 'earth', 'landuse', 'pois', 'roads']),
  );
  const { pois } = layers;
  expect(pois?.feature(0).properties).toMatchObject({ kind: 'school', 'name:en': 'Osmanthus School' });
});

test('the map has every tile between its zooms, and no other', async () => {
  const map = readerOf(createDemoMap());
  expect(await map.getZxy(11, 1_707, 843)).toBeDefined();
  expect(await map.getZxy(10, 853, 421)).toBeUndefined();
  expect(await map.getZxy(14, 13_700, 6_744)).toBeUndefined();
});
