import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { readMembers } from './readable-members.js';

const LOCATION = {
  latitude: '31.2304',
  longitude: '121.4737',
  radius: 12,
  pointType: 1,
  positionTime: 1_790_000_000_000,
};
const BODY = { time: 1_790_000_000_123, location: LOCATION };

describe('readMembers', () => {
  test('returns the members of an object as JSON.parse does', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true, noDefaultInfinity: true }));
    const members = fc.dictionary(
      fc.string(),
      fc.oneof(
        value,
        fc.boolean(),
        fc.constant(null),
        fc.array(value, { maxLength: 5 }),
        fc.dictionary(fc.string(), value),
      ),
    );
    fc.assert(
      fc.property(members, fc.constantFrom(undefined, 2), (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        expect(JSON.stringify(readMembers(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  test('returns only values of the whole text, wherever the text is cut off', () => {
    const text = JSON.stringify(BODY);
    for (let length = 0; length < text.length; length += 1) {
      const { time, location } = readMembers(text.slice(0, length));
      expect([undefined, BODY.time]).toContain(time);
      expect(LOCATION).toMatchObject(location ?? {});
    }
    expect(readMembers(text.slice(0, -1))).toEqual(BODY);
  });

  test.each([
    ['{"time":5,"location":nan}', { time: 5 }],
    ['{"time":nan,"location":{"latitude":-inf,"radius":12,"pointType":None}}', { location: { radius: 12 } }],
    ['{"time":1e999,"radius":01,"accuracy":1.5f,"pointType":1}', { time: Infinity, pointType: 1 }],
    [`${JSON.stringify(BODY)}\0`, BODY],
    [`\uFEFF${JSON.stringify(BODY)}`, BODY],
    [JSON.stringify([BODY]), BODY],
    ['{"time":5,"location":[[[[]]]]}', { time: 5, location: [[[]]] }],
    ["{'time':5}", {}],
    ['{"time":5,"a\\q":1}', { time: 5 }],
    ['{"time" 5}', {}],
    ['{', {}],
    ['null', {}],
    ['time=5', {}],
    ['\0', {}],
    ['', {}],
  ])('returns what can be read of %j', (text, expected) => {
    expect(readMembers(text)).toEqual(Object.assign(Object.create(null), expected));
  });

  test('reads at most 1,000 values', () => {
    const { list } = readMembers(`{"list":[${'0,'.repeat(100_000)}0]}`);
    expect(list).toHaveLength(999);
  });
});
