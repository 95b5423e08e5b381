import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SessionPageDto, TokensDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import type { RefreshTokenEntity, SessionEndReason } from '@family-watch/domain/accounts/entities/session.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import { deriveKey, SecretBox } from '@family-watch/platform/auth/secret-box';
import { coarseAddress } from '@family-watch/platform/http/server/ip-block';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { continueAsCaller } from '@family-watch/platform/concurrency/work-priority';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AccountSecrets } from '../account-secrets.js';
import { TokenSigner } from '../keys/token-signer.js';
import { deviceKindOf } from './device-kind.js';
import { RevocationService } from './revocation.service.js';
import { SessionRepository, type SessionFilter, type RefreshTokenInSession } from './session.repository.js';

const REFRESH_TOKEN_BYTES = 32;
const REFRESH_TOKEN_PATTERN = /^[\w-]{43}$/;
/**
 * Context string with which {@link SecretBox} encrypts the successor of a refresh token: the token that was issued in
 * exchange for it, and that is returned again if the client repeats the exchange.
 */
const SUCCESSOR_CONTEXT = 'successor';

/** Returns a new refresh token: 256 random bits, base64url. */
export function generateRefreshToken(): string {
  return randomBytes(REFRESH_TOKEN_BYTES).toString('base64url');
}

/** Returns the stored form of a token, or undefined when the text is not a refresh token. */
export function hashRefreshToken(token: string): Buffer | undefined {
  return REFRESH_TOKEN_PATTERN.test(token) ? createHash('sha256').update(token).digest() : undefined;
}

/**
 * Encrypts a token with a key derived from its predecessor. A client that lost the response to a refresh and retries
 * with the old token gets the same successor. The database contents alone do not reveal the successor.
 */
export function encryptSuccessor(token: string, successor: string): Buffer {
  return createBox(token).seal(Buffer.from(successor), SUCCESSOR_CONTEXT);
}

/** @throws SecretBoxOpenError unless `token` is the predecessor with which the successor was encrypted */
export function decryptSuccessor(token: string, sealed: Buffer): string {
  return createBox(token).open(sealed, SUCCESSOR_CONTEXT).toString();
}

function createBox(token: string): SecretBox {
  return new SecretBox(deriveKey(token, 'accounts/refresh-successor'));
}

/** Time without a refresh after which a session expires. */
export const SESSION_IDLE_TIMEOUT_MS = 30 * 24 * 60 * 60_000;
/** Time for which a client that lost the response to a refresh may retry with its old token. */
const REFRESH_RETRY_WINDOW_MS = 10_000;
/**
 * Maximum number of successors that a retry leads over, each found by a query while the session is locked. A client that
 * lost a response needs one or two, several tabs of a browser a few more.
 */
const MAX_FOLLOWED_SUCCESSORS = 8;
const MAX_USER_AGENT_LENGTH = 256;
const RETENTION_INTERVAL_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
/**
 * Used refresh tokens are retained for seven days to detect their reuse. A deleted refresh token is rejected as
 * unknown.
 */
const USED_TOKEN_RETENTION_MS = 7 * DAY_MS;
const ENDED_SESSION_RETENTION_MS = 30 * DAY_MS;
/**
 * Maximum number of rows that one statement deletes. Limits how long rows are locked. The next run deletes the
 * remaining rows.
 */
const RETENTION_BATCH_SIZE = 5_000;

/** The client that signs in. */
export interface SessionClient {
  ip: string;
  /** The `User-Agent` header. */
  userAgent?: string;
  /** Name that the app gave the device. */
  deviceName?: string;
}

/** A stored session and its unused refresh token. Its access token is signed after the commit. */
export interface SessionWithRefreshToken {
  userId: string;
  sessionId: string;
  refreshToken: string;
}

/** The tokens of a session, before a response moves the refresh token to a cookie. */
export type IssuedTokens = TokensDto & { refreshToken: string };

