import { describe, expect, test } from '@jest/globals';
import { messageIdOf } from './message-id.js';

describe('messageIdOf', () => {
  test('makes the same UUID of the same source and another of another', () => {
    const id = messageIdOf('event-1:ContactsChangeNoticeMessage');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(messageIdOf('event-1:ContactsChangeNoticeMessage')).toBe(id);
    expect(messageIdOf('event-2:ContactsChangeNoticeMessage')).not.toBe(id);
  });
});
