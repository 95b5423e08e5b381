import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readOptions, UsageError } from './options.js';

describe('readOptions', () => {
  test('returns defaults without arguments', () => {
    expect(readOptions([], {})).toEqual({
      localUrl: 'http://127.0.0.1:8080',
      keep: false,
      speed: 60,
      smsFile: resolve('.data/sms-outbox.jsonl'),
      json: false,
    });
    expect(readOptions([], { DATA_DIR: '/srv/watch' })).toMatchObject({ smsFile: '/srv/watch/sms-outbox.jsonl' });
  });

  test('reads every option', () => {
    const args = ['--url', 'http://127.0.0.1:9000/', '--track', 'walk.gpx', '--speed=600', '--sms-file', 's', '--json'];
    expect(readOptions(args, {})).toEqual({
      url: 'http://127.0.0.1:9000',
      localUrl: 'http://127.0.0.1:8080',
      track: resolve('walk.gpx'),
      keep: false,
      speed: 600,
      smsFile: resolve('s'),
      json: true,
    });
    expect(readOptions(['--keep'], {})).toMatchObject({ keep: true });
    expect(readOptions(['-h'], {})).toBe('help');
  });

  test.each([
    [{ PORT: '9000' }, 'http://127.0.0.1:9000'],
    [{ PORT: '', HOST: '0.0.0.0' }, 'http://127.0.0.1:8080'],
    [{ HOST: '192.0.2.1', PORT: '80' }, 'http://192.0.2.1:80'],
    [{ HOST: '::1' }, 'http://[::1]:8080'],
  ])('finds the server of npm start with the variables %j', (env, url) => {
    expect(readOptions([], env)).toMatchObject({ localUrl: url });
  });

  test.each([
    [['--speed', '0.5']],
    [['--speed', 'fast']],
    [['--speed']],
    [['--url', 'localhost']],
    [['--keep', '--speed', '60']],
    [['--keep', '--track', 'walk.gpx']],
    [['--fast']],
    [['walk.gpx']],
  ])('rejects the arguments %j', (args) => {
    expect(() => readOptions(args, {})).toThrow(UsageError);
  });
});
