import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { translate, type LatLng } from '../../../src/locations/positioning/offsets.js';
import { SeededRandom } from '@family-watch/testing/properties/seeded-random';

/** The path of a person, as points in the order of time. */
export interface Track {
  name: string;
  points: LatLng[];
}

/** Reads the points of every GPX file in a directory. */
export function readTracks(folder: string): Track[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.gpx'));
  return files.map((name) => ({ name, points: parsePoints(readFileSync(join(folder, name), 'utf8')) }));
}

/** Generates a walk through a town with a point every ten metres and random turns; by default of five kilometres. */
export function createSyntheticTrack(seed: number, pointCount = 500): Track {
  const random = new SeededRandom(seed);
  const points: LatLng[] = [];
  let point = { latitude: 48.2, longitude: 16.37 };
  let heading = 0;
  for (let step = 0; step < pointCount; step += 1) {
    if (random.nextBoolean(0.1)) heading += random.nextBoolean(0.5) ? Math.PI / 2 : -Math.PI / 2;
    point = translate(point, { east: 10 * Math.sin(heading), north: 10 * Math.cos(heading) });
    points.push(point);
  }
  return { name: `synthetic walk ${seed}`, points };
}

function parsePoints(gpx: string): LatLng[] {
  return [...gpx.matchAll(/<trkpt\s([^>]*)>/g)].map(([, attributes = '']) => ({
    latitude: Number(/\blat="([^"]+)"/.exec(attributes)?.[1]),
    longitude: Number(/\blon="([^"]+)"/.exec(attributes)?.[1]),
  }));
}
