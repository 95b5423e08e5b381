import { readFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';

const GIBIBYTE_BYTES = 1_024 ** 3;

export interface Machine {
  processor: string;
  cores: number;
  memoryGibibytes: number;
  system: string;
  nodeVersion: string;
}

export function describeMachine(): Machine {
  const cores = cpus();
  return {
    processor: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memoryGibibytes: Math.round(totalmem() / GIBIBYTE_BYTES),
    system: `${type()} ${release()} ${arch()}`,
    nodeVersion: process.version,
  };
}

/** Returns the kernel's load averages of 1, 5 and 15 minutes, which show how much other work affects the results. */
export function loadAverage(): string {
  return readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).join(' ');
}
