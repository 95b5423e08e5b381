import type { INestApplicationContext, Type } from '@nestjs/common';
import { NatsUnavailableError } from '@family-watch/event-bus/errors';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Environment } from '../../config/environment.js';
import { EnvironmentError } from '../../config/load-environment.js';
import { DatabaseStartError } from '../../database/connection.js';
import { DataDirInUseError } from '../../database/data-dir-lock.js';
import { InternalCallError } from '../../errors/internal-call-error.js';
import { validateAs } from '../../http/request-validation.pipe.js';

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
    process.stderr.write(`${isExpected ? describe(error as Error) : String((error as Error).stack ?? error)}\n`);
    process.exitCode = EXIT_CODE.NOT_RUN;
  }
}

/** Returns the message of an error, and that of each rule that a request violates. */
function describe(error: Error): string {
  const details = error instanceof ServiceError ? (error.details ?? []) : [];
  return [error.message, ...details.map(({ message }) => message)].join('\n');
}

/**
 * Converts what was given to a command to the DTO of the operation that has the same effect.
 *
 * @param names - `nameOf` returns the name under which a field was given, by default that of an option; `usage`
 * explains the command
 * @throws UsageError with a line for each rule that is violated, and the usage
 */
export function validateArguments<Dto extends object>(
  dto: Type<Dto>,
  values: Readonly<Record<string, unknown>>,
  { nameOf = optionNameOf, usage }: { nameOf?: (field: string) => string; usage?: string } = {},
): Dto {
  try {
    return validateAs(dto, values);
  } catch (error) {
    if (!(error instanceof ServiceError && error.details)) throw error;
    const lines = error.details.map(({ field, message }) => {
      if (values[field.split('.', 1)[0] ?? ''] === undefined) return `${nameOf(field)} is required`;
      const property = `${field.split('.').at(-1)} `;
      return `${nameOf(field)} ${message.startsWith(property) ? message.slice(property.length) : `is invalid: ${message}`}`;
    });
    throw new UsageError([...new Set(lines), ...(usage === undefined ? [] : ['', usage])].join('\n'));
  }
}

/** Returns `--phone-number` for the field `phoneNumber`. */
function optionNameOf(field: string): string {
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
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
