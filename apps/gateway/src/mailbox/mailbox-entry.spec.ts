import { describe, expect, test } from '@jest/globals';
import { deriveMessageId } from './mailbox-entry.js';

describe('deriveMessageId', () => {
  test('derives the same UUID from the same source, and a different UUID from another source', () => {
    const id = deriveMessageId('event-1:ContactsChangeNoticeMessage');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(deriveMessageId('event-1:ContactsChangeNoticeMessage')).toBe(id);
    expect(deriveMessageId('event-2:ContactsChangeNoticeMessage')).not.toBe(id);
  });
});
