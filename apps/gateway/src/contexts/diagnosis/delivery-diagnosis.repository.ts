import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CenterRecipientEntity } from '@family-watch/domain/messages/entities/center-message.entities';
import { MailboxHeadEntity } from '@family-watch/domain/messages/entities/mailbox.entities';
import { PushTokenEntity } from '@family-watch/domain/messages/entities/push.entities';
import { MAX_DIAGNOSED_ROWS } from '@family-watch/domain/operators/contracts/app-administration';
import type {
  BlockedDeliveries,
  DiagnosedConnection,
  DiagnosedPushQueue,
  DiagnosedSession,
} from '@family-watch/domain/operators/contracts/app-administration';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { FIND_BLOCKED, FIND_CONNECTIONS, FIND_PUSH_QUEUES, FIND_SESSIONS } from './diagnosis.sql.js';

type OfPrincipal<Row> = Row & { principal: PrincipalKey };

/** Reads the state of deliveries. No query selects a payload, a token or another content. */
@Injectable()
export class DeliveryDiagnosisRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns the connections to nodes with a valid lease, oldest first. */
  findConnections(principals: readonly PrincipalKey[]): Promise<OfPrincipal<DiagnosedConnection>[]> {
    return this.unitOfWork.executor.query(FIND_CONNECTIONS, [principals, MAX_DIAGNOSED_ROWS]);
  }

  findMailboxHeads(principals: readonly PrincipalKey[]): Promise<MailboxHeadEntity[]> {
    return this.unitOfWork.manager.findBy(MailboxHeadEntity, { principal: Any(principals) });
  }

  /** Returns the sessions, last seen first. */
  findSessions(principals: readonly PrincipalKey[], now: number): Promise<OfPrincipal<DiagnosedSession>[]> {
    return this.unitOfWork.executor.query(FIND_SESSIONS, [principals, now, MAX_DIAGNOSED_ROWS]);
  }

  findPushTokens(
    userIds: readonly string[],
  ): Promise<Pick<PushTokenEntity, 'userId' | 'sessionId' | 'service' | 'createdAt'>[]> {
    return this.unitOfWork.manager.find(PushTokenEntity, {
      select: { tokenId: true, userId: true, sessionId: true, service: true, createdAt: true },
      where: { userId: Any(userIds) },
      order: { createdAt: 'DESC' },
      take: MAX_DIAGNOSED_ROWS,
    });
  }

  findPushQueues(userIds: readonly string[]): Promise<(DiagnosedPushQueue & { userId: string })[]> {
    return this.unitOfWork.executor.query(FIND_PUSH_QUEUES, [userIds]);
  }

  /** Returns the preferences of the users who have changed them. */
  findSubscriptions(userIds: readonly string[]): Promise<CenterRecipientEntity[]> {
    return this.unitOfWork.manager.findBy(CenterRecipientEntity, { userId: Any(userIds) });
  }

  /** Returns the handlers with unprocessed events of these keys. */
  findBlocked(keys: readonly string[]): Promise<BlockedDeliveries[]> {
    return this.unitOfWork.executor.query(FIND_BLOCKED, [keys]);
  }
}
