import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createPrivateKey, createPublicKey, randomInt, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isImei } from '@family-watch/domain/watches/contracts/watch';
import { installClientPackage } from '@family-watch/testing/process/install-client-package';
import { LIMIT_MS } from '@family-watch/testing/waiting/wait-for';
import { TestService } from '../support/test-service.js';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../../../..');
const GUIDE = readFileSync(join(ROOT, 'docs/guide.md'), 'utf8');
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns the code blocks of one language, in the order of the guide. */
function blocksOf(language: 'sh' | 'ts'): string {
  return [...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code).join('\n');
}

function randomImei(): string {
  const digits = String(randomInt(10 ** 13, 10 ** 14));
  return [...'0123456789'].map((check) => digits + check).find(isImei) ?? '';
}

describe('docs/guide.md', () => {
  let service: TestService;
  let project: string;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    project = mkdtempSync(join(tmpdir(), 'fw-guide-'));
    await installClientPackage(project);
    // As `npm init` writes it.
    writeFileSync(join(project, 'package.json'), '{ "name": "app", "version": "1.0.0", "type": "commonjs" }');
  });

  afterAll(async () => {
    rmSync(project, { recursive: true, force: true });
    await service.stop();
  });

  /**
   * Runs a program of the guide as another person. The programs do not wait after 503, so that a program whose request
   * the overloaded service of a busy machine has rejected runs again.
   */
  const execute = async (program: string, args: string[], attempts = 5): Promise<string> => {
    const env = {
      ...process.env,
      BASE_URL: service.url,
      SMS_FILE: join(service.dataDir, 'sms-outbox.jsonl'),
      PHONE: `139${String(randomInt(100_000_000)).padStart(8, '0')}`,
      IMEI: randomImei(),
    };
    try {
      return (await run(program, args, { cwd: project, env, timeout: LIMIT_MS })).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      if (attempts === 1 || !`${stdout}${stderr}`.includes('OVERLOADED')) throw error;
      return execute(program, args, attempts - 1);
    }
  };

  test('its curl commands work in their order', async () => {
    writeFileSync(join(project, 'guide.sh'), `set -euo pipefail\n${blocksOf('sh')}`);
    const output = await execute('bash', ['guide.sh']);
    expect(output).toContain('Are you home?');
    expect(output).toContain('"latitude":"31.2304"');
  });

  test('its TypeScript works in its order with the published package', async () => {
    writeFileSync(join(project, 'guide.mts'), blocksOf('ts'));
    expect(await execute(process.execPath, ['guide.mts'])).toBe('Yes!\n1 true true true\n');
  });

  test('its TypeScript has no type errors', async () => {
    writeFileSync(join(project, 'guide.mts'), blocksOf('ts'));
    const typeRoots = [join(ROOT, 'node_modules/@types')];
    const options = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'], typeRoots };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['guide.mts'] }));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    // Errors of the compiler are on its standard output.
    const { stdout } = await run(process.execPath, [compiler], { cwd: project }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe('');
  });

  test('its example of the signed texts is correct', () => {
    const row = (name: string): string => new RegExp(`^\\| ${name}[^|]*\\| \`([^\`]+)\``, 'm').exec(GUIDE)?.[1] ?? '';
    const seed = Buffer.from(row('private key'), 'hex');
    const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
    const signed = (purpose: string, id: string) =>
      sign(null, Buffer.from(`family-watch/${purpose}\n${row('audience')}\n${row('nonce')}\n${id}`), key);
    expect({
      publicKey: row('publicKey'),
      proof: row('proof'),
      signature: row('signature'),
    }).toEqual({
      publicKey: publicKey.toString('base64url'),
      proof: signed('enrol', row('imei')).toString('base64url'),
      signature: signed('token', row('did')).toString('base64url'),
    });
  });
});
