import { describe, expect, test } from '@jest/globals';
import { PacketFilter } from './packet-filter.js';

const guard = (now = () => 0) => new PacketFilter(10, now);

describe('PacketFilter', () => {
  test('lets through what clients send', () => {
    const fresh = guard();
    for (const text of ['0{"token":"x"}', '2["HeartbeatMessage",{}]', '21["AckMessage",{}]', '1']) {
      expect(fresh.accepts('message', text)).toBe(true);
    }
    expect(fresh.accepts('pong', undefined)).toBe(true);
    expect(fresh.accepts('message', Buffer.from('x'))).toBe(true);
  });

  test('takes one connect packet, whatever it names', () => {
    const fresh = guard();
    expect(fresh.accepts('message', '0/elsewhere,')).toBe(true);
    expect(fresh.accepts('message', '0{"token":"x"}')).toBe(false);
  });

  test.each(['52-["x"]', '510-["x"]', '5["x"]', '5-1-["x"]', '62-["x"]', '50-["x"]', `51-["${'x'.repeat(4_096)}"]`])(
    'refuses %s',
    (text) => {
      expect(guard().accepts('message', text)).toBe(false);
    },
  );

  test('ends a flood of packets of any type, and forgives with time', () => {
    let time = 0;
    const flooded = guard(() => time);
    const packets = Array.from({ length: 200 }, () => flooded.accepts('pong', undefined));
    expect(packets.every(Boolean)).toBe(true);
    expect(flooded.accepts('pong', undefined)).toBe(false);
    time += 1_000;
    expect(flooded.accepts('pong', undefined)).toBe(true);
  });
});
