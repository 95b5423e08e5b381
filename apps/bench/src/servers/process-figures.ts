import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
/** Indexes of the fields after pid and name in `/proc/<pid>/stat`; proc(5) numbers these fields 14, 15 and 24. */
const FIELD_INDEX = { userTicks: 11, systemTicks: 12, residentPages: 21 } as const;

/** Returns the user and kernel CPU seconds of a process since its start, or `undefined` after its exit. */
export function cpuSecondsOf(pid: number): number | undefined {
  const fields = readStatFields(pid);
  return fields && (Number(fields[FIELD_INDEX.userTicks]) + Number(fields[FIELD_INDEX.systemTicks])) / TICKS_PER_SECOND;
}

/** Returns the resident memory of a process in bytes; 0 when it has exited. */
export function residentBytesOf(pid: number): number {
  return Number(readStatFields(pid)?.[FIELD_INDEX.residentPages] ?? 0) * PAGE_BYTES;
}

/** Starts a new measurement of the peak of a process's memory. */
export function resetPeakBytes(pid: number): void {
  // The value 5 resets the peak to the current resident memory (proc_pid_clear_refs(5)).
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Returns the peak of the resident memory of a process since `resetPeakBytes`, in bytes. */
export function peakBytesOf(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1_024;
}

/**
 * Returns the seconds since its start in which the main thread of a process was ready to run and waited for a processor;
 * 0 on systems without these statistics.
 */
export function processorWaitSecondsOf(pid: number): number {
  try {
    const [, waitNanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waitNanoseconds) / 1e9;
  } catch {
    return 0;
  }
}

/** Returns the number of files and connections that a process has open. */
export function openHandlesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function readStatFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name is in parentheses and may contain any character.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
