import { Injectable } from '@nestjs/common';
import { FAMILY_CODE_TTL_SECONDS } from '@family-watch/domain/families/contracts/join-request';
import type { FamilyCodeDto } from '@family-watch/domain/families/dto/application.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { generateHumanReadableCode, normalizeHumanReadableCode } from '@family-watch/platform/auth/human-readable-code';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { ChildWatchLinksService } from '../../families/child-watch-links.service.js';
import { WatchSecrets } from '../../watches/identity/watch-secrets.js';
import { digestInvitationCode } from '../invitations/invitation-code.js';
import { InvitationRepository } from '../invitations/invitation.repository.js';
import { FamilyCodeRepository } from './family-code.repository.js';

/** 50 random bits. */
const LENGTH = 10;

/** To which family a code leads. */
export interface CodeTarget {
  familyId: string;
  /** The child whose watch showed it. */
  cid: string | null;
  did: number | null;
  invitationId: string | null;
  /** When the owner invited, Unix milliseconds; `null` for what a watch shows. */
  invitedAt: number | null;
}

/** A code as it was given, without the code itself. */
export type SubmittedFamilyCode = { watch: Buffer } | { invitation: string };

/** What proves that a person has met the family: what one of its watches shows, or an invitation of its owner. */
@Injectable()
export class FamilyCodesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly links: ChildWatchLinksService,
    private readonly secrets: WatchSecrets,
    private readonly codes: FamilyCodeRepository,
    private readonly invitations: InvitationRepository,
  ) {}

  /** The code that the watch shows; it ends the one before it. @throws ServiceError WATCH_UNBOUND. */
  async create(watch: Principal): Promise<FamilyCodeDto> {
    const familyCode = generateHumanReadableCode(LENGTH);
    const did = Number(watch.id);
    const digest = this.secrets.digestCode('family', familyCode);
    await this.unitOfWork.run(async () => {
      const child = await this.links.findByWatch(did);
      if (!child) throw new ServiceError('WATCH_UNBOUND');
      await this.codes.replace(child, did, digest, Date.now() + FAMILY_CODE_TTL_SECONDS * 1_000);
    });
    return { familyCode, expiresIn: FAMILY_CODE_TTL_SECONDS };
  }

  /** Hashes, so it is called before the unit of work. */
  digestWatchCode(typed: string): SubmittedFamilyCode {
    return { watch: this.secrets.digestCode('family', normalizeHumanReadableCode(typed)) };
  }

  digestInvitation(code: string): SubmittedFamilyCode {
    return { invitation: digestInvitationCode(code) };
  }

  /** Undefined for a code that leads nowhere: wrong, used, expired, or of a watch that was unbound. */
  async find(code: SubmittedFamilyCode, now: number): Promise<CodeTarget | undefined> {
    if ('watch' in code) {
      const child = await this.codes.findChild(code.watch, now);
      return child && { ...child, invitationId: null, invitedAt: null };
    }
    const invitation = await this.invitations.findByCode(code.invitation, now);
    if (!invitation) return undefined;
    const { familyId, invitationId, createdAt: invitedAt } = invitation;
    return { familyId, cid: null, did: null, invitationId, invitedAt };
  }
}
