import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readOptions, UsageError } from './options.js';

describe('readOptions', () => {
  it('returns defaults without arguments', () => {
    expect(readOptions([], {})).toEqual({ speed: 60, smsFile: resolve('.data/sms-outbox.jsonl'), json: false });
    expect(readOptions([], { DATA_DIR: '/srv/watch' })).toMatchObject({ smsFile: '/srv/watch/sms-outbox.jsonl' });
  });

  it('reads every option', () => {
    const args = ['--url', 'http://127.0.0.1:9000/', '--track', 'walk.gpx', '--speed=600', '--sms-file', 's', '--json'];
    expect(readOptions(args, {})).toEqual({
      url: 'http://127.0.0.1:9000',
      track: resolve('walk.gpx'),
      speed: 600,
      smsFile: resolve('s'),
      json: true,
    });
    expect(readOptions(['-h'], {})).toBe('help');
  });

  it.each([
    [['--speed', '0.5']],
    [['--speed', 'fast']],
    [['--speed']],
    [['--url', 'localhost']],
    [['--fast']],
    [['walk.gpx']],
  ])('rejects the arguments %j', (args) => {
    expect(() => readOptions(args, {})).toThrow(UsageError);
  });
});
