import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { ObtainedConnection } from './app-data-source.js';
import { DatabaseCircuit } from './connection-policies.js';

const REFUSED = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('log lines of DatabaseCircuit', () => {
  let lines: unknown[];
  let circuit: DatabaseCircuit;

  beforeEach(() => {
    lines = [];
    const addLine = (line: { msg: string }) => void lines.push(line.msg);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(addLine);
    jest.spyOn(Logger.prototype, 'error').mockImplementation(addLine);
    circuit = new DatabaseCircuit({ name: 'test', url: 'postgres://unused', silenceMs: 1_000, probeTimeoutMs: 1_000 });
  });

  afterEach(() => void jest.restoreAllMocks());

  const fail = () => expect(circuit.obtain(() => Promise.reject(REFUSED), undefined)).rejects.toBe(REFUSED);

  test('report an outage and its end once', async () => {
    await fail();
    await fail();
    circuit.reportAvailable();
    circuit.reportAvailable();
    expect(lines).toEqual(['Database is unavailable', 'Database is available again']);
  });

  test('report no second outage when an attempt fails that began before the end of the first', async () => {
    const attempt = Promise.withResolvers<ObtainedConnection>();
    const late = circuit.obtain(() => attempt.promise, undefined);
    await fail();
    circuit.reportAvailable();
    attempt.reject(REFUSED);
    await expect(late).rejects.toBe(REFUSED);
    expect(lines).toEqual(['Database is unavailable', 'Database is available again']);
  });

  test('report the next outage', async () => {
    await fail();
    circuit.reportAvailable();
    await fail();
    expect(lines).toEqual(['Database is unavailable', 'Database is available again', 'Database is unavailable']);
  });
});
