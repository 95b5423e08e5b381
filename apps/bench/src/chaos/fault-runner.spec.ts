import { expect, test } from '@jest/globals';
import type { LogEntryWithoutTime } from '../checker/log-entries.js';
import type { ChaosEnvironment } from './chaos-environment.js';
import { FaultRunner } from './fault-runner.js';

test('FaultRunner fails after five starts of a process that ends by itself after each start', async () => {
  const service = {
    isRunning: () => false,
    kill: async () => undefined,
    restart: () => Promise.reject(new Error('exited before its readiness')),
  };
  const entries: LogEntryWithoutTime[] = [];
  const environment = { service } as unknown as ChaosEnvironment;
  const faults = new FaultRunner(environment, { write: (entry) => entries.push(entry) }, () => undefined);
  const fault = { kind: 'process killed', process: 'userctx', durationMs: 0, isDataLost: false, pauseMs: 0 } as const;
  await expect(faults.run(fault)).rejects.toThrow('exited before its readiness');
  const afterFault = entries.slice(entries.findIndex(({ kind }) => kind === 'fault') + 1);
  expect(afterFault).toEqual(Array.from({ length: 5 }, () => ({ kind: 'process-exited', process: 'userctx' })));
});
