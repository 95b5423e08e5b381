import { describe, expect, test } from '@jest/globals';
import { PacketFilter } from './packet-filter.js';

const createFilter = (now = () => 0) => new PacketFilter(10, now);

describe('PacketFilter', () => {
  test('accepts the packets that correct clients send', () => {
    const filter = createFilter();
    for (const text of ['0{"token":"x"}', '2["HeartbeatMessage",{}]', '21["AckMessage",{}]', '1']) {
      expect(filter.accepts('message', text)).toBe(true);
    }
    expect(filter.accepts('pong', undefined)).toBe(true);
    expect(filter.accepts('message', Buffer.from('x'))).toBe(true);
  });

  test('accepts one connect packet, whatever namespace it names', () => {
    const filter = createFilter();
    expect(filter.accepts('message', '0/elsewhere,')).toBe(true);
    expect(filter.accepts('message', '0{"token":"x"}')).toBe(false);
  });

  test.each(['52-["x"]', '510-["x"]', '5["x"]', '5-1-["x"]', '62-["x"]', '50-["x"]', `51-["${'x'.repeat(4_096)}"]`])(
    'rejects the packet %s, which no correct client sends',
    (text) => {
      expect(createFilter().accepts('message', text)).toBe(false);
    },
  );

  test('rejects packets of any type above the limit and accepts them again after a pause', () => {
    let time = 0;
    const filter = createFilter(() => time);
    const packets = Array.from({ length: 200 }, () => filter.accepts('pong', undefined));
    expect(packets.every(Boolean)).toBe(true);
    expect(filter.accepts('pong', undefined)).toBe(false);
    time += 1_000;
    expect(filter.accepts('pong', undefined)).toBe(true);
  });
});
