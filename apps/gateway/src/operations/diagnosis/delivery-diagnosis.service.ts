import { Inject, Injectable } from '@nestjs/common';
import { parsePrincipalKey, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import {
  categoryPreference,
  DEFAULT_SUBSCRIPTION,
  SUBSCRIPTION_CATEGORY,
} from '@family-watch/domain/messages/contracts/subscription';
import {
  DeliveryDiagnosisSource,
  type DeliveryDiagnosis,
  type DeliveryDiagnosisRequest,
} from '@family-watch/domain/operators/app-administration';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK, GatewayProjections, PROJECTION } from '../../infrastructure/gateway-infrastructure.js';
import { DeliveryDiagnosisRepository } from './delivery-diagnosis.repository.js';

/** Diagnoses for operators why principals do not receive their messages. The result contains states and counts only. */
@Injectable()
export class DeliveryDiagnosisService extends DeliveryDiagnosisSource {
  constructor(
    private readonly deliveries: DeliveryDiagnosisRepository,
    /** Null outside of a running gateway. */
    @Inject(GatewayProjections) private readonly projections: GatewayProjections | null,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super();
  }

  async diagnose({ familyId, principals }: DeliveryDiagnosisRequest): Promise<DeliveryDiagnosis> {
    const userIds = principals.flatMap((key) => toUserId(key) ?? []);
    const connections = groupByPrincipal(await this.deliveries.findConnections(principals));
    const sessions = groupByPrincipal(await this.deliveries.findSessions(principals, this.clock.now()));
    const heads = groupByPrincipal(await this.deliveries.findMailboxHeads(principals));
    const tokens = Map.groupBy(await this.deliveries.findPushTokens(userIds), ({ userId }) => userId);
    const queues = Map.groupBy(await this.deliveries.findPushQueues(userIds), ({ userId }) => userId);
    const recipients = Map.groupBy(await this.deliveries.findSubscriptions(userIds), ({ userId }) => userId);
    const blocked = await this.deliveries.findBlocked([...(familyId === null ? [] : [familyId]), ...principals]);
    return {
      principals: principals.map((principal) => {
        const userId = toUserId(principal) ?? '';
        const subscription = recipients.get(userId)?.[0]?.subscription ?? DEFAULT_SUBSCRIPTION;
        const [{ waiting, attempts, nextAttemptAt } = NO_NOTIFICATIONS] = queues.get(userId) ?? [];
        return {
          principal,
          connections: (connections.get(principal) ?? []).map(({ sessionId, nodeId, since }) => ({
            sessionId,
            nodeId,
            since,
          })),
          mailboxHead: heads.get(principal)?.[0]?.head ?? 0,
          sessions: (sessions.get(principal) ?? []).map(
            ({ sessionId, acknowledged, lastSeenAt, oldestUnacknowledgedAt }) => ({
              sessionId,
              acknowledged,
              lastSeenAt,
              oldestUnacknowledgedAt,
            }),
          ),
          pushRegistrations: (tokens.get(userId) ?? []).map(({ sessionId, service, createdAt: registeredAt }) => ({
            sessionId,
            service,
            registeredAt,
          })),
          pushQueue: { waiting, attempts, nextAttemptAt },
          pushDisabled: Object.values(SUBSCRIPTION_CATEGORY).filter(
            (category) => !categoryPreference(subscription, category).push,
          ),
        };
      }),
      blocked,
      unknownProjections: this.projections && findUnknown(this.projections, familyId),
    };
  }
}

function findUnknown(projections: GatewayProjections, familyId: string | null): string[] {
  return Object.values(PROJECTION).filter(
    (projection) => familyId !== null && !projections.isKnown(projection, familyId),
  );
}

const NO_NOTIFICATIONS = { waiting: 0, attempts: 0, nextAttemptAt: null };

function toUserId(key: PrincipalKey): string | undefined {
  const { type, id } = parsePrincipalKey(key);
  return type === 'user' ? id : undefined;
}

function groupByPrincipal<Row extends { principal: PrincipalKey }>(rows: readonly Row[]): Map<PrincipalKey, Row[]> {
  return Map.groupBy(rows, ({ principal }) => principal);
}
