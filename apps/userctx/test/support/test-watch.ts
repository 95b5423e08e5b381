import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { enrolmentSigningPayload, tokenSigningPayload } from '@family-watch/domain/watches/contracts/watch';
import type {
  EnrolRequestDto,
  TokenCreateRequestDto,
  WatchTokenDto,
} from '@family-watch/domain/watches/dto/enrolment.dto';
import type { BindCodeDto } from '@family-watch/domain/watches/dto/watch.dto';
import { WatchBindingService } from '../../src/watches/binding/watch-binding.service.js';
import { WatchIdentityService } from '../../src/watches/identity/watch-identity.service.js';

let imeiSerial = 0;

/** Returns an IMEI that is unique in the suite. */
export function createImei(): string {
  imeiSerial += 1;
  const digits = `35${String(imeiSerial).padStart(12, '0')}`;
  const sum = [...digits].reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  const checkDigit = (10 - (sum % 10)) % 10;
  return `${digits}${checkDigit}`;
}

/** Returns a text of the same length with one character changed. */
export function changeOneCharacter(text: string): string {
  return (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
}

/** A watch with a key pair, with which it signs the challenges of the service. */
export class TestWatch {
  readonly publicKey: string;
  readonly privateKey: KeyObject;
  did = 0;

  constructor(readonly imei = createImei()) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.publicKey = publicKey.export({ format: 'jwk' }).x ?? '';
    this.privateKey = privateKey;
  }

  static async createEnrolled(replica: INestApplicationContext, imei?: string): Promise<TestWatch> {
    const watch = new TestWatch(imei);
    watch.did = await replica.get(WatchIdentityService).enrol(watch.enrolment(replica));
    return watch;
  }

  get principal(): Principal {
    return { type: 'watch', id: String(this.did), sessionId: 'suite' };
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text, 'utf8'), this.privateKey).toString('base64url');
  }

  /** Builds an enrolment request with a fresh nonce. */
  enrolment(replica: INestApplicationContext): EnrolRequestDto {
    const challenge = replica.get(WatchIdentityService).challengeEnrolment(this.publicKey);
    const proof = this.sign(enrolmentSigningPayload(challenge, this.imei));
    const { imei, publicKey } = this;
    return { imei, publicKey, model: 'W7', firmwareVersion: '1.0.0', nonce: challenge.nonce, proof };
  }

  /** Builds a token request with a fresh nonce. */
  tokenRequest(replica: INestApplicationContext, did = this.did): TokenCreateRequestDto {
    const challenge = replica.get(WatchIdentityService).challengeToken(did);
    return { did, nonce: challenge.nonce, signature: this.sign(tokenSigningPayload(challenge, did)) };
  }

  token(replica: INestApplicationContext): Promise<WatchTokenDto> {
    return replica.get(WatchIdentityService).createToken(this.tokenRequest(replica));
  }

  bindCode(replica: INestApplicationContext): Promise<BindCodeDto> {
    return replica.get(WatchBindingService).createCode(this.did);
  }

  async bindTo(replica: INestApplicationContext, owner: Principal, cid: string): Promise<void> {
    const { bindCode, confirmCode } = await this.bindCode(replica);
    await replica.get(WatchBindingService).bind(owner, { bindCode, confirmCode, cid });
  }
}
