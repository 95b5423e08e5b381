import { describe, expect, test } from '@jest/globals';
import { spreadMarkers } from './spread-markers.js';

describe('spreadMarkers', () => {
  test('puts markers at one place side by side around it, always in the same order', () => {
    const markers = [
      { id: 'b', x: 100, y: 50 },
      { id: 'a', x: 100, y: 50 },
    ];
    const shifts = { a: -38, b: 38 };
    expect(Object.fromEntries(spreadMarkers(markers))).toEqual(shifts);
    expect(Object.fromEntries(spreadMarkers(markers.toReversed()))).toEqual(shifts);
  });

  test('spreads a chain of markers of which the first does not cover the last', () => {
    const shifts = spreadMarkers([
      { id: 'a', x: 0, y: 0 },
      { id: 'c', x: 120, y: 0 },
      { id: 'b', x: 60, y: 0 },
    ]);
    expect(Object.fromEntries(shifts)).toEqual({ a: -16, b: 0, c: 16 });
  });

  test('keeps the order from west to east, whatever the ids are', () => {
    const markers = [
      { id: 'z', x: 0, y: 0 },
      { id: 'a', x: 60, y: 0 },
    ];
    expect(Object.fromEntries(spreadMarkers(markers))).toEqual({ z: -8, a: 8 });
  });

  test('includes a marker that only the spread markers would cover', () => {
    const markers = [
      { id: 'a', x: 100, y: 0 },
      { id: 'b', x: 100, y: 0 },
      { id: 'c', x: 180, y: 0 },
    ];
    const shifts = spreadMarkers(markers);
    const places = markers.map(({ id, x }) => Math.round(x + (shifts.get(id) ?? 0)));
    expect(places).toEqual([51, 127, 203]);
  });

  test('leaves markers where they are that have space around them', () => {
    const markers = [
      { id: 'a', x: 0, y: 0 },
      { id: 'b', x: 80, y: 0 },
      { id: 'c', x: 0, y: 90 },
    ];
    expect(spreadMarkers(markers).size).toBe(0);
  });
});
