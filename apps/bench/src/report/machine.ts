import { readFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';

const GIBIBYTE = 1_024 ** 3;

export interface Machine {
  processor: string;
  cores: number;
  /** GiB. */
  memory: number;
  system: string;
  node: string;
}

export function describeMachine(): Machine {
  const cores = cpus();
  return {
    processor: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memory: Math.round(totalmem() / GIBIBYTE),
    system: `${type()} ${release()} ${arch()}`,
    node: process.version,
  };
}

/** Load of the last minute, of five and of fifteen, as the kernel says it; what others do to the figures. */
export function loadAverage(): string {
  return readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).join(' ');
}
