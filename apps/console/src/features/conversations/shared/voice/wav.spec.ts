import { describe, expect, test } from '@jest/globals';
import { concatenate, downsample, encodeWav } from './wav.js';

describe('encodeWav', () => {
  test('writes a header for one channel of 16-bit PCM', () => {
    const view = new DataView(encodeWav(new Float32Array(10), 16_000));
    const text = (offset: number) => String.fromCharCode(...new Uint8Array(view.buffer, offset, 4));
    expect([text(0), text(8), text(12), text(36)]).toEqual(['RIFF', 'WAVE', 'fmt ', 'data']);
    expect([view.getUint16(22, true), view.getUint32(24, true), view.getUint16(34, true)]).toEqual([1, 16_000, 16]);
    expect([view.getUint32(4, true), view.getUint32(40, true), view.byteLength]).toEqual([56, 20, 64]);
  });

  test('limits samples to the range of 16 bits', () => {
    const view = new DataView(encodeWav(Float32Array.of(0, 1, -1, 2), 16_000));
    expect([0, 1, 2, 3].map((index) => view.getInt16(44 + 2 * index, true))).toEqual([0, 32_767, -32_767, 32_767]);
  });
});

describe('downsample', () => {
  test('averages the samples that it replaces', () => {
    expect([...downsample(Float32Array.of(0, 1, 1, 0.5, 0, 0.25), 48_000, 16_000)].map((x) => x.toFixed(2))).toEqual([
      '0.67',
      '0.25',
    ]);
  });

  test('keeps the duration for a ratio that is no integer', () => {
    expect(downsample(new Float32Array(44_100), 44_100, 16_000)).toHaveLength(16_000);
  });

  test('does not raise the sample rate', () => {
    const samples = new Float32Array(3);
    expect(downsample(samples, 8_000, 16_000)).toBe(samples);
  });
});

test('concatenate joins parts in order', () => {
  expect([...concatenate([Float32Array.of(1, 2), Float32Array.of(3)])]).toEqual([1, 2, 3]);
});
