import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeTrackCursor, encodeTrackCursor } from './track-cursor.js';

describe('cursor of a track', () => {
  it('comes back as it went out', () => {
    const position = fc.record({ positionTime: fc.nat(), pointType: fc.nat(4), did: fc.maxSafeNat() });
    fc.assert(fc.property(position, (given) => expect(decodeTrackCursor(encodeTrackCursor(given))).toEqual(given)));
  });

  it.each(['', 'nonsense', Buffer.from('1.2').toString('base64url'), Buffer.from('a.1.2').toString('base64url')])(
    'refuses %j',
    (cursor) => {
      expect(() => decodeTrackCursor(cursor)).toThrow(expect.objectContaining({ reason: 'VALIDATION_FAILED' }));
    },
  );
});