/** Creates, refreshes, lists and ends sessions. Each refresh replaces the session's refresh token. */
@Injectable()
export class SessionService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly sessions: SessionRepository,
    private readonly revocations: RevocationService,
    private readonly outbox: UserctxOutbox,
    private readonly signer: TokenSigner,
    private readonly secrets: AccountSecrets,
    private readonly limiter: RequestLimiter,
  ) {}

  /**
   * Stores a session in the transaction of the sign-in. {@link issueTokens} signs its access token after the commit.
   */
  async create(userId: string, { ip, userAgent, deviceName }: SessionClient): Promise<SessionWithRefreshToken> {
    const sessionId = randomUUID();
    const refreshToken = generateRefreshToken();
    const now = Date.now();
    await this.sessions.insert({
      sessionId,
      userId,
      client: userAgent?.slice(0, MAX_USER_AGENT_LENGTH).toWellFormed() ?? null,
      deviceName: deviceName ?? null,
      network: coarseAddress(ip),
      createdAt: now,
      lastUsedAt: now,
      expiresAt: now + SESSION_IDLE_TIMEOUT_MS,
      endedAt: null,
      endedBy: null,
    });
    await this.sessions.insertToken({ tokenHash: requireHash(refreshToken), sessionId, issuedAt: now });
    return { userId, sessionId, refreshToken };
  }

  /** Signs the access token of a committed session and returns all tokens of the session. */
  async issueTokens({ userId, sessionId, refreshToken }: SessionWithRefreshToken): Promise<IssuedTokens> {
    const signed = await this.signer.signAccessToken({ type: 'user', id: userId, sessionId });
    return { ...signed, refreshToken, deviceToken: this.secrets.createDeviceToken({ userId, sessionId }), userId };
  }

  /**
   * Replaces a refresh token. Reuse of a replaced token after more than ten seconds means that the token was copied, so
   * the session ends. Refreshes with a known token are limited per account, and get their database connections as the
   * person instead of the IP address.
   * @throws ServiceError REFRESH_TOKEN_INVALID when the token is unknown or reused, or its session ended or expired
   * @throws ServiceError RATE_LIMITED
   */
  async refresh(refreshToken: string): Promise<IssuedTokens> {
    const tokenHash = hashRefreshToken(refreshToken);
    const owner = tokenHash && (await this.sessions.findUserOfToken(tokenHash));
    if (!owner) throw new ServiceError('REFRESH_TOKEN_INVALID');
    this.limiter.consume('sign-in', `user:${owner}`);
    continueAsCaller(`user:${owner}`, 'known-device');
    // Ending a stolen session must be committed, so the error is thrown after the transaction.
    const issued = await this.unitOfWork.run(async () => {
      const found = await this.sessions.lockTokenWithSession(tokenHash);
      const now = Date.now();
      if (!found || found.endedAt !== null || found.expiresAt <= now) return undefined;
      if (found.usedAt === null) return this.rotate(found, refreshToken, now);
      if (now - found.usedAt > REFRESH_RETRY_WINDOW_MS) return this.endStolen(found, now);
      const { userId, sessionId } = found;
      const newest = await this.findUnused(found, refreshToken, MAX_FOLLOWED_SUCCESSORS);
      return newest === undefined ? undefined : { userId, sessionId, refreshToken: newest };
    });
    if (!issued) throw new ServiceError('REFRESH_TOKEN_INVALID');
    return this.issueTokens(issued);
  }

  /** Ends the selected active sessions of a person, with a revocation and an event for each. Returns their number. */
  async end(userId: string, selection: SessionFilter, reason: SessionEndReason): Promise<number> {
    return this.unitOfWork.run(async () => {
      const ended = await this.sessions.end(userId, selection, reason, Date.now());
      await this.revocations.record(ended.map((sessionId) => ({ sessionId })));
      await this.outbox.appendMany(
        ended.map((sessionId) => ({
          name: 'userctx.session.ended',
          key: `user:${userId}`,
          payload: { userId, sessionId },
        })),
      );
      return ended.length;
    });
  }

  async signOut({ id: userId, sessionId }: Principal): Promise<void> {
    await this.end(userId, { onlySessionId: sessionId }, 'SIGNED_OUT');
  }

  /** Returns the id of the session for which the token was issued, or undefined when the token is unknown. */
  async findSessionOf(refreshToken: string): Promise<string | undefined> {
    const tokenHash = hashRefreshToken(refreshToken);
    return tokenHash && (await this.sessions.findToken(tokenHash))?.sessionId;
  }

  /** @throws ServiceError SESSION_NOT_FOUND for an unknown id and for another person's session */
  async delete({ id: userId }: Principal, sessionId: string): Promise<void> {
    const ended = isUuid(sessionId) ? await this.end(userId, { onlySessionId: sessionId }, 'DELETED') : 0;
    if (ended === 0) throw new ServiceError('SESSION_NOT_FOUND');
  }

  /** Ends all sessions of the person except the caller's own. */
  async deleteOthers({ id: userId, sessionId }: Principal): Promise<void> {
    await this.end(userId, { exceptSessionId: sessionId }, 'DELETED');
  }

  /** @throws ServiceError VALIDATION_FAILED when the cursor is malformed */
  async list({ id: userId, sessionId }: Principal, query: PageQueryDto): Promise<SessionPageDto> {
    const page = await this.sessions.findActivePage(userId, Date.now(), decodeTimePage(query));
    const items = page.items.map(({ sessionId: id, client, deviceName, network, createdAt, lastUsedAt }) => ({
      sessionId: id,
      client,
      deviceName,
      kind: deviceKindOf(client),
      network,
      createdAt,
      lastUsedAt,
      current: id === sessionId,
    }));
    return { ...page, items };
  }

  /** Returns the time of sign-in to this session in Unix milliseconds, or undefined when the session is not active. */
  async signedInAt({ id: userId, sessionId }: Principal): Promise<number | undefined> {
    return (await this.sessions.findActive(userId, sessionId, Date.now()))?.createdAt;
  }

  @OnJob('userctx.accounts.delete-used-tokens', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteUsedTokens(now: number): Promise<void> {
    await this.sessions.pruneTokens(now - USED_TOKEN_RETENTION_MS, RETENTION_BATCH_SIZE);
  }

  @OnJob('userctx.accounts.delete-ended-sessions', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteEndedSessions(now: number): Promise<void> {
    await this.sessions.prune(now - ENDED_SESSION_RETENTION_MS, RETENTION_BATCH_SIZE);
  }

  /**
   * Returns the unused token of the session, to which at most `maxSuccessors` successors of this token lead; the token
   * itself if it is unused. The caller must have locked the session, so that the returned token stays unused until the commit.
   */
  private async findUnused(
    token: RefreshTokenEntity,
    tokenText: string,
    maxSuccessors: number,
  ): Promise<string | undefined> {
    if (token.usedAt === null) return tokenText;
    if (!token.sealedSuccessor || maxSuccessors === 0) return undefined;
    const successor = decryptSuccessor(tokenText, token.sealedSuccessor);
    const found = await this.sessions.findToken(requireHash(successor));
    return found ? this.findUnused(found, successor, maxSuccessors - 1) : undefined;
  }

  /** Ends the session and notifies the person, whose tokens someone may have copied. */
  private async endStolen({ userId, sessionId }: RefreshTokenInSession, time: number): Promise<undefined> {
    await this.end(userId, { onlySessionId: sessionId }, 'TOKEN_REUSED');
    const payload = { userId, sessionId, time };
    await this.outbox.append({ name: 'userctx.session.token-reused', key: `user:${userId}`, payload });
  }

  private async rotate(token: RefreshTokenInSession, tokenText: string, now: number): Promise<SessionWithRefreshToken> {
    const { userId, sessionId, tokenHash } = token;
    const successor = generateRefreshToken();
    await this.sessions.insertToken({ tokenHash: requireHash(successor), sessionId, issuedAt: now });
    await this.sessions.markTokenUsed(tokenHash, now, encryptSuccessor(tokenText, successor));
    await this.sessions.extend(sessionId, now, now + SESSION_IDLE_TIMEOUT_MS);
    return { userId, sessionId, refreshToken: successor };
  }
}

function requireHash(token: string): Buffer {
  const hash = hashRefreshToken(token);
  if (!hash) throw new Error('Not a valid refresh token');
  return hash;
}
