import { expect, test } from '@jest/globals';
import { TownIndex } from './town-index.js';

const town = (name: string, latitude: number, longitude: number, population = 5_000, country = 'CN') => ({
  ...{ name, country, population, latitude, longitude },
});
const TOWNS = new TownIndex([
  town('Shanghai', 31.2222, 121.4581, 22_000_000),
  town('Pudong', 31.2304, 121.5447),
  town('Suzhou', 31.3041, 120.5954, 5_000_000),
  town('Luqiao', 28.58, 121.38),
  town('Nukualofa', -21.1394, -175.2018, 22_000, 'TO'),
  town('Taveuni', -16.85, 179.98, 1_000, 'FJ'),
]);
const nearest = (latitude: string, longitude: string) => TOWNS.findNearest({ latitude, longitude });

test('a place in a district is in the district and its city', () => {
  expect(nearest('31.2320', '121.5400')).toEqual({ name: 'Pudong', city: 'Shanghai', country: 'CN', distance: 481 });
});

test('a place in the city itself has no other city', () => {
  expect(nearest('31.2225', '121.4600')).toMatchObject({ name: 'Shanghai', city: null });
});

test('a town far from large cities has none', () => {
  expect(nearest('28.5801', '121.3801')).toMatchObject({ name: 'Luqiao', city: null });
});

test('a place across the 180th meridian is near the town on the other side', () => {
  expect(nearest('-16.85', '-179.98')).toMatchObject({ name: 'Taveuni', country: 'FJ' });
});

test('a place far from all towns has none', () => {
  expect(nearest('0', '0')).toBeNull();
  expect(nearest('90', '0')).toBeNull();
});
