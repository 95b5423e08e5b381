import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MapFile } from './map-file.js';

let DATA_DIR: string;
const addFile = (name: string) => writeFileSync(join(DATA_DIR, name), 'map');

beforeEach(() => {
  DATA_DIR = mkdtempSync(join(tmpdir(), 'fw-map-'));
});
afterEach(() => rmSync(DATA_DIR, { recursive: true }));

test('MAP_FILE is relative to the data directory, and must exist', () => {
  const settings = { DATA_DIR, MAP_FILE: 'area.pmtiles' };
  expect(() => MapFile.of(settings)).toThrow(`MAP_FILE: there is no file ${join(DATA_DIR, 'area.pmtiles')}`);
  expect(() => MapFile.of({ DATA_DIR, MAP_FILE: '' })).toThrow('MAP_FILE: there is no file');
  addFile('area.pmtiles');
  expect(MapFile.of(settings).isOfOperator()).toBe(true);
});

test('without MAP_FILE, map.pmtiles is used before the map of the demo', () => {
  const map = MapFile.of({ DATA_DIR });
  expect([map.exists(), map.isOfOperator()]).toEqual([false, false]);
  addFile('demo-map.pmtiles');
  expect([map.exists(), map.isOfOperator()]).toEqual([true, false]);
  addFile('map.pmtiles');
  expect([map.exists(), map.isOfOperator()]).toEqual([true, true]);
});
