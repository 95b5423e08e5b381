import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeCursor } from '@family-watch/platform/database/page-cursor';
import { decodeTrackCursor } from './track-cursor.js';

describe('track cursor', () => {
  test('decodeTrackCursor returns the position that was encoded', () => {
    const position = fc.record({ positionTime: fc.nat(), pointType: fc.nat(4), did: fc.maxSafeNat() });
    fc.assert(
      fc.property(position, (cursor) =>
        expect(decodeTrackCursor(encodeCursor(cursor.positionTime, cursor.pointType, cursor.did))).toEqual(cursor),
      ),
    );
  });

  test.each(['', 'nonsense', Buffer.from('1.2').toString('base64url'), Buffer.from('a.1.2').toString('base64url')])(
    'decodeTrackCursor rejects the invalid cursor %j',
    (cursor) => {
      expect(() => decodeTrackCursor(cursor)).toThrow(expect.objectContaining({ reason: 'VALIDATION_FAILED' }));
    },
  );
});
