import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CenterRecipientEntity } from '@family-watch/domain/messages/entities/center-message.entities';
import { MailboxHeadEntity } from '@family-watch/domain/messages/entities/mailbox.entities';
import { PushTokenEntity } from '@family-watch/domain/messages/entities/push.entities';
import { MAX_DIAGNOSED_ROWS } from '@family-watch/domain/operators/contracts/app-administration';
import type {
  BlockedDeliveriesDto,
  ConnectionStateDto,
  PushQueueDto,
  SessionStateDto,
} from '@family-watch/domain/operators/dto/support.dto';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { LEASE_CUTOFF_SQL } from '../../infrastructure/node-lease.js';

const FIND_CONNECTIONS = `
  SELECT principal, session AS "sessionId", node_id AS "nodeId", opened_at AS since
  FROM gateway.connection
  JOIN gateway.node USING (node_id)
  WHERE principal = ANY($1::text[]) AND beat_at > ${LEASE_CUTOFF_SQL}
  ORDER BY opened_at
  LIMIT $2`;

const FIND_SESSIONS = `
  SELECT cursor.principal, cursor.session AS "sessionId", cursor.acknowledged, cursor.seen_at AS "lastSeenAt",
    oldest.time AS "oldestUnacknowledgedAt"
  FROM gateway.session_cursor AS cursor
  LEFT JOIN LATERAL (
    (
      SELECT seq, time FROM gateway.mailbox_entry AS entry
      WHERE entry.principal = cursor.principal AND entry.seq > cursor.acknowledged
        AND (entry.expires_at IS NULL OR entry.expires_at > $2)
        AND entry.except_session IS DISTINCT FROM cursor.session
      ORDER BY seq LIMIT 1
    ) UNION ALL (
      SELECT seq, time FROM gateway.mailbox_chat_entry AS entry
      WHERE entry.principal = cursor.principal AND entry.seq > cursor.acknowledged
        AND entry.except_session IS DISTINCT FROM cursor.session
        AND EXISTS (
          SELECT FROM gateway.chat_message AS message
          WHERE message.conversation_id = entry.conversation_id
            AND message.conversation_seq = entry.conversation_seq AND message.recalled_at IS NULL
        )
      ORDER BY seq LIMIT 1
    )
    ORDER BY seq LIMIT 1
  ) AS oldest ON true
  WHERE cursor.principal = ANY($1::text[])
  ORDER BY cursor.seen_at DESC
  LIMIT $3`;

const FIND_PUSH_QUEUES = `
  SELECT user_id AS "userId", count(*)::int AS waiting, max(attempts)::int AS attempts, min(due_at) AS "nextAttemptAt"
  FROM gateway.push_request
  WHERE user_id = ANY($1::text[])
  GROUP BY user_id`;

const FIND_BLOCKED = `
  SELECT handler, count(*) FILTER (WHERE NOT dead)::int AS retries, count(*) FILTER (WHERE dead)::int AS "deadLetters"
  FROM (
    (SELECT handler, false AS dead FROM gateway.parked WHERE key = ANY($1::text[]) LIMIT 1000)
    UNION ALL
    (SELECT handler, true AS dead FROM gateway.dead_letter WHERE key = ANY($1::text[]) LIMIT 1000)
  ) AS unprocessed
  GROUP BY handler
  ORDER BY handler
  LIMIT 100`;

type OfPrincipal<Row> = Row & { principal: PrincipalKey };

/** Reads the state of deliveries. No query selects a payload, a token or another content. */
@Injectable()
export class DeliveryDiagnosisRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns the connections to nodes with a valid lease, oldest first. */
  findConnections(principals: readonly PrincipalKey[]): Promise<OfPrincipal<ConnectionStateDto>[]> {
    return this.unitOfWork.executor.query(FIND_CONNECTIONS, [principals, MAX_DIAGNOSED_ROWS]);
  }

  findMailboxHeads(principals: readonly PrincipalKey[]): Promise<MailboxHeadEntity[]> {
    return this.unitOfWork.manager.findBy(MailboxHeadEntity, { principal: Any(principals) });
  }

  /** Returns the sessions, last seen first. */
  findSessions(principals: readonly PrincipalKey[], now: number): Promise<OfPrincipal<SessionStateDto>[]> {
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

  findPushQueues(userIds: readonly string[]): Promise<(PushQueueDto & { userId: string })[]> {
    return this.unitOfWork.executor.query(FIND_PUSH_QUEUES, [userIds]);
  }

  /** Returns the preferences of the users who have changed them. */
  findSubscriptions(userIds: readonly string[]): Promise<CenterRecipientEntity[]> {
    return this.unitOfWork.manager.findBy(CenterRecipientEntity, { userId: Any(userIds) });
  }

  /** Returns the handlers with unprocessed events of these keys. */
  findBlocked(keys: readonly string[]): Promise<BlockedDeliveriesDto[]> {
    return this.unitOfWork.executor.query(FIND_BLOCKED, [keys]);
  }
}
