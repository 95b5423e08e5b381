import type { INestApplicationContext } from '@nestjs/common';
import { NatsUnavailableError } from '@family-watch/event-bus/errors';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Environment } from '../config/environment.js';
import { EnvironmentError } from '../config/load-environment.js';
import { DatabaseStartError } from '../database/connection.js';
import { DataDirInUseError } from '../database/data-dir-lock.js';
import { InternalCallError } from '../http/internal-call-error.js';

/**
 * Exit codes of commands. `NOT_FOUND`: what a command should change does not exist, or cannot be changed. `NOT_RUN`:
 * nothing was done.
 */
export const EXIT_CODE = { DONE: 0, NOT_FOUND: 1, NOT_RUN: 2 } as const;

/** Options of a command by name, as texts. */
export type CommandOptions = Readonly<Partial<Record<string, string>>>;

/** A command that runs in the services of an app. */
export interface ServiceCommand {
  /** Returns the fields for the audit list. @throws UsageError if an option is absent or invalid */
  fields(options: CommandOptions, args: readonly string[]): Record<string, string>;
  /** Returns the exit code. */
  run(app: INestApplicationContext, options: CommandOptions, args: readonly string[]): Promise<number>;
}

/** The arguments of a command are not valid; the message explains them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The database server that one command uses; `stop` is called when the command has ended. */
export interface DatabaseServer {
  url: string;
  stop(): Promise<void>;
}

export type OpenDatabaseServer = (environment: Environment) => Promise<DatabaseServer>;

/** Uses the server of DATABASE_URL. @throws EnvironmentError if DATABASE_URL is not set */
export async function useDatabaseUrl({ DATABASE_URL }: Environment): Promise<DatabaseServer> {
  if (DATABASE_URL === undefined) throw new EnvironmentError(['DATABASE_URL is required']);
  return { url: DATABASE_URL, stop: () => Promise.resolve() };
}

/**
 * Runs a command line and sets the exit code of the process to the result of `run`. Of an error that the caller can
 * mend, only the message is printed; other errors are printed with their stack.
 */
export async function runCommandLine(run: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await run();
  } catch (error) {
    const expected = [
      UsageError,
      ServiceError,
      EnvironmentError,
      DataDirInUseError,
      DatabaseStartError,
      InternalCallError,
      NatsUnavailableError,
    ];
    const isExpected = expected.some((kind) => error instanceof kind);
    process.stderr.write(`${isExpected ? (error as Error).message : String((error as Error).stack ?? error)}\n`);
    process.exitCode = EXIT_CODE.NOT_RUN;
  }
}

/** @throws UsageError */
export function requireOption(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${name} is required`);
  return value;
}

/**
 * Prints a line. Control and format characters are escaped, because names that others have chosen could otherwise change
 * what the terminal shows.
 */
export function printLine(line: string): void {
  const escape = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  process.stdout.write(`${line.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escape)}\n`);
}
