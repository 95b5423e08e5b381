import { describe, expect, test } from '@jest/globals';
import { EventRateLimiter, PacketFilter, ReadPacer } from './client-limits.js';

function createLimiter() {
  let now = 0;
  const limiter = new EventRateLimiter({ perSecond: 10, burst: 3, maxRejections: 2 }, () => now);
  return { consume: () => limiter.consume(), wait: (milliseconds: number) => (now += milliseconds) };
}

describe('EventRateLimiter', () => {
  test('passes a burst, rejects further events and closes the connection after too many rejections', () => {
    const { consume } = createLimiter();
    expect([1, 2, 3, 4, 5, 6].map(consume)).toEqual(['pass', 'pass', 'pass', 'reject', 'reject', 'close']);
  });

  test('passes any number of events at the permitted rate', () => {
    const { consume, wait } = createLimiter();
    for (let event = 0; event < 1_000; event += 1) {
      expect(consume()).toBe('pass');
      wait(100);
    }
  });

  test('closes the connection of a client that constantly sends slightly more events than permitted', () => {
    const { consume, wait } = createLimiter();
    const decisions = Array.from({ length: 40 }, () => {
      wait(60);
      return consume();
    });
    expect(decisions).toContain('close');
  });

  test('resets the count of rejected events after a client has sent nothing for a while', () => {
    const { consume, wait } = createLimiter();
    [1, 2, 3, 4, 5].forEach(consume);
    wait(300);
    expect([1, 2, 3, 4, 5].map(consume)).toEqual(['pass', 'pass', 'pass', 'reject', 'reject']);
  });
});

describe('ReadPacer', () => {
  const KIB = 1_024;

  test('A45 delays reading after a burst of 256 KiB until the average is 1 KiB per permitted event', () => {
    let now = 0;
    const pacer = new ReadPacer(100, () => now);
    expect([1, 2, 3, 4].map(() => pacer.consume(64 * KIB))).toEqual([0, 0, 0, 0]);
    for (let frame = 0; frame < 100; frame += 1) now += pacer.consume(64 * KIB);
    expect(now).toBe(64_000);
  });

  test('never delays a client that sends the permitted number of events of 1 KiB', () => {
    let now = 0;
    const pacer = new ReadPacer(100, () => now);
    for (let event = 0; event < 10_000; event += 1) {
      expect(pacer.consume(KIB)).toBe(0);
      now += 10;
    }
  });
});

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

  test('accepts one CONNECT packet per connection, for any namespace', () => {
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
