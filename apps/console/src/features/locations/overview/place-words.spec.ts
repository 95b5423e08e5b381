import { describe, expect, test } from '@jest/globals';
import { enteredAt, formatDistance, placeWordsOf } from './place-words.js';

const HOME = { fenceId: 'home', name: 'Home', circle: { latitude: '30.2762', longitude: '120.129', radius: 100 } };
const SCHOOL = {
  fenceId: 'school',
  name: 'School',
  circle: { latitude: '30.2811', longitude: '120.1368', radius: 150 },
};
const FENCES = [HOME, SCHOOL].map((fence) => ({ ...fence, polygon: null }));
const at = (latitude: number, longitude: number, radius = 10) => ({
  latitude: String(latitude),
  longitude: String(longitude),
  radius,
});

describe('placeWordsOf', () => {
  test('names the place in which the whole circle of the location is', () => {
    expect(placeWordsOf(FENCES, at(30.2762, 120.1291))).toMatchObject({ kind: 'at', isCertain: true, fence: HOME });
  });

  test('is not certain of a place out of which the circle reaches', () => {
    expect(placeWordsOf(FENCES, at(30.2762, 120.129, 500))).toMatchObject({
      kind: 'at',
      isCertain: false,
      fence: HOME,
    });
  });

  test.each([
    [30.28, 120.129, 'N'],
    [30.2785, 120.1317, 'NE'],
    [30.2762, 120.126, 'W'],
    [30.272, 120.129, 'S'],
  ])('says how far %s, %s is from the nearest place, and in which direction: %s', (latitude, longitude, direction) => {
    expect(placeWordsOf(FENCES, at(latitude, longitude))).toMatchObject({ kind: 'near', fence: HOME, direction });
  });

  test('says nothing without a place within 100 km', () => {
    expect(placeWordsOf([], at(30, 120))).toBeUndefined();
    expect(placeWordsOf(FENCES, at(31.2304, 121.4737))).toBeUndefined();
  });
});

describe('enteredAt', () => {
  const event = (type: 'ENTERED' | 'LEFT' | 'DWELLED', fenceId: string, time: number) => ({
    fenceEventId: String(time),
    fenceId,
    fenceName: fenceId,
    type,
    time,
    late: false,
  });

  test('is the last entry that no departure follows; the newest event is the first', () => {
    const events = [event('DWELLED', 'home', 5), event('LEFT', 'school', 4), event('ENTERED', 'home', 3)];
    expect([enteredAt(events, 'home'), enteredAt(events, 'school'), enteredAt([], 'home')]).toEqual([
      3,
      undefined,
      undefined,
    ]);
  });
});

test.each([
  [3, 'en', '10 m'],
  [346, 'en', '350 m'],
  [4_230, 'en', '4.2 km'],
  [52_400, 'en', '52 km'],
  [346, 'zh-CN', '350米'],
])('%d m in %s is %s', (metres, language, expected) => {
  expect(formatDistance(metres, language)).toBe(expected);
});
