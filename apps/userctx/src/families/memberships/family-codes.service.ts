import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FAMILY_CODE_TTL_SECONDS } from '@family-watch/domain/families/contracts/family';
import type { FamilyCodeDto } from '@family-watch/domain/families/dto/application.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { generateHumanReadableCode, normalizeHumanReadableCode } from '@family-watch/platform/auth/random-codes';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { WatchCodes } from '../watch-codes.js';
import { FamilyRosterService } from '../family-roster.service.js';
import { FamilyCodeRepository } from './family-code.repository.js';
import { InvitationRepository } from './invitation.repository.js';

/** Number of characters of a family code. The code has 50 random bits. */
const FAMILY_CODE_LENGTH = 10;
const EXPIRY_INTERVAL_MS = 60_000;

/** The family that a person joins with a code, and the watch or invitation that the code comes from. */
export interface FamilyCodeTarget {
  familyId: string;
  /** The child whose watch showed the code. */
  cid: string | null;
  did: number | null;
  invitationId: string | null;
  /** Creation time of the invitation in Unix milliseconds; null for a watch's code. */
  invitedAt: number | null;
}

/** Digest of a code that an applicant submitted. */
export type SubmittedFamilyCode = { watch: Buffer } | { invitation: string };

/** Returns the SHA-256 digest in lower-case hex. */
export function digestInvitationCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/**
 * Issues and resolves the codes with which a person may request to join a family: a code shown by one of its watches,
 * or an invitation of its owner.
 */
@Injectable()
export class FamilyCodesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly roster: FamilyRosterService,
    private readonly codes: WatchCodes,
    private readonly familyCodes: FamilyCodeRepository,
    private readonly invitations: InvitationRepository,
  ) {}

  /**
   * Creates the code that the watch shows and invalidates the watch's previous code.
   * @throws ServiceError WATCH_UNBOUND
   */
  async create(watch: Principal): Promise<FamilyCodeDto> {
    const familyCode = generateHumanReadableCode(FAMILY_CODE_LENGTH);
    const did = Number(watch.id);
    const digest = this.codes.digest('family', familyCode);
    await this.unitOfWork.run(async () => {
      const child = await this.roster.findChildOfWatch(did);
      if (!child) throw new ServiceError('WATCH_UNBOUND');
      await this.familyCodes.replace(child, did, digest, Date.now() + FAMILY_CODE_TTL_SECONDS * 1_000);
    });
    return { familyCode, expiresIn: FAMILY_CODE_TTL_SECONDS };
  }

  /** Returns the digest of a family code that a watch showed. */
  digestWatchCode(code: string): SubmittedFamilyCode {
    return { watch: this.codes.digest('family', normalizeHumanReadableCode(code)) };
  }

  /** Returns null for a code that is wrong, used, expired or from a watch that was unbound. */
  async find(code: SubmittedFamilyCode, now: number): Promise<FamilyCodeTarget | null> {
    if ('watch' in code) {
      const child = await this.familyCodes.findChild(code.watch, now);
      return child && { ...child, invitationId: null, invitedAt: null };
    }
    const invitation = await this.invitations.findByCode(code.invitation, now);
    if (!invitation) return null;
    const { familyId, invitationId, createdAt: invitedAt } = invitation;
    return { familyId, cid: null, did: null, invitationId, invitedAt };
  }

  @OnJob('userctx.families.delete-expired-codes', { intervalMs: EXPIRY_INTERVAL_MS })
  async deleteExpired(now: number): Promise<void> {
    await this.familyCodes.deleteExpired(now);
  }
}
