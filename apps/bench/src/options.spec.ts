import { expect, test } from '@jest/globals';
import { readOptions, UsageError } from './options.js';

test('readOptions selects all benchmarks except growth, kill and attack by default, with the sizes for which the goals are defined', () => {
  expect(readOptions([], {})).toEqual({
    benches: ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9'],
    seconds: 15,
    pairs: 200,
    window: 10,
    rounds: 3,
    connections: 10_000,
    users: 5_000,
    times: 50,
    apps: ['userctx', 'gateway', 'mcdisk'],
    scales: [1, 10, 100, 1_000],
    servers: ['gateway', 'bare', 'bare-same-rows', 'ejabberd'],
    deployments: ['standalone', 'distributed'],
    scenarios: [
      'strangers',
      'writers-40',
      'writers-700',
      'writers-20-accounts',
      'exports',
      'slow-uploads',
      'large-frames',
      'silent-push-1',
      'silent-push-8',
    ],
    quick: false,
    record: false,
  });
});

test('readOptions parses benchmark names and sizes', () => {
  const options = readOptions(['b1', 'kill', '--seconds', '5', '--servers', 'gateway,bare'], {});
  expect(options).toMatchObject({ benches: ['b1', 'kill'], seconds: 5, servers: ['gateway', 'bare'] });
});

test('readOptions selects small loads and two kills with --quick, 20 seconds of attack, and what is given', () => {
  expect(readOptions(['--quick'], {})).toMatchObject({
    benches: ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9', 'growth', 'kill'],
    seconds: 0.4,
    rounds: 1,
    times: 2,
    scales: [1, 3],
  });
  expect(readOptions(['attack', '--quick'], {})).toMatchObject({ quick: true, seconds: 20 });
  expect(readOptions(['attack', '--quick', '--seconds', '5'], {})).toMatchObject({ quick: true, seconds: 5 });
});

test('readOptions selects a minute per scenario of attack, and the scenarios that are named', () => {
  expect(readOptions(['attack'], {})).toMatchObject({ seconds: 60 });
  const options = readOptions(['attack', '--scenarios', 'writers-40,exports', '--seconds', '5'], {});
  expect(options).toMatchObject({ scenarios: ['writers-40', 'exports'], seconds: 5 });
});

test('readOptions uses DATABASE_URL as the default of --database', () => {
  expect(readOptions([], { DATABASE_URL: 'postgres://a' })).toMatchObject({ database: 'postgres://a' });
  expect(readOptions(['--database', 'postgres://b'], { DATABASE_URL: 'postgres://a' })).toMatchObject({
    database: 'postgres://b',
  });
  expect(readOptions([], { DATABASE_URL: '' })).not.toHaveProperty('database');
});

test.each([
  ['b0'],
  ['--scales', '10,1'],
  ['--scales', '1'],
  ['--quick', '--record'],
  ['--pairs', '0'],
  ['--pairs', 'many'],
  ['--seconds', '0'],
  ['--seconds', 'many'],
  ['--rounds', '1.5'],
  ['--servers', 'gateway,irc'],
  ['--scenarios', 'writers'],
  ['--x'],
])('readOptions rejects the arguments %s %s', (...args) => {
  expect(() => readOptions(args, {})).toThrow(UsageError);
});
