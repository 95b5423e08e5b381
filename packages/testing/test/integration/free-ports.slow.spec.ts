import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { freePorts } from '@family-watch/testing/network/free-ports';
import { needs } from '@family-watch/testing/requirements/needs';

/** Ports that nothing but this suite uses. */
const RANGE = { first: 19_990, last: 19_993 };
const MODULE = import.meta.resolve('@family-watch/testing/network/free-ports');

/** Calls `freePorts` in another process, which ends afterwards. */
async function freePortsOfOtherProcess(count: number): Promise<number[]> {
  const script = `import { freePorts } from '${MODULE}';
    console.log(JSON.stringify(await freePorts(${count}, ${JSON.stringify(RANGE)})));`;
  const args = [...process.execArgv, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as number[];
}

needs('linux').test('freePorts returns consecutive ports that no process uses or has reserved', async () => {
  const all = [19_990, 19_991, 19_992, 19_993];
  expect(await freePortsOfOtherProcess(4)).toEqual(all);
  const server = createServer().listen(19_990, '127.0.0.1');
  await once(server, 'listening');
  expect(await freePortsOfOtherProcess(3)).toEqual(all.slice(1));
  const [first = 0, second] = await freePorts(2, { first: 19_991, last: 19_993 });
  expect(second).toBe(first + 1);
  expect(await freePortsOfOtherProcess(1)).toEqual(all.filter((port) => ![19_990, first, second].includes(port)));
  await expect(freePortsOfOtherProcess(2)).rejects.toThrow('Found no 2 free ports');
  await once(server.close(), 'close');
});
