import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { MediaLibrary } from '../support/media-library.js';
import { createVideo, decodedDigests } from '../support/ffmpeg.js';
import { needs } from '@family-watch/testing/requirements/needs';

const LOCATION = '+48.1371+011.5761/';
const metadata = (...fields: string[]) => fields.flatMap((field) => ['-metadata', field]);
const METADATA_OPTIONS = metadata(`location=${LOCATION}`, 'creation_time=2026-05-17T06:30:05Z', `comment=${LOCATION}`);
const QUICKTIME_METADATA_OPTIONS = [
  ...['-movflags', 'use_metadata_tags'],
  ...metadata(`com.apple.quicktime.location.ISO6709=${LOCATION}`),
];
const CAPTURED_AT = Date.UTC(2026, 4, 17, 6, 30, 5);
let library: MediaLibrary;

beforeAll(async () => {
  library = await MediaLibrary.open();
});

afterAll(() => library.close());

// The tests create and decode videos with ffmpeg.
needs('ffmpeg').describe('video renditions', () => {
  test.each([
    ['MP4 with its index at the end', 'video.mp4', METADATA_OPTIONS],
    ['MP4 with its index at the start', 'video.mp4', [...METADATA_OPTIONS, '-movflags', '+faststart']],
    ['fragmented MP4', 'video.mp4', [...METADATA_OPTIONS, '-movflags', 'frag_keyframe+empty_moov+default_base_moof']],
    ['QuickTime', 'video.mov', METADATA_OPTIONS],
    ['QuickTime with metadata keys', 'video.mov', [...METADATA_OPTIONS, ...QUICKTIME_METADATA_OPTIONS]],
    ['3GP', 'video.3gp', METADATA_OPTIONS],
    ['MP4 with sound only', 'video.m4a', ['-vn', ...METADATA_OPTIONS]],
  ])(
    '%s: the shared copy plays the same and contains no location; pictures have a thumbnail and a capture time',
    async (_, name, options) => {
      const original = createVideo(name, ...options);
      expect(original.includes('48.1371') || original.includes('loci')).toBe(true);
      const key = await library.uploadFile('video.txt', original);
      const shared = await library.waitForSharedCopy(key);
      expect(shared.bytes).toHaveLength(original.length);
      for (const trace of ['48.1371', '011.5761', 'loci', '\xa9xyz', 'ISO6709']) {
        expect(shared.bytes.toString('latin1')).not.toContain(trace);
      }
      if (name === 'video.m4a') return;
      expect(decodedDigests(shared.bytes)).toBe(decodedDigests(original));
      const thumbnail = await library.waitForThumbnail(key);
      expect(thumbnail.mediaType).toBe('image/jpeg');
      expect(await sharp(thumbnail.bytes).metadata()).toMatchObject({ width: 320, height: 240 });
      expect(await library.captureTimesOf(key)).toEqual([CAPTURED_AT]);
    },
  );

  test('videos of other formats have a thumbnail, but are not shared', async () => {
    const key = await library.uploadFile('video.mkv', createVideo('video.mkv', ...METADATA_OPTIONS));
    expect((await library.waitForThumbnail(key)).mediaType).toBe('image/jpeg');
    await expect(library.waitForSharedCopy(key)).rejects.toThrow('FAILED');
  });

  test('a truncated video without its index has no thumbnail and is not shared', async () => {
    const complete = createVideo('video.mp4');
    const key = await library.uploadFile('half.mp4', complete.subarray(0, complete.length - 2_000));
    expect(await library.waitForState(key, 'THUMBNAIL')).toBe('FAILED');
    await expect(library.waitForSharedCopy(key)).rejects.toThrow('FAILED');
  });

  test('ffmpeg opens no other file for a playlist that is disguised as a video', async () => {
    const list = Buffer.from('ffconcat version 1.0\nfile /etc/passwd\n');
    const key = await library.uploadFile('video.mp4', Buffer.concat([createVideo('video.mp4').subarray(0, 32), list]));
    expect(await library.waitForState(key, 'THUMBNAIL')).toBe('FAILED');
  });
});

describe('without ffmpeg', () => {
  test('a video has no thumbnail and no failure is recorded', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nonexistent';
    const withoutFfmpeg = await MediaLibrary.open();
    try {
      const header = Buffer.concat([Buffer.from('0000001c', 'hex'), Buffer.from('ftypisom'), Buffer.alloc(200)]);
      const key = await withoutFfmpeg.uploadFile('video.mp4', header);
      expect(await withoutFfmpeg.waitForState(key, 'THUMBNAIL')).toBe('NONE');
      expect(await withoutFfmpeg.renditions.find(key, 'THUMBNAIL')).toBeUndefined();
    } finally {
      process.env['PATH'] = path;
      await withoutFfmpeg.close();
    }
  });
});
