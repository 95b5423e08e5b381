import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OperatorRole } from '@family-watch/domain/operators/contracts/operator';
import type { CreatedOperatorDto, OperatorTokenDto } from '@family-watch/domain/operators/dto/operator.dto';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import { expectOk, HttpClient } from './http-client.js';
import type { TestService } from './test-service.js';

const PROGRAM = join(import.meta.dirname, '../../dist/operator.js');
export const OPERATOR_PATH = '/apis/v2/operator/';

/** Runs `npm run operator` on the database of the service. @returns the output @throws Error with another exit code than 0 */
export function runOperatorProgram(service: TestService, ...args: string[]): Promise<string> {
  return runOperatorProgramWith({}, service, ...args);
}

/** Like {@link runOperatorProgram}, with further environment variables. */
export async function runOperatorProgramWith(
  variables: Readonly<Record<string, string>>,
  service: TestService,
  ...args: string[]
): Promise<string> {
  const { databaseUrl: DATABASE_URL, secretKey: SECRET_KEY } = service;
  const env = { ...PROGRAM_ENVIRONMENT, DATABASE_URL, SECRET_KEY, ...variables };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], { env });
  return stdout;
}

export type OperatorCredentials = Pick<
  CreatedOperatorDto,
  'operatorId' | 'password' | 'otpauthUrl' | 'recoveryCodes'
> & {
  loginName: string;
};

/** Creates an operator with the command line. */
async function createOperator(service: TestService, roles: readonly OperatorRole[]): Promise<OperatorCredentials> {
  const loginName = uniqueLoginName();
  const args = ['operators', 'create', '--name', loginName, '--roles', roles.join(',')];
  const output = await runOperatorProgram(service, ...args);
  const all = (label: string) =>
    [...output.matchAll(new RegExp(`^ {2}${label} +(\\S+)$`, 'gm'))].map(([, value = '']) => value);
  const [[operatorId = ''], [password = ''], [otpauthUrl = '']] = [
    all('operator id'),
    all('password'),
    all('authenticator'),
  ];
  return { loginName, operatorId, password, otpauthUrl, recoveryCodes: all('recovery code') };
}

export const uniqueLoginName = (): string => `op-${randomUUID().slice(0, 8)}`;

/** A signed-in operator. */
export class Operator extends HttpClient {
  private constructor(
    service: TestService,
    readonly credentials: OperatorCredentials,
    readonly tokens: OperatorTokenDto,
  ) {
    super(service.url, tokens.accessToken);
  }

  /** Creates an operator and signs in with a recovery code: a TOTP code is valid only once. */
  static async create(service: TestService, roles: readonly OperatorRole[]): Promise<Operator> {
    return Operator.signIn(service, await createOperator(service, roles));
  }

  static async signIn(service: TestService, credentials: OperatorCredentials): Promise<Operator> {
    const { loginName, password } = credentials;
    const code = credentials.recoveryCodes.pop();
    const signIn = new HttpClient(service.url).post<OperatorTokenDto>(`${OPERATOR_PATH}account/sign-in`, {
      loginName,
      password,
      code,
    });
    return new Operator(service, credentials, await expectOk(signIn));
  }

  /** Creates another operator as this administrator. */
  async createCredentials(roles: readonly OperatorRole[]): Promise<OperatorCredentials> {
    const loginName = uniqueLoginName();
    const created = this.post<CreatedOperatorDto>(`${OPERATOR_PATH}account/create`, { loginName, roles });
    return { ...(await expectOk(created)), loginName };
  }

  /** Creates another operator as this administrator and signs in as the new operator. */
  async createOther(service: TestService, roles: readonly OperatorRole[]): Promise<Operator> {
    return Operator.signIn(service, await this.createCredentials(roles));
  }
}
