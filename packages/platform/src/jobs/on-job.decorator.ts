import { DiscoveryService } from '@nestjs/core';

export interface JobMetadata {
  /** `<app>.<context>.<action>`, the context of the log lines of this job. */
  readonly name: string;
  /** Milliseconds between the starts of two runs, and before the first run. */
  readonly intervalMs: number;
  /** The application start waits for a first run. */
  readonly runsAtStart?: boolean;
}

export const JobMetadata = DiscoveryService.createDecorator<JobMetadata>();

type JobMethod = (now: number, signal: AbortSignal) => Promise<unknown>;

type JobDecorator = <Method extends JobMethod>(
  target: object,
  key: string,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Runs the method periodically, see {@link JobScheduler}. The class must be a provider. The method receives the time in
 * Unix milliseconds, and a signal that is aborted when the application stops: a method that runs for long should then
 * return soon.
 */
export function OnJob(name: string, options: Omit<JobMetadata, 'name'>): JobDecorator {
  return JobMetadata({ name, ...options });
}
