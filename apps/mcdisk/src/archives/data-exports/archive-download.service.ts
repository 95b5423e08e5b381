import { Inject, Injectable } from '@nestjs/common';
import { DATA_EXPORT_TICKET, type DataExportTicketClaims } from '@family-watch/domain/privacy/contracts/data-export';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { parsePrincipalKey, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { VerificationKeySource } from '@family-watch/platform/auth/token-verifier';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { TICKET_VERIFICATION_KEYS } from '../../infrastructure/mcdisk-infrastructure.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import type { OpenedFile } from '../../transfers/downloads/file-response.js';
import { readTicketOfUrl } from '../../files/contents/ticket-verifier.js';
import { ExportArchiveRepository, type CompleteArchive } from './export-archive.repository.js';

const REQUIRED_CLAIMS = ['exportId', 'sub', 'sid'];

type VerifiedTicket = DataExportTicketClaims & { iat: number; exp: number };

/** Resolves the tickets with which archives are downloaded. */
@Injectable()
export class ArchiveDownloadService {
  constructor(
    @Inject(TICKET_VERIFICATION_KEYS) private readonly keys: VerificationKeySource,
    private readonly limiter: RequestLimiter,
    private readonly access: CloudAccessService,
    private readonly archives: ExportArchiveRepository,
  ) {}

  /**
   * Returns the archive for which the ticket was issued.
   * @throws ServiceError TICKET_INVALID, RATE_LIMITED
   * @throws ServiceError LINK_NOT_FOUND when the archive was deleted or the session of the ticket has ended
   */
  async resolve(ticket: unknown, ip: string): Promise<OpenedFile> {
    const claims = await this.verify(ticket, ip);
    const archive = await this.find(claims);
    if (!archive) throw new ServiceError('LINK_NOT_FOUND');
    const { exportId, blobKey, size, digest, completedAt } = archive;
    const name = `family-watch-${exportId.slice(0, 8)}.zip`;
    return {
      file: { blobKey, size, digest, mediaType: 'application/zip', name, modifiedAt: completedAt },
      reader: {
        holder: claims.sub as PrincipalKey,
        isStillAllowed: async () => (await this.find(claims)) !== undefined,
      },
    };
  }

  private async verify(ticket: unknown, ip: string): Promise<VerifiedTicket> {
    const claims = await this.readClaims(ticket);
    this.limiter.consumeFileLink(claims?.sub as PrincipalKey | undefined, ip);
    if (!claims) throw new ServiceError('TICKET_INVALID');
    return claims;
  }

  private async readClaims(ticket: unknown): Promise<VerifiedTicket | undefined> {
    const claims = await readTicketOfUrl<VerifiedTicket>(ticket, DATA_EXPORT_TICKET, REQUIRED_CLAIMS, this.keys);
    return claims && isUuid(claims.exportId) && claims.sub.startsWith('user:') ? claims : undefined;
  }

  private async find({ exportId, sub, sid, iat, exp }: VerifiedTicket): Promise<CompleteArchive | undefined> {
    const principal = sub as PrincipalKey;
    const holder = { principal, sessionId: sid, createdAt: iat * 1_000, expiresAt: exp * 1_000 };
    if (!this.access.principalOf(holder)) return undefined;
    return this.archives.findComplete(exportId, parsePrincipalKey(principal).id);
  }
}
