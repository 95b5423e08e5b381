import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
/** Fields of `/proc/<pid>/stat` after the program's name, counted from `state`: proc(5) numbers 14, 15 and 24. */
const FIELD = { userTicks: 11, systemTicks: 12, residentPages: 21 } as const;

/** CPU seconds that a process has used since its start, in user and kernel mode; `undefined` when it is gone. */
export function cpuSecondsOf(pid: number): number | undefined {
  const fields = statOf(pid);
  return fields && (Number(fields[FIELD.userTicks]) + Number(fields[FIELD.systemTicks])) / TICKS_PER_SECOND;
}

/** Resident memory in bytes; 0 when the process is gone. */
export function residentBytesOf(pid: number): number {
  return Number(statOf(pid)?.[FIELD.residentPages] ?? 0) * PAGE_BYTES;
}

function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in parentheses and may hold any character.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
