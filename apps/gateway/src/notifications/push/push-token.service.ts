import { createECDH, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { WebPushKeys } from '@family-watch/domain/messages/contracts/subscription';
import type { CreatePushTokenDto, PushTokenDto } from '@family-watch/domain/messages/dto/subscription.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { CLOCK, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { isPublicEndpoint } from './providers/public-endpoint.js';
import { PushProviderRegistryService } from './providers/push-provider-registry.service.js';
import { PushRepository } from './push.repository.js';

/** Maximum number of tokens of a user; a further token replaces the oldest one. */
export const MAX_PUSH_TOKENS = 10;
const WEB_PUSH_AUTH_BYTES = 16;
const HOUR_MS = 60 * 60 * 1_000;
/**
 * Tokens are retained for longer than an unused sign-in is valid. An app registers its token again whenever it starts.
 */
const TOKEN_RETENTION_MS = 120 * 24 * HOUR_MS;

/** Registers and deletes push tokens: one per session and push service. */
@Injectable()
export class PushTokenService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly tokens: PushRepository,
    private readonly services: PushProviderRegistryService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws ServiceError PUSH_SERVICE_UNSUPPORTED for a push service that is not configured
   * @throws ServiceError PUSH_TOKEN_INVALID for a Web Push subscription with an invalid endpoint or invalid keys
   */
  async create({ id: userId, sessionId }: Principal, request: CreatePushTokenDto): Promise<PushTokenDto> {
    const { service, token } = request;
    if (!this.services.find(service)) throw new ServiceError('PUSH_SERVICE_UNSUPPORTED');
    const keys = service === 'WEB_PUSH' ? this.webPushKeys(request) : null;
    const tokenId = randomUUID();
    await this.unitOfWork.run(async () => {
      await this.tokens.lockTokens(userId);
      await this.tokens.replaceToken({ tokenId, userId, sessionId, service, token, keys }, this.clock.now());
      await this.tokens.deleteAllButNewestTokens(userId, MAX_PUSH_TOKENS);
    });
    return { tokenId };
  }

  /** @throws ServiceError PUSH_TOKEN_INVALID for an unknown token and for another user's token */
  async delete({ id: userId }: Principal, tokenId: string): Promise<void> {
    const deleted = isUuid(tokenId) && (await this.tokens.deleteToken(userId, tokenId));
    if (!deleted) throw new ServiceError('PUSH_TOKEN_INVALID');
  }

  /** Deletes tokens that were not registered again within the retention period. */
  @OnJob('gateway.notifications.delete-expired-tokens', { intervalMs: HOUR_MS })
  async deleteExpired(now: number): Promise<void> {
    await this.tokens.deleteTokensBefore(now - TOKEN_RETENTION_MS);
  }

  private webPushKeys({ token, keys }: CreatePushTokenDto): WebPushKeys {
    const allowed = this.services.allowsInsecureEndpoints ? /^https?:/.test(token) : isPublicEndpoint(token);
    const [point, secret] = [keys?.p256dh, keys?.auth].map(decodeBase64);
    if (!allowed || !point || !isPublicKey(point) || secret?.length !== WEB_PUSH_AUTH_BYTES) {
      throw new ServiceError('PUSH_TOKEN_INVALID');
    }
    return { p256dh: point.toString('base64url'), auth: secret.toString('base64url') };
  }
}

/** Returns whether the bytes are an uncompressed point on P-256 (RFC 8291, 2.1). */
function isPublicKey(point: Buffer): boolean {
  if (point.length !== 65 || point[0] !== 4) return false;
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  try {
    return ecdh.computeSecret(point).length > 0;
  } catch {
    return false;
  }
}

/** Decodes base64 and base64url (RFC 4648), with or without padding: clients encode the bytes of a key themselves. */
function decodeBase64(text = ''): Buffer | undefined {
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
