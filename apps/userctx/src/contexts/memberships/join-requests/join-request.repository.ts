import { Injectable } from '@nestjs/common';
import type { IdentityType } from '@family-watch/domain/contacts/contracts/contact';
import type { JoinRequestState } from '@family-watch/domain/families/contracts/join-request';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import type { ListCursor } from '../list-cursor.js';

/** A person's request to join a family, in any state. Times are Unix milliseconds. */
export interface JoinRequest {
  applicationId: string;
  familyId: string;
  applicantUserId: string;
  state: JoinRequestState;
  /** The child whose watch showed the code, and that watch; `null` with an invitation and for an erased child. */
  cid: string | null;
  did: number | null;
  invitationId: string | null;
  name: string;
  areaCode: string;
  phoneNumber: string;
  appellation: string;
  identityType: IdentityType;
  createdAt: number;
  expiresAt: number;
  changedAt: number;
}

const COLUMNS = `application_id as "applicationId", family_id as "familyId", applicant_user_id as "applicantUserId",
  state, cid, did, invitation_id as "invitationId", name, area_code as "areaCode", phone_number as "phoneNumber",
  appellation, identity_type as "identityType", created_at as "createdAt", expires_at as "expiresAt",
  changed_at as "changedAt"`;

/** Stores one join request per family and person. The family must be locked before its join requests are changed. */
@Injectable()
export class JoinRequestRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async find(familyId: string, applicationId: string): Promise<JoinRequest | undefined> {
    const [joinRequest] = await this.unitOfWork.executor.query<JoinRequest>(
      `select ${COLUMNS} from userctx.family_application where application_id = $1 and family_id = $2`,
      [applicationId, familyId],
    );
    return joinRequest;
  }

  async findOwn(applicantUserId: string, applicationId: string): Promise<JoinRequest | undefined> {
    const [joinRequest] = await this.unitOfWork.executor.query<JoinRequest>(
      `select ${COLUMNS} from userctx.family_application where application_id = $1 and applicant_user_id = $2`,
      [applicationId, applicantUserId],
    );
    return joinRequest;
  }

  async findByApplicant(familyId: string, applicantUserId: string): Promise<JoinRequest | undefined> {
    const [joinRequest] = await this.unitOfWork.executor.query<JoinRequest>(
      `select ${COLUMNS} from userctx.family_application where family_id = $1 and applicant_user_id = $2`,
      [familyId, applicantUserId],
    );
    return joinRequest;
  }

  /** Inserts or updates the join request. A person's request to a family keeps its id permanently. */
  async save(joinRequest: JoinRequest): Promise<void> {
    const { applicationId, familyId, applicantUserId, state, cid, did, invitationId } = joinRequest;
    const { name, areaCode, phoneNumber, appellation, identityType, createdAt, expiresAt, changedAt } = joinRequest;
    await this.unitOfWork.executor.query(
      `insert into userctx.family_application (application_id, family_id, applicant_user_id, state, cid, did,
         invitation_id, name, area_code, phone_number, appellation, identity_type, created_at, expires_at, changed_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
       on conflict on constraint family_application_once do update set
         state = excluded.state, cid = excluded.cid, did = excluded.did, invitation_id = excluded.invitation_id,
         name = excluded.name, area_code = excluded.area_code, phone_number = excluded.phone_number,
         appellation = excluded.appellation, identity_type = excluded.identity_type, created_at = excluded.created_at,
         expires_at = excluded.expires_at, changed_at = excluded.changed_at`,
      [
        applicationId,
        familyId,
        applicantUserId,
        state,
        cid,
        did,
        invitationId,
        name,
        areaCode,
        phoneNumber,
        appellation,
        identityType,
        createdAt,
        expiresAt,
        changedAt,
      ],
    );
  }

  findPending(familyId: string): Promise<JoinRequest[]> {
    return this.unitOfWork.executor.query<JoinRequest>(
      `select ${COLUMNS} from userctx.family_application where family_id = $1 and state = 'PENDING'
        order by created_at, application_id`,
      [familyId],
    );
  }

  /** Returns the page of join requests after `after`, newest first, of one family or of one applicant. */
  findPage(
    filter: { familyId: string } | { applicantUserId: string },
    after: ListCursor | undefined,
    limit: number,
  ): Promise<JoinRequest[]> {
    const [column, id] =
      'familyId' in filter ? ['family_id', filter.familyId] : ['applicant_user_id', filter.applicantUserId];
    return this.unitOfWork.executor.query<JoinRequest>(
      `select ${COLUMNS} from userctx.family_application
        where ${column} = $1 and ($2::bigint is null or (created_at, application_id) < ($2, $3::uuid))
        order by created_at desc, application_id desc limit $4`,
      [id, after?.createdAt ?? null, after?.id ?? null, limit],
    );
  }

  /** Finds pending join requests of all families whose expiry time has passed. */
  findDue(now: number, limit: number): Promise<JoinRequest[]> {
    return this.unitOfWork.executor.query<JoinRequest>(
      `select ${COLUMNS} from userctx.family_application where state = 'PENDING' and expires_at <= $1
        order by expires_at, application_id limit $2`,
      [now, limit],
    );
  }

  /** Deletes closed join requests. Rejected join requests are retained as long as the family exists. */
  async deleteClosed(changedBefore: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `delete from userctx.family_application
        where state in ('APPROVED', 'CANCELLED', 'EXPIRED') and changed_at < $1`,
      [changedBefore],
    );
  }

  async clearChild(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query(
      'update userctx.family_application set cid = null, did = null where cid = $1 and family_id = $2',
      [cid, familyId],
    );
  }
}
