import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { MediaLibrary } from '../support/media-library.js';
import { FFMPEG_IS_INSTALLED, film, played } from '../support/ffmpeg.js';

const PLACE = '+48.1371+011.5761/';
const METADATA = [
  '-metadata',
  `location=${PLACE}`,
  '-metadata',
  'creation_time=2026-05-17T06:30:05Z',
  '-metadata',
  `comment=${PLACE}`,
];
const SHOT_AT = Date.UTC(2026, 4, 17, 6, 30, 5);
const AS_QUICKTIME = ['-movflags', 'use_metadata_tags', '-metadata', `com.apple.quicktime.location.ISO6709=${PLACE}`];

let library: MediaLibrary;

beforeAll(async () => {
  library = await MediaLibrary.open();
});

afterAll(() => library.close());

// Needs ffmpeg to make and to play films.
(FFMPEG_IS_INSTALLED ? describe : describe.skip)('films', () => {
  test.each([
    ['MP4, its index behind', 'film.mp4', METADATA],
    ['MP4, its index in front', 'film.mp4', [...METADATA, '-movflags', '+faststart']],
    ['MP4 in fragments', 'film.mp4', [...METADATA, '-movflags', 'frag_keyframe+empty_moov+default_base_moof']],
    ['QuickTime', 'film.mov', METADATA],
    ['QuickTime with keys', 'film.mov', [...METADATA, ...AS_QUICKTIME]],
    ['3GP', 'film.3gp', METADATA],
    ['sound in an MP4', 'film.m4a', ['-vn', ...METADATA]],
  ])('%s: plays alike, and tells no place', async (_, name, options) => {
    const original = film(name, ...options);
    expect(original.includes('48.1371') || original.includes('loci')).toBe(true);
    const shared = await library.sharedOf(await library.store('film.txt', original));
    expect(shared.bytes).toHaveLength(original.length);
    for (const trace of ['48.1371', '011.5761', 'loci', '\xa9xyz', 'ISO6709']) {
      expect(shared.bytes.toString('latin1')).not.toContain(trace);
    }
    if (name !== 'film.m4a') expect(played(shared.bytes)).toBe(played(original));
  });

  test.each([
    ['MP4', 'film.mp4', METADATA],
    ['MP4 in fragments', 'film.mp4', [...METADATA, '-movflags', 'frag_keyframe+empty_moov+default_base_moof']],
    ['QuickTime', 'film.mov', METADATA],
    ['3GP', 'film.3gp', METADATA],
  ])('%s has its first picture as thumbnail, and its time', async (_, name, options) => {
    // Equal bytes would be those of the test above.
    const key = await library.store(name, film(name, ...options, '-metadata', 'title=Poster'));
    const thumbnail = await library.thumbnailOf(key);
    expect(thumbnail.mediaType).toBe('image/jpeg');
    expect(await sharp(thumbnail.bytes).metadata()).toMatchObject({ width: 320, height: 240 });
    expect(await library.shotTimesOf(key)).toEqual([SHOT_AT]);
  });

  test('others have a thumbnail, too, and are not shared', async () => {
    const key = await library.store('film.mkv', film('film.mkv', ...METADATA));
    expect((await library.thumbnailOf(key)).mediaType).toBe('image/jpeg');
    await expect(library.sharedOf(key)).rejects.toThrow('FAILED');
  });

  test('one that was cut off has no thumbnail when its index is missing', async () => {
    const whole = film('film.mp4');
    const key = await library.store('half.mp4', whole.subarray(0, whole.length - 2_000));
    expect(await library.settled(key, 'THUMBNAIL')).toBe('FAILED');
    await expect(library.sharedOf(key)).rejects.toThrow('FAILED');
  });

  test('a list of other files that calls itself a film opens none of them', async () => {
    const list = Buffer.from('ffconcat version 1.0\nfile /etc/passwd\n');
    const key = await library.store('film.mp4', Buffer.concat([film('film.mp4').subarray(0, 32), list]));
    expect(await library.settled(key, 'THUMBNAIL')).toBe('FAILED');
  });
});

describe('without ffmpeg', () => {
  test('a film has no thumbnail, which is no fault', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nonexistent';
    const bare = await MediaLibrary.open();
    try {
      const header = Buffer.concat([Buffer.from('0000001c', 'hex'), Buffer.from('ftypisom'), Buffer.alloc(200)]);
      const key = await bare.store('film.mp4', header);
      expect(await bare.settled(key, 'THUMBNAIL')).toBe('NONE');
      expect(await bare.renditions.find(key, 'THUMBNAIL')).toBeUndefined();
    } finally {
      process.env['PATH'] = path;
      await bare.close();
    }
  });
});
