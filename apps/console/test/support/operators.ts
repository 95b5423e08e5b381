import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateSync } from 'otplib';
import type { Page } from 'playwright-core';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';

const PROGRAM = join(import.meta.dirname, '../../../standalone/dist/operator.js');

/** What an operator signs in with. */
export interface OperatorCredentials {
  readonly loginName: string;
  readonly password: string;
  /** Secret of the authenticator app. */
  readonly secret: string;
  /** Each is valid once. */
  readonly recoveryCodes: string[];
}

/** Runs `npm run operator` on the database of a service. */
export async function runOperatorProgram(
  { databaseUrl, secretKey }: { databaseUrl: string; secretKey: string },
  ...args: string[]
): Promise<string> {
  const env = { ...PROGRAM_ENVIRONMENT, DATABASE_URL: databaseUrl, SECRET_KEY: secretKey };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], { env });
  return stdout;
}

/** Reads the output of `operators create`. */
export function parseCredentials(loginName: string, output: string): OperatorCredentials {
  const all = (label: string) =>
    [...output.matchAll(new RegExp(`^ {2}${label} +(\\S+)$`, 'gm'))].map(([, value = '']) => value);
  const [password = ''] = all('password');
  const [otpauthUrl = ''] = all('authenticator');
  const secret = new URL(otpauthUrl).searchParams.get('secret') ?? '';
  return { loginName, password, secret, recoveryCodes: all('recovery code') };
}

/** Returns the present code of the authenticator app. */
export function totpCode({ secret }: OperatorCredentials): string {
  return generateSync({ secret });
}

/** Fills the form of the sign-in and sends it. */
export async function signInOperator(page: Page, credentials: OperatorCredentials, code: string): Promise<void> {
  await page.getByLabel(/^Login name/).fill(credentials.loginName);
  await page.getByLabel(/^Password/).fill(credentials.password);
  await page.getByLabel(/^Code/).fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
