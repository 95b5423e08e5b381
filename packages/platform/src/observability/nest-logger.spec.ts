import { Logger as ContextLogger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createLogger, NestLogger } from './logger.js';

describe('NestLogger', () => {
  let lines: Record<string, unknown>[];
  const logger = new ContextLogger('FencesJob');

  beforeEach(() => {
    lines = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    ContextLogger.overrideLogger(new NestLogger(createLogger('debug', 'test', { write })));
  });
  afterEach(() => {
    ContextLogger.overrideLogger(['log', 'warn', 'error', 'fatal', 'debug']);
  });

  test.each([
    ['debug', 20],
    ['log', 30],
    ['warn', 40],
    ['error', 50],
    ['fatal', 60],
  ] as const)('method %s writes the message and the fields of an entry at pino level %d', (method, level) => {
    logger[method]({ msg: 'Fence evaluation failed', cid: 'c1' });
    expect(lines).toMatchObject([{ level, context: 'FencesJob', msg: 'Fence evaluation failed', cid: 'c1' }]);
  });

  test('writes an error with its type, message, stack and code', () => {
    logger.warn({ msg: 'Job failed', err: Object.assign(new Error('No route'), { code: 'EHOSTUNREACH' }) });
    const err = {
      type: 'Error',
      message: 'No route',
      code: 'EHOSTUNREACH',
      stack: expect.stringContaining('No route'),
    };
    expect(lines).toMatchObject([{ msg: 'Job failed', err }]);
  });

  test('writes an error that is logged without a message with the message `Unexpected error`', () => {
    logger.error(new Error('No route'));
    expect(lines).toMatchObject([{ level: 50, msg: 'Unexpected error', err: { message: 'No route' } }]);
  });

  test('writes plain strings, which come from the framework, at level debug', () => {
    logger.log('Mapped {/health, GET} route');
    expect(lines).toMatchObject([{ level: 20, msg: 'Mapped {/health, GET} route' }]);
  });
});
