import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { DatabaseUnavailableError } from '../errors/database-errors.js';
import { InternalCallError } from '../errors/internal-call-error.js';
import { createLogger, type Logger } from './logger.js';

test('a line about an app that does not respond has no stack, and names the cause', () => {
  const lines: string[] = [];
  const logger = createLogger('info', 'test', { write: (line: string) => void lines.push(line) });
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  logger.warn({ err: new InternalCallError('No response from userctx', { cause: refused }) }, 'Query failed');
  logger.warn({ err: new Error('A defect') }, 'Query failed');
  expect(lines[0]).toContain('ECONNREFUSED');
  expect(lines[0]).not.toContain('"stack"');
  expect(lines[1]).toContain('"stack"');
});

describe('log lines about an unavailable database', () => {
  let lines: Record<string, unknown>[];
  let logger: Logger;
  const outage = () =>
    new DatabaseUnavailableError({ cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
  const failure = (context: string, err: Error = outage()) => ({ context, msg: 'Job failed', err });

  beforeEach(() => {
    lines = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    logger = createLogger('info', 'test', { write });
  });

  test('contain the codes of the error and its causes, without stacks', () => {
    logger.warn(failure('FencesJob', new Error('Batch failed', { cause: outage() })));
    expect(lines).toMatchObject([
      {
        level: 40,
        msg: 'Job failed',
        err: { cause: { type: 'DatabaseUnavailableError', cause: { code: 'ECONNREFUSED' } } },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('stack');
  });

  test('are written once per context, message and app', () => {
    const apps = [logger.child({ app: 'userctx' }), logger.child({ app: 'mcdisk' })];
    for (let run = 0; run < 3; run += 1) {
      logger.warn(failure('FencesJob'));
      logger.warn(failure('SosJob'));
      logger.error({ err: outage() }, 'Relay failed');
      for (const app of apps) app.error({ err: outage() }, 'Relay failed');
    }
    expect(lines.map(({ app, context, msg }) => [app ?? context ?? '', msg])).toEqual([
      ['FencesJob', 'Job failed'],
      ['SosJob', 'Job failed'],
      ['', 'Relay failed'],
      ['userctx', 'Relay failed'],
      ['mcdisk', 'Relay failed'],
    ]);
  });

  test('are written at level debug when they repeat, and at their level again after a minute without repetition', () => {
    jest.useFakeTimers();
    try {
      logger.level = 'debug';
      for (const passedMs of [0, 59_000, 59_000, 60_000]) {
        jest.advanceTimersByTime(passedMs);
        logger.warn(failure('FencesJob'));
      }
    } finally {
      jest.useRealTimers();
    }
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([40, 20, 20, 40].map((level) => [level, 'Job failed']));
  });

  test('do not include lines about other errors, which are written each time and with a stack', () => {
    for (let run = 0; run < 2; run += 1) logger.warn(failure('FencesJob', new TypeError('bug')));
    expect(lines).toHaveLength(2);
    for (const { err } of lines)
      expect(err).toMatchObject({ stack: expect.stringContaining('TypeError: bug') as unknown });
  });
});

test('a log line contains no token, phone number or location, neither its own nor those of a request', () => {
  const lines: string[] = [];
  const logger = createLogger('info', 'test', { write: (line) => void lines.push(line) });
  const secrets = { token: 'secret-1', phoneNumber: 'secret-2', latitude: 'secret-3', password: 'secret-4' };
  logger.info({ ...secrets, userId: 'u1' }, 'Sign-in');
  logger.info({ body: { ...secrets, code: 'secret-5', name: 'secret-6' } }, 'Request');
  logger.info({ headers: { authorization: 'secret-7' } }, 'Request');
  expect(lines.join('')).not.toContain('secret');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ name: 'test', userId: 'u1', msg: 'Sign-in' });
});
