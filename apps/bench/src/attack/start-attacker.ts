import { fileURLToPath } from 'node:url';
import { ServerProcess } from '../servers/server-process.js';
import type { AccountAttackOptions, AccountAttackReport } from './account-attacker-main.js';
import type { AttackOptions, AttackReport } from './attacker-main.js';

/** The programs of attackers, with their options and reports. */
interface AttackerPrograms {
  'attacker-main': { options: AttackOptions; report: AttackReport };
  'account-attacker-main': { options: AccountAttackOptions; report: AccountAttackReport };
}

/**
 * Starts the attack in a separate process, so that its CPU time is neither the service's nor that of the measured
 * clients.
 *
 * @returns a function that ends the attack and returns the report of the attacker
 */
export async function startAttacker<Program extends keyof AttackerPrograms>(
  program: Program,
  options: AttackerPrograms[Program]['options'],
): Promise<() => Promise<AttackerPrograms[Program]['report']>> {
  const attacker = await ServerProcess.start({
    name: 'attacker',
    command: process.execPath,
    args: ['--enable-source-maps', fileURLToPath(new URL(`./${program}.js`, import.meta.url)), JSON.stringify(options)],
    readyPattern: /the attack has begun/,
  });
  return async () => {
    if (!attacker.isRunning) throw new Error(`The attacker has failed:\n${attacker.outputTail}`);
    await attacker.stop();
    return JSON.parse(attacker.outputTail.split('\n').at(-1) ?? '') as AttackerPrograms[Program]['report'];
  };
}
